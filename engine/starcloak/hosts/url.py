"""What a URL says of where a database is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from starcloak.errors import SourceError

if TYPE_CHECKING:
    from sqlalchemy.engine import URL


def database_file(url: str) -> Path | None:
    """The file of a database that is one."""
    parts = parsed(url)
    if parts.get_backend_name() == "sqlite" and parts.database:
        return Path(parts.database)
    return None if is_remote(url) else database_path(url)


def is_remote(url: str) -> bool:
    """Whether a URL is of a database that the working store cannot attach."""
    return parsed(url).get_backend_name() != "duckdb"


def parsed(url: str) -> URL:
    """A URL in its parts. Raises :class:`SourceError`, which does not repeat it: it may hold a password."""
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        return make_url(url)
    except (ArgumentError, ValueError):
        raise SourceError(
            "the url is not of the form duckdb:///path/to/file.duckdb or postgresql://user@host/database"
        ) from None


def database_path(url: str) -> Path:
    """The file of a ``duckdb:///file.duckdb`` URL.

    Raises :class:`SourceError` for other databases; the URL itself, which may hold a password, is not repeated.
    """
    parts = parsed(url)
    if parts.get_backend_name() != "duckdb":
        raise SourceError(f"the url is of {parts.get_backend_name()}: use duckdb:///path/to/file.duckdb")
    if not parts.database or parts.database == ":memory:":
        raise SourceError("the url names no file: use duckdb:///path/to/file.duckdb")
    try:
        return Path(parts.database).expanduser().resolve()
    except (OSError, ValueError, RuntimeError) as error:
        raise SourceError(f"no file can have the path of the url ({type(error).__name__})") from None
