"""A changed source released again: what was shown stays as it was, new rows come by k or wait."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas
import pytest

import starcloak as sc
from starcloak.base.errors import HierarchyError, JobError
from starcloak.job.result import Refreshing
from starcloak.releases import state
from starcloak.releases.recodings import saved_recodings
from starcloak.releases.state import SavedTable
from tests.daily import some_daily

pytestmark = pytest.mark.usefixtures("work")

QUASI = ["age", "zip", "sex"]


class Table:
    """People who come and go, each with a number that no release may depend on but by keeping it."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.rows: list[dict[str, str]] = []
        self.number = 0

    def come(self, count: int) -> None:
        for _ in range(count):
            self.number += 1
            age, place = self.random.randrange(20, 60), self.random.randrange(10, 14)
            row = {"age": str(age), "zip": str(place), "sex": self.random.choice("fm"), "id": str(self.number)}
            self.rows.append(row)

    def go(self, count: int) -> None:
        self.random.shuffle(self.rows)
        del self.rows[:count]

    def write(self) -> None:
        self.random.shuffle(self.rows)
        pandas.DataFrame(self.rows).to_csv("people.csv", index=False)


def job(**more: Any) -> dict[str, Any]:
    return {
        "source": {"path": "people.csv"},
        "quasi_identifiers": {"age": {"intervals": [5, 10, 20]}, "zip": {"digits": 2}, "sex": "suppress"},
        "keep": ["id"],
        "requirement": {"k": 3},
        "algorithm": {"name": "sweep"},
        "output": {"path": "a.csv"},
        "insight": "off",
        "refresh": True,
        **more,
    }


def released() -> dict[str, tuple[str, ...]]:
    """What each person's row reads in the release that is there."""
    frame = pandas.read_csv("a.csv", dtype=str)
    return {row["id"]: tuple(row[name] for name in QUASI) for row in frame.to_dict("records")}


def groups(before: dict[str, tuple[str, ...]], after: dict[str, tuple[str, ...]]) -> Counter[Any]:
    return Counter((before.get(person), after.get(person)) for person in {*before, *after})


def told(release: sc.Release) -> Refreshing:
    assert release.result.refresh is not None
    return release.result.refresh


@pytest.mark.parametrize("seed", some_daily(range(3), each=3))
def test_whoever_has_all_releases_finds_groups_of_k_or_more_where_rows_only_come(seed: int) -> None:
    table = Table(seed)
    table.come(80)
    nights: list[dict[str, tuple[str, ...]]] = []
    waited = 0
    for _ in range(7):
        table.write()
        release = sc.run(job())
        nights.append(released())
        assert release.k is not None and release.k >= 3
        assert told(release).waiting == len(table.rows) - len(nights[-1]) == release.result.suppressed_rows
        assert told(release).gone == 0
        for earlier in nights[:-1]:
            assert min(groups(earlier, nights[-1]).values()) >= 3
            assert all(nights[-1][person] == cells for person, cells in earlier.items())
        # What is told of the tuples is what is so of the rows.
        assert [each.k for each in release.result.joint] == [
            min(groups(earlier, nights[-1]).values()) for earlier in reversed(nights[:-1])
        ]
        waited = max(waited, told(release).waiting)
        table.come(9)
    together = Counter(tuple(night.get(person) for night in nights) for person in nights[-1])
    assert min(together.values()) >= 3
    assert waited


def test_rows_that_go_are_told_and_what_is_left_of_a_small_class_finds_another() -> None:
    table = Table(7)
    table.come(80)
    table.write()
    sc.run(job())
    before = released()
    for _ in range(4):
        table.go(6)
        table.come(6)
        table.write()
        release = sc.run(job())
        after = released()
        assert release.k is not None and release.k >= 3
        # A row of a class that fell apart may come back to where it was: that is told as gone, and as new.
        assert told(release).stayed <= sum(after.get(person) == cells for person, cells in before.items())
        assert told(release).stayed + told(release).gone == len(before)
        sizes = Counter(before[person] for person in before if person in {row["id"] for row in table.rows})
        for person, cells in before.items():
            if sizes[cells] >= 3 and person in after:
                assert after[person] == cells
        before = after
    assert any(warning.startswith("a reader who also has ") for warning in release.result.warnings)


@pytest.mark.parametrize(("departures", "advice"), [("tell", "departures: hold"), ("hold", "")])
def test_a_refresh_that_suppresses_more_than_a_tenth_of_the_rows_warns(departures: str, advice: str) -> None:
    table = Table(7)
    table.come(60)
    table.write()
    few = sc.run(job(departures=departures))
    table.rows = table.rows[::4]
    table.write()
    many = sc.run(job(departures=departures))
    waiting = {release.result.run: told(release).waiting for release in (few, many)}
    for release in (few, many):
        words = f"the refresh suppresses {waiting[release.result.run]} of "
        said = [warning for warning in release.result.warnings if warning.startswith("the refresh suppresses")]
        assert bool(said) == (10 * waiting[release.result.run] > release.result.rows)
        assert all(warning.startswith(words) and advice in warning for warning in said)
    assert (10 * waiting[many.result.run] > many.result.rows) == (departures == "tell")


