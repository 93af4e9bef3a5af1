"""The cells of a sheet: every cell with content, its kind, and facts that a grid of values does not show."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from enum import IntEnum
from typing import NoReturn

from starcloak.base.workbooks.package import Package, local
from starcloak.base.workbooks.parts import LONGEST_TEXT, Format, Sheet, Shown, Workbook, unescaped

MOST_ROWS, MOST_COLUMNS = 1_048_576, 16_384
MOST_DIGITS = 15  # of a whole number
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_DAY = 86_400_000  # milliseconds
_FIRST_DAY, _LAST_DAY = 61, 2_958_465  # 1 March 1900 and 31 December 9999, counted from the end of 1899
_FROM_1904 = 1_462  # days between the first days of both systems


class CellKind(IntEnum):
    """Kind of a cell's content. Kinds from DURATION on have no readable value; PROBLEMS has the reasons."""

    NUMBER = 1
    DATE = 2  # days since 30 December 1899
    TIME = 3  # share of a day
    TRUTH = 4
    TEXT = 5
    DURATION = 6
    ERROR = 7
    NO_RESULT = 8
    LONG_NUMBER = 9
    LONG_TEXT = 10
    NO_DATE = 11
    UNKNOWN = 12
    TWO_READINGS = 13


#: Reasons for an unreadable cell, and their remedies.
PROBLEMS = {
    CellKind.DURATION: "a duration, such as in the format [h]:mm: format the cells as numbers, or write texts",
    CellKind.ERROR: "an error value: correct or empty the cell",
    CellKind.NO_RESULT: "a formula without a saved result: open the file in a spreadsheet program and save it again",
    CellKind.LONG_NUMBER: f"a number of more than {MOST_DIGITS} digits, which spreadsheets round: write a text instead",
    CellKind.LONG_TEXT: f"a text of more than {LONGEST_TEXT:,} characters, which spreadsheets cut: shorten it",
    CellKind.NO_DATE: (
        "a date or time that programs show differently, such as before March 1900: write the cells as texts"
    ),
    CellKind.UNKNOWN: (
        "a cell in a form that spreadsheet programs do not write: open the file in such a program and save it again"
    ),
    CellKind.TWO_READINGS: (
        "a cell that two readers of workbooks read differently: open the file in a spreadsheet program and save it "
        "again"
    ),
}


@dataclass
class Cells:
    """The nonempty cells of one column, from top to bottom; ``texts`` has an item for each TEXT cell alone."""

    rows: array[int] = field(default_factory=lambda: array("I"))
    kinds: bytearray = field(default_factory=bytearray)
    numbers: array[float] = field(default_factory=lambda: array("d"))
    texts: list[str] = field(default_factory=list)
    first_formula: int | None = None

    def values(self) -> Iterator[tuple[int, int, float, str]]:
        """Yield (row, kind, number, text) of each nonempty cell; the text is empty for kinds other than TEXT."""
        texts = iter(self.texts)
        for row, kind, number in zip(self.rows, self.kinds, self.numbers, strict=True):
            yield row, kind, number, next(texts) if kind == CellKind.TEXT else ""


@dataclass
class Grid:
    """Content of a sheet. Rows and columns count from 1; a merged range has its first and last row and column."""

    columns: dict[int, Cells] = field(default_factory=dict)
    merged: list[tuple[int, int, int, int]] = field(default_factory=list)
    hidden_rows: set[int] = field(default_factory=set)
    hidden_columns: list[tuple[int, int]] = field(default_factory=list)


def letters(column: int) -> str:
    """The name of a column: A for 1."""
    name = ""
    while column:
        column, digit = divmod(column - 1, 26)
        name = chr(ord("A") + digit) + name
    return name


def cell_name(row: int, column: int) -> str:
    """The name of a cell, such as B7."""
    return f"{letters(column)}{row}"


class _Filled(Exception):
    """Signal to end the parsing: the sheet has a cell with content."""


def has_cells(workbook: Workbook, sheet: Sheet) -> bool:
    """True if a cell of a sheet has content."""

    def start(name: str, _: dict[str, str]) -> None:
        if local(name) in ("v", "is", "f"):
            raise _Filled

    try:
        workbook.package.parse(sheet.part, start)
    except _Filled:
        return True
    return False


def count_rows(workbook: Workbook, sheet: Sheet) -> int:
    """Number of rows of a sheet with content."""
    rows, is_filled = 0, True

    def start(name: str, _: dict[str, str]) -> None:
        nonlocal rows, is_filled
        match local(name):
            case "row":
                is_filled = False
            case "v" | "is" | "f" if not is_filled:
                rows, is_filled = rows + 1, True

    workbook.package.parse(sheet.part, start)
    return rows


