"""Where a release goes: staged, read back for the verifier, then published whole, or not at all.

Each target writes its staging so that the old release stays as it is until the last step, which is one rename or one
commit. Files are locked and staged under the run's own name beside their place, and what is published has the bytes
that the verifier read. A staging left by a killed run is removed by the next run on the same target.
"""

from __future__ import annotations

import json
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from os.path import samestat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starcloak import fingerprint, source, staging
from starcloak import session as sessions
from starcloak.errors import OutputError, SourceError, StatementError
from starcloak.footprint import Written
from starcloak.frame import as_pandas
from starcloak.host import Host
from starcloak.session import ORIGIN, Session
from starcloak.source import Source
from starcloak.staging import Sealed, flush
from starcloak.statement import Hole, Literal, Name, Number, Statement, columns

if TYPE_CHECKING:
    import pandas
    import pyarrow

    from starcloak import recoding
    from starcloak.column import Column

# Types that Parquet rounds or lacks, lists of one length among them, and those of which a text tells too little.
_NOT_IN_PARQUET = r"\b(U?HUGEINT|INTERVAL|BIT|BIGNUM|TIME WITH|UNION|GEOMETRY)\b|\[\d"
_NOT_IN_CSV = r"\bUNION\b"

MARK = "starcloak release"
_OF = " of "  # and the origin of its rows
_STORE = "release_store"


class Target(ABC):
    """A place for a release.

    The order of calls is ``hold``, ``prepare``, ``stage``, ``read_back`` and then ``publish`` or ``discard``. It stages
    files beside ``stages``; ``origin`` tells the source of the new release from others, as
    :func:`~starcloak.fingerprint.origin` does. The files ``written`` are known to be no others when it is held.
    """

    label: str
    identity: str
    origin: str = ""
    files: tuple[Path, ...] = ()
    databases: tuple[Path, ...] = ()
    stages: tuple[Path, ...] = ()
    written: tuple[Written, ...] = ()
    at_source = False  # whether it is made where the rows are; others take them from the working store
    takes_rows = False  # whether a release of a data frame has its very rows
    warnings: Sequence[str] = ()

    def hold(self) -> AbstractContextManager[None]:
        """Hold the place for one run: a second run on it fails at once."""
        return sessions.lock(self.identity, self.label)

    @abstractmethod
    def prepare(self, session: Session) -> None:
        """Refuse, before any long work, a place that cannot be written or that holds something else."""

    def accept(self, opened: Source) -> None:
        """Refuse columns that the place cannot hold."""
        return None

    def held(self, column: Column) -> str:
        """The type that a column has there which leaves as it is."""
        return column.type

    def replaced(self, session: Session) -> str | None:
        """The origin of the release that stands in the place; empty where nothing tells it, None without a release.

        The place is prepared.
        """
        return None

    @abstractmethod
    def stage(self, session: Session, release: Statement) -> None:
        """Write the release where nobody looks for it yet."""

    def keep(self, dimensions: Mapping[str, recoding.Table]) -> None:
        """Have dimension tables published with the release, by attribute."""
        return None

    @abstractmethod
    def read_back(self, session: Session) -> Statement:
        """The statement that reads the staged release."""

    def is_as_sent(self, session: Session) -> bool:
        """Whether the cells that were read back are those that were sent there, not only equal ones."""
        return True

    def digest(self, session: Session, *, staged: bool) -> str | None:
        """What tells the staged release, or what stands in its place, from any other; None where that cannot be told.

        The place is prepared.
        """
        return None

    @abstractmethod
    def publish(self, session: Session, summary: dict[str, Any]) -> None:
        """Put the staged release in the place of the old one, in one step. ``summary`` goes with it."""

    @abstractmethod
    def discard(self, session: Session) -> None:
        """Leave the old release as it is and remove the staging."""

    def sweep(self) -> None:
        """Remove a staging that a killed run left."""
        return None

    @abstractmethod
    def script(self, release: Statement) -> list[Statement]:
        """The statements that write checked rows in the database's own client; a table that is there stays."""

    def is_written_by(self, host: Host) -> bool:
        """Whether the client of a host can write to it."""
        return isinstance(host, Session)

    def opening(self) -> list[Statement]:
        """The statements that a script begins with, before its transaction."""
        return []

    @abstractmethod
    def content(self) -> pyarrow.Table:
        """The rows of the published release."""

    def to_pandas(self) -> pandas.DataFrame:
        """The rows of the published release as a data frame."""
        return as_pandas(self.content())


