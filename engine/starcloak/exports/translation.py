"""A script in the dialect of a warehouse: translated by sqlglot (the extra ``preview``), and never run there.

Parts that sqlglot would silently mistranslate are removed before: the order by a hash, the error that ends a script,
and the transaction, as those databases have none for making tables. Remaining parts of that kind are refused, as in a
local recoding with rows of one tuple in several classes.
"""

from __future__ import annotations

from typing import Any, Literal

from starcloak.base.errors import JobError
from starcloak.base.installation import package_needed
from starcloak.job import Job

Dialect = Literal["snowflake", "bigquery", "trino", "databricks"]

# How a statement ends a script with an error, in words that are the database's own.
_ERRORS = {
    "snowflake": "to_varchar(to_number({}))",
    "bigquery": "error({})",
    "trino": "fail({})",
    "databricks": "raise_error({})",
}
_TEMPORARY = ("snowflake", "bigquery")


def translate(script: str, job: Job, *, dialect: Dialect) -> str:
    """Translate a DuckDB script to the SQL of a warehouse; return the text, with warnings as comments.

    Raises :class:`JobError` if sqlglot is missing, for parts without a translation, and for a job whose source and
    release are not both tables.
    """
    try:
        import sqlglot
        from sqlglot import ErrorLevel
        from sqlglot.errors import SqlglotError
    except ImportError:
        raise JobError(package_needed("--dialect", "sqlglot", extra="preview")) from None
    if job.source is None or job.source.table is None or job.output is None or job.output.table is None:
        raise JobError(
            f"a translation to {dialect} needs a table as source and as output: give source.table and output.table, "
            "and load files into tables first"
        )
    heading = script.partition("\n\n")[0].splitlines()
    try:
        statements = [statement for statement in sqlglot.parse(script, read="duckdb") if statement is not None]
        kept = [adapted for statement in statements if (adapted := _adapt(statement, dialect)) is not None]
        texts = [
            statement.sql(
                dialect=dialect, pretty=True, identify=True, comments=False, unsupported_level=ErrorLevel.RAISE
            )
            for statement in [*kept, *_removals(kept)]
        ]
    except SqlglotError as error:
        raise JobError(
            f"sqlglot cannot translate the script to {dialect} ({type(error).__name__}): use the script for DuckDB, "
            "without --dialect"
        ) from None
    marked = [
        f"-- Translated to {dialect} by sqlglot and NOT RUN there: read the script, and try it on made-up rows first.",
        "-- The script is not a transaction: let the client stop at the first error. The order of rows is random in "
        "each run.",
        *heading,
    ]
    return "\n".join(marked) + "\n\n" + "\n\n".join(f"{text};" for text in texts) + "\n"


def _adapt(statement: Any, dialect: Dialect) -> Any:
    """Replace parts of a parsed statement mistranslated by sqlglot; None for a statement to leave out."""
    import sqlglot
    from sqlglot import exp

    if isinstance(statement, (exp.Transaction, exp.Commit, exp.Attach, exp.Comment, exp.Drop)):
        return None
    if any(
        expression.alias in ("builtins", "unmarked") for expression in statement.expressions
    ):  # a question to DuckDB alone
        return None
    for order in list(statement.find_all(exp.Order)):
        if any(call.name.lower() == "hash" for call in order.find_all(exp.Anonymous)):
            order.set("expressions", [exp.Ordered(this=exp.Rand())])
    for error in list(statement.find_all(exp.Anonymous)):
        if error.name.lower() == "error":
            text = error.expressions[0].sql(dialect=dialect)
            error.replace(sqlglot.parse_one(_ERRORS[dialect].format(text), read=dialect))
    if isinstance(statement, exp.Create):
        statement.set("replace", None)  # whether a table there is a release is not asked
        table = statement.this.find(exp.Table)
        if table is not None and table.db == "main":  # DuckDB's own, of whatever file
            table.set("catalog", None)
            table.set("db", None)
        if dialect not in _TEMPORARY and (properties := statement.args.get("properties")) is not None:
            left = [part for part in properties.expressions if not isinstance(part, exp.TemporaryProperty)]
            properties.set("expressions", left)
    _refuse(statement, dialect)
    return statement


def _refuse(statement: Any, dialect: Dialect) -> None:
    """Raise JobError for a part of a statement known to be mistranslated by sqlglot, or unknown to sqlglot."""
    from sqlglot import exp

    allowed = {"fail", "raise_error", "error", "to_number", "to_varchar"}
    for node in statement.walk():
        name = node.name.lower() if isinstance(node, exp.Anonymous) else ""
        unknown = (
            (isinstance(node, exp.Anonymous) and name not in allowed)
            or isinstance(node, (exp.Command, exp.Copy, exp.IntDiv, exp.Window, exp.Encode, exp.Decode, exp.ReadCSV))
            or (isinstance(node, exp.Group) and node.args.get("all"))
            or (isinstance(node, exp.Create) and node.args.get("replace"))
        )
        if unknown:
            raise JobError(
                f"{name or type(node).__name__.lower()} cannot be translated to {dialect} safely: compile a script "
                "for DuckDB, or use a full-domain algorithm and no cleaning"
            )


def _removals(statements: list[Any]) -> list[Any]:
    """Return DROP TABLE statements for the script's own tables, created by ``statements``."""
    import sqlglot
    from sqlglot import exp

    tables = [statement.this.find(exp.Table).name for statement in statements if isinstance(statement, exp.Create)]
    own = (exp.to_identifier(name, quoted=True).sql("duckdb") for name in tables if name.startswith("starcloak_"))
    return [sqlglot.parse_one(f"drop table {name}", read="duckdb") for name in own]
