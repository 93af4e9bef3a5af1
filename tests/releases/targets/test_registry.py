"""The target of a job's release, and files that it must not replace."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest

import starcloak as sc
from starcloak.base.errors import OutputError
from starcloak.job import load
from starcloak.releases.targets.database_table import DatabaseTable
from starcloak.releases.targets.duckdb_table import DuckDBTable, TableOfFile
from starcloak.releases.targets.registry import target

FRAME = pandas.DataFrame({"zip": ["1", "1", "2", "2"]})
REFRESH: dict[str, Any] = {"refresh": True, "algorithm": {"name": "sweep"}}
SERVER = "postgresql://owner@127.0.0.1/clinic"


def job(source: dict[str, Any], output: dict[str, Any], **more: Any) -> dict[str, Any]:
    described = {"quasi_identifiers": {"zip": "suppress"}, "requirement": {"k": 2}}
    return {"source": source, "output": output, **described, **more}


@pytest.mark.parametrize(
    ("framed", "refresh", "at_source"), [(False, False, True), (True, False, False), (False, True, False)]
)
def test_a_release_is_made_in_the_database_of_its_rows_unless_they_have_to_come_home(
    framed: bool, refresh: bool, at_source: bool
) -> None:
    more = REFRESH if refresh else {}
    described = load(job({"url": SERVER, "table": "visits"}, {"table": "release"}, **more))
    found = target(described, framed=framed)
    assert isinstance(found, DatabaseTable) and found.at_source is at_source


@pytest.mark.parametrize(
    ("framed", "refresh", "here"), [(False, False, True), (True, False, False), (False, True, True)]
)
def test_a_release_goes_into_the_duckdb_file_of_its_source(framed: bool, refresh: bool, here: bool, work: Path) -> None:
    more = REFRESH if refresh else {}
    url = "duckdb:///clinic.duckdb"
    found = target(load(job({"url": url, "table": "visits"}, {"url": url, "table": "release"}, **more)), framed=framed)
    assert type(found) is (DuckDBTable if here else TableOfFile)


@pytest.fixture
def files(work: Path) -> dict[str, dict[str, Any]]:
    """A CSV file, a DuckDB file and an SQLite file with the same rows, and a hierarchy; the sources by their kind."""
    FRAME.to_csv("visits.csv", index=False)
    Path("zip.csv").write_text("1;*\n2;*\n")
    with duckdb.connect("duck.csv") as database:
        database.execute("create table visits as select * from 'visits.csv'")
    with sqlite3.connect("lite.csv") as lite:
        FRAME.to_sql("visits", lite, index=False)
    lite.close()
    return {
        "csv": {"path": "visits.csv"},
        "duckdb": {"url": "duckdb:///duck.csv", "table": "visits"},
        "sqlite": {"url": "sqlite:///lite.csv", "table": "visits"},
    }


@pytest.mark.parametrize(
    ("kind", "output", "named"),
    [
        ("csv", {"path": "zip.csv"}, "zip.csv"),
        ("duckdb", {"path": "duck.csv"}, "the source, .*duck.csv"),
        ("sqlite", {"path": "lite.csv"}, "the source, .*lite.csv"),
        ("csv", {"url": "duckdb:///zip.csv", "table": "release"}, "zip.csv"),
        ("csv", {"url": "sqlite:///zip.csv", "table": "release"}, "zip.csv"),
    ],
)
def test_a_release_replaces_no_file_that_its_job_reads(
    kind: str, output: dict[str, Any], named: str, files: dict[str, dict[str, Any]]
) -> None:
    before = {path.name: path.read_bytes() for path in Path().iterdir() if path.is_file()}
    described = job(files[kind], output, quasi_identifiers={"zip": {"csv": "zip.csv"}})
    with pytest.raises(OutputError, match=f"would replace .*{named}"):
        sc.run(described)
    assert {path.name: path.read_bytes() for path in Path().iterdir() if path.is_file()} == before


@pytest.mark.parametrize("kind", ["duckdb", "sqlite"])
def test_a_release_goes_beside_its_source_in_one_file(kind: str, files: dict[str, dict[str, Any]]) -> None:
    result = sc.run(job(files[kind], {"table": "release"})).result
    assert result.released_rows == 4
