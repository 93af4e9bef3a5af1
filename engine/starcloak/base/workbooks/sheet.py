"""A sheet read by two readers: its rows, each cell as text, and facts that a grid does not show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from starcloak.base.errors import SourceError
from starcloak.base.workbooks import second_reading
from starcloak.base.workbooks.cells import (
    PROBLEMS,
    CellKind,
    Cells,
    Grid,
    cell_name,
    count_rows,
    has_cells,
    letters,
    milliseconds,
    read_cells,
)
from starcloak.base.workbooks.package import opened
from starcloak.base.workbooks.parts import Sheet, Workbook, read_workbook, totals_row

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_NAMED = 5  # hidden columns that a message names


@dataclass(frozen=True)
class CheckedSheet:
    """A sheet with the cells that two readers found; ``label`` names file and sheet in messages."""

    workbook: Workbook
    sheet: Sheet
    grid: Grid
    label: str

    def lines(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the number and the cells of each nonempty row, as texts, from the sheet's first nonempty column on.

        Raises :class:`SourceError` for a cell without a clear value, by its name.
        """
        columns = self.grid.columns
        places = {column: letters(column) for column in sorted(columns)}
        for name, problem in cell_problems(self.workbook, self.grid, columns, row_numbers(columns), places).items():
            raise SourceError(f"{self.label}: column {name} {problem}")
        first, rows = min(columns, default=1), dict[int, list[str]]()
        for column in places:
            for row, kind, number, text in columns[column].values():
                cells = rows.setdefault(row, [])
                cells += [""] * (column - first - len(cells))
                cells.append(spelled(kind, number, text))
        yield from sorted(rows.items())

    def remarks(self) -> list[str]:
        """Remarks on hidden and blank rows, as :func:`sheet_remarks` has them."""
        positions = row_numbers(self.grid.columns)
        top = int(positions[0]) - 1 if len(positions) else 0
        places = {column: letters(column) for column in self.grid.columns}
        return [f"{self.label}{note}" for note in sheet_remarks(self.sheet, self.grid, positions, top, places)]


def read_sheet(path: Path, label: str, *, sheet: str | None, option: str) -> CheckedSheet:
    """Read the cells of a sheet by two readers.

    Args:
        path: The file.
        label: Name of the file in messages.
        sheet: Name of the sheet; None for the only sheet with cells.
        option: The job's name of ``sheet``, for messages.

    Raises:
        SourceError: The file is no workbook, or the two readers find different cells.
    """
    with opened(path, label) as package:
        workbook = read_workbook(package)
        chosen = _only(workbook, option) if sheet is None else workbook.named(sheet)
        label = f"{label}, sheet {chosen.name!r}"
        grid = read_cells(workbook, chosen, label)
        if (totals := totals_row(package, chosen.part)) is not None:
            raise SourceError(
                f"{label}: table {totals[0]!r} in cells {totals[1]} has a row of totals, which is not a row of a "
                "person: turn the totals off"
            )
    second_reading.compare(path, chosen.name, grid, label)
    return CheckedSheet(workbook, chosen, grid, label)


@dataclass(frozen=True)
class FilledSheet:
    """A sheet with cells: its name, and the number of its rows with content, with a header."""

    name: str
    rows: int
    is_hidden: bool


def filled_sheets(path: Path, label: str) -> list[FilledSheet]:
    """The sheets with cells of a workbook, in order. Raises :class:`SourceError`; ``label`` names the file there."""
    with opened(path, label) as package:
        workbook = read_workbook(package)
        counted = [FilledSheet(sheet.name, count_rows(workbook, sheet), sheet.is_hidden) for sheet in workbook.sheets]
    return [sheet for sheet in counted if sheet.rows]


def _only(workbook: Workbook, option: str) -> Sheet:
    """Return the only sheet with cells. Raises SourceError for none or several."""
    label = workbook.package.label
    filled = [sheet for sheet in workbook.sheets if has_cells(workbook, sheet)]
    if not filled:
        raise SourceError(f"{label} is empty, without a header and rows: give a workbook with rows")
    if len(filled) > 1:
        listed = ", ".join(f"{sheet.name!r}{' (hidden)' * sheet.is_hidden}" for sheet in filled)
        raise SourceError(f"{label} has several sheets with cells, {listed}: give {option}, the name of a sheet")
    return filled[0]


