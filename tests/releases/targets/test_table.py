"""Releases in tables: which source they would replace, which names they can have, and what their ledger says."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

import starcloak as sc
from starcloak.base.errors import OutputError, StatementError
from starcloak.job import Place, load
from starcloak.releases.recodings import saved_recodings
from starcloak.releases.targets.registry import target
from starcloak.releases.targets.table import TableTarget, dimension_of
from starcloak.store.databases.sqlite.database import SQLite
from starcloak.store.session import Session

CLINIC = "postgresql://owner@127.0.0.1/clinic"
OTHER = "duckdb:///other.duckdb"


def job(source: dict[str, Any], output: dict[str, Any], **more: Any) -> dict[str, Any]:
    described = {"quasi_identifiers": {"zip": "suppress"}, "requirement": {"k": 2}}
    return {"source": source, "output": output, **described, **more}


def table(name: str, url: str = CLINIC) -> TableTarget:
    found = target(load(job({"path": "people.csv"}, {"url": url, "table": name})))
    assert isinstance(found, TableTarget)
    return found


@pytest.mark.parametrize(
    ("place", "may_be"),
    [
        ({"url": CLINIC, "table": "people"}, True),
        ({"url": CLINIC, "table": "ward.people"}, True),
        ({"url": CLINIC, "table": "other.people"}, False),
        ({"url": CLINIC, "table": "visits"}, False),
        ({"url": CLINIC.replace("clinic", "archive"), "table": "ward.people"}, False),
        ({"url": "mysql+pymysql://owner@127.0.0.1/clinic", "table": "ward.people"}, False),
        ({"url": CLINIC, "query": "select * from people"}, False),
        ({"path": "people.csv"}, False),
    ],
)
def test_a_table_of_the_same_name_in_the_same_database_may_be_the_source(place: dict[str, Any], may_be: bool) -> None:
    assert table("ward.people").may_be(Place.model_validate(place)) is may_be
    assert not table("ward.people").may_be(None)


@pytest.fixture
def files(work: Path) -> None:
    Path("people.csv").write_text("zip\n1\n1\n2\n2\n")
    Path("visits.csv").write_text("zip\n10\n10\n20\n20\n")


@pytest.mark.usefixtures("files")
def test_names_of_own_tables_are_reserved() -> None:
    with pytest.raises(OutputError, match="'starcloak_cohort' begins with starcloak_, which is reserved"):
        sc.run(job({"path": "people.csv"}, {"url": OTHER, "table": "starcloak_cohort"}))
    assert not Path("other.duckdb").exists()


@pytest.mark.usefixtures("files")
def test_a_ledger_names_all_runs_the_last_one_first() -> None:
    output = {"url": OTHER, "table": "cohort"}
    runs = [sc.run(job({"path": "people.csv"}, output, seed=seed), force=True).result.run for seed in (1, 2)]
    found = table("cohort", OTHER)
    with Session(databases=[Path("other.duckdb")]) as session:
        found.prepare(session, session)
        known, before = found.runs_known(), found.run_before()
    assert len(known) == 2 and known[0] == before
    assert all(run.startswith(begin) for run, begin in zip(runs[::-1], known, strict=True))


@pytest.mark.usefixtures("files")
def test_a_release_that_was_dropped_is_none_of_another_source() -> None:
    output = {"url": OTHER, "table": "cohort"}
    sc.run(job({"path": "people.csv"}, output))
    with duckdb.connect("other.duckdb") as connection:
        connection.execute("drop table cohort")
    assert sc.run(job({"path": "visits.csv"}, output)).result.released_rows == 4


@pytest.mark.usefixtures("files")
def test_a_dimension_table_replaces_no_release_and_none_of_another_release() -> None:
    source = {"path": "people.csv"}
    sc.run(job(source, {"url": OTHER, "table": dimension_of("first", "zip")}))
    with pytest.raises(OutputError, match="which is a release with readers: leave keep_dimensions out"):
        sc.run(job(source, {"url": OTHER, "table": "first"}, keep_dimensions=True))
    Path("wards.csv").write_text("x_dim_zip\n1\n1\n")
    wards = job({"path": "wards.csv"}, {"url": OTHER, "table": "second"}, keep_dimensions=True)
    sc.run(wards | {"quasi_identifiers": {"x_dim_zip": "suppress"}})
    assert dimension_of("second", "x_dim_zip") == dimension_of("second_dim_x", "zip")
    with pytest.raises(OutputError, match="a dimension table of another release: choose another name"):
        sc.run(job(source, {"url": OTHER, "table": "second_dim_x"}, keep_dimensions=True))


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("done", [False, True])
def test_a_run_whose_last_step_fails_asks_if_its_release_is_out(done: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    described = job({"path": "people.csv"}, {"url": "sqlite:///other.sqlite", "table": "cohort"})
    sqlite3.connect("other.sqlite").close()
    commit = SQLite.commit

    def fails(self: SQLite) -> None:
        if done:
            commit(self)
        raise StatementError("store/commit", "", "OperationalError")

    with monkeypatch.context() as patched, pytest.raises(OutputError, match="OperationalError"):
        patched.setattr(SQLite, "commit", fails)
        sc.run(described)
    assert [about.form for about in saved_recodings.every()] == ["publishing"] * done
    with closing(sqlite3.connect("other.sqlite")) as connection:
        tables = {name for (name,) in connection.execute("select name from sqlite_master")}
    assert ("cohort" in tables) is done
    result = sc.run({**described, "seed": 2}).result
    assert result.released_rows == 4 and len(result.joint) == done
