"""Joint k where a source changed and its job says whose the rows are: they are known again by that."""

from __future__ import annotations

import json
import random
import stat
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pandas
import pytest
from click.testing import CliRunner

import starcloak as sc
from starcloak.base.errors import RequirementError
from starcloak.commands import pipeline
from starcloak.commands.cli import cli
from starcloak.job.result import Joint
from starcloak.releases import state
from tests.companions.test_persons_joint import ONE, OTHER, QUASI, asked, visits
from tests.daily import some_daily
from tests.people import Server, run
from tests.privacy.test_persons import PEOPLE_TYPES

pytestmark = pytest.mark.usefixtures("work")

K = 5
Groups = dict[tuple[Any, Any], list[str]]


def keyed(rows: int = 120) -> pandas.DataFrame:
    """One row each."""
    people = pandas.concat([visits(), visits()], ignore_index=True)[:rows]
    return people.assign(whose=[f"SECRETx7 {n:03}" for n in range(rows)], note=[str(n) for n in range(rows)])


def some_visits() -> pandas.DataFrame:
    """Several rows of most persons, and one of others."""
    rows = visits()
    rows.loc[60:, "whose"] = [f"once {n}" for n in range(30)]
    return rows


def changed(rows: pandas.DataFrame, seed: int, *, moved: int = 12) -> pandas.DataFrame:
    """Some went, some came, and some moved: their notes stay."""
    chance = random.Random(seed)
    rows = rows.sample(frac=1, random_state=seed)[9:].reset_index(drop=True)
    for place in range(moved):
        rows.loc[place, "zip"] = f"537{chance.randrange(8):02}"
        rows.loc[place, "age"] = chance.randrange(20, 60)
    more = visits().sample(10, random_state=seed)
    names = [f"new {seed} {n}" for n in range(10)]
    return pandas.concat([rows, more.assign(whose=names, note=names)])


def shown(release: pandas.DataFrame) -> dict[str, tuple[str, ...]]:
    """What each row reads in a release, by its note."""
    rows = release[[*QUASI, "note"]].itertuples(index=False)
    return {str(note): tuple(map(str, cells)) for *cells, note in rows}


def of_keys(one: dict[str, Any], other: dict[str, Any]) -> Groups:
    """Groups of rows of which each is one person's: by their notes, as these are the same rows."""
    groups = defaultdict[Any, list[str]](list)
    for note in {*one, *other}:
        groups[one.get(note), other.get(note)].append(note)
    return groups


def of_persons(
    before: pandas.DataFrame, after: pandas.DataFrame, one: dict[str, Any], other: dict[str, Any]
) -> tuple[Groups, bool]:
    """Groups of the rows of persons, with the person of each row, and whether nobody has rows that may have changed.

    A person's rows are the same where their tuples are; the only row in either source always is.
    """
    rows = [defaultdict[str, list[tuple[Any, Any]]](list) for _ in range(2)]
    for found, source, release in zip(rows, (before, after), (one, other), strict=True):
        for whose, note, *cells in source[["whose", "note", *QUASI]].itertuples(index=False):
            found[whose].append((tuple(map(str, cells)), release.get(note)))
    groups, sure = defaultdict[Any, list[str]](list), True
    for person in {*rows[0], *rows[1]}:
        first, second = rows[0][person], rows[1][person]
        if len(first) == len(second) == 1:
            pairs = [(first[0][1], second[0][1])]
        else:
            pairs, left = [], list(second)
            for values, cells in first:
                again = next((each for each in left if each[0] == values), (None, None))
                pairs.append((cells, again[1]))
                if again in left:
                    left.remove(again)
            gone = any(
                cells
                and Counter(values for values, _ in first)[values] > Counter(values for values, _ in second)[values]
                for values, cells in first
            )
            shown_before = Counter(values for values, cells in first if cells)
            came = any(Counter(each for each, _ in second)[values] > shown_before[values] for values, _ in second)
            sure = sure and not (gone and came)
            pairs += [(None, cells) for _, cells in left]
        for pair in pairs:
            if pair != (None, None):
                groups[pair].append(person)
    return groups, sure


def agrees(joint: Joint, groups: Groups, k: int = K) -> None:
    sizes = {pair: len(set(persons)) for pair, persons in groups.items()}
    assert joint.unknown is None
    assert (joint.k, joint.groups) == (min(sizes.values()), len(groups))
    assert joint.rows == sum(map(len, groups.values()))
    assert joint.rows_below == sum(len(groups[pair]) for pair, size in sizes.items() if size < k)
    assert joint.rows_gone == sum(len(persons) for (_, now), persons in groups.items() if now is None)
    assert joint.rows_new == sum(len(persons) for (earlier, _), persons in groups.items() if earlier is None)


