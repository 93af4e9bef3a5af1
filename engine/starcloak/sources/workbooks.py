"""Sheets of workbooks (.xlsx) as tables: header, column types, and remarks on cells not visible in a spreadsheet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow

from starcloak.base.errors import SourceError
from starcloak.base.workbooks.cells import PROBLEMS, CellKind, Cells, Grid, cell_name, letters
from starcloak.base.workbooks.parts import Sheet, Workbook
from starcloak.base.workbooks.sheet import cell_problems, read_sheet, row_numbers, sheet_remarks, spelled
from starcloak.sources.file_formats import header_names

if TYPE_CHECKING:
    from numpy.typing import NDArray

_EPOCH = 25_569  # days from 30 December 1899 to 1970
_DAY = 86_400_000  # milliseconds
_LOOKED = 20  # cells of a column in which a header is looked for
_MOST_NAMED = 5  # hidden columns or sheets that a message names
_WORDS = {
    CellKind.NUMBER: "numbers",
    CellKind.DATE: "dates",
    CellKind.TIME: "times",
    CellKind.TRUTH: "truth values",
    CellKind.TEXT: "texts",
}


@dataclass(frozen=True)
class SheetTable:
    """A sheet read as a table: its rows, reasons for inexact columns by name (``problems``), and remarks
    for the user.
    """

    rows: pyarrow.Table
    problems: Mapping[str, str]
    notes: Sequence[str]


def read(path: Path, label: str, *, sheet: str | None, header: int | None, rename: Mapping[str, str]) -> SheetTable:
    """The table in a sheet of a workbook.

    Args:
        path: The file.
        label: Name of the file in messages.
        sheet: Name of the sheet; None for the only one with cells.
        header: Number of the row with the columns' names; None for the first row with cells.
        rename: Other names of columns.

    Raises:
        SourceError: The file is no workbook, or has no table that every program shows alike.
    """
    found = read_sheet(path, label, sheet=sheet, option="--sheet or source.sheet")
    return _table(found.workbook, found.sheet, found.grid, found.label, header, rename)


def read_all(
    files: Mapping[Path, Path], label: str, *, sheet: str | None, header: int | None, rename: Mapping[str, str]
) -> SheetTable:
    """The table of several workbooks, each with the same columns; ``files`` maps each file to the path to read.

    Raises :class:`SourceError`.
    """
    tables: list[SheetTable] = []
    for file, plain in files.items():
        named = label if len(files) == 1 else str(file)
        tables.append(read(plain, named, sheet=sheet, header=header, rename=rename))
        if tables[-1].rows.column_names != tables[0].rows.column_names:
            raise SourceError(
                f"{named} has other columns than {next(iter(files))}, or another order: give all files the same "
                "columns in the same order"
            )
    try:
        rows = pyarrow.concat_tables([table.rows for table in tables], promote_options="permissive")
    except pyarrow.ArrowException:
        raise SourceError(
            f"{label}: a column has numbers in one file, and texts or dates in another: give it one type in all files"
        ) from None
    fields = [field.with_type(pyarrow.string()) if field.type == pyarrow.null() else field for field in rows.schema]
    problems = {name: problem for table in tables for name, problem in table.problems.items()}
    return SheetTable(rows.cast(pyarrow.schema(fields)), problems, [note for table in tables for note in table.notes])


def _table(
    workbook: Workbook, sheet: Sheet, grid: Grid, label: str, header: int | None, rename: Mapping[str, str]
) -> SheetTable:
    names = _header(grid, label, header)
    top = next(iter(names.values()))[0] if header is None else header
    used = _used(grid, top)
    named = [(column, names[column][1]) if column in names else (column, "") for column in sorted({*names, *used})]
    _refuse_merged_names(grid, label, top, {column for column, _ in named})
    if header is None and 2 * len(names) < len(named):
        raise SourceError(
            f"{label}: row {top} has a name for {len(names)} of {len(named)} columns: give the number of the "
            f"row with the columns' names, {_where_names_may_be(grid, top)}"
        )
    notes: list[str] = []
    unnamed = [letters(column) for column, name in named if not name]
    if unnamed:
        listed = ", ".join(f"'column {name}'" for name in unnamed[:_MOST_NAMED])
        notes.append(f": row {top} lacks names of columns, so they are called by their place: {listed}")
    given = [name or f"column {letters(column)}" for column, name in named]
    final, renamed = header_names(given, rename, label)
    notes += renamed
    positions = row_numbers(used)
    if header is None:
        _refuse_second_header(used, label, positions)
    places = {column: name for (column, _), name in zip(named, final, strict=True)}
    problems = cell_problems(workbook, grid, used, positions, places)
    columns = {}
    for column, name in places.items():
        if name in problems or column not in used:
            columns[name] = pyarrow.nulls(len(positions))
        else:
            columns[name] = _column(used[column], positions)
            if len(kinds := {*map(CellKind, used[column].kinds)}) > 1:
                notes.append(_mixed(name, column, used[column], kinds))
    notes += sheet_remarks(sheet, grid, positions, top, places)
    return SheetTable(pyarrow.table(columns), problems, [f"{label}{note}" for note in notes])


def _header(grid: Grid, label: str, header: int | None) -> dict[int, tuple[int, str]]:
    """Row number and name of each named column, by column number, from left to right."""
    first = min((cells.rows[0] for cells in grid.columns.values()), default=None)
    if first is None:
        raise SourceError(f"{label} is empty, without a header and rows: give a workbook with rows")
    top = first if header is None else header
    names: dict[int, tuple[int, str]] = {}
    for column in sorted(grid.columns):
        for row, kind, number, text in grid.columns[column].values():
            if row >= top:
                if row == top:
                    if kind in PROBLEMS:
                        raise SourceError(
                            f"{label}: cell {cell_name(row, column)}, a column's name, is {PROBLEMS[CellKind(kind)]}"
                        )
                    names[column] = (row, spelled(kind, number, text))
                break
    if not names:
        raise SourceError(f"{label}: row {top} has no names of columns: give another row by --header or source.header")
    return names


def _used(grid: Grid, top: int) -> dict[int, Cells]:
    """The cells below the row ``top`` of the header, by column number."""
    used: dict[int, Cells] = {}
    for column, cells in grid.columns.items():
        above = int(np.searchsorted(np.frombuffer(cells.rows, np.uint32), top, side="right"))
        if above < len(cells.rows):
            texts = cells.kinds[:above].count(CellKind.TEXT)
            used[column] = Cells(
                cells.rows[above:], cells.kinds[above:], cells.numbers[above:], cells.texts[texts:], cells.first_formula
            )
    return used


def _refuse_merged_names(grid: Grid, label: str, top: int, columns: set[int]) -> None:
    for first, left, last, right in grid.merged:
        if first <= top <= last and any(left <= column <= right for column in columns):
            raise SourceError(
                f"{label}: cells {cell_name(first, left)}:{cell_name(last, right)} of the header are merged: unmerge "
                f"the cells, or give the row with the columns' names, {_where_names_may_be(grid, last)}"
            )


def _where_names_may_be(grid: Grid, top: int) -> str:
    """Advice on the header option. It names the first row below ``top`` with cells in nearly all columns, if any."""
    filled = Counter(int(row) for cells in grid.columns.values() for row in cells.rows[:_LOOKED] if row > top)
    row = min((row for row, cells in filled.items() if cells >= 0.8 * len(grid.columns)), default=None)
    return "by --header or source.header" if row is None else f"such as --header {row} or source.header: {row}"


def _refuse_second_header(used: Mapping[int, Cells], label: str, positions: Sequence[int] | NDArray[np.uint32]) -> None:
    """Raise :class:`SourceError` if the first row seems to be a second header line: only texts, above other types."""
    if len(positions) < 3:
        return
    first = positions[0]
    beneath = {column: cells for column, cells in used.items() if cells.rows[0] == first}
    if any(cells.kinds[0] != CellKind.TEXT for cells in beneath.values()):
        return
    for column, cells in beneath.items():
        if len(cells.kinds) > 2 and CellKind.TEXT not in cells.kinds[1:]:
            raise SourceError(
                f"{label}: row {first} looks like a second line of the header: its cells are texts, and column "
                f"{letters(column)} has no text beneath it. Give the number of the row with the columns' "
                "names, by --header or source.header"
            )


def _column(cells: Cells, positions: NDArray[np.uint32]) -> pyarrow.Array:
    """The cells of a column as an Arrow array, of the type common to all cells, else text."""
    at = np.searchsorted(positions, np.frombuffer(cells.rows, np.uint32))
    kinds = {*map(CellKind, cells.kinds)}
    missing = np.ones(len(positions), bool)
    missing[at] = False
    numbers = np.zeros(len(positions))
    if kinds <= {CellKind.TEXT} or len(kinds) > 1:
        texts = np.full(len(positions), None, object)
        texts[at] = [spelled(kind, number, text) for _, kind, number, text in cells.values()]
        return pyarrow.array(texts, pyarrow.string())
    numbers[at] = np.frombuffer(cells.numbers, np.float64)
    match kinds.pop():
        case CellKind.TRUTH:
            return pyarrow.array(numbers == 1, pyarrow.bool_(), mask=missing)
        case CellKind.TIME:
            return pyarrow.array(np.rint(numbers * _DAY).astype(np.int32), pyarrow.time32("ms"), mask=missing)
        case CellKind.DATE:
            moments = np.rint(numbers * _DAY).astype(np.int64) - _EPOCH * _DAY
            if not (moments % _DAY).any():
                days = pyarrow.array((moments // _DAY).astype(np.int32), pyarrow.int32(), mask=missing)
                return days.cast(pyarrow.date32())
            return pyarrow.array(moments * 1000, pyarrow.timestamp("us"), mask=missing)
    whole = numbers.astype(np.int64) if (np.abs(numbers) < 1e15).all() else None
    if whole is not None and (whole == numbers).all():
        return pyarrow.array(whole, pyarrow.int64(), mask=missing)
    return pyarrow.array(numbers, pyarrow.float64(), mask=missing)


def _mixed(name: str, column: int, cells: Cells, kinds: set[CellKind]) -> str:
    """A remark on a column with cells of several kinds."""
    rarest = min(kinds, key=cells.kinds.count)
    place = cell_name(cells.rows[cells.kinds.index(rarest)], column)
    listed = " and ".join(sorted(_WORDS[kind] for kind in kinds))
    return f": column {name!r} has {listed}, such as the {_WORDS[rarest][:-1]} in {place}: all are read as texts"
