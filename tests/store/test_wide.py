"""Tables of a thousand columns and more: the cells of each row stay its own, or one line says what is too wide."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest

import starcloak as sc
from starcloak.base.column import Column
from starcloak.base.errors import InputError
from starcloak.companions.insight import kept_columns
from starcloak.statements.statement import As, Name, Statement
from starcloak.store.session import Session
from starcloak.store.source import Source
from tests.people import Server

#: Kept columns, as many as a host's tables have beside a quasi-identifier.
WIDEST = {"postgresql": 1_500, "mariadb": 1_000, "sqlite": 990}


def wide(kept: int, rows: int = 40) -> pandas.DataFrame:
    cells = {f"kept_{column}": [(row * 7 + column) % 13 for row in range(rows)] for column in range(kept)}
    return pandas.DataFrame({"age": [20 + row % 4 for row in range(rows)], **cells})


def asked(frame: pandas.DataFrame) -> dict[str, Any]:
    return {"quasi_identifiers": {"age": {"intervals": [2, 4]}}, "keep": list(frame.columns[1:])}


def as_rows(frame: pandas.DataFrame) -> Counter[tuple[object, ...]]:
    return Counter(frame.astype(str).itertuples(index=False, name=None))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", ["frame", "csv", "duckdb"])
def test_a_thousand_kept_columns_are_released_as_they_are(kind: str, work: Path) -> None:
    frame = wide(1_000)
    frame.to_csv("wide.csv", index=False)
    with duckdb.connect("wide.duckdb") as connection:
        connection.execute("create table wide as from frame")
    data: Any = {"frame": frame, "csv": "wide.csv", "duckdb": {"url": "duckdb:///wide.duckdb", "table": "wide"}}[kind]
    release = sc.anonymize(data, k=20, **asked(frame))
    assert release.k == 20
    assert as_rows(release.to_pandas()[frame.columns[1:]]) == as_rows(frame[frame.columns[1:]])


@pytest.mark.sampled(3)
def test_a_host_keeps_as_many_columns_as_its_tables_have(server: Server) -> None:
    frame = wide(WIDEST[server.name])
    server.fill("wide", frame, dict.fromkeys(frame.columns, "smallint"))
    place = {"url": server.url, "table": "wide"}
    assert sc.anonymize(place, k=20, **asked(frame), output={"table": "cohort"}).k == 20
    cells = Counter(tuple(map(str, row[1:])) for row in server.rows("select * from cohort"))
    assert cells == as_rows(frame[frame.columns[1:]])


@pytest.mark.sampled(3)
def test_columns_that_are_too_many_for_a_host_are_refused_in_one_line(server: Server) -> None:
    frame = wide(5_000 if server.name == "mariadb" else 2_500, rows=4)
    with pytest.raises(InputError, match="columns") as refused:
        sc.anonymize(frame, k=2, **asked(frame), output={"url": server.url, "table": "cohort"})
    assert "\n" not in str(refused.value)
    assert "cohort" not in server.tables()


CHANGES = {
    "a cell": "update wide set kept_70 = 99 where kept_0 = 1",
    "a missing cell": "update wide set kept_199 = null where kept_0 = 1",
    "cells that changed places": "update wide set kept_3 = kept_4, kept_4 = kept_3 where kept_0 = 1",
}


@pytest.mark.parametrize("change", CHANGES)
def test_cells_of_many_columns_are_told_apart(change: str) -> None:
    """The checksum of 200 columns, of which several are hashed at once; between rows, too."""
    with Session() as session:
        frame = wide(200)
        session.connection.register("given", frame)
        session.connection.execute("create table wide as from given")
        listed = tuple(Column(name, "BIGINT") for name in frame.columns)
        rows = Statement("store/relation", relation=Name("wide"))
        source = Source(session, Name("wide"), listed, listed[:1], "wide", rows)
        summed = Statement("store/source", columns=As(source.checksum, Name("checksum")), origin=rows)
        before = session.row(summed)
        session.connection.execute(CHANGES[change])
        assert session.row(summed) != before


def _look_at_parts(monkeypatch: pytest.MonkeyPatch, *, cells: int) -> None:
    monkeypatch.setattr(kept_columns, "MOST_CELLS", cells)
    monkeypatch.setattr(kept_columns, "CELLS", cells)


def test_of_many_rows_a_column_of_values_of_their_own_is_still_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_columns, "COUNTED_CELLS", 3_000)
    _look_at_parts(monkeypatch, cells=8_000)
    rows = range(6_000)
    frame = pandas.DataFrame(
        {
            "age": [20 + row % 4 for row in rows],
            "own": [row * 7 for row in rows],
            "code": [f"c{row // 5}" for row in rows],
            "half": [row // 2 for row in rows],
        }
    )
    release = sc.anonymize(frame, k=1_500, **asked(frame))
    assert release.result.insight is not None
    said = " ".join(release.result.insight.remarks)
    assert "column 'own' is released unchanged, and nearly every row" in said
    assert "column 'code' is released unchanged, and only a few rows" in said
    assert "column 'half' is released" not in said


def test_of_many_rows_about_as_many_are_said_to_be_alone_as_are(monkeypatch: pytest.MonkeyPatch) -> None:
    _look_at_parts(monkeypatch, cells=2_000)
    frame = pandas.DataFrame(
        {"age": [20 + row % 4 for row in range(8_000)], "pair": [max(row, 2_000) for row in range(8_000)]}
    )
    found = sc.anonymize(frame, k=2_000, **asked(frame)).result.insight
    assert found is not None and found.alone is not None and found.alone.rows is not None
    assert 5_400 < found.alone.rows < 6_600  # 5,999 are
    assert "about" in " ".join(found.remarks)


def test_of_many_rows_every_class_that_shares_a_value_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the part of them shows that is looked at first; those that are missing are a value."""
    _look_at_parts(monkeypatch, cells=2_000)
    rows = range(8_000)
    frame = pandas.DataFrame(
        {
            "age": [row % 400 for row in rows],
            "disease": [None if row % 400 < 6 else "flu" if row % 400 < 13 else f"d{row // 400 % 3}" for row in rows],
            "own": [row * 7 for row in rows],
        }
    )
    job = {"quasi_identifiers": {"age": "suppress"}, "sensitive": ["disease"], "keep": ["own"], "requirement": {"k": 5}}
    insight = sc.run(job, frame=frame).result.insight
    assert insight is not None
    assert "column 'disease': 13 classes, 260 rows in all, have a single value" in " ".join(insight.remarks)
