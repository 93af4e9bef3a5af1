"""What two releases tell together where several rows may be one person's: groups count persons."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import pandas
import pytest

from starcloak.base.errors import InputError, RequirementError
from starcloak.commands import pipeline
from starcloak.job import load
from tests import weighed
from tests.people import Server, people, run
from tests.privacy.test_persons import PEOPLE_TYPES

QUASI = {"age": {"intervals": [5, 10, 20]}, "zip": {"digits": 5}, "sex": "suppress"}


def visits() -> pandas.DataFrame:
    rows = people(90)
    rows["whose"] = [f"{'pP'[place % 2]}{place % 23}" for place in range(90)]
    rows["note"] = [f"{place}" for place in range(90)]
    return rows


def asked(into: dict[str, Any], place: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return {
        "source": place or {"path": "visits.csv"},
        "identifiers": ["name", "illness"],
        "person": "whose",
        "quasi_identifiers": QUASI,
        "keep": ["note"],
        "requirement": {"k": 4, "suppression": "0.2"},
        "algorithm": {"name": "sweep"},
        "output": into,
        "insight": "off",
        **more,
    }


ONE: dict[str, Any] = {
    "algorithm": {"name": "datafly"},
    "requirement": {"k": 4, "suppression": "0.3"},
}
OTHER: dict[str, Any] = {"quasi_identifiers": weighed.beside(QUASI, {"zip": 9}), "requirement": {"k": 5}}


def by_hand(rows: pandas.DataFrame, one: pandas.DataFrame, other: pandas.DataFrame, k: int) -> tuple[int, int, int]:
    """Joint k of persons, the groups, and the rows in groups of fewer than k persons."""
    names = list(QUASI)
    classes = [
        {note: tuple(map(str, cells)) for *cells, note in release[[*names, "note"]].itertuples(index=False)}
        for release in (one, other)
    ]
    groups = defaultdict[Any, list[str]](list)
    for note, whose in zip(rows["note"], rows["whose"], strict=True):
        both = tuple(each.get(note) for each in classes)
        if any(both):
            groups[both].append(whose)
    sizes = [len(set(persons)) for persons in groups.values()]
    below = sum(len(persons) for persons in groups.values() if len(set(persons)) < k)
    return min(sizes), len(groups), below


@pytest.fixture
def folder(work: Path) -> pandas.DataFrame:
    rows = visits()
    rows.to_csv("visits.csv", index=False)
    return rows


def test_joint_k_counts_persons(folder: pandas.DataFrame) -> None:
    one = pipeline.run(asked({"path": "one.csv"}, **ONE))
    other = pipeline.run(asked({"path": "other.csv"}, **OTHER))
    (joint,) = other.result.joint
    assert one.result.suppressed_rows and joint.exact and joint.unknown is None
    found = by_hand(folder, one.to_pandas(), other.to_pandas(), 5)
    assert (joint.k, joint.groups, joint.rows_below) == found
    assert joint.rows == 90 and found[0] < 4
    with pytest.raises(RequirementError, match=r"one\.csv is less than 5"):
        pipeline.run(asked({"path": "third.csv"}, **OTHER, against=["one.csv"]))
    assert not Path("third.csv").exists()
    accepted = {"accept": {"joint_k": 1}, "against": ["one.csv"]}
    assert pipeline.run(asked({"path": "third.csv"}, **OTHER, **accepted)).result.joint[0].required


def test_ten_visits_of_one_person_are_one_in_a_joint_group(work: Path) -> None:
    """By rows both classes have two of anna's and of ben's; who has both finds anna's ten alone."""
    rows = pandas.DataFrame({"age": ["30"] * 10 + ["31", "40", "41"], "zip": ["1"] * 10 + ["2", "1", "2"]}).assign(
        whose=["anna"] * 10 + ["ben", "cleo", "dora"], note=[str(place) for place in range(13)]
    )
    rows.to_csv("visits.csv", index=False)
    described = asked({"path": "one.csv"}, requirement={"k": 2}, identifiers=[], algorithm={"name": "witness"})
    described["quasi_identifiers"] = {"age": {"digits": 2}, "zip": "suppress"}
    assert pipeline.run(weighed.by_height(described, {"age": 9})).result.recoding.levels["zip"] == 1
    with pytest.raises(RequirementError, match="less than 2: 13 of 13 rows"):
        other = {**described, "output": {"path": "other.csv"}, "against": ["one.csv"]}
        pipeline.run(weighed.by_height(other, {"zip": 9}))


def test_sets_go_without_earlier_releases(folder: pandas.DataFrame) -> None:
    few = {"quasi_identifiers": {"sex": "suppress"}, "identifiers": ["name", "age", "zip", "illness"]}
    pipeline.run(asked({"path": "one.csv"}, **few))
    sets = {**few, "person": {"column": "whose", "as": "set"}, "algorithm": {"name": "bottom-up"}}
    release = pipeline.run(asked({"path": "other.csv"}, **{**sets, "requirement": {"k": 2, "suppression": "0.9"}}))
    assert release.result.suppressed_rows
    assert [joint.unknown for joint in release.result.joint] == [
        "person has as: set, and joint k is counted only for releases that compare single rows"
    ]
    with pytest.raises(InputError, match="as: set"):
        load(asked({"path": "third.csv"}, **sets, against=["one.csv"]))
    # Who was left out of it has tuples that others have, too: whose rows of these it has, nobody can tell.
    after = pipeline.run(asked({"path": "after.csv"}, **few)).result.joint
    assert {joint.release.rpartition("/")[2]: joint.exact for joint in after} == {"one.csv": True, "other.csv": False}


def test_persons_who_left_are_found_again_beside_a_release_of_sets(folder: pandas.DataFrame) -> None:
    plain = {"keep": [], "identifiers": ["name", "illness", "note"]}
    first = pipeline.run(asked({"path": "first.csv"}, **plain)).result
    pipeline.run(asked({"path": "sets.csv"}, **plain, person={"column": "whose", "as": "set"}))
    folder[folder["whose"].str.slice(1).astype(int) > 4].to_csv("visits.csv", index=False)
    named = {"against": ["first.csv"], "accept": {"joint_k": 1}}
    pipeline.run(asked({"path": "later.csv"}, **plain, **named))
    folder.to_csv("visits.csv", index=False)
    again = pipeline.run(asked({"path": "again.csv"}, **plain)).result
    (pair,) = [joint for joint in again.joint if joint.run == first.run]
    assert Path("first.csv").read_text() == Path("again.csv").read_text()
    assert (pair.rows_gone, pair.rows_new, pair.rows_below) == (0, 0, 0)


@pytest.mark.sampled(3)
def test_every_database_joins_by_persons(server: Server, tmp_path: Path) -> None:
    rows = visits()
    server.fill("people", rows, {**PEOPLE_TYPES, "note": "varchar(9)"})
    place = {"url": server.url, "table": "people"}
    one = run(asked({"path": str(tmp_path / "one.parquet")}, place, **ONE))
    other = run(asked({"path": str(tmp_path / "other.parquet")}, place, **OTHER))
    (joint,) = [each for each in other.result.joint if each.run == one.result.run]
    assert joint.exact
    assert (joint.k, joint.groups, joint.rows_below) == by_hand(rows, one.to_pandas(), other.to_pandas(), 5)
