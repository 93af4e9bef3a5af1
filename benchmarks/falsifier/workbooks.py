"""Workbooks: jobs that are given one as their source or their release, written by hand and read by openpyxl."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from random import Random
from typing import Any
from xml.sax.saxutils import escape

from benchmarks.falsifier.case import Case
from benchmarks.falsifier.hosts import Released
from benchmarks.falsifier.values import WHOLE

# Kinds of columns that a sheet gives back, and those that it takes.
READ = ("text", "int64", "float64", "bool", "date")
TAKEN = (*READ, *WHOLE)
# What programs show alike.
_MOST, _FIRST_DAY = 10**15, date(1900, 3, 1)
_ZERO_DAY = date(1899, 12, 30).toordinal()
# Characters that XML lacks: two readers of a sheet read them differently.
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_ESCAPED = re.compile("_x([0-9a-fA-F]{4})_")
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
# The parts of a workbook beside its sheet. The style 1 shows a date.
_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" ContentType='
    f'"application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType='
    f'"{_TYPE}.sheet.main+xml"/><Override PartName="/xl/sheet.xml" ContentType="{_TYPE}.worksheet+xml"/>'
    f'<Override PartName="/xl/styles.xml" ContentType="{_TYPE}.styles+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1" '
    f'Type="{_LINKS}/officeDocument" '
    'Target="xl/workbook.xml"/></Relationships>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1" '
    f'Type="{_LINKS}/worksheet" Target="sheet.xml"/><Relationship Id="r2" Type="{_LINKS}/styles" Target="styles.xml"/>'
    "</Relationships>",
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_LINKS}"><sheets><sheet name="people" sheetId="1" '
    'r:id="r1"/></sheets></workbook>',
    "xl/styles.xml": f'<styleSheet xmlns="{_MAIN}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>'
    "</styleSheet>",
}


def drawn(rng: Random, case: Case) -> Case:
    """The case with a workbook as its source, its release or both, if a workbook keeps its cells."""
    if case.history or case.broken or case.dirty:
        return case
    besides = tuple(each for each in case.besides if each not in ("changed", "script"))
    if case.source in ("csv", "jsonl", "parquet") and rng.random() < 0.5 and _is_readable(case):
        case = replace(
            case,
            source="xlsx",
            suffix="",
            delimiter=",",
            missing="",
            quote='"',
            encoding="",
            header=(),
            besides=besides,
        )
    if case.target in ("csv", "parquet") and rng.random() < 0.5 and _is_writable(case):
        case = replace(case, target="xlsx", besides=besides)
    return case


def are_kept(case: Case) -> bool:
    """Whether the workbooks of a case keep its cells."""
    return (case.source != "xlsx" or _is_readable(case)) and (case.target != "xlsx" or _is_writable(case))


def _is_readable(case: Case) -> bool:
    """Whether the rows come back from a sheet as they are: no row is blank, no column changes its kind."""
    columns = [(column, case.cells(column.name)) for column in case.columns]
    return (
        all(column.kind in READ and _is_kept(cells) for column, cells in columns)
        and all(any(cell is not None for cell in cells) for _, cells in columns)
        and all(
            column.kind != "float64" or any(cell is not None and cell % 1 for cell in cells)
            for column, cells in columns
        )
        and all(any(cell is not None for cell in row) for row in case.rows)
    )


def _is_writable(case: Case) -> bool:
    """Whether a sheet keeps a release: every row has its number, and no label is an empty text."""
    numbered = any(column.name == "id" and column.role == "keep" for column in case.columns)
    labelled = not any(re.search(r"''|\"\"|None", repr(column.hierarchy)) for column in case.quasi_identifiers)
    return (
        numbered
        and labelled
        and all(column.kind in TAKEN and _is_kept(case.cells(column.name)) for column in case.released)
    )


def _is_kept(cells: Sequence[Any]) -> bool:
    return all(map(_is_kept_cell, cells))


def _is_kept_cell(cell: Any) -> bool:
    if isinstance(cell, str):
        return cell != "" and not _NOT_IN_XML.search(cell)
    if isinstance(cell, float):
        return abs(cell) < _MOST and str(cell) != "-0.0"
    if isinstance(cell, date):
        return cell >= _FIRST_DAY
    return cell is None or isinstance(cell, bool) or abs(cell) < _MOST


def write(path: Path, case: Case) -> None:
    """Write a workbook of one sheet by hand, with the cells in it that have content."""
    rows = []
    for number, row in enumerate([case.names, *case.rows], 1):
        cells = [_xml(cell, f"{_letter(at)}{number}") for at, cell in enumerate(row) if cell is not None]
        rows.append(f'<row r="{number}">{"".join(cells)}</row>')
    sheet = f'<worksheet xmlns="{_MAIN}"><sheetData>{"".join(rows)}</sheetData></worksheet>'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for part, content in {**_PARTS, "xl/sheet.xml": sheet}.items():
            archive.writestr(part, f'<?xml version="1.0" encoding="UTF-8"?>{content}'.encode())


def _xml(cell: Any, place: str) -> str:
    if isinstance(cell, bool):
        return f'<c r="{place}" t="b"><v>{int(cell)}</v></c>'
    if isinstance(cell, str):
        return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{_escaped(cell)}</t></is></c>'
    if isinstance(cell, date):
        return f'<c r="{place}" s="1"><v>{cell.toordinal() - _ZERO_DAY}</v></c>'
    return f'<c r="{place}"><v>{cell!r}</v></c>'


def _escaped(text: str) -> str:
    """A text of XML: what XML changes stands by its number."""
    text = _ESCAPED.sub(lambda found: f"_x005F{found[0]}", text)
    return escape(text).replace("\r", "_x000D_")


def _letter(at: int) -> str:
    """The letter of a column."""
    return chr(ord("A") + at) if at < 26 else _letter(at // 26 - 1) + _letter(at % 26)


def read(path: Path) -> Released:
    """The rows of a release, as another program reads them."""
    import openpyxl  # which the documentation, built with these modules, has not

    sheet = openpyxl.load_workbook(path).active
    assert sheet is not None
    names, *rows = ([_value(cell) for cell in row] for row in sheet.iter_rows())
    return Released([str(name) for name in names], [tuple(row) for row in rows])


def _value(cell: Any) -> Any:
    value = cell.value
    if isinstance(value, str):
        return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), value)
    return value.date() if isinstance(value, datetime) and "h" not in cell.number_format else value
