"""What is read is what is there: every value as another reader has it, or refused by name."""

from __future__ import annotations

import csv
import io
import random
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest

from starcloak import source
from starcloak.api import anonymize, check
from starcloak.errors import OutputError, SourceError, StatementError
from starcloak.pipeline import Resources
from starcloak.session import Session

Rows = list[list[str]]


def read_by_starcloak(session: Session, path: Path) -> Rows | None:
    """The rows of a CSV file without missing values, or None where it is refused."""
    try:
        rows = session.run(source.csv_rows(path))
    except (SourceError, StatementError):
        return None
    return [[cell or "" for cell in row] for row in rows]


def read_by_python(path: Path) -> Rows | None:
    """The same by Python's own reader; None for a file that is no rectangle."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as lines:
            header, *rows = csv.reader(lines, strict=True)
    except csv.Error:
        return None
    if len(header) == 1:
        return [row or [""] for row in rows] if all(len(row) < 2 for row in rows) else None
    rows = [row for row in rows if row]
    return rows if all(len(row) == len(header) for row in rows) else None


def a_csv_file(seed: int) -> bytes:
    """A file of awkward cells, with a byte taken out or put in here and there."""
    made = random.Random(seed)
    end = made.choice(["\n", "\n", "\r\n", "\r"])
    columns = made.choice([1, 2, 3])
    cells = ["", "a", '"', 'a"b', ",", "\n", "\r\n", "\r", " ", '" ', "\ufeff", "\0", "\\", "é" * 20]
    rows = [[made.choice(cells) for _ in range(columns)] for _ in range(made.randint(0, 6))]
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator=end, quoting=made.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])).writerows(rows)
    body = text.getvalue()
    if body and made.random() < 0.6:
        place = made.randrange(len(body))
        kept = place + made.choice([0, 1])
        body = body[:place] + made.choice(["", ",", '"', "\n", "\r", " ", '""', ' "x" ']) + body[kept:]
    mark = made.choice(["", "\ufeff"])
    return (mark + ",".join("abc"[:columns]) + end + body).encode()


def test_a_csv_file_is_read_as_python_reads_it_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    read = 0
    with Session(files=[path]) as session:
        for seed in range(500):
            path.write_bytes(a_csv_file(seed))
            found, expected = read_by_starcloak(session, path), read_by_python(path)
            assert found is None or found == expected, path.read_bytes()
            read += found is not None
    assert read > 200


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("a,b\n1,2\n1,2,\n", "line 3: more or fewer cells"),
        ("a\n1\n1,\n", "line 3: more or fewer cells"),
        ("a,b\n1,2\n1\n", "line 3: more or fewer cells"),
        ('a,b\n1,2\n "1",2\n', "line 3: a quote in a cell or beside one"),
        ('a,b\n1,2\n"1" ,2\n', "line 3: a quote in a cell or beside one"),
        ('a,b\n1,2\n1,2"\n', "line 3: a quote in a cell or beside one"),
        ('a,b\n1,2\n"1"1,2\n', "line 3: a quote in a cell or beside one"),
        ('a,b\n1,2\n1,"2\n', "its last quote is not closed"),
        ("a\n1\n\r\n1\n", "lines end in different ways"),
        ("a,b\r\n1,2\n1,2\r\n", "lines end in different ways"),
        ('"a\rb",b\n1,2\n', "a column's name has a line end"),
        ('\ufeff"a\nb",b\n1,2\n', "a column's name has a line end"),
    ],
)
def test_what_readers_of_csv_read_differently_is_refused(content: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(content.encode())
    with pytest.raises(SourceError, match=problem) as error:
        check(path, ["a"], 1)
    assert "\n" not in str(error.value)


def test_no_row_is_lost_where_two_threads_meet_amid_quotes(tmp_path: Path) -> None:
    """DuckDB's second thread, which begins amid quotes, found no row here, and nobody was told."""
    path = tmp_path / "t.csv"
    path.write_bytes(b"a\r\nxx\r\nxx\r\n" + b'""\r\n""""\r\n","\r\n' * 800_000)
    assert path.stat().st_size > 8_000_000
    verdict = check(path, ["a"], 2, resources=Resources(threads=2))
    assert (verdict.rows, verdict.qids[0].classes) == (2 + 3 * 800_000, 4)


