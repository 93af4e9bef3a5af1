"""A changed source released again with ``departures: hold``: what went is shown until k can go together."""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest

import starcloak as sc
from starcloak.base.errors import JobError, VerificationError
from starcloak.commands import pipeline
from starcloak.companions.refresh.identities import Rows
from starcloak.statements.statement import Statement
from tests.companions.test_refresh import QUASI, Table, groups, job, released, told

pytestmark = pytest.mark.usefixtures("work")


def holding(**more: Any) -> dict[str, Any]:
    return job(departures="hold", **more)


def change(table: Table, count: int) -> None:
    """Some people move: their rows have the same number and other quasi-identifiers."""
    table.random.shuffle(table.rows)
    for row in table.rows[:count]:
        row["age"] = str(table.random.randrange(20, 60))
        row["zip"] = str(table.random.randrange(10, 14))


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 4))])
def test_whoever_has_all_releases_finds_groups_of_k_or_more_whatever_rows_do(seed: int) -> None:
    table = Table(seed)
    table.come(90)
    nights: list[dict[str, tuple[str, ...]]] = []
    held = left = 0
    for _ in range(12):
        table.write()
        release = sc.run(holding())
        nights.append(released())
        there = {row["id"]: row for row in table.rows}
        assert len(nights[-1]) == release.result.released_rows == len(pandas.read_csv("a.csv"))
        assert release.k is not None and release.k >= 3
        if len(nights) > 1:
            before, now = nights[-2:]
            assert min(groups(before, now).values()) >= 3
            assert all(now[person] == cells for person, cells in before.items() if person in now)
            assert told(release).gone == len(before.keys() - now.keys())
            assert told(release).held >= len(now.keys() - there.keys())
            assert release.result.rows == len(table.rows) + told(release).held
            held, left = max(held, told(release).held), left + told(release).gone
        table.go(9)
        table.come(8)
        change(table, 3)
    everybody = set().union(*nights)
    together = Counter(tuple(night.get(person) for night in nights) for person in everybody)
    assert min(together.values()) >= 3
    assert held and left


def test_a_row_is_held_until_k_of_its_class_or_all_can_go_with_it() -> None:
    rows = [{"age": "20", "zip": "10", "sex": "f", "id": str(number)} for number in range(7)]
    sizes = []
    for there in (7, 6, 5, 4, 3, 2, 0):
        pandas.DataFrame([*rows[:there], *({**rows[0], "age": "55", "id": f"m{n}"} for n in range(4))]).to_csv(
            "people.csv", index=False
        )
        release = sc.run(holding())
        held, gone = (told(release).held, told(release).gone) if sizes else (0, 0)
        sizes.append((sum(cells[0] == "20" for cells in released().values()), held, gone))
    # Three go together as soon as there are three; with two of four left, no three can; in the end, all do.
    assert sizes == [(7, 0, 0), (7, 1, 0), (7, 2, 0), (4, 0, 3), (4, 1, 0), (4, 2, 0), (0, 0, 4)]


def test_of_those_who_went_as_many_are_held_as_the_others_need() -> None:
    rows = [{"age": "20", "zip": "10", "sex": "f", "id": str(number)} for number in range(7)]
    others = [{**rows[0], "age": "55", "id": f"m{number}"} for number in range(3)]
    pandas.DataFrame([*rows, *others]).to_csv("people.csv", index=False)
    sc.run(holding())
    pandas.DataFrame([rows[3], *others]).to_csv("people.csv", index=False)
    release = sc.run(holding())
    assert (told(release).gone, told(release).held, len(released())) == (4, 2, 6)
    assert "3" in released()


def test_rows_alike_in_every_cell_stay_the_same_ones_after_some_of_them_went() -> None:
    row = {"age": "20", "zip": "10", "sex": "f", "id": "x"}
    found = []
    for there in (9, 5, 8, 4):
        pandas.DataFrame([row] * there).to_csv("people.csv", index=False)
        release = sc.run(holding())
        shown = len(pandas.read_csv("a.csv"))
        found.append((shown, *((told(release).held, told(release).gone) if len(found) else (0, 0))))
    # Of the last four that went, three came together; one of the five that were there first waits for others.
    assert found == [(9, 0, 0), (5, 0, 4), (8, 0, 0), (5, 1, 3)]


