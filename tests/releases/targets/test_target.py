"""What all places of releases share: the origin of their source, and whether a run published."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from starcloak.job import load
from starcloak.releases import state
from starcloak.releases.targets.file import File
from starcloak.releases.targets.memory import Memory
from starcloak.releases.targets.registry import target
from starcloak.releases.targets.target import Target

URL = "duckdb:///clinic.duckdb"


def of_source(**source: Any) -> Target:
    described = {"quasi_identifiers": {"zip": "suppress"}, "requirement": {"k": 2}}
    return target(load({"source": source, "output": {"path": "release.csv"}, **described}))


def test_a_file_outlives_its_run_and_gets_its_rows_from_the_working_store() -> None:
    file = File(Path("release.csv"))
    assert (file.at_source, file.takes_rows, file.lasts, file.may_be_out) == (False, False, True, False)
    assert (Memory().takes_rows, Memory().lasts) == (True, False)


def test_a_ledger_has_the_hash_of_a_table_and_a_keyed_hash_of_a_query(work: Path) -> None:
    table, query = of_source(url=URL, table="visits"), of_source(url=URL, query="select 1 as zip")
    assert table.origin_told == table.origin
    assert query.origin_told.startswith("query-") and query.origin not in query.origin_told


def test_a_release_of_the_same_source_is_known_by_its_origin(work: Path) -> None:
    table, other = of_source(url=URL, table="visits"), of_source(url=URL, table="people")
    query, otherwise = (of_source(url=URL, query=f"select {number} as zip") for number in (1, 2))
    assert table.is_of_source(table.origin_told) and not table.is_of_source("")
    assert table.is_of_source("") is None
    assert table.is_of_source(other.origin_told) is False
    assert query.is_of_source(of_source(url=URL, query="select 1 as zip").origin_told) is True
    assert query.is_of_source(otherwise.origin_told) is False
    assert query.is_of_source(table.origin_told) is False
    told = query.origin_told
    shutil.rmtree(state.folder())  # with its secret
    assert of_source(url=URL, query="select 1 as zip").is_of_source(told) is None


@pytest.mark.parametrize(
    ("known", "staged", "before", "published"),
    [
        (["run"], [], "", True),
        (["run"], ["run"], "", False),
        (["old"], [], "old", False),
        (["other"], [], "old", None),
        (["old"], [], "", None),
        ([], [], "", None),
    ],
)
def test_a_ledger_says_if_a_run_that_ended_had_published(
    known: list[str], staged: list[str], before: str, published: bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = File(Path("release.csv"))
    monkeypatch.setattr(file, "runs_known", lambda: known)
    monkeypatch.setattr(file, "runs_staged", lambda: staged)
    assert file.was_published("run", before=before) is published