class Memory(Target):
    """A release for a data frame: it never leaves the process.

    Of a source that is a data frame, the kept columns are the frame's own: the staging has the rows to take, and what
    is read back are the cells in them.
    """

    takes_rows = True

    def __init__(self) -> None:
        self.label = self.identity = "memory"
        self.table = Name("release")
        self._source: Source | None = None
        self._frame: pandas.DataFrame | None = None
        self._content: pyarrow.Table = None

    def is_written_by(self, host: Host) -> bool:
        return True

    def hold(self) -> AbstractContextManager[None]:
        return nullcontext()

    def prepare(self, session: Session) -> None:
        pass

    def accept(self, opened: Source) -> None:
        self._source = opened

    def stage(self, session: Session, release: Statement) -> None:
        session.create(self.table, release)

    def read_back(self, session: Session) -> Statement:
        if self._source is None or self._source.frame is None:
            return Statement("source/relation", {"relation": self.table})
        origins = (
            Name("released" if column in self._source.quasi_identifiers else "source", column.name)
            for column in self._source.released
        )
        holes: dict[str, Hole] = {
            "columns": columns(origins),
            "release": self.table,
            "source": self._source.relation,
            "position": self._source.frame.position,
        }
        return Statement("release/rejoined", holes)

    def publish(self, session: Session, summary: dict[str, Any]) -> None:
        staged = session.arrow(Statement("source/relation", {"relation": self.table}))
        if self._source is None or self._source.frame is None:
            self._content = staged
        else:
            self._frame = self._source.frame.released(staged, self._source.released)

    def discard(self, session: Session) -> None:
        session.drop(self.table)

    def script(self, release: Statement) -> list[Statement]:
        return [release]

    def to_pandas(self) -> pandas.DataFrame:
        return as_pandas(self._content) if self._frame is None else self._frame.copy()

    def content(self) -> pyarrow.Table:
        return self._content