def test_what_is_held_reads_as_it_did_missing_cells_and_types_and_all(work: Path) -> None:
    with duckdb.connect(str(work / "clinic.duckdb")) as connection:
        connection.execute(
            "create table people as select 20 + n % 2 as age, case when n % 5 > 0 then 'a''\"b' end as row, "
            "case when n > 0 then n / 4.0 else '-0.0'::double end as dose, date '2024-02-29' + n::integer as day "
            "from range(8) as numbers(n)"
        )
    asked = {
        "source": {"url": f"duckdb:///{work}/clinic.duckdb", "table": "people"},
        "quasi_identifiers": {"age": {"intervals": [10]}},
        "keep": ["row", "dose", "day"],
        "requirement": {"k": 3},
        "algorithm": {"name": "sweep"},
        "output": {"path": "a.parquet"},
        "insight": "off",
        "refresh": True,
        "departures": "hold",
    }
    sc.run(asked)
    before = sorted(duckdb.sql("select columns(*)::varchar from 'a.parquet'").fetchall(), key=str)
    with duckdb.connect(str(work / "clinic.duckdb")) as connection:
        connection.execute("delete from people where dose = 0 or day = '2024-03-05'")
    release = sc.run(asked)
    assert (told(release).held, told(release).stayed) == (2, 8)
    assert sorted(duckdb.sql("select columns(*)::varchar from 'a.parquet'").fetchall(), key=str) == before
    with pytest.raises(JobError, match="SQL on the source cannot make it"):
        release.sql()


def test_another_version_of_a_row_that_is_held_waits_and_does_so_after_it_went() -> None:
    rows = [{"age": "20", "zip": "10", "sex": "f", "id": str(number)} for number in range(6)]
    pandas.DataFrame(rows).to_csv("people.csv", index=False)
    sc.run(holding())
    for moved in (1, 3, 3):
        changed = [{**row, "age": "55"} for row in rows[:moved]]
        others = [{**rows[0], "age": "55", "id": f"{moved} new {number}"} for number in range(3)]
        pandas.DataFrame([*changed, *others, *rows[moved:]]).to_csv("people.csv", index=False)
        release = sc.run(holding(), force=True)
        assert told(release).waiting == moved
        shown = released()
        assert all(shown.get(row["id"], ("20",))[QUASI.index("age")] == "20" for row in rows)
    assert sorted(person for person in shown if len(person) == 1) == ["3", "4", "5"]


def test_rows_like_others_none_of_which_ever_went_come_at_once() -> None:
    """Their kept cell is one that fewer than k have: it would tell who changed, had one of them gone before."""
    rows = [{"age": "20", "zip": "10", "sex": "f", "id": str(number)} for number in range(7)]
    for night in (rows, rows, [*rows, *({**row, "age": "55"} for row in rows[:3])]):
        pandas.DataFrame(night).to_csv("people.csv", index=False)
        release = sc.run(holding(), force=True)
    assert (told(release).new, told(release).waiting, release.result.released_rows) == (3, 0, 10)


def test_rows_by_which_nobody_is_known_come_while_others_are_held() -> None:
    """Without a kept column, rows that are alike in their tuple are one to everybody."""
    rows = [{"age": "20", "zip": "10", "sex": "f"}] * 5
    pandas.DataFrame(rows).to_csv("people.csv", index=False)
    sc.run(holding(keep=[]))
    pandas.DataFrame([*rows[:4], *([{**rows[0], "age": "55"}] * 3)]).to_csv("people.csv", index=False)
    release = sc.run(holding(keep=[]))
    assert (told(release).held, told(release).new, told(release).waiting) == (1, 3, 0)
    assert len(pandas.read_csv("a.csv")) == 8


