"""Data frames of any kind as Arrow tables: pandas, and whatever hands its columns out as Arrow does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow


def is_table(data: Any) -> bool:
    """Whether data is a table: a pandas data frame, a polars one, lazy or not, an Arrow table, a relation of DuckDB."""
    if isinstance(data, type):
        return False
    frame = hasattr(data, "iloc") and hasattr(data, "columns")
    return frame or is_lazy(data) or (hasattr(data, "__arrow_c_stream__") and not hasattr(data, "iloc"))


def is_lazy(data: Any) -> bool:
    """Whether data is a lazy frame, whose rows are still to be collected."""
    return hasattr(data, "collect") and hasattr(data, "collect_schema")


def table(data: Any) -> pyarrow.Table:
    """A table of any kind as an Arrow table; the index of a pandas data frame is no column.

    Raises ArrowException, TypeError or ValueError for what Arrow cannot hold.
    """
    import pyarrow

    if isinstance(data, pyarrow.Table):
        return data
    if hasattr(data, "iloc"):
        return pyarrow.Table.from_pandas(data, preserve_index=False)
    return pyarrow.table(data.collect() if is_lazy(data) else data)
