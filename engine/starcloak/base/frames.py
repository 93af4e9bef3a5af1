"""Data frames of all supported kinds, and conversions between them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Protocol, TypeGuard

if TYPE_CHECKING:
    import pandas
    import pyarrow

    class Stream(Protocol):
        """An object with Arrow's interface to its columns: an Arrow table, a frame of polars, a relation of DuckDB."""

        def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

    class Lazy(Protocol):
        """A lazy data frame of polars."""

        def collect(self) -> Stream: ...

    Frame = pandas.DataFrame | Stream | Lazy


def is_pandas(data: Any) -> TypeGuard[pandas.DataFrame]:
    """True if data is a data frame of pandas."""
    return hasattr(data, "iloc") and hasattr(data, "columns") and not isinstance(data, type)


def is_lazy(data: Any) -> TypeGuard[Lazy]:
    """True if data is a lazy data frame of polars, with rows still to be collected."""
    return hasattr(data, "collect") and hasattr(data, "collect_schema")


def is_polars(data: Any) -> bool:
    """True if data is a data frame of polars."""
    polars = sys.modules.get("polars")  # nobody has one without it
    return polars is not None and isinstance(data, polars.DataFrame)


def is_relation(data: Any) -> bool:
    """True if data is a relation of DuckDB."""
    duckdb = sys.modules.get("duckdb")
    return duckdb is not None and isinstance(data, duckdb.DuckDBPyRelation)


def is_frame(data: Any) -> bool:
    """True if data is a data frame of any kind."""
    if isinstance(data, type) or (hasattr(data, "dtype") and not hasattr(data, "columns")):  # a class, one column
        return False
    return is_pandas(data) or is_lazy(data) or hasattr(data, "__arrow_c_stream__")


def kind_of(frame: Any) -> str:
    """The kind of a data frame, by the name of its library; pyarrow for other kinds."""
    kinds = {"pandas": is_pandas, "polars": lambda data: is_polars(data) or is_lazy(data), "duckdb": is_relation}
    return next((name for name, is_one in kinds.items() if is_one(frame)), "pyarrow")


def as_arrow(frame: Any) -> pyarrow.Table:
    """A data frame of any kind as an Arrow table; the index of a pandas frame is no column.

    Raises ArrowException, TypeError or ValueError for content unsupported by Arrow.
    """
    import pyarrow

    if isinstance(frame, pyarrow.Table):
        return frame
    if is_pandas(frame):
        return pyarrow.Table.from_pandas(frame, preserve_index=False)
    if is_lazy(frame):
        frame = frame.collect()
    if is_relation(frame):
        return frame.to_arrow_table()
    return frame.to_arrow() if is_polars(frame) else pyarrow.table(frame)


def copied(cells: Any) -> Any:
    """Copy an Arrow array to memory of its own: the original memory may belong to a NumPy array and change later."""
    import pyarrow

    if isinstance(cells, pyarrow.ChunkedArray):
        return pyarrow.chunked_array([copied(chunk) for chunk in cells.chunks], cells.type)
    return cells.copy_to(pyarrow.default_cpu_memory_manager())


def without_hidden(cells: Any) -> Any:
    """Copy an Arrow array without the data beneath missing cells: a missing cell may still hold its former value."""
    import pyarrow
    from pyarrow import types

    if isinstance(cells, pyarrow.ChunkedArray):
        return pyarrow.chunked_array([without_hidden(chunk) for chunk in cells.chunks], cells.type)
    kind = cells.type
    if isinstance(kind, pyarrow.BaseExtensionType):
        return pyarrow.ExtensionArray.from_storage(kind, without_hidden(cells.storage))
    if types.is_struct(kind):
        fields = [without_hidden(field) for field in cells.flatten()]  # missing if the struct is missing
        if not fields:
            return copied(cells)
        return pyarrow.StructArray.from_arrays(fields, fields=list(kind), mask=cells.is_null())
    if cells.null_count == 0 and not types.is_nested(kind):
        return copied(cells)
    taken = cells.take(pyarrow.array(range(len(cells)), pyarrow.int64()))  # copies no bytes of missing cells
    if not types.is_nested(kind) or types.is_union(kind):
        return taken
    # A list: its structs still need a copy.
    own = taken.buffers()[: len(taken.buffers()) - len(taken.values.buffers())]
    return pyarrow.Array.from_buffers(
        kind, len(taken), own, taken.null_count, taken.offset, children=[without_hidden(taken.values)]
    )


def as_polars(frame: Any) -> Any:
    """A data frame of any kind as a polars frame. Raises ImportError without polars, or as :func:`as_arrow`."""
    import polars

    return frame if is_polars(frame) else polars.from_arrow(as_arrow(frame))


def as_pandas(rows: Any) -> pandas.DataFrame:
    """A data frame of any kind as a pandas frame."""
    import pandas
    from pyarrow import types

    if is_pandas(rows):
        return rows
    rows = as_arrow(rows)
    # Whole numbers with gaps stay whole: pandas' own default would make them binary fractions.
    gaps = {
        column.type: pandas.api.types.pandas_dtype(str(column.type).replace("int", "Int").replace("uI", "UI"))
        for column in rows.columns
        if column.null_count and types.is_integer(column.type)
    }
    frame: pandas.DataFrame = rows.to_pandas(types_mapper=gaps.get, integer_object_nulls=True)
    return frame
