"""Targets: a table of a DuckDB file, which is the file of the source or another one."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from os.path import samestat
from typing import TYPE_CHECKING, Any

from starcloak.base.errors import OutputError, SourceError, StatementError
from starcloak.base.operating_system import flush, flush_folder, move_new
from starcloak.releases.targets.data_frame import arrow_rows
from starcloak.releases.targets.file import NOT_IN_PARQUET, copied
from starcloak.releases.targets.table import TableTarget
from starcloak.sources.file_formats import parquet_rows
from starcloak.star import fingerprint
from starcloak.statements.statement import As, Hole, Literal, Name, Statement, Type, columns
from starcloak.store import staging
from starcloak.store.databases.duckdb.database import DuckDB, attach, open_file
from starcloak.store.databases.host import Host
from starcloak.store.databases.ledger import Entry
from starcloak.store.databases.url import Url
from starcloak.store.session import ORIGIN, Session, database_files
from starcloak.store.staging import Sealed, Written
from starcloak.store.tables import Table as Needed
from starcloak.store.writer import Writer, WriterEndedError

if TYPE_CHECKING:
    from pathlib import Path

    from starcloak.store.source import Source

MARK = "starcloak release"
_OF = " of "  # and the origin of its rows
_ENDED = "the process that writes it ended"
_DIMENSION = f"{MARK}: a dimension table of "  # and the release's name


class DuckDBTable(TableTarget):
    """A table of the DuckDB file with the source, published in one transaction with its ledger.

    The connection that reads the source also makes the table. The table's comment marks it as a release, with the
    origin of its source. A release made by a script has this mark alone: a script writes no ledger.
    """

    database: DuckDB
    attached = ORIGIN  # the name that the file has while it is open

    def __init__(self, url: Url, table: str) -> None:
        super().__init__(url, table)
        file = url.embedded_file
        assert file is not None
        self.file = file
        self.label = f"{table} in {file}"
        self.identity = str(file)
        self.kept: Mapping[str, Needed] = {}

    @contextmanager
    def lock_place(self) -> Iterator[None]:
        with staging.lock_place(self.file, self.label, "check output.url") as self.runs_left:
            yield

    def prepare(self, session: Session, host: Host, dimensions: Sequence[str] = ()) -> None:
        self._open(session)
        self._know_before(dimensions)

    def _know_before(self, dimensions: Sequence[str]) -> None:
        if not os.access(self.file, os.W_OK):
            raise OutputError(f"{self.file} cannot be written: check the permissions of the file")
        self.before = self._release_before()
        self._refuse_dimensions(dimensions)

    def _open(self, store: Session | Writer) -> None:
        self.store = store
        self.database = open_file(store, self.url, self.attached)
        self.warnings = self.database.warnings
        self._settle()

    def keep(self, dimensions: Mapping[str, Needed]) -> None:
        self.kept = {self._dimension(attribute): table for attribute, table in dimensions.items()}

    def stage(self, session: Session, release: Statement) -> None:
        # The same name, now for writing: the source's view goes on meaning it.
        self._detach()
        self.opened = self.file.stat()
        self._attach(self.file, read_only=False)
        self._make_all(release)

    def _make_all(self, release: Statement) -> None:
        self.store.command("begin transaction")
        self.before = self._release_before()
        for name, table in self.kept.items():
            self.dimensions[name] = (self.database.table(self.schema, name), self._dimension_before(name))
            self._make(self.dimensions[name][0], table.rows, f"{_DIMENSION}{self.name}")
        self._make(self.table, release, f"{MARK}{_OF}{self.origin_told}")

    def _make(self, table: Name, rows: Statement, mark: str) -> None:
        self.database.perform(Statement("releases/targets/table", table=table, release=rows))
        self.database.perform(_mark(table, mark))

    def _is_own(self, name: str) -> bool:
        return (self.database.mark(self.schema, name) or "").startswith(MARK)

    def _entries_otherwise(self, name: str) -> list[Entry]:
        """The entry of a table made by a script, derived from the mark in the table's comment; else no entry."""
        mark = self.database.mark(self.schema, name) or ""
        if not mark.startswith(MARK) or mark.startswith(_DIMENSION):
            return []
        return [Entry("", is_release=True, origin=mark.removeprefix(MARK).removeprefix(_OF), of="")]

    def read_back(self, session: Session) -> Statement:
        return Statement("store/relation", relation=self.table)

    def digest(self, session: Session, *, staged: bool) -> str | None:
        return self._digest_of_table()

    def digests(self, session: Session, opened: Source) -> Iterator[str | None]:
        yield fingerprint.relation(session, Statement("store/relation", relation=opened.relation))

    def _digest_of_table(self) -> str | None:
        return fingerprint.relation(self.store, Statement("store/relation", relation=self.table))

    def publish(self, session: Session, summary: dict[str, Any]) -> None:
        self._enter(summary)
        # A commit goes to the opened file, even if another one has its name by now. Its inode is
        # asked by name: to open the file here and close it would end the lock that DuckDB has on it.
        if not self.file.exists() or not samestat(self.opened, self.file.stat()):
            raise OutputError(f"{self.file} was replaced by another file during the run: run again")
        with self._publishing(summary["run"]):
            self.store.command("commit")  # nothing may follow: it would fail a run whose release is out

    def _roll_back(self) -> None:
        self.store.command("rollback")

    def script(self, release: Statement, *, recounts: int, k: int) -> list[Statement]:
        return [
            Statement("releases/targets/table", table=self.in_script, release=release),
            _mark(self.in_script, f"{MARK}{_OF}{self.origin_told}"),
        ]

    @property
    def in_script(self) -> Name:
        """The table's name as written in an SQL script."""
        return Name(self.schema, self.name)

    def refusals(self) -> list[Statement]:
        return [self._unmarked(Type("current_database()"))]

    def _unmarked(self, database: Hole) -> Statement:
        return Statement(
            "releases/replace#unmarked",
            database=database,
            schema=Literal(self.schema),
            name=Literal(self.name),
            mark=Literal(f"{MARK}{_OF}{self.origin_told}"),
        )

    def frame(self) -> Any:
        with Session(databases=[self.file]) as session:
            attach(session, self.file, self.attached, read_only=True)
            return arrow_rows(session, Statement("store/relation", relation=self.table))

    def _attach(self, file: Path, *, read_only: bool) -> None:
        try:
            attach(self.store, file, self.attached, read_only=read_only)
        except SourceError as error:
            raise OutputError(str(error)) from None

    def _detach(self) -> None:
        self.store.command(f"detach {Name(self.attached).sql()}")


