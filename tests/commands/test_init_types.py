"""Every draft of init runs as it is: all column types with missing values, of every kind of source."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pandas
import polars
import pytest
import sqlalchemy

import starcloak as sc
from starcloak.base.errors import SourceError
from starcloak.commands.profile import init
from starcloak.job import Place, load
from tests.people import Server

ROWS = 60

#: A cell of each type of DuckDB, as an expression of ``i``.
DUCKDB = {
    "boolean": "i % 2 = 0", "tinyint": "(i % 9)::tinyint", "integer": "(i % 11)::integer", "bigint": "(i % 9)::bigint",
    "hugeint": "(i % 9)::hugeint", "utinyint": "(i % 9)::utinyint", "ubigint": "(i % 9)::ubigint",
    "float": "case i % 10 when 4 then 'nan'::float else (i % 7)::float end",
    "double": "case i % 10 when 4 then 'nan'::double when 6 then 'inf'::double when 8 then '-inf'::double "
    "else (i % 7) / 2.0 end",
    "zeros": "case i % 10 when 4 then '-0.0'::double else (i % 7) / 2.0 end",
    "all_nan": "case i % 5 when 1 then 'nan'::double end",
    "decimal": "(i % 9)::decimal(18, 3)", "wide": "(i % 9)::decimal(38, 10)", "varchar": "'text ' || i % 9",
    "enumeration": "case i % 2 when 0 then 'a' else 'b' end::enum('a', 'b')",
    "uuid": "('00000000-0000-0000-0000-00000000000' || i % 9)::uuid",
    "date": "date '2020-01-01' + (i % 9)::integer", "time": "make_time(i % 9, 0, 0.0)",
    "timestamp": "timestamp '2020-01-01' + interval 1 day * (i % 9)",
    "timestamp_s": "(timestamp '2020-01-01' + interval 1 day * (i % 9))::timestamp_s",
    "timestamptz": "(timestamp '2020-01-01' + interval 1 day * (i % 9))::timestamptz",
    "timetz": "make_time(i % 9, 0, 0.0)::timetz",
    "interval": "interval 1 day * (i % 9)", "blob": "('b' || i % 9)::blob", "bit": "'0101'::bit",
    "list": "[i % 9]", "struct": "{'a': i % 9}", "map": "map {'a': i % 9}",
    "json": "('{\"a\": ' || i % 9 || '}')::json",
    "array_": "[i % 9, 1]::integer[2]", "union_": "union_value(a := i % 9)",
}  # fmt: skip
PARQUET = {name: cell for name, cell in DUCKDB.items() if name not in ("hugeint", "bit", "union_")}
#: Types whose cells a CSV file has as a text that reads as something else.
CSV = PARQUET
#: Types that frames do not have, or that are refused in them before anything is drafted.
UNREAD = ("enumeration", "timetz", "json", "map")

POSTGRESQL = {
    "boolean": "i % 2 = 0", "smallint": "(i % 9)::smallint", "integer": "i % 11", "bigint": "(i % 9)::bigint",
    "real": "case i % 10 when 4 then 'NaN'::real else (i % 7)::real end",
    "double": "case i % 10 when 4 then 'NaN'::float8 when 6 then 'Infinity' when 8 then '-Infinity' "
    "else i % 7 end::double precision",
    "zeros": "case i % 10 when 4 then '-0'::float8 else i % 7 end::double precision",
    "numeric": "(i % 9)::numeric(12, 3)", "plain_numeric": "case i % 10 when 4 then 'NaN'::numeric else i % 9 end",
    "text": "'text ' || i % 9", "varchar": "('v' || i % 9)::varchar(9)", "padded": "('v' || i % 9)::char(5)",
    "uuid": "('00000000-0000-0000-0000-00000000000' || i % 9)::uuid", "date": "date '2020-01-01' + i % 9",
    "time": "make_time(i % 9, 0, 0.0)", "timestamp": "timestamp '2020-01-01' + interval '1 day' * (i % 9)",
    "timestamptz": "timestamptz '2020-01-01' + interval '1 day' * (i % 9)", "interval": "interval '1 day' * (i % 9)",
    "bytea": "('b' || i % 9)::bytea", "json": "('{\"a\": ' || i % 9 || '}')::json", "jsonb": "'{}'::jsonb",
    "list": "array[i % 9]", "inet": "'10.0.0.1'::inet",
}  # fmt: skip
MARIADB = {
    "boolean": ("boolean", "i % 2"), "tinyint": ("tinyint", "i % 9"), "integer": ("integer", "i % 11"),
    "bigint": ("bigint unsigned", "i % 9"), "float": ("float", "i % 7 / 2"), "double": ("double", "i % 7 / 2"),
    "decimal": ("decimal(12, 3)", "i % 9"), "text": ("text", "concat('text ', i % 9)"),
    "varchar": ("varchar(9)", "concat('v', i % 9)"), "enumeration": ("enum('a', 'b')", "if(i % 2, 'a', 'b')"),
    "date": ("date", "date '2020-01-01' + interval i % 9 day"), "time": ("time", "sec_to_time(i % 9 * 60)"),
    "datetime": ("datetime", "date '2020-01-01' + interval i % 9 day"), "year": ("year", "2000 + i % 9"),
    "blob": ("blob", "concat('b', i % 9)"), "bit": ("bit(4)", "i % 9"),
}  # fmt: skip
SQLITE = {
    "integer": ("integer", "i % 11"), "real": ("real", "case i % 10 when 4 then 9e999 else i % 7 / 2.0 end"),
    "zeros": ("real", "case i % 10 when 4 then -0.0 else i % 7 / 2.0 end"), "text": ("text", "'text ' || i % 9"),
    "date": ("date", "date('2020-01-01', '+' || i % 9 || ' days')"), "blob": ("blob", "cast('b' || i % 9 as blob)"),
    "boolean": ("boolean", "i % 2"), "numeric": ("numeric", "i % 9"),
}  # fmt: skip


def cells(expressions: dict[str, str]) -> str:
    """Columns of cells, of which one of seven is missing."""
    return ", ".join(
        f"case when i % 7 <> {place % 7} then {cell} end as {name}_"
        for place, (name, cell) in enumerate(expressions.items())
    )


def some(expressions: dict[str, Any]) -> list[dict[str, Any]]:
    """All columns, eight at a time: so each is a quasi-identifier if it may be one."""
    names = list(expressions)
    parts = [names[start : start + 8] for start in range(0, len(names), 8)]
    return [{name: expressions[name] for name in {**dict.fromkeys(part), names[0]: None}} for part in parts]


def runs(place: Place | None, frame: Any = None) -> None:
    """Draft a job, load it and run it, without a change."""
    Path("job.yaml").unlink(missing_ok=True)
    drafted = init.draft(place, into=Path("job.yaml"), frame=frame)
    init.write(drafted, Path("job.yaml"))
    release = sc.run(load("job.yaml"), frame=frame) if frame is not None else sc.run("job.yaml")
    assert (release.k or 0) >= 2 and release.result.released_rows


@pytest.mark.sampled(9)
@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("kind", ["duckdb", "parquet", "csv"])
def test_a_draft_of_a_file_runs(work: Path, kind: str, part: int) -> None:
    every = some({"duckdb": DUCKDB, "parquet": PARQUET, "csv": CSV}[kind])[part]
    made = f"select {cells(every)} from range({ROWS}) as numbers(i)"
    with duckdb.connect("t.duckdb") as connection:
        if kind == "duckdb":
            connection.execute(f"create table t as {made}")
        else:
            connection.execute(f"copy ({made}) to 't.{kind}'")
    runs(Place(url="duckdb:///t.duckdb", table="t") if kind == "duckdb" else Place(path=Path(f"t.{kind}")))


def test_a_table_without_a_column_to_generalize_is_refused(work: Path) -> None:
    with duckdb.connect("t.duckdb") as connection:
        connection.execute("create table t as select [1, 2] as list from range(9)")
    with pytest.raises(
        SourceError, match="no column of the table has a type that can be generalized: cast a column in a query"
    ):
        init.draft(Place(url="duckdb:///t.duckdb", table="t"), into=Path("job.yaml"))


@pytest.mark.sampled(6)
@pytest.mark.parametrize("part", range(3))
@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_a_draft_of_a_frame_runs(work: Path, kind: str, part: int) -> None:
    every = some({name: cell for name, cell in PARQUET.items() if name not in UNREAD})[part]
    with duckdb.connect() as connection:
        made = connection.sql(f"select {cells(every)} from range({ROWS}) as numbers(i)")
        table = made.to_arrow_table()
    if kind == "polars" and "interval_" in table.column_names:
        table = table.drop_columns(["interval_"])
    runs(None, {"pandas": table.to_pandas, "polars": lambda: polars.from_arrow(table), "arrow": lambda: table}[kind]())


def test_a_draft_of_objects_of_python_runs(work: Path) -> None:
    """Nullable types of pandas, and objects."""
    numbers = range(ROWS)
    runs(
        None,
        pandas.DataFrame(
            {
                "whole": pandas.array([None if i % 7 == 3 else i % 9 for i in numbers], dtype="Int64"),
                "real": pandas.array([None if i % 7 == 4 else i % 5 / 2 for i in numbers], dtype="Float64"),
                "truth": pandas.array([None if i % 7 == 5 else i % 2 == 0 for i in numbers], dtype="boolean"),
                "text": pandas.array([None if i % 7 == 6 else f"t{i % 9}" for i in numbers], dtype="string"),
                "category": pandas.Categorical([None if i % 7 == 6 else "ab"[i % 2] for i in numbers]),
                "decimal": [None if i % 7 == 1 else Decimal(i % 9) / 4 for i in numbers],
                "date": [None if i % 7 == 2 else datetime.date(2020, 1, 1 + i % 9) for i in numbers],
            }
        ),
    )


@pytest.mark.sampled(3)
@pytest.mark.parametrize("part", range(3))
def test_a_draft_of_postgresql_runs(work: Path, postgresql: Server, part: int) -> None:
    every = some(POSTGRESQL)[part]
    postgresql.execute(f"create table t as select {cells(every)} from generate_series(0, {ROWS - 1}) as numbers(i)")
    runs(Place(url=postgresql.url, table="t"))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("part", range(2))
def test_a_draft_of_mariadb_runs(work: Path, mariadb: Server, part: int) -> None:
    every = some(MARIADB)[part]
    listed = ", ".join(f"{name}_ {kind}" for name, (kind, _) in every.items())
    made = cells({name: cell for name, (_, cell) in every.items()})
    numbers = f"(select seq as i from seq_0_to_{ROWS - 1}) as numbers"
    mariadb.execute(f"create table t ({listed})", f"insert into t select {made} from {numbers}")
    runs(Place(url=mariadb.url, table="t"))


def test_a_draft_of_sqlite_runs(work: Path) -> None:
    listed = ", ".join(f"{name}_ {kind}" for name, (kind, _) in SQLITE.items())
    made = cells({name: cell for name, (_, cell) in SQLITE.items()})
    numbers = f"with recursive numbers(i) as (select 0 union all select i + 1 from numbers where i < {ROWS - 1})"
    engine = sqlalchemy.create_engine("sqlite:///t.sqlite")
    with engine.begin() as connection:
        connection.exec_driver_sql(f"create table t ({listed})")
        connection.exec_driver_sql(f"insert into t {numbers} select {made} from numbers")
    engine.dispose()
    runs(Place(url="sqlite:///t.sqlite", table="t"))


def test_a_frame_that_arrow_cannot_hold_is_refused_by_its_column(work: Path) -> None:
    frame = pandas.DataFrame({"age": range(4), "pairs": [[("a", 1)], [("b", 2)], [(3, "c")], [("d", 4)]]})
    with pytest.raises(SourceError, match="'pairs'"):
        runs(None, frame)


@pytest.mark.parametrize("form", ["%d.%m.%y", "%d-%m-%y"])
def test_a_date_of_birth_with_years_of_two_digits_is_not_cut_like_a_code(form: str, work: Path) -> None:
    """Cut at its stops, it would be a day of a month without the month; cut by digits, a date without its year."""
    days = [f"{datetime.date(1940, 1, 1) + datetime.timedelta(days=97 * number):{form}}" for number in range(150)]
    pandas.DataFrame({"geb. am": days * 3, "m/w": ["m", "w"] * 225}).to_csv("t.csv", index=False)
    init.write(init.draft(Place(path=Path("t.csv")), into=Path("job.yaml")), Path("job.yaml"))
    text = Path("job.yaml").read_text()
    assert "the century would be a guess" in text and load("job.yaml").quasi_identifiers.keys() >= {"geb. am"}
    assert "cut at these" not in text and '"geb. am": {digits' not in text
    assert sc.run("job.yaml").k
