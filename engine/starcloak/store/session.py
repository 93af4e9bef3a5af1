"""The working store: one embedded DuckDB per run, without access to other files, traced, and removed afterwards."""

from __future__ import annotations

import io
import logging
import os
import re
import shutil
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol

import duckdb

from starcloak.base.column import Column
from starcloak.base.errors import OutputError, StatementError, no_space
from starcloak.base.interrupts import Ending
from starcloak.base.operating_system import available_memory, is_private_folder, make_private_folder, temporary_name
from starcloak.statements.sql_literals import with_values
from starcloak.statements.statement import (
    Hole,
    Joined,
    Literal,
    Name,
    Row,
    Rows,
    Statement,
    Text,
    heading,
    join,
    path_of,
)
from starcloak.store import staging
from starcloak.store.databases.host import ClassTotals, Host

if TYPE_CHECKING:
    import duckdb
    import pyarrow
    from numpy.typing import NDArray

    from starcloak.store.tables import Table


def is_told(column: Column) -> bool:
    """True if :func:`exact_cell` supports the column's type: all but variants and unions inside another type."""
    inside = replace(column, type=column.type.removeprefix("UNION(")) if column.is_union else column
    return not inside.holds(r"\b(UNION\(|VARIANT\b)")


def exact_cell(cell: Hole, column: Column, connection: duckdb.DuckDBPyConnection) -> Hole:
    """Expression for a cell in the working store as a value with exact equality, such as the bits of a number.

    Two distinguishable cells, such as 0.0 and -0.0, are never equal. The type must pass :func:`is_told`.
    """
    if column.is_text:
        return Statement("store/cell/exact#bytes", cell=cell)
    if column.is_plain:
        return cell
    if column.is_float:
        return Statement("store/cell/exact#bits", cell=cell)
    # For nested types, the text: hashes of an empty list and of a missing one are equal.
    text = Statement("store/cell/exact", cell=cell)
    if not column.is_union:
        return text
    names = [name for name, _ in connection.type(column.type).children[1:]]  # the first one is the tag
    members = (Statement("store/cell/union#member", cell=cell, member=Literal(name)) for name in names)
    texts = tuple(Statement("store/cell/exact", cell=member) for member in members)
    return Statement("store/cell/exact", cell=Statement("store/cell/union", cell=cell, members=Joined(texts, ", ")))


log = logging.getLogger("starcloak")

# DuckDB writes these beside a database file while it is attached.
_DATABASE_SUFFIXES = ("", ".wal", ".wal.checkpoint", ".wal.recovery", ".checkpoint", ".tmp")

# The beginning of the name of a lock file; the name of its private folder follows.
_IN_USE = "in-use-"
# Maximum number of removals of a run's private folder, if new files appear in it meanwhile.
_REMOVALS = 50
# Rows of a row group of DuckDB; a stream has as many in memory together.
_ROW_GROUP = 122_880

# The share of a run's memory set as DuckDB's limit: DuckDB does not count all of its memory, least of all with spilled
# data.
_COUNTED = 0.95
# Without a given limit, the working store takes half of the memory available to the process, at most this many bytes.
_DEFAULT_LIMIT = 4_000_000_000
# The share of the available memory for the arrays of a search, without a given limit.
_OF_ARRAYS = 0.8

ORIGIN = "origin"  # the name of the source's database, if one is attached

SPILL = "spill"  # the subfolder of a session's folder for data beyond the memory
# Errors of a query's text, raised before a row is read.
_OF_QUERIES = (duckdb.ParserException, duckdb.BinderException, duckdb.CatalogException)


class Interruptible(Protocol):
    """A connection with statements of a run outside the working store, interrupted and closed with the session."""

    def interrupt(self) -> None: ...

    def close(self) -> None: ...


_Fetch = Callable[[duckdb.DuckDBPyConnection], Any]


def new_run_id() -> str:
    """A random identifier for a run."""
    return uuid.uuid4().hex


def private_root() -> Path:
    """Path of the parent folder of all runs' private folders; only this user has access to it.

    The folder lies in the system's temporary folder and is created if it is missing. Raises :class:`OutputError` for an
    existing folder of another user.
    """
    root = Path(tempfile.gettempdir()) / temporary_name()
    with suppress(FileExistsError):  # whatever it is, it is looked at below
        make_private_folder(root)
    if not is_private_folder(root):
        raise OutputError(
            f"other users have access to the temporary folder {root}: remove it, or set TMPDIR to another folder"
        )
    return root


