"""What is read is what is there: every value as another reader has it, or refused by name."""

from __future__ import annotations

import csv
import datetime
import decimal
import io
import random
from pathlib import Path
from typing import Any

import duckdb
import numpy
import pandas
import pyarrow
import pytest
from pyarrow import parquet

from starcloak.base.errors import OutputError, SourceError, StatementError
from starcloak.commands.api import anonymize, check
from starcloak.sources import file_formats
from starcloak.sources.file_formats import csv_rows, parquet_rows
from starcloak.store.resources import Resources
from starcloak.store.session import Session

Rows = list[list[str]]


def read_by_starcloak(session: Session, path: Path) -> Rows | None:
    """The rows of a CSV file without missing values, or None where it is refused."""
    try:
        rows = session.run(csv_rows(path))
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


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (
            "a,b\n1,2\n1,2,\n",
            r"line 3: the line has more or fewer cells than the header \(3, and the header has 2\): put",
        ),
        (
            "Visits of May\n\na,b\n1,2\n",
            "line 3: the line has more or fewer cells .*remove lines above the header",
        ),
        ("a\n1\n1,\n", "line 3: the line has more or fewer cells"),
        ("a,b\n1,2\n1\n", "line 3: the line has more or fewer cells"),
        ('a,b\n1,2\n "1",2\n', "line 3: a quote stands inside an unquoted cell or beside a quoted one"),
        ('a,b\n1,2\n"1" ,2\n', "line 3: a quote stands inside an unquoted cell or beside a quoted one"),
        ('a,b\n1,2\n1,2"\n', "line 3: a quote stands inside an unquoted cell or beside a quoted one"),
        ('a,b\n1,2\n"1"1,2\n', "line 3: a quote stands inside an unquoted cell or beside a quoted one"),
        ('a,b\n1,2\n1,"2\n', "the last quote is not closed"),
        ("a\n1\n\r\n1\n", "its lines have different ends"),
        ("a,b\r\n1,2\n1,2\r\n", "its lines have different ends"),
        ('"a\rb",b\n1,2\n', "the name of a column has a line end"),
        ('\ufeff"a\nb",b\n1,2\n', "the name of a column has a line end"),
        ('"a\nb",b\r\n1,2\r\n', "line 1: the name of a column has a line end"),
    ],
)
def test_what_readers_of_csv_read_differently_is_refused(content: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(content.encode())
    with pytest.raises(SourceError, match=problem) as error:
        check(path, ["a"], 1)
    assert "\n" not in str(error.value)


def test_a_name_with_a_line_end_is_refused_where_a_mark_misleads_a_scripts_reader(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes('"a\nb",c\n1,2\n1,2\n'.encode("utf-16"))
    with pytest.raises(SourceError, match="line 1: the name of a column has a line end"):
        check(path, ["c"], 1)


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
    found = file_formats.examine_records(path, ",")
    monkeypatch.setattr(file_formats, "examine_records", lambda *_, **__: found)
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
    read_by_pandas = pandas.read_csv(out, dtype=str, keep_default_na=False).values.tolist()
    if pandas.__version__ < "3":  # it loses a text that is a zero byte
        assert [row for row in sorted(read_by_pandas) if row[0]] == [
            row for row in expected if row[0] not in ("", "\0")
        ]
    else:
        assert sorted(read_by_pandas) == expected
    types = dict.fromkeys(frame.columns, "VARCHAR")
    read = duckdb.sql("from read_csv($1, header = true, columns = $2, auto_detect = false)", params=[str(out), types])
    assert sorted([cell or "" for cell in row] for row in read.fetchall()) == expected


@pytest.mark.sampled(3)
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


def of(kind: Any, *values: Any) -> Any:
    """An array of a type, with a missing value after its values."""
    return pyarrow.array([*values, None], kind)


def numbered(kind: Any, *values: int) -> Any:
    """An array of a type by the numbers that it is made of."""
    return pyarrow.array(values, pyarrow.int32() if kind.bit_width == 32 else pyarrow.int64()).view(kind)


def stored(kind: Any, *values: Any) -> Any:
    return pyarrow.ExtensionArray.from_storage(kind, of(kind.storage_type, *values))


def decimals(kind: Any) -> Any:
    """The largest numbers of a decimal type, the last of which a binary fraction cannot tell from the one before."""
    with decimal.localcontext(prec=100):
        largest = decimal.Decimal(10**kind.precision - 1).scaleb(-kind.scale)
        return of(kind, largest, largest - decimal.Decimal(1).scaleb(-kind.scale), -largest)


def is_written(kind: Any) -> bool:
    """True if this version of pyarrow writes a type to Parquet: a time of day without a zone, an identifier as one."""
    file = io.BytesIO()
    try:
        parquet.write_table(pyarrow.table({"x": pyarrow.nulls(1, kind)}), file)
    except pyarrow.ArrowNotImplementedError:
        return False
    logical = str(parquet.ParquetFile(file).schema.column(0).logical_type)
    return "isAdjustedToUTC=true" not in logical and (logical == "UUID" or kind != pyarrow.uuid())


def are_early_times_read() -> bool:
    """True if this version of pyarrow, which the engine asks about nanoseconds, reads an INT96 before 1970."""
    file = io.BytesIO()
    parquet.write_table(pyarrow.table({"x": numbered(pyarrow.timestamp("s"), -1)}), file, **INT96)
    return bool(parquet.read_table(file, coerce_int96_timestamp_unit="us")["x"].cast(pyarrow.int64())[0].as_py() < 0)


ZONES = [None, "UTC", "Europe/Berlin"]
UNITS = ["s", "ms", "us", "ns"]
INT96 = {"use_deprecated_int96_timestamps": True}
EARLY = are_early_times_read()

# Columns as pyarrow writes them, whether they are read, and the options of its writer.
PARQUET: list[tuple[Any, bool, dict[str, Any]]] = [
    (of(pyarrow.bool_(), True, False), True, {}),
    *((of(kind, -(2 ** (kind.bit_width - 1)), 2 ** (kind.bit_width - 1) - 1, 0), True, {}) for kind in (
        pyarrow.int8(), pyarrow.int16(), pyarrow.int32(), pyarrow.int64())),
    *((of(kind, 0, 2**kind.bit_width - 1, 2 ** (kind.bit_width - 1)), True, options)
        for options in ({}, {"version": "1.0"})
        for kind in (pyarrow.uint8(), pyarrow.uint16(), pyarrow.uint32(), pyarrow.uint64())),
    *((of(kind, *map(made, (1.5, 65504.0, -0.5, 2.0**-14))), True, {}) for kind, made in (
        (pyarrow.float16(), numpy.float16), (pyarrow.float32(), float), (pyarrow.float64(), float))),
    (of(pyarrow.float32(), 0.1, 0.10000001), True, {}),
    (of(pyarrow.float64(), 5e-324, 0.1 + 0.2, 0.3), True, {}),
    (of(pyarrow.date32(), datetime.date(1, 1, 1), datetime.date(9999, 12, 31)), True, {}),
    (of(pyarrow.date64(), datetime.date(1, 1, 1), datetime.date(9999, 12, 31)), True, {}),
    *((numbered(kind, 1, 2, 86_399), True, {}) for kind in (
        pyarrow.time32("s"), pyarrow.time32("ms"), pyarrow.time64("us"), pyarrow.time64("ns")) if is_written(kind)),
    *((numbered(pyarrow.timestamp(unit, zone), 1, 2, -1), True, {}) for unit in UNITS for zone in ZONES),
    *((numbered(pyarrow.timestamp(unit, zone), 1, 2, -1), EARLY and unit != "ns", INT96)
        for unit in UNITS for zone in ZONES),
    (numbered(pyarrow.timestamp("ns"), 1000, 2000, -1000), EARLY, INT96),
    *([(of(pyarrow.timestamp("us"), datetime.datetime.min, datetime.datetime.max), True, INT96)] if EARLY else []),
    (of(pyarrow.timestamp("us"), datetime.datetime.min, datetime.datetime.max), True, {}),
    (numbered(pyarrow.timestamp("ms"), 2**62, 1), False, {}),
    (numbered(pyarrow.timestamp("us"), 2**63 - 2, 1), True, {}),
    (numbered(pyarrow.timestamp("us"), 2 - 2**63, 1), True, {}),
    *((numbered(pyarrow.duration(unit), 1, 2, -1), True, {}) for unit in UNITS),
    *((decimals(pyarrow.decimal128(*digits)), True, {}) for digits in ((1, 0), (9, 2), (18, 18), (38, 0), (38, 38))),
    *((decimals(pyarrow.decimal256(*digits)), digits[0] <= 38, {}) for digits in (
        (5, 2), (38, 10), (39, 0), (50, 1), (76, 76))),
    *((of(kind, "a", "", "\ufeffa", "a ", "a\0", "é"), True, {}) for kind in (
        pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()) if is_written(kind)),
    (of(pyarrow.binary(), b"a", b"\xff").view(pyarrow.string()), False, {}),
    *((of(kind, b"a\0b", b"\xff\xfe\xfd", b"\\xF"), True, {}) for kind in (
        pyarrow.binary(), pyarrow.large_binary(), pyarrow.binary(3))),
    (of(pyarrow.string(), "a", "b").dictionary_encode(), True, {}),
    (pyarrow.nulls(3), True, {}),
    *([(stored(pyarrow.uuid(), b"0" * 16, b"\xff" * 16), True, {})] if is_written(pyarrow.uuid()) else []),
    *([(stored(pyarrow.json_(), '{"a": 1}', '{"a":1}'), True, {})] if hasattr(pyarrow, "json_") else []),
    (of(pyarrow.list_(pyarrow.int32()), [1], [1, 2], []), True, {}),
    (of(pyarrow.list_(pyarrow.decimal256(50, 0)), [1], [2]), False, {}),
    (of(pyarrow.struct([("a", pyarrow.int32()), ("b", pyarrow.timestamp("ns"))]), {"a": 1, "b": 1}), True, {}),
    (of(pyarrow.struct([("a", pyarrow.int32()), ("b", pyarrow.timestamp("ns"))]), {"a": 1, "b": 1}), False, INT96),
    (of(pyarrow.struct([("a", pyarrow.int32()), ("A", pyarrow.int32())]), {"a": 1, "A": 2}), False, {}),
    (of(pyarrow.map_(pyarrow.string(), pyarrow.int32()), [("a", 1)], [("a", 2)]), True, {}),
]  # fmt: skip


def exactly(array: Any) -> list[Any]:
    """The values of an array, sorted, so that two arrays of the same ones have the same list, whatever their units."""
    if isinstance(array, pyarrow.ChunkedArray):
        array = array.combine_chunks()
    kind = array.type
    if kind == pyarrow.uuid():
        return sorted(map(str, array.drop_null().to_pylist())) + [None] * array.null_count
    if pyarrow.types.is_temporal(kind) and not pyarrow.types.is_date(kind):
        step = {unit: 1000**place for place, unit in enumerate(reversed(UNITS))}[kind.unit]
        values = [None if value is None else value * step for value in array.view(f"int{kind.bit_width}").to_pylist()]
    elif pyarrow.types.is_floating(kind):
        values = [None if value is None else float(value).hex() for value in array.to_pylist()]
    elif pyarrow.types.is_nested(kind):
        values = [str(value) for value in array]
    else:
        values = array.to_pylist()
    return sorted(values, key=lambda value: (value is None, str(value)))


READ: dict[str, list[tuple[Any, dict[str, Any]]]] = {}
for column, is_read, options in PARQUET:
    if is_read:
        READ.setdefault(f"{len(column)} rows {options or ''}", []).append((column, options))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", READ)
def test_parquet_columns_are_read_as_pyarrow_reads_them(name: str, tmp_path: Path) -> None:
    """Those of as many rows, and of one way to write them, are in one file."""
    path, out, options = tmp_path / "t.parquet", tmp_path / "o.parquet", READ[name][0][1]
    columns = {f"{number} {column.type}": column for number, (column, _) in enumerate(READ[name])}
    rows = len(next(iter(columns.values())))
    parquet.write_table(pyarrow.table({**columns, "y": ["a"] * rows}), path, store_schema=False, **options)

    def every(table: Any) -> dict[str, list[Any]]:
        return {name: exactly(table[name]) for name in columns}

    expected = every(parquet.read_table(path, coerce_int96_timestamp_unit="us" if options is INT96 else None))
    with Session(files=[path]) as session:
        assert every(session.arrow(parquet_rows(path))) == expected
    anonymize(path, quasi_identifiers={"y": "suppress"}, keep=list(columns), k=1, output={"path": str(out)})
    assert every(parquet.read_table(out)) == expected
    nameless = ("list", "struct", "map", "binary", "json", "null")
    counted = [name for name, column in columns.items() if not any(kind in str(column.type) for kind in nameless)]
    told = check(path, qids=[{"attributes": [name], "k": 1} for name in counted]).qids if counted else []
    assert [qid.classes for qid in told] == [len(set(expected[name])) for name in counted]


def test_a_parquet_file_without_row_groups_has_no_rows(tmp_path: Path) -> None:
    """An INT96 column has none to look at for nanoseconds."""
    path = tmp_path / "t.parquet"
    with parquet.ParquetWriter(path, pyarrow.schema([("x", pyarrow.timestamp("us"))]), **INT96):
        pass
    with pytest.raises(SourceError, match="has no rows"):
        anonymize(path, quasi_identifiers={"x": "suppress"}, k=1)


REFUSED = [(column, options) for column, is_read, options in PARQUET if not is_read]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("column", "options"), REFUSED, ids=[f"{column.type} {more or ''}" for column, more in REFUSED]
)
def test_a_parquet_column_that_cannot_be_read_exactly_is_refused(
    column: Any, options: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "t.parquet"
    parquet.write_table(pyarrow.table({"x": column, "y": ["a"] * len(column)}), path, store_schema=False, **options)
    for job in ({"keep": ["x"], "quasi_identifiers": {"y": "suppress"}}, {"quasi_identifiers": {"x": "suppress"}}):
        with pytest.raises(SourceError, match=r"'x' (has|is of type)|cannot be read \((Invalid|Conversion|Internal)"):
            anonymize(path, identifiers=["y"] if "keep" not in job else [], k=1, **job)


@pytest.mark.parametrize("names", [["x", "X"], ["x", "x"], ["x", ""]])
def test_names_that_a_parquet_reader_would_change_are_refused(names: list[str], tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    parquet.write_table(pyarrow.Table.from_arrays([pyarrow.array([1])] * 2, names), path)
    for told in ("x", "X_1", "x_1", "C1"):
        with pytest.raises(SourceError, match=r"differ at most in case|has no name"):
            check(path, [told], 1)
