"""Earlier releases of a source: what is kept of them, what they tell together with a new one."""

from __future__ import annotations

import json
import random
import sqlite3
import stat
from collections import Counter
from contextlib import closing
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any, ClassVar

import duckdb
import pandas
import pyarrow
import pytest
import yaml
from click.testing import CliRunner
from pyarrow import parquet

import starcloak as sc
from starcloak.base.errors import JobError, RequirementError, SourceError
from starcloak.commands import pipeline
from starcloak.commands.cli import cli
from starcloak.job.result import Joint
from starcloak.releases import state
from starcloak.releases.recodings import saved_recodings
from starcloak.store import staging
from tests import weighed

COLUMNS = ["age", "zip", "sex", "illness"]


@pytest.fixture(autouse=True)
def folder(work: Path) -> Path:
    return work


def people(count: int, seed: int) -> list[tuple[str, ...]]:
    chosen = random.Random(seed)
    return [
        (
            str(chosen.randrange(20, 40)),
            f"{chosen.randrange(10, 14)}",
            chosen.choice("fm"),
            chosen.choice(["flu", "cold", "ulcer", "gout"]),
        )
        for _ in range(count)
    ]


def write(rows: list[tuple[str, ...]], path: str = "people.csv") -> None:
    pandas.DataFrame(rows, columns=COLUMNS).to_csv(path, index=False)


def job(into: str = "a.csv", **more: Any) -> dict[str, Any]:
    return {
        "source": {"path": "people.csv"},
        "quasi_identifiers": {"age": {"intervals": [5, 10]}, "zip": {"digits": 2}, "sex": "suppress"},
        "sensitive": ["illness"],
        "requirement": {"k": 3},
        "algorithm": {"name": "sweep"},
        "output": {"path": into},
        "insight": "off",
        **more,
    }


def cells(mapping: pandas.DataFrame) -> dict[tuple[str, ...], tuple[str, ...]]:
    """What each tuple became, by the recoding as a table."""
    named = ["age", "zip", "sex"]
    return {
        tuple(row[name] for name in named): tuple(row[f"{name}_released"] for name in named)
        for row in mapping.to_dict("records")
    }


def by_hand(
    before: list[tuple[str, ...]], after: list[tuple[str, ...]], one: dict[Any, Any], other: dict[Any, Any]
) -> Counter[Any]:
    """Groups of rows by both classes, of releases in which every tuple is in one class."""
    first = Counter(row[:3] for row in before if row[:3] in one)
    second = Counter(row[:3] for row in after if row[:3] in other)
    groups: Counter[Any] = Counter()
    for found in {*first, *second}:
        both = min(first[found], second[found])
        groups[one.get(found), other.get(found)] += both
        groups[one.get(found), None] += first[found] - both
        groups[None, other.get(found)] += second[found] - both
    return Counter({group: rows for group, rows in groups.items() if rows})


def found(release: sc.Release) -> Joint:
    (joint,) = release.result.joint
    return joint


def agrees(joint: Joint, groups: Counter[Any], k: int = 3) -> None:
    assert joint.k == min(groups.values())
    assert joint.groups == len(groups)
    assert joint.rows == sum(groups.values())
    assert joint.rows_below == sum(rows for rows in groups.values() if rows < k)
    assert joint.rows_gone == sum(rows for (_, now), rows in groups.items() if now is None)
    assert joint.rows_new == sum(rows for (earlier, _), rows in groups.items() if earlier is None)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(4))
def test_joint_k_is_that_of_the_rows_themselves_on_an_unchanged_source(seed: int) -> None:
    rows = people(60, seed)
    write(rows)
    one = sc.run(job())
    other = sc.run(weighed.by_height(job("b.csv", requirement={"k": 4}, algorithm={"name": "witness"}), {"age": 9}))
    assert found(other).exact
    agrees(found(other), by_hand(rows, rows, cells(one.mapping()), cells(other.mapping())), k=4)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(4))
def test_joint_k_of_a_changed_source_is_an_estimate_by_the_smaller_count_of_each_tuple(seed: int) -> None:
    before = people(60, seed)
    write(before)
    one = sc.run(job())
    after = [*before[5:], *people(7, seed + 100)]
    write(after)
    other = sc.run(job())
    assert not found(other).exact
    agrees(found(other), by_hand(before, after, cells(one.mapping()), cells(other.mapping())))