class RunFolder:
    """The private folder of a run, with a lock file beside it, locked until the folder is removed.

    If the process ends without removing the folder, the :func:`sweep` of a later run removes it.
    """

    def __init__(self) -> None:
        root = private_root()
        self._held: int | None = None
        while self._held is None:
            self.path = root / f"run-{new_run_id()}"
            self._file = self.path.with_name(f"{_IN_USE}{self.path.name}")
            with suppress(BlockingIOError):  # a sweep found the file before its lock, and removes the file
                self._held = staging.take_lock(self._file)
        make_private_folder(self.path)

    def remove(self) -> None:
        """Remove the folder. Any thread may call this method, and more than once."""
        # An interrupted query may be about to spill once more.
        for _ in range(_REMOVALS):
            shutil.rmtree(self.path, ignore_errors=True)
            if not self.path.exists():
                break
            time.sleep(0.02)
        held, self._held = self._held, None
        if held is not None:
            _end_use(held, self._file)


def sweep() -> None:
    """Remove the private folders of runs ended without cleanup, such as by ``kill -9``."""
    for file in private_root().glob(f"{_IN_USE}run-*"):
        with suppress(OSError):  # it is in use, or gone
            held = staging.take_lock(file)
            shutil.rmtree(_folder_of(file), ignore_errors=True)
            _end_use(held, file)


def _folder_of(file: Path) -> Path:
    return file.with_name(file.name.removeprefix(_IN_USE))


def _end_use(held: int, file: Path) -> None:
    """Free the lock of a private folder; remove the lock file only if the folder is gone, for a later sweep."""
    if _folder_of(file).exists():
        os.close(held)
    else:
        staging.release_lock(held, file)


def database_files(database: Path) -> list[Path]:
    """Paths of a DuckDB file and of all further files possibly written by DuckDB beside it."""
    return [database.with_name(f"{database.name}{suffix}") for suffix in _DATABASE_SUFFIXES]


