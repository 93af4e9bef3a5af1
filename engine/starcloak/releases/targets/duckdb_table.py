"""A table of a DuckDB file as the release."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from os.path import samestat
from typing import Any

from starcloak.base.errors import OutputError, SourceError, StatementError
from starcloak.releases.targets.data_frame import arrow_rows
from starcloak.releases.targets.table import TableTarget
from starcloak.star import fingerprint
from starcloak.statements.statement import Literal, Name, Statement, Type
from starcloak.store import staging
from starcloak.store.hosts.duckdb import DuckDB, attach, open_file
from starcloak.store.hosts.ledger import Entry
from starcloak.store.hosts.url import Url
from starcloak.store.session import ORIGIN, Session
from starcloak.store.staging import Sealed, Written, flush
from starcloak.store.tables import Table as Needed

MARK = "starcloak release"
_OF = " of "  # and the origin of its rows
_DIMENSION = f"{MARK}: a dimension table of "  # and the release's name
_STORE = "release_store"


class DuckDBTable(TableTarget):
    """A table of a DuckDB file: of the source's, of another one, or of a fresh one that never held a raw row.

    Its comment marks it as a release, also where a script made it, which enters nothing into a ledger.
    """

    database: DuckDB

    def __init__(self, url: Url, table: str, *, is_source: bool) -> None:
        super().__init__(url, table)
        file = url.embedded_file
        assert file is not None
        self.file = file
        self.is_source = is_source
        self.label = f"{table} in {file}"
        self.identity = str(file)
        self.is_fresh = not file.exists()
        self.databases, self.stages = ((), (file,)) if self.is_fresh else ((file,), ())
        self.written = (Written(file, "the release", "output.url", may_be_source=is_source),)
        self.store = ORIGIN if is_source else _STORE
        self.kept: Mapping[str, Needed] = {}

    @contextmanager
    def lock_place(self) -> Iterator[None]:
        with staging.lock_place(self.file, self.label, "check output.url"):
            yield

    def prepare(self, session: Session) -> None:
        self.database = open_file(session, self.url, self.store)
        self.warnings = self.database.warnings
        self._settle()
        if self.is_fresh:
            if self.schema.lower() != self.database.default_schema:
                raise OutputError(f"a fresh database has no schema {self.schema!r}: leave it out of output.table")
            return
        if not os.access(self.file, os.W_OK):
            raise OutputError(f"{self.file} cannot be written: check its permissions")
        if not self.is_source:
            self._attach(session, read_only=True)
        self.before = self._release_before()
        if not self.is_source:
            self._detach(session)

    def keep(self, dimensions: Mapping[str, Needed]) -> None:
        self.kept = {self._dimension(attribute): table for attribute, table in dimensions.items()}

    def stage(self, session: Session, release: Statement) -> None:
        if self.is_source:
            # The same name, now for writing: the source's view goes on meaning it.
            self._detach(session)
        if self.is_fresh:
            staging.opened(session.staging(self.file))
        self.opened = None if self.is_fresh else self.file.stat()
        self._attach(session, read_only=False)
        session.command("begin transaction")
        self.before = self._release_before()
        for name, table in self.kept.items():
            self.dimensions[name] = (self.database.table(self.schema, name), self._dimension_before(name))
            self._make(self.dimensions[name][0], table.rows, f"{_DIMENSION}{self.name}")
        self._make(self.table, release, f"{MARK}{_OF}{self.origin_told}")
        if self.is_fresh:
            session.command("commit")
            self._seal(session)

    def _make(self, table: Name, rows: Statement, mark: str) -> None:
        self.database.perform(Statement("releases/targets/table", table=table, release=rows))
        self.database.perform(_mark(table, mark))

    def _seal(self, session: Session) -> None:
        """Close the staged file, so that its bytes are known from here on, and open it for reading."""
        self._detach(session)
        flush(session.staging(self.file))
        self.sealed = Sealed(session.staging(self.file))
        session.at_close(self.sealed.close)
        self._attach(session, read_only=True)

    def _is_own(self, name: str) -> bool:
        return (self.database.mark(self.schema, name) or "").startswith(MARK)

    def _entries_otherwise(self, name: str) -> list[Entry]:
        """What the mark of a table tells that a script made."""
        mark = self.database.mark(self.schema, name) or ""
        if not mark.startswith(MARK) or mark.startswith(_DIMENSION):
            return []
        return [Entry("", is_release=True, origin=mark.removeprefix(MARK).removeprefix(_OF), of="")]

    def read_back(self, session: Session) -> Statement:
        return Statement("store/relation", relation=self.table)

    def digest(self, session: Session, *, staged: bool) -> str | None:
        if staged or self.is_source:
            digest = fingerprint.relation(session, self.read_back(session))
            if staged:
                self.verified = digest
            return digest
        if self.is_fresh:
            return None
        self._attach(session, read_only=True)
        try:
            return fingerprint.relation(session, self.read_back(session))
        finally:
            self._detach(session)

    def publish(self, session: Session, summary: dict[str, Any]) -> None:
        if not self.is_fresh:
            self._enter(summary)
            self._refuse_replaced()
            self.may_be_out = True
            session.command("commit")  # nothing may follow: it would fail a run whose release is out
            return
        self._enter_sealed(session, summary)
        self._detach(session)
        self.sealed.refuse_changed()
        self.may_be_out = True
        try:
            self.sealed.publish(self.file, os.link)  # unlike a rename, never over a file that came meanwhile
        except FileExistsError:
            self.may_be_out = False
            raise OutputError(f"{self.file} appeared during the run: run again") from None
        with suppress(OSError):  # the release is out, and its bytes are on the disk
            flush(self.file.parent)

    def _enter_sealed(self, session: Session, summary: dict[str, Any]) -> None:
        """Write the ledger of a fresh file, which changes its bytes: its release is then told again from others."""
        self._detach(session)
        self.sealed.refuse_changed()
        self._attach(session, read_only=False)
        session.command("begin transaction")
        self._enter(summary)
        session.command("commit")
        self._seal(session)
        if self.verified is None or fingerprint.relation(session, self.read_back(session)) != self.verified:
            raise OutputError(
                f"{self.label} was changed by another program after it was verified: nothing was published; run again"
            )

    def _refuse_replaced(self) -> None:
        """What is committed goes to the file that was opened, even where another one has its name by now."""
        # Its inode is asked by name: to open the file here and close it would end the lock that DuckDB has on it.
        if self.opened is None or not self.file.exists() or not samestat(self.opened, self.file.stat()):
            raise OutputError(f"{self.file} was replaced by another file during the run: run again")

    def discard(self, session: Session) -> None:
        with suppress(StatementError):  # nothing was begun
            session.command("rollback")
        with suppress(StatementError):  # nothing is attached
            self._detach(session)
        staging.sweep(self.file)

    def script(self, release: Statement, *, recounts: int, k: int) -> list[Statement]:
        table = Name(self.schema, self.name) if self.is_source else self.table
        return [
            Statement("releases/targets/table", table=table, release=release),
            _mark(table, f"{MARK}{_OF}{self.origin_told}"),
        ]

    def refusals(self) -> list[Statement]:
        return [
            Statement(
                "releases/replace#unmarked",
                database=Type("current_database()") if self.is_source else Literal(self.store),
                schema=Literal(self.schema),
                name=Literal(self.name),
                mark=Literal(f"{MARK}{_OF}{self.origin_told}"),
            )
        ]

    def opening(self) -> list[Statement]:
        if self.is_source:
            return []
        return [Statement("releases/script#attach", path=Literal(str(self.file)), store=Name(self.store))]

    def frame(self) -> Any:
        with Session(databases=[self.file]) as session:
            attach(session, self.file, self.store, read_only=True)
            return arrow_rows(session, self.read_back(session))

    def _attach(self, session: Session, *, read_only: bool) -> None:
        try:
            file = session.staging(self.file) if self.is_fresh else self.file
            attach(session, file, self.store, read_only=read_only)
        except SourceError as error:
            raise OutputError(str(error)) from None

    def _detach(self, session: Session) -> None:
        session.command(f"detach {Name(self.store).sql()}")


def _mark(table: Name, mark: str) -> Statement:
    return Statement("releases/script#comment", table=table, mark=Literal(mark))