def row_numbers(columns: Mapping[int, Cells]) -> NDArray[np.uint32]:
    """The numbers of the rows with content, in order."""
    rows = [np.frombuffer(cells.rows, np.uint32) for cells in columns.values()]
    return np.unique(np.concatenate(rows)) if rows else np.empty(0, np.uint32)


def cell_problems(
    workbook: Workbook,
    grid: Grid,
    used: Mapping[int, Cells],
    positions: NDArray[np.uint32],
    places: Mapping[int, str],
) -> dict[str, str]:
    """Problem, by name of a column, of its first cell without an exact value; columns without problems are absent."""
    problems: dict[str, str] = {}
    for column, name in places.items():
        cells = used.get(column, Cells())
        bad = next((index for index, kind in enumerate(cells.kinds) if kind in PROBLEMS), None)
        formula = cells.first_formula
        if bad is not None:
            place = cell_name(cells.rows[bad], column)
            problems[name] = f"has in cell {place} {PROBLEMS[CellKind(cells.kinds[bad])]}"
        elif formula is not None and workbook.is_uncalculated and formula >= cells.rows[0]:
            problems[name] = (
                f"has in cell {cell_name(formula, column)} a formula that is calculated only when the file is opened: "
                "open it in a spreadsheet program and save it again"
            )
    for first, left, last, right in grid.merged:
        low, high = np.searchsorted(positions, first), np.searchsorted(positions, last, side="right")
        if low < high:
            cells_named = f"{cell_name(first, left)}:{cell_name(last, right)}"
            for column, name in places.items():
                if left <= column <= right:
                    problems.setdefault(
                        name,
                        f"has merged cells, {cells_named}, and only the first cell of each has a value: unmerge the "
                        "cells, and fill each of them",
                    )
    return problems


def spelled(kind: int, number: float, text: str) -> str:
    """A cell as text.

    >>> spelled(CellKind.NUMBER, 3.0, ""), spelled(CellKind.NUMBER, 1.1, ""), spelled(CellKind.DATE, 45000.5, "")
    ('3', '1.1', '2023-03-15 12:00:00')
    """
    match kind:
        case CellKind.TEXT:
            return text
        case CellKind.TRUTH:
            return "TRUE" if number else "FALSE"
        case CellKind.DATE | CellKind.TIME:
            moment = datetime(1899, 12, 30, tzinfo=UTC) + timedelta(milliseconds=milliseconds(number))
            spelled = moment.strftime("%H:%M:%S") + (f".{moment.microsecond // 1000:03d}" if moment.microsecond else "")
            if kind == CellKind.TIME:
                return spelled
            return moment.strftime("%Y-%m-%d") if spelled == "00:00:00" else f"{moment:%Y-%m-%d} {spelled}"
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


def sheet_remarks(
    sheet: Sheet, grid: Grid, positions: NDArray[np.uint32], top: int, places: Mapping[int, str]
) -> list[str]:
    """Remarks for the user on hidden rows and columns, and on rows and columns unexpectedly read or left out."""
    notes: list[str] = []
    if sheet.is_hidden:
        notes.append(" is hidden: it is read")
    if hidden := grid.hidden_rows.intersection(positions.tolist()):
        notes.append(
            f": {len(hidden):,} hidden or filtered rows, such as row {min(hidden)}, are read, too: delete these rows "
            "to leave them out"
        )
    columns = [column for column in places if any(first <= column <= last for first, last in grid.hidden_columns)]
    if columns:
        listed = ", ".join(repr(places[column]) for column in columns[:_MOST_NAMED])
        notes.append(f": hidden columns are read, too, such as {listed}")
    if len(positions) and (blank := int(positions[-1]) - top - len(positions)):
        expected = np.arange(top + 1, top + 1 + len(positions))
        first = top + 1 + int(np.argmax(positions != expected))
        notes.append(f": {blank:,} blank rows, such as row {first}, are skipped, and the rows below them are read")
    return notes
