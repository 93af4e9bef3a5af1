"""Spark, by PySpark: a session of a cluster, or of Spark Connect.

The source is a temporary view of the files of the source's table at the start of the run. Other tables needed by the
release are temporary views, invisible to other sessions.
"""

from __future__ import annotations

import logging
import os
import re
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast

from starcloak.base.column import Column
from starcloak.base.errors import InputError, OutputError, SourceError
from starcloak.statements.statement import Bind, Hole, Literal, Name, Statement, Text, join, path_of
from starcloak.store.databases.batches import arrow_type, unreadable
from starcloak.store.databases.database import Database, Lost
from starcloak.store.databases.registry import register
from starcloak.store.databases.spark.dialect import SPARK

if TYPE_CHECKING:
    import pyarrow
    from sqlalchemy.engine import URL

    from starcloak.statements.statement import Row
    from starcloak.store.tables import Table

# Types as the working store knows them, by Spark's own names.
_TYPES = {
    "boolean": "BOOLEAN", "tinyint": "TINYINT", "smallint": "SMALLINT", "int": "INTEGER", "bigint": "BIGINT",
    "float": "FLOAT", "double": "DOUBLE", "date": "DATE", "timestamp": "TIMESTAMP WITH TIME ZONE",
    "timestamp_ntz": "TIMESTAMP", "binary": "BLOB",
}  # fmt: skip
_SESSION_CATALOG = "spark_catalog"
_OWN_TABLE = re.compile(r"`(starcloak_[0-9a-f]{12}_[0-9a-f]{12}_new)`")
_PATIENCE = 10  # seconds to reach a server
# Number of retries, and longest wait in milliseconds, for a server without an answer: ten seconds in all, in place of
# PySpark's ten minutes per statement.
_ASKED_AGAIN = {"max_retries": 6, "max_backoff": 3000}
# If one of them is set, such as by a session of Spark Connect, PySpark makes no other sessions in the process.
OF_CONNECT = ("SPARK_REMOTE", "SPARK_CONNECT_MODE_ENABLED")
_QUOTING = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
_TOO_LARGE = "spark.driver.maxResultSize"
_GONE = ("FAILED_READ_FILE", "FILE_NOT_EXIST", "PATH_NOT_FOUND")


