"""A hierarchy from a CSV file or a workbook's sheet."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Protocol

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from starcloak.base import settings
from starcloak.base.errors import HierarchyError, SourceError
from starcloak.base.settings import JobPath
from starcloak.hierarchy.builder import BuildPlace, build, register
from starcloak.hierarchy.members import Declared, array_of_texts, receive
from starcloak.statements.statement import As, Hole, Literal, Name, Number, Statement, columns

if TYPE_CHECKING:
    from starcloak.base.workbooks.sheet import CheckedSheet

_DELIMITER = ";"
_BLANKS = " \t\u00a0\u2007\u202f\u3000"
_ODD = ('"', "\r", "\0", "\n\n")
_LINES = Name("lines")


class CsvRecords(Protocol):
    """Iterable over the records of a file; ``line_num`` is the line or the row of the latest record."""

    line_num: int

    def __iter__(self) -> Iterator[list[str]]: ...


@dataclass
class SheetRecords:
    """Iterable over the rows of a workbook's sheet; ``line_num`` is the number of the latest row."""

    sheet: CheckedSheet
    line_num: int = 0

    def __iter__(self) -> Iterator[list[str]]:
        for number, cells in self.sheet.lines():
            self.line_num = number
            yield cells


@dataclass
class _Found:
    """Facts of a file: the first line's number and last cell, and the number of lines with blanks around cells."""

    first_line: int = 0
    top: str = ""
    trimmed: int = 0


