"""A data frame as a source: its columns as the working store reads them exactly; and its rows as they are.

Kept columns of a release for a data frame never come back from the working store: the release tells which row of the
frame has the cells of each of its own, and these are taken from the frame. Whatever its types, they stay the same.
"""

from __future__ import annotations

import datetime
import decimal
import uuid
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from starcloak.column import Column
from starcloak.errors import OutputError, SourceError
from starcloak.statement import Name

if TYPE_CHECKING:
    import pandas
    import pyarrow

LABEL = "the data frame"

# What a column of Python objects may have, beside numpy's whole numbers and binary fractions: one type for all of it.
_OBJECTS = (
    str, bytes, bool, int, float, decimal.Decimal, datetime.date, datetime.datetime, datetime.time, datetime.timedelta,
    uuid.UUID,
)  # fmt: skip
_NUMBERS = (np.bool_, np.integer, np.float32, np.float64)

_DIGITS = 38  # of a decimal
_MICROSECONDS = {"s": 10**6, "ms": 10**3, "us": 1}
_FIRST, _INFINITE = (
    -9223372022400000000,
    2**63 - 1,
)  # microseconds: DuckDB's first time, and the one that stands for ever


class Inexact(Exception):
    """Why a column is not read exactly."""


class Frame:
    """A data frame as a source.

    ``names`` are its columns as texts, ``position`` that of a further one, which numbers its rows from 0. Raises
    :class:`SourceError` for what is no data frame or has columns without names.
    """

    def __init__(self, frame: pandas.DataFrame) -> None:
        if not hasattr(frame, "iloc"):
            raise SourceError(f"the data is of type {type(frame).__name__}: convert it to a pandas data frame")
        if frame.columns.nlevels > 1:
            raise SourceError(f"{LABEL} has columns of several levels: join their names")
        self._frame = frame
        self.names = [str(name) for name in frame.columns]
        if not self.names or not all(self.names):
            raise SourceError(f"{LABEL} has no columns, or one without a name: name them")
        position = "position"
        while position in {name.casefold() for name in self.names}:
            position += "_"
        self.position = Name(position)
        self._problems: dict[str, str] = {}
        self._foreign: dict[str, str] = {}
        self._nanoseconds: set[str] = set()

    def table(self, roles: Mapping[str, Sequence[str]]) -> pyarrow.Table:
        """The frame as the working store reads it. Only columns that may leave or that decide have their cells."""
        import pyarrow

        generalized = set(roles["quasi_identifiers"])
        kept = {name for role, names in roles.items() if role != "identifiers" for name in names} - generalized
        columns = {}
        for number, name in enumerate(self.names):
            columns[name] = pyarrow.nulls(len(self._frame), pyarrow.string())
            if name in generalized | kept:
                try:
                    columns[name] = self._cells(name, self._frame.iloc[:, number], kept=name in kept)
                except Inexact as problem:
                    self._problems[name] = str(problem)
        columns[self.position.parts[0]] = pyarrow.array(np.arange(len(self._frame)))
        return pyarrow.table(columns)

    def problem(self, column: Column) -> str | None:
        """Why a column is not read exactly; None where it is."""
        if column.name in self._nanoseconds and "_NS" not in column.type:
            return "has nanoseconds, which this version of DuckDB does not read: convert it"
        return self._problems.get(column.name)

    def refuse_elsewhere(self, released: Sequence[Column], label: str) -> None:
        """Refuse columns that nothing but a data frame holds as they are."""
        for column in released:
            if column.name in self._foreign:
                raise OutputError(
                    f"{label}: column {column.name!r} is of type {self._foreign[column.name]}, which it does not keep "
                    "as it is: convert it"
                )

    def released(self, staged: pandas.DataFrame, columns: Sequence[Column]) -> pandas.DataFrame:
        """The release: columns of ``staged`` where it has them; the others from the frame, by the positions there.

        Its columns are called as the frame's are; its rows are numbered anew.
        """
        import pandas

        positions = staged[self.position.parts[0]].tolist()
        released: dict[Any, pandas.Series[Any]] = {}
        for column in columns:
            number = self.names.index(column.name)
            released[self._frame.columns[number]] = (
                staged[column.name] if column.name in staged.columns else _taken(self._frame.iloc[:, number], positions)
            )
        return pandas.DataFrame(released, index=range(len(positions)))

    def _cells(self, name: str, series: pandas.Series[Any], *, kept: bool) -> pyarrow.Array:
        import pyarrow

        try:
            cells, foreign = _read(series, kept=kept)
            cells.validate(full=True)
            _taken(series, [])
        except (pyarrow.ArrowException, ArithmeticError, NotImplementedError, TypeError, ValueError):
            raise Inexact(f"of type {series.dtype} is not read exactly: convert it") from None
        if foreign:
            self._foreign[name] = str(series.dtype if series.dtype != object else cells.type)
        elif "[ns" in str(cells.type):
            self._nanoseconds.add(name)
        return cells


def _read(series: pandas.Series[Any], *, kept: bool) -> tuple[pyarrow.Array, bool]:
    """The cells of a column for the working store, and whether only a data frame holds them as they are."""
    import pandas
    import pyarrow

    match series.dtype:
        case pandas.CategoricalDtype():
            used = series.cat.remove_unused_categories().cat
            categories, foreign = _read(pandas.Series(used.categories), kept=kept)
            return categories.take(pyarrow.array(used.codes, mask=used.codes < 0)), foreign
        case pandas.SparseDtype():
            series = pandas.Series(np.asarray(series))
        case np.dtype(kind="O"):
            _refuse_mixture(series[series.notna()])
    return _exact(pyarrow.Array.from_pandas(series), kept=kept)