@register
class Spark(Database):
    """A session of Spark, as the connection of a run."""

    names = ("spark", "sc")
    example = "spark://host:7077"
    state = "a view of the files that the table has when the run begins; what it finds changed is refused"
    published = "one `alter view`: the release is a view that shows the table of the newest run"
    transactional = False
    views_alone = True
    folds_names = True
    keeps_line_ends = False
    fills_by_views = True
    recounts_again = True
    keeps_rows = False
    dialect = SPARK.name
    has_grouping_sets = True
    holds_tables = True
    settings = (
        # `${zip}` in a name or a value is plain text, not a variable.
        "set spark.sql.variable.substitute = false",
        "set spark.sql.ansi.enabled = true",
        "set spark.sql.ansi.doubleQuotedIdentifiers = true",
        "set spark.sql.ansi.enforceReservedKeywords = false",
        "set spark.sql.parser.escapedStringLiterals = false",
        "set spark.sql.caseSensitive = false",
        "set spark.sql.session.timeZone = UTC",
        "set spark.sql.timestampType = TIMESTAMP_LTZ",
        "set spark.sql.sources.default = parquet",
        "set spark.sql.parquet.outputTimestampType = TIMESTAMP_MICROS",
        "set spark.sql.legacy.createHiveTableByDefault = false",
        # Unreadable rows are an error, never skipped.
        "set spark.sql.files.ignoreMissingFiles = false",
        "set spark.sql.files.ignoreCorruptFiles = false",
        # A driver holds fetched rows during their transfer.
        "set spark.sql.execution.arrow.compression.codec = zstd",
    )
    extra = "spark"
    lacks = ()
    reads = "SELECT on the source"
    writes = "SELECT on the source, and CREATE, ALTER and DROP in the schema of the release"
    system = ("information_schema", "global_temp", "system", "session")
    types: ClassVar[Mapping[str, str]] = {
        "VARCHAR": "string", "TIMESTAMP": "timestamp_ntz", "TIMESTAMP WITH TIME ZONE": "timestamp", "BLOB": "binary",
        "INTEGER": "int",
    }  # fmt: skip

    @classmethod
    def file(cls, url: URL) -> Path | None:
        if not url.host or url.database or url.query or url.username or url.password:
            raise SourceError(
                "a url of Spark must be spark://host:port of a master, or sc://host:port of Spark Connect: for "
                "further settings such as a token, make a session and give it as in run(job, spark=session)"
            )
        return None

    def close(self) -> None:
        with suppress(*self._errors_of):  # it is over already
            if self._connects or self._begun:
                self.connection.stop()

    def interrupt(self) -> None:
        with suppress(*self._errors_of):  # it is over already
            self.connection.interruptTag(self._tag)

    def describe(self, rows: Statement) -> list[Column]:
        sql = join(self._announce(Statement("store/no_rows", rows=rows)))
        with self._errors(rows.path, sql):
            fields = self.connection.sql(sql).schema.fields
        return [Column(field.name, _type(field.dataType)) for field in fields]

    def exact(self, cell: Hole, column: Column) -> Hole:
        if column.type == "BLOB":
            return Statement("store/cell/exact#binary", cell=cell)
        if not column.is_groupable:
            raise SourceError(
                f"column {column.name!r} is of type {column.kind}, whose values Spark does not compare exactly: cast "
                "it in a query"
            )
        return Statement("store/cell/exact", cell=cell)

    def frozen(self, rows: Statement, described: Sequence[Column]) -> tuple[Hole, Sequence[Column]]:
        name = self._temporary("source")
        sql = join(self._announce(rows))
        with self._errors(rows.path, sql):
            # The view has the list of files, not only the table's name.
            self.connection.sql(sql).createOrReplaceTempView(name.parts[0])
        return name, described

    def carry(self, tables: Sequence[Table]) -> Mapping[Name, Name]:
        """Make temporary views with the rows of working-store tables; returns the views' names by the tables' names."""
        self.write()
        names = {}
        for table in tables:
            names[table.name] = name = self._temporary(str(len(self._carried) + 1))
            self._carried.append(name)
            self._announce("", note=self._remark(name))
            with self._timed("carry"), self._errors("carry", ""):
                sent = self.connection.createDataFrame(_sendable(self.session.arrow(table.rows)))
                cells = [sent[column].cast(self.type(kind.text).text) for column, kind in table.columns]
                sent.select(*cells).toDF(*(column for column, _ in table.columns)).createOrReplaceTempView(
                    name.parts[0]
                )
        return names

    def keep(self, name: Name, rows: Statement) -> Name:
        raise NotImplementedError("Spark has no such table: a job that needs it is refused earlier")

    def drop_carried(self) -> None:
        """Forget the temporary views; they end with the session."""
        self._carried.clear()

    def table_shown(self, schema: str, view: str) -> str | None:
        if view.lower() not in self._names("store/shown#views", schema):
            return None
        rows = self.run(Statement("store/shown", view=Name(schema, view)))
        text = next((str(value) for name, value, *_ in rows if name == "View Text"), "")
        match = _OWN_TABLE.search(text)
        return match[1] if match else None

    def what_stands(self, schema: str, table: str, ledger: str) -> Row:
        (catalog, _) = self._place
        if catalog != _SESSION_CATALOG:
            raise OutputError(
                f"the catalog of {self.name} is {catalog}, in which a release cannot be replaced in one step: "
                f"release into {_SESSION_CATALOG}"
            )
        schemas = {name.lower() for (name,) in self.run(Statement("store/shown#schemas"))}
        if schema.lower() not in schemas:
            return (0, 0, 0, 0, 0)
        tables, views = self._names("store/shown#tables", schema), self._names("store/shown#views", schema)
        there, is_own = table.lower() in tables, self.table_shown(schema, table) is not None
        strange = ledger in views
        return (1, int(is_own), int(there and not is_own), int(ledger in tables and not strange), int(strange))

    def refuse_lost(self, label: str) -> None:
        """Check that a released table survives the run: raises :class:`OutputError` if it ends with the run's session.

        An in-memory catalog of a session not made by the run causes a warning. ``label`` names the release.
        """
        with self._errors("catalog", ""):
            kind = self.connection.conf.get("spark.sql.catalogImplementation", "in-memory")
        if kind != "in-memory":
            return
        remedy = (
            "set spark.sql.catalogImplementation to hive in spark-defaults.conf, or make the session with "
            "enableHiveSupport() and give it as in run(job, spark=session)"
        )
        if self._begun:
            raise OutputError(
                f"{label}: the session of the run has its catalog in memory, so the table would be lost when the run "
                f"ends: {remedy}; or release to a file by output.path"
            )
        ends = "server" if self._connects else "session"
        self.warnings.append(
            f"{label}: the catalog of the {ends} is in memory, so that the release is lost when the {ends} ends: "
            f"{remedy}"
        )

    def leftovers(self, schema: str, prefix: str) -> list[str]:
        """Names of the tables in a schema that begin with a prefix, in alphabetical order."""
        return sorted(name for name in self._names("store/shown#tables", schema) if name.startswith(prefix))

    def forget(self, ledger: Name, run: str) -> None:
        for (run_found,) in self.run(Statement("store/ledger#runs", ledger=ledger), {"run": run}):
            self.perform(Statement("store/ledger#forget_run", ledger=ledger, run=Literal(run_found)))

    def name_problem(self, table: str) -> str | None:
        return (
            None if re.fullmatch(r"\w+", table, re.ASCII) else "which has characters other than letters, digits and _"
        )

    def current_schema(self) -> str:
        return str(self._place[1])

    def lock(self, key: str) -> bool:
        return True  # Spark has none: the target's own lock is of this machine

    def read(self) -> None:
        pass  # a query of Spark SQL writes nothing

    def commit(self) -> None:
        pass  # one change of a view publishes

    def _load(self, engine: Any) -> Any:
        from pyspark import errors
        from pyspark.sql import SparkSession

        errors_of: list[type[BaseException]] = [errors.PySparkException, OSError]
        with suppress(ImportError):  # a missing module is no error
            from py4j.protocol import Py4JError

            errors_of.append(Py4JError)
        with suppress(ImportError):  # a missing module is no error
            from grpc import RpcError

            errors_of.append(RpcError)
        self._silence()
        self._errors_of = tuple(errors_of)
        self._driver = cast(Any, _Driver(self._errors_of))
        self.name = f"{self.url.host}:{self.url.port}" if self.url.port else f"Spark at {self.url.host}"
        self._connects = self.url.get_backend_name() == "sc"
        self._begun = False
        self._tag = f"starcloak-{self.session.run_id}"
        return SparkSession

    def _silence(self) -> None:
        """Silence PySpark's loggers during the run, since they show errors with quoted values."""

        def say_nothing(_: logging.LogRecord) -> bool:
            return False

        from pyspark.logger import PySparkLogger

        for logger in map(PySparkLogger.getLogger, _QUOTING):
            logger.addFilter(say_nothing)
            self.session.at_close(partial(logger.removeFilter, say_nothing))

    def _connect(self, dialect: Any) -> Any:
        self.file(self.url)
        # Spark itself would try again for minutes.
        with socket.create_connection((self.url.host or "", self.url.port or 0), timeout=_PATIENCE):
            pass
        place = f"{self.url.get_backend_name()}://{self.url.host}:{self.url.port}"
        if self._connects:
            return self._with_tag(dialect.builder.remote(place).create())
        if any(name in os.environ for name in OF_CONNECT):
            raise SourceError(
                f"this process has sessions of Spark Connect, and PySpark cannot open a session of {place} beside "
                f"them: give sc://host:port, or run in another process without {' and '.join(OF_CONNECT)}"
            )
        self._begun = dialect.getActiveSession() is None
        session = dialect.builder.master(place).appName("starcloak").config("spark.log.level", "OFF").getOrCreate()
        if session.sparkContext.master != place:
            raise SourceError(
                f"this process has a Spark session already, which is not one of {place}: give this session, as in "
                "run(job, spark=session)"
            )
        return session if self._begun else self._own(session)

    def _adopt(self, engine: Any) -> Any:
        return self._own(engine)

    def _own(self, connection: Any) -> Any:
        """A copy of the user's session: it has the same temporary views, and separate settings."""
        if self._connects:
            return self._with_tag(connection.cloneSession())
        return self._with_tag(type(connection)(connection.sparkContext, connection._jsparkSession.cloneSession()))

    def _with_tag(self, session: Any) -> Any:
        """Prepare a session: a tag for interrupting its statements, and few retries for a server without answer."""
        if self._connects:
            session.client.set_retry_policies([patience()])
        session.addTag(self._tag)
        return session

    @cached_property
    def _place(self) -> Row:
        return self.row(Statement("store/session#current_schema"))

    def _names(self, path: str, schema: str) -> set[str]:
        """Names of a schema's views or of all its objects (by the statement ``path``), in small letters."""
        rows = self.run(Statement(path, schema=Name(schema)))
        return {name.lower() for _, name, is_temporary, *_ in rows if not is_temporary}

    def _temporary(self, what: str) -> Name:
        return Name(f"starcloak_{self.session.run_id[:12]}_{what}")

    def _execute(self, statement: Any, binds: Mapping[str, Any] | None, *, fetch: bool) -> list[Row]:
        path = statement.split()[0].lower() if isinstance(statement, str) else path_of(statement)
        text = self._announce(statement, binds)
        with self._timed(path), self._errors(path, join(text)):
            frame = self.connection.sql(self._with_binds(text), args=dict(binds) if binds else None)
            rows = [tuple(row) for row in frame.collect()] if fetch else []
        self.fetched += len(rows)
        return rows

    def _with_binds(self, text: Text) -> str:
        return "".join(f":{piece.name}" if isinstance(piece, Bind) else join([piece]) for piece in text)

    def _stream(self, sql: str, columns: Sequence[Column]) -> Iterator[pyarrow.RecordBatch]:
        batches = self.connection.sql(sql).toArrow().to_batches()[::-1]
        while batches:
            yield _as_described(batches.pop(), columns)  # each goes as soon as it was read

    def _send(self, name: Name, names: Sequence[str], rows: pyarrow.Table) -> None:
        raise NotImplementedError("Spark has no temporary tables: send the rows as a temporary view")

    def _code(self, error: Any) -> str:
        return _condition(error)

    def _problem(self, error: Any) -> InputError | None:
        condition, state = _condition(error), _state(error)
        if condition == "JAVA_GATEWAY_EXITED":
            return SourceError(
                f"a session of {self.name} in this process needs Java 17, which does not start here: install it, or "
                "use Spark Connect (sc://host:port)"
            )
        if not hasattr(self, "connection"):
            return SourceError(f"{self.name} cannot be reached: check the url, and that Spark runs there")
        if isinstance(error, OSError) or _is_of_the_connection(error):
            if self._connects:
                self.connection.client.set_retry_policies([])  # no wait for a later rollback
            return Lost(f"the connection to {self.name} was lost: run again")
        if _TOO_LARGE in _text(error):
            return SourceError(
                f"the result is larger than {self.name} may send at once ({_TOO_LARGE}): raise this setting, or "
                "leave out or coarsen a quasi-identifier in a query"
            )
        if condition.startswith(_GONE):
            return SourceError(
                f"a file of the source in {self.name} is gone or cannot be read: if it changed while it was read, run "
                "again"
            )
        match state:
            case "42501":
                return SourceError(f"the user of {self.name} lacks a right: grant {self.needs}")
            case "42P01" | "42704":
                return SourceError(f"a table or schema is not in {self.name}: check its name")
            case "42P07":
                return OutputError(f"another session of {self.name} wrote the same table at the same time: run again")
        return None


