"""Files and data frames: written by hand or by pyarrow, read back the same way."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pandas
import pyarrow
import pyarrow.parquet

from benchmarks.falsifier import workbooks
from benchmarks.falsifier.case import Case
from benchmarks.falsifier.hosts import Released
from starcloak.commands.release import Release

ARROW = {
    "text": pyarrow.string(),
    "int8": pyarrow.int8(),
    "int16": pyarrow.int16(),
    "int32": pyarrow.int32(),
    "int64": pyarrow.int64(),
    "uint8": pyarrow.uint8(),
    "uint16": pyarrow.uint16(),
    "uint32": pyarrow.uint32(),
    "uint64": pyarrow.uint64(),
    "float32": pyarrow.float32(),
    "float64": pyarrow.float64(),
    "decimal": pyarrow.decimal128(9, 2),
    "wide": pyarrow.decimal128(38, 18),
    "bool": pyarrow.bool_(),
    "date": pyarrow.date32(),
    "timestamp": pyarrow.timestamp("us"),
    "instant": pyarrow.timestamp("us", "UTC"),
    "time": pyarrow.time64("us"),
    "enum": pyarrow.dictionary(pyarrow.int32(), pyarrow.string()),
    "bytes": pyarrow.binary(),
    "list": pyarrow.list_(pyarrow.int32()),
}
# What an object column of a data frame, and pandas' own types, can be.
FRAMES: dict[str, Any] = {
    "text": "object",
    "int32": "int32",
    "int64": "int64",
    "float64": "float64",
    "bool": "bool",
    "date": "object",
    "decimal": pandas.ArrowDtype(ARROW["decimal"]),
    "timestamp": "datetime64[us]",
}
# What JSON has a way to write; dates are texts.
JSON = ("text", "int64", "float64", "bool")
# Other suffixes of files of a kind.
SUFFIXES = {"parquet": "pq", "jsonl": "ndjson"}
# What a source of files may be: one, a packed one, or several by a pattern.
FILES = {"one": 12, "packed": 1, "several": 2}
NULLABLE = {"int32": "Int32", "int64": "Int64", "bool": "boolean"}


def frame(case: Case) -> pandas.DataFrame:
    """The table as a data frame: pandas' own types where they have no missing value or can have one."""
    made = {}
    for at, column in enumerate(case.columns):
        values = [row[at] for row in case.rows]
        kind = FRAMES[column.kind]
        if None in values and column.kind in NULLABLE:
            kind = NULLABLE[column.kind]
        made[at] = pandas.Series(values, dtype=kind)
    table = pandas.DataFrame(made)
    table.columns = pandas.Index(case.names, dtype=object)
    return table


def arrow(case: Case) -> pyarrow.Table:
    """The table as Arrow has it, in the types of its kinds."""
    return pyarrow.Table.from_arrays([_array(case, at) for at in range(len(case.columns))], case.names)


def _array(case: Case, at: int) -> pyarrow.Array:
    kind, cells = case.columns[at].kind, [row[at] for row in case.rows]
    if kind == "enum":
        return pyarrow.array(cells, ARROW[kind].value_type).dictionary_encode()
    if kind == "uuid":  # from its bytes
        return pyarrow.array([None if cell is None else cell.bytes for cell in cells], pyarrow.uuid())
    return pyarrow.array(cells, ARROW[kind])


def _polars(case: Case) -> Any:
    import polars

    return polars.from_arrow(arrow(case))


def _relation(case: Case) -> Any:
    import duckdb

    return duckdb.from_arrow(arrow(case))


def _of_arrow(table: pyarrow.Table) -> pandas.DataFrame:
    """The rows of an Arrow table as they are: a column of whole numbers with gaps is none of fractions."""
    columns = [pandas.Series(column.to_pylist(), dtype="object") for column in table.columns]
    made = pandas.DataFrame(dict(enumerate(columns)))
    made.columns = pandas.Index(table.column_names, dtype=object)
    return made


#: The table as a data frame of each library, and the rows of a release as one of it.
GIVEN: dict[str, Callable[[Case], Any]] = {"pandas": frame, "polars": _polars, "arrow": arrow, "duckdb": _relation}
RETURNED: dict[str, Callable[[Release], pandas.DataFrame]] = {
    "pandas": lambda release: release.to_pandas(),
    "polars": lambda release: _of_arrow(release.to_native().to_arrow()),
    "arrow": lambda release: _of_arrow(release.to_native()),
    "duckdb": lambda release: _of_arrow(release.to_native().to_arrow_table()),
}


def write_parquet(path: Path, case: Case) -> None:
    pyarrow.parquet.write_table(arrow(case), path)


