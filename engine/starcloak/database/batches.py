"""Rows of a driver's cursor as a stream of Arrow batches, and back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from starcloak.column import Column

if TYPE_CHECKING:
    import pyarrow

_ROWS = 20_000  # of a batch


def stream(cursor: Any, columns: Sequence[Column]) -> pyarrow.RecordBatchReader:
    """The rows of a cursor that ran a statement with these columns."""
    import pyarrow

    schema = pyarrow.schema([(column.name, _type(column.type)) for column in columns])

    def batches() -> Iterator[pyarrow.RecordBatch]:
        while rows := cursor.fetchmany(_ROWS):
            arrays = [
                pyarrow.array(_texts(values) if pyarrow.types.is_string(field.type) else values, field.type)
                for values, field in zip(zip(*rows, strict=True), schema, strict=True)
            ]
            yield pyarrow.record_batch(arrays, schema=schema)

    return pyarrow.RecordBatchReader.from_batches(schema, batches())


def rows(table: pyarrow.Table) -> Iterator[list[tuple[Any, ...]]]:
    """The rows of a table, some at a time."""
    for batch in table.to_batches(max_chunksize=_ROWS):
        yield list(zip(*(column.to_pylist() for column in batch.columns), strict=True))


def _texts(values: Sequence[Any]) -> list[str | None]:
    return [value if value is None or isinstance(value, str) else str(value) for value in values]


def _type(kind: str) -> Any:
    import pyarrow

    if kind.startswith("DECIMAL"):
        precision, scale = kind[8:-1].split(",")
        return pyarrow.decimal128(int(precision), int(scale))
    known = {
        "UBIGINT": pyarrow.uint64(),
        "DOUBLE": pyarrow.float64(),
        "DATE": pyarrow.date32(),
        "TIMESTAMP": pyarrow.timestamp("us"),
    }
    if kind in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT"):
        return pyarrow.int64()
    return known.get(kind, pyarrow.string())