def test_rows_that_are_left_out_of_one_release_form_groups_of_their_own() -> None:
    write([("20", "10", "f", "flu")] * 3 + [("30", "11", "m", "flu")] * 3 + [("31", "12", "m", "cold")])
    full = job(algorithm={"name": "witness"}, objective={"minimize": "height"})
    sc.run(full)
    other = sc.run({**full, "output": {"path": "b.csv"}, "requirement": {"k": 3, "suppression": "0.2"}})
    assert (found(other).exact, found(other).k, found(other).rows_gone) == (True, 1, 1)
    assert "finds fewer than 3 of 7 rows in groups of fewer than k = 3" in " ".join(other.result.warnings)


def test_the_two_classes_of_a_row_are_to_share_enough_sensitive_values() -> None:
    ages, illnesses = ("21", "22", "26", "27"), ("flu", "cold", "ulcer", "gout")
    write([(age, "10", "f", illness) for age, illness in zip(ages, illnesses, strict=True)])
    diverse = {"requirement": {"k": 1, "l_diversity": [{"attribute": "illness", "l": 2}]}}
    one = {"tree": {"a": ["21", "22"], "b": ["26", "27"]}}
    other = {"tree": {"c": ["21", "26"], "d": ["22", "27"]}}
    zips = {"zip": {"digits": 2}, "sex": "suppress"}
    full = {**diverse, "algorithm": {"name": "witness"}}
    sc.run(job(**full, quasi_identifiers={"age": one, **zips}))
    release = sc.run(job("b.csv", **full, quasi_identifiers={"age": other, **zips}))
    (shared,) = found(release).shared
    assert (shared.attribute, shared.required, shared.least) == ("illness", 2, 1)
    with pytest.raises(RequirementError, match="only 1 values of 'illness' in common, fewer than 2"):
        sc.run(job("c.csv", **full, quasi_identifiers={"age": other, **zips}, against=["a.csv"]))
    assert not Path("c.csv").exists()
    as_many = sc.run(job("c.csv", **full, quasi_identifiers={"age": one, **zips}, against=["a.csv"]))
    (asked,) = [joint for joint in as_many.result.joint if joint.required]
    assert [(each.required, each.least) for each in asked.shared] == [(2, 2)]


def test_a_run_against_a_release_publishes_nothing_where_joint_k_is_too_small() -> None:
    write(people(60, 1))
    levels = sc.run(job(algorithm={"name": "witness"})).result.recoding.levels
    other = weighed.by_height(job("b.csv", algorithm={"name": "witness"}, against=["a.csv"]), {"age": 9})
    Path("other.yaml").write_text(yaml.safe_dump(other, sort_keys=False))
    done = CliRunner().invoke(cli, ["run", "other.yaml"])
    assert isinstance(done.exception, RequirementError)
    assert done.exception.exit_code == 1
    assert "fewer than 3" in str(done.exception) and "set from and to" in str(done.exception)
    assert not Path("b.csv").exists()
    accepted = sc.run({**other, "accept": {"joint_k": 1}})
    assert found(accepted).required
    assert Path("b.csv").exists()
    kinds: dict[str, dict[str, Any]] = {"age": {"intervals": [5, 10]}, "zip": {"digits": 2}, "sex": {"suppress": True}}
    same = {name: {**kind, "from": levels[name], "to": levels[name]} for name, kind in kinds.items()}
    with_levels = sc.run({**other, "quasi_identifiers": same, "output": {"path": "same.csv"}}, joint=False)
    assert (found(with_levels).k or 0) >= 3


def test_a_release_is_against_itself_what_it_is() -> None:
    write(people(60, 1))
    sc.run(job())
    again = sc.run(job("b.csv", against=["a.csv"]))
    assert (found(again).k, found(again).exact, found(again).rows_below) == (again.k, True, 0)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("place", ["path", "job", "table"])
def test_an_earlier_release_is_named_by_its_file_its_job_or_its_table(place: str) -> None:
    write(people(60, 1))
    first = job()
    if place == "table":
        first["output"] = {"url": "duckdb:///out.duckdb", "table": "released"}
    Path("first.yaml").write_text(yaml.safe_dump(first, sort_keys=False))
    sc.run("first.yaml")
    named = {"path": "a.csv", "job": "first.yaml", "table": {"url": "duckdb:///out.duckdb", "table": "released"}}
    assert found(sc.run(job("b.csv", against=[named[place]]))).exact


