"""Rows of the working store as an Arrow table for a data frame; values that would change are an error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from starcloak.base.errors import OutputError
from starcloak.statements.statement import Hole, Name, Statement
from starcloak.store.session import Session

if TYPE_CHECKING:
    import pyarrow

    from starcloak.base.column import Column

# Types that Arrow or pandas rounds, lacks, or has as bytes that only DuckDB can read; an interval in another type is
# one whose length nothing looks at.
_LACKS = r"\b(UHUGEINT|BIGNUM|BIT|TIME WITH|UNION|VARIANT|GEOMETRY)\b|.INTERVAL\b|\bINTERVAL\["

_FIRST_DAY, _LAST_DAY = -719162, 2932896  # of the years 1 to 9999, counted from 1970
_DAY = 86_400 * 10**6  # of microseconds
_INFINITE = 2**63 - 1  # of a time's unit: the number by which DuckDB has the time that is later than any


def refuse(columns: Sequence[Column]) -> None:
    """Raise :class:`OutputError` for a column of a type that a data frame cannot store unchanged."""
    for column in columns:
        if column.holds(_LACKS):
            raise OutputError(
                f"a data frame cannot keep column {column.name!r} of type {column.kind} unchanged: cast the column "
                "in a query"
            )


def arrow_rows(session: Session, rows: Statement) -> pyarrow.Table:
    """A statement's rows as an Arrow table. Raises :class:`OutputError` for values that a data frame would change."""
    described = session.describe(rows)
    refuse(described)
    for column in described:
        if column.kind == "INTERVAL":
            release = Statement("store/relation#nested", rows=rows)
            holes: dict[str, Hole] = {"column": Name(column.name), "release": release}
            (long,) = session.row(Statement("releases/targets/long_intervals", **holes))
            if long:
                raise _unheld(column.name, "intervals of too many hours")
    content = session.arrow(rows)
    refuse_far(content)
    return content


def refuse_far(rows: pyarrow.Table) -> None:
    """Raise :class:`OutputError` for dates and times beyond the range of Python's types, or more exact."""
    for name, cells in zip(rows.column_names, rows.columns, strict=True):
        for chunk in cells.chunks:
            _refuse_far(name, chunk)


def _refuse_far(name: str, cells: pyarrow.Array) -> None:
    """Raise :class:`OutputError` for dates and times out of range in one column, also in nested values."""
    from pyarrow import compute, int32, int64, time64, types

    kind = cells.type
    if types.is_map(kind):
        _refuse_far(name, cells.keys)
        _refuse_far(name, cells.items)
    elif types.is_struct(kind):
        for field in cells.flatten():
            _refuse_far(name, field)
    elif types.is_nested(kind):
        _refuse_far(name, cells.flatten())
    elif types.is_temporal(kind) and not types.is_interval(kind):
        if kind == time64("ns"):
            whole = cells.cast(time64("us"), safe=False)
            if not whole.cast(kind).equals(cells):
                raise _unheld(name, "times with nanoseconds")
            cells = whole
        numbers = cells.cast(int32()).cast(int64()) if types.is_date32(kind) else cells.cast(int64())
        first, last = compute.min_max(numbers).as_py().values()
        if first is None:
            return
        if types.is_date(kind) and not _FIRST_DAY <= first <= last <= _LAST_DAY:
            raise _unheld(name, "dates that are infinite or outside the years 1 to 9999")
        if types.is_time(kind) and last >= _DAY:
            raise _unheld(name, "the time 24:00:00")
        if types.is_timestamp(kind) and not -_INFINITE < first <= last < _INFINITE:
            raise _unheld(name, "times that are infinite")


def _unheld(name: str, what: str) -> OutputError:
    return OutputError(f"a data frame cannot keep {what}, as in column {name!r}: replace these values in a query")