def test_rows_that_a_reader_lost_are_missed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a\n" + "x\n" * 6)
    found = source.records.examine(path, ",")
    monkeypatch.setattr(source.records, "examine", lambda *_: found)
    path.write_text("a\n" + "x\n" * 5)
    with pytest.raises(SourceError, match="has 6 rows, and 5 were read"):
        check(path, ["a"], 2)
    with pytest.raises(SourceError, match="has 6 rows, and 5 were read"):
        anonymize(path, quasi_identifiers={"a": "suppress"}, k=2)


def test_a_folder_adds_no_column_to_its_files(tmp_path: Path) -> None:
    path = tmp_path / "year=2020" / "t.csv"
    path.parent.mkdir()
    path.write_text("a\nx\nx\n")
    assert list(anonymize(path, quasi_identifiers={"a": "suppress"}, k=2).to_pandas().columns) == ["a"]


AWKWARD = [
    "a",
    "",
    " ",
    '"',
    ' "x"',
    '"x" ',
    ",",
    "\n",
    "\r",
    "\r\n",
    "\ufeff",
    "\0",
    "\\",
    "#a",
    "\u2028",
    "NULL",
    "é",
]


@pytest.mark.parametrize("columns", [1, 2])
def test_a_released_csv_is_the_same_to_every_reader(columns: int, tmp_path: Path) -> None:
    values = [value for value in AWKWARD if columns > 1 or value != " "]
    frame = pandas.DataFrame({name: values for name in ["x", "y"][:columns]})
    out = tmp_path / "o.csv"
    anonymize(frame, quasi_identifiers={"x": "suppress"}, keep=["y"][: columns - 1], k=1, output={"path": str(out)})
    expected = sorted(frame.values.tolist())
    assert sorted(read_by_python(out) or []) == expected
    assert sorted(pandas.read_csv(out, dtype=str, keep_default_na=False).values.tolist()) == expected
    types = dict.fromkeys(frame.columns, "VARCHAR")
    read = duckdb.sql("from read_csv($1, header = true, columns = $2, auto_detect = false)", params=[str(out), types])
    assert sorted([cell or "" for cell in row] for row in read.fetchall()) == expected


@pytest.mark.parametrize("blank", [None, " ", "\t "])
def test_a_released_csv_has_no_empty_line(blank: Any, tmp_path: Path) -> None:
    """pandas leaves out such lines, and so the rows that they are."""
    frame = pandas.DataFrame({"x": ["a", "a", blank, blank]})
    out = tmp_path / "o.csv"
    with pytest.raises(OutputError, match="release to Parquet, or keep another column"):
        anonymize(frame, quasi_identifiers={"x": "suppress"}, k=2, output={"path": str(out)})
    assert list(tmp_path.iterdir()) == []
    anonymize(frame, quasi_identifiers={"x": "suppress"}, k=2, output={"path": str(out.with_suffix(".parquet"))})
    anonymize(frame.assign(y=1), quasi_identifiers={"x": "suppress"}, keep=["y"], k=2, output={"path": str(out)})


@pytest.mark.parametrize("name", ["\ufeffx", "x\ry"])
def test_a_name_that_readers_of_csv_change_is_refused(name: str, tmp_path: Path) -> None:
    frame = pandas.DataFrame({name: ["a", "a"]})
    with pytest.raises(OutputError, match="rename the column"):
        anonymize(frame, quasi_identifiers={name: "suppress"}, k=2, output={"path": str(tmp_path / "o.csv")})
    out = tmp_path / "o.parquet"
    anonymize(frame, quasi_identifiers={name: "suppress"}, k=2, output={"path": str(out)})
    assert list(pandas.read_parquet(out).columns) == [name]
