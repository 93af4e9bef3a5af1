"""Workbooks as a source: each cell as a person sees it, or refused by its name."""

from __future__ import annotations

import builtins
import random
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import xlsxwriter
from openpyxl.worksheet.table import Table as ExcelTable
from openpyxl.worksheet.worksheet import Worksheet

from starcloak.base.errors import SourceError
from starcloak.base.workbooks import package
from starcloak.base.workbooks.parts import Shown, format_of
from starcloak.sources import workbooks

Grid = list[list[Any]]
_ROWS: Grid = [["name", "age"], ["a", 1], ["b", 2], ["c", 3]]


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Callable[..., Path]]:
    """A function that writes a workbook of rows, changed by a function of its sheet."""

    def write(rows: Grid, change: Callable[[Worksheet], Any] = lambda sheet: None, **parts: Any) -> Path:
        workbook = openpyxl.Workbook()
        sheet = workbook.active
        assert isinstance(sheet, Worksheet)
        for row in rows:
            sheet.append(row)
        change(sheet)
        path = tmp_path / "t.xlsx"
        workbook.save(path)
        return path

    yield write


def edited(path: Path, part: str, *changes: tuple[str, str]) -> Path:
    """The workbook with changed texts in a part."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    text = parts[part].decode()
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    parts[part] = text.encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


_SHEET = "xl/worksheets/sheet1.xml"


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """The workbook of the rows with texts that cells share, as most programs write it."""
    path = tmp_path / "t.xlsx"
    with xlsxwriter.Workbook(path) as workbook:
        sheet = workbook.add_worksheet()
        for number, row in enumerate(_ROWS):
            sheet.write_row(number, 0, row)
    return path


def read(
    path: Path, sheet: str | None = None, header: int | None = None, rename: Mapping[str, str] = {}
) -> workbooks.SheetTable:
    return workbooks.read_all({path: path}, "t.xlsx", sheet=sheet, header=header, rename=rename)


def columns(path: Path, **how: Any) -> dict[str, list[Any]]:
    """The columns that are read exactly, without any remark or problem."""
    found = read(path, **how)
    assert not found.problems
    assert not found.notes
    return {str(name): cells for name, cells in found.rows.to_pydict().items()}


def test_cells_are_read_in_the_type_that_a_person_sees(book: Callable[..., Path]) -> None:
    def formats(sheet: Worksheet) -> None:
        for row in (2, 3):
            sheet.cell(row, 7).number_format = "00000"
            sheet.cell(row, 8).number_format = '"on" dd/mm/yy;@'

    rows: Grid = [
        ["zip", "whole", "real", "day", "moment", "truth", "padded", "serial", "clock", "nothing"],
        [
            "01234",
            3.0,
            0.1 + 0.2,
            date(2020, 2, 29),
            datetime(2020, 1, 1, 4, 5, 6, 789000),
            True,
            7,
            45000,
            time(1, 2),
            None,
        ],
        ["1.10", -7, 2, date(1900, 3, 1), datetime(9999, 12, 31), False, 77777, 45001, None, None],
    ]
    assert columns(book(rows, formats)) == {
        "zip": ["01234", "1.10"],
        "whole": [3, -7],
        "real": [0.3, 2.0],  # openpyxl writes 16 digits
        "day": [date(2020, 2, 29), date(1900, 3, 1)],
        "moment": [datetime(2020, 1, 1, 4, 5, 6, 789000), datetime(9999, 12, 31)],
        "truth": [True, False],
        "padded": ["00007", "77777"],
        "serial": [date(2023, 3, 15), date(2023, 3, 16)],
        "clock": [time(1, 2), None],
        "nothing": [None, None],
    }


def test_texts_are_read_character_by_character(book: Callable[..., Path]) -> None:
    texts = [
        "=1+1",
        " lead",
        "trail ",
        "a\nb",
        "é😀",
        "_x000D_",
        "<b>&\"'",
        "#N/A",
        "1e5",
        "\u00a0nb\u00a0",
        "TRUE",
        "a\tb",
    ]

    def plain(sheet: Worksheet) -> None:
        for row in sheet.iter_rows(min_row=2):
            for cell in row:
                cell.data_type = "s"

    path = book([["t", "n"], *([text, text] for text in texts)], plain)
    expected = [text.replace("_x000D_", "\r") for text in texts]
    assert columns(path) == {"t": expected, "n": expected}


def test_rich_texts_and_texts_in_cells_are_whole(shared: Path) -> None:
    rich = '<si><r><t>a</t></r><r><t xml:space="preserve"> b</t></r><rPh sb="0" eb="1"><t>kana</t></rPh></si>'
    path = edited(shared, "xl/sharedStrings.xml", ("<si><t>a</t></si>", rich))
    path = edited(path, _SHEET, ('<c r="A3" t="s"><v>3</v></c>', '<c r="A3" t="inlineStr"><is><t>in</t></is></c>'))
    assert columns(path)["name"] == ["a b", "in", "c"]


def test_dates_that_count_from_1904_are_the_same_days(book: Callable[..., Path]) -> None:
    path = book([["d", "n"], [date(2020, 1, 2), 1], [date(1904, 1, 1), 2]])
    path = edited(path, "xl/workbook.xml", ("<workbookPr />", '<workbookPr date1904="1"/>'))
    assert columns(path)["d"] == [date(2024, 1, 3), date(1908, 1, 2)]


def test_numbers_and_texts_in_one_column_are_texts_with_a_remark(book: Callable[..., Path]) -> None:
    found = read(
        book([["v", "n"], [1.1, 1], ["1.10", 2], [True, 3], [date(2020, 1, 2), 4], [time(1, 2, 3), 5], [12, 6]])
    )
    assert found.rows["v"].to_pylist() == ["1.1", "1.10", "TRUE", "2020-01-02", "01:02:03", "12"]
    (note,) = found.notes
    assert "such as the" in note
    assert "all are read as texts" in note
    assert "1.1" not in note


@pytest.mark.parametrize(
    ("code", "shown", "digits"),
    [
        ("General", Shown.NUMBER, 0), ("0.00E+00", Shown.NUMBER, 0), ("#,##0 [$€-407]", Shown.NUMBER, 0),
        ('0 "days"', Shown.NUMBER, 0), ("000", Shown.NUMBER, 3), ("[Red]0;[Blue]-0", Shown.NUMBER, 0),
        ("[$-409]d-mmm-yy;@", Shown.DATE, 0), ("mmm", Shown.DATE, 0), ("yyyy\\-mm", Shown.DATE, 0),
        ("h:mm AM/PM", Shown.TIME, 0), ("mm:ss.0", Shown.TIME, 0), ("[mm]:ss", Shown.DURATION, 0),
        ("@", Shown.NUMBER, 0),
    ],
)  # fmt: skip
def test_a_number_format_says_what_a_number_is(code: str, shown: Shown, digits: int) -> None:
    assert format_of(code) == (shown, digits)


def _set(place: str, value: Any, number_format: str = "General") -> Callable[[Worksheet], None]:
    def change(sheet: Worksheet) -> None:
        sheet[place] = value
        sheet[place].number_format = number_format

    return change


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (_set("B3", "#DIV/0!"), "has in cell B3 an error value"),
        (_set("B3", "=A1"), "has in cell B3 a formula without a saved result"),
        (_set("B4", 1.5, "[h]:mm"), "has in cell B4 a duration"),
        (_set("B2", 60, "yyyy-mm-dd"), "has in cell B2 a date or time that programs show differently"),
        (_set("B2", 0.5, "yyyy-mm-dd"), "has in cell B2 a date or time that programs show differently"),
        (_set("B2", -3, "yyyy-mm-dd"), "has in cell B2 a date or time that programs show differently"),
        (_set("B2", 1234567890123456), "has in cell B2 a number of more than 15 digits"),
        (lambda sheet: sheet.merge_cells("B3:B4"), "has merged cells, B3:B4"),
        (lambda sheet: sheet.merge_cells("B3:D3"), "has merged cells, B3:D3"),
    ],
)
def test_a_cell_without_one_reading_is_named(
    book: Callable[..., Path], change: Callable[[Worksheet], Any], problem: str
) -> None:
    found = read(book(_ROWS, change))
    assert found.problems.keys() == {"age"}
    assert found.problems["age"].startswith(problem)
    assert found.rows["name"].to_pylist() == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("cell", "problem"),
    [
        (
            '<c r="B3"><f>1+1</f><v>2</v></c>',
            "has in cell B3 a formula that is calculated only when the file is opened",
        ),
        ('<c r="B3"><v>nan</v></c>', "has in cell B3 a cell in a form"),
        ('<c r="B3"><v>1_0</v></c>', "has in cell B3 a cell in a form"),
        ('<c r="B3"><v>1e999</v></c>', "has in cell B3 a cell in a form"),
        ('<c r="B3"><v> 2 </v></c>', "has in cell B3 a cell in a form"),
        ('<c r="B3" t="q"><v>2</v></c>', None),
    ],
)
def test_a_cell_of_no_spreadsheet_program_is_named(book: Callable[..., Path], cell: str, problem: str | None) -> None:
    path = edited(book(_ROWS), _SHEET, ('<c r="B3" t="n"><v>2</v></c>', cell))
    if problem is None:
        with pytest.raises(SourceError, match=r"t\.xlsx"):
            read(path)
    else:
        assert read(path).problems["age"].startswith(problem)


def test_the_saved_result_of_a_formula_is_its_cell(book: Callable[..., Path]) -> None:
    path = edited(book(_ROWS), "xl/workbook.xml", (' fullCalcOnLoad="1"', ""))
    number = '<c r="B3" t="n"><v>2</v></c>'
    text, empty = (
        f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>' for place, text in (("A3", "b"), ("A4", "c"))
    )
    edited(
        path, _SHEET, (number, '<c r="B3"><f>1+1</f><v>2</v></c>'), (text, '<c r="A3" t="str"><f>B1</f><v>x</v></c>'),
        (empty, '<c r="A4" t="str"><f>""</f><v></v></c>'),
    )  # fmt: skip
    assert columns(path) == {"name": ["a", "x", None], "age": [1, 2, 3]}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('<c r="B3" t="n"><v>2</v></c>', '<c r="A3"><v>2</v></c>'),  # a place twice
        ('<c r="B3" t="n"><v>2</v></c>', '<c r="B9"><v>2</v></c>'),  # of another row
        ('<c r="B3" t="n"><v>2</v></c>', '<c r="é3"><v>2</v></c>'),
        ('<row r="3"', '<row r="2"'),
        ('<row r="3"', '<row r="4"'),
        ('<row r="3"', '<row r="1048577"'),
        ('<c r="A3" t="inlineStr"><is><t>b</t></is></c>', '<c r="A3" t="s"><v>99</v></c>'),
        ('<c r="B3" t="n"', '<c r="B3" s="99"'),
        ("<sheetData>", "<sheetData><row>"),
        ("</sheetData>", '<row r="1048000"><c r="XFD1048000"><v>1</v></c></row></sheetData>'),
    ],
)
def test_a_sheet_with_cells_in_no_order_is_refused(book: Callable[..., Path], before: str, after: str) -> None:
    with pytest.raises(SourceError, match=r"t\.xlsx"):
        read(edited(book(_ROWS), _SHEET, (before, after)))


def test_cells_without_places_lie_one_after_the_other(book: Callable[..., Path]) -> None:
    path = book(_ROWS)
    content = zipfile.ZipFile(path).read(_SHEET).decode()
    plain = re.sub(r'<(c|row) r="[A-Z]*\d+"', r"<\1", content)
    assert columns(edited(path, _SHEET, (content, plain))) == {"name": ["a", "b", "c"], "age": [1, 2, 3]}


def test_names_are_made_for_columns_without_one(book: Callable[..., Path]) -> None:
    found = read(book([[None, "a", "a", "b"], [0, 1, 2, 3], [1, 2, 3, 4]]), rename={"column A": "index"})
    assert found.rows.column_names == ["index", "a", "a_2", "b"]
    assert "'column A'" in found.notes[0]
    assert "a_2" not in found.notes[0]


@pytest.mark.parametrize(
    ("rows", "change", "problem"),
    [
        ([["Patients"], ["a", "b", "c"], [1, 2, 3]], lambda sheet: None, "--header 2 or source.header: 2"),
        ([["P"], [], ["a", "b"], [1, 2]], lambda sheet: sheet.merge_cells("A1:B1"), "--header 3 or source.header: 3"),
        ([["G", None, "c"], ["a", "b", "c"]], lambda sheet: sheet.merge_cells("A1:B1"), "cells A1:B1 of the header"),
        ([["G", "b"], [None, "c"], [1, 2]], lambda sheet: sheet.merge_cells("A1:A2"), "cells A1:A2 of the header"),
        ([["a", "b"], ["kg", "years"], [1, 2], [3, 4]], lambda sheet: None, "row 2 looks like a second line"),
        ([["a", "#N/A"], [1, 2]], lambda sheet: None, "cell B1, a column's name, is an error value"),
        ([], lambda sheet: None, "is empty"),
    ],
)  # fmt: skip
def test_a_header_that_is_not_one_row_is_refused(
    book: Callable[..., Path], rows: Grid, change: Callable[[Worksheet], Any], problem: str
) -> None:
    with pytest.raises(SourceError, match=re.escape(problem)):
        read(book(rows, change))


def test_the_header_is_in_the_row_that_the_source_names(book: Callable[..., Path]) -> None:
    path = book([["Patients of 2020", None], [], ["a", "b"], [1, 2], [3, 4]], lambda sheet: sheet.merge_cells("A1:B1"))
    assert columns(path, header=3) == {"a": [1, 3], "b": [2, 4]}
    with pytest.raises(SourceError, match=r"row 9 has no names"):
        read(path, header=9)


def test_a_table_may_lie_anywhere_and_empty_columns_are_none(book: Callable[..., Path]) -> None:
    def styled(sheet: Worksheet) -> None:
        sheet["H9"].number_format = "0.00"

    rows: Grid = [[], [None, None, "a", None, "b"], [None, None, 1, None, 2], [None, None, 3, None, None]]
    assert columns(book(rows, styled)) == {"a": [1, 3], "b": [2, None]}


def test_hidden_rows_columns_and_blank_rows_are_told(book: Callable[..., Path]) -> None:
    def hide(sheet: Worksheet) -> None:
        sheet.row_dimensions[3].hidden = True
        sheet.column_dimensions["B"].hidden = True

    found = read(book([*_ROWS, [], ["d", 4]], hide))
    assert found.rows["age"].to_pylist() == [1, 2, 3, 4]
    said = " ".join(found.notes)
    for phrase in (
        "1 hidden or filtered rows, such as row 3",
        "hidden columns are read, too, such as 'age'",
        "1 blank rows, such as row 5",
    ):
        assert phrase in said


def test_a_sheet_is_named_if_there_are_several(book: Callable[..., Path]) -> None:
    def more(sheet: Worksheet) -> None:
        workbook = sheet.parent
        workbook.create_sheet("Codes").append(["c"])
        workbook["Codes"].append([5])
        workbook["Codes"].sheet_state = "hidden"
        workbook.create_sheet("Empty")
        workbook.create_chartsheet("Chart")

    path = book(_ROWS, more)
    with pytest.raises(SourceError, match=r"several sheets with cells, 'Sheet', 'Codes' \(hidden\): give --sheet or"):
        read(path)
    with pytest.raises(SourceError, match=r"sheet 'Code' is not there.*Did you mean 'Codes'"):
        read(path, sheet="Code")
    with pytest.raises(SourceError, match=r"'Chart' is a chart"):
        read(path, sheet="Chart")
    found = read(path, sheet="Codes")
    assert found.rows.to_pydict() == {"c": [5]}
    assert "is hidden: it is read" in found.notes[0]


def test_an_empty_sheet_beside_needs_no_name(book: Callable[..., Path]) -> None:
    assert columns(book(_ROWS, lambda sheet: sheet.parent.create_sheet("Sheet2")))["age"] == [1, 2, 3]


def test_a_row_of_totals_is_no_person(book: Callable[..., Path]) -> None:
    def total(sheet: Worksheet) -> None:
        made = ExcelTable(displayName="T", ref="A1:B4")
        made.totalsRowCount = 1
        sheet.add_table(made)

    with pytest.raises(SourceError, match=r"table 'T' in cells A1:B4 has a row of totals"):
        read(book(_ROWS, total))


def test_an_entity_or_a_bomb_is_refused(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = '<!DOCTYPE x [<!ENTITY e "b">]><worksheet'
    with pytest.raises(SourceError, match="has an XML document type declaration"):
        read(edited(shared, _SHEET, ("<worksheet", bomb)))
    monkeypatch.setattr(package, "_HARMLESS", 1000)
    path = edited(shared, _SHEET, (bomb, "<worksheet"))
    path = edited(path, "xl/sharedStrings.xml", ("<t>a</t>", f"<t>{'a' * 1_000_000}</t>"))
    with pytest.raises(SourceError, match=r"unpacks to more than 200 times"):
        read(path)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"\xd0\xcf\x11\xe0rest", "has a password, or is of the older format .xls"),
        (b"name,age\n", "is not a workbook"),
        (b"", "is not a workbook"),
    ],
)
def test_other_content_is_refused(tmp_path: Path, content: bytes, problem: str) -> None:
    path = tmp_path / "t.xlsx"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=problem):
        read(path)


def test_a_damaged_package_is_refused(book: Callable[..., Path]) -> None:
    path = book(_ROWS)
    content = path.read_bytes()
    rng = random.Random(1)
    refused = 0
    for _ in range(60):
        place = rng.randrange(len(content))
        path.write_bytes(content[:place] + bytes([content[place] ^ (1 << rng.randrange(8))]) + content[place + 1 :])
        try:
            found = read(path)
        except SourceError:
            refused += 1
        else:
            assert found.problems or found.rows.to_pydict() == {"name": ["a", "b", "c"], "age": [1, 2, 3]}
    assert refused


def test_a_cell_that_two_readers_read_differently_is_named(shared: Path) -> None:
    path = edited(shared, "xl/sharedStrings.xml", ("<t>b</t>", "<t> b</t>"))
    found = read(path)
    assert found.problems["name"].startswith("has in cell A3 a cell that two readers of workbooks read differently")
    assert found.rows["age"].to_pylist() == [1, 2, 3]


def test_the_missing_package_is_named(book: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    import_module = builtins.__import__

    def without(name: str, *more: Any) -> Any:
        if name == "python_calamine":
            raise ImportError
        return import_module(name, *more)

    path = book(_ROWS)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(SourceError, match=re.escape("pip install 'starcloak[excel]'")):
        read(path)


def test_several_workbooks_are_one_table(tmp_path: Path) -> None:
    files = {}
    for number, cells in enumerate(([1, None], [1.5, "x"])):
        workbook = openpyxl.Workbook()
        assert workbook.active is not None
        workbook.active.append(["a", "b"])
        workbook.active.append(cells)
        files[tmp_path / f"{number}.xlsx"] = tmp_path / f"{number}.xlsx"
        workbook.save(tmp_path / f"{number}.xlsx")
    found = workbooks.read_all(files, "*.xlsx", sheet=None, header=None, rename={})
    assert found.rows.to_pydict() == {"a": [1.0, 1.5], "b": [None, "x"]}


def _cell(rng: random.Random, kind: int) -> Any:
    if rng.random() < 0.1:
        return None
    match kind:
        case 0:
            return rng.choice(["0012", "1.10", "x", "é", "a b", "=A1", "-"])
        case 1:
            return rng.randrange(-(10**14), 10**14)
        case 2:
            return round(rng.uniform(-1, 1) * 10 ** rng.randrange(-8, 14), 4) or 1.0
        case 3:
            return date(1900, 3, 1) + timedelta(rng.randrange(2_900_000))
        case 4:
            return datetime(1900, 3, 1) + timedelta(milliseconds=rng.randrange(10**14))
        case 5:
            return rng.random() < 0.5
    return time(rng.randrange(24), rng.randrange(60), rng.randrange(60), rng.randrange(1000) * 1000)


def _seen(cell: Any, *, near: type) -> Any:
    """A cell of openpyxl as starcloak reads the column."""
    if isinstance(cell, datetime):
        cell = datetime(1899, 12, 30) + timedelta(
            milliseconds=round((cell - datetime(1899, 12, 30)) / timedelta(milliseconds=1))
        )
        return cell.date() if near is date else cell
    if isinstance(cell, time):
        return cell.replace(microsecond=round(cell.microsecond, -3) % 1_000_000)
    return near(cell) if near in (int, float) and cell is not None else cell


@pytest.mark.parametrize("seed", range(6))
def test_every_cell_of_random_workbooks_is_that_of_another_reader(book: Callable[..., Path], seed: int) -> None:
    rng = random.Random(seed)
    kinds = [rng.randrange(7) for _ in range(rng.randrange(2, 9))]
    rows = [[_cell(rng, kind) for kind in kinds] for _ in range(rng.randrange(1, 60))]
    rows = [row for row in rows if any(cell is not None for cell in row)]

    def plain(sheet: Worksheet) -> None:
        for row in sheet.iter_rows():
            for cell in row:
                if isinstance(cell.value, str):
                    cell.data_type = "s"

    path = book([[f"c{number}" for number in range(len(kinds))], *rows], plain)
    found = read(path, header=1)
    assert not found.problems
    sheet = openpyxl.load_workbook(path).active
    assert sheet is not None
    independent = list(zip(*sheet.iter_rows(min_row=2, values_only=True), strict=True))
    assert found.rows.num_rows == len(rows)
    for name, cells, given in zip(found.rows.column_names, independent, zip(*rows, strict=True), strict=True):
        read_cells = found.rows[name].to_pylist()
        near = next((type(cell) for cell in read_cells if cell is not None), str)
        assert read_cells == [_seen(cell, near=near) for cell in cells]
        assert [cell is None for cell in read_cells] == [cell is None for cell in given]