def test_rows_that_are_alike_in_all_that_is_released_are_one_to_everybody() -> None:
    rows = [{"age": "20", "zip": "10", "sex": "f", "id": "x"}] * 4
    rows += [{"age": "55", "zip": "13", "sex": "m", "id": "y"}] * 3
    pandas.DataFrame(rows).to_csv("people.csv", index=False)
    sc.run(job())
    pandas.DataFrame([*rows, rows[0], rows[0]]).to_csv("people.csv", index=False)
    release = sc.run(job())
    assert (told(release).stayed, told(release).new, told(release).waiting) == (7, 0, 2)
    pandas.DataFrame([*rows, rows[0], rows[0], rows[0]]).to_csv("people.csv", index=False)
    release = sc.run(job())
    assert (told(release).stayed, told(release).new, told(release).waiting) == (7, 3, 0)
    assert len(pandas.read_csv("a.csv")) == 10


def test_of_rows_alike_those_shown_first_stay_after_another_class_of_theirs_is_dissolved() -> None:
    """Their numbers are those of the nights after: of two alike, one goes, and it is the one that came last."""
    asked = job(keep=[], algorithm={"name": "sweep", "dearest": 0.9})
    row, found = {"age": "20", "zip": "10", "sex": "f"}, []
    first, second = {**row, "age": "21"}, {**row, "zip": "11"}
    third = {**row, "age": "24"}
    for night in (
        [row, first, first],
        [row, first, first, row, second, second],
        [row, row, second, second, third, third],
        [row, second, second, third, third],
    ):
        pandas.DataFrame(night).to_csv("people.csv", index=False)
        release = sc.run(asked)
        found.append((told(release).stayed, told(release).new, told(release).waiting))
    assert found == [(0, 3, 0), (3, 3, 0), (3, 3, 0), (3, 0, 2)]


def test_a_changed_kept_cell_is_a_row_that_goes_and_one_that_comes() -> None:
    rows = [{"age": "20", "zip": "10", "sex": "f", "id": str(number)} for number in range(6)]
    pandas.DataFrame(rows).to_csv("people.csv", index=False)
    sc.run(job())
    rows[0] = {**rows[0], "id": "other"}
    pandas.DataFrame(rows).to_csv("people.csv", index=False)
    release = sc.run(job())
    assert (told(release).stayed, told(release).gone, told(release).waiting) == (5, 1, 1)
    assert sorted(released()) == ["1", "2", "3", "4", "5"]


@pytest.mark.parametrize("person", [{}, {"person": {"column": "whose", "as": "set"}}], ids=["rows", "persons"])
@pytest.mark.parametrize("departures", ["tell", "hold"])
def test_rows_are_recognized_after_the_columns_of_the_source_changed_their_order(
    departures: str, person: dict[str, Any]
) -> None:
    table = Table(3)
    table.come(40)
    asked = job(keep=["id", "note", "at"], departures=departures, **person)
    rows = [{**row, "note": f"n{row['id']}", "at": f"a{row['id']}"} for row in table.rows]
    if person:
        rows = [{**row, "whose": f"p{row['id']}"} for row in rows]
    pandas.DataFrame(rows).to_csv("people.csv", index=False)
    sc.run(asked)
    before = released()
    for columns in (list(rows[0])[::-1], list(rows[0]), list(rows[0])[::-1]):
        (gone, *rows) = rows  # the release has to change
        pandas.DataFrame(rows)[columns].to_csv("people.csv", index=False)
        counts, after = told(sc.run(asked)), released()
        if departures == "hold":
            assert (counts.stayed, counts.gone) == (len(before), 0) and gone["id"] in after
        # Of a class with a row that goes, up to five persons leave: three, or all if fewer than three would remain.
        assert counts.stayed >= len(before) - 5 and counts.new <= 5
        assert sum(after.get(row) == cells for row, cells in before.items()) >= len(before) - 5
        frame = pandas.read_csv("a.csv", dtype=str)
        assert (frame["note"] == "n" + frame["id"]).all() and (frame["at"] == "a" + frame["id"]).all()
        before = after


@pytest.mark.parametrize("departures", ["tell", "hold"])
@pytest.mark.parametrize("keep", [["id", "note"], []])
def test_other_kept_columns_than_those_of_the_last_release_are_refused(departures: str, keep: list[str]) -> None:
    table = Table(3)
    table.come(40)
    table.rows = [{**row, "note": row["id"]} for row in table.rows]
    table.write()
    asked = job(others="identifiers", departures=departures)
    sc.run(asked)
    with pytest.raises(JobError, match="other columns than this job: name the same columns, or start again"):
        sc.run({**asked, "keep": keep})
    assert told(sc.run({**asked, "keep": keep, "refresh": "first"})).stayed == 0