@pytest.mark.parametrize(("notes", "there", "come"), [("uuwww", "uwww", "uuu"), ("wwwuu", "wuu", "wxy")])
def test_rows_come_with_a_kept_cell_that_k_share_now_or_before(notes: str, there: str, come: str) -> None:
    """A row with that cell is held: it is none that they would be taken for."""
    row = {"age": "20", "zip": "10", "sex": "f"}
    for night in ([(note, "20") for note in notes], [*((note, "20") for note in there), *((n, "55") for n in come)]):
        pandas.DataFrame([{**row, "age": age, "note": note} for note, age in night]).to_csv("people.csv", index=False)
        release = sc.run(holding(keep=["note"]))
    assert (told(release).held, told(release).new) == (len(notes) - len(there), 3)


def test_what_is_held_goes_when_it_is_told_again_and_is_not_there_to_be_held_after() -> None:
    rows = [{"age": "20", "zip": "10", "sex": "f", "id": str(number)} for number in range(6)]
    pandas.DataFrame(rows).to_csv("people.csv", index=False)
    sc.run(holding())
    pandas.DataFrame(rows[1:]).to_csv("people.csv", index=False)
    assert told(sc.run(holding())).held == 1
    telling = sc.run(job())
    assert (told(telling).gone, told(telling).held, telling.result.released_rows) == (1, 0, 5)
    with pytest.raises(JobError, match="hold is not possible after a release without it"):
        sc.run(holding())


def test_a_larger_k_is_refused_where_fewer_rows_came_together_though_their_class_has_as_many() -> None:
    rows = [{"age": "20", "zip": "10", "sex": "f", "id": str(number)} for number in range(6)]
    for there in (3, 6):
        pandas.DataFrame(rows[:there]).to_csv("people.csv", index=False)
        release = sc.run(holding())
    assert release.k == 6
    with pytest.raises(JobError, match="fewer than k = 6 rows have the same rows"):
        sc.run(holding(requirement={"k": 6}))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"refresh": False}, "write refresh: true"),
        ({"departures": "keep"}, "departures"),
    ],
)
def test_what_cannot_be_held_is_refused(more: dict[str, Any], problem: str) -> None:
    rows = [{"age": "20", "zip": "10", "sex": "f", "id": str(number)} for number in range(5)]
    pandas.DataFrame(rows).to_csv("people.csv", index=False)
    sc.run(holding())
    before = Path("a.csv").read_bytes()
    pandas.DataFrame(rows * 2).to_csv("people.csv", index=False)
    with pytest.raises(JobError, match=problem):
        sc.run({**holding(), **more})
    assert Path("a.csv").read_bytes() == before


def test_a_frame_has_no_rows_that_it_lacks() -> None:
    frame = pandas.DataFrame([{"age": "20", "zip": "10", "sex": "f", "id": str(number)} for number in range(6)])
    asked = {key: value for key, value in holding().items() if key != "source"}
    with pytest.raises(JobError, match="data frame"):
        sc.run(asked, frame=frame)