def test_an_earlier_release_whose_recoding_is_forgotten_is_computed_again_from_its_job_or_not_known() -> None:
    write(people(60, 1))
    Path("first.yaml").write_text(yaml.safe_dump(job(), sort_keys=False))
    sc.run("first.yaml")
    asked = CliRunner().invoke(cli, ["forget", "duckdb:///out.duckdb"], standalone_mode=False)
    assert isinstance(asked.exception, JobError)
    assert "url needs exactly one of table and query" in str(asked.exception)
    assert CliRunner().invoke(cli, ["forget", "a.csv"]).output.startswith("erased")
    assert not saved_recodings.every()
    with pytest.raises(
        SourceError,
        match="is unknown, as its recoding is not saved on this machine \\(its recoding was forgotten\\): give the job",
    ):
        sc.run(job("b.csv", against=["a.csv"]))
    again = sc.run(job("b.csv", against=["first.yaml"]))
    assert (found(again).k, found(again).exact) == (again.k, True)
    write(people(60, 2))
    with pytest.raises(SourceError, match="run that job again with --force"):
        sc.run(job("c.csv", against=["first.yaml"]))


@pytest.mark.parametrize("nights", [1, 2])
def test_a_refreshed_release_whose_recoding_is_forgotten_is_not_computed_again_from_its_job(nights: int) -> None:
    """It follows from all nights before, which a new search does not know."""
    Path("first.yaml").write_text(yaml.safe_dump(job(refresh=True), sort_keys=False))
    for night in range(nights):
        write([*people(60, 1), *people(9 * night, 2)])
        sc.run("first.yaml")
    CliRunner().invoke(cli, ["forget", "a.csv"], catch_exceptions=False)
    with pytest.raises(SourceError, match=r"its recoding was forgotten\): leave that job out, or write accept"):
        sc.run(job("b.csv", against=["first.yaml"]))
    assert not Path("b.csv").exists()
    release = sc.run(job("b.csv", against=["first.yaml"], accept={"joint_k": "unknown"}))
    assert found(release).unknown is not None and not release.result.joint_together


@pytest.mark.sampled(4)
@pytest.mark.parametrize("named", ["a.csv", "first.yaml"])
@pytest.mark.parametrize("change", ["reordered", "deleted", "doubled", "another"])
def test_a_file_that_is_not_the_release_that_was_published_there_is_not_taken_for_it(change: str, named: str) -> None:
    write(people(60, 1))
    Path("first.yaml").write_text(yaml.safe_dump(job(), sort_keys=False))
    sc.run("first.yaml")
    sc.run(job("other.csv", requirement={"k": 9}), joint=False)
    head, *rows = Path("a.csv").read_text().splitlines(keepends=True)
    changed = {"reordered": rows[::-1], "deleted": rows[1:], "doubled": [*rows, *rows]}
    Path("a.csv").write_text(Path("other.csv").read_text() if change == "another" else head + "".join(changed[change]))
    with pytest.raises(SourceError, match=r"joint k with .*a\.csv is unknown"):
        sc.run(job("b.csv", against=[named]))
    assert not Path("b.csv").exists()


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "change",
    [
        "delete from released where rowid = 0",
        "insert into released from released limit 1",
        "update released set zip = (select max(zip) from released) where zip = (select min(zip) from released)",
        "update released set illness = 'other' where rowid = 0",
        "drop table released",
    ],
)
def test_a_table_that_is_not_what_was_published_there_is_not_taken_for_it(change: str) -> None:
    write(people(60, 1))
    there = {"url": "duckdb:///out.duckdb", "table": "released"}
    diverse = {"k": 2, "l_diversity": [{"attribute": "illness", "l": 2}]}
    Path("first.yaml").write_text(yaml.safe_dump(job(requirement=diverse) | {"output": there}, sort_keys=False))
    sc.run("first.yaml")
    assert found(sc.run(job("b.csv", requirement=diverse, against=[there]))).exact
    with duckdb.connect("out.duckdb") as connection:
        connection.execute(change)
    for named in (there, "first.yaml"):
        with pytest.raises(SourceError, match="released"):
            sc.run(job("c.csv", requirement=diverse, against=[named]))
    assert not Path("c.csv").exists()


