"""Where rows lie: sources written and releases read back, by other means than the engine's."""

from __future__ import annotations

import csv
import hashlib
import sqlite3
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import Any

import duckdb
import numpy
import pandas
import pyarrow
import pyarrow.parquet

from benchmarks.falsifier.case import Case, Column, Row
from benchmarks.falsifier.values import KINDS, SPELLED, domain

TABLE = 'peo"ple'
RELEASE = "co hort"
DIMENSION = "dim "
ARROW = {
    "text": pyarrow.string(),
    "int8": pyarrow.int8(),
    "int16": pyarrow.int16(),
    "int32": pyarrow.int32(),
    "int64": pyarrow.int64(),
    "uint8": pyarrow.uint8(),
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
NULLABLE = {"int32": "Int32", "int64": "Int64", "bool": "boolean"}
LITE = {"text": "text", "int64": "integer", "float64": "real", "bytes": "blob"}


def kinds(source: str) -> list[str]:
    """The kinds of columns that a source can have."""
    known: dict[str, list[str]] = {
        "csv": ["text"],
        "parquet": list(ARROW),
        "frame": list(FRAMES),
        "sqlite": list(LITE),
        "sqlite-query": list(LITE),
    }
    return known.get(source, list(KINDS))


@dataclass(frozen=True)
class Places:
    """The files of one job, in a folder of its own."""

    folder: Path

    @property
    def inputs(self) -> Path:
        return self.folder / "in [a]"

    @property
    def outputs(self) -> Path:
        return self.folder / "out"

    @property
    def database(self) -> Path:
        return self.inputs / "source's.duckdb"

    @property
    def cube(self) -> Path:
        return self.outputs / "cube.duckdb"

    @property
    def lite(self) -> Path:
        return self.inputs / "source.sqlite"

    def source(self, case: Case) -> dict[str, str] | None:
        """The source as a job names it; none for a data frame."""
        csv_options = {"delimiter": case.delimiter, "null": case.missing}
        query = f"select * from {quoted(TABLE)}; -- people"
        known: dict[str, dict[str, str] | None] = {
            "csv": {"path": str(self.inputs / "people.csv"), **csv_options},
            "parquet": {"path": str(self.inputs / "people.parquet")},
            "duckdb": {"url": f"duckdb:///{self.database}", "table": TABLE},
            "query": {"url": f"duckdb:///{self.database}", "query": query},
            "sqlite": {"url": f"sqlite:///{self.lite}", "table": TABLE},
            "sqlite-query": {"url": f"sqlite:///{self.lite}", "query": query.partition(";")[0]},
            "frame": None,
        }
        return known[case.source]

    def target(self, case: Case) -> dict[str, str] | None:
        """The output as a job names it; none for memory."""
        known: dict[str, dict[str, str] | None] = {
            "memory": None,
            "csv": {"path": str(self.outputs / "cohort.csv")},
            "parquet": {"path": str(self.outputs / "cohort.parquet")},
            "duckdb": {"url": f"duckdb:///{self.outputs / 'there.duckdb'}", "table": RELEASE},
            "fresh": {"url": f"duckdb:///{self.outputs / 'fresh.duckdb'}", "table": RELEASE},
            "here": {"table": RELEASE},
            "sqlite": {"url": f"sqlite:///{self.outputs / 'there.sqlite'}", "table": RELEASE},
        }
        return known[case.target]

    def prepare(self, case: Case) -> None:
        """Write the source, the files of hierarchies, and the database that the release goes to."""
        for folder in (self.inputs, self.outputs):
            folder.mkdir(exist_ok=True)
        for at, column in enumerate(case.quasi_identifiers):
            if isinstance(column.hierarchy, dict) and "csv" in column.hierarchy:
                with open(self.hierarchy(at), "w", encoding="utf-8", newline="") as file:
                    # Quoted, lest U+FEFF in the first cell be taken for a byte order mark.
                    csv.writer(file, delimiter=";", quoting=csv.QUOTE_ALL).writerows(column.hierarchy["csv"])
        if case.target == "duckdb":
            with duckdb.connect(str(self.outputs / "there.duckdb")) as there:
                there.execute("create table another as select 1 as a")
        if case.target == "sqlite":
            lite = sqlite3.connect(self.outputs / "there.sqlite")
            lite.execute("create table another as select 1 as a")
            lite.commit()
            lite.close()
        self.rewrite(case)

    def hierarchy(self, at: int) -> Path:
        return self.inputs / f"hierarchy {at}.csv"

    def _write(self, case: Case, dimensions: dict[str, list[Row]]) -> None:
        """Write the source."""
        if case.source == "csv":
            _write_csv(self.inputs / "people.csv", case)
        elif case.source == "parquet":
            pyarrow.parquet.write_table(arrow(case), self.inputs / "people.parquet")
        elif case.source in ("duckdb", "query"):
            with duckdb.connect(str(self.database)) as connection:
                connection.execute("set timezone = 'UTC'")
                _fill_duckdb(connection, case, dimensions)
        elif case.source.startswith("sqlite"):
            file = sqlite3.connect(self.lite)
            _fill(file, case, {column.name: LITE[column.kind] for column in case.columns}, dimensions)
            file.commit()
            file.close()

    def rewrite(self, case: Case) -> None:
        """Write the source anew."""
        self._write(case, {c.name: declared for c in case.quasi_identifiers if (declared := lines(c)) is not None})

    def snapshot(self) -> dict[str, bytes]:
        """Every file of the job with its content."""
        return {str(path): path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}

    @property
    def _own(self) -> set[str]:
        """The files of jobs themselves."""
        return {str(self.inputs / name) for name in ("job.yaml", "roles.yaml")}

    def changed(self, before: dict[str, bytes]) -> list[str]:
        """What is not as it was: files, and what they hold, of databases their tables' rows."""
        after = self.snapshot()
        if after.keys() - self._own != before.keys() - self._own:
            return [f"written: {sorted(after.keys() ^ before.keys())}"]
        found = []
        for name, content in before.items():
            if name not in self._own and after[name] != content:
                copy = self.folder / f"before{Path(name).suffix}"
                copy.write_bytes(content)
                if digest(copy) != digest(Path(name)):
                    found.append(f"written: {name} changed")
                copy.unlink()
        return found

    def strangers(self, case: Case, before: dict[str, bytes]) -> list[str]:
        """Files that a run left beside its release, its ledger and its cube."""
        there = self.target(case) or {}
        expected = {*before, *self._own, str(self.cube)}
        if "path" in there:
            expected |= {there["path"], f"{there['path']}.starcloak.json"}
        elif "url" in there:
            expected.add(there["url"].partition(":///")[2])
        left = {str(path) for path in self.folder.rglob("*") if path.is_file()} - expected
        return [f"leftover: {sorted(left)}"] if left else []


def dimension(name: str) -> str:
    """The dimension table of a quasi-identifier."""
    return f"{DIMENSION}{name.encode().hex()}"


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


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
    table.columns = pandas.Index([column.name for column in case.columns], dtype=object)
    return table


def arrow(case: Case) -> pyarrow.Table:
    """The table as Arrow has it, in the types of its kinds."""
    arrays = [
        pyarrow.array([row[at] for row in case.rows], ARROW[column.kind].value_type).dictionary_encode()
        if column.kind == "enum"
        else pyarrow.array([row[at] for row in case.rows], ARROW[column.kind])
        for at, column in enumerate(case.columns)
    ]
    return pyarrow.Table.from_arrays(arrays, [column.name for column in case.columns])


def lines(column: Column) -> list[Row] | None:
    declared = column.hierarchy
    return declared["table"] if isinstance(declared, dict) and "table" in declared else None


def _write_csv(path: Path, case: Case) -> None:
    """Write a CSV by hand: missing cells unquoted, texts quoted where they must be or might be taken for missing."""

    def cell(value: str | None) -> str:
        if value is None:
            return case.missing
        if (
            value in ("", case.missing)
            or any(sign in value for sign in f'{case.delimiter}"\r\n \t\ufeff')
            or ord(value[0]) % 2
        ):
            return '"' + value.replace('"', '""') + '"'
        return value

    lines = [[column.name for column in case.columns], *case.rows]
    made = "".join(case.delimiter.join(map(cell, line)) + "\n" for line in lines)
    path.write_text(made, encoding="utf-8", newline="")


def _fill_duckdb(connection: duckdb.DuckDBPyConnection, case: Case, dimensions: dict[str, list[Row]]) -> None:
    types = {}
    for at, column in enumerate(case.columns):
        kind = KINDS[column.kind]
        if column.kind == "enum":
            members = [value for value in domain(row[at] for row in case.rows) if value is not None]
            listed = ", ".join("'" + member.replace("'", "''") + "'" for member in [*members, "never seen"])
            kind = f"ENUM({listed})"
        types[column.name] = kind
    _fill(connection, case, types, dimensions)


def _fill(connection: Any, case: Case, types: dict[str, str], dimensions: dict[str, list[Row]]) -> None:
    tables = {TABLE: (types, case.rows)}
    for name, lines in dimensions.items():
        widest = max((len(line) for line in lines), default=1)
        tables[dimension(name)] = ({f"level {at}": "text" for at in range(widest)}, tuple(lines))
    for table, (shape, rows) in tables.items():
        columns = ", ".join(f"{quoted(name)} {kind}" for name, kind in shape.items())
        connection.execute(f"drop table if exists {quoted(table)}")
        connection.execute(f"create table {quoted(table)} ({columns})")
        if rows:
            places = ", ".join(f"({', '.join('?' * len(shape))})" for _ in rows)
            connection.execute(f"insert into {quoted(table)} values {places}", [cell for row in rows for cell in row])


@dataclass(frozen=True)
class Released:
    """A release as it was read back: ``types`` are those of its place, as texts; those of a CSV are unknown."""

    names: list[str]
    types: list[str]
    rows: list[Row]


def read(case: Case, places: Places, table: pandas.DataFrame | None = None) -> Released:
    """Read a release, by the place it went to; ``table`` is that of a release in memory."""
    there = places.target(case)
    if table is not None or there is None:
        assert table is not None
        return _read_frame(table)
    if case.target == "csv":
        return read_csv(Path(there["path"]))
    if case.target == "parquet":
        return _read_parquet(there["path"])
    path = Path(there["url"].partition(":///")[2]) if "url" in there else None
    if case.target == "sqlite" or (case.target == "here" and case.source.startswith("sqlite")):
        return read_sqlite(path or places.lite)
    return read_duckdb(path or places.database)


def _read_parquet(path: str) -> Released:
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
    return Released(rows.column_names, list(map(str, rows.schema.types)), list(zip(*columns, strict=True)))


def _shorter(text: str) -> str:
    """A time without zeros at its end."""
    return text.rstrip("0").rstrip(".") if "." in text else text


def read_duckdb(path: Path, table: str = RELEASE) -> Released:
    with duckdb.connect(str(path), read_only=True) as connection:
        return fetched(connection, f"from {quoted(table)}")


def fetched(connection: duckdb.DuckDBPyConnection, origin: str) -> Released:
    """The rows of a relation of DuckDB.

    Its client reads no instants without pytz, and changes other values: they come as timestamps and texts.
    """
    connection.execute("set timezone = 'UTC'")
    described = connection.execute(f"describe {origin}").fetchall()
    names, types = [line[0] for line in described], [line[1] for line in described]
    columns = []
    for name, kind in zip(names, types, strict=True):
        spelled = kind in [KINDS[each] for each in SPELLED]
        cast = "timestamp" if kind == KINDS["instant"] else "varchar" if spelled else kind
        columns.append(f"cast({quoted(name)} as {cast})" if cast != kind else quoted(name))
    rows = connection.execute(f"select {', '.join(columns)} {origin}").fetchall()
    instants = [at for at, kind in enumerate(types) if kind == KINDS["instant"]]
    for place in instants:
        rows = [
            tuple(cell.replace(tzinfo=UTC) if at == place and cell else cell for at, cell in enumerate(row))
            for row in rows
        ]
    return Released(names, types, rows)


def read_sqlite(path: Path) -> Released:
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    done = connection.execute(f"select * from {quoted(RELEASE)}")
    names = [name for name, *_ in done.description]
    rows = done.fetchall()
    connection.close()
    return Released(names, [], rows)


def _read_frame(table: pandas.DataFrame) -> Released:
    def cell(value: Any) -> Any:
        if value is None or value is pandas.NA or value is pandas.NaT:
            return None
        if isinstance(value, pandas.Timestamp):
            return _shorter(str(value)) if value.unit == "ns" else value.to_pydatetime()
        if isinstance(value, numpy.ndarray):  # whole numbers with gaps among them are binary fractions there
            return [None if item is None or item != item else int(item) for item in value.tolist()]
        if isinstance(value, numpy.generic):
            value = value.item()
        if value != value:
            return None
        return value

    types = [str(kind) for kind in table.dtypes]
    rows = [tuple(map(cell, line)) for line in table.itertuples(index=False, name=None)]
    return Released([str(name) for name in table.columns], types, rows)


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
    return Released([name or "" for name in rows[0]], [], [tuple(row) for row in rows[1:]])


def digest(path: Path) -> str:
    """What a file holds: of a database, its tables' rows; else its bytes."""
    if path.is_dir():
        return "folder"
    if path.suffix == ".duckdb":
        with duckdb.connect(str(path), read_only=True) as connection:
            tables = connection.execute("select table_name, comment from duckdb_tables() order by all").fetchall()
            held: list[Any] = [
                (name, comment, connection.execute(f"select * from {quoted(name)}").df().to_csv())
                for name, comment in tables
            ]
    elif path.suffix == ".sqlite":
        file = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        held = list(file.iterdump())
        file.close()
    else:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    return hashlib.sha256(repr(held).encode()).hexdigest()
