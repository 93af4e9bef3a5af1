"""The parts of a workbook around its cells: sheets, number formats, shared texts, totals of tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from starcloak.base.errors import SourceError, hint
from starcloak.base.workbooks.package import Package, local

#: Characters that a cell holds at most, in the units of UTF-16.
LONGEST_TEXT = 32_767
_ESCAPED = re.compile("_x(?![dD][89a-fA-F])([0-9a-fA-F]{4})_")  # without halves of a character
_TRUE = ("1", "true")


class Shown(IntEnum):
    """Meaning of a number under its number format, such as a date."""

    NUMBER = 0
    DATE = 1  # a date, with or without a time
    TIME = 2
    DURATION = 3


class Format(NamedTuple):
    """A number format: the kind shown, and the number of digits if zeros are put before whole numbers."""

    shown: Shown = Shown.NUMBER
    digits: int = 0


# Formats that a file uses without their codes.
_BUILT_IN = {
    **dict.fromkeys([*range(14, 18), 22, *range(27, 32), 36, *range(50, 55), 57, 58], Format(Shown.DATE)),
    **dict.fromkeys([*range(18, 22), *range(32, 36), 45, 47, 55, 56], Format(Shown.TIME)),
    46: Format(Shown.DURATION),
}
# Parts of a format's code that show no number: texts, escaped characters, spaces and fillings.
_LITERAL = re.compile(r'"[^"]*"|\\.|_.|\*.')
_ELAPSED = re.compile(r"\[(h+|m+|s+)\]", re.IGNORECASE)
_BRACKETS = re.compile(r"\[[^\]]*\]")
_NOON = re.compile(r"am/pm|a/p", re.IGNORECASE)


@dataclass(frozen=True)
class Sheet:
    """A sheet of cells in a workbook; ``part`` is the name of the sheet's XML file in the package."""

    name: str
    part: str
    is_hidden: bool


@dataclass(frozen=True)
class Workbook:
    """The sheets of a workbook and the facts that hold for all of them.

    ``others`` are the names of sheets without cells, such as charts. ``starts_1904`` is true if its dates count from
    1904. ``is_uncalculated`` is true if programs calculate all formulas when they open it.
    """

    package: Package
    sheets: Sequence[Sheet]
    others: Sequence[str]
    starts_1904: bool
    is_uncalculated: bool
    formats: Sequence[Format]
    texts: Sequence[str]

    def named(self, name: str) -> Sheet:
        """A sheet by its name. Raises :class:`SourceError`."""
        found = next((sheet for sheet in self.sheets if sheet.name == name), None)
        if found is None:
            if name in self.others:
                raise SourceError(
                    f"{self.package.label}: sheet {name!r} is a chart or a macro: give the name of a sheet with cells"
                )
            names = [sheet.name for sheet in self.sheets]
            listed = ", ".join(map(repr, names))
            raise SourceError(
                f"{self.package.label}: sheet {name!r} is not there. Its sheets: {listed}.{hint(name, names)}"
            )
        return found


def read_workbook(package: Package) -> Workbook:
    """The sheets, number formats and texts of a workbook. Raises :class:`SourceError`."""
    path = next((link.target for link in package.relationships("").values() if link.kind == "officeDocument"), None)
    if path is None:
        raise package.damaged("is no workbook")
    links = package.relationships(path)
    sheets: list[Sheet] = []
    others: list[str] = []
    properties: dict[str, str] = {}

    def start(name: str, attributes: dict[str, str]) -> None:
        match local(name):
            case "sheet":
                link = next((links.get(key) for tag, key in attributes.items() if tag.endswith(":id")), None)
                if link is None or link.kind != "worksheet":
                    others.append(attributes.get("name", ""))
                else:
                    is_hidden = attributes.get("state", "visible") != "visible"
                    sheets.append(Sheet(attributes.get("name", ""), link.target, is_hidden))
            case "workbookPr":
                properties["date1904"] = attributes.get("date1904", "")
            case "calcPr":
                properties["fullCalcOnLoad"] = attributes.get("fullCalcOnLoad", "")

    package.parse(path, start)
    parts = {link.kind: link.target for link in links.values() if link.kind in ("sharedStrings", "styles")}
    return Workbook(
        package,
        sheets,
        others,
        properties.get("date1904") in _TRUE,
        properties.get("fullCalcOnLoad") in _TRUE,
        _formats(package, parts["styles"]) if package.has(parts.get("styles", "")) else [Format()],
        _texts(package, parts["sharedStrings"]) if package.has(parts.get("sharedStrings", "")) else [],
    )


def totals_row(package: Package, part: str) -> tuple[str, str] | None:
    """Name and cell range of the first table with a row of totals in a sheet; None without such a table."""
    found: list[tuple[str, str]] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        if local(name) == "table" and attributes.get("totalsRowCount", "0") != "0":
            found.append((attributes.get("displayName", ""), attributes.get("ref", "")))

    for link in package.relationships(part).values():
        if link.kind == "table" and package.has(link.target):
            package.parse(link.target, start)
    return found[0] if found else None


def unescaped(text: str) -> str:
    """Decode escapes in a text: ``_x000D_`` stands for a character not permitted in XML."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if "_x" in text else text


def format_of(code: str) -> Format:
    """Parse the code of a number format: the kind of value shown, and the number of digits with leading zeros.

    >>> format_of("dd/mm/yyyy").shown.name, format_of("[h]:mm").shown.name, format_of("00000").digits
    ('DATE', 'DURATION', 5)
    """
    if re.fullmatch("0{2,}", code):
        return Format(digits=len(code))
    plain = _LITERAL.sub("", code).partition(";")[0]
    if _ELAPSED.search(plain):
        return Format(Shown.DURATION)
    plain = _BRACKETS.sub("", plain)
    letters = _NOON.sub("h", plain).lower().replace("general", "")
    has_time = "h" in letters or "s" in letters
    if "y" in letters or "d" in letters or ("m" in letters and not has_time):
        return Format(Shown.DATE)
    return Format(Shown.TIME) if has_time else Format()


def _formats(package: Package, part: str) -> list[Format]:
    """Number format of each cell style, in the order of the styles; cells refer to styles by position."""
    codes: dict[str, str] = {}
    used: list[str] = []
    inside: list[str] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        tag = local(name)
        if tag == "numFmt" and inside[-1:] == ["numFmts"]:
            codes[attributes.get("numFmtId", "")] = attributes.get("formatCode", "")
        elif tag == "xf" and inside[-1:] == ["cellXfs"]:
            used.append(attributes.get("numFmtId", "0"))
        inside.append(tag)

    def end(_: str) -> None:
        inside.pop()

    package.parse(part, start, end)
    made: list[Format] = []
    for number in used:
        if number in codes:
            made.append(format_of(codes[number]))
        else:
            made.append(_BUILT_IN.get(int(number), Format()) if number.isdecimal() else Format())
    return made or [Format()]


def _texts(package: Package, part: str) -> list[str]:
    """Texts shared by cells (cells refer to them by position), without phonetic readings of East Asian characters."""
    texts: list[str] = []
    pieces: list[str] = []
    inside: list[str] = []

    def start(name: str, _: dict[str, str]) -> None:
        inside.append(local(name))
        if inside[-1] == "si":
            pieces.clear()

    def end(name: str) -> None:
        inside.pop()
        if local(name) == "si":
            texts.append(unescaped("".join(pieces)))

    def text(content: str) -> None:
        if inside[-1] == "t" and "rPh" not in inside:
            pieces.append(content)

    package.parse(part, start, end, text)
    return texts