class TableOfFile(DuckDBTable):
    """A table of a DuckDB file other than the source's, or of a new one.

    A separate process writes the file, and this process never has a row of the source in memory: unused parts of the
    pages of a DuckDB file contain remains of the writing process's memory. The process gets the recoded rows as a
    Parquet file. The verifier reads the same Parquet file, and the rows of the table are compared with it by digest.
    """

    attached = "release_store"

    def __init__(self, url: Url, table: str) -> None:
        super().__init__(url, table)
        self.is_fresh = not self.file.exists()
        self.stages = (self.file,) if self.is_fresh else ()
        self.written = (Written(self.file, "the release", "output.url"),)
        self.verified: str | None = None

    def prepare(self, session: Session, host: Host, dimensions: Sequence[str] = ()) -> None:
        self.staged = session.staging(self.file) if self.is_fresh else self.file
        self.writer = Writer(session, database_files(self.staged), self.label)
        self._open(self.writer)
        if self.is_fresh:
            if self.schema.lower() != self.database.default_schema:
                raise OutputError(
                    f"the new database has no schema {self.schema!r}: leave the schema out of output.table"
                )
            return
        self._attach(self.file, read_only=True)
        self._know_before(dimensions)
        self._detach()

    def accept(self, opened: Source) -> None:
        for column in opened.released:
            if column.holds(r"\bUNION\b"):
                raise OutputError(
                    f"column {column.name!r} of type {column.kind} cannot be copied to another database file "
                    f"unchanged: cast the column in {opened.mended_in}"
                )

    def stage(self, session: Session, release: Statement) -> None:
        if self.is_fresh:
            staging.opened(self.staged)
        else:
            self.opened = self.file.stat()
        self.sent = self._send(session, release, "release")
        self.kept = {
            name: replace(table, rows=self._send(session, table.rows, f"dimension-{number}"))
            for number, (name, table) in enumerate(self.kept.items())
        }
        self._attach(self.staged, read_only=False)
        self._make_all(self.sent)
        if self.is_fresh:
            self.store.command("commit")
            self._seal(session)

    def _seal(self, session: Session) -> None:
        """Close the staged file, flush it to disk, and take a digest of its bytes to detect later changes."""
        self._detach()
        flush(self.staged)
        self.sealed = Sealed(self.staged)
        session.at_close(self.sealed.close)

    def _send(self, session: Session, rows: Statement, name: str) -> Statement:
        """Write rows to a Parquet file for the writer process; returns the statement that reads them with their types.

        Columns of types that Parquet cannot store are written as texts.
        """
        described = session.describe(rows)
        path = session.copies / f"{name}.parquet"
        cells = columns(
            As(Statement("store/text", column=column), column) if target_column.holds(NOT_IN_PARQUET) else column
            for target_column in described
            for column in [Name(target_column.name)]
        )
        names = [column.name for column in described]
        session.run(copied(Statement("store/source", columns=cells, origin=rows), path, names, parquet=True))
        typed = columns(
            As(Statement("store/received#typed", column=Name(column.name), type=Type(column.type)), Name(column.name))
            for column in described
        )
        return Statement("store/source", columns=typed, origin=parquet_rows(path))

    def read_back(self, session: Session) -> Statement:
        return self.sent

    def is_as_sent(self, session: Session) -> bool:
        """True if the table has the rows of the Parquet file that the verifier reads."""
        self.verified = fingerprint.relation(session, self.sent)
        return self.verified is not None and self._digest_of(self.staged, opened=not self.is_fresh) == self.verified

    def digest(self, session: Session, *, staged: bool) -> str | None:
        if staged:
            return self.verified
        return None if self.is_fresh else self._digest_of(self.file)

    def _digest_of(self, file: Path, *, opened: bool = False) -> str | None:
        """Digest of the table's rows in a file. ``opened`` is True if the file is already attached."""
        if opened:
            return self._digest_of_table()
        self._attach(file, read_only=True)
        try:
            return self._digest_of_table()
        finally:
            self._detach()

    def publish(self, session: Session, summary: dict[str, Any]) -> None:
        if not self.is_fresh:
            self._publish_there(session, summary)
            return
        self._enter_sealed(session, summary)
        self.may_be_out = True
        try:
            self.sealed.publish(self.file, _link)
        except OSError as error:
            self.may_be_out = self.sealed.is_at(self.file)
            if isinstance(error, FileExistsError):
                raise OutputError(f"another program made {self.file} during the run: run again") from None
            raise
        with suppress(OSError):  # the release is out, and its bytes are on the disk
            flush_folder(self.file.parent)

    def _publish_there(self, session: Session, summary: dict[str, Any]) -> None:
        try:
            super().publish(session, summary)
        except WriterEndedError:
            if not self.may_be_out:
                raise
            raise OutputError(f"{self.label} may be published already: {_ENDED}: run again to be sure") from None
        with suppress(StatementError, OutputError):  # the release is out
            self._detach()
        log = self.file.with_name(f"{self.file.name}.wal")
        if log.exists():
            self.database.warnings.append(
                f"{self.label} is published, but its rows are still in {log.name} beside the file ({_ENDED}, or the "
                "disk is full): open the file once with DuckDB before you copy it"
            )

    def _enter_sealed(self, session: Session, summary: dict[str, Any]) -> None:
        """Write the ledger into a new file, and check the digest of the table's rows again afterwards."""
        self.sealed.refuse_changed()
        self._attach(self.staged, read_only=False)
        self.store.command("begin transaction")
        self._enter(summary)
        self.store.command("commit")
        self.sealed.close()  # Windows moves no file that is open in any way
        self._seal(session)
        if self._digest_of(self.staged) != self.verified:
            raise OutputError(
                f"{self.label} was changed by another program after it was verified: nothing was published; run again"
            )
        self.sealed.refuse_changed()

    def refusals(self) -> list[Statement]:
        return [self._unmarked(Literal(self.attached))]

    @property
    def in_script(self) -> Name:
        return self.table

    def opening(self) -> list[Statement]:
        return [Statement("releases/script#attach", path=Literal(str(self.file)), store=Name(self.attached))]


def _link(staged: Path, place: Path) -> None:
    """Move a staged file to its place by a hard link. Unlike a rename, a link never replaces a file created meanwhile.

    The staged file exists beside the link for a moment. It is renamed first, so that a staged file under its original
    name is always one that was not published.
    """
    last = staged.with_name(f"{staged.name}.last")
    staged.rename(last)
    move_new(last, place)


def _mark(table: Name, mark: str) -> Statement:
    return Statement("releases/script#comment", table=table, mark=Literal(mark))