def test_the_verifier_counts_again_who_went(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that lets rows go as they please is refused, and what stands stays."""
    rows = [{"age": "20", "zip": "10", "sex": "f", "id": str(number)} for number in range(7)]
    pandas.DataFrame(rows).to_csv("people.csv", index=False)
    sc.run(holding())
    before = Path("a.csv").read_bytes()
    pandas.DataFrame(rows[1:]).to_csv("people.csv", index=False)
    monkeypatch.setattr(Rows, "going", Statement.of_text("as_they_please", "case when $k > 0 then absent end"))
    with pytest.raises(VerificationError, match="of an earlier class, fewer than k") as refused:
        sc.run(holding())
    assert refused.value.clause == "departures"
    assert Path("a.csv").read_bytes() == before


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("moved", "nights"), [(1, 1), (3, 2)])
def test_the_verifier_knows_rows_again_by_all_of_their_kept_cells(
    moved: int, nights: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search that takes another version of a row that is held, or goes, is refused."""
    rows = [{"age": "20", "zip": "10", "sex": "f", "id": str(number)} for number in range(6)]
    pandas.DataFrame(rows).to_csv("people.csv", index=False)
    sc.run(holding())
    before = Path("a.csv").read_bytes()
    changed = [{**row, "age": "55"} for row in rows[:moved]]
    others = [{**rows[0], "age": "55", "id": f"new {number}"} for number in range(3)]
    pandas.DataFrame([*changed, *others, *rows[moved:]]).to_csv("people.csv", index=False)
    for _ in range(nights):  # one is held; or three go, and are gone in the second night
        with monkeypatch.context() as patched:
            patched.setattr(Rows, "pool", lambda self, rows: (rows, {}))
            with pytest.raises(VerificationError, match="is held has other cells than before") as refused:
                pipeline.run(holding(), force=True)
        assert refused.value.clause == "departures"
        assert Path("a.csv").read_bytes() == before
        assert told(pipeline.run(holding(), force=True)).waiting == moved
        before = Path("a.csv").read_bytes()


def test_a_row_is_known_again_by_one_kept_cell_that_few_share_though_another_changed() -> None:
    rows = [{"age": "20", "zip": "10", "sex": "f", "id": str(number), "note": "u"} for number in range(6)]
    pandas.DataFrame(rows).to_csv("people.csv", index=False)
    asked = holding(keep=["id", "note"])
    sc.run(asked)
    others = [{**rows[0], "age": "55", "id": f"new {number}"} for number in range(3)]
    # The first moves, and another note is taken of it: it is held, and then away; its number would tell who it is.
    for moved in (1, 3, 3):
        changed = [{**row, "age": "55", "note": "v"} for row in rows[:moved]]
        pandas.DataFrame([*changed, *others, *rows[moved:]]).to_csv("people.csv", index=False)
        release = sc.run(asked, force=True)
        assert told(release).waiting == moved
        shown = released()
        assert all(shown.get(row["id"], ("20",))[QUASI.index("age")] == "20" for row in rows)
        assert {"new 0", "new 1", "new 2"} <= shown.keys()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("output", [{"path": "a.csv"}, {"url": "duckdb:///a.duckdb", "table": "a"}], ids=str)
def test_a_night_of_which_nothing_was_kept_is_not_taken_for_the_night_before(
    output: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a run shows that ends between its release and its manifest is known to others, and not to the next run."""
    rows = [{"age": "20", "zip": "10", "sex": "f", "id": str(number)} for number in range(6)]
    pandas.DataFrame(rows).to_csv("people.csv", index=False)
    sc.run(holding(output=output))
    pandas.DataFrame(rows * 2).assign(id=range(12)).to_csv("people.csv", index=False)
    with monkeypatch.context() as patched:
        patched.setattr("starcloak.releases.manifest.write", lambda *_: None)
        patched.setattr("starcloak.releases.recodings.registration.registered", lambda *_, **more: nullcontext())
        sc.run(holding(output=output))
    pandas.DataFrame(rows[1:]).to_csv("people.csv", index=False)
    with pytest.raises(JobError, match="only the rows of an older release are saved on this machine"):
        sc.run(holding(output=output))
    assert sc.run({**holding(output=output), "refresh": False, "departures": "tell"}).result.released_rows == 5


def test_identifiers_of_held_rows_are_said_not_to_be_counted(work: Path) -> None:
    visits = pandas.DataFrame([(f"P{row // 4}", f"{20 + row // 12}", "10") for row in range(48)])
    visits.columns = pandas.Index(["pid", "age", "zip"])
    described = {
        "source": {"path": "visits.csv"},
        "identifiers": ["pid"],
        "quasi_identifiers": {"age": "suppress", "zip": "suppress"},
        "requirement": {"k": 5},
        "output": {"path": "out.csv"},
        "algorithm": "sweep",
        "refresh": True,
        "departures": "hold",
    }
    for night, last in enumerate((48, 47)):
        visits[:last].to_csv("visits.csv", index=False)
        result = sc.run(described).result
        (warning,) = (each for each in result.warnings if "values of identifier 'pid' repeat" in each)
        assert ("not counted" in warning) == bool(night) and bool(result.by_identifier) != bool(night)