def write_csv(path: Path, case: Case) -> None:
    """Write a CSV by hand: missing cells unquoted, texts quoted where they must be or might be taken for missing."""

    def cell(value: str | None) -> str:
        if value is None:
            return case.missing
        special = f"{case.delimiter}\"'\r\n \t\ufeff"
        if value in ("", case.missing) or any(sign in value for sign in special) or ord(value[0]) % 2:
            return case.quote + value.replace(case.quote, case.quote * 2) + case.quote
        return value

    lines = [case.header or case.names, *case.rows]
    made = "".join(case.delimiter.join(map(cell, line)) + "\n" for line in lines)
    path.write_text(made, encoding=case.encoding or "utf-8", newline="")


def write_lines(path: Path, case: Case) -> None:
    """Write JSON lines: the first has every name, further ones leave some that are missing out.

    Whole numbers stand among fractions, some letters by their numbers, some lines end as on Windows, some are empty.
    """
    names = case.names
    broken = {at for at in range(len(names)) for row in case.rows if isinstance(row[at], float) and row[at] % 1}

    def written(value: Any, at: int, row: int) -> Any:
        whole = at in broken and row % 2 and isinstance(value, float) and abs(value) < 2**53 and not value % 1
        return int(value) if whole and value else value

    lines = []
    for number, row in enumerate(case.rows):
        cells = {
            name: written(cell, at, number)
            for at, (name, cell) in enumerate(zip(names, row, strict=True))
            if cell is not None or number == 0 or (at + number) % 2
        }
        lines.append(json.dumps(cells, ensure_ascii=number % 3 == 1, separators=[None, (",", ":")][number % 2]))
        lines[-1] += ["\n", "\r\n", "\n\n"][number % 3]
    path.write_bytes("".join(lines).encode())


WRITERS = {"csv": write_csv, "parquet": write_parquet, "jsonl": write_lines, "xlsx": workbooks.write}


def read_csv(path: Path) -> Released:
    """The cells of a CSV, each as text; an unquoted empty cell is missing. By hand, and again by Python's reader."""
    content = path.read_bytes().decode("utf-8")
    rows: list[list[str | None]] = [[]]
    at = 0
    while at < len(content):
        if content[at] == '"':
            end = at + 1
            while content[end] != '"' or content[end : end + 2] == '""':
                end += 2 if content[end] == '"' else 1
            rows[-1].append(content[at + 1 : end].replace('""', '"'))
            at = end + 1
        else:
            ends = [place for sign in ",\n" if (place := content.find(sign, at)) >= 0]
            rows[-1].append(content[at : min(ends)] or None)
            at = min(ends)
        if content[at] == "\n":
            rows.append([])
        at += 1
    rows.pop()
    with open(path, encoding="utf-8", newline="") as file:
        seen = [[cell or "" for cell in line] or [""] for line in csv.reader(file, strict=True)]
    if seen != [[cell or "" for cell in line] for line in rows]:
        raise AssertionError("two readers of the CSV differ")
    return Released([name or "" for name in rows[0]], [tuple(row) for row in rows[1:]])


def read_parquet(path: Path) -> Released:
    """The rows of a Parquet file, as pyarrow has them; nanoseconds as texts."""
    rows = pyarrow.parquet.read_table(path)
    columns = []
    for name, kind in zip(rows.column_names, rows.schema.types, strict=True):
        column = rows[name]
        if pyarrow.types.is_timestamp(kind) and kind.unit == "ns":
            texts = column.cast(pyarrow.string()).to_pylist()
            columns.append([text and _shorter(text) for text in texts])
        else:
            columns.append(column.to_pylist())
    return Released(rows.column_names, list(zip(*columns, strict=True)))


READERS = {"csv": read_csv, "parquet": read_parquet, "xlsx": workbooks.read}


def read_frame(table: pandas.DataFrame) -> Released:
    """The rows of a data frame, with what is missing in it as None."""
    rows = [tuple(map(_cell, line)) for line in table.itertuples(index=False, name=None)]
    return Released([str(name) for name in table.columns], rows)


def _cell(value: Any) -> Any:
    if value is None or value is pandas.NA or value is pandas.NaT:
        return None
    if isinstance(value, pandas.Timestamp):
        return _shorter(str(value)) if value.unit == "ns" else value.to_pydatetime()
    if isinstance(value, numpy.ndarray):  # whole numbers with gaps among them are binary fractions there
        return [None if item is None or item != item else int(item) for item in value.tolist()]
    if isinstance(value, numpy.generic):
        value = value.item()
    return None if value != value else value


def _shorter(text: str) -> str:
    """A time without zeros at its end."""
    return text.rstrip("0").rstrip(".") if "." in text else text
