"""A hierarchy in a workbook is read and checked as one in a CSV file, and its cells as those of a source."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import xlsxwriter

import starcloak as sc
from starcloak.base.errors import HierarchyError, JobError

Rows = list[list[Any]]


def _written(path: Path, *sheets: tuple[str, Rows]) -> Path:
    with xlsxwriter.Workbook(path) as workbook:
        formats = {
            int: workbook.add_format({"num_format": "00000"}),
            date: workbook.add_format({"num_format": "d/m/y"}),
        }
        for name, rows in sheets:
            sheet = workbook.add_worksheet(name)
            for row, cells in enumerate(rows):
                for column, cell in enumerate(cells):
                    sheet.write(row, column, cell, formats.get(type(cell)))
    return path


def test_leaves_are_the_values_that_a_person_sees(tmp_path: Path, dimension: Callable[..., Any]) -> None:
    path = _written(tmp_path / "h.xlsx", ("codes", [[1234, "North", "*"], ["01235", "North ", "*"], ["", "-", "*"]]))
    zips = [("01234", "North", "*"), ("01235", "North", "*"), (None, "-", "*")]
    assert dimension({"csv": str(path)}, ["01234", "01235", None]) == zips
    days = [[date(2020, 2, 29), 2020, "*"], [date(2021, 3, 1), 2021.5, "*"]]
    path = _written(tmp_path / "h.xlsx", ("notes", [["not these"]]), ("days", days))
    assert dimension({"csv": str(path), "sheet": "days"}, [date(2020, 2, 29), date(2021, 3, 1)]) == [
        ("2020-02-29", "02020", "*"),
        ("2021-03-01", "2021.5", "*"),
    ]
    with pytest.raises(HierarchyError, match=r"of 'x': .*h.xlsx has several sheets with cells.*: give sheet,"):
        dimension({"csv": str(path)}, [date(2020, 2, 29)])


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([["a", "*"], ["=1/0", "*"]], "column A has in cell A2 an error value: correct or empty the cell"),
        ([["a", "b", "*"], ["c", "*"]], "row 2: 2 cells, and row 1 has 3: give every row the same number of levels$"),
        ([["a", "*"], ["b"]], "row 2: only one cell: write the levels into the cells beside the value"),
        ([["leaf", "top"], ["a", "*"], ["b", "*"]], "row 1 ends in another value .* header, leave this row out"),
        ([["a", "x", "*"], [], ["a", "y", "*"]], "1 leaves have two parents.*\\(.*h.xlsx, rows 1 and 3\\)"),
    ],
)
def test_a_workbook_with_unclear_lines_is_refused(
    tmp_path: Path, dimension: Callable[..., Any], rows: Rows, problem: str
) -> None:
    path = _written(tmp_path / "h.xlsx", ("h", rows))
    if rows[-1][0] == "=1/0":
        workbook = openpyxl.load_workbook(path)
        workbook["h"]["A2"] = "#DIV/0!"
        workbook.save(path)
    with pytest.raises(HierarchyError, match=f"hierarchy of 'x': .*{problem}"):
        dimension({"csv": str(path)}, ["a"])


@pytest.mark.parametrize(
    ("path", "options"), [("h.xlsx", {"delimiter": ","}), ("h.csv", {"sheet": "h"})], ids=["delimiter", "sheet"]
)
def test_options_of_the_other_kind_of_file_are_refused(path: str, options: dict[str, str]) -> None:
    with pytest.raises(JobError, match=r"leave (delimiter|sheet) out"):
        sc.csv_file(path, **options)