def patience() -> Any:
    """Retry policy for a server without an answer. After the last retry, only the server's error is raised."""
    from pyspark.sql.connect.client.retries import DefaultPolicy, RetryPolicyState

    class State(RetryPolicyState):  # type: ignore[misc]
        def next_attempt(self, *arguments: Any) -> Any:
            milliseconds = super().next_attempt(*arguments)
            if milliseconds is None and arguments:
                raise arguments[0]
            return milliseconds

    class Patience(DefaultPolicy):  # type: ignore[misc]
        def to_state(self) -> Any:
            return State(self)

    return Patience(**_ASKED_AGAIN)


def _as_described(batch: pyarrow.RecordBatch, columns: Sequence[Column]) -> pyarrow.RecordBatch:
    """Cast a batch to the transfer types of its columns. Raises :class:`SourceError` for an unreadable value."""
    import pyarrow

    cells = []
    for column in columns:
        try:
            cells.append(batch.column(column.name).cast(arrow_type(column.type)))
        except pyarrow.ArrowException:
            raise unreadable(column) from None
    return pyarrow.record_batch(cells, names=[column.name for column in columns])


def _sendable(rows: pyarrow.Table) -> pyarrow.Table:
    """Cast rows to Arrow types accepted by PySpark: integers to int64, all but truth values to strings."""
    import pyarrow
    from pyarrow import types

    sent = [
        pyarrow.int64()
        if types.is_integer(field.type)
        else field.type
        if types.is_boolean(field.type)
        else pyarrow.string()
        for field in rows.schema
    ]
    return rows.cast(pyarrow.schema(list(zip(rows.column_names, sent, strict=True))))


