"""Where rows are visits and nobody said so, a question about a table says that k counts rows."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pandas
import pytest

import starcloak as sc

VISITS = pandas.DataFrame(
    {
        "patient_id": [row // 4 for row in range(40)],
        "age": [str(20 + row % 2) for row in range(40)],
        "ward": [str(row % 3) for row in range(40)],
    }
)


def asked_of(kind: str) -> Any:
    if kind == "frame":
        return VISITS
    if kind == "file":
        VISITS.to_csv("visits.csv", index=False)
        return {"path": "visits.csv"}
    connection = sqlite3.connect("visits.sqlite")
    VISITS.to_sql("visits", connection, index=False)
    connection.close()
    return {"url": "sqlite:///visits.sqlite", "table": "visits"}


@pytest.mark.parametrize("kind", ["frame", "file", "table"])
def test_a_check_and_an_audit_say_that_rows_may_not_be_persons(kind: str, work: Path) -> None:
    table = asked_of(kind)
    for notes in (sc.check(table, ["age"], 2).notes, sc.audit(table, ["age"]).notes):
        (said,) = [note for note in notes if "a person may have several rows" in note]
        assert "'patient_id'" in said and "--person patient_id" in said
        assert not any(figure in said for figure in ("10", "40"))


def test_nothing_is_said_where_it_is_known_whose_a_row_is_or_each_is_one_s_own() -> None:
    assert sc.check(VISITS, ["age"], 2, person="patient_id").notes == []
    assert sc.check(VISITS, ["age", "patient_id"], 2).notes == []
    assert sc.check(VISITS.assign(patient_id=range(40)), ["age"], 2).notes == []
    assert sc.check(VISITS[["age", "ward"]], ["age"], 2).notes == []
