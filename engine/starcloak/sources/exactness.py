"""Conversion of Arrow arrays to types read exactly by the working store (DuckDB)."""

from __future__ import annotations

from typing import Any

import pyarrow
from pyarrow import compute, types

_DIGITS = 38  # of a decimal
_MICROSECONDS = {"s": 10**6, "ms": 10**3, "us": 1}
_FIRST, _INFINITE = (
    -9223372022400000000,
    2**63 - 1,
)  # microseconds: DuckDB's first time, and its value for infinity


class Inexact(Exception):
    """A column cannot be read exactly. The message is the reason, for an error about the column."""


def exact(cells: pyarrow.Array, *, kept: bool) -> tuple[pyarrow.Array, bool]:
    """Convert an Arrow array to a type read exactly by DuckDB.

    The second result is true if only a data frame can hold the original cells; the converted cells then serve for
    comparison only. ``kept`` columns are not generalized, so more types are accepted. Raises :class:`Inexact`, and
    ArrowException.
    """
    kind = cells.type
    if types.is_dictionary(kind):
        return exact(cells.cast(kind.value_type), kept=kept)
    if types.is_run_end_encoded(kind):
        return exact(compute.run_end_decode(cells), kept=kept)
    if types.is_timestamp(kind):
        return _times(cells, kept=kept)
    if types.is_duration(kind):
        if not kept:
            raise Inexact("is of a type that no hierarchy supports: convert it to text, numbers or dates")
        try:
            return cells.cast(pyarrow.duration("us")), False
        except pyarrow.ArrowInvalid:
            return cells.cast(pyarrow.int64()), True
    if types.is_decimal(kind) and not 0 <= kind.scale <= kind.precision <= _DIGITS:
        try:
            return cells.cast(pyarrow.decimal128(_DIGITS, max(kind.scale, 0))), False
        except pyarrow.ArrowInvalid:
            raise Inexact(f"has numbers of more than {_DIGITS} digits: round them") from None
    for named, target_type in {
        types.is_null: pyarrow.string(),
        types.is_float16: pyarrow.float32(),
        types.is_date64: pyarrow.date32(),
    }.items():
        if named(kind):
            return cells.cast(target_type), False
    if getattr(kind, "extension_name", "") in ("pandas.period", "pandas.interval"):
        if not kept:
            raise Inexact("is of a type that no hierarchy supports: convert it to text, numbers or dates")
        return cells.storage, True
    _refuse_inexact(kind)
    return cells, False


def same(first: pyarrow.Array, second: pyarrow.Array) -> bool:
    """True if cells of one type are identical: binary fractions by their bits, missing cells equal to
    missing cells.
    """
    first, second = (
        cells.combine_chunks() if isinstance(cells, pyarrow.ChunkedArray) else cells for cells in (first, second)
    )
    if types.is_floating(first.type):
        bits = pyarrow.int64() if types.is_float64(first.type) else pyarrow.int32()
        return bool(first.view(bits).equals(second.view(bits)))
    if first.equals(second):
        return True
    # NaN is not equal to itself.
    return types.is_nested(first.type) and repr(first.to_pylist()) == repr(second.to_pylist())


def _times(cells: pyarrow.Array, *, kept: bool) -> tuple[pyarrow.Array, bool]:
    """Convert timestamps: to integers if DuckDB has no times so far from 1970, or would lose the time zone."""
    unit, zone = cells.type.unit, cells.type.tz
    numbers = cells.cast(pyarrow.int64())
    first, last = compute.min_max(numbers).as_py().values()
    step = _MICROSECONDS.get(unit, 1)
    lowest = 1 - _INFINITE if unit == "ns" else _FIRST
    is_exact = first is None or (lowest <= first * step and last * step < _INFINITE)
    if is_exact and (not kept or zone in (None, "UTC")):
        return cells, False
    if not kept:
        raise Inexact("has times that are too far in the past or future: convert the column")
    return numbers, True


def _refuse_inexact(kind: Any) -> None:
    """Refuse a type of Arrow, or a type nested in it, without an exact reading in DuckDB."""
    is_view = types.is_list_view(kind) or types.is_large_list_view(kind)  # its part keeps the data of all lists
    if types.is_nested(kind) and not types.is_union(kind) and not is_view:
        inner = [kind.field(number) for number in range(kind.num_fields)]
        if types.is_struct(kind) and len({field.name.casefold() for field in inner}) < len(inner):
            raise Inexact("has names of fields that differ at most in case: rename them")
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
        raise Inexact(f"has {kind}, which cannot be read exactly: convert the column, such as to text")