class _Driver:
    """Replacement for a driver's module: the classes of its errors."""

    def __init__(self, errors: tuple[type[BaseException], ...]) -> None:
        self.Error = errors


def _condition(error: Any) -> str:
    """The error condition of a Spark error, such as TABLE_OR_VIEW_NOT_FOUND; empty without one.

    The error's text is not used, as it may quote values.
    """
    condition = getattr(error, "getCondition", None)
    return (condition() if condition is not None else None) or ""


def _is_of_the_connection(error: Any) -> bool:
    """True if an error means a lost connection: the server did not answer, or restarted and lost the session."""
    status = getattr(error, "getGrpcStatusCode", None)
    return (
        type(error).__name__ in ("Py4JNetworkError", "_InactiveRpcError")
        or _condition(error).startswith("INVALID_HANDLE")
        or (status is not None and status().name == "UNAVAILABLE")
    )


def _text(error: Any) -> str:
    """The text of an error, for searches only, never shown; empty for an error of an ended process."""
    with suppress(Exception):  # its text is searched, never shown
        return str(error)
    return ""


def _state(error: Any) -> str:
    state = getattr(error, "getSqlState", None)
    return (state() if state is not None else None) or ""


def _type(kind: Any) -> str:
    named = str(kind.simpleString())
    if named.startswith(("string", "char(", "varchar(")):
        return "VARCHAR"
    if named.startswith("decimal"):
        return f"DECIMAL({kind.precision},{kind.scale})"
    return _TYPES.get(named, f'"{named}"')  # in quotes, to differ from the working store's types