def write(rows: pandas.DataFrame) -> None:
    rows.to_csv("visits.csv", index=False)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(3))
def test_where_each_row_is_one_persons_rows_are_known_again_though_they_changed(seed: int) -> None:
    before = keyed()
    write(before)
    one = pipeline.run(asked({"path": "one.csv"}, **ONE))
    write(changed(before, seed))
    other = pipeline.run(asked({"path": "other.csv"}, **OTHER))
    (joint,) = other.result.joint
    groups = of_keys(shown(one.to_pandas()), shown(other.to_pandas()))
    assert joint.exact and (one.result.suppressed_rows or other.result.suppressed_rows)
    agrees(joint, groups)
    assert joint.k == 1  # who moved may be alone


@pytest.mark.sampled(2)
@pytest.mark.parametrize("is_kept", [True, False])
def test_persons_of_two_earlier_releases_are_known_again_in_each(is_kept: bool) -> None:
    """Each has hashes of its own: those of one are made those of the other, where what both tell was not kept."""
    rows, releases = keyed(), dict[str, sc.Release]()
    for night, how in enumerate((ONE, OTHER, ONE)):
        write(rows)
        last = pipeline.run(asked({"path": f"{night}.csv"}, **how))
        releases[last.result.run] = last
        for file in [] if is_kept else state.folder().glob("*.partition"):
            file.unlink()
        rows = changed(rows, night)
    joint = {each.run: each for each in last.result.joint}
    assert [*joint] == [*releases][1::-1]
    for of, each in joint.items():
        agrees(each, of_keys(shown(releases[of].to_pandas()), shown(last.to_pandas())), each.required_k or 0)


def coming_and_going(rows: pandas.DataFrame, kind: str, seed: int) -> pandas.DataFrame:
    """Visits of some persons come, or go, or both; or some move, who have several."""
    chance = random.Random(seed)
    if kind == "move":
        return changed(rows, seed, moved=5)
    persons = sorted(set(rows["whose"]))
    chance.shuffle(persons)
    go = rows["whose"].isin(persons[:9]) & rows["note"].map(lambda _: chance.random() < 0.5)
    come = rows[rows["whose"].isin(persons[9:])].sample(12, random_state=seed)
    come = come.assign(age=come["age"].map(lambda age: chance.choice([age, 41])), note=[f"n{n}" for n in range(12)])
    return pandas.concat([rows[~go] if "go" in kind else rows, *([come] if "come" in kind else [])])


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("kind", "seed"), some_daily(["come", "go", "come and go", "move"], range(2), each=2))
def test_the_rows_of_a_person_are_known_again_by_their_tuples(kind: str, seed: int) -> None:
    before = some_visits()
    write(before)
    one = pipeline.run(asked({"path": "one.csv"}, **ONE))
    after = coming_and_going(before, kind, seed)
    write(after)
    other = pipeline.run(asked({"path": "other.csv"}, **OTHER))
    (joint,) = other.result.joint
    groups, sure = of_persons(before, after, shown(one.to_pandas()), shown(other.to_pandas()))
    agrees(joint, groups)
    assert joint.exact == sure
    assert sure or kind == "move" or one.result.suppressed_rows


def test_somebody_who_moved_and_is_alone_in_that_is_not_published() -> None:
    before = keyed()
    write(before)
    calm = {"quasi_identifiers": {"sex": "suppress"}, "others": "identifiers", "requirement": {"k": K}}
    pipeline.run(asked({"path": "one.csv"}, **calm))
    after = before.copy()
    after.loc[0, "sex"] = "m" if after.loc[0, "sex"] == "f" else "f"
    write(after)
    with pytest.raises(RequirementError, match=r"one\.csv is less than 5: fewer than 5 of 120 rows"):
        pipeline.run(asked({"path": "other.csv"}, **calm, against=["one.csv"]))
    assert not Path("other.csv").exists()
    write(before[K:])
    (joint,) = pipeline.run(
        asked({"path": "other.csv"}, **calm, accept={"joint_k": 1}, against=["one.csv"])
    ).result.joint
    assert joint.exact and joint.rows_gone == K