def read_cells(workbook: Workbook, sheet: Sheet, label: str) -> Grid:
    """The content of a sheet; ``label`` names the sheet in errors. Raises :class:`SourceError`."""
    reader = _Reader(workbook, label)
    workbook.package.parse(sheet.part, reader.start, reader.end, reader.text)
    return reader.grid


class _Reader:
    """Handlers for the elements of a sheet."""

    def __init__(self, workbook: Workbook, label: str) -> None:
        self.grid = Grid()
        self._package: Package = workbook.package
        self._label = label
        self._formats, self._texts = workbook.formats, workbook.texts
        self._offset = _FROM_1904 if workbook.starts_1904 else 0
        self._numbers: dict[str, int] = {}  # of columns, by their letters
        self._tags: dict[str, str] = {}  # names of elements without prefixes
        self._styles: dict[str, Format] = {}
        self._in_rows = False
        self._row = self._column = 0
        self._type = self._style = ""
        self._collects = False
        self._has_value = self._has_formula = self._in_cell = False
        self._phonetic = 0
        self._pieces: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        tag = self._tags.get(name) or self._tag(name)
        if self._in_cell:
            self._start_in_cell(tag)
        elif tag == "c" and self._in_rows:
            self._start_cell(attributes)
        elif tag == "row" and self._in_rows:
            self._start_row(attributes)
        elif tag == "sheetData":
            self._in_rows = True
        elif tag == "mergeCell":
            self.grid.merged.append(self._range(attributes.get("ref", "")))
        elif tag == "col" and _is_hidden(attributes, "width"):
            try:
                self.grid.hidden_columns.append((int(attributes["min"]), int(attributes["max"])))
            except (KeyError, ValueError):
                raise self._package.damaged("has a column without its number") from None

    def _tag(self, name: str) -> str:
        return self._tags.setdefault(name, local(name))

    def _start_row(self, attributes: dict[str, str]) -> None:
        given = attributes.get("r")
        row = self._row + 1 if given is None else int(given) if given.isascii() and given.isdecimal() else 0
        if not self._row < row <= MOST_ROWS:
            raise self._package.damaged(f"has rows in a wrong order after row {self._row} of {self._label}")
        self._row, self._column = row, 0
        if _is_hidden(attributes, "ht"):
            self.grid.hidden_rows.add(row)

    def _start_cell(self, attributes: dict[str, str]) -> None:
        place = attributes.get("r")
        column = self._column + 1 if place is None else self._column_of(place)
        if not self._column < column <= MOST_COLUMNS:
            raise self._package.damaged(f"has cells in a wrong order in row {self._row} of {self._label}")
        self._column = column
        self._type, self._style = attributes.get("t", "n"), attributes.get("s", "0")
        self._has_value = self._has_formula = False
        self._in_cell = True
        self._pieces.clear()

    def _start_in_cell(self, tag: str) -> None:
        if tag == "v" or (tag == "t" and not self._phonetic):
            self._has_value = self._collects = True
        elif tag == "f":
            self._has_formula = True
        elif tag == "rPh":
            self._phonetic += 1

    def text(self, content: str) -> None:
        if self._collects:
            self._pieces.append(content)

    def end(self, name: str) -> None:
        tag = self._tags[name]
        if self._in_cell:
            if tag in ("v", "t"):
                self._collects = False
            elif tag == "c":
                self._in_cell = False
                if self._has_value or self._has_formula:
                    self._keep()
            elif tag == "rPh":
                self._phonetic -= 1
        elif tag == "sheetData":
            self._in_rows = False

    def _keep(self) -> None:
        kind, number, text = self._content("".join(self._pieces))
        if kind == CellKind.TEXT and not text:
            return  # a text of no characters looks as an empty cell does
        cells = self.grid.columns.get(self._column)
        if cells is None:
            cells = self.grid.columns[self._column] = Cells()
        cells.rows.append(self._row)
        cells.kinds.append(kind)
        cells.numbers.append(number)
        if kind == CellKind.TEXT:
            cells.texts.append(text)
        if self._has_formula and cells.first_formula is None:
            cells.first_formula = self._row

    def _content(self, content: str) -> tuple[CellKind, float, str]:
        """CellKind, number and text of a cell."""
        match self._type:
            case "s" if content:
                try:
                    return _text(self._texts[int(content)])
                except (ValueError, IndexError):
                    raise self._package.damaged(
                        f"refers in cell {cell_name(self._row, self._column)} of {self._label} to a text that it does "
                        "not have"
                    ) from None
            case "n" if content:
                return self._number(content)
            case "inlineStr":
                return _text(unescaped(content))
            case "str" if self._has_value:
                return _text(unescaped(content))
            case "b" if content in ("0", "1", "false", "true"):
                return CellKind.TRUTH, float(content in ("1", "true")), ""
            case "e":
                return CellKind.ERROR, 0.0, ""
            case "d" if content:
                return _iso(content)
        if not self._has_formula:
            return (CellKind.UNKNOWN, 0.0, "") if content else (CellKind.TEXT, 0.0, "")
        return CellKind.NO_RESULT, 0.0, ""

    def _number(self, content: str) -> tuple[CellKind, float, str]:
        if not (content.isascii() and content.isdecimal()) and _NUMBER.fullmatch(content) is None:
            return CellKind.UNKNOWN, 0.0, ""
        number = float(content) + 0.0  # a negative zero looks as zero does
        if number in (float("inf"), float("-inf")):
            return CellKind.UNKNOWN, 0.0, ""
        shown = self._styles.get(self._style) or self._format()
        if shown.shown == Shown.DURATION:
            return CellKind.DURATION, number, ""
        if shown.shown == Shown.DATE or (shown.shown == Shown.TIME and not 0 <= number < 1):
            day = number + self._offset
            is_date = number >= 0 and _FIRST_DAY * _DAY <= milliseconds(day) < (_LAST_DAY + 1) * _DAY
            return (CellKind.DATE, day, "") if is_date else (CellKind.NO_DATE, 0.0, "")
        if shown.shown == Shown.TIME:
            return (CellKind.TIME, number, "") if milliseconds(number) < _DAY else (CellKind.NO_DATE, 0.0, "")
        if shown.digits and number >= 0 and number.is_integer() and number < 10**MOST_DIGITS:
            return CellKind.TEXT, number, f"{int(number):0{shown.digits}d}"
        if len(content) > MOST_DIGITS:
            digits = content.lstrip("+-").lstrip("0")
            if digits.isdecimal() and len(digits.rstrip("0")) > MOST_DIGITS:
                return CellKind.LONG_NUMBER, 0.0, ""
        return CellKind.NUMBER, number, ""

    def _format(self) -> Format:
        try:
            return self._styles.setdefault(self._style, self._formats[int(self._style)])
        except (ValueError, IndexError):
            raise self._package.damaged(
                f"does not define the number format of cell {cell_name(self._row, self._column)} of {self._label}"
            ) from None

    def _column_of(self, place: str) -> int:
        name = place.rstrip("0123456789")
        if place[len(name) :] != str(self._row):
            self._refuse_place()
        if (number := self._numbers.get(name)) is None:
            number = self._numbers[name] = _number_of(name)
        if not number:
            self._refuse_place()
        return number

    def _refuse_place(self) -> NoReturn:
        raise self._package.damaged(f"has a cell with the address of another row in row {self._row} of {self._label}")

    def _range(self, text: str) -> tuple[int, int, int, int]:
        first, _, last = text.replace("$", "").partition(":")
        found = [re.fullmatch("([A-Za-z]{1,3})([0-9]{1,7})", place) for place in (first, last or first)]
        if None in found:
            raise self._package.damaged(f"has merged cells without a place in {self._label}")
        (row, column), (last_row, last_column) = ((int(place[2]), _number_of(place[1])) for place in found if place)
        return row, column, last_row, last_column


