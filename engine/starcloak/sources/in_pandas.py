"""pandas data frames as a source: columns are read as Arrow arrays, and released cells come from the
original frame.
"""

from __future__ import annotations

import datetime
import decimal
import uuid
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas
import pyarrow
from pyarrow import types

from starcloak.base.errors import SourceError
from starcloak.base.frames import as_pandas, without_hidden
from starcloak.sources.exactness import Inexact, exact

# Types of Python objects in a column, beside numpy's whole numbers and binary fractions: one type for all cells.
_OBJECTS = (
    str, bytes, bool, int, float, decimal.Decimal, datetime.date, datetime.datetime, datetime.time, datetime.timedelta,
    uuid.UUID,
)  # fmt: skip
#: Dtypes with a missing cell of their own.
_WITH_MISSING = (pandas.ArrowDtype, pandas.BooleanDtype, pandas.Float32Dtype, pandas.Float64Dtype)
# Arrays with a mask of missing cells beside the values.
_MASKED = (pandas.arrays.BooleanArray, pandas.arrays.FloatingArray, pandas.arrays.IntegerArray)
_NUMBERS = (np.bool_, np.integer, np.float32, np.float64)


class PandasFrame:
    """A data frame of pandas; see :class:`~starcloak.sources.frame.Given`. The frame's index is ignored."""

    def __init__(self, frame: pandas.DataFrame, label: str) -> None:
        if frame.columns.nlevels > 1:
            raise SourceError(f"{label} has column names of several levels: join the levels to one name")
        self._frame = frame.copy(deep=False)  # its columns stay the same
        self._kept: dict[int, pandas.Series[Any]] = {}
        self._types: dict[int, pyarrow.DataType] = {}
        self.labels: list[Any] = list(frame.columns)
        self.rows = len(frame)

    def cells(self, number: int, *, kept: bool) -> tuple[pyarrow.Array, bool]:
        series = self._frame.iloc[:, number]
        try:
            series = _copied(series)
            if kept:
                self._kept[number] = series
            cells, foreign = _read(series, kept=kept)
            cells.validate(full=True)
            _take(series, [])
        except (pyarrow.ArrowException, ArithmeticError, NotImplementedError, TypeError, ValueError):
            raise Inexact(
                f"of type {series.dtype} cannot be read exactly: convert the column, such as to text"
            ) from None
        self._types[number] = cells.type
        return cells, foreign

    def type_of(self, number: int, cells: pyarrow.Array) -> str:
        dtype = self._frame.iloc[:, number].dtype
        return str(cells.type if pandas.api.types.is_object_dtype(dtype) else dtype)

    def release(self, chosen: Sequence[tuple[Any, Any]], positions: Any) -> pandas.DataFrame:
        released = {
            label: _take(self._kept[self.labels.index(label)], positions)
            if cells is None
            else self._of_arrow(label, cells)
            for label, cells in chosen
        }
        return pandas.DataFrame(released, index=range(len(positions)))

    def _of_arrow(self, label: Any, cells: Any) -> pandas.Series[Any]:
        """Convert Arrow cells to a Series, in the frame's own dtype if the type is equal and the dtype has missing
        values.
        """
        if label in self.labels:
            number = self.labels.index(label)
            dtype = self._frame.iloc[:, number].dtype
            if isinstance(dtype, _WITH_MISSING) and cells.type == self._types[number]:
                of_arrow: Any = dtype  # whose protocol the types of pandas do not name
                return pandas.Series(of_arrow.__from_arrow__(cells))
        return as_pandas(pyarrow.table({"cells": cells}))["cells"]

    def reread(self, number: int, at: Any) -> pyarrow.Array:
        return _read(self._frame.iloc[:, number].take(at), kept=True)[0]

    def forget(self) -> None:
        self._kept.clear()


def _copied(series: pandas.Series[Any]) -> pandas.Series[Any]:
    """Copy a column, without memory shared with the caller's frame, and without values beneath missing cells."""
    dtype: Any = series.dtype  # whose protocol the types of pandas do not name
    is_text = isinstance(series.dtype, pandas.StringDtype) and series.dtype.storage == "pyarrow"
    if is_text or isinstance(series.dtype, pandas.ArrowDtype):
        cells = pyarrow.Array.from_pandas(series)  # copies of pandas share its memory
        cells.validate(full=True)
        cells = without_hidden(cells)
        if is_text:
            return pandas.Series(dtype.__from_arrow__(cells))
        return pandas.Series(pandas.arrays.ArrowExtensionArray(cells))
    if isinstance(array := series.array, _MASKED):
        values = array.to_numpy(dtype=dtype.numpy_dtype, na_value=dtype.type(0))
        return pandas.Series(type(array)(values.copy(), array.isna()))
    return series.copy()


def _read(series: pandas.Series[Any], *, kept: bool) -> tuple[pyarrow.Array, bool]:
    """Cells of a column as an Arrow array, and true if only a data frame, no file or database, can hold
    them unchanged.
    """
    match series.dtype:
        case pandas.CategoricalDtype():
            used = series.cat.remove_unused_categories().cat
            categories, foreign = _read(pandas.Series(used.categories), kept=kept)
            return categories.take(pyarrow.array(used.codes, mask=used.codes < 0)), foreign
        case pandas.SparseDtype():
            series = pandas.Series(np.asarray(series))
        case np.dtype(kind="O"):
            _refuse_mixture(series[series.notna()])
    return exact(pyarrow.Array.from_pandas(series), kept=kept)


def _refuse_mixture(cells: pandas.Series[Any]) -> None:
    """Refuse Python objects with distinct values equal after conversion."""
    kinds = set(map(type, cells))
    if len(kinds) > 1 or not all(kind in _OBJECTS or issubclass(kind, _NUMBERS) for kind in kinds):
        named = " and ".join(sorted(kind.__name__ for kind in kinds))
        raise Inexact(f"holds Python objects of type {named}: convert it to one type of numbers, texts or times")
    if kinds & {datetime.datetime, datetime.time}:
        zones = {str(cell.tzinfo) for cell in cells}
        if len(zones) > 1 or (datetime.time in kinds and zones != {"None"}):
            raise Inexact("has times of several time zones, or with and without a zone: convert all times to UTC")
    if decimal.Decimal in kinds and len(set(map(str, cells))) > len(set(cells)):
        raise Inexact("has equal numbers that are written differently, such as 1.0 and 1.00: quantize the column")


def _take(series: pandas.Series[Any], positions: Sequence[int]) -> pandas.Series[Any]:
    """Some cells of a column, without any data of the other cells."""
    taken = series.take(positions).reset_index(drop=True)
    if isinstance(taken.dtype, pandas.CategoricalDtype):
        return taken.cat.remove_unused_categories()
    if isinstance(taken.dtype, pandas.ArrowDtype) and types.is_dictionary(kind := taken.dtype.pyarrow_dtype):
        cells = pyarrow.Array.from_pandas(taken).cast(kind.value_type).dictionary_encode().cast(kind)
        return pandas.Series(pandas.arrays.ArrowExtensionArray(cells))
    return taken
