"""What a database says of a query that it does not understand is shown, in its own words; never a value of a row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

import starcloak as sc

WRONG = {
    "selec zip from people": "syntax",
    "select zipp from people": "zipp",
    "select zip from poeple": "poeple",
    "select nothing(zip) as zip from people": "nothing",
    "select zip from people where": "syntax",
}
VALUES = ("select cast(note as integer) as zip from people", "select cast('1' as integer) / 0 as zip, note from people")


@pytest.fixture(params=["postgresql", "mariadb", "sqlite", "duckdb"])
def url(request: pytest.FixtureRequest, work: Path) -> str:
    made = ["create table people (zip varchar(9), note varchar(9))", "insert into people values ('1', 'x7x7')"]
    if request.param == "duckdb":
        with duckdb.connect("people.duckdb") as database:
            for statement in made:
                database.execute(statement)
        return "duckdb:///people.duckdb"
    if request.param == "sqlite":
        import sqlite3

        file = sqlite3.connect("people.sqlite")
        for statement in made:
            file.execute(statement)
        file.commit()
        file.close()
        return "sqlite:///people.sqlite"
    server: Any = request.getfixturevalue(request.param)
    server.clear()
    server.execute(*made)
    return str(server.url)


@pytest.mark.sampled(3)
def test_the_error_of_a_query_has_the_words_of_its_database(url: str) -> None:
    for query, word in WRONG.items():
        with pytest.raises(sc.SourceError) as error:
            sc.check({"url": url, "query": query}, ["zip"], 2)
        told = str(error.value)
        assert told.startswith("the query on ") and "in the database first" in told
        assert word in told and "Error)" not in told and "Exception)" not in told
        assert "\n" not in told and len(told) < 500
    for query in VALUES:
        try:
            sc.check({"url": url, "query": query}, ["zip"], 2)
        except sc.StarcloakError as problem:
            assert "x7x7" not in str(problem)


def test_a_missing_table_is_named_with_its_schema(url: str, request: pytest.FixtureRequest) -> None:
    if url.startswith("sqlite"):
        pytest.skip("SQLite has no schemas, and compares names without case")
    quote = "`" if url.startswith(("mariadb", "mysql")) else '"'
    made = ["create schema clinic", f"create table clinic.{quote}Visits{quote} (zip int)"]
    if url.startswith("duckdb"):
        with duckdb.connect("people.duckdb") as database:
            for statement in made:
                database.execute(statement)
    else:
        server: Any = request.getfixturevalue("postgresql" if url.startswith("postgresql") else "mariadb")
        server.execute(*made)
        gone = "drop schema clinic" + " cascade" * url.startswith("postgresql")
        request.addfinalizer(lambda: server.execute(gone))
    for missing in ["visits"] if url.startswith("duckdb") else ["visits", "clinic.visits"]:  # DuckDB ignores case
        with pytest.raises(sc.SourceError, match=r"cannot be read: .*: name clinic\.Visits$"):
            sc.check({"url": url, "table": missing}, ["zip"], 2)
    with pytest.raises(sc.SourceError, match="try it in the database first"):
        sc.check({"url": url, "table": "nowhere"}, ["zip"], 2)