@register
class Csv(Declared):
    """A file with one line per leaf: leaf, level 1, …, top. An empty leaf declares the missing value.

    The file is a CSV file or a workbook (.xlsx); ``sheet`` is the name of the workbook's sheet, if several have cells.
    Blanks around cells are removed, with a warning. A leaf keeps its blanks if the source has the very same text.
    """

    key: ClassVar[str] = "csv"
    apart: ClassVar[tuple[str, ...]] = ("csv",)
    form: ClassVar[str] = "`{csv: country.csv}`"
    also_called: ClassVar[tuple[str, ...]] = ("file", "path", "hierarchy", "xlsx", "excel")
    levels_read: ClassVar[str] = (
        "lines `leaf;level 1;…;top`, or rows of a workbook (.xlsx); an empty leaf declares the missing value"
    )

    csv: JobPath
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] = _DELIMITER
    sheet: Annotated[str, Field(min_length=1)] | None = None

    @model_validator(mode="after")
    def _of_its_kind(self) -> Csv:
        if self._is_workbook and self.delimiter != _DELIMITER:
            raise PydanticCustomError(
                "csv", "delimiter is for a CSV file, and this file is a workbook: leave delimiter out"
            )
        if self.delimiter in '\r\n"':  # Python's reader refuses them from 3.13 on
            about = {"mark": repr(self.delimiter)}
            raise PydanticCustomError("csv", "{mark} cannot delimit: use one character such as , ; | or a tab", about)
        if not self._is_workbook and self.sheet is not None:
            raise PydanticCustomError("csv", "sheet is for a workbook (.xlsx), and this file is not: leave sheet out")
        return self

    @property
    def _is_workbook(self) -> bool:
        return self.csv.suffix.lower() == ".xlsx"

    @property
    def files(self) -> tuple[Path, ...]:
        return (self.csv,)

    def declare(self, place: BuildPlace, into: Name) -> int:
        found = _Found()
        height = self._split(place, into, found)
        if height is None:
            height = receive(place, self._lines(place, found), into)
        self._refuse_header(place, into, height, found)
        self._warn(place, into, height, found.trimmed)
        return height

    def _split(self, place: BuildPlace, into: Name, found: _Found) -> int | None:
        """Store the lines of a plain file as the table ``into``; return the number of levels above the leaf.

        A plain file has no quotes, no blanks around cells, no empty lines, and lines of one length. None for any other
        file: Python's reader then reads it, for exact errors.
        """
        lines = self._plain_lines()
        if not lines:
            return None
        cells = lines[0].split(self.delimiter)
        if not 2 <= len(cells) <= settings.MOST_LEVELS + 1:
            return None
        levels: list[Hole] = [Statement("hierarchy/lines#leaf")]
        levels += [Statement("hierarchy/lines#label", number=Number(number)) for number in range(2, len(cells) + 1)]
        split = Statement(
            "hierarchy/lines",
            cells=columns(As(cell, Name(f"level_{level}")) for level, cell in enumerate(levels)),
            line=Statement("hierarchy/cast", column=Name("line")),
            delimiter=Literal(self.delimiter),
            lines=_LINES,
            width=Number(len(cells)),
        )
        count = place.session.receive(into, _LINES, {"line": array_of_texts(lines)}, split)
        found.first_line, found.top = 1, cells[-1]
        return len(cells) - 1 if count == len(lines) else None

    def _plain_lines(self) -> list[str]:
        """The lines of a file with nothing that only a CSV reader understands; none for any other file."""
        if self._is_workbook:
            return []
        try:
            if not self.csv.is_file() or self.csv.stat().st_size > settings.MOST_CHARACTERS:
                return []
            with open(self.csv, encoding="utf-8-sig", newline="") as file:
                content = file.read().removesuffix("\n")
        except (OSError, UnicodeDecodeError):
            return []
        ends, blanks = (self.delimiter, "\n"), [blank for blank in _BLANKS if blank in content]
        around = [f"{end}{blank}" for blank in blanks for end in ends]
        around += [f"{blank}{end}" for blank in blanks for end in ends]
        outer = content[:1] + content[-1:]
        if any(mark in outer for mark in f"\n{_BLANKS}") or any(mark in content for mark in (*_ODD, *around)):
            return []
        lines = content.split("\n")
        return lines if len(lines) <= settings.MOST_LEAVES else []

    def _lines(self, place: BuildPlace, found: _Found) -> Iterator[Sequence[str | None]]:
        path = self.csv
        if not path.exists():
            raise place.wrong(f"{path} is not there: give the path relative to the folder of the job")
        if not path.is_file():
            raise place.wrong(f"{path} is a folder or a device, not a file: give the path of a file")
        try:
            with self._opened(place) as records:
                yield from self._checked(place, records, found)
        except SourceError as error:
            raise place.wrong(str(error)) from None
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise place.wrong(
                f"{path} cannot be read as CSV in UTF-8 ({type(error).__name__}): check the file"
            ) from None

    @contextmanager
    def _opened(self, place: BuildPlace) -> Iterator[CsvRecords]:
        """Open the file and yield its records.

        Raises :class:`SourceError` for a workbook without a clear value per cell.
        """
        if self._is_workbook:
            from starcloak.base.workbooks.sheet import read_sheet

            sheet = read_sheet(self.csv, str(self.csv), sheet=self.sheet, option="sheet")
            place.host.warnings += [f"hierarchy of {place.column.name!r}: {note}" for note in sheet.remarks()]
            yield SheetRecords(sheet)
        else:
            with open(self.csv, encoding="utf-8-sig", newline="") as file:
                yield csv.reader(file, delimiter=self.delimiter, strict=True)

    def _checked(self, place: BuildPlace, records: CsvRecords, found: _Found) -> Iterator[Sequence[str | None]]:
        """Yield the lines, without blanks around cells.

        Raises :class:`HierarchyError` for lines of different lengths, and for a line of one cell.
        """
        width = 0
        padded = self._padded(place)
        for row in records:  # a file may have a million lines: the usual ones take few steps
            if not row:
                continue
            cells = [cell.strip(_BLANKS) for cell in row]
            if cells != row:
                cells = _trimmed(row, padded)
                found.trimmed += cells != row
            if len(cells) != width:
                if len(cells) < 2:
                    raise self._wrong(place, records.line_num, f"only one cell: {self._one_cell(row[0], records)}")
                if width:
                    raise self._wrong(
                        place,
                        records.line_num,
                        f"{len(cells)} cells, and {self._line} {found.first_line} has {width}: give every "
                        f"{self._line} the same number of levels{self._hint_of_quotes}",
                    )
                found.first_line, found.top, width = records.line_num, cells[-1], len(cells)
            yield cells if cells[0] else [None, *cells[1:]]

    def _refuse_header(self, place: BuildPlace, lines: Name, height: int, found: _Found) -> None:
        """Raise :class:`HierarchyError` if the first line alone ends in another value than all others."""
        counted = Statement("hierarchy/lines#tops", top=Name(f"level_{height}"), declared=lines)
        tops: dict[str, int] = dict(place.session.run(counted))
        if (others := sum(tops.values()) - 1) > 1 and len(tops) == 2 and tops[found.top] == 1:
            raise self._wrong(
                place,
                found.first_line,
                f"ends in another value than the other {others:,}, as a header does: if it is a header, leave this "
                f"{self._line} out",
                colon=False,
            )

    def _padded(self, place: BuildPlace) -> set[str]:
        """The column's texts with blanks at their start or end; empty for a column of another type."""
        if not place.column.is_text:
            return set()
        statement = Statement("hierarchy/spelling#padded", domain=place.domain)
        return {value for (value,) in place.session.run(statement, {"blanks": _BLANKS})}

    def repeated(self, place: BuildPlace) -> str:
        """Numbers of the first two lines with the same leaf and different labels, for an error; may be empty."""
        lines: dict[str, tuple[int, list[str]]] = {}
        padded = self._padded(place)
        with self._opened(place) as records:
            for row in filter(None, records):
                cells = _trimmed(row, padded)
                line, earlier = lines.setdefault(cells[0], (records.line_num, cells))
                if earlier != cells:
                    return f" ({self.csv}, {self._line}s {line} and {records.line_num})"
        return ""

    @property
    def _line(self) -> str:
        return "row" if self._is_workbook else "line"

    @property
    def _hint_of_quotes(self) -> str:
        return "" if self._is_workbook else f", and put quotes around a cell that contains {self.delimiter!r}"

    def _one_cell(self, cell: str, after: CsvRecords) -> str:
        """Advice for a line with only one ``cell``, guessed from this cell and from the next line of ``after``."""
        if self._is_workbook:
            return "write the levels into the cells beside the value"
        if self.delimiter in cell:
            return "remove the quotes around the whole line"
        following = next((row[0] for row in after if row), "")
        if cell.startswith("@") or following.startswith("@") or self.csv.suffix.lower() == ".hrc":
            return (
                "if this is a code list of another tool with @ for levels, write a line per value: leaf;level 1;…;top"
            )
        other_mark = next((mark for mark in ";,\t|" if mark != self.delimiter and mark in cell), None)
        if other_mark is not None:
            return f"give delimiter: {other_mark!r}"
        return "write the levels beside the value, leaf;level 1;…;top"

    def _wrong(self, place: BuildPlace, line: int, problem: str, *, colon: bool = True) -> HierarchyError:
        return place.wrong(f"{self.csv}, {self._line} {line}{':' if colon else ''} {problem}")

    def _warn(self, place: BuildPlace, lines: Name, height: int, trimmed: int) -> None:
        """Warn of cells with blanks around them, and of labels that differ by case or blanks alone."""
        labels = columns(Name(f"level_{level}") for level in range(1, height + 1))
        (alike,) = place.session.row(Statement("hierarchy/lines#spellings", labels=labels, declared=lines))
        problems = []
        if trimmed:
            problems.append(
                f"blanks around cells of {trimmed:,} {self._line}{'' if trimmed == 1 else 's'} were removed"
            )
        if alike:
            names = "label has" if alike == 1 else "labels have"
            problems.append(f"{alike:,} {names} several spellings, which differ by case or blanks alone: write one")
        for sentence in problems:
            place.host.warnings.append(f"hierarchy of {place.column.name!r}: {self.csv}: {sentence}")


