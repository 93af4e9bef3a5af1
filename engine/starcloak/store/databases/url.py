"""URLs of databases: their parts, as parsed by SQLAlchemy, and the kind of database of each URL."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from starcloak.base.errors import SourceError
from starcloak.store.databases.registry import kind_named

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy.engine import URL

    from starcloak.store.databases.database import Database
    from starcloak.store.databases.tables import Tables
    from starcloak.store.session import Session


_FILE = re.compile(r"[\w./-]+\.(duckdb|db|ddb)")


class Url(str):
    """The URL of a database; the kind of database is looked up at the first use and cached.

    ``engine`` is an engine or a connection of SQLAlchemy, or a session of Spark, used in place of the URL; None without
    one. Errors (:class:`SourceError`) do not quote the URL, as it may contain a password.
    """

    engine: Any = None

    @cached_property
    def parts(self) -> URL:
        """The URL as parsed by SQLAlchemy. Raises :class:`SourceError` for an invalid URL."""
        from sqlalchemy.engine import make_url
        from sqlalchemy.exc import ArgumentError

        try:
            return make_url(str(self))
        except (ArgumentError, ValueError):
            form = (
                "the url has a wrong form: write it as in duckdb:///path/to/file.duckdb or "
                "postgresql://user@host/database"
            )
            is_file = _FILE.fullmatch(self)  # a file's name, and certainly no password
            raise SourceError(f"{form}: write duckdb:///{self}" if is_file else form) from None

    @cached_property
    def kind(self) -> type[Tables]:
        """The registered class for the URL's kind of database."""
        return kind_named(self.parts.get_backend_name())

    @property
    def file(self) -> Path | None:
        """The path of a file database; None for a database on a server or in memory."""
        return self.kind.file(self.parts)

    @property
    def embedded_file(self) -> Path | None:
        """The file of a database opened by the working store itself; None for other databases."""
        return self.file if self.kind.embedded else None

    @property
    def in_memory(self) -> bool:
        """True if the database is in the memory of this process; other databases may then have the same URL."""
        return self.kind.in_memory(self.parts)

    def is_same(self, other_url: Url | None) -> bool:
        """True if another URL leads to the same database within one run: an equal URL, or another path of its file."""
        if other_url is None or self.kind is not other_url.kind:
            return False
        if self != other_url:
            file, other_file = self.file, other_url.file
            return file is not None and other_file is not None and file.resolve() == other_file.resolve()
        return not self.in_memory or getattr(self.engine, "engine", None) is getattr(other_url.engine, "engine", None)

    def connect(self, session: Session) -> Database:
        """Connect to the database for the life of the session; not for an embedded database.

        Raises :class:`SourceError` for an unreachable database.
        """
        return cast("type[Database]", self.kind)(self.parts, session, self.engine)


def url_of(value: Any) -> Url | None:
    """The URL of an engine or a connection of SQLAlchemy, or of a session of Spark; None for any other object.

    A connection is used as it is: its uncommitted changes are visible to a run.
    """
    if type(value).__module__.startswith("pyspark.sql.") and type(value).__name__ == "SparkSession":
        return _with_engine(_master(value), value)
    if not type(value).__module__.startswith("sqlalchemy."):
        return None
    from sqlalchemy.engine import Connection, Engine

    if not isinstance(value, (Connection, Engine)):
        return None
    return _with_engine(value.engine.url.render_as_string(hide_password=False), value)


def _with_engine(text: str, engine: Any) -> Url:
    url = Url(text)
    url.engine = engine
    return url


def _master(session: Any) -> str:
    """The URL of a session of Spark, or of Spark Connect."""
    if ".connect." in type(session).__module__:
        return f"sc://{session.client.host}"
    master = str(session.sparkContext.master)
    return master if master.startswith("spark://") else "spark://local"
