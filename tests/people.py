"""A table of people in a real database, the job on it, and what the database's own client makes of a script."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from typing import Any

import pandas
import pytest
import sqlalchemy

import starcloak as sc
from starcloak.store.resources import Resources
from tests import servers

Rows = list[tuple[Any, ...]]


# In one connection: to open one takes a PostgreSQL longer than all that is done here.
_CLEAR = """
do $$
declare
    found text;
begin
    for found in select nspname from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema' loop
        execute format('drop schema %I cascade', found);
    end loop;
    create schema public;
    grant usage on schema public to public;
    for found in select rolname from pg_roles where rolname !~ '^pg_' and rolname <> 'owner' loop
        execute format('drop owned by %I', found);
        execute format('drop role %I', found);
    end loop;
end
$$
"""


@dataclass(frozen=True)
class Server:
    """A database with a superuser, for a test to fill."""

    name: str
    url: str

    def engine(self) -> sqlalchemy.Engine:
        return _engine(self.name, self.url)

    def execute(self, *statements: str) -> None:
        with self.engine().connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            for statement in statements:
                # By the driver's own cursor: a statement may hold signs of binds.
                connection.connection.cursor().execute(statement)

    def rows(self, statement: str) -> Rows:
        with self.engine().connect() as connection:
            cursor = connection.connection.cursor()
            cursor.execute(statement)
            return [tuple(row) for row in cursor.fetchall()]

    def fill(self, table: str, frame: pandas.DataFrame, types: dict[str, str]) -> None:
        """Make a table of a frame's rows; names may hold anything."""
        quoted = [self.quoted(name) for name in frame.columns]
        shape = ", ".join(f"{name} {types[column]}" for name, column in zip(quoted, frame.columns, strict=True))
        values = ", ".join(["?" if self.name == "sqlite" else "%s"] * len(quoted))
        columns = ", ".join(name.replace("%", "%%") if self.name != "sqlite" else name for name in quoted)
        content = list(frame.astype(object).where(frame.notna(), None).itertuples(index=False, name=None))
        if self.name == "sqlite":  # its driver warns of dates from Python 3.12 on: they are texts there
            content = [tuple(str(cell) if isinstance(cell, date) else cell for cell in row) for row in content]
        with self.engine().begin() as connection:
            cursor = connection.connection.cursor()
            cursor.execute(f"drop table if exists {table}")
            cursor.execute(f"create table {table} ({shape})")
            cursor.executemany(f"insert into {table} ({columns}) values ({values})", content)

    def quoted(self, name: str) -> str:
        mark = "`" if self.name == "mariadb" else '"'
        return mark + name.replace(mark, mark * 2) + mark

    def clear(self) -> None:
        """Leave nothing of what a test before made."""
        match self.name:
            case "postgresql":
                self.execute(_CLEAR)
            case "mariadb":
                own = "schema_name not in ('mysql', 'information_schema', 'performance_schema', 'sys', 'test')"
                for (schema,) in self.rows(f"select schema_name from information_schema.schemata where {own}"):
                    self.execute(f"drop database {self.quoted(schema)}")
                for user, host in self.rows("select user, host from mysql.user where user not in ('owner', 'root')"):
                    if not user.startswith("mariadb."):
                        self.execute(f"drop user {self.quoted(user)}@{self.quoted(host)}")
                shape = "character set utf8mb4 collate utf8mb4_unicode_ci"
                self.execute("drop database test", f"create database test {shape}")
            case "sqlite":
                for table in self.tables():
                    self.execute(f"drop table {self.quoted(table)}")

    def as_user(self, name: str) -> Server:
        """The same database for another user, whom a test has made with ``secretpw8``."""
        return replace(self, url=self.url.replace("owner:secretpw7", f"{name}:secretpw8"))

    @contextmanager
    def setting(self, name: str, value: str) -> Iterator[None]:
        """With a setting that a MariaDB server has for everybody."""
        ((before,),) = self.rows(f"select @@global.{name}")
        self.execute(f"set global {name} = {value}")
        try:
            yield
        finally:
            self.execute(f"set global {name} = {'null' if before is None else repr(before)}")

    def tables(self) -> set[str]:
        return set(sqlalchemy.inspect(self.engine()).get_table_names())


@cache
def _engine(name: str, url: str) -> sqlalchemy.Engine:
    """One of them asks a server about itself at its first connection."""
    # PyMySQL reads all certificates of the machine for each connection else.
    own: dict[str, dict[str, Any]] = {"sqlite": {"timeout": 120}, "mariadb": {"ssl_disabled": True}}
    found = servers.with_driver(url)
    return sqlalchemy.create_engine(found, poolclass=sqlalchemy.NullPool, connect_args=own.get(name, {}))


def people(rows: int, seed: int = 1) -> pandas.DataFrame:
    chance = random.Random(seed)
    return pandas.DataFrame(
        {
            "name": [f"SECRETx7 {number}" for number in range(rows)],
            "age": [chance.randrange(20, 60) for _ in range(rows)],
            "zip": [f"537{chance.randrange(8):02}" for _ in range(rows)],
            "sex": [chance.choice(["f", "m", "F", None]) for _ in range(rows)],
            "illness": [chance.choice(["flu", "Flu", "flu ", "cold", "grippé"]) for _ in range(rows)],
        }
    )


TYPES = {"name": "varchar(40)", "age": "integer", "zip": "varchar(9)", "sex": "varchar(9)", "illness": "varchar(99)"}


def job(server: Server, k: int = 4, **more: Any) -> dict[str, Any]:
    return {
        "source": {"url": server.url, "table": "people"},
        "identifiers": ["name"],
        "quasi_identifiers": {"age": {"intervals": [5, 10, 20]}, "zip": {"digits": 5}, "sex": "suppress"},
        "sensitive": ["illness"],
        "requirement": {"k": k},
        "output": {"table": "cohort"},
        **more,
    }


def run(described: dict[str, Any], trace: Callable[[str], None] | None = None, *, force: bool = True) -> sc.Release:
    return sc.run(described, resources=Resources(trace=trace, threads=1), force=force)


def released(server: Server) -> Counter[tuple[str, ...]] | None:
    """The multiset of released rows, as texts; None without a release."""
    if "cohort" not in server.tables():
        return None
    return released_rows(server)


def released_rows(server: Server) -> Counter[tuple[str, ...]]:
    """The same of a release that is there. Raises what the driver does without one."""
    return Counter(tuple(map(str, row)) for row in server.rows("select age, zip, sex, illness from cohort"))


def client(server: Server, *more: str) -> list[str] | None:
    """The command of the database's own client, which reads a script; None where it is not installed."""
    url = sqlalchemy.make_url(server.url)
    programs = servers.postgresql_programs()
    match server.name:
        case "postgresql" if programs is not None:
            return [str(programs / "psql"), "-q", "-v", "ON_ERROR_STOP=1", *more, server.url]
        case "mariadb" if shutil.which("mariadb"):
            login = [f"--host={url.host}", f"--port={url.port}", f"--user={url.username}", f"--password={url.password}"]
            return ["mariadb", "--no-defaults", *login, *more, str(url.database)]
        case "sqlite" if shutil.which("sqlite3"):
            return ["sqlite3", *more, str(url.database)]
    return None


def scripted(command: list[str] | None, script: str) -> subprocess.CompletedProcess[str]:
    if command is None:
        pytest.skip("the database's own client is not installed: apt-get install sqlite3")
    return subprocess.run(command, input=script, capture_output=True, text=True, check=False)
