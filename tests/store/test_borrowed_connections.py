"""Connections and engines of the caller's: used as they are, within a savepoint, and left as they were."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pymysql
import pytest
import sqlalchemy
from sqlalchemy import text
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.pool import SingletonThreadPool, StaticPool

import starcloak as sc
from starcloak.releases import state as releases_kept
from tests import servers

AGES = range(20, 60)
ROLES: dict[str, Any] = {"quasi_identifiers": {"age": {"intervals": [10, 20]}}, "sensitive": ["secret"], "k": 10}
HOSTS = ["postgresql", "mariadb", "sqlite"]


@pytest.fixture(params=HOSTS)
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """An engine with one connection for all, on a table of people."""
    url = servers.with_driver(request.getfixturevalue(request.param).url)
    made = sqlalchemy.create_engine(url, poolclass=StaticPool)
    fill(made)
    yield made
    made.dispose()


def fill(engine: Engine) -> None:
    with engine.begin() as connection:
        for table in ("borrowed_k", "borrowed", "notes"):
            connection.execute(text(f"drop table if exists {table}"))
        connection.execute(text("create table borrowed (age integer, secret integer)"))
        connection.execute(text("create table notes (note integer)"))
        rows = [{"age": age, "secret": age + 1000} for age in AGES]
        connection.execute(text("insert into borrowed values (:age, :secret)"), rows)


def released(url: Any, **more: Any) -> set[tuple[str, int]]:
    release = sc.anonymize({"url": url, "table": "borrowed"}, **ROLES, **more)
    return {(row["age"], row["secret"]) for row in release.to_arrow().to_pylist()}


EXPECTED = {(f"[{age // 10 * 10}, {age // 10 * 10 + 10})", age + 1000) for age in AGES}

# What a session says of itself, by the kind of its database.
SETTINGS = {
    "postgresql": ["select name, setting from pg_settings where name not in ('transaction_read_only') order by 1",
                   "select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()",
                   "select count(*) from pg_class where relpersistence = 't' and relnamespace = pg_my_temp_schema()"],
    "mariadb": ["select variable_name, variable_value from information_schema.session_variables where variable_name "
                "not in ('timestamp', 'error_count', 'warning_count', 'last_insert_id', 'insert_id', 'rand_seed1', "
                "'rand_seed2', 'in_transaction', 'last_gtid', 'pseudo_thread_id', 'identity') order by 1",
                "select lock_type, table_name from information_schema.metadata_lock_info "
                "where thread_id = connection_id() and table_name not like '%metadata_lock_info%' order by 1, 2"],
    "sqlite": ["pragma cache_spill", "pragma query_only", "pragma legacy_alter_table", "pragma busy_timeout",
               "select name from sqlite_temp_master", "pragma database_list"],
}  # fmt: skip
ATTRIBUTES = (
    "isolation_level", "row_factory", "text_factory", "autocommit", "prepare_threshold", "cursor_factory", "read_only",
    "deferrable", "cursorclass", "charset", "collation", "encoding", "autocommit_mode",
)  # fmt: skip


def state(connection: Any, name: str) -> list[Any]:
    """What a connection of the driver's has: attributes of its own, and what its session tells."""
    kept: list[Any] = [(found, getattr(connection, found)) for found in ATTRIBUTES if hasattr(connection, found)]
    for asked in SETTINGS[name]:
        cursor = connection.cursor()
        cursor.execute(asked)
        kept.append([tuple(row.values()) if isinstance(row, dict) else tuple(row) for row in cursor.fetchall()])
        cursor.close()
    return kept


