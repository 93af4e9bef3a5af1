"""URLs of databases, which SQLAlchemy reads, and engines and Spark sessions of the user's, which stand for theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starcloak.errors import SourceError

if TYPE_CHECKING:
    from sqlalchemy.engine import URL, Engine


class EngineUrl(str):
    """The URL of an engine of the user's, which makes the connections, whatever the URL says; or of a Spark session."""

    engine: Any

    @classmethod
    def of(cls, engine: Engine) -> EngineUrl:
        url = cls(engine.url.render_as_string(hide_password=False))
        url.engine = engine
        return url

    @classmethod
    def of_spark(cls, session: Any) -> EngineUrl:
        """The URL of a session of Spark's, or of Spark Connect's."""
        if ".connect." in type(session).__module__:
            url = cls(f"sc://{session.client.host}")
        else:
            master = str(session.sparkContext.master)
            url = cls(master if master.startswith("spark://") else "spark://local")
        url.engine = session
        return url


def url_of(given: Any) -> Any:
    """The URL of an engine or a connection of SQLAlchemy's, or of a session of Spark's; anything else as it is.

    A run has a transaction of its own: what a connection did not commit is not there for it.
    """
    if type(given).__module__.startswith("pyspark.sql.") and type(given).__name__ == "SparkSession":
        return EngineUrl.of_spark(given)
    if not type(given).__module__.startswith("sqlalchemy."):
        return given
    from sqlalchemy.engine import Connection, Engine

    if isinstance(given, Connection):
        given = given.engine
    return EngineUrl.of(given) if isinstance(given, Engine) else given


def parse(url: str) -> URL:
    """A URL in its parts. Raises :class:`SourceError`, which does not repeat it: it may hold a password."""
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        return make_url(str(url))
    except (ArgumentError, ValueError):
        raise SourceError(
            "the url is not of the form duckdb:///path/to/file.duckdb or postgresql://user@host/database"
        ) from None
