"""A release in a workbook: every cell as it was verified, no formula, nothing of the source beside the rows."""

from __future__ import annotations

import builtins
import zipfile
from collections import Counter
from collections.abc import Callable
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pyarrow
import pytest

import starcloak as sc
from starcloak.base.errors import OutputError, VerificationError
from starcloak.releases.targets import rows_file
from starcloak.releases.targets import workbook as target
from tests.commands.cli.conftest import starcloak
from tests.commands.cli.jobs import Done

__all__ = ["starcloak"]

_TEXTS = [
    "=1+1",
    " lead",
    "trail ",
    "a\nb",
    "x\ry",
    "é😀",
    "_x000D_",
    "<b>&\"'",
    "#N/A",
    "0012",
    "http://a.b",
    "\x01",
    "+3",
]
_ROWS = 2 * len(_TEXTS)


def _source(path: str) -> None:
    """A workbook of people, with a cell of each kind."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    book.properties.creator = "SECRET author"
    book.properties.title = "SECRET title"
    sheet.title = "SECRET sheet"
    sheet.append(["name", "zip", "age", "day", "moment", "clock", "truth", "real", "note"])
    for number in range(_ROWS):
        day = date(1960 + number, 2, 1 + number)
        row: list[Any] = [
            f"SECRET {number}",
            f"0{number % 2}123",
            number % 3,
            day,
            datetime(2020, 1, 1 + number, 4, 5, 6),
        ]
        row += [time(number % 24, 30), number % 5 == 0, number / 7, f"n{number}"]
        sheet.append([cell if (number * 7 + place) % 11 or place < 3 else None for place, cell in enumerate(row)])
    book.save(path)


def _job(**more: Any) -> dict[str, Any]:
    return {
        "source": {"path": "people.xlsx"},
        "identifiers": ["name"],
        "quasi_identifiers": {"zip": {"digits": 5}, "age": "suppress"},
        "keep": ["day", "moment", "clock", "truth", "real", "note"],
        "requirement": {"k": 3},
        "output": {"path": "release.xlsx"},
        **more,
    }


def _cells(path: str) -> tuple[list[str], Counter[tuple[Any, ...]]]:
    """Names and rows of a workbook, by another reader."""
    sheet = openpyxl.load_workbook(path).active
    assert sheet is not None
    names, *rows = sheet.iter_rows(values_only=True)
    return [str(name) for name in names], Counter(tuple(map(_plain, row)) for row in rows)


def _plain(cell: Any) -> Any:
    if type(cell) is date:
        return datetime.combine(cell, time())
    return float(cell) if type(cell) is int else cell


def test_every_released_cell_is_that_of_the_result(work: Path) -> None:
    _source("people.xlsx")
    release = sc.run(_job())
    names, rows = _cells("release.xlsx")
    memory = sc.run(_job(output=None)).to_arrow()
    assert names == memory.column_names
    assert rows == Counter(tuple(map(_plain, row.values())) for row in memory.to_pylist())
    assert sc.run(_job()).result.unchanged
    content = Path("release.xlsx").read_bytes()
    sc.run(_job(), force=True)
    assert Path("release.xlsx").read_bytes() == content
    with zipfile.ZipFile("release.xlsx") as archive:
        for name in archive.namelist():
            part = archive.read(name)
            assert b"SECRET" not in part
            assert b"<f>" not in part
    assert release.to_arrow().schema.field("day").type == pyarrow.date32()
    assert sc.audit({"path": "release.xlsx"}, quasi_identifiers=["zip", "age"]).rows == _ROWS
    assert sc.check({"path": "release.xlsx"}, ["zip", "age"], k=3).holds
    later = sc.run(_job(output={"path": "later.csv"}, against=["release.xlsx"]))
    assert "release.xlsx" in later.result.model_dump_json()


def test_texts_leave_as_texts(work: Path) -> None:
    rows = [{"zip": "1", "text": text} for text in _TEXTS]
    job = {"quasi_identifiers": {"zip": "suppress"}, "keep": ["text"], "requirement": {"k": 2}}
    sc.run({**job, "output": {"path": "release.xlsx"}}, frame=pyarrow.Table.from_pylist(rows))
    sheet = openpyxl.load_workbook("release.xlsx").active
    assert sheet is not None
    assert {cell.data_type for row in sheet.iter_rows() for cell in row} == {"s"}
    read = sc.run({**job, "source": {"path": "release.xlsx"}, "output": None}).to_arrow()
    assert sorted(read["text"].to_pylist()) == sorted(_TEXTS)


@pytest.mark.parametrize(
    ("kind", "value", "problem"),
    [
        ("varchar", "''", "texts that are empty"),
        ("varchar", "repeat('x', 32768)", "texts that are empty, of more than 32,767 characters"),
        ("varchar", "repeat('😀', 16384)", "of more than 32,767 characters"),
        ("varchar", "'<r>x</r>'", "characters that a workbook lacks"),
        ("varchar", "chr(65535)", "characters that a workbook lacks"),
        ("bigint", "1000000000000000", "whole numbers of more than 15 digits"),
        ("hugeint", "-1000000000000000", "whole numbers of more than 15 digits"),
        ("decimal(18, 3)", "123456789012345.678", "numbers of more than 15 digits"),
        ("double", "'nan'", "NaN, infinities or negative zeros"),
        ("double", "'-0.0'::double", "NaN, infinities or negative zeros"),
        ("float", "'inf'", "NaN, infinities or negative zeros"),
        ("date", "'1900-02-28'", "dates before March 1900"),
        ("date", "'10000-01-01'", "dates before March 1900 or after 9999"),
        ("date", "'infinity'", "dates before March 1900 or after 9999"),
        ("timestamp", "'1899-01-01 10:00:00'", "times before March 1900"),
        ("timestamp", "'2020-01-01 10:00:00.000001'", "finer than a millisecond"),
        ("time", "'10:00:00.0001'", "times finer than a millisecond"),
        ("time", "'24:00:00'", "times finer than a millisecond"),
        ("uuid", "gen_random_uuid()", "a workbook cannot keep column 'kept' of type UUID"),
        ("timestamptz", "'2020-01-01'", "of type TIMESTAMP WITH TIME ZONE"),
        ("integer[]", "[1]", "a workbook cannot keep column"),
    ],
)
def test_a_cell_that_a_workbook_changes_is_refused_before_the_search(
    kind: str, value: str, problem: str, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    duckdb.sql(
        f"copy (select '1' as zip, cast({value} as {kind}) as kept from range(4)) to 'people.parquet' (format parquet)"
    ) if kind not in ("hugeint",) else duckdb.sql(
        "copy (select '1' as zip, cast(-1000000000000000 as bigint) as kept from range(4)) to 'people.parquet'"
    )
    monkeypatch.setattr("starcloak.releases.proposal.search", lambda *_: pytest.fail("searched"))
    job = {"quasi_identifiers": {"zip": "suppress"}, "keep": ["kept"], "requirement": {"k": 2}}
    with pytest.raises(OutputError) as refused:
        sc.run({**job, "source": {"path": "people.parquet"}, "output": {"path": "release.xlsx"}})
    assert problem in str(refused.value)
    assert not Path("release.xlsx").exists()


def _exact(kind: str, *values: str) -> None:
    cells = ", ".join(f"('1', cast({value} as {kind}))" for value in values)
    duckdb.sql(f"copy (select * from (values {cells}) as t (zip, kept)) to 'people.parquet' (format parquet)")


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("double", ["0.1::double + 0.2", "1e300", "-1e-300", "123456789012345678", "2"]),
        ("float", ["0.1", "3", "1e30"]),
        ("decimal(18, 4)", ["1.1000", "-12345678901.2345", "0"]),
        ("utinyint", ["255", "0"]),
        ("date", ["'1900-03-01'", "'9999-12-31'", "'2000-02-29'"]),
        (
            "timestamp",
            ["'1900-03-01 23:59:59.999'", "'9999-12-31 23:59:59.999'", "'2020-01-01'", "'2020-01-01 00:00:00.001'"],
        ),
        ("timestamp_s", ["'2020-01-01 00:00:01'", "'2020-01-01'"]),
        ("time", ["'23:59:59.999'", "'00:00:00'", "'00:00:00.001'"]),
        ("boolean", ["true", "false", "null"]),
        ("varchar", ["repeat('x', 32767)", "repeat('😀', 16383)", "'01'", "null"]),
        ("double", ["null", "null"]),
    ],
)
def test_a_cell_of_each_type_is_verified_as_it_is(kind: str, values: list[str], work: Path) -> None:
    _exact(kind, *values)
    job = {"quasi_identifiers": {"zip": "suppress"}, "keep": ["kept"], "requirement": {"k": 2}}
    read = sc.run({**job, "source": {"path": "people.parquet"}, "output": {"path": "release.xlsx"}})
    assert read.result.released_rows == len(values)


def test_a_row_without_values_is_refused(work: Path) -> None:
    Path("people.csv").write_text("zip,a\n1,x\n1,y\n,\n,\n")
    job = {"quasi_identifiers": {"zip": "suppress"}, "keep": ["a"], "requirement": {"k": 2}}
    with pytest.raises(OutputError, match="2 rows have no value in any column, and readers"):
        sc.run({**job, "source": {"path": "people.csv"}, "output": {"path": "release.xlsx"}})


def test_more_rows_or_columns_than_a_sheet_has_are_refused(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _source("people.xlsx")
    for name, problem in (
        ("MOST_ROWS", r"more rows than a sheet \(3\)"),
        ("MOST_COLUMNS", r"more columns than a sheet \(4\)"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(target, name, 4)
            with pytest.raises(OutputError, match=problem):
                sc.run(_job())


def test_a_cell_that_was_written_otherwise_is_not_published(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _source("people.xlsx")
    shown: Callable[..., tuple[str, list[Any]]] = target._shown
    for kind in (float, str, bool):
        changed = {float: lambda cell: cell + 1, str: lambda cell: f"{cell}x", bool: lambda cell: not cell}[kind]

        def other(cells: pyarrow.Array, kind: type = kind, changed: Any = changed) -> tuple[str, list[Any]]:
            form, values = shown(cells)
            return form, [changed(cell) if type(cell) is kind else cell for cell in values]

        monkeypatch.setattr(target, "_shown", other)
        with pytest.raises(VerificationError):
            sc.run(_job())
        assert not Path("release.xlsx").exists()


def test_a_failure_while_it_is_written_leaves_the_release_before(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _source("people.xlsx")
    sc.run(_job())
    before = Path("release.xlsx").read_bytes()

    def fail(*_: Any) -> None:
        raise OSError

    monkeypatch.setattr(target, "_write_sheet", fail)
    with pytest.raises(OutputError, match=r"release\.xlsx cannot be written"):
        sc.run(_job(requirement={"k": 5}))
    assert Path("release.xlsx").read_bytes() == before
    assert {path.name for path in work.iterdir()} >= {"people.xlsx", "release.xlsx"}
    assert not list(work.glob(".*staging*"))


def test_the_missing_package_is_named(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import_module = builtins.__import__

    def without(name: str, *more: Any) -> Any:
        if name == "xlsxwriter":
            raise ImportError
        return import_module(name, *more)

    _source("people.xlsx")
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(OutputError, match=r"pip install 'starcloak\[excel\]'"):
        sc.run(_job())


def test_rows_of_apply_and_mapping_are_a_workbook(work: Path) -> None:
    rows_file.write(pyarrow.table({"zip": ["01", "=2"], "age": [1, None]}), Path("rows.xlsx"), private=True)
    assert _cells("rows.xlsx") == (["zip", "age"], Counter([("01", 1.0), ("=2", None)]))
    assert Path("rows.xlsx").stat().st_mode & 0o077 == 0


def test_commands_take_the_path_of_a_workbook(work: Path, starcloak: Callable[..., Done]) -> None:
    _source("people.xlsx")
    for arguments in (
        ["init", "people.xlsx", "--sheet", "SECRET sheet"],
        ["run", "job.yaml"],
        ["report", "job.yaml", "--into", "report.html"],
        ["audit", "people.xlsx", "--qi", "zip,age", "--header", "1"],
        ["check", "job-release.xlsx", "--qi", "age", "--k", "1"],
    ):
        assert starcloak(*arguments).code == 0, arguments
    assert starcloak("audit", "people.xlsx", "--qi", "zip", "--sheet", "none").code == 2
    with pytest.raises(sc.JobError, match="sheet and header are for a workbook"):
        sc.audit({"dataset": "patients", "sheet": "x"}, quasi_identifiers=["zip"])
    job = Path("job.yaml").read_text()
    assert 'sheet: "SECRET sheet"' in job
    assert 'path: "job-release.xlsx"' in job
    refused = starcloak("compile", "job.yaml")
    assert (refused.code, "use run" in refused.err) == (2, True)
