"""The kinds of databases that are hosts, by what their URLs begin with."""

from __future__ import annotations

from starcloak.errors import SourceError
from starcloak.hosts.database import Database
from starcloak.hosts.url import parsed
from starcloak.session import Session


def connect(url: str, session: Session) -> Database:
    """Connect to the database of a URL, for the life of the session.

    Raises :class:`SourceError`: a database that starcloak does not know or cannot reach. No message has the password.
    """
    parts = parsed(url)
    match parts.get_backend_name():
        case "postgresql":
            from starcloak.hosts.postgresql import PostgreSQL

            return PostgreSQL(parts, session)
        case "mariadb" | "mysql":
            from starcloak.hosts.mariadb import MariaDB

            return MariaDB(parts, session)
        case "sqlite":
            from starcloak.hosts.sqlite import SQLite

            return SQLite(parts, session)
        case other:
            raise SourceError(
                f"a url of {other} cannot be opened: use postgresql://, mariadb://, sqlite:/// or duckdb:///file.duckdb"
            )
