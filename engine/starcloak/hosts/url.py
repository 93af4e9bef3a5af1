"""URLs of databases, which SQLAlchemy reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starcloak.errors import SourceError

if TYPE_CHECKING:
    from sqlalchemy.engine import URL


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