class Session(Host):
    """A connection to the working store of one run.

    ``files`` are the data files for reading and writing, ``databases`` the DuckDB files, ``stages`` the target paths
    (data or DuckDB files) with staged files. An open session has no access to any other part of the file system.
    ``memory_limit`` is a text such as ``"1GB"``, and ``memory_bytes`` the same limit in bytes; the default is half of
    the available memory, up to 4 GB. ``array_bytes`` bounds the NumPy arrays of a search: the given limit, or four
    fifths of the available memory. ``ending`` is the handle for stopping the run from another thread. ``statements``
    is the number of executed statements, and ``run_id`` identifies the run.
    """

    dialect = ""
    has_macros = True
    fingerprints = True
    recounts_again = True  # before DuckDB 2, an error in the names or types of a statement does not end a transaction
    settings = ("set default_collation = 'binary'", "set timezone = 'UTC'")

    def __init__(
        self,
        *,
        files: Sequence[Path] = (),
        databases: Sequence[Path] = (),
        stages: Sequence[Path] = (),
        memory_limit: str | None = None,
        threads: int | None = None,
        progress: Callable[[str], None] | None = None,
        notice: Callable[[str], None] | None = None,
        ending: Ending | None = None,
        run_id: str | None = None,
    ) -> None:
        self.ending = ending or Ending()
        self.statements = 0
        self.warnings: list[str] = []
        self.run_id = run_id or new_run_id()
        self._closing: list[Callable[[], None]] = []
        self._databases: list[Interruptible] = []
        self._tracers: list[Callable[[str], None]] = []
        self._progress, self._notice = progress, notice
        self._stages = stages
        with self.ending.undisturbed():
            self._folder = RunFolder()
            self.folder = self._folder.path
            self.ending.watch(self)
        try:
            sweep()
            own = [self.staging(place) for place in stages]
            named = enumerate([*files, *own])
            self._aliases = {file: self._alias(number, file) for number, file in named if _has_wildcard(file)}
            self.copies = self.folder / "copies"  # of files to unpack or decode first
            self.copies.mkdir()
            allowed = [str(path) for file in [*files, *own] for path in (file, self.plain(file))]
            allowed += [str(file) for database in [*databases, *own] for file in database_files(database)]
            self.connection = duckdb.connect(":memory:")
            self._transaction = False  # on another database
            self._temporary: set[Name] = set()
            self.has_given_limit, self._has_given_threads = memory_limit is not None, threads is not None
            left = 0 if self.has_given_limit else available_memory() or int(self._memory()[1] / _OF_ARRAYS)
            for command in commands(
                {
                    "temp_directory": str(self.folder / SPILL),
                    "memory_limit": memory_limit or f"{min(_DEFAULT_LIMIT, left // 2)}B",
                    "threads": threads,
                    "preserve_insertion_order": False,
                    "allowed_paths": allowed,
                    "allowed_directories": [str(self.copies)],
                }
            ):
                self.connection.execute(command)
            ((self.threads,),) = self.connection.execute("select current_setting('threads')").fetchall()
            self.memory_limit, self.memory_bytes = self._memory()
            self.array_bytes = self.memory_bytes if self.has_given_limit else int(_OF_ARRAYS * left)
            self.connection.execute(f"set memory_limit = '{int(_COUNTED * self.memory_bytes)}B'")
        except BaseException as error:
            self.close()
            if isinstance(error, duckdb.Error):
                raise OutputError(
                    f"the working store (a private DuckDB database) cannot be opened ({type(error).__name__}): check "
                    "the memory limit and the threads, such as --memory-limit 1GB --threads 2"
                ) from None
            raise

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _memory(self) -> tuple[str, int]:
        """DuckDB's current memory limit as a text, such as 3.7 GiB, and in bytes; by default 80 % of the machine."""
        statement = "select current_setting('memory_limit') as given, parse_formatted_bytes(given)"
        ((text, of_bytes),) = self.connection.execute(statement).fetchall()
        return str(text), int(of_bytes)

    def close(self) -> None:
        """Close the store and all resources opened with it, and remove its private folder."""
        for close in self._closing:
            close()
        if hasattr(self, "connection"):
            self.connection.close()
        self._folder.remove()
        self.ending.forget(self)

    def interrupt(self) -> None:
        """End the running statement, here or in a database. Any thread may call this method."""
        with suppress(duckdb.Error):  # if the store is closed already
            self.connection.interrupt()
        for database in self._databases:
            database.interrupt()

    def abandon(self) -> None:
        """Remove the run's files at the end of the process, at any stage. Any thread may call this method."""
        staging.abandon(self._stages, self.run_id)
        self._folder.remove()

    def staging(self, place: Path) -> Path:
        """Path of this run's staged file for a place (the target's path), in a private folder."""
        return staging.within(place, self.run_id)

    def plain(self, file: Path) -> Path:
        """A path to one of the session's files for DuckDB's readers: a link, if the path itself has wildcards."""
        return self._aliases.get(file, file)

    def _alias(self, number: int, file: Path) -> Path:
        alias = self.folder / f"file-{number}{file.suffix}"
        try:
            alias.symlink_to(file)
        except OSError:  # Windows lets few users make links
            raise OutputError(
                f"the path of {file} has one of * ? [, and no link to the file can be made: rename the file"
            ) from None
        return alias

    def lock_down(self, rows: int | None = None) -> None:
        """Lock DuckDB's configuration; called after the source is open.

        If the ``rows`` fit in one row group, DuckDB uses one thread, unless the user gave a number: further threads
        cost processor time and save none.
        """
        if rows is not None and rows <= _ROW_GROUP and not self._has_given_threads:
            self.command("set threads = 1")
        self.command("set lock_configuration = true")

    def at_close(self, close: Callable[[], None]) -> None:
        """Call ``close`` when the session closes."""
        self._closing.append(close)

    def join(self, database: Interruptible) -> None:
        """Add a database to interrupt and close with the session."""
        self._databases.append(database)
        self.at_close(database.close)

    def announce(self, text: Callable[[], str]) -> None:
        """Pass a statement's text to the tracers before it runs, here or in a database; count the statement."""
        if self._tracers:
            sql = text()
            for tracer in self._tracers:
                tracer(sql)
        self.statements += 1

    def trace(self, tracer: Callable[[str], None]) -> None:
        """Call ``tracer`` with the text of every statement before it runs, with the values of its binds."""
        self._tracers.append(tracer)

    def report(self, text: str) -> None:
        """Report the progress of a long run."""
        if self._progress:
            self._progress(text)

    def notify(self, text: str) -> None:
        """Send an important message to the waiting user before the next step."""
        if self._notice:
            self._notice(text)

    def run(self, statement: Rows, binds: Mapping[str, Any] | None = None) -> list[Row]:
        """Run a statement and fetch all of its rows."""
        rows: list[Row] = self._run(statement, binds)
        return rows

    def describe(self, rows: Statement) -> list[Column]:
        """The columns of a statement with their types, in order."""
        return [Column(name, kind) for name, kind, *_ in self.run(Statement("store/describe", origin=rows))]

    def exact(self, cell: Hole, column: Column) -> Hole:
        """Expression for a cell as a value with exact equality: two distinguishable cells are never equal."""
        return exact_cell(cell, column, self.connection)

    def gather(self, into: Name, statement: Statement, columns: Sequence[Column]) -> None:
        """Store a statement's rows as the table ``into``; no transfer is needed."""
        self.create(into, statement)

    def gather_classes(self, into: Name, statement: Statement, columns: Sequence[Column], *, size: Name) -> ClassTotals:
        """Store a statement's classes as the table ``into``; returns their totals. ``size`` is the size column."""
        self.create(into, statement)
        return ClassTotals(*self.row(Statement("store/counted", classes=into, size=size)))

    def receive(
        self,
        into: Name,
        incoming: Name,
        stream: pyarrow.RecordBatchReader | dict[str, NDArray[Any]],
        rows: Statement,
        *,
        more: bool = False,
    ) -> int:
        """Store rows from outside as the table ``into``, or append to it with ``more``; return their number.

        The statement ``rows`` reads ``stream`` (Arrow batches, or one array per column) under the name ``incoming``.
        """
        self.connection.register(incoming.parts[0], stream)
        try:
            return (self.insert if more else self.create)(into, rows)
        finally:
            self.connection.unregister(incoming.parts[0])

    def dimension(self, table: str) -> Name:
        """Name of a table in the attached database of the source; ``table`` may have a schema."""
        return Name(ORIGIN, *table.split("."))

    def keep(self, name: Name, rows: Statement) -> Name:
        """Store a statement's rows as a table until the store is closed; returns the table's name."""
        self.create(name, rows)
        return name

    def carry(self, tables: Sequence[Table]) -> Mapping[Name, Name]:
        """An empty mapping: tables of the working store keep their names here."""
        return {}

    def create(self, name: Name, statement: Rows, binds: Mapping[str, Any] | None = None) -> int:
        """Store a statement's rows as a table, replacing any table of this name; returns the number of rows."""
        kind = "table"
        if self._transaction:
            # The transaction may write to temporary tables alone. They end with it: a remaining one would hide a later
            # table, and the tables of its name read by views of the source.
            kind = "temporary table"
            self._temporary.add(name)
        ((rows,),) = self._run(statement, binds, before=f"create or replace {kind} {name.sql()} as\n")
        return int(rows)

    def create_view(self, name: Name, statement: Rows) -> None:
        """Create a view of a statement in the working store. The statement takes no binds.

        During a transaction on another database, the rows are stored instead, as in :meth:`create`.
        """
        if self._transaction:
            self.create(name, statement)
            return
        self._run(statement, before=f"create or replace view {name.sql()} as\n")

    def insert(self, name: Name, statement: Rows, binds: Mapping[str, Any] | None = None) -> int:
        """Append a statement's rows to a table of the working store; return their number."""
        ((rows,),) = self._run(statement, binds, before=f"insert into {name.sql()}\n")
        return int(rows)

    def drop(self, *names: Name) -> None:
        """Drop tables of the working store."""
        self._execute("drop", [";\n".join(f"drop table if exists {name.sql()}" for name in names)])

    def drop_view(self, name: Name) -> None:
        """Drop a view of the working store."""
        self._execute("drop", [f"drop view if exists {name.sql()}"])

    def arrow(self, statement: Rows) -> pyarrow.Table:
        """All rows of a statement as an Arrow table."""
        sql = statement.sql()
        try:
            return self.connection.sql(sql).to_arrow_table()
        except duckdb.Error as error:
            refused = self.refusal(path_of(statement), sql, error)
        raise refused  # outside of except, as DuckDB's own error as its context would quote values

    def stream(self, statement: Rows, into: IO[bytes] | io.RawIOBase) -> None:
        """Write all rows of a statement to a file as a compressed Arrow stream, with only a part of them in memory."""
        import pyarrow

        sql = statement.sql()
        packed = pyarrow.ipc.IpcWriteOptions(compression="zstd")
        try:
            with self.connection.sql(sql).to_arrow_reader(_ROW_GROUP) as rows:
                with pyarrow.ipc.new_stream(into, rows.schema, options=packed) as stream:
                    for batch in rows:
                        stream.write_batch(batch)
                into.flush()
            return
        except duckdb.Error as error:
            refused = self.refusal(path_of(statement), sql, error)
        except OSError as error:  # of the file, or Arrow's form of an error of DuckDB
            full = error.errno is not None
            refused = no_space(self.folder.parent) if full else self.refusal(path_of(statement), sql, _of_arrow(error))
        raise refused  # out here, as above

    def columns(self, statement: Rows, binds: Mapping[str, Any] | None = None) -> dict[str, NDArray[Any]]:
        """All rows of a statement as one array per column, a masked array for missing values."""
        arrays: dict[str, NDArray[Any]] = self._run(statement, binds, fetch=lambda done: done.fetchnumpy())
        return arrays

    def command(self, text: str) -> None:
        """Run a command outside the statement files: attach, detach, begin, commit, rollback."""
        verb = text.split()[0].lower()
        if verb == "commit" and self._temporary:
            # Before the commit: an error after it would fail a run with a published release. A rollback drops them by
            # itself.
            drops = [f"drop table if exists temp.{name.sql()}" for name in sorted(self._temporary, key=Name.sql)]
            self._execute("drop", [";\n".join(drops)])
        self._execute(verb, [text])
        if verb in ("begin", "commit", "rollback"):
            self._transaction = verb == "begin"
            self._temporary = set()

    def _run(self, rows: Rows, binds: Mapping[str, Any] | None = None, *, before: str = "", **how: _Fetch) -> Any:
        return self._execute(path_of(rows), [heading(rows), before, *rows.compose()], binds, **how)

    def _execute(
        self,
        path: str,
        text: Text,
        binds: Mapping[str, Any] | None = None,
        fetch: _Fetch = lambda done: done.fetchall(),
    ) -> Any:
        self.announce(lambda: with_values(text, binds))
        sql = join(text)
        started = time.perf_counter()
        rows: Any = None
        refused: BaseException | None = None
        try:
            rows = fetch(self.connection.execute(sql, binds or None))
        except duckdb.Error as error:
            refused = self.refusal(path, sql, error)
        except RuntimeError as error:  # the client's error if a signal ends a query
            if "interrupt" in str(error).lower():
                raise _interrupt() from None
            raise
        if refused is not None:
            raise refused  # outside of except, as DuckDB's own error as its context would quote values
        log.debug("%s: %d rows, %.4f s", path, len(rows), time.perf_counter() - started)
        return rows

    def refusal(self, path: str, sql: str, error: duckdb.Error) -> BaseException:
        """Make the exception for a failed statement: an interrupt, a full disk, or a :class:`StatementError`.

        It quotes no value of a row; only errors of a statement's text keep DuckDB's message.
        """
        if isinstance(error, duckdb.InterruptException):
            return _interrupt()
        if _is_full(error, self.folder):
            return no_space(self.folder.parent)
        return StatementError(path, sql, _kind(error), _first_line(error) if isinstance(error, _OF_QUERIES) else "")