def _trimmed(row: Sequence[str], padded: set[str]) -> list[str]:
    """The cells of a line without blanks around them; a leaf in ``padded``, or of blanks alone, stays as it is."""
    leaf, *labels = row
    return [leaf if leaf in padded else leaf.strip(_BLANKS) or leaf, *(label.strip(_BLANKS) for label in labels)]


def csv_file(path: str | Path, *, delimiter: str = _DELIMITER, sheet: str | None = None) -> Csv:
    r"""A file with one line per leaf in the form of ARX: leaf, level 1, …, top.

    Args:
        path: The CSV file in UTF-8, or the workbook (.xlsx). All of its lines have the same number of cells.
        delimiter: The character between two cells of a CSV file.
        sheet: The name of a workbook's sheet; None for the only one with cells.

    A run raises :class:`~starcloak.base.errors.HierarchyError` for a file in another form, and for values without a
    leaf.

    >>> import tempfile, pandas, starcloak as sc
    >>> frame = pandas.DataFrame({"country": ["France", "Spain", "Kenya", "Ghana"]})
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write("France;Europe;*\nSpain;Europe;*\nKenya;Africa;*\nGhana;Africa;*\n")
    ...     file.flush()
    ...     release = sc.anonymize(frame, quasi_identifiers={"country": sc.csv_file(file.name)}, k=2)
    >>> sorted(release.to_pandas()["country"])
    ['Africa', 'Africa', 'Europe', 'Europe']
    """
    return build(Csv, csv=path, delimiter=delimiter, sheet=sheet)
