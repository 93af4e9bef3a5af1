"""Leaves in another spelling than the column's: matched by value where that is exact, else told."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas
import pyarrow
import pyarrow.parquet
import pytest

import starcloak as sc
from starcloak.base.errors import HierarchyError
from tests.people import Server

MOMENTS = [datetime.datetime(2019, 1, 1), datetime.datetime(2019, 1, 2, 10, 30)]
DAYS = [datetime.date(2019, 1, 1), datetime.date(2019, 1, 2)]
KINDS: dict[str, tuple[Any, list[Any], list[Any]]] = {
    "double": (pyarrow.float64(), [23.0, 24.5], [23, "24.50"]),
    "float": (pyarrow.float32(), [23.0, 0.1], ["23", "0.10"]),
    "whole": (pyarrow.int64(), [23, -4], ["23.0", "-04"]),
    "boolean": (pyarrow.bool_(), [True, False], ["True", "FALSE"]),
    "decimal": (pyarrow.decimal128(10, 2), [Decimal("1.50"), Decimal("-2.00")], ["1.5", -2]),
    "timestamp": (pyarrow.timestamp("us"), MOMENTS, ["2019-01-01", "2019-01-02T10:30"]),
    "date": (pyarrow.date32(), DAYS, ["2019-01-01 00:00:00", "2019-01-02"]),
}


def released(source: Any, leaves: list[Any], **more: Any) -> list[Any]:
    release = sc.anonymize(source, quasi_identifiers={"x": {"tree": {"group": leaves}}}, k=2, **more)
    return sorted(release.to_pandas()["x"])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", KINDS)
def test_leaves_match_by_value_in_frames_and_files(kind: str, tmp_path: Path) -> None:
    type_, values, leaves = KINDS[kind]
    table = pyarrow.table({"x": pyarrow.array(values, type_)})
    assert released(table, leaves) == ["group", "group"]
    pyarrow.parquet.write_table(table, tmp_path / "x.parquet")
    assert released({"path": str(tmp_path / "x.parquet")}, leaves) == ["group", "group"]


COLUMNS = {
    "double": ("double precision", "23.0, 24.5"),
    "decimal": ("numeric(10, 2)", "1.5, -2"),
    "timestamp": ("timestamp", "'2019-01-01 00:00:00', '2019-01-02 10:30:00'"),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", COLUMNS)
def test_leaves_match_by_value_in_databases(kind: str, server: Server) -> None:
    type_, values = COLUMNS[kind]
    if server.name == "sqlite" and kind != "double":
        pytest.skip("SQLite has texts for moments, and numbers of several types for decimals")
    named = "datetime" if server.name == "mariadb" and kind == "timestamp" else type_
    server.execute(f"create table people (x {named})")
    server.execute(*(f"insert into people values ({value})" for value in values.split(", ")))
    job = {
        "source": {"url": server.url, "table": "people"},
        "quasi_identifiers": {"x": {"tree": {"group": KINDS[kind][2]}}},
        "requirement": {"k": 2},
        "output": {"table": "cohort"},
    }
    sc.run(job)
    assert server.rows("select x from cohort") == [("group",), ("group",)]


def test_a_column_that_pandas_made_of_floats_matches_whole_leaves() -> None:
    ages = pandas.DataFrame({"age": [23.0, 24.0, None, 41.0, 42.0, None]})
    leaves = pandas.DataFrame({0: [23, 24, 41, 42, None], 1: ["20-29", "20-29", "40-49", "40-49", None]})
    release = sc.anonymize(ages, quasi_identifiers={"age": leaves}, k=2)
    assert sorted(release.to_pandas()["age"].fillna("")) == ["", "", "20-29", "20-29", "40-49", "40-49"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("values", "leaves", "message"),
    [
        ([1.5, 2.5], ["1.5", "2.4999"], "its type is DOUBLE, whose values read as 23.0"),
        ([1, 2], ["1", "2.4"], "its type is BIGINT, whose values read as 23"),
        ([True, False], ["true", "no"], "its type is BOOLEAN, whose values read as true"),
        (MOMENTS, ["2019-01-01", "2.1.2019 10:30"], "its type is TIMESTAMP, whose values read as 2019-01-31 00:00:00"),
        (["A00.0", "A01"], ["A00.0", " a0.1"], "1 of them differ from a leaf only in case, blanks, dots or quotes"),
        (["A00", "A01"], ["A00", '"A01"'], "1 of them differ from a leaf only in case, blanks, dots or quotes"),
        (
            ["O\u2019Hara", "A01"],
            ["O'Hara", "A01"],
            "1 of them differ from a leaf only in case, blanks, dots or quotes",
        ),
        (["A00.0", "A01"], ["A00.0", "B"], "declare a leaf for each; or"),
    ],
)
def test_what_does_not_match_tells_how_the_column_spells(values: list[Any], leaves: list[Any], message: str) -> None:
    with pytest.raises(HierarchyError, match=message):
        released(pyarrow.table({"x": values}), leaves)


def test_leaves_that_are_one_value_are_declared_twice() -> None:
    ages = pyarrow.table({"x": [23.0, 24.0]})
    with pytest.raises(HierarchyError, match="1 leaves have two parents"):
        sc.anonymize(ages, quasi_identifiers={"x": {"tree": {"b": ["23"], "c": ["23.00", "24"]}}}, k=2)
    # One that reads as the value is meant; the other is a leaf that the source has not.
    kinds = {"x": {"tree": {"b": ["23", "24.0"], "c": ["24"]}}}
    assert sorted(sc.anonymize(ages, quasi_identifiers=kinds, k=2).to_pandas()["x"]) == ["b", "b"]


def test_values_near_a_leaf_are_told_where_the_hierarchy_takes_them_for_missing(tmp_path: Path) -> None:
    codes = pyarrow.table({"icd": ["A00.0", "A00.1", "A001", "a00.0", "A00.1 ", "Z"]})
    (tmp_path / "icd.csv").write_text("A00.0;A00;*\nA00.1;A00;*\n")
    kinds = {"icd": {"csv": str(tmp_path / "icd.csv"), "nonconforming": "missing"}}
    warning, lost = sc.anonymize(codes, quasi_identifiers=kinds, k=2).result.warnings
    assert "4 of 6 cells fit no value of its hierarchy and become missing" in lost and "A00" not in lost
    assert "3 of them differ from a leaf only in case, blanks, dots or quotes" in warning and "A00" not in warning