def test_a_table_of_a_database_without_booleans_has_what_was_published_there() -> None:
    rows = pandas.DataFrame({"smokes": [True, True, False, False] * 3, "ill": [True, False] * 6})
    with closing(sqlite3.connect("there.sqlite")) as file:
        file.execute("create table other (a)")
    there = {"url": "sqlite:///there.sqlite", "table": "released"}
    roles = {"quasi_identifiers": {"smokes": "suppress"}, "sensitive": ["ill"]}
    required = {"k": 2, "l_diversity": [{"attribute": "ill", "l": 2}]}
    with duckdb.connect("people.duckdb") as connection:
        connection.execute("create table people as from rows")
    source = {"url": "duckdb:///people.duckdb", "table": "people"}
    sc.run({"source": source, **roles, "requirement": required, "output": there})
    second = sc.run(
        {"source": source, **roles, "requirement": required, "output": {"path": "b.csv"}, "against": [there]}
    )
    assert len(rows) == 12 and found(second).k == 6


@pytest.mark.sampled(3)
@pytest.mark.parametrize("other", ["older", "newer", "strange", "cut short"])
def test_what_another_version_has_kept_is_read_or_said_to_be_unknown(other: str) -> None:
    write(people(60, 1))
    first = sc.run(job())
    (file,) = (Path(str(state.folder()))).glob("*.recoding")
    content, tables = state.read_tables(file, 3)
    about = json.loads(content)
    for name in ("columns", "refreshable") if other == "older" else ("attributes",) if other == "strange" else ():
        del about[name]
    about |= {"later": 1} if other == "newer" else {}
    state.write_tables(file, json.dumps(about), tables[:2] if other == "cut short" else tables, first.result.run)
    if other in ("older", "newer"):
        assert found(sc.run(job("b.csv", against=["a.csv"]))).k == first.k
        return
    with pytest.raises(SourceError, match=r"joint k with .*a\.csv is unknown"):
        sc.run(job("b.csv", against=["a.csv"]))
    if other == "cut short":  # it is known whose it is
        assert "is not known" in " ".join(sc.run(job("b.csv")).result.warnings)


def test_the_release_that_is_replaced_is_measured_or_said_to_be_unknown() -> None:
    write(people(60, 1))
    first = sc.run(job())
    assert (first.result.joint, first.result.warnings) == ([], [])
    second = sc.run(job(requirement={"k": 5}))
    assert found(second).run == first.result.run
    for about in saved_recodings.every():
        saved_recodings.forget(about)
    third = sc.run(job(requirement={"k": 6}))
    assert third.result.joint == []
    assert "and 1 more is not known: its recoding was forgotten" in third.result.warnings[0]


def test_of_many_earlier_releases_the_last_are_paired_and_all_count_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("starcloak.companions.joint_risk.joint_partition._PAIRED", 2)
    write(people(60, 1))
    runs = [sc.run(job(f"k{k}.csv", requirement={"k": k})).result.run for k in (2, 3, 4, 5)]
    result = sc.run(job("k6.csv", requirement={"k": 6})).result
    assert [each.run for each in result.joint] == [runs[3], runs[2]]
    (together,) = result.joint_together
    assert together.runs == runs and together.k is not None
    named = sc.run(job("k7.csv", requirement={"k": 7}, against=["k2.csv"], accept={"joint_k": 1})).result
    assert (named.joint[0].run, named.joint[0].required) == (runs[0], True)
    assert [each.runs for each in named.joint_together if each.required] == [runs[:1]]


def test_no_joint_leaves_it_out_and_keeps_what_later_releases_are_measured_by() -> None:
    write(people(60, 1))
    first = sc.run(job()).result
    second = pipeline.run(job("b.csv", requirement={"k": 5}), joint=False).result
    assert second.joint == []
    third = sc.run(job("c.csv", requirement={"k": 6})).result
    assert {each.run for each in third.joint} == {first.run, second.run}


def test_releases_of_another_source_are_not_measured() -> None:
    write(people(60, 1))
    sc.run(job())
    write(people(60, 1), "others.csv")
    assert sc.run(job("b.csv", source={"path": "others.csv"})).result.joint == []