def _refuse_mixture(cells: pandas.Series[Any]) -> None:
    """Refuse Python objects that would become equal although they are not the same."""
    kinds = set(map(type, cells))
    if len(kinds) > 1 or not all(kind in _OBJECTS or issubclass(kind, _NUMBERS) for kind in kinds):
        named = " and ".join(sorted(kind.__name__ for kind in kinds))
        raise Inexact(f"holds Python objects of type {named}: convert it to one type of numbers, texts or times")
    if kinds & {datetime.datetime, datetime.time}:
        zones = {str(cell.tzinfo) for cell in cells}
        if len(zones) > 1 or (datetime.time in kinds and zones != {"None"}):
            raise Inexact("has times of several time zones, or with and without one: convert it")
    if decimal.Decimal in kinds and len(set(map(str, cells))) > len(set(cells)):
        raise Inexact("has equal numbers that are written differently, such as 1.0 and 1.00: quantize it")


def _exact(cells: pyarrow.Array, *, kept: bool) -> tuple[pyarrow.Array, bool]:
    """Arrow's cells in a type that DuckDB reads exactly; see :func:`_read`. Raises ArrowException, too."""
    import pyarrow
    from pyarrow import compute, types

    kind = cells.type
    if types.is_dictionary(kind):
        return _exact(cells.cast(kind.value_type), kept=kept)
    if types.is_run_end_encoded(kind):
        return _exact(compute.run_end_decode(cells), kept=kept)
    if types.is_timestamp(kind):
        return _times(cells, kept=kept)
    if types.is_duration(kind):
        if not kept:
            raise Inexact("is of a type that has no hierarchy: convert it")
        try:
            return cells.cast(pyarrow.duration("us")), False
        except pyarrow.ArrowInvalid:
            return cells.cast(pyarrow.int64()), True
    if types.is_decimal(kind) and not 0 <= kind.scale <= kind.precision <= _DIGITS:
        try:
            return cells.cast(pyarrow.decimal128(_DIGITS, max(kind.scale, 0))), False
        except pyarrow.ArrowInvalid:
            raise Inexact(f"has decimals of more than {_DIGITS} digits: round it") from None
    for named, other in {
        types.is_null: pyarrow.string(),
        types.is_float16: pyarrow.float32(),
        types.is_date64: pyarrow.date32(),
    }.items():
        if named(kind):
            return cells.cast(other), False
    if getattr(kind, "extension_name", "") in ("pandas.period", "pandas.interval"):
        if not kept:
            raise Inexact("is of a type that has no hierarchy: convert it")
        return cells.storage, True
    _refuse_inexact(kind)
    return cells, False


def _times(cells: pyarrow.Array, *, kept: bool) -> tuple[pyarrow.Array, bool]:
    """Times, by their numbers where the working store has none so far off, or where their zone would be lost."""
    from pyarrow import compute, int64

    unit, zone = cells.type.unit, cells.type.tz
    numbers = cells.cast(int64())
    first, last = compute.min_max(numbers).as_py().values()
    step = _MICROSECONDS.get(unit, 1)
    lowest = 1 - _INFINITE if unit == "ns" else _FIRST
    known = first is None or (lowest <= first * step and last * step < _INFINITE)
    if known and (not kept or zone in (None, "UTC")):
        return cells, False
    if not kept:
        raise Inexact("has times that are too far from now: convert it")
    return numbers, True


def _refuse_inexact(kind: Any) -> None:
    """Refuse a type of Arrow's, or a type in it, that DuckDB does not read exactly."""
    from pyarrow import types

    if types.is_nested(kind) and not types.is_union(kind):
        inner = [kind.field(number) for number in range(kind.num_fields)]
        if types.is_struct(kind) and len({field.name.casefold() for field in inner}) < len(inner):
            raise Inexact("holds names that differ at most in case: rename them")
        for field in inner:
            _refuse_inexact(field.type)
        return
    exact = (
        types.is_boolean(kind)
        or types.is_integer(kind)
        or types.is_float32(kind)
        or types.is_float64(kind)
        or (types.is_decimal(kind) and 0 <= kind.scale <= kind.precision <= _DIGITS)
        or types.is_string(kind)
        or types.is_large_string(kind)
        or types.is_string_view(kind)
        or types.is_binary(kind)
        or types.is_large_binary(kind)
        or types.is_binary_view(kind)
        or types.is_fixed_size_binary(kind)
        or types.is_date32(kind)
        or types.is_time(kind)
        or (types.is_timestamp(kind) and kind.tz in (None, "UTC"))
        or (types.is_duration(kind) and kind.unit != "ns")
        or getattr(kind, "extension_name", "") in ("arrow.uuid", "arrow.json")
    )
    if not exact:
        raise Inexact(f"holds {kind}, which is not read exactly: convert it")


def _taken(series: pandas.Series[Any], positions: Sequence[int]) -> pandas.Series[Any]:
    """Some cells of a column, and nothing of the others."""
    import pandas
    import pyarrow
    from pyarrow import types

    taken = series.take(positions).reset_index(drop=True)
    if isinstance(taken.dtype, pandas.CategoricalDtype):
        return taken.cat.remove_unused_categories()
    if isinstance(taken.dtype, pandas.ArrowDtype) and types.is_dictionary(kind := taken.dtype.pyarrow_dtype):
        cells = pyarrow.Array.from_pandas(taken).cast(kind.value_type).dictionary_encode().cast(kind)
        return pandas.Series(pandas.arrays.ArrowExtensionArray(cells))
    return taken
