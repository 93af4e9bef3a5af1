"""Connections to databases: they run statements, send frequency sets, and receive tables of the working store."""

from __future__ import annotations

import hashlib
import logging
import time
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

from starcloak.base.column import Column
from starcloak.base.errors import InputError, OutputError, SourceError, StarcloakError, StatementError
from starcloak.base.installation import package_needed
from starcloak.statements.sql_literals import with_values
from starcloak.statements.statement import As, Bind, Hole, Name, Statement, Text, Type, columns, heading, join, path_of
from starcloak.statements.statement_file import as_comment
from starcloak.store.databases.batches import arrow_type, has_nul
from starcloak.store.databases.borrowed_connections import Loan, borrowed, detached
from starcloak.store.databases.host import ClassTotals, Host, columns_of
from starcloak.store.databases.tables import Tables

if TYPE_CHECKING:
    import pyarrow
    from sqlalchemy.engine import URL, Engine

    from starcloak.statements.statement import Row, Rows
    from starcloak.store.session import Session
    from starcloak.store.tables import Table

log = logging.getLogger("starcloak")

_INCOMING = Name("incoming")
_TOLD = [Column(f"told_{what}", "BIGINT") for what in ("classes", "smallest", "rows")]

NUL = "the character NUL"
NUMBERS = NAN, INFINITY, NEGATIVE_ZERO = "NaN", "an infinity", "a negative zero"  # as store/unusable counts them
PATIENCE = 10  # seconds for a publishing run to wait for others, with new readers waiting, too


class Lost(SourceError):
    """A broken connection to a database."""