def _is_hidden(attributes: dict[str, str], size: str) -> bool:
    """True if a row or column is hidden, or of no height or width."""
    return attributes.get("hidden") in ("1", "true") or attributes.get(size) in ("0", "0.0")


def _number_of(name: str) -> int:
    """Number of a column, from its letters; 0 for an invalid name."""
    number = 0
    for letter in name.upper():
        if not "A" <= letter <= "Z":
            return 0
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


def _text(content: str) -> tuple[CellKind, float, str]:
    if len(content) > LONGEST_TEXT:
        return CellKind.LONG_TEXT, 0.0, ""
    return CellKind.TEXT, 0.0, content


def _iso(content: str) -> tuple[CellKind, float, str]:
    """CellKind and number of a date or time that is written as ISO 8601."""
    try:
        if re.fullmatch(r"\d\d:\d\d:\d\d(\.\d{1,3})?", content, re.ASCII):
            moment = datetime.combine(date(1899, 12, 30), time.fromisoformat(content), UTC)
        elif re.fullmatch(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{1,3})?)?", content, re.ASCII):
            moment = datetime.fromisoformat(content).replace(tzinfo=UTC)
        else:
            return CellKind.UNKNOWN, 0.0, ""
    except ValueError:
        return CellKind.UNKNOWN, 0.0, ""
    day = (moment - datetime(1899, 12, 30, tzinfo=UTC)).total_seconds() * 1000 / _DAY
    if 0 <= day < 1:
        return CellKind.TIME, day, ""
    return (CellKind.DATE, day, "") if day >= _FIRST_DAY else (CellKind.NO_DATE, 0.0, "")


def milliseconds(day: float) -> int:
    """The milliseconds of a number of days: spreadsheets show no smaller part of a second."""
    return round(day * _DAY)
