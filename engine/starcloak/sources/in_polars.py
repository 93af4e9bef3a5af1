"""polars data frames as a source: columns are read as Arrow arrays, and released cells come from the original frame.

polars is not a dependency of starcloak.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow

from starcloak.base.frames import copied, without_hidden
from starcloak.sources.exactness import Inexact, exact


class PolarsFrame:
    """A data frame of polars; see :class:`~starcloak.sources.frame.Given`."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame.clone()  # its columns stay the same
        self._kept: dict[int, Any] = {}
        self.labels: list[Any] = frame.columns
        self.rows: int = frame.height

    def cells(self, number: int, *, kept: bool) -> tuple[pyarrow.Array, bool]:
        import polars

        series = self._frame.to_series(number)
        try:
            if "Object" in str(series.dtype):  # its cells would be addresses of memory
                raise TypeError
            cells = copied(series.to_arrow())
            cells.validate(full=True)
            if kept:
                self._kept[number] = series = _over(without_hidden(cells), series)
            _take(series, [])
            return exact(cells, kept=kept)
        except (
            polars.exceptions.PolarsError,
            pyarrow.ArrowException,
            ArithmeticError,
            NotImplementedError,
            TypeError,
            ValueError,
        ):
            raise Inexact(
                f"of type {series.dtype} cannot be read exactly: convert the column, such as to text"
            ) from None

    def type_of(self, number: int, cells: pyarrow.Array) -> str:
        return str(self._frame.to_series(number).dtype)

    def release(self, chosen: Sequence[tuple[str, Any]], positions: Any) -> Any:
        import polars

        columns = [
            _take(self._kept[self.labels.index(label)], positions)
            if cells is None
            else polars.Series(label, polars.from_arrow(cells))
            for label, cells in chosen
        ]
        return polars.DataFrame(columns)

    def reread(self, number: int, at: Any) -> pyarrow.Array:
        return exact(self._frame.to_series(number).gather(at).to_arrow(), kept=True)[0]

    def forget(self) -> None:
        self._kept.clear()


def _over(cells: pyarrow.Array, series: Any) -> Any:
    """A polars column with the given Arrow cells, and with name and type of ``series``."""
    import polars

    return polars.Series(series.name, polars.from_arrow(cells)).cast(series.dtype)


def _take(series: Any, positions: Any) -> Any:
    """Cells of a column at ``positions``, without any data of the other cells.

    An Enum becomes Categorical: an Enum would contain all possible values.
    """
    import polars

    taken = series.gather(positions)
    if isinstance(series.dtype, polars.Enum):
        return taken.cast(polars.Categorical)
    # Gathered texts still point into the memory of all texts.
    return _over(without_hidden(taken.to_arrow(compat_level=polars.CompatLevel.oldest())), series)
