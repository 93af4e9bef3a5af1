"""Tables that take the place of others by their names: whatever fails leaves the old release, or the new one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import starcloak as sc
from starcloak.base.errors import OutputError, StatementError
from starcloak.releases.targets.swapped_table import SwappedTable
from starcloak.releases.targets.table import dimension_of
from starcloak.statements.statement import Name, Rows, Statement
from starcloak.store.databases.mariadb.database import MariaDB
from starcloak.store.session import Session
from tests.people import TYPES, Server, job, people
from tests.releases.publish.endings import failing, forms

COHORT, LEDGER = "select * from cohort", "select run from starcloak_releases where dimension_of is null"


@pytest.fixture(autouse=True)
def source(work: Path, mariadb: Server) -> Server:
    mariadb.fill("people", people(60), TYPES)
    return mariadb


def described(server: Server, k: int, **more: Any) -> dict[str, Any]:
    return job(server, k=k, output={"table": "cohort"}, insight="off", **more)


def test_a_release_that_is_out_though_its_run_failed_stays(mariadb: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    with failing(monkeypatch, SwappedTable, is_out=True):
        sc.run(described(mariadb, 2))
    assert forms() == ["publishing"] and mariadb.tables() == {"people", "cohort", "starcloak_releases"}
    ((out,),) = mariadb.rows(LEDGER)
    again = sc.run(described(mariadb, 4)).result  # which takes the place of a release
    assert [each.run for each in again.joint] == [out] and set(forms()) == {"recoding"}


def test_a_rename_that_is_done_though_it_failed_keeps_its_entry(
    mariadb: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the entry, the next run took the release for one that was never out, and joint k left it out."""
    sc.run(described(mariadb, 2))
    rename = SwappedTable._rename

    def fails(self: SwappedTable, renames: list[tuple[Name, Name]]) -> None:
        rename(self, renames)
        raise StatementError("releases/targets/swap", "", "InternalError 1026")

    with monkeypatch.context() as patched, pytest.raises(OutputError, match="InternalError 1026"):
        patched.setattr(SwappedTable, "_rename", fails)
        sc.run(described(mariadb, 4))
    entries = mariadb.rows(LEDGER)
    assert len(entries) == 2
    again = sc.run(described(mariadb, 5)).result
    assert {each.run for each in again.joint} == {run for (run,) in entries} and set(forms()) == {"recoding"}


def test_a_run_that_ends_as_it_has_entered_its_release_takes_the_entry_back(
    mariadb: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter = SwappedTable._enter

    def ends(self: SwappedTable, summary: Mapping[str, Any]) -> None:
        enter(self, summary)
        assert len(mariadb.rows(LEDGER)) == 2
        raise KeyboardInterrupt

    first = sc.run(described(mariadb, 2)).result
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(SwappedTable, "_enter", ends)
        sc.run(described(mariadb, 4))
    assert mariadb.rows(LEDGER) == [(first.run,)] and mariadb.tables() == {"people", "cohort", "starcloak_releases"}


def test_what_cannot_be_read_back_is_taken_back(mariadb: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    first = sc.run(described(mariadb, 2)).result
    before, digest = mariadb.rows(COHORT), SwappedTable._digest_of_table

    def fails(self: SwappedTable, session: Session) -> str | None:
        if self.may_be_out:
            raise RuntimeError
        return digest(self, session)

    with monkeypatch.context() as patched, pytest.raises(RuntimeError):
        patched.setattr(SwappedTable, "_digest_of_table", fails)
        sc.run(described(mariadb, 4))
    assert mariadb.tables() == {"people", "cohort", "starcloak_releases"}
    assert (mariadb.rows(COHORT), mariadb.rows(LEDGER)) == (before, [(first.run,)])
    assert [each.run for each in sc.run(described(mariadb, 5)).result.joint] == [first.run]


@pytest.mark.parametrize("place", ["cohort", dimension_of("cohort", "age")], ids=["release", "dimension table"])
def test_a_table_that_appears_during_the_run_is_left_alone(
    place: str, mariadb: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = SwappedTable._stage

    def meanwhile(self: SwappedTable, release: Statement) -> None:
        stage(self, release)
        mariadb.execute(f"create table {place} (work text)")

    with monkeypatch.context() as patched, pytest.raises(OutputError, match=f"^{place} in .* is there already"):
        patched.setattr(SwappedTable, "_stage", meanwhile)
        sc.run(described(mariadb, 4, keep_dimensions=True))
    assert mariadb.rows(f"select count(work) from {place}") == [(0,)]
    assert mariadb.tables() == {"people", place}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("nth", [1, 3, 4])
def test_a_run_that_ends_while_it_stages_a_table_leaves_none(
    nth: int, mariadb: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three dimension tables are staged, then the release."""
    perform, staged = MariaDB.perform, list[Rows]()

    def ends(self: MariaDB, statement: Rows, binds: Mapping[str, Any] | None = None) -> None:
        perform(self, statement, binds)
        if isinstance(statement, Statement) and statement.path == "releases/script#publish":
            staged.append(statement)
            if len(staged) == nth:
                raise OutputError("the run ends")

    with monkeypatch.context() as patched, pytest.raises(OutputError, match="the run ends"):
        patched.setattr(MariaDB, "perform", ends)
        sc.run(described(mariadb, 4, keep_dimensions=True))
    assert mariadb.tables() == {"people"}


def test_the_ledger_forgets_what_a_killed_run_did_not_publish(mariadb: Server, killed: Callable[..., None]) -> None:
    first = sc.run(described(mariadb, 2)).result
    killed(described(mariadb, 4), "entered")
    assert len(mariadb.rows(LEDGER)) == 2 and len(mariadb.tables()) == 4
    again = sc.run(described(mariadb, 5)).result
    assert {run for (run,) in mariadb.rows(LEDGER)} <= {first.run, again.run}
    assert mariadb.tables() == {"people", "cohort", "starcloak_releases"}


def test_a_reader_of_what_a_killed_run_left_is_told(
    mariadb: Server, killed: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    killed(described(mariadb, 2), "entered")
    (left,) = mariadb.tables() - {"people", "starcloak_releases"}
    monkeypatch.setattr("starcloak.store.databases.mariadb.database.PATIENCE", 1)
    with mariadb.engine().connect() as reader:
        reader.exec_driver_sql(f"select count(*) from {mariadb.quoted(left)}")
        with pytest.raises(
            OutputError, match=r"another session of .* has locked a table for longer than this run waits"
        ):
            sc.run(described(mariadb, 4))
    sc.run(described(mariadb, 4))
    assert mariadb.tables() == {"people", "cohort", "starcloak_releases"}
