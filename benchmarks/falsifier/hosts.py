"""Databases by their bare clients: tables made, read and listed by other means than the engine's."""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import unquote, urlsplit

import duckdb

from benchmarks.falsifier.case import Row
from benchmarks.falsifier.values import KINDS, SPELLED

# A statement has so many rows: no database has binds without end.
_AT_ONCE = 500


@dataclass(frozen=True)
class Released:
    """Rows as they were read back, with the columns' names."""

    names: list[str]
    rows: list[Row]


@dataclass(frozen=True)
class Database(ABC):
    """A database: ``place`` is a file or a URL. ``kinds`` are the types of the columns that it can have."""

    place: str
    kinds: ClassVar[Mapping[str, str]]
    mark: ClassVar[str] = '"'
    bind: ClassVar[str] = "?"

    @property
    @abstractmethod
    def url(self) -> str:
        """The URL as a job names it."""

    @abstractmethod
    def run(self, *statements: tuple[str, Sequence[Any]]) -> None:
        """Run statements with their values, and commit."""

    @abstractmethod
    def read(self, table: str) -> Released:
        """All rows of a table."""

    @abstractmethod
    def tables(self) -> set[str]:
        """The names of all tables and views."""

    def quoted(self, name: str) -> str:
        return self.mark + name.replace(self.mark, self.mark * 2) + self.mark

    def made(self, table: str, shape: Mapping[str, str], rows: Sequence[Row]) -> list[tuple[str, Sequence[Any]]]:
        """The statements that make a table anew."""
        columns = ", ".join(f"{self.quoted(column)} {kind}" for column, kind in shape.items())
        statements: list[tuple[str, Sequence[Any]]] = [(f"drop table if exists {self.quoted(table)}", ())]
        statements.append((f"create table {self.quoted(table)} ({columns})", ()))
        for start in range(0, len(rows), _AT_ONCE):
            some = rows[start : start + _AT_ONCE]
            places = ", ".join(f"({', '.join([self.bind] * len(shape))})" for _ in some)
            statements.append(
                (f"insert into {self.quoted(table)} values {places}", [cell for row in some for cell in row])
            )
        return statements

    def held(self) -> dict[str, str]:
        """What every table holds, as a text that tells it from others."""
        return {name: repr(sorted(map(repr, self.read(name).rows))) for name in sorted(self.tables())}


class DuckDB(Database):
    """A DuckDB file."""

    kinds = KINDS

    @property
    def url(self) -> str:
        return f"duckdb:///{self.place}"

    def run(self, *statements: tuple[str, Sequence[Any]]) -> None:
        with duckdb.connect(self.place) as connection:
            connection.execute("set timezone = 'UTC'")
            for statement, values in statements:
                connection.execute(statement, values or None)

    def read(self, table: str) -> Released:
        with duckdb.connect(self.place, read_only=True) as connection:
            return fetched(connection, f"from {self.quoted(table)}")

    def tables(self) -> set[str]:
        with duckdb.connect(self.place, read_only=True) as connection:
            return {
                name for (name,) in connection.execute("select table_name from information_schema.tables").fetchall()
            }


def fetched(connection: duckdb.DuckDBPyConnection, origin: str) -> Released:
    """The rows of a relation of DuckDB.

    Its client reads no instants without pytz, and changes other values: they come as timestamps and texts.
    """
    connection.execute("set timezone = 'UTC'")
    described = connection.execute(f"describe {origin}").fetchall()
    names, types = [line[0] for line in described], [line[1] for line in described]
    columns = []
    for name, kind in zip(names, types, strict=True):
        spelled = kind in [KINDS[each] for each in SPELLED]
        cast = "timestamp" if kind == KINDS["instant"] else "varchar" if spelled else kind
        quoted = '"' + name.replace('"', '""') + '"'
        columns.append(f"cast({quoted} as {cast})" if cast != kind else quoted)
    rows = connection.execute(f"select {', '.join(columns)} {origin}").fetchall()
    instants = [at for at, kind in enumerate(types) if kind == KINDS["instant"]]
    for place in instants:
        rows = [
            tuple(cell.replace(tzinfo=UTC) if at == place and cell else cell for at, cell in enumerate(row))
            for row in rows
        ]
    return Released(names, rows)


