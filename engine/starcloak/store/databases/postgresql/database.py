"""PostgreSQL, by psycopg 3. A run is one REPEATABLE READ transaction, from the GROUP BY to the publication."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from starcloak.base.column import Column
from starcloak.base.errors import InputError, OutputError, SourceError
from starcloak.statements.statement import As, Hole, Joined, Name, Statement, Type, join
from starcloak.statements.statement import columns as listed
from starcloak.store.databases.batches import arrow_type, unreadable
from starcloak.store.databases.borrowed_connections import Loan
from starcloak.store.databases.database import NUL, PATIENCE, Database, Lost
from starcloak.store.databases.host import ClassTotals
from starcloak.store.databases.postgresql.dialect import POSTGRESQL
from starcloak.store.databases.registry import register

if TYPE_CHECKING:
    import pyarrow

    from starcloak.statements.statement import Row

# Types as the working store knows them, by the name of PostgreSQL's catalog.
_TYPES = {
    "bool": "BOOLEAN", "int2": "SMALLINT", "int4": "INTEGER", "int8": "BIGINT", "float4": "FLOAT", "float8": "DOUBLE",
    "text": "VARCHAR", "varchar": "VARCHAR", "bpchar": "VARCHAR", "name": "VARCHAR", "citext": "VARCHAR",
    "date": "DATE", "time": "TIME", "timestamp": "TIMESTAMP", "timestamptz": "TIMESTAMP WITH TIME ZONE",
    "uuid": "UUID",
}  # fmt: skip
# Errors of a query's syntax, and of columns, functions and tables absent or ambiguous.
_OF_QUERIES = ("42601", "42702", "42703", "42725", "42803", "42883", "42P01", "42P02", "3F000")
_PADDED = "BPCHAR"  # character without a length: its padding is visible and not compared
_ONE_STATE = ("repeatable read", "serializable")
_SAVEPOINT = "starcloak_run"
_LONGEST = 63  # bytes of a name: longer ones are cut
_CANCEL = 2.0  # seconds to reach a server for a cancel
_BYTES = 1 << 24  # of rows read together

# Reasons for a refused connection, by the text after the host's name.
_REFUSED = {
    "password": "the user or the password is wrong: check the url, PGPASSWORD or ~/.pgpass",
    "no pg_hba.conf entry": "the server does not let this user in from here: ask its administrator",
    "role": "the user is not known there: check the url",
    "database": "the database is not there: check the url",
}


@register
class PostgreSQL(Database):
    """A connection to PostgreSQL."""

    names = ("postgresql",)
    example = "postgresql://user@host/database"
    state = "one transaction, `REPEATABLE READ`"
    published = "its commit; where the columns stay, so do the table, its grants and its views"
    dialect = POSTGRESQL.name
    has_grouping_sets = True
    # Else psql goes on after an error, and ends as if nothing had been wrong.
    script_begins = ("\\set ON_ERROR_STOP on",)
    # In a search_path, tables and functions of others may come before these; the source alone is looked up by it.
    script_tables = ("pg_temp",)
    source_read = (
        "set local search_path = pg_catalog, pg_temp",
        "set local client_min_messages = warning",
        # The refusals of a script: PostgreSQL has no function that fails with a text.
        "create or replace function pg_temp.starcloak_refuse(refusal text) returns bigint language plpgsql as "
        "'begin raise exception ''%'', refusal; end'",
    )
    tables_end = True
    goes_on = True  # psql does if ON_ERROR_ROLLBACK is on, as other clients do
    fingerprints = True
    settings = (
        "set client_encoding = 'utf8'",
        "set timezone = 'UTC'",
        "set datestyle = 'ISO, YMD'",
        "set extra_float_digits = '1'",
        "set standard_conforming_strings = 'on'",
        "set idle_in_transaction_session_timeout = '0'",
        # Every row is joined with a few small tables. The planner cannot estimate the number of remaining rows, and
        # with an estimate near zero it would scan the last table for each of them: tables are hashed instead.
        "set enable_nestloop = 'off'",
        "set enable_mergejoin = 'off'",
        # More memory for each statement, unless the server gives more itself.
        "select pg_catalog.set_config('work_mem', '128MB', false) "
        "where pg_catalog.pg_size_bytes(pg_catalog.current_setting('work_mem')) < 134217728",
    )
    driver = "postgresql+psycopg"
    extra = "postgresql"
    lacks = (NUL,)
    read_as: ClassVar[Mapping[str, tuple[str, str]]] = {_PADDED: ("VARCHAR", "padded")}
    reads = "SELECT on the source and USAGE on its schema"
    writes = "SELECT on the source and CREATE in the schema of the release, whose table and ledger it owns"
    system = ("information_schema", "pg_catalog", "pg_toast")
    types: ClassVar[Mapping[str, str]] = {"VARCHAR": 'text collate "C"', "DOUBLE": "double precision", "FLOAT": "real"}

    def interrupt(self) -> None:
        with suppress(self._driver.Error):  # it is over already
            self.connection.cancel_safe(timeout=_CANCEL)

    def describe(self, rows: Statement) -> list[Column]:
        described = self._described(rows)
        oids = [column.type_code for column in described]
        kinds = {oid: (name, kind) for oid, name, kind in self.run(Statement("store/types"), {"oids": oids})}
        return [Column(column.name, _type(column, *kinds[column.type_code])) for column in described]

    def _described(self, rows: Statement) -> list[Any]:
        """The columns of a statement as the driver describes them."""
        sql = join(self._announce(Statement("store/no_rows", rows=rows)))
        with self._errors(rows.path, sql, reads_rows=False), self.connection.cursor() as cursor:
            cursor.execute(sql, binary=True)  # it takes a single statement only, for any query
            return list(cursor.description)

    def gather_classes(self, into: Name, statement: Statement, columns: Sequence[Column], *, size: Name) -> ClassTotals:
        totals = super().gather_classes(into, statement, columns, size=size)
        (replaced,) = self.row(Statement("store/session#replaced"))
        if replaced:
            raise SourceError(
                f"another session of {self.name} truncated or recreated the source before its rows were read: run again"
            )
        return totals

    def attempt(self, statement: Statement) -> Row | None:
        self.command("savepoint attempt")  # an error would end the transaction
        row = super().attempt(statement)
        self.command("rollback to savepoint attempt")
        return row

    def hides_rows(self, rows: Statement) -> bool:
        self.command("savepoint policies")
        self.command("set local row_security = off")  # rows hidden by policies are an error then
        try:
            self.describe(rows)
        except Lost:
            raise
        except SourceError:
            return True
        finally:
            self.command("rollback to savepoint policies")
        return False

    def fits(self, schema: str, table: str, rows: Statement) -> bool:
        (plain,) = self.row(Statement("store/rights#plain"), {"schema": schema, "table": table})
        old = Statement("store/relation", relation=Name(schema, table))
        if not plain or self.describe(old) != self.describe(rows):
            return False
        # A column of fewer digits, such as timestamp(0), would round the new values.
        if [*map(_digits, self._described(old))] != [*map(_digits, self._described(rows))]:
            return False
        # A trigger deferred to the end of the transaction would write after the verifier has read.
        self.command("set constraints all immediate")
        return True

    def exact(self, cell: Hole, column: Column) -> Hole:
        is_exact = column.type in _TYPES.values() or column.type.startswith("DECIMAL")
        return Statement("store/cell/exact" if is_exact else "store/cell/exact#output", cell=cell)

    def rights(self, schema: str, table: str) -> Row:
        return self.row(Statement("store/rights"), {"schema": schema, "table": table})

    def may_create(self, schema: str) -> bool:
        (may,) = self.row(Statement("store/rights#create"), {"schema": schema})
        return bool(may)

    def ledgers(self, schema: str, ledger: str) -> list[Row]:
        return self.run(Statement("store/ledger#ledgers"), {"schema": schema, "ledger": ledger})

    def name_problem(self, table: str) -> str | None:
        return f"longer than {_LONGEST} bytes" if len(table.encode()) > _LONGEST else None

    def hurry(self) -> None:
        self.command(f"set local lock_timeout = '{PATIENCE}s'")

    def current_schema(self) -> str:
        (schema,) = self.row(Statement("store/session#current_schema"))
        if schema is None:
            raise OutputError(f"{self.name} has no current schema: write the schema before the table's name")
        return str(schema)

    def schema_of(self, table: str) -> str:
        (schema,) = self.row(Statement("store/session#schema_of"), {"table": table})
        return self.current_schema() if schema is None else str(schema)

    def lock(self, key: str) -> bool:
        number = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], signed=True)
        (is_locked,) = self.row(Statement("store/session#lock"), {"key": number})
        if is_locked and self.loan is not None:
            self.loan.undone_by(partial(self.run, Statement("store/session#unlock"), {"key": number}))
            self.loan.undone_by(self._roll_back)
        return bool(is_locked)

    def read(self) -> None:
        if self.loan is not None and self.loan.within:
            self.command("set local transaction_read_only = on")
        else:
            self.command("begin isolation level repeatable read read only")

    def begin(self, release: Name | None) -> None:
        self.command("rollback")
        self.command("begin isolation level repeatable read")
        if release is not None:
            # Before the transaction's snapshot: rows written later by others would be neither seen nor deleted.
            self.hurry()
            self.perform(Statement("store/session#hold", table=release))
            self.command("set local lock_timeout = default")
        self.command("savepoint reading")
        self.command("set local transaction_read_only = on")

    def _write(self) -> None:
        # The transaction sees the same state of the source, and may write again.
        self.command("rollback to savepoint reading")
        self.command("release savepoint reading")

    def commit(self) -> None:
        self.command("commit")

    def _connect(self, dialect: Any) -> Any:
        positional, named = self._arguments(dialect)
        defaults = {"connect_timeout": 10, "application_name": "starcloak"}
        own: dict[str, Any] = {"client_encoding": "utf8", "autocommit": True}
        own |= dict.fromkeys(("row_factory", "cursor_factory", "context", "prepare_threshold"))
        return self._driver.connect(*positional, **{**defaults, **named, **own})

    def _borrow(self, loan: Loan) -> None:
        connection, states = self.connection, self._driver.pq.TransactionStatus
        status = connection.info.transaction_status
        loan.within = status == states.INTRANS
        if status not in (states.INTRANS, states.IDLE):
            raise SourceError(
                f"the connection to {self.name} has an unfinished statement or a failed transaction: finish it or "
                "roll back first"
            )
        if not loan.within:
            loan.change(autocommit=True)
        loan.change(prepare_threshold=None, row_factory=self._driver.rows.tuple_row, cursor_factory=self._driver.Cursor)
        if loan.within:
            self._within(loan)
            return
        before = self.row(Statement("store/session#settings"))
        binds = {f"setting_{number}": value for number, value in enumerate(before, 1)}
        loan.undone_by(partial(self.run, Statement("store/session#put_back"), binds))
        loan.undone_by(self._roll_back)

    def _within(self, loan: Loan) -> None:
        """Prepare to read inside the caller's transaction: set a savepoint.

        A rollback to the savepoint restores all settings at the end. Raises :class:`SourceError` for an isolation level
        at which rows may change between statements.
        """
        (isolation,) = self.row(Statement("store/session#isolation"))
        if isolation not in _ONE_STATE:
            raise SourceError(
                f"the connection to {self.name} has an open transaction with isolation {isolation}, in which rows "
                "may change during the run: commit or roll back first, give the engine, or use REPEATABLE READ"
            )
        self.command(f"savepoint {_SAVEPOINT}")
        loan.undone_by(partial(self.command, f"release savepoint {_SAVEPOINT}"))
        loan.undone_by(partial(self.command, f"rollback to savepoint {_SAVEPOINT}"))

    def _roll_back(self) -> None:
        if self.connection.info.transaction_status != self._driver.pq.TransactionStatus.IDLE:
            self.command("rollback")

    def _own(self, connection: Any) -> Any:
        connection.autocommit = True
        connection.prepare_threshold = None
        connection.row_factory, connection.cursor_factory = self._driver.rows.tuple_row, self._driver.Cursor
        return connection

    def _warn(self) -> None:
        (superuser,) = self.row(Statement("store/session#superuser"))
        if superuser:
            self.warnings.append(
                f"the user of {self.name} is a superuser: use a role with SELECT on the source and CREATE in one schema"
            )

    def _sendable(self, statement: Statement, columns: Sequence[Column]) -> Statement:
        sent = listed(As(_sent_as(column), Name(column.name)) for column in columns)
        return Statement("store/source", columns=sent, origin=statement)

    def _stream(self, sql: str, columns: Sequence[Column]) -> Iterator[pyarrow.RecordBatch]:
        comment, _, statement = sql.partition(" */ ")
        # Every value is quoted: none is taken for a missing one, for a mark of the byte order or for a row's end.
        copy = f"{comment} */ copy ({statement}) to stdout (format csv, force_quote *)"
        rows = bytearray()  # the driver's own memory for a row is slow to keep
        with self.connection.cursor() as cursor, cursor.copy(copy) as messages:
            for row in messages:
                rows += row
                if len(rows) > _BYTES:
                    yield from _read(rows, columns)
                    rows = bytearray()
        if rows:
            yield from _read(rows, columns)

    def _send(self, name: Name, names: Sequence[str], rows: pyarrow.Table) -> None:
        from pyarrow import csv

        filled = Joined(tuple(map(Name, names)), ", ").sql()
        sql = join(self._announce(f"copy {name.sql()} ({filled}) from stdin (format csv)", note=self._remark(name)))
        with self.connection.cursor() as cursor, cursor.copy(sql) as sent:
            for batch in rows.to_batches(max_chunksize=100_000):
                content = io.BytesIO()
                csv.write_csv(batch, content, csv.WriteOptions(include_header=False))
                sent.write(content.getvalue())

    def _analyze(self, name: Name) -> None:
        self.command(f"analyze {name.sql()}")

    def _code(self, error: Any) -> str:
        return error.sqlstate or ""

    def _said_of_query(self, error: Any) -> str:
        return error.diag.message_primary or "" if error.sqlstate in _OF_QUERIES else ""

    def _problem(self, error: Any) -> InputError | None:
        state = error.sqlstate or ""
        if not state and not hasattr(self, "connection"):
            message = "".join(re.findall(r"connection to server .* failed: (.*)", str(error)))
            advice = next((why for sign, why in _REFUSED.items() if sign in message), "check the url and the server")
            return SourceError(f"{self.place} cannot be reached: {advice}")
        if (state[:2] in ("08", "57") and state != "57014") or (not state and self.connection.closed):
            return Lost(f"the connection to {self.name} was lost: run again")
        match state:
            case "42501":
                return SourceError(f"the user of {self.name} lacks a right: grant {self.needs}")
            case "42P01" | "3F000":
                return SourceError(f"a table or schema is not in {self.name}: check its name")
            case "54000" | "54001" | "54011":
                return InputError(f"{self.name} does not support so many or so wide columns: leave some columns out")
            case "53100":
                return OutputError(
                    f"{self.name} has no space left on its disk, and nothing was written: free some space"
                )
            case "55P03":
                return OutputError(
                    f"another session of {self.name} has locked a table for longer than this run waits: end its "
                    "transaction or wait for it (pg_locks has its pid), then run again"
                )
            case "25006" if self.needs != self.writes:
                return self._read_only()
            case "57014":
                return SourceError(
                    f"{self.name} ended a statement of the run: raise statement_timeout, or ask who cancelled the "
                    "statement"
                )
            case "22021":
                return OutputError(
                    f"a text has the character NUL, which {self.name} cannot store: replace it in a query"
                )
            case "25006":
                return OutputError(f"{self.name} is read-only: release to another database")
            case "23502" | "23503" | "23505" | "23514" | "23P01" if error.diag.schema_name != "pg_catalog":
                return OutputError(
                    "the rows of the release violate a constraint, a unique index or a foreign key that was added to "
                    f"{error.diag.table_name or 'its table'} in {self.name} after an earlier release: drop it, or "
                    "release to another table"
                )
            case "40001" | "40P01" | "42P07" | "42710" | "23505":
                return OutputError(f"another session of {self.name} wrote the same table at the same time: run again")
            case "2BP01":
                return OutputError(
                    "each run makes dimension tables anew, or the release has other columns than the previous one, and "
                    "views or other objects depend on that table: drop these objects, or release to another table"
                )
        return None


def _read(rows: bytearray, columns: Sequence[Column]) -> Iterator[pyarrow.RecordBatch]:
    """Parse rows of a COPY in CSV format; yields Arrow batches. Raises :class:`SourceError` for an unreadable value."""
    import pyarrow
    from pyarrow import csv

    types = {column.name: arrow_type(column.type) for column in columns}
    read = csv.ReadOptions(column_names=list(types), block_size=len(rows), use_threads=False)
    parse = csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False)  # one missing value is such a line
    convert = csv.ConvertOptions(
        column_types=types,
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
        true_values=["t"],
        false_values=["f"],
    )
    try:
        yield from csv.read_csv(pyarrow.BufferReader(rows), read, parse, convert).to_batches()
    except pyarrow.ArrowInvalid as error:
        place = re.match(r"In CSV column #(\d+): ", str(error))
        if place is None:
            raise
        raise unreadable(columns[int(place[1])]) from None


def _sent_as(column: Column) -> Hole:
    """Expression for a column in a COPY: numbers have their declared type, and unknown types are cast to text."""
    name = Name(column.name)
    if column.type == _PADDED:
        return Statement("store/text#padded", column=name)
    if column.is_whole:
        return Statement("store/received#typed", column=name, type=Type(column.type))
    if column.type in _TYPES.values() or column.type.startswith("DECIMAL"):
        return name
    return Statement("store/received#typed", column=name, type=Type("text"))


def _digits(column: Any) -> tuple[int | None, ...]:
    """The declared digits and length of a column as the driver describes it, such as 2 of ``time(2)``."""
    return (column.precision, column.scale, column.display_size)


def _type(column: Any, name: str, kind: str) -> str:
    if kind == "e":
        return "VARCHAR"
    if name == "bpchar" and column.display_size is None:
        return _PADDED
    if name == "numeric" and column.precision and column.precision <= 38 and 0 <= column.scale <= column.precision:
        return f"DECIMAL({column.precision},{column.scale})"
    return _TYPES.get(name, f'"{name}"')  # in quotes, to differ from the working store's types