class TemporaryTables:
    """Those that a run makes, which MariaDB lists nowhere."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def __call__(self, sql: str) -> None:
        self.names.update(re.findall(r"""create temporary table ((?:[`"][^`"]+[`"]\.?)+)""", sql))

    def left(self, connection: Any) -> list[str]:
        found = []
        for name in sorted(self.names):
            cursor = connection.cursor()
            with suppress(pymysql.err.ProgrammingError):  # it is gone
                cursor.execute(f"select 1 from {name}")
                found.append(name)
            cursor.close()
        return found


def tuned(engine: Engine) -> Any:
    """The driver's connection of a static pool, with settings of its owner's."""
    connection = engine.raw_connection().driver_connection
    name = engine.dialect.name
    cursor = connection.cursor()
    if name == "postgresql":
        cursor.execute("set timezone = 'Asia/Tokyo'; set work_mem = '1MB'; set datestyle = 'German'")
    elif name == "mariadb":
        # It tells what locks there are.
        cursor.execute("install plugin if not exists metadata_lock_info soname 'metadata_lock_info'")
        cursor.execute("set session time_zone = '+09:00', session sql_mode = 'ANSI', session wait_timeout = 77")
    else:
        connection.row_factory = sqlite3.Row
        cursor.execute("pragma cache_spill = 77")
    cursor.close()
    connection.commit()
    return connection


@pytest.mark.sampled(3)
def test_a_connection_is_as_it_was_after_a_run_a_refusal_and_an_interrupt(engine: Engine) -> None:
    name, connection, temporary = engine.dialect.name, tuned(engine), TemporaryTables()
    before = state(connection, name)
    connection.commit()

    def interrupt(stage: str) -> Callable[[str], None]:
        def progress(said: str) -> None:
            if said == stage:
                raise KeyboardInterrupt

        return progress

    for output in (None, {"table": "borrowed_k"}):
        more = {"output": output} if output else {}
        for stage in ("compress", "verify", "publish"):
            with pytest.raises(KeyboardInterrupt):
                released(engine, **more, resources=sc.Resources(progress=interrupt(stage), trace=temporary))
            assert state(connection, name) == before
            connection.commit()
        with pytest.raises(sc.RequirementError):
            released(engine, **more, l_diversity=[{"attribute": "secret", "l": 41}])
        assert state(connection, name) == before
        connection.commit()
        assert released(engine, **more, resources=sc.Resources(trace=temporary)) == EXPECTED
        assert state(connection, name) == before
        connection.commit()
    assert bool(temporary.names) == (name == "mariadb")
    assert temporary.left(connection) == []
    with engine.connect() as still:
        assert still.execute(text("select count(*) from borrowed")).scalar() == len(AGES)
        assert still.connection.driver_connection is connection
    assert sc.check({"url": engine, "table": "borrowed_k"}, ["age"], k=10).holds
    if name == "sqlite":
        with pytest.raises(sqlite3.OperationalError, match="no such function"):
            connection.execute("select starcloak_hash(1, 'a')")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("given", [lambda connection: connection, lambda connection: connection.engine])
def test_what_a_transaction_holds_stays_in_it(engine: Engine, given: Callable[[Connection], Any]) -> None:
    """Read within a savepoint where it sees one state of all, else refused; published never; and goes on."""
    name = engine.dialect.name
    with engine.connect() as connection:
        connection.execute(text("insert into notes values (7)"))
        refused = {"postgresql": "READ COMMITTED, in which rows", "mariadb": "would commit"}.get(name)
        if refused:
            with pytest.raises(sc.SourceError, match=f"(?i){refused}") as told:
                released(given(connection))
            assert told.value.exit_code == 2 and "\n" not in str(told.value)
        else:
            connection.execute(text("update borrowed set secret = secret + 0"))
            assert released(given(connection)) == EXPECTED
            with pytest.raises(sc.OutputError, match="publishing a release would commit"):
                released(given(connection), output={"table": "borrowed_k"})
        assert connection.execute(text("select count(*) from notes")).scalar() == 1
        connection.rollback()
        assert connection.execute(text("select count(*) from notes")).scalar() == 0
        connection.execute(text("insert into notes values (8)"))
        connection.commit()
        assert connection.execute(text("select note from notes")).scalar() == 8


def test_a_transaction_of_one_state_is_read_within_a_savepoint(postgresql: Any) -> None:
    engine = sqlalchemy.create_engine(servers.with_driver(postgresql.url))
    fill(engine)
    with engine.connect().execution_options(isolation_level="REPEATABLE READ") as connection:
        connection.execute(text("insert into notes values (7)"))
        connection.execute(text("update borrowed set secret = secret + 1"))
        raw = connection.connection.driver_connection
        before = state(raw, "postgresql")
        assert released(connection) == {(age, secret + 1) for age, secret in EXPECTED}
        with pytest.raises(sc.OutputError, match="publishing a release would commit"):
            released(connection, output={"table": "borrowed_k"})
        with pytest.raises(sc.RequirementError):
            released(connection, l_diversity=[{"attribute": "secret", "l": 41}])
        assert state(raw, "postgresql") == before
        connection.execute(text("insert into notes values (8)"))  # it may write again
        connection.commit()
        assert connection.execute(text("select count(*) from notes")).scalar() == 2
    engine.dispose()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("pool", [StaticPool, SingletonThreadPool, None])
def test_a_database_in_memory_outlives_its_runs(pool: Any) -> None:
    more = {} if pool is None else {"poolclass": pool}
    engine, other = (sqlalchemy.create_engine("sqlite://", **more) for _ in range(2))
    fill(engine)
    fill(other)
    assert released(engine) == EXPECTED
    with engine.connect() as connection:
        assert released(connection) == EXPECTED
    assert released(engine, output={"table": "borrowed_k"}) == EXPECTED
    assert list(releases_kept.folder().glob("*.json")) == []  # the next database in memory is another one
    with engine.connect() as connection:
        assert connection.execute(text("select count(*) from borrowed_k")).scalar() == len(AGES)
    # Another database in memory is not this one, whatever its URL says.
    assert released(engine, output={"url": other, "table": "elsewhere"}) == EXPECTED
    with other.connect() as connection:
        assert connection.execute(text("select count(*) from elsewhere")).scalar() == len(AGES)
    with engine.connect() as connection:
        assert not sqlalchemy.inspect(connection).has_table("elsewhere")
    engine.dispose()
    other.dispose()


def test_a_shared_database_in_memory_outlives_its_runs() -> None:
    engine = sqlalchemy.create_engine(
        "sqlite:///file:shared?mode=memory&cache=shared&uri=true", poolclass=sqlalchemy.QueuePool
    )
    fill(engine)
    assert released(engine) == EXPECTED
    assert released(engine) == EXPECTED
    engine.dispose()


def test_a_pool_without_another_connection_is_told(postgresql: Any) -> None:
    url = servers.with_driver(postgresql.url)
    engine = sqlalchemy.create_engine(url, pool_size=1, max_overflow=0, pool_timeout=0.1)
    fill(engine)
    with engine.connect(), pytest.raises(sc.SourceError, match=r"the engine of .* has no free connection"):
        released(engine)
    assert released(engine) == EXPECTED
    engine.dispose()


def test_a_closed_connection_is_told(sqlite: Any) -> None:
    engine = sqlalchemy.create_engine(sqlite.url)
    connection = engine.connect()
    connection.close()
    with pytest.raises(sc.SourceError, match="is closed: open it"):
        released(connection)
    engine.dispose()