class File(Target):
    """A CSV or Parquet file, with a ledger beside it that tells which contents were released by starcloak."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self.label = str(path)
        self.identity = str(self.path)
        self.ledger = self.path.with_name(f"{self.path.name}.starcloak.json")
        self.files = self.stages = (self.path,)
        self.written = (
            Written(self.path, "the release", "output.path"),
            Written(self.ledger, "the ledger", "output.path", is_own=lambda path: _entries(path) is not None),
        )
        self.is_parquet = self.path.suffix.lower() == ".parquet"
        self._only: Name | None = None

    @contextmanager
    def hold(self) -> Iterator[None]:
        with staging.lock(self.path, self.label, "check output.path"):
            staging.sweep(self.path)
            staging.sweep(self.ledger)
            yield

    def prepare(self, session: Session) -> None:
        if "\\" in str(self.path) and re.search(r"[*?[]", str(self.path)):
            # No pattern of DuckDB's means it, by which a script could see whether it is there.
            raise OutputError(f"{self.label} has a backslash and one of * ? [ in its path: choose another")
        try:
            self.there = self._refuse_other()
        except OSError as error:
            raise OutputError(f"{self.label} cannot be written ({type(error).__name__}): check output.path") from None

    def _refuse_other(self) -> dict[str, Any] | None:
        """Refuse what is no release; returns the ledger's entry of one that is there."""
        if not self.path.exists():
            return None
        known = self._released().get(fingerprint.file(self.path)) if self.path.is_file() else None
        if known is None:
            raise OutputError(
                f"{self.label} is there already and is not a release of starcloak: move it or choose another path"
            )
        return known

    def accept(self, opened: Source) -> None:
        for column in opened.released:
            if column.holds(_NOT_IN_PARQUET if self.is_parquet else _NOT_IN_CSV):
                raise OutputError(
                    f"column {column.name!r} is of type {column.kind}, which {'Parquet' if self.is_parquet else 'CSV'} "
                    "does not keep as it is: cast it in a query"
                )
        names = [column.name for column in opened.released]
        if not self.is_parquet and (names[0].startswith("\ufeff") or any("\r" in name for name in names)):
            raise OutputError(
                f"{self.label}: readers of CSV lose a carriage return in a column's name, and a byte order mark before "
                "the first one: rename the column in a query"
            )
        self._only = Name(names[0]) if len(names) == 1 and not self.is_parquet else None

    def held(self, column: Column) -> str:
        if not self.is_parquet:
            return "VARCHAR"
        return "TIMESTAMP" if column.type in ("TIMESTAMP_S", "TIMESTAMP_MS") else column.type

    def stage(self, session: Session, release: Statement) -> None:
        staged = session.staging(self.path)
        session.run(self._copy(release, staged))
        flush(staged)
        self.sealed = Sealed(staged)
        session.closing(self.sealed.close)
        if self._only is not None:
            holes: dict[str, Hole] = {"column": self._only, "release": self.read_back(session)}
            (blank,) = session.row(Statement("release/blank", holes))
            if blank:
                raise OutputError(
                    f"{self.label}: cells that are missing or blank are empty lines where there is one column, which "
                    "readers leave out: release to Parquet, or keep another column"
                )

    def read_back(self, session: Session) -> Statement:
        return source.file_rows(session.plain(self.sealed.path))

    def digest(self, session: Session, *, staged: bool) -> str | None:
        if staged:
            return self.sealed.digest
        with suppress(OSError):
            return fingerprint.file(self.path)
        return None

    def replaced(self, session: Session) -> str | None:
        return None if self.there is None else str(self.there.get("origin", ""))

    def publish(self, session: Session, summary: dict[str, Any]) -> None:
        self._refuse_other()
        self.sealed.refuse_changed()
        digest = self.sealed.digest
        entry = {"sha256": digest, **{key: summary[key] for key in ("run", "k", "rows", "origin", "starcloak")}}
        before = self._released()
        # The ledger knows the new content before the file has it, so a kill between leaves either one recognized.
        self._write_ledger(session, [entry, *(old for key, old in before.items() if key != digest)])
        if self.path.exists():
            self.sealed.allow(self.path.stat().st_mode)
        self.sealed.publish(self.path, os.replace)
        with suppress(OSError):  # the release is out, and the ledger knows it already
            flush(self.path.parent)
            self._write_ledger(session, [entry])

    def discard(self, session: Session) -> None:
        staging.sweep(self.path)

    def script(self, release: Statement) -> list[Statement]:
        aside = self.path.with_name(f"tmp_{self.path.name}")  # DuckDB's own name for it
        absent = Statement("release/absent", {"path": _pattern(self.path), "aside": _pattern(aside)})
        return [absent, self._copy(release, self.path, aside=True)]

    def content(self) -> pyarrow.Table:
        with Session(files=[self.path]) as session:
            return session.arrow(source.file_rows(session.plain(self.path)))

    def _copy(self, release: Statement, path: Path, *, aside: bool = False) -> Statement:
        kind = "release/copy_parquet" if self.is_parquet else "release/copy_csv"
        return Statement(kind, {"release": release, "path": Literal(str(path)), "aside": Number(aside + 0)})

    def _released(self) -> dict[str, dict[str, Any]]:
        """The ledger: what is known of contents that were released here, by their hash."""
        return _entries(self.ledger) or {}

    def _write_ledger(self, session: Session, entries: list[dict[str, Any]]) -> None:
        staging.write(self.ledger, json.dumps({"releases": entries}, indent=2) + "\n", session.run_id)
        flush(self.ledger.parent)


def _pattern(path: Path) -> Literal:
    """A path as DuckDB's ``glob`` takes it."""
    return Literal(re.sub(r"[*?[]", r"[\g<0>]", str(path)))


def _entries(ledger: Path) -> dict[str, dict[str, Any]] | None:
    """The entries of a ledger by the hash of the content, none where there is no file; None for what is no ledger."""
    try:
        return {entry["sha256"]: entry for entry in json.loads(ledger.read_text(encoding="utf-8"))["releases"]}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, KeyError):
        return None


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

    def content(self) -> pyarrow.Table:
        with Session(databases=[self.database]) as session:
            source.attach(session, self.database, self.store, read_only=True)
            return session.arrow(self.read_back(session))

    def _attach(self, session: Session, *, read_only: bool) -> None:
        try:
            file = session.staging(self.database) if self.is_fresh else self.database
            source.attach(session, file, self.store, read_only=read_only)
        except SourceError as error:
            raise OutputError(str(error)) from None

    def _detach(self, session: Session) -> None:
        session.command(f"detach {Name(self.store).sql()}")


def _schema_and_table(table: str) -> tuple[str, str]:
    schema, _, name = table.rpartition(".")
    return (schema or "main", name)


def _folded(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name.casefold() for name in names)
