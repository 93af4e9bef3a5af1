"""A release in a DuckDB file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os.path import samestat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starcloak import fingerprint
from starcloak.errors import OutputError, SourceError, StatementError
from starcloak.hosts.duckdb import attach
from starcloak.session import ORIGIN, Session
from starcloak.statement import Literal, Name, Statement
from starcloak.targets import staging
from starcloak.targets.data_frame import arrow_rows
from starcloak.targets.footprint import Written
from starcloak.targets.staging import Sealed, flush

if TYPE_CHECKING:
    pass


from starcloak.targets.target import Target

MARK = "starcloak release"
_OF = " of "  # and the origin of its rows
_STORE = "release_store"


class Table(Target):
    """A table of a DuckDB file: of the source's, of another one, or of a fresh one that never held a raw row."""

    def __init__(self, database: Path, table: str, *, is_source: bool) -> None:
        self.database = database
        self.is_source = is_source
        self.label = f"{table} in {database}"
        self.identity = str(database)
        self.names = _schema_and_table(table)
        self.is_fresh = not database.exists()
        self.databases, self.stages = ((), (database,)) if self.is_fresh else ((database,), ())
        self.written = (Written(database, "the release", "output.url", may_be_source=is_source),)
        self.store = ORIGIN if is_source else _STORE
        self.table = Name(self.store, *self.names)
        self.mark: str | None = None

    def is_named(self, table: str) -> bool:
        """Whether it goes by the name of a table of its database."""
        return _folded(self.names) == _folded(_schema_and_table(table))

    @contextmanager
    def hold(self) -> Iterator[None]:
        with staging.lock(self.database, self.label, "check output.url"):
            staging.sweep(self.database)
            yield

    def prepare(self, session: Session) -> None:
        if self.is_fresh:
            if self.names[0] != "main":
                raise OutputError(f"a fresh database has no schema {self.names[0]!r}: leave it out of output.table")
            return
        if not os.access(self.database, os.W_OK):
            raise OutputError(f"{self.database} cannot be written: check its permissions")
        if not self.is_source:
            self._attach(session, read_only=True)
        self.mark = self._refuse_other(session)
        if not self.is_source:
            self._detach(session)

    def _refuse_other(self, session: Session) -> str | None:
        """Refuse what is no release; returns the mark of one that is there."""
        binds = {"database": self.store, "schema": self.names[0], "table": self.names[1]}
        schemas, comment, views = session.row(Statement("release/existing"), binds)
        if not schemas:
            raise OutputError(
                f"{self.database} has no schema {self.names[0]!r}: create it, or leave it out of output.table"
            )
        if views or (comment is not None and not comment.startswith(MARK)):
            raise OutputError(f"{self.label} is there already and is not a release of starcloak: choose another name")
        return None if comment is None else str(comment)

    def replaced(self, session: Session) -> str | None:
        return None if self.mark is None else self.mark.removeprefix(MARK).removeprefix(_OF)

    def stage(self, session: Session, release: Statement) -> None:
        if self.is_source:
            # The same name, now for writing: the source's view goes on meaning it.
            self._detach(session)
        self.opened = None if self.is_fresh else self.database.stat()
        self._attach(session, read_only=False)
        session.command("begin transaction")
        self._refuse_other(session)
        session.run(Statement("release/table", {"table": self.table, "release": release}))
        session.run(self._marked(self.table))
        if self.is_fresh:
            session.command("commit")
            self._detach(session)
            flush(session.staging(self.database))
            self.sealed = Sealed(session.staging(self.database))
            session.closing(self.sealed.close)
            self._attach(session, read_only=True)

    def read_back(self, session: Session) -> Statement:
        return Statement("source/relation", {"relation": self.table})

    def digest(self, session: Session, *, staged: bool) -> str | None:
        if staged or self.is_source:
            return fingerprint.relation(session, self.read_back(session))
        if self.is_fresh:
            return None
        self._attach(session, read_only=True)
        try:
            return fingerprint.relation(session, self.read_back(session))
        finally:
            self._detach(session)

    def publish(self, session: Session, summary: dict[str, Any]) -> None:
        if not self.is_fresh:
            self._refuse_replaced()
            session.command("commit")  # nothing may follow: it would fail a run whose release is out
            return
        self._detach(session)
        self.sealed.refuse_changed()
        try:
            self.sealed.publish(self.database, os.link)  # unlike a rename, never over a file that came meanwhile
        except FileExistsError:
            raise OutputError(f"{self.database} appeared during the run: run again") from None
        with suppress(OSError):
            flush(self.database.parent)
            staging.sweep(self.database)

    def _refuse_replaced(self) -> None:
        """What is committed goes to the file that was opened, even where another one has its name by now."""
        # Its inode is asked by name: to open the file here and close it would end the lock that DuckDB has on it.
        if self.opened is None or not self.database.exists() or not samestat(self.opened, self.database.stat()):
            raise OutputError(f"{self.database} was replaced by another file during the run: run again")

    def discard(self, session: Session) -> None:
        with suppress(StatementError):
            session.command("rollback")
        with suppress(StatementError):
            self._detach(session)
        staging.sweep(self.database)

    def script(self, release: Statement) -> list[Statement]:
        table = Name(*self.names) if self.is_source else self.table
        return [
            Statement("release/publish_table", {"table": table, "rows": release}),
            self._marked(table),
        ]

    def _marked(self, table: Name) -> Statement:
        return Statement("release/comment", {"table": table, "mark": Literal(f"{MARK}{_OF}{self.origin}")})

    def opening(self) -> list[Statement]:
        if self.is_source:
            return []
        return [Statement("release/attach", {"path": Literal(str(self.database)), "store": Name(self.store)})]

    def frame(self) -> Any:
        with Session(databases=[self.database]) as session:
            attach(session, self.database, self.store, read_only=True)
            return arrow_rows(session, self.read_back(session))

    def _attach(self, session: Session, *, read_only: bool) -> None:
        try:
            file = session.staging(self.database) if self.is_fresh else self.database
            attach(session, file, self.store, read_only=read_only)
        except SourceError as error:
            raise OutputError(str(error)) from None

    def _detach(self, session: Session) -> None:
        session.command(f"detach {Name(self.store).sql()}")


def _schema_and_table(table: str) -> tuple[str, str]:
    schema, _, name = table.rpartition(".")
    return (schema or "main", name)


def _folded(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name.casefold() for name in names)