class SQLite(Database):
    """A SQLite file."""

    kinds: ClassVar[Mapping[str, str]] = {"text": "text", "int64": "integer", "float64": "real", "bytes": "blob"}

    @property
    def url(self) -> str:
        return f"sqlite:///{self.place}"

    def run(self, *statements: tuple[str, Sequence[Any]]) -> None:
        connection = sqlite3.connect(self.place)
        for statement, values in statements:
            connection.execute(statement, values)
        connection.commit()
        connection.close()

    def read(self, table: str) -> Released:
        return self._fetched(f"select * from {self.quoted(table)}")

    def tables(self) -> set[str]:
        listed = self._fetched("select name from sqlite_master where type in ('table', 'view')")
        return {name for (name,) in listed.rows}

    def _fetched(self, statement: str) -> Released:
        connection = sqlite3.connect(f"file:{self.place}?mode=ro", uri=True)
        done = connection.execute(statement)
        names, rows = [name for name, *_ in done.description], done.fetchall()
        connection.close()
        return Released(names, rows)


class _Server(Database):
    """A database server; ``place`` is its URL."""

    bind = "%s"
    own: ClassVar[str]

    @property
    def url(self) -> str:
        return self.place

    @abstractmethod
    def connect(self) -> Any:
        """A connection of the bare driver."""

    @abstractmethod
    def clear(self) -> None:
        """Leave no table."""

    def run(self, *statements: tuple[str, Sequence[Any]]) -> None:
        connection = self.connect()
        try:
            cursor = connection.cursor()
            for statement, values in statements:
                cursor.execute(statement, values or None)
            connection.commit()
        finally:
            connection.close()

    def read(self, table: str) -> Released:
        return self._fetched(f"select * from {self.quoted(table)}")

    def tables(self) -> set[str]:
        listed = self._fetched(f"select table_name from information_schema.tables where table_schema = {self.own}")
        return {name for (name,) in listed.rows}

    def _fetched(self, statement: str) -> Released:
        connection = self.connect()
        try:
            cursor = connection.cursor()
            cursor.execute(statement)
            names, rows = [column[0] for column in cursor.description], [tuple(row) for row in cursor.fetchall()]
        finally:
            connection.close()
        return Released(names, rows)


class PostgreSQL(_Server):
    """A PostgreSQL database."""

    kinds: ClassVar[Mapping[str, str]] = {
        "text": "text",
        "int16": "smallint",
        "int32": "integer",
        "int64": "bigint",
        "float32": "real",
        "float64": "double precision",
        "decimal": "numeric(9, 2)",
        "wide": "numeric(38, 18)",
        "bool": "boolean",
        "date": "date",
        "timestamp": "timestamp",
        "instant": "timestamptz",
        "time": "time",
        "uuid": "uuid",
        "bytes": "bytea",
        "list": "integer[]",
    }
    own = "'public'"

    def connect(self) -> Any:
        import psycopg

        return psycopg.connect(self.place, options="-c timezone=UTC")

    def clear(self) -> None:
        self.run(("drop schema public cascade", ()), ("create schema public", ()))


class MariaDB(_Server):
    """A MariaDB database, whose texts compare by a collation that merges letters."""

    kinds: ClassVar[Mapping[str, str]] = {
        "text": "varchar(300)",
        "int8": "tinyint",
        "int16": "smallint",
        "int32": "int",
        "int64": "bigint",
        "uint64": "bigint unsigned",
        "float64": "double",
        "decimal": "decimal(9, 2)",
        "wide": "decimal(38, 18)",
        "date": "date",
        "timestamp": "datetime(6)",
        "bytes": "varbinary(20)",
    }
    mark = "`"
    own = "database()"

    def connect(self) -> Any:
        import pymysql

        parts = urlsplit(self.place)
        return pymysql.connect(
            host=parts.hostname or "",
            port=parts.port or 0,
            user=unquote(parts.username or ""),
            password=unquote(parts.password or ""),
            database=parts.path[1:],
            charset="utf8mb4",
        )

    def clear(self) -> None:
        drops = [(f"drop table {self.quoted(name)}", ()) for name in self.tables()]
        self.run(*drops)


def server(name: str, url: str) -> PostgreSQL | MariaDB:
    """The database of a server."""
    return PostgreSQL(url) if name == "postgresql" else MariaDB(url)


def file(path: Path) -> DuckDB | SQLite:
    """The database of a file."""
    return SQLite(str(path)) if path.suffix == ".sqlite" else DuckDB(str(path))
