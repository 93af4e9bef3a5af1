"""A relation of a connection of the caller's DuckDB: read as it is, and its connection left as it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest

import starcloak as sc

ROLES: dict[str, Any] = {"quasi_identifiers": {"age": {"intervals": [10, 20]}}, "sensitive": ["secret"], "k": 10}
ASKED = (
    "select name, value from duckdb_settings() order by all",
    "select database_name, schema_name, table_name, temporary from duckdb_tables() order by all",
    "select database_name, schema_name, view_name, temporary from duckdb_views() where not internal order by all",
    "select database_name, path, readonly from duckdb_databases() order by all",
    "select function_name from duckdb_functions() where not internal order by all",
    "select * from duckdb_prepared_statements() order by all",
)


def state(connection: duckdb.DuckDBPyConnection) -> list[Any]:
    return [connection.execute(asked).fetchall() for asked in ASKED]


@pytest.fixture
def connection() -> duckdb.DuckDBPyConnection:
    """One with settings, views and tables of its owner's."""
    made = duckdb.connect()
    made.execute("set threads = 1; set timezone = 'Asia/Tokyo'; set default_null_order = 'nulls_first'")
    made.execute("create table people as select unnest(range(20, 60)) as age, 7 as secret")
    made.execute("create temp table mine as select 1 as one; create view seen as select 2 as two")
    made.register("registered", pandas.DataFrame({"a": [1]}))
    return made


def runs(relation: duckdb.DuckDBPyRelation) -> None:
    """A run, a refused run, an interrupted run, a check and an audit."""

    def interrupt(_: str) -> None:
        raise KeyboardInterrupt

    release = sc.anonymize(relation, **ROLES)
    assert len(release.to_pandas()) == len(release.to_native()) == release.result.rows
    with pytest.raises(sc.RequirementError):
        sc.anonymize(relation, **{**ROLES, "k": 99})
    with pytest.raises(KeyboardInterrupt):
        sc.anonymize(relation, **ROLES, resources=sc.Resources(progress=interrupt))
    assert sc.check(relation, "age", k=1).holds
    sc.audit(relation, "age", "secret")


def test_a_connection_is_as_it_was(connection: duckdb.DuckDBPyConnection) -> None:
    before = state(connection)
    runs(connection.table("people"))
    runs(connection.sql("select age, secret from people"))
    assert state(connection) == before


def test_a_transaction_is_read_and_goes_on(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("begin")
    connection.execute("insert into people values (20, 7)")
    before = state(connection)
    assert sc.anonymize(connection.table("people"), **ROLES).result.rows == 41
    runs(connection.table("people"))
    assert state(connection) == before
    connection.execute("insert into people values (21, 7)")
    connection.execute("rollback")
    assert connection.execute("select count(*) from people").fetchall() == [(40,)]


def test_what_is_fetched_in_part_is_refused_and_stays(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("select unnest(range(9999))")
    assert connection.fetchmany(1) == [(0,)]
    with pytest.raises(sc.SourceError, match=r"cannot be read .ResourceInUseException.: collect or fetch it first"):
        sc.anonymize(connection.table("people"), **ROLES)
    assert connection.fetchmany(1) == [(1,)]


def test_an_engine_of_sqlalchemy_to_duckdb_is_no_url(monkeypatch: pytest.MonkeyPatch) -> None:
    sqlalchemy = pytest.importorskip("sqlalchemy")
    engine = sqlalchemy.create_engine("sqlite://")
    monkeypatch.setattr(engine, "url", sqlalchemy.engine.make_url("duckdb:///people.duckdb"))
    with pytest.raises(
        sc.InputError, match=r"url is an SQLAlchemy engine or connection for DuckDB, .*: give a relation of .*"
    ) as refused:
        sc.check({"url": engine, "table": "people"}, "age", k=2)
    assert refused.value.exit_code == 2


def test_a_connection_is_no_url(connection: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    place = {"url": connection, "table": "people"}
    told = r"url is a DuckDB connection, .*: give a relation of the connection as the data, .*, or the url of"
    for call in (
        lambda: sc.anonymize(place, **ROLES),
        lambda: sc.check(place, "age", k=2),
        lambda: sc.audit(place, "age"),
        lambda: sc.anonymize(connection.table("people"), **ROLES, output={"url": connection, "table": "people_k"}),
    ):
        with pytest.raises(sc.InputError, match=told) as refused:
            call()
        assert "\n" not in str(refused.value) and refused.value.exit_code == 2
    with pytest.raises(sc.InputError, match=r"an engine or connection of SQLAlchemy$"):
        sc.check({"url": object(), "table": "people"}, "age", k=2)
