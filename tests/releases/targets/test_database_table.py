"""Releases in databases with transactions, tried in SQLite."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import starcloak as sc
from starcloak.base.errors import OutputError
from starcloak.store.databases.database import Lost
from starcloak.store.databases.sqlite.database import SQLite

URL = "sqlite:///clinic.sqlite"


def execute(*statements: str) -> list[tuple[Any, ...]]:
    """Run statements in the file; returns the rows of the last one."""
    rows: list[tuple[Any, ...]] = []
    with closing(sqlite3.connect("clinic.sqlite")) as connection:
        for statement in statements:
            rows = connection.execute(statement).fetchall()
        connection.commit()
    return rows


def tables() -> set[str]:
    return {name for (name,) in execute("select name from sqlite_master where type = 'table'")}


@pytest.fixture(autouse=True)
def clinic(work: Path) -> None:
    values = "values ('1', 'a'), ('1', 'b'), ('2', 'c'), ('2', 'd')"
    execute("create table people (zip text, kept text)", f"insert into people {values}")
    Path("people.csv").write_text("zip,kept\n1,a\n1,b\n2,c\n2,d\n")


def job(source: str = "table", **more: Any) -> dict[str, Any]:
    sources = {"table": {"url": URL, "table": "people"}, "file": {"path": "people.csv"}}
    described = {"quasi_identifiers": {"zip": "suppress"}, "keep": ["kept"], "requirement": {"k": 2}}
    return {"source": sources[source], "output": {"url": URL, "table": "cohort"}, **described, **more}


@pytest.mark.parametrize("source", ["table", "file"])
def test_a_release_leaves_its_table_its_dimensions_and_the_ledger(source: str) -> None:
    for seed in (1, 2):
        result = sc.run(job(source, keep_dimensions=True, seed=seed), force=True).result
        assert result.released_rows == 4 and not result.warnings[1:]
        assert tables() == {"people", "cohort", "cohort_dim_zip", "starcloak_releases"}
        assert execute("select zip, kept from cohort order by kept") == execute("select * from people order by kept")
        assert len(execute("select * from cohort_dim_zip")) == 2
    assert execute("select count(*) from starcloak_releases") == [(4,)]
    sc.run(job(source, seed=3), force=True)
    assert execute("select count(*) from starcloak_releases") == [(5,)]


def test_a_table_with_the_name_of_a_dimension_table_is_refused_before_a_row_is_read() -> None:
    execute("create table cohort_dim_zip (own integer)", "insert into cohort_dim_zip values (7)")
    stages = list[str]()
    resources = sc.Resources(progress=lambda stage: stages.append(stage.split()[0]))
    with pytest.raises(OutputError, match=r"cohort_dim_zip in .* is there already and is not a release"):
        sc.run(job(keep_dimensions=True), resources=resources)
    assert "compress" not in stages and execute("select * from cohort_dim_zip") == [(7,)]


def test_a_script_refuses_a_table_with_the_name_of_the_ledger() -> None:
    script = sc.compile(job())
    execute("create table starcloak_releases (own integer)")
    with closing(sqlite3.connect("clinic.sqlite")) as connection, pytest.raises(sqlite3.Error):
        connection.executescript(script)
    assert tables() == {"people", "starcloak_releases"}
    execute("drop table starcloak_releases")
    with closing(sqlite3.connect("clinic.sqlite")) as connection:
        connection.executescript(script)
    assert tables() == {"people", "cohort", "starcloak_releases"}
    assert execute("select count(*) from cohort") == [(4,)]


@pytest.mark.parametrize("source", ["table", "file"])
def test_a_release_to_another_table_warns_of_the_one_before(source: str) -> None:
    assert not any("was released before" in warning for warning in sc.run(job(source)).result.warnings)
    second = sc.run(job(source, output={"url": URL, "table": "second"})).result
    assert any("was released before, by another job or to another table" in warning for warning in second.warnings)


def test_a_place_that_another_run_has_locked_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SQLite, "lock", lambda *_: False)
    with pytest.raises(OutputError, match=r"another run is writing cohort in .*clinic.sqlite: wait until it is done"):
        sc.run(job())
    assert tables() == {"people"}


def test_waits_for_locks_are_limited_before_the_rows_are_staged(monkeypatch: pytest.MonkeyPatch) -> None:
    limited = list[set[str]]()
    monkeypatch.setattr(SQLite, "hurry", lambda *_: limited.append(tables()))
    sc.run(job())
    assert limited == [{"people"}] and "cohort" in tables()


@pytest.mark.parametrize("done", [False, True])
def test_a_connection_lost_in_the_last_step_leaves_a_doubt_only_if_it_may_be_done(
    done: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = SQLite.commit

    def loses(self: SQLite) -> None:
        if done:
            commit(self)
        raise Lost("the connection was lost")

    told = "^cohort in .*clinic.sqlite may be published already: the connection" if done else "^the connection was lost"
    with monkeypatch.context() as patched, pytest.raises(Lost, match=told):
        patched.setattr(SQLite, "commit", loses)
        sc.run(job())
    assert ("cohort" in tables()) is done


@pytest.mark.parametrize(
    ("before", "after", "warned"), [([], [], False), (["reader"], ["reader"], False), (["reader"], [], True)]
)
def test_lost_grants_are_warned_of(
    before: list[str], after: list[str], warned: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    sc.run(job())
    rights = iter([before, after])
    monkeypatch.setattr(SQLite, "rights", lambda *_: next(rights))
    result = sc.run(job(keep=[], identifiers=["kept"]), force=True).result
    assert any("without the old grants" in warning for warning in result.warnings) is warned
