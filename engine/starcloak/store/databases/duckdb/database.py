"""DuckDB files, opened by the working store itself under internal names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from starcloak.base.errors import SourceError, StatementError
from starcloak.statements.statement import Literal, Name, Statement
from starcloak.store.databases.registry import register
from starcloak.store.databases.tables import Tables

if TYPE_CHECKING:
    from sqlalchemy.engine import URL

    from starcloak.base.column import Column
    from starcloak.statements.statement import Row, Rows
    from starcloak.store.databases.url import Url
    from starcloak.store.session import Session
    from starcloak.store.tables import Table
    from starcloak.store.writer import Writer


@register
class DuckDB(Tables):
    """The tables of a DuckDB file, attached to the working store as ``store``."""

    names = ("duckdb",)
    example = "duckdb:///path/to/file.duckdb"
    state = "a file that is opened to read only"
    published = "its commit; a fresh file, by the link that gives it its name"
    embedded = True
    folds_names = True
    default_schema = "main"
    dialect = ""
    system = ("information_schema", "pg_catalog")

    def __init__(self, session: Session | Writer, path: Path, store: str) -> None:
        self.runner = session
        self.name = str(path)
        self.store = store
        self.warnings: list[str] = []

    @classmethod
    def file(cls, url: URL) -> Path:
        if not url.database or url.database == ":memory:":
            raise SourceError(f"the url names no file: give a url such as {cls.example}")
        try:
            return Path(url.database).expanduser().resolve()
        except (OSError, ValueError, RuntimeError) as error:
            raise SourceError(
                f"the path in the url is not possible for a file ({type(error).__name__}): check the url"
            ) from None

    def run(self, statement: Rows, binds: Mapping[str, Any] | None = None) -> list[Row]:
        return self.runner.run(statement, binds)

    def perform(self, statement: Rows, binds: Mapping[str, Any] | None = None) -> None:
        self.runner.run(statement, binds)

    def describe(self, rows: Statement) -> list[Column]:
        return self.runner.describe(rows)

    def carry(self, tables: Sequence[Table]) -> Mapping[Name, Name]:
        return {}

    def current_schema(self) -> str:
        return "main"

    def table(self, schema: str, name: str) -> Name:
        return Name(self.store, schema, name)

    def what_stands(self, schema: str, table: str, ledger: str) -> Row:
        binds = {"database": self.store, "schema": schema, "table": table, "ledger": ledger}
        return self.row(Statement("store/existing"), binds)

    def mark(self, schema: str, table: str) -> str | None:
        binds = {"database": self.store, "schema": schema, "table": table}
        (mark,) = self.row(Statement("store/existing#mark"), binds)
        return None if mark is None else str(mark)

    def ledgers(self, schema: str, ledger: str) -> list[Row]:
        return self.run(Statement("store/ledger#ledgers"), {"database": self.store, "schema": schema, "ledger": ledger})


def attach(session: Session | Writer, path: Path, name: str, *, read_only: bool) -> None:
    """Attach a DuckDB file to a session under a name. Raises :class:`SourceError` for an unreadable file."""
    try:
        session.command(f"attach {Literal(str(path)).sql()} as {Name(name).sql()}{' (read_only)' if read_only else ''}")
    except StatementError as error:
        raise SourceError(
            f"{path} cannot be opened as a DuckDB database ({error.kind}): check the file, "
            "and that no other program has it open for writing"
        ) from None


def open_file(session: Session | Writer, url: Url, store: str) -> DuckDB:
    """The tables of a URL's DuckDB file; the caller attaches the file to the session under the name ``store``."""
    file = url.embedded_file
    assert file is not None
    return cast(type[DuckDB], url.kind)(session, file, store)
