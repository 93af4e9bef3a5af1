"""SQLite, by Python's own driver. A run is one transaction, begun before the GROUP BY.

Other connections can read meanwhile; their writes wait for its end.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from starcloak.base.column import Column
from starcloak.base.errors import InputError, OutputError, SourceError
from starcloak.statements.statement import As, Joined, Name, Statement, Text, Type, columns, join
from starcloak.store.databases import batches
from starcloak.store.databases.borrowed_connections import Loan
from starcloak.store.databases.database import NAN, NEGATIVE_ZERO, Database
from starcloak.store.databases.registry import register
from starcloak.store.databases.sqlite.dialect import SQLITE

if TYPE_CHECKING:
    import pyarrow
    from sqlalchemy.engine import URL

# A column's values may have types of their own: the common type of all. Errors of a query's syntax and names, with one
# code in SQLite.
_OF_QUERIES = re.compile(r'near "|incomplete input|unrecognized token|ambiguous column|no such (column|table|function)')
_TOO_WIDE = re.compile(r"too many (columns|terms|arguments)|parser stack overflow|Expression tree is too large")
_DESCRIBED = 900  # columns per statement for types, with two results each, as a statement may have 2,000 results
_SAVEPOINT = "starcloak_run"
_FUNCTIONS = {"starcloak_hash": -1, "starcloak_real": 1}
_TYPES = {"integer": "BIGINT", "real": "DOUBLE", "text": "VARCHAR", None: "VARCHAR"}


@register
class SQLite(Database):
    """A connection to a SQLite file."""

    names = ("sqlite",)
    example = "sqlite:///path/to/file.sqlite"
    state = "one transaction; others read, and wait to write"
    published = "its commit"
    folds_names = True
    default_schema = "main"
    dialect = SQLITE.name
    goes_on = True
    keeps_line_ends = False
    replaces_in_steps = True
    typed_cells = True
    largest_product = 2**63 - 1
    of_one_thread = True
    # Pages beyond the cache would lock readers out before the end.
    settings = ("pragma cache_spill = off",)
    driver = "sqlite+pysqlite"
    lacks = (NAN, NEGATIVE_ZERO)
    types: ClassVar[Mapping[str, str]] = {
        "VARCHAR": "text", "BIGINT": "integer", "BOOLEAN": "integer", "DOUBLE": "real",
        "DATE": "text", "TIMESTAMP": "text",
    }  # fmt: skip

    @classmethod
    def file(cls, url: URL) -> Path | None:
        return Path(url.database) if url.database and not cls.in_memory(url) else None

    @classmethod
    def in_memory(cls, url: URL) -> bool:
        name = url.database or ":memory:"
        return name in (":memory:", "file::memory:") or url.query.get("mode") == "memory"

    def interrupt(self) -> None:
        with suppress(self._driver.Error):  # if the connection is closed already
            self.connection.interrupt()

    def describe(self, rows: Statement) -> list[Column]:
        sql = join(self._announce(Statement("store/no_rows", rows=rows)))
        with self._errors(rows.path, sql, reads_rows=False):
            names = [name for name, *_ in self.connection.execute(sql).description]
        parts = (names[start : start + _DESCRIBED] for start in range(0, len(names), _DESCRIBED))
        kinds = (kind for some_names in parts for kind in self._kinds(rows, some_names))
        return [Column(name, kind) for name, kind in zip(names, kinds, strict=True)]

    def _kinds(self, rows: Statement, names: Sequence[str]) -> list[str]:
        """The working store's type for each of some columns, by the types of its values; MIXED for several types."""
        kinds = columns(
            As(Statement(path, column=Name(name)), Name(f"type_{2 * position + last}"))
            for position, name in enumerate(names)
            for last, path in enumerate(("store/value_types#first_type", "store/value_types#last_type"))
        )
        row = self.row(Statement("store/value_types", types=kinds, rows=rows))
        pairs = zip(row[::2], row[1::2], strict=True)
        return [_TYPES.get(first, str(first).upper()) if first == last else "MIXED" for first, last in pairs]

    def name_problem(self, table: str) -> str | None:
        return "kept for SQLite itself" if table.lower().startswith("sqlite_") else None

    def type(self, kind: str) -> Type:
        # A column of decimals would round them to 15 digits.
        return Type("text") if kind.startswith("DECIMAL") else super().type(kind)

    def current_schema(self) -> str:
        return "main"

    def read(self) -> None:
        self.command("pragma query_only = on")
        if not self.connection.in_transaction:
            self.command("begin")

    def lock(self, key: str) -> bool:
        if self.connection.in_transaction:
            self.command("rollback")
        self.command("pragma query_only = off")  # with it, there is no lock to write
        self.command("begin immediate")
        self.command("pragma query_only = on")
        return True

    def _write(self) -> None:
        self.command("pragma query_only = off")

    def commit(self) -> None:
        self.command("commit")

    def _connect(self, dialect: Any) -> Any:
        if self.url.query or self.url.host:
            raise SourceError(
                "a url of SQLite must be sqlite:/// and the path of a file, without options: check the url"
            )
        path = Path(self.url.database or "")
        if not path.is_file():
            raise SourceError(f"{path} is not there: check the url")
        self.name = path.name
        # The working store reads its stream in a thread of its own.
        options: dict[str, Any] = {"isolation_level": None, "timeout": 5, "check_same_thread": False}
        return self._own(self._driver.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, **options))

    def _borrow(self, loan: Loan) -> None:
        connection = self.connection
        loan.within = connection.in_transaction
        loan.change(row_factory=None, text_factory=str)
        if loan.within:
            self.command(f"savepoint {_SAVEPOINT}")
            loan.undone_by(partial(self.command, f"release {_SAVEPOINT}"))
            loan.undone_by(partial(self.command, f"rollback to {_SAVEPOINT}"))
        else:  # to set it ends a transaction
            loan.change(isolation_level=None)
        for pragma in ("cache_spill", "legacy_alter_table", "query_only"):
            ((before,),) = connection.execute(f"pragma {pragma}").fetchall()
            loan.undone_by(partial(self.command, f"pragma {pragma} = {int(before)}"))
        self._prepare(connection)
        for name, arguments in _FUNCTIONS.items():
            # With create_function, None would be a failing function.
            loan.undone_by(partial(connection.create_window_function, name, arguments, None))
        if not loan.within:
            loan.undone_by(self._roll_back)

    def _roll_back(self) -> None:
        if self.connection.in_transaction:
            self.command("rollback")

    def _own(self, connection: Any) -> Any:
        connection.isolation_level, connection.row_factory, connection.text_factory = None, None, str
        return self._prepare(connection)

    def _prepare(self, connection: Any) -> Any:
        connection.create_function("starcloak_hash", _FUNCTIONS["starcloak_hash"], _hash, deterministic=True)
        connection.create_function("starcloak_real", _FUNCTIONS["starcloak_real"], float.hex, deterministic=True)
        # A staged table is renamed whatever views and triggers say.
        connection.execute("pragma legacy_alter_table = on")
        return connection

    def _stream(self, sql: str, columns: Sequence[Column]) -> Iterator[pyarrow.RecordBatch]:
        try:
            yield from batches.stream(self.connection.execute(sql), columns)
        except self._driver.OperationalError as error:
            # The driver quotes the text, after the column.
            undecoded = re.match(r"Could not decode to UTF-8 column '([^']*)'", str(error))
            for column in columns:
                if undecoded and column.name == undecoded[1]:
                    raise batches.unreadable(column) from None
            raise

    def _send(self, name: Name, names: Sequence[str], rows: pyarrow.Table) -> None:
        values = ", ".join("?" * len(names))
        filled = Joined(tuple(map(Name, names)), ", ").sql()
        into = f"insert into {name.sql()} ({filled}) values ({values})"
        sql = join(self._announce(into, note=self._remark(name)))
        for batch in batches.rows(rows):
            self.connection.executemany(sql, batch)

    def _with_binds(self, text: Text) -> str:
        return join(text)

    def _code(self, error: Any) -> str:
        return getattr(error, "sqlite_errorname", "") or ""

    def _said_of_query(self, error: Any) -> str:
        return str(error) if _OF_QUERIES.match(str(error)) else ""

    def _problem(self, error: Any) -> InputError | None:
        kind = getattr(error, "sqlite_errorname", "") or ""
        if kind.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            return OutputError(f"another run or program is reading or writing {self.name}: wait until it is done")
        if _TOO_WIDE.match(str(error)):
            return InputError(f"{self.name} does not support so many columns: leave some columns out")
        if kind.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")):
            return OutputError(f"{self.name} cannot be written: check the permissions of the file and of its folder")
        if kind.startswith(("SQLITE_FULL", "SQLITE_IOERR")):
            return OutputError(f"{self.name} cannot be written ({kind}): check space and permissions")
        if kind.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")):
            return SourceError(f"{self.name} is not a SQLite database: check the url")
        return None


def _hash(before: int, *cells: bytes | None) -> int:
    """A 32-bit hash of cells; ``before`` is the hash of the row's previous cells, included in the hash."""
    for cell in cells:
        key = before.to_bytes(4) + (b"-" if cell is None else b"+")
        before = int.from_bytes(hashlib.blake2b(cell or b"", digest_size=4, key=key).digest())
    return before