def _of_arrow(error: OSError) -> duckdb.Error:
    """Convert an error of Arrow back to the class of DuckDB's error, by the beginning of its text."""
    kinds = {
        "INTERRUPT": duckdb.InterruptException,
        "Out of Memory": duckdb.OutOfMemoryException,
        "IO": duckdb.IOException,
    }
    message = str(error)
    return next((kind for name, kind in kinds.items() if message.startswith(f"{name} Error")), duckdb.Error)(message)


def _is_full(error: duckdb.Error, folder: Path) -> bool:
    """True if an error means a full disk at the run's private folder, or DuckDB's limit of spilled data."""
    if isinstance(error, duckdb.OutOfMemoryException):
        return "max_temp_directory_size" in str(error)
    return isinstance(error, duckdb.IOException) and str(folder) in str(error)


def _interrupt() -> KeyboardInterrupt:
    """Make the exception for an interrupted statement.

    This call lets a signal handler raise its own exception here, before any cleanup.
    """
    return KeyboardInterrupt()


def commands(settings: Mapping[str, object]) -> Iterator[str]:
    """The SET commands of a run's DuckDB for the given settings; None omits one. The last one ends file access."""
    common = {
        "enable_progress_bar": False,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "TimeZone": "UTC",
    }
    for option, value in {**common, **settings, "enable_external_access": False}.items():
        if value is not None:
            yield f"set {option} = {_setting(value)}"


def _has_wildcard(file: Path) -> bool:
    return any(character in str(file) for character in "*?[")


def _setting(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(Literal(str(item)).sql() for item in value) + "]"
    return Literal(str(value)).sql()


def _first_line(error: duckdb.Error) -> str:
    return str(error).partition("\n")[0].partition(": ")[2]


def _kind(error: duckdb.Error) -> str:
    """The class name of DuckDB's error, with the line number of a CSV error, but without the message."""
    line = re.search(r"CSV Error on Line: (\d+)", str(error))
    return type(error).__name__ + (f", line {line[1]}" if line else "")