def test_without_a_change_nothing_is_done() -> None:
    table = Table(1)
    table.come(40)
    table.write()
    sc.run(job())
    table.write()
    assert sc.run(job()).result.unchanged


@pytest.mark.parametrize(
    ("more", "asked"),
    [
        ({"algorithm": {"name": "witness"}}, "algorithm witness"),
        (
            {"requirement": {"qids": [{"attributes": [name], "k": 3} for name in ("age", "zip", "sex")]}},
            "requirement.qids",
        ),
        (
            {"sensitive": ["id"], "keep": [], "requirement": {"k": 3, "l_diversity": [{"attribute": "id", "l": 2}]}},
            "requirement.l_diversity",
        ),
    ],
)
def test_a_refresh_is_refused_where_it_is_not_known_to_be_safe(more: dict[str, Any], asked: str) -> None:
    table = Table(1)
    table.come(20)
    table.write()
    with pytest.raises(
        JobError,
        match=f"refresh does not support {asked}: write algorithm: {{name: sweep}} with k as the only requirement, ",
    ):
        sc.run(job(**more))
    with pytest.raises(JobError, match="a release in memory"):
        sc.run(job(output=None))


@pytest.mark.parametrize(("person", "named"), [("id", "id"), (["id", "zip"], "[id, zip]")], ids=["one", "several"])
def test_a_refresh_by_rows_of_persons_is_refused_and_nobody_is_told_to_count_rows_instead(
    person: Any, named: str
) -> None:
    with pytest.raises(JobError, match=r"refresh with person .* leave refresh out and .* under against$") as refused:
        sc.run(job(person=person, keep=[], quasi_identifiers={"age": "suppress", "sex": "suppress"}))
    assert f"write person: {{column: {named}, as: set}}" in str(refused.value) and "only requirement" not in str(
        refused.value
    )


def test_a_hierarchy_that_changed_is_no_refresh() -> None:
    table = Table(1)
    table.come(40)
    table.write()
    sc.run(job())
    other = {"age": {"intervals": [4, 8, 16]}, "zip": {"digits": 2}, "sex": "suppress"}
    table.come(1)
    table.write()
    with pytest.raises(HierarchyError, match="start again"):
        sc.run(job(quasi_identifiers=other))
    important = {"age": {"intervals": [5, 10, 20], "importance": 9}, "zip": {"digits": 2}, "sex": "suppress"}
    again = sc.run(job(quasi_identifiers=important))
    assert (told(again).stayed, again.result.unchanged, again.result.importance) == (40, False, {"age": 9})
    afresh = sc.run(job(quasi_identifiers=other, refresh=False))
    assert afresh.result.refresh is None
    table.come(1)
    table.write()
    with pytest.raises(JobError, match=r"it was released without refresh\): start again with"):
        sc.run(job(quasi_identifiers=other))
    assert told(sc.run(job(quasi_identifiers=other, refresh="first"))).stayed == 0
    assert sc.run(job(quasi_identifiers=other)).result.unchanged


def test_a_night_that_is_not_known_is_not_passed_over() -> None:
    table = Table(5)
    table.come(60)
    for _ in range(2):
        table.write()
        sc.run(job())
        table.come(20)
    table.write()
    kept = saved_recodings.read(saved_recodings.every()[0])
    assert kept is not None
    saved_recodings.write(state.folder(), replace(kept, shown=SavedTable.empty()))  # as another version would keep it
    with pytest.raises(JobError, match="its recoding cannot be read"):
        sc.run(job())
    saved_recodings.forget(kept.about)
    with pytest.raises(JobError, match="its recoding was forgotten"):
        sc.run(job())
    assert told(sc.run(job(refresh="first"))).stayed == 0
    table.come(5)
    table.write()
    assert told(sc.run(job())).stayed > 0


def test_the_script_of_a_refresh_makes_its_rows() -> None:
    import duckdb

    table = Table(3)
    table.come(60)
    table.write()
    sc.run(job())
    table.come(30)
    table.write()
    release = sc.run(job())
    made = Path("a.csv").read_bytes()
    Path("a.csv").unlink()
    with duckdb.connect() as connection:
        connection.execute(release.sql())
    assert sorted(Path("a.csv").read_bytes().splitlines()) == sorted(made.splitlines())


def test_a_first_refresh_leaves_out_no_more_than_the_job_allows() -> None:
    """Rows that would lose more than ``dearest`` stay in it, where none may be left out."""
    table = Table(1)
    table.come(40)
    table.write()
    asked = job(algorithm={"name": "sweep", "dearest": 0.1})
    release = sc.run(asked)
    assert (told(release).waiting, release.result.released_rows) == (0, 40)
    assert release.result.measures.loss > 0.2