def test_what_is_kept_is_its_owners_alone_and_never_in_the_manifest() -> None:
    write([("23", "CANARY", "f", "SECRET")] * 3 + [("24", "CANARY", "f", "SECRET")] * 3)
    sc.run(job(quasi_identifiers={"age": {"intervals": [5, 10]}, "zip": "suppress", "sex": "suppress"}))
    own = state.folder()
    assert own is not None
    (file,) = own.glob("*.recoding")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert b"CANARY" in file.read_bytes()
    assert b"SECRET" not in file.read_bytes()
    for other in own.glob("*.json"):
        assert "CANARY" not in other.read_text()
    assert "erased" in CliRunner().invoke(cli, ["forget", "--all"]).output
    assert not list(own.glob("*.recoding*"))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kept", [True, False], ids=["beside what is kept", "where nothing is kept"])
def test_to_forget_all_erases_what_killed_runs_left_half_written(kept: bool) -> None:
    write(people(30, 1))
    sc.run(job())
    sc.run(job("b.csv", requirement={"k": 4}))
    own = state.folder()
    places = [*own.glob("*.recoding"), *own.glob("*.partition"), own / f"{'0' * 32}-{'a' * 16}.partition"]
    assert len(places) == 4
    if not kept:
        CliRunner().invoke(cli, ["forget", "--all"])
    for place in places:
        staging.of(place, "0123456789ab").write_text("CANARY")
    told = CliRunner().invoke(cli, ["forget", "--all"]).output
    assert ("erased" in told) == kept and ("no recoding is kept" in told) != kept
    assert {path.suffix for path in own.iterdir()} == {".json", ".lock", ".note", ""}
    assert not [path for path in own.iterdir() if b"CANARY" in path.read_bytes()]


@pytest.mark.parametrize("column", ["illness", "origin"])
def test_a_bit_of_what_a_recoding_is_of_that_changed_is_no_other_source(column: str) -> None:
    """Nor another release, which would be taken for one of which more or less is known."""
    write(people(30, 1))
    sc.run(job())
    (file,) = state.folder().glob("*.recoding")
    content = bytearray(file.read_bytes())
    content[content.index(column.encode()) + len(column) + 50] ^= 1
    file.write_bytes(content)
    told = sc.run(job("b.csv", requirement={"k": 4})).result.warnings
    assert [said for said in told if "its recoding cannot be read" in said]


def test_the_last_recodings_of_a_source_alone_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved_recodings, "MOST", 2)
    write(people(30, 1))
    runs = [pipeline.run(job(), force=True).result.run for _ in range(3)]
    assert [about.run for about in saved_recodings.every()] == runs[:0:-1]


def test_the_last_release_is_the_last_one_whatever_the_clock_says(monkeypatch: pytest.MonkeyPatch) -> None:
    class Back(datetime):
        """A clock that is set back a day whenever it is asked."""

        asked: ClassVar[int] = 0

        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            cls.asked += 1
            return datetime(2026, 6, 1, tzinfo=tz) - timedelta(days=cls.asked)

    monkeypatch.setattr("starcloak.releases.build_result.datetime", Back)
    write(people(60, 1))
    write(people(60, 2), "others.csv")
    runs = [sc.run(job(requirement={"k": k})).result.run for k in (2, 3, 4)]
    assert [about.run for about in saved_recodings.every()] == runs[::-1]
    Path("a.csv").unlink()  # its recipient has it
    sc.run(job("o.csv", source={"path": "others.csv"}))
    last = sc.run(job("b.csv", against=["a.csv"], requirement={"k": 4}, accept={"joint_k": 1}))
    assert runs[-1] in [each.run for each in last.result.joint if each.required]
    monkeypatch.setattr(saved_recodings, "MOST", 1)
    newest = sc.run(job("c.csv", requirement={"k": 5})).result.run
    assert [about.run for about in saved_recodings.every() if not about.release.endswith("o.csv")] == [newest]


def test_a_damaged_recoding_is_not_known_and_nothing_fails() -> None:
    write(people(60, 1))
    sc.run(job())
    own = state.folder()
    assert own is not None
    (file,) = own.glob("*.recoding")
    file.write_bytes(file.read_bytes()[:-200])
    other = sc.run(job("b.csv", requirement={"k": 4}))
    assert found(other).unknown == "its recoding cannot be read"
    file.write_bytes(b"")
    assert sc.run(job("c.csv", requirement={"k": 5})).result.joint[0].unknown is None


