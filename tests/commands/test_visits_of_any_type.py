"""Rows that are visits are noticed whatever the type of the identifier, and so is a column that reveals another."""

from __future__ import annotations

import random
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest

import starcloak as sc
from tests.people import Server

JOB: dict[str, Any] = {
    "identifiers": ["patient_id"],
    "quasi_identifiers": {"age": {"intervals": [5, 10, 20]}, "zip": {"digits": 2}},
    "keep": ["disease"],
    "requirement": {"k": 4},
}
CELLS: dict[str, Callable[[int], Any]] = {
    "integer": lambda person: 1000 + person,
    "float": lambda person: 1000.0 + person,
    "decimal": lambda person: Decimal(f"{1000 + person}.50"),
    "bytes": lambda person: b"\x00\xff%d" % person,
    "text": lambda person: f"P{person}",
}


def visits(cell: Callable[[int], Any]) -> pandas.DataFrame:
    """Four to eight rows of each of 60 persons, whose quasi-identifiers nobody else has."""
    chance = random.Random(4)
    rows = [
        (cell(person), 20 + person % 30, f"{10 + person // 30 * 40}", chance.choice(["flu", "cold"]))
        for person in range(60)
        for _ in range(chance.randint(4, 8))
    ]
    return pandas.DataFrame(rows, columns=["patient_id", "age", "zip", "disease"])


def noticed(release: sc.Release) -> None:
    """Every class is one person, and the run says so."""
    assert [(told.identifier, told.holds) for told in release.result.by_identifier] == [("patient_id", False)]
    assert release.result.by_identifier[0].classes == release.result.by_identifier[0].classes_below == 60
    assert any("a person may have several rows" in warning for warning in release.result.warnings)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", CELLS)
def test_of_a_data_frame(kind: str) -> None:
    noticed(sc.run(JOB, frame=visits(CELLS[kind])))


def test_integers_of_which_one_is_missing() -> None:
    frame = visits(CELLS["integer"])
    frame.loc[0, "patient_id"] = None
    assert frame.patient_id.dtype == "float64"
    noticed(sc.run(JOB, frame=frame))


def test_a_category() -> None:
    noticed(sc.run(JOB, frame=visits(CELLS["text"]).astype({"patient_id": "category"})))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", ["double", "float", "decimal(12, 2)", "blob", "whose", "uuid"])
def test_of_duckdb_and_of_a_file(work: Path, kind: str) -> None:
    cell = {
        "blob": "encode('P' || patient_id)",
        "uuid": "cast(md5(cast(patient_id as varchar)) as uuid)",
        "whose": "cast('P' || patient_id as whose)",
    }.get(kind, f"cast(patient_id as {kind})")
    with duckdb.connect() as connection:
        connection.register("given", visits(CELLS["integer"]))
        connection.execute("create type whose as enum (select distinct 'P' || patient_id from given)")
        rows = connection.sql(f"select * replace ({cell} as patient_id) from given")
        rows.write_parquet("visits.parquet")
        noticed(sc.run(JOB, frame=rows))
    for output in ("cohort.csv", "cohort.parquet"):
        noticed(sc.run({**JOB, "source": {"path": "visits.parquet"}, "output": {"path": output}}))


KINDS = {
    "postgresql": [
        "numeric",
        "numeric(12, 2)",
        "double precision",
        "real",
        "bytea",
        "integer",
        "text",
        "uuid",
        "char(9)",
    ],
    "mariadb": ["decimal(12, 2)", "double", "float", "varbinary(20)", "blob", "integer", "varchar(20)"],
    "sqlite": ["numeric", "real", "blob", "integer", "text"],
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("output", [{"table": "cohort"}, {"path": "cohort.csv"}], ids=str)
def test_of_every_host(work: Path, server: Server, output: dict[str, str]) -> None:
    for kind in KINDS[server.name]:
        cell = CELLS["integer"]
        if kind in ("bytea", "blob", "varbinary(20)"):
            cell = CELLS["bytes"]
        elif kind == "uuid":
            cell = "00000000-0000-0000-0000-{:012d}".format
        types = {"patient_id": kind, "age": "integer", "zip": "varchar(9)", "disease": "varchar(9)"}
        server.fill("visits", visits(cell), types)
        source = {"url": server.url, "table": "visits"}
        noticed(sc.run({**JOB, "source": source, "output": output}, force=True))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", CELLS)
def test_a_kept_birth_of_any_type_reveals_an_age(kind: str) -> None:
    frame = pandas.DataFrame(
        [(CELLS[kind](age), age, f"{10 + row % 7}") for row in range(900) for age in [20 + row % 40]],
        columns=["birth", "age", "zip"],
    )
    job = {
        "quasi_identifiers": {"age": {"intervals": [5, 10, 20], "from": 1}, "zip": {"digits": 2}},
        "keep": ["birth"],
        "requirement": {"k": 5},
    }
    insight = sc.run(job, frame=frame).result.insight
    assert insight is not None
    assert any("'birth'" in line and "'age'" in line for line in insight.otherwise)


@pytest.mark.sampled(3)
def test_a_kept_birth_of_any_type_reveals_an_age_in_every_host(work: Path, server: Server) -> None:
    for kind in KINDS[server.name]:
        if kind == "uuid":
            continue
        cell = CELLS["bytes" if kind in ("bytea", "blob", "varbinary(20)") else "integer"]
        frame = pandas.DataFrame(
            [(cell(age), age, f"{10 + row % 7}") for row in range(900) for age in [20 + row % 40]],
            columns=["birth", "age", "zip"],
        )
        server.fill("people", frame, {"birth": kind, "age": "integer", "zip": "varchar(9)"})
        job = {
            "source": {"url": server.url, "table": "people"},
            "quasi_identifiers": {"age": {"intervals": [5, 10, 20], "from": 1}, "zip": {"digits": 2}},
            "keep": ["birth"],
            "requirement": {"k": 5},
            "output": {"table": "cohort"},
        }
        insight = sc.run(job, force=True).result.insight
        assert insight is not None
        assert any("'birth'" in line and "'age'" in line for line in insight.otherwise), kind


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", ["integer", "float", "decimal", "text"])
def test_a_kept_code_of_persons_puts_their_rows_together(kind: str) -> None:
    job = {**JOB, "identifiers": [], "keep": ["disease", "patient_id"]}
    insight = sc.run(job, frame=visits(CELLS[kind])).result.insight
    assert insight is not None
    assert any(line.startswith("column 'patient_id' is released unchanged, and only a few") for line in insight.remarks)
