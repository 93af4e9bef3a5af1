"""Conversion of rows between a database driver's tuples and Arrow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from starcloak.base.column import Column
from starcloak.base.errors import SourceError

if TYPE_CHECKING:
    import pyarrow

_ROWS = 20_000  # of a batch


def stream(cursor: Any, columns: Sequence[Column]) -> Iterator[pyarrow.RecordBatch]:
    """Yield the rows of an executed cursor as Arrow batches; ``columns`` are the statement's columns.

    Raises :class:`~starcloak.base.errors.SourceError` for a value outside its column's type.
    """
    import pyarrow

    schema = pyarrow.schema([(column.name, arrow_type(column.type)) for column in columns])
    while rows := cursor.fetchmany(_ROWS):
        arrays = map(_array, zip(*rows, strict=True), columns)
        yield pyarrow.record_batch(list(arrays), schema=schema)


def rows(table: pyarrow.Table) -> Iterator[list[tuple[Any, ...]]]:
    """Yield the rows of an Arrow table as lists of tuples, a batch at a time."""
    for batch in table.to_batches(max_chunksize=_ROWS):
        yield list(zip(*(column.to_pylist() for column in batch.columns), strict=True))


def has_nul(cells: pyarrow.ChunkedArray) -> bool:
    """True if a text among the cells contains the character NUL."""
    from pyarrow import compute, types

    return types.is_string(cells.type) and bool(compute.any(compute.match_substring(cells, "\0")).as_py())


def arrow_type(kind: str) -> Any:
    """The Arrow type for the transfer of a column; text for types unknown to the working store."""
    import pyarrow

    if kind.startswith("DECIMAL"):
        precision, scale = kind[8:-1].split(",")
        return pyarrow.decimal128(int(precision), int(scale))
    types = {
        "BOOLEAN": pyarrow.bool_(),
        "SMALLINT": pyarrow.int16(),
        "INTEGER": pyarrow.int32(),
        "UBIGINT": pyarrow.uint64(),
        "FLOAT": pyarrow.float32(),
        "SINGLE": pyarrow.float32(),
        "DOUBLE": pyarrow.float64(),
        "DATE": pyarrow.date32(),
        "TIME": pyarrow.time64("us"),
        "TIMESTAMP": pyarrow.timestamp("us"),
        "TIMESTAMP WITH TIME ZONE": pyarrow.timestamp("us", "UTC"),
    }
    if kind in ("TINYINT", "BIGINT"):
        return pyarrow.int64()
    return types.get(kind, pyarrow.string())


def unreadable(column: Column) -> SourceError:
    """The error for a column with a value that the driver or Arrow cannot read exactly."""
    if column.type.startswith(("DATE", "TIME")):
        what = "dates or times that do not exist, are infinite or outside the years 1 to 9999"
    elif column.type.startswith("DECIMAL"):
        what = "numbers that are none"
    elif column.is_text:
        what = "texts that are no UTF-8"
    else:
        what = f"values that are not of type {column.kind}"
    return SourceError(f"column {column.label!r} has {what}: replace these values in a query")


def _array(values: Sequence[Any], column: Column) -> pyarrow.Array:
    import pyarrow

    kind = arrow_type(column.type)
    try:
        return pyarrow.array(_texts(values) if pyarrow.types.is_string(kind) else values, kind)
    except (pyarrow.ArrowException, ValueError, TypeError, OverflowError):
        raise unreadable(column) from None


def _texts(values: Sequence[Any]) -> list[str | None]:
    return [value if value is None or isinstance(value, str) else str(value) for value in values]