@pytest.mark.sampled(2)
@pytest.mark.parametrize("algorithm", [{"name": "kaca"}, {"name": "kaca", "execution": "joins"}])
def test_no_tuple_is_split_where_joint_k_counts(algorithm: dict[str, Any]) -> None:
    write([("20", "10", "f", "flu")] * 5 + [("21", "11", "f", "flu")] * 2 + [("39", "13", "m", "cold")] * 4)
    sc.run(job(algorithm={"name": "witness"}))
    split = sc.run(job("b.csv", algorithm=algorithm))
    assert split.mapping().duplicated(["age", "zip", "sex"]).any()
    whole = sc.run(job("c.csv", algorithm=algorithm, against=["a.csv"], accept={"joint_k": 1}))
    assert not whole.mapping().duplicated(["age", "zip", "sex"]).any()
    assert whole.result.joint[0].exact


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "algorithm", ["witness", "sweep", "kaca", "mondrian", "tdr", "full-subtree", "cell-suppression"]
)
def test_the_recoding_as_a_table_has_the_rows_of_the_release(algorithm: str) -> None:
    write(people(80, 3))
    chosen: dict[str, Any] = {"name": algorithm, **({"class": "illness"} if algorithm == "tdr" else {})}
    described = job(algorithm=chosen)
    if algorithm in ("mondrian", "tdr"):
        described["quasi_identifiers"] = {**described["quasi_identifiers"], "age": "numeric"}
        with duckdb.connect("people.duckdb") as connection:
            connection.execute(
                "create table people as select * replace (cast(age as integer) as age) from 'people.csv'"
            )
        described["source"] = {"url": "duckdb:///people.duckdb", "table": "people"}
    release = sc.run(described)
    mapping = release.mapping()
    rows: Counter[Any] = Counter()
    for row in mapping.to_dict("records"):
        rows[row["age_released"], row["zip_released"], row["sex_released"]] += row["rows"]
    released = release.to_pandas().astype(str)
    assert rows == Counter(zip(released["age"], released["zip"], released["sex"], strict=True))
    if algorithm in ("tdr", "full-subtree"):  # a tuple has rows of several illnesses, and goes to one class
        assert not mapping.duplicated(["age", "zip", "sex"]).any()
    unchanged = sc.run(described)
    assert unchanged.result.unchanged
    pandas.testing.assert_frame_equal(unchanged.mapping(), mapping)


def test_missing_values_are_values_of_a_tuple() -> None:
    write([("20", "", "f", "flu")] * 3 + [("20", "11", "f", "flu")] * 3)
    described = job(quasi_identifiers={"age": {"intervals": [5, 10]}, "zip": "suppress", "sex": "suppress"})
    sc.run(described)
    again = sc.run({**described, "output": {"path": "b.csv"}, "requirement": {"k": 2}})
    assert (found(again).k, found(again).rows, found(again).groups) == (3, 6, 2)


def test_a_tuple_of_several_classes_is_matched_part_by_part() -> None:
    """By all ways to number the rows, no row is in both parts of one that were lost."""
    write([("20", "10", "f", "flu")] * 7 + [("29", "10", "f", "flu")] * 2 + [("39", "13", "m", "cold")] * 4)
    sc.run(job(algorithm={"name": "kaca"}))
    other = sc.run(job("b.csv", algorithm={"name": "kaca"}, requirement={"k": 4}))
    assert found(other).rows == 13
    assert not found(other).exact or not other.mapping().duplicated(["age", "zip", "sex"]).any()
    assert (found(other).rows_gone, found(other).rows_new) == (0, 0)


def test_with_other_quasi_identifiers_joint_k_is_not_known() -> None:
    write(people(60, 1))
    sc.run(job())
    fewer = job("b.csv", quasi_identifiers={"age": {"intervals": [5, 10]}, "zip": {"digits": 2}}, identifiers=["sex"])
    assert found(sc.run(fewer)).unknown == "it has other quasi-identifiers"


