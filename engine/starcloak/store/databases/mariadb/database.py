"""MariaDB, by PyMySQL. The run reads a temporary copy of the job's columns.

In MariaDB, a statement that writes reads the newest rows, even in a transaction with a snapshot. So the rows are copied
by one statement at the beginning, and the copy shows one state of the source for the whole run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from starcloak.base.column import Column
from starcloak.base.errors import InputError, OutputError, SourceError
from starcloak.statements.statement import As, Hole, Joined, Name, Statement, Type, join
from starcloak.statements.statement import columns as listed
from starcloak.store.databases import batches
from starcloak.store.databases.borrowed_connections import Loan, detached
from starcloak.store.databases.database import NUMBERS, PATIENCE, Database, Lost
from starcloak.store.databases.mariadb.dialect import MARIADB
from starcloak.store.databases.registry import register

if TYPE_CHECKING:
    import pyarrow

    from starcloak.statements.statement import Row

# Types of the working store, by the number in the protocol. Single-precision numbers have no exact text there, so they
# are fetched in double precision, and times may be longer than a day.
_TYPES = {
    1: "TINYINT", 2: "SMALLINT", 3: "INTEGER", 8: "BIGINT", 9: "INTEGER", 13: "SMALLINT", 5: "DOUBLE", 4: "SINGLE",
    10: "DATE", 12: "TIMESTAMP", 7: "TIMESTAMP", 11: "DURATION", 16: "BIT",
}  # fmt: skip
_WHOLE, _DECIMAL, _TEXTS, _UNSIGNED, _BINARY = (
    (1, 2, 3, 8, 9),
    246,
    (15, 247, 248, 249, 250, 251, 252, 253, 254),
    32,
    63,
)


# Types with missing values lost in a hashed join: it compares the differing placeholders of missing values.
_UNHASHED = ("DECIMAL", "TIMESTAMP")
# Errors of a query's syntax, and of columns, functions and tables absent or ambiguous.
_OF_QUERIES = (1052, 1054, 1055, 1060, 1064, 1146, 1305)
# InnoDB's errors for a table with too long rows, or too many columns.
_TOO_WIDE = re.compile(r"errno: (139|185)\b")
# The numbers of a lost connection; then the other errors of a server with the class and the text of their message.
_LOST = (0, 2006, 2013, 2014, 1927, 1053, 4031)
_PROBLEMS: Sequence[tuple[tuple[int, ...], type[InputError], str]] = (
    ((1045,), SourceError, "{place} cannot be reached: the user or the password is wrong: check the url"),
    ((1049,), SourceError, "{place} cannot be reached: the database is not there: check the url"),
    ((2002, 2003, 2005), SourceError, "{place} cannot be reached: check the url and the server"),
    (
        (1005, 1117, 1118),
        InputError,
        "{name} does not support so many or so wide columns: leave some columns out, or release to a file",
    ),
    ((1044, 1142, 1143, 1227, 1370), SourceError, "the user of {name} lacks a right: grant {needs}"),
    (
        (1792,),
        SourceError,
        "transactions in {name} are read-only by default, and a run makes at least a temporary table: add "
        "?init_command=set tx_read_only=0 to the url",
    ),
    ((1146,), SourceError, "a table or schema is not in {name}: check its name"),
    ((1021, 1114), OutputError, "{name} has no space left on its disk: nothing was published"),
    (
        (1205,),
        OutputError,
        "another session of {name} has locked a table for longer than this run waits: end its transaction or wait "
        "for it (show processlist), then run again",
    ),
    (
        (1217, 1451),
        OutputError,
        "a foreign key refers to a table of an earlier release in {name}, which the run has to drop: drop the foreign "
        "key",
    ),
    ((1050, 1213), OutputError, "another session of {name} wrote the same table at the same time: run again"),
    (
        (1163,),
        OutputError,
        "the default engine for tables in {name} does not support long texts: set default_storage_engine and "
        "default_tmp_storage_engine to InnoDB there",
    ),
    (
        (1665,),
        SourceError,
        "{name} refuses reads without locks, as its binary log has the format statement: set binlog_format to mixed "
        "or row there, or read from a replica without a log",
    ),
    (
        (1300,),
        OutputError,
        "a column's name has a character above U+FFFF, which {name} does not allow: rename the column",
    ),
    (
        (1166,),
        OutputError,
        "a column's name ends with a space, which {name} does not allow: rename the column",
    ),
    (
        (1060,),
        OutputError,
        "two columns have names that {name} takes as equal, such as names that differ in case: rename one of the two",
    ),
    (
        (1173,),
        OutputError,
        "{name} requires a primary key in every table, and a release has none: set innodb_force_primary_key off "
        "there, or use another database",
    ),
    (
        (1969, 3024),
        SourceError,
        "{name} gives the run's user too little time for a statement: raise max_statement_time, such as by "
        "?init_command=set max_statement_time=0 in the url",
    ),
    (
        (1317,),
        SourceError,
        "a statement of the run in {name} was ended by somebody: ask the administrator, then run again",
    ),
    ((1290,), OutputError, "{name} is read-only: release to another database"),
)
_WRONG_DATE = "1292"  # of a value sent as a date or a time; a query of the user may have it, too
_LONGEST = 64  # characters of a name
_KILL = 2  # seconds to reach a server for a kill
# Character sets with a lossless round trip to Unicode for every text.
_UNICODE = ("utf8mb4", "utf8mb3", "utf8", "latin1")
_MODES = "ANSI_QUOTES,NO_BACKSLASH_ESCAPES,PIPES_AS_CONCAT,STRICT_ALL_TABLES,ONLY_FULL_GROUP_BY"


@register
class MariaDB(Database):
    """A connection to MariaDB."""

    names = ("mariadb", "mysql")
    example = "mariadb://user@host/database"
    state = "a temporary copy of the job's columns: what writes rows there reads no snapshot"
    published = "one `rename table`; grants and views go by the name"
    transactional = False
    goes_on = True
    dialect = MARIADB.name
    keeps_line_ends = False
    fingerprints = True
    settings = (
        "set names utf8mb4",
        f"set session sql_mode = '{_MODES}'",
        "set session time_zone = '+00:00'",
        "set session tx_isolation = 'READ-COMMITTED'",  # a copy takes one snapshot and no locks
        # Longer texts with equal beginnings may be sorted wrong: a group is then counted in pieces, never with another.
        "set session max_sort_length = 4096",
        # Settings of a server with a loss of rows, or a refusal.
        "set session sql_select_limit = 18446744073709551615",
        "set session sql_safe_updates = 0",
        "set session sql_big_selects = 1",
        "set session optimizer_switch = 'derived_merge=on'",  # without it, ONLY_FULL_GROUP_BY refuses a named subquery
        "set session sort_buffer_size = 67108864",
        "set session join_cache_level = 4",
        "set session wait_timeout = 86400",
        # With CHAIN, the transaction after a read-only one would be read-only, too.
        "set session completion_type = 'NO_CHAIN'",
    )
    client_needs = settings[:2]
    read_as: ClassVar[Mapping[str, tuple[str, str]]] = {"BIT": ("UBIGINT", "whole")}
    driver = "mysql+pymysql"
    extra = "mariadb"
    _only_reads = False  # whether the transaction under way was begun to read only
    lacks = NUMBERS
    writes = (
        "SELECT on the source, CREATE TEMPORARY TABLES in the url's database, "
        "and CREATE TEMPORARY TABLES, CREATE, INSERT, SELECT, DELETE, ALTER and DROP in the schema of the release"
    )
    system = ("mysql", "sys", "information_schema", "performance_schema")
    types: ClassVar[Mapping[str, str]] = {
        "VARCHAR": "longtext character set utf8mb4 collate utf8mb4_nopad_bin",
        "UBIGINT": "bigint unsigned",
        "TIMESTAMP": "datetime(6)",
    }

    _open: Callable[..., Any]  # another connection like this one

    def close(self) -> None:
        pending = self.connection._result
        if pending is not None:
            pending.unbuffered_active = False  # else the garbage collector would wait for its end, and none comes
        super().close()

    def interrupt(self) -> None:
        # it is over already
        with (
            suppress(self._driver.Error),
            self._open(connect_timeout=_KILL) as connection,
            connection.cursor() as cursor,
        ):
            cursor.execute(f"kill query {int(self.connection.thread_id())}")

    def _bring(
        self, into: Name, statement: Statement, columns: Sequence[Column], extra_columns: Sequence[Column] = ()
    ) -> list[Any]:
        try:
            return super()._bring(into, statement, columns, extra_columns)
        except BaseException:
            pending = self.connection._result
            if pending is not None and pending.unbuffered_active:
                self.interrupt()  # else all of its rows have to come
                with suppress(self._driver.Error):  # it is over already
                    pending._finish_unbuffered_query()  # the connection takes no other statement before
            raise

    def describe(self, rows: Statement) -> list[Column]:
        sql = join(self._announce(Statement("store/no_rows", rows=rows)))
        with self._errors(rows.path, sql, reads_rows=False), self.connection.cursor() as cursor:
            cursor.execute(sql)
            return [Column(field.name, _type(field)) for field in cursor._result.fields]

    def exact(self, cell: Hole, column: Column) -> Hole:
        return Statement(
            "store/cell/exact#float" if column.type in ("SINGLE", "DOUBLE") else "store/cell/exact", cell=cell
        )

    def key(self, kind: str) -> Type:
        kept = super().key(kind)
        return Type(f"{kept.text} unique") if kind.startswith(_UNHASHED) else kept

    def same(self, first: Name, second: Name, column: Column) -> Statement:
        path = "store/same#found" if column.type.startswith(_UNHASHED) else "store/same"
        return Statement(path, one=first, other=second)

    def refuse_names(self, described: Sequence[Column], label: str) -> None:
        for column in described:
            if column.name[0] <= " " or column.name[0] == "\x7f":
                raise SourceError(
                    f"{label}: the name of column {column.name!r} begins with a space, which MariaDB removes in a "
                    "query: rename the column"
                )

    def refuse_texts(self, rows: Statement, described: Sequence[Column], label: str) -> None:
        texts = [column for column in described if column.is_text]
        if not texts:
            return
        charsets = listed(Statement("store/charsets#charset", column=Name(column.name)) for column in texts)
        row = self.row(Statement("store/charsets", charsets=charsets, rows=rows))
        for column, charset in zip(texts, row, strict=True):
            if charset in _UNICODE:
                continue
            (altered,) = self.row(
                Statement("store/charsets#converted", column=Name(column.name), charset=Name(charset), rows=rows)
            )
            if altered:
                raise SourceError(
                    f"{label}: column {column.name!r} has texts in {charset} that change in Unicode: convert the "
                    "column in a query"
                )

    def frozen(self, rows: Statement, described: Sequence[Column]) -> tuple[Hole, Sequence[Column]]:
        name = Name(self.current_schema(), f"starcloak_{self.session.run_id[:12]}_source")
        self.command("rollback")
        self._only_reads = False
        self.needs = f"{self.reads} and CREATE TEMPORARY TABLES in the url's database"
        # Made without a row, so a transaction without other writes can fill it.
        empty = Statement("store/no_rows", rows=rows)
        self.perform(Statement("store/kept_rows", name=name, rows=empty))
        if self.loan is not None:
            self.loan.undone_by(partial(self.perform, Statement("store/table#drop", table=name)))
        self.read()
        self.perform(Statement("store/table#insert", table=name, release=rows))
        self.command("commit")
        self._only_reads = False
        return name, self.describe(Statement("store/relation", relation=name))

    def may_create(self, schema: str) -> bool:
        (may,) = self.row(Statement("store/rights#create"), {"schema": schema})
        return bool(may)

    def referring(self, schema: str, table: str) -> list[str]:
        binds = {"schema": schema, "table": table}
        return [f"{other_schema}.{name}" for other_schema, name in self.run(Statement("store/referring"), binds)]

    def ledgers(self, schema: str, ledger: str) -> list[Row]:
        return self.run(Statement("store/ledger#ledgers"), {"schema": schema, "ledger": ledger})

    def name_problem(self, table: str) -> str | None:
        if len(table) > _LONGEST:
            return f"longer than {_LONGEST} characters"
        if max(table) > "\uffff" or table[-1] in " \t\n\v\f\r":
            return "which ends with a space or has characters above U+FFFF"
        return "which has a special meaning in MariaDB" if table.lower().startswith("#mysql50#") else None

    def hurry(self) -> None:
        self.command(f"set session lock_wait_timeout = {PATIENCE}, innodb_lock_wait_timeout = {PATIENCE}")

    def current_schema(self) -> str:
        (schema,) = self.row(Statement("store/session#current_schema"))
        if schema is None:
            raise SourceError("the url names no database: write the name of a database after the server")
        return str(schema)

    def lock(self, key: str) -> bool:
        binds = {"key": self.lock_name(key)}
        (is_locked,) = self.row(Statement("store/session#lock"), binds)
        if is_locked and self.loan is not None:
            self.loan.undone_by(partial(self.run, Statement("store/session#unlock"), binds))
        return bool(is_locked)

    def read(self) -> None:
        self.command("start transaction read only")
        self._only_reads = True

    def commit(self) -> None:
        pass  # one rename publishes

    def _connect(self, dialect: Any) -> Any:
        from pymysql.cursors import Cursor

        positional, named = self._arguments(dialect)
        if "port" in named:  # after the ? it is a text
            named["port"] = int(named["port"])
        defaults = {"connect_timeout": 10, "program_name": "starcloak"}
        # Texts come in one way, whatever the url says.
        own: dict[str, Any] = {"charset": "utf8mb4", "use_unicode": True, "autocommit": True, "cursorclass": Cursor}
        own |= {"defer_connect": False, "client_flag": 0}  # one statement at a time
        self._open = partial(self._driver.connect, *positional, **{**defaults, **named, **own})
        return self._open()

    def _adopt(self, engine: Any) -> Any:
        self._open = lambda **_: self._own(detached(engine.engine))
        return super()._adopt(engine)

    def _borrow(self, loan: Loan) -> None:
        from pymysql.constants import SERVER_STATUS
        from pymysql.cursors import Cursor

        connection = self.connection
        if connection.server_status & SERVER_STATUS.SERVER_STATUS_IN_TRANS:
            raise SourceError(
                f"the connection to {self.name} has an open transaction, which MariaDB would commit when the run "
                "begins: commit or roll back first, or give the engine"
            )
        if connection._result is not None and connection._result.unbuffered_active:
            raise SourceError(f"the connection to {self.name} has unfetched rows: fetch them, or close the cursor")
        loan.undone_by(partial(connection.set_character_set, connection.charset, connection.collation))
        loan.undone_by(partial(connection.autocommit, connection.get_autocommit()))
        connection.autocommit(True)
        loan.change(cursorclass=Cursor)
        before = self.row(Statement("store/session#settings"))
        binds = {f"setting_{number}": value for number, value in enumerate(before, 1)}
        loan.undone_by(partial(self.perform, Statement("store/session#put_back"), binds))
        loan.undone_by(self.drop_carried)
        loan.undone_by(partial(self.command, "rollback"))
        connection.set_character_set("utf8mb4")

    def _own(self, connection: Any) -> Any:
        from pymysql.cursors import Cursor

        connection.set_character_set("utf8mb4")
        connection.autocommit(True)
        connection.cursorclass = Cursor
        return connection

    def _warn(self) -> None:
        (superuser,) = self.row(Statement("store/session#superuser"))
        if superuser:
            self.warnings.append(
                f"the user of {self.name} has all rights: use a user with SELECT on the source and rights to make, "
                "fill, rename and drop tables in one schema"
            )

    def _sendable(self, statement: Statement, columns: Sequence[Column]) -> Statement:
        singles = [column.name for column in columns if column.type == "SINGLE"]
        if not singles:
            return statement
        sent = listed(
            As(Statement("store/received#typed", column=name, type=Type("double")), name)
            if column.name in singles
            else name
            for column in columns
            for name in [Name(column.name)]
        )
        return Statement("store/source", columns=sent, origin=statement)

    def _stream(self, sql: str, columns: Sequence[Column]) -> Iterator[pyarrow.RecordBatch]:
        from pymysql.cursors import SSCursor

        cursor = self.connection.cursor(SSCursor)
        cursor.execute(sql)
        return batches.stream(cursor, columns)

    def _send(self, name: Name, names: Sequence[str], rows: pyarrow.Table) -> None:
        filled = Joined(tuple(map(Name, names)), ", ").sql()
        # PyMySQL sends many rows together only by a statement that begins with insert.
        into = f"insert {self._run_comment}into {name.sql()} ({filled})".replace("%", "%%")
        sql = f"{into} values ({', '.join(['%s'] * len(names))})"
        self._announce(sql, note=self._remark(name))
        with self.connection.cursor() as cursor:
            for batch in batches.rows(rows):
                try:
                    cursor.executemany(sql, batch)
                except self._driver.Error as error:
                    if self._code(error) == _WRONG_DATE:
                        raise OutputError(
                            f"{self.name} cannot store dates or times that are infinite or outside the years 1 to "
                            "9999: replace these values in a query, or release to another place"
                        ) from None
                    raise

    def _code(self, error: Any) -> str:
        return str(error.args[0]) if error.args and isinstance(error.args[0], int) else ""

    def _said_of_query(self, error: Any) -> str:
        return str(error.args[1]) if len(error.args) > 1 and error.args[0] in _OF_QUERIES else ""

    def _problem(self, error: Any) -> InputError | None:
        code = error.args[0] if error.args else None
        if code in _LOST:
            return Lost(f"the connection to {self.name} was lost: run again")
        if code == 1005 and not _TOO_WIDE.search(str(error)):
            return None
        if code == 1792 and self._only_reads:
            return self._read_only()
        for codes, kind, text in _PROBLEMS:
            if code in codes:
                return kind(text.format(name=self.name, place=self.place, needs=self.needs))
        return None


def _type(field: Any) -> str:
    kind, unsigned = field.type_code, field.flags & _UNSIGNED
    if kind == _DECIMAL:
        precision = field.length - bool(field.scale) - (not unsigned)
        return f"DECIMAL({precision},{field.scale})" if precision <= 38 else "NUMERIC"
    if kind in _TEXTS:
        return "BLOB" if field.charsetnr == _BINARY else "VARCHAR"
    if kind in _WHOLE and unsigned:
        return "UBIGINT"
    return _TYPES.get(kind, "OTHER")
