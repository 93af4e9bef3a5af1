"""Check of a sheet by a second reader (python-calamine): both readers must find the same cells."""

from __future__ import annotations

from datetime import date, time, timedelta
from pathlib import Path
from typing import Any

from starcloak.base.errors import SourceError
from starcloak.base.installation import package_needed
from starcloak.base.workbooks.cells import CellKind, Cells, Grid, cell_name

_FEW, _SPARSEST = 10_000_000, 100  # cells of a rectangle, and of them per cell with content


def compare(path: Path, sheet: str, grid: Grid, label: str) -> None:
    """Read a sheet again by python-calamine; cells of ``grid`` with a different content become ``TWO_READINGS``.

    Raises :class:`SourceError` if a cell is found by one reader only, or without python-calamine.
    """
    _refuse_far(grid, label)
    try:
        import python_calamine
    except ImportError:
        raise SourceError(package_needed("a workbook (.xlsx)", "python-calamine", extra="excel")) from None
    try:
        with python_calamine.CalamineWorkbook.from_path(path) as workbook:
            read = workbook.get_sheet_by_name(sheet)
            # Its rows begin at the sheet's first, its columns at the first with content.
            columns = _Columns(grid, read.start[1] + 1 if read.start else 1, label)
            for row, cells in enumerate(read.iter_rows(), 1):
                columns.compare(row, cells)
            columns.refuse_more(None)
    except (python_calamine.CalamineError, OSError) as error:
        raise SourceError(
            f"{label} may be damaged, as only one of two readers of workbooks accepts it ({type(error).__name__}): "
            "open it in a spreadsheet program and save it again"
        ) from None


def _refuse_far(grid: Grid, label: str) -> None:
    """Raise SourceError for distant cells: a reader of the whole rectangle would need too much memory."""
    if not grid.columns:
        return
    first = min(cells.rows[0] for cells in grid.columns.values())
    last, column = max((cells.rows[-1], column) for column, cells in grid.columns.items())
    area = (last - first + 1) * (max(grid.columns) - min(grid.columns) + 1)
    if area > _FEW + _SPARSEST * sum(len(cells.rows) for cells in grid.columns.values()):
        right = max(grid.columns)
        raise SourceError(
            f"{label}: cells {cell_name(last, column)} and {cell_name(grid.columns[right].rows[-1], right)} are far "
            "from the other cells: delete the cells outside the table"
        )


class _Columns:
    """The cells of a grid, compared from top to bottom."""

    def __init__(self, grid: Grid, left: int, label: str) -> None:
        self._columns, self._left, self._label = grid.columns, left, label
        self._next = dict.fromkeys(grid.columns, 0)
        self._texts = dict.fromkeys(grid.columns, 0)

    def compare(self, row: int, cells: list[Any]) -> None:
        """Compare a row of the second reading."""
        for column, value in enumerate(cells, self._left):
            if value != "":
                own = self._columns.get(column)
                index = self._next.get(column, 0)
                if own is not None and index < len(own.rows) and own.rows[index] == row:
                    self._settle(own, column, index, value)
                else:
                    self._refuse(row, column)
        self.refuse_more(row)

    def refuse_more(self, row: int | None) -> None:
        """Raise SourceError for cells of the first reading absent from the second, up to ``row`` (None for all rows).

        Cells without a value may be absent.
        """
        for column, own in self._columns.items():
            index = self._next[column]
            while index < len(own.rows) and (row is None or own.rows[index] <= row):
                if own.kinds[index] not in (CellKind.ERROR, CellKind.NO_RESULT):
                    self._refuse(own.rows[index], column)
                self._next[column] = index = index + 1

    def _settle(self, own: Cells, column: int, index: int, value: Any) -> None:
        kind = own.kinds[index]
        self._next[column] = index + 1
        place = self._texts[column]
        text = own.texts[place] if kind == CellKind.TEXT else ""
        if _is_same(kind, own.numbers[index], text, value):
            self._texts[column] = place + (kind == CellKind.TEXT)
        else:
            own.kinds[index] = CellKind.TWO_READINGS
            del own.texts[place : place + (kind == CellKind.TEXT)]

    def _refuse(self, row: int, column: int) -> None:
        raise SourceError(
            f"{self._label}: only one of two readers of workbooks finds cell {cell_name(row, column)}: open the file "
            "in a spreadsheet program and save it again"
        )


def _is_same(kind: int, number: float, text: str, value: Any) -> bool:
    """True if ``value`` of the second reading equals a cell of the first, as far as the second reader shows it."""
    match kind:
        case CellKind.NUMBER:
            return type(value) in (float, int) and value == number
        case CellKind.TEXT:
            return value == text or (type(value) in (float, int) and text.isdecimal() and value == number)
        case CellKind.TRUTH:
            return value is (number == 1)
        case CellKind.DATE | CellKind.TIME:
            return isinstance(value, date | time | timedelta)
    return True