def typed(kind: Any, path: str = "people.parquet", count: int = 60) -> pyarrow.Table:
    """Write people with ages of a type, some of them missing; ``007`` stands for texts of three digits."""
    ages = [None if age in ("22", "31") else int(age) for age, *_ in people(count, 1)]
    column = pyarrow.array(ages, pyarrow.int8())
    texts = [None if age is None else f"{age:03}" for age in ages]
    column = pyarrow.array(texts) if kind == "007" else column.cast(kind)
    others = dict(zip(COLUMNS[1:], zip(*(more for _, *more in people(count, 1)), strict=True), strict=True))
    table = pyarrow.table({"age": column, **{name: list(cells) for name, cells in others.items()}})
    parquet.write_table(table, path)
    return table


def of_parquet(into: str, **more: Any) -> dict[str, Any]:
    return weighed.by_height(job(into, source={"path": "people.parquet"}, **more), {"age": 9 if "b" in into else 1})


INT, DOUBLE, TEXT = pyarrow.int64(), pyarrow.float64(), pyarrow.string()


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("first", "second", "is_known"),
    [
        (INT, DOUBLE, False), (DOUBLE, INT, False), (DOUBLE, TEXT, False), ("007", INT, False), (INT, "007", False),
        (INT, pyarrow.decimal128(7, 2), False), (DOUBLE, pyarrow.decimal128(7, 1), False),
        (INT, pyarrow.int16(), True), (INT, TEXT, True), (TEXT, INT, True), (INT, pyarrow.decimal128(5, 0), True),
        (pyarrow.decimal128(7, 2), pyarrow.decimal128(9, 2), True),
    ],
)  # fmt: skip
def test_a_quasi_identifier_of_another_type_makes_joint_k_unknown_if_its_texts_differ(
    first: Any, second: Any, is_known: bool
) -> None:
    """Rows with missing cells have equal texts in both releases, so the releases share some combinations."""
    typed(first)
    sc.run(of_parquet("a.csv"))
    typed(second)
    release = sc.run(of_parquet("b.csv", requirement={"k": 4}))
    joint = found(release)
    named = of_parquet("bb.csv", requirement={"k": 4}, against=["a.csv"])
    if is_known:
        assert joint.unknown is None and (joint.rows_gone, joint.rows_new) == (0, 0)
        return
    assert joint.unknown is not None and "'age' had another type" in joint.unknown and joint.k is None
    assert any("'age' had another type" in warning for warning in release.result.warnings)
    with pytest.raises(RequirementError, match="'age' had another type"):
        sc.run(named)
    assert not Path("bb.csv").exists()
    accepted = sc.run({**named, "accept": {"joint_k": "unknown"}}).result
    assert any(pair.unknown and pair.required for pair in accepted.joint)


def test_releases_of_one_type_are_measured_with_each_other_beside_one_of_another_type() -> None:
    """The saved partition of all releases has no release with other texts."""
    for into, kind in (("a.csv", INT), ("b.csv", DOUBLE), ("c.csv", INT), ("d.csv", DOUBLE)):
        typed(kind)
        release = sc.run(of_parquet(into))
    known = {Path(pair.release).name: pair.unknown is None for pair in release.result.joint}
    assert known == {"a.csv": False, "b.csv": True, "c.csv": False}
    (joint,) = release.result.joint_together
    assert (joint.rows_gone, joint.rows_new, len(joint.runs)) == (0, 0, 1)


# ------------------------------------------------------------------------------------------------- the same mask again


def test_the_same_people_told_otherwise_are_not_taken_for_others() -> None:
    """As where a spreadsheet takes the zeros before a number; here one writes F and M."""
    rows = people(60, 1)
    write([(age, place, sex.upper(), *others) for age, place, sex, *others in rows])
    sc.run(job())
    write(rows, "again.csv")
    asked = job("b.csv", source={"path": "again.csv"}, against=["a.csv"])
    with pytest.raises(RequirementError, match="the releases share no combination of quasi-identifiers"):
        sc.run(asked)
    assert not Path("b.csv").exists()
    joint = found(sc.run({**asked, "accept": {"joint_k": 3}}))
    assert joint.shares_nothing and joint.k is not None
    write(rows)
    (said,) = (each for each in sc.run(job("c.csv")).result.warnings if "is not sure: " in each)
    assert "a.csv" in said