@pytest.mark.sampled(4)
@pytest.mark.parametrize("change", ["another column", "another type", "rows", "older", "split"])
def test_who_cannot_be_known_again_is_said_to_be_unknown(change: str) -> None:
    rows = keyed().assign(other=[str(n) for n in range(120)], whose=range(120))
    with_other = {"identifiers": ["name", "illness", "other"]}
    rows.to_parquet("visits.parquet")
    place = {"path": "visits.parquet"}
    first = asked({"path": "one.csv"}, place, **ONE, **with_other)
    if change == "rows":
        first["identifiers"] = [*first["identifiers"], first.pop("person")]
    if change == "split":
        first["algorithm"] = {"name": "kaca", "execution": "neighbours"}
    pipeline.run(first)
    second = asked({"path": "two.csv"}, place, **OTHER, **with_other)
    rows = rows[3:]
    if change == "another column":
        second |= {"person": "other", "identifiers": ["name", "illness", "whose"]}
    if change == "another type":
        rows = rows.assign(whose=rows["whose"].map(str))
    rows.to_parquet("visits.parquet")
    if change == "older":
        (file,) = Path(str(state.folder())).glob("*.recoding")
        content, tables = state.read_tables(file, 4)
        about = json.loads(content)
        del about["identity"]
        state.write_tables(file, json.dumps(about), tables, about["run"])
    (joint,) = pipeline.run(second).result.joint
    reason = {
        "another column": "counts persons by 'whose', and this one persons by 'other'",
        "another type": "'whose', which identifies persons, had another type",
        "rows": "counts rows, and this one persons by 'whose'",
        "older": "an older version saved it",
        "split": "equal rows are in several classes",
    }[change]
    assert joint.k is None and joint.unknown is not None and reason in joint.unknown
    with pytest.raises(RequirementError, match="is not known"):
        pipeline.run({**second, "output": {"path": "third.csv"}, "against": ["one.csv"]})
    assert not Path("third.csv").exists()


def test_whose_the_rows_are_is_kept_for_its_owner_alone_as_a_hash_and_without_rows_that_were_left_out() -> None:
    rows = keyed()
    rows.loc[0, "zip"] = "CANAR"
    write(rows)
    few = {"requirement": {"k": K, "suppression": "0.1"}, "algorithm": {"name": "datafly"}, "keep": []}
    few["others"] = "identifiers"
    release = pipeline.run(asked({"path": "one.csv"}, **few))
    own = Path(str(state.folder()))
    (file,) = own.glob("*.recoding")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    content, saved = state.read_tables(file, 4)
    tables = [table.reader().read_all() for table in saved]
    assert len(tables[3]) == release.result.released_rows < 120
    told = repr([table.to_pylist() for table in tables])
    assert "5370" in told
    assert "SECRETx7" not in told + content
    assert "CANAR" not in told
    assert "erased" in CliRunner().invoke(cli, ["forget", "--all"]).output
    assert not list(own.glob("*.recoding*"))


def test_two_files_have_no_hash_in_common_and_columns_put_together_are_told_apart() -> None:
    rows = keyed().assign(whose=[f"{n // 10}" for n in range(120)], number=[f"{n % 10}" for n in range(120)])
    rows.loc[:1, ["whose", "number"]] = [["1", "111"], ["11", "11"]]
    write(rows)
    for into in ("one.csv", "two.csv"):
        pipeline.run(asked({"path": into}, **{**OTHER, "person": ["whose", "number"]}))
    hashes = []
    for file in Path(str(state.folder())).glob("*.recoding"):
        _, tables = state.read_tables(file, 4)
        hashes.append(set(tables[3].reader().read_all()["whose"].to_pylist()))
    assert [len(each) for each in hashes] == [120, 120]
    assert not hashes[0] & hashes[1]


@pytest.mark.any_database
def test_every_database_knows_persons_again(server: Server) -> None:
    place = {"url": server.url, "table": "people"}
    before, types = keyed(), {**PEOPLE_TYPES, "whose": "varchar(40)", "note": "varchar(9)"}
    server.fill("people", before, types)
    one = run(asked({"path": "one.parquet"}, place, **ONE))
    after = changed(before, 3)
    server.fill("people", after, types)
    other = run(asked({"table": "other"}, place, **OTHER))
    (joint,) = other.result.joint
    assert joint.exact
    agrees(joint, of_keys(shown(one.to_pandas()), shown(other.to_pandas())))
    before = some_visits()
    server.fill("people", before, types)
    one = run(asked({"table": "other"}, place, **ONE))
    after = coming_and_going(before, "come", 1)
    server.fill("people", after, types)
    other = run(asked({"path": "two.parquet"}, place, **OTHER))
    (joint,) = [each for each in other.result.joint if each.run == one.result.run]
    groups, sure = of_persons(before, after, shown(one.to_pandas()), shown(other.to_pandas()))
    agrees(joint, groups)
    assert joint.exact and sure