class Database(Tables, Host):
    """Base class of connections to a database: one connection per run, for the source and for the release.

    Every statement contains the run's number in a comment. ``fetched`` is the number of rows fetched to the working
    store. ``warnings`` are messages for the user. ``lacks`` lists the values unsupported by the database, such as NaN.
    ``needs`` describes the rights of the user needed for the current step. A driver's errors quote values, so the class
    raises other errors with only the kind of the driver's error.

    A source is read in a read-only transaction, as a query may call functions that write.
    """

    has_grouping_sets: ClassVar[bool] = False
    # Types read as another one, with the section of store/text for the conversion.
    read_as: ClassVar[Mapping[str, tuple[str, str]]] = {}
    of_one_thread: ClassVar[bool] = False  # true if a connection may be limited to the thread of its creation
    driver: ClassVar[str]
    extra: ClassVar[str | None] = None
    lacks: ClassVar[Sequence[str]]  # of NUL and the numbers counted by store/unusable
    reads: ClassVar[str] = "SELECT on the source"
    writes: ClassVar[str] = ""

    def __init__(self, url: URL, session: Session, engine: Engine | None = None) -> None:
        self.session = session
        self.url = url
        # An @ after the first one: the apparent server or database may be the end of a password.
        self._clear = not url.host or "@" not in f"{url.host}{url.database}"
        self.name = url.database if url.database and self._clear else self.dialect
        self.schema: str | None = None
        self.warnings: list[str] = []
        self.fetched = 0
        self.needs = self.reads
        self._carried: list[Name] = []
        self.loan: Loan | None = None
        try:
            dialect = self._load(engine)
        except ImportError:
            raise SourceError(package_needed(self.dialect, "its driver", extra=str(self.extra))) from None
        try:
            self.connection = self._connect(dialect) if engine is None else self._adopt(engine)
        except self._driver.Error as error:
            raise (
                self._problem(error) or SourceError(f"{self.place} cannot be reached: check the url and the server")
            ) from None
        except StarcloakError:
            raise
        except Exception as error:  # any reaction of a driver to unknown arguments
            raise SourceError(
                f"the url of {self.name} has parts or options that its driver does not support "
                f"({type(error).__name__}): check the url, and the options after ?"
            ) from None
        session.join(self)
        if self.loan is not None:
            self._borrow(self.loan)
        try:
            for setting in self.settings:
                self.command(setting)
            self._warn()
        except StatementError as error:
            raise SourceError(
                f"{self.name} refuses the session settings of a run ({error.kind}): check the rights of the user"
            ) from None

    @property
    def place(self) -> str:
        """Description of the connection for messages: the database's name and, if the URL has one, the server."""
        server = ":".join(str(part) for part in (self.url.host, self.url.port) if part)
        return f"{self.name} at {server}" if server and self._clear else self.name

    def end_reading(self) -> None:
        """End the transaction in which the source was read, so that no other transaction waits for it."""
        if self.loan is None or not self.loan.within:
            self.command("rollback")

    def close(self) -> None:
        """Close the connection, or return it to the caller; uncommitted work of the run is rolled back."""
        if self.loan is not None:
            self.loan.give_back(self._driver.Error)
            return
        try:
            self.connection.close()
        except self._driver.Error:
            log.debug("the connection was lost before it was closed")

    def run(self, statement: Rows, binds: Mapping[str, Any] | None = None) -> list[Row]:
        """Run a statement and fetch all of its rows."""
        return self._execute(statement, binds, fetch=True)

    def perform(self, statement: Rows, binds: Mapping[str, Any] | None = None) -> None:
        """Run a statement without result rows."""
        self._execute(statement, binds, fetch=False)

    def command(self, text: str) -> None:
        """Run a command outside the statement files: begin, commit, rollback, set."""
        self._execute(text, None, fetch=False)

    def gather(self, into: Name, statement: Statement, columns: Sequence[Column]) -> None:
        """Stream a statement's rows into the table ``into`` of the working store; ``columns`` are their columns."""
        self._bring(into, statement, columns)

    def gather_classes(self, into: Name, statement: Statement, columns: Sequence[Column], *, size: Name) -> ClassTotals:
        """Stream a statement's classes into the table ``into``; returns their totals counted by the database."""
        totals = self._bring(into, Statement("store/counted#told", rows=statement, size=size), columns, _TOLD)
        return ClassTotals(*totals) if totals else ClassTotals(0, None, 0)

    def carry(self, tables: Sequence[Table]) -> Mapping[Name, Name]:
        """Copy tables of the working store to the staging area; returns their names there by their own names."""
        self.write()
        first = len(self._carried) + 1
        names = {table.name: self.staged_name(number) for number, table in enumerate(tables, first)}
        for table in tables:
            name = names[table.name]
            self.perform(Statement("store/table#create", table=name, columns=columns_of(table, self)))
            self._carried.append(name)
            with self._timed("store/table#create"), self._errors("store/table#create", ""):
                rows = self.session.arrow(table.rows)
                self._refuse_lost(rows)
                self._send(name, [column for column, _ in table.columns], rows)
            self._analyze(name)
        return names

    def keep(self, name: Name, rows: Statement) -> Name:
        """Store a statement's rows in the staging area; return the name of the new table."""
        self.write()
        there = self.staged_name(len(self._carried) + 1)
        self.perform(Statement("store/table#keep", table=there, rows=rows))
        self._carried.append(there)
        return there

    def dimension(self, table: str) -> Name:
        """Copy a table of the database to the working store; returns the name of the copy."""
        origin = Statement("store/relation", relation=Name(*table.split(".")))
        described = self.describe(origin)
        ways = {kind: way for kind, (_, way) in self.read_as.items()}
        cells = columns(As(cell_of(column, ways.get(column.type)), Name(column.name)) for column in described)
        there = Statement("store/source", columns=cells, origin=origin)
        here = Name(f"origin_{table}")
        self.gather(here, there, self.describe(there))
        return here

    @property
    def holds_tables(self) -> bool:
        """True if tables of the working store can be copied to the database before a release is staged."""
        return self.schema is not None

    def drop_carried(self) -> None:
        """Drop all tables made by this run in the staging area."""
        for name in self._carried:
            self.perform(Statement("store/table#drop", table=name))
        self._carried.clear()

    def staged_name(self, number: int) -> Name:
        """Name of this run's table with a number in the staging area."""
        assert self.schema is not None
        return Name(self.schema, f"starcloak_{self.session.run_id[:12]}_{number}")

    def exact(self, cell: Hole, column: Column) -> Hole:
        """Expression for a cell as a value with exact equality: two distinguishable cells are never equal."""
        return Statement("store/cell/exact", cell=cell)

    def refuse_names(self, described: Sequence[Column], label: str) -> None:
        """Raise :class:`SourceError` for a column whose name the database would alter in a query.

        ``label`` names the source in messages.
        """
        return None

    def refuse_texts(self, rows: Statement, described: Sequence[Column], label: str) -> None:
        """Raise :class:`SourceError` for texts altered by a conversion to Unicode.

        ``described`` are the columns of the statement ``rows``; ``label`` names the source in messages.
        """
        return None

    def hides_rows(self, rows: Statement) -> bool:
        """True if row security policies hide rows of a statement from the user."""
        return False

    def frozen(self, rows: Statement, described: Sequence[Column]) -> tuple[Hole, Sequence[Column]]:
        """A relation with the rows of a statement, unchanged for the rest of the run, and the relation's columns.

        Creates a copy or a view, if the database needs one. ``described`` are the statement's columns; the relation's
        types may differ.
        """
        return Statement("store/relation#nested", rows=rows), described

    def fits(self, schema: str, table: str, rows: Statement) -> bool:
        """True if new rows can replace a table's rows in place, so that its grants and dependent objects remain.

        ``rows`` is the statement for the new rows.
        """
        return False

    def rights(self, schema: str, table: str) -> Row:
        """The grants on a table that are lost if the table is dropped; empty without such grants."""
        return ()

    def hurry(self) -> None:
        """Limit all later waits for locks to :data:`PATIENCE` seconds."""
        return None

    @abstractmethod
    def lock(self, key: str) -> bool:
        """Lock a target (``key``) until the connection closes; returns false if another run holds the lock."""

    def lock_name(self, key: str) -> str:
        """Name of a target's lock (``key``) in a database with locks by names: at most 60 characters."""
        return hashlib.sha256(key.encode()).hexdigest()[:60]

    @abstractmethod
    def read(self) -> None:
        """Begin a read-only transaction for the source."""

    def begin(self, release: Name | None) -> None:
        """Begin the transaction of the run: it sees one state of the source, and is read-only up to :meth:`write`.

        ``release`` is the table of the previous release, if its rows may be replaced in place: no other user can write
        to it during the transaction. A database with these guarantees by :meth:`lock` or by :meth:`frozen` has no code
        here.
        """
        return None

    def write(self) -> None:
        """Permit writes in the run's transaction from now on; the visible state of the source stays the same."""
        if self.loan is not None and self.loan.within:
            raise self.unpublishable(self.name)
        if self.needs != self.writes:
            self.needs = self.writes
            self._write()

    def unpublishable(self, label: str) -> OutputError:
        """The error for a release inside a transaction of the caller. ``label`` names the release."""
        return OutputError(
            f"{label}: the connection has an open transaction, and publishing a release would commit it: commit or "
            "roll back first, or give the engine"
        )

    def _write(self) -> None:
        """Switch the transaction to writes."""
        return None

    @abstractmethod
    def commit(self) -> None:
        """Publish the release by a commit."""

    def _load(self, engine: Any) -> Any:
        """Load the driver; returns SQLAlchemy's dialect for the driver.

        Raises :class:`ImportError` for a missing driver, and :class:`SourceError` for an engine with another driver.
        """
        dialect = self.url.set(drivername=self.driver).get_dialect()()
        self._driver = dialect.import_dbapi()
        if engine is not None and engine.dialect.driver != dialect.driver:
            raise SourceError(
                f"the engine of {self.name} has the driver {engine.dialect.driver}: make the engine for "
                f"{self.driver}://"
            )
        return dialect

    def _adopt(self, engine: Any) -> Any:
        """A connection from an engine or a connection of the caller.

        It is shared with the caller (``loan`` is then set), or taken permanently out of the engine's pool.
        """
        from sqlalchemy.exc import SQLAlchemyError

        try:
            lent = borrowed(engine, in_memory=self.in_memory(self.url))
            if lent is None:
                return self._own(detached(engine))
        except SQLAlchemyError as error:
            if isinstance(getattr(error, "orig", None), self._driver.Error):
                raise error.orig from None  # type: ignore[attr-defined]
            raise SourceError(
                f"the engine of {self.name} has no free connection for the run ({type(error).__name__}): close a "
                "connection, allow more connections in its pool, or give a connection"
            ) from None
        connection, give_back = lent
        self.loan = Loan(connection, self.name)
        if give_back is not None:
            self.loan.undone_by(give_back)
        return connection

    def _borrow(self, loan: Loan) -> None:
        """Prepare a connection of the caller for a run, and register the reversal of each change.

        Raises :class:`~starcloak.base.errors.SourceError` if the state of the connection, such as the caller's
        transaction, permits no reading by a run.
        """
        raise NotImplementedError(f"{self.names[0]} cannot be used through SQLAlchemy: give a url as text")

    @abstractmethod
    def _own(self, connection: Any) -> Any:
        """Prepare a connection taken from the caller's engine: autocommit mode, and the driver's own cursors."""

    @abstractmethod
    def _connect(self, dialect: Any) -> Any:
        """Open a connection to the URL; SQLAlchemy's ``dialect`` translates the URL's parts and options."""

    def _arguments(self, dialect: Any) -> tuple[Sequence[Any], dict[str, Any]]:
        """The positional and named arguments of the driver's connect function for the URL."""
        positional, named = dialect.create_connect_args(self.url.set(drivername=self.driver))
        return positional, named

    def _warn(self) -> None:
        """Add a warning if the user has more rights than a run needs."""
        return None

    def _sendable(self, statement: Statement, columns: Sequence[Column]) -> Statement:
        """The statement with its columns converted to types suitable for a transfer, if necessary."""
        return statement

    @abstractmethod
    def _stream(self, sql: str, columns: Sequence[Column]) -> Iterator[pyarrow.RecordBatch]:
        """Run the SQL text of a statement; yields its rows as Arrow batches with the types of :func:`arrow_type`."""

    @abstractmethod
    def _send(self, name: Name, names: Sequence[str], rows: pyarrow.Table) -> None:
        """Insert rows into the table ``name`` in bulk; ``names`` are its columns."""

    def _analyze(self, name: Name) -> None:
        """Update the database's statistics on a filled table."""
        return None

    @abstractmethod
    def _code(self, error: Any) -> str:
        """The driver's code for an error; it contains no value of any row."""

    @abstractmethod
    def _problem(self, error: Any) -> InputError | None:
        """Convert a driver's error with a known remedy to an error with this remedy; None for any other error."""

    def _bring(
        self, into: Name, statement: Statement, columns: Sequence[Column], extra_columns: Sequence[Column] = ()
    ) -> list[Any]:
        """Fetch the ``columns`` of a statement's rows into the table ``into`` of the working store.

        Returns the values of ``extra_columns`` in the first row; empty without rows.
        """
        import pyarrow

        everything = [*columns, *extra_columns]
        sql = join(self._announce(self._sendable(statement, everything)))
        first: list[Any] = []
        broken: list[BaseException] = []

        def batches() -> Iterator[pyarrow.RecordBatch]:
            try:
                for batch in self._stream(sql, everything):
                    if not first:
                        first.extend(column[0].as_py() for column in batch.columns[len(columns) :])
                    self.fetched += batch.num_rows
                    yield batch.select(range(len(columns)))
            except BaseException as error:
                broken.append(error)
                raise

        schema = pyarrow.schema([(column.name, arrow_type(column.type)) for column in columns])
        with self._timed(statement.path), self._errors(statement.path, sql):
            # The working store reads in a thread of its own, unusable for a connection bound to another thread.
            coming = list(batches()) if self.loan is not None and self.of_one_thread else batches()
            reader = pyarrow.RecordBatchReader.from_batches(schema, coming)
            try:
                self.session.receive(into, _INCOMING, reader, rows_received(_INCOMING, columns))
            except StatementError:
                if broken:  # the store's error is only about its broken stream
                    raise broken[0] from None
                raise
        return first

    def refusal(self, column: str, value: str) -> OutputError:
        """The error for a column with a value unsupported by the database; ``value`` describes the value."""
        return OutputError(
            f"{self.name} cannot store {value}, as in column {column!r}: replace this value in a query, or release "
            "to another place"
        )

    def _refuse_lost(self, rows: pyarrow.Table) -> None:
        """Raise :class:`OutputError` for a text unsupported by the database; statements check numbers before."""
        for column in rows.column_names:
            if NUL in self.lacks and has_nul(rows[column]):
                raise self.refusal(column, NUL)

    def _read_only(self) -> SourceError:
        """The error for a source with a query that writes."""
        return SourceError(
            f"reading the source in {self.name} would write to the database, such as by a function in a query, and a "
            "run only reads: store the rows in a table first"
        )

    def _announce(
        self, statement: Rows | str, binds: Mapping[str, Any] | None = None, *, note: str | None = None
    ) -> Text:
        """Pass a statement to the tracers, or a ``note`` in its place; returns its text with the run's number."""
        rest = (
            [statement]
            if isinstance(statement, str)
            else [heading(statement, self.dialect), *statement.compose(self.dialect)]
        )
        text: Text = [self._run_comment, *rest]
        self.session.announce(lambda: with_values([self._run_comment, note] if note else text, binds, self.dialect))
        return text

    @property
    def _run_comment(self) -> str:
        """Comment with the run's number, for the database's own lists of running statements."""
        return f"/* starcloak {self.session.run_id} */ "

    def _remark(self, name: Name) -> str:
        """Comment on transferred rows for the trace, without their content."""
        return f"-- rows of the working store go to {as_comment(name.sql())}\n"

    def _execute(self, statement: Rows | str, binds: Mapping[str, Any] | None, *, fetch: bool) -> list[Row]:
        path = statement.split()[0].lower() if isinstance(statement, str) else path_of(statement)
        text = self._announce(statement, binds)
        with self._timed(path), self._errors(path, join(text)):
            cursor = self.connection.cursor()
            try:
                if binds:
                    cursor.execute(self._with_binds(text), dict(binds))
                else:
                    cursor.execute(join(text))
                rows = [tuple(row) for row in cursor.fetchall()] if fetch else []
            finally:
                cursor.close()
        self.fetched += len(rows)
        return rows

    def _with_binds(self, text: Text) -> str:
        """A statement with binds in the driver's own style."""
        return "".join(
            f"%({piece.name})s" if isinstance(piece, Bind) else join([piece]).replace("%", "%%") for piece in text
        )

    def _said_of_query(self, error: Any) -> str:
        """The database's message for an error in the syntax or the names of a query; empty for any other error."""
        return ""

    @contextmanager
    def _timed(self, path: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        log.debug("%s: %.4f s", path, time.perf_counter() - started)

    @contextmanager
    def _errors(self, path: str, sql: str, *, reads_rows: bool = True) -> Iterator[None]:
        try:
            yield
        except self._driver.Error as error:
            kind = " ".join(filter(None, (type(error).__name__, self._code(error))))
            message = "" if reads_rows else self._said_of_query(error)
            problem = None if message else self._problem(error)
            raise (problem or StatementError(path, sql, kind, message)) from None
        except (ValueError, ArithmeticError) as error:  # of a driver unable to read the database's answer
            raise StatementError(path, sql, type(error).__name__) from None


def rows_received(incoming: Name, described: Sequence[Column]) -> Statement:
    """The statement that casts the rows of ``incoming`` to the types of the working store.

    Columns with a type unknown to the store stay texts.
    """
    typed = columns(
        As(Statement("store/received#typed", column=name, type=Type(column.type)), name)
        if column.is_groupable
        else name
        for column in described
        for name in [Name(column.name)]
    )
    return Statement("store/received", columns=typed, incoming=incoming)


def cell_of(column: Column, way: str | None) -> Name | Statement:
    """Expression to read a cell of a column: converted by a section of ``store/text`` (``way``), or without collation.

    The cell is a column of the relation ``origin``: SQLite reads a name without a column as a text.
    """
    read = Name("origin", column.name)
    if way is not None:
        return Statement(f"store/text#{way}", column=read)
    return Statement("store/text#binary", column=read) if column.is_text else read
