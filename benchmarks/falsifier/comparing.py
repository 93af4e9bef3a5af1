"""A release held against the oracle: rows, report, promises, measures, and what stands beside it."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import duckdb

from benchmarks.falsifier import guarantees, lattices, measured, places, released
from benchmarks.falsifier.case import Case
from benchmarks.falsifier.oracle import FULL_DOMAIN, Oracle
from benchmarks.falsifier.places import RELEASE, TABLE, Places, quoted
from benchmarks.falsifier.released import Matched
from benchmarks.falsifier.running import Made

_LEDGER = "starcloak_releases"


def differences(case: Case, spot: Places, made: Made) -> list[str]:
    """What is wrong with a release and with its report."""
    matched = Matched(Oracle(case), places.read(case, spot, made.table(case)))
    found = released.differences(matched, made.report)
    if found:
        return found
    if matched.oracle.name in FULL_DOMAIN:
        found += lattices.differences(matched.oracle, made.report)
    found += guarantees.differences(matched, made.report)
    found += measured.differences(matched, made.report)
    return found + _tables(case, spot, matched.oracle)


def _tables(case: Case, spot: Places, oracle: Oracle) -> list[str]:
    """Tables beside a release that should not be there, or that are not what they should be."""
    there = spot.target(case) or {}
    if "table" not in there:
        return []
    lite = case.target == "sqlite" or (case.target == "here" and case.source.startswith("sqlite"))
    own = {RELEASE} | ({_LEDGER} if lite else set()) | set(kept_tables(case) if "dimensions" in case.besides else ())
    if case.target == "here":
        own.add(TABLE)
    elif case.target != "fresh":
        own |= {"another"}
    path = Path(there["url"].partition(":///")[2]) if "url" in there else spot.lite if lite else spot.database
    found = {name for name in _names(path, lite=lite) if not name.startswith(places.DIMENSION)}
    if found != own:
        return [f"tables: {sorted(found ^ own)} too many or missing"]
    if "dimensions" in case.besides:
        return _dimensions(case, path, oracle)
    return []


def kept_tables(case: Case) -> list[str]:
    """The dimension tables that stay beside a release."""
    return [f"{RELEASE}_dim_{column.name}" for column in case.quasi_identifiers]


def _names(path: Path, *, lite: bool) -> set[str]:
    if lite:
        file = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        names = {name for (name,) in file.execute("select name from sqlite_master where type in ('table', 'view')")}
        file.close()
        return names
    with duckdb.connect(str(path), read_only=True) as connection:
        return {name for (name,) in connection.execute("select table_name from information_schema.tables").fetchall()}


def _dimensions(case: Case, path: Path, oracle: Oracle) -> list[str]:
    found = []
    file = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    for name, tree in zip(kept_tables(case), oracle.trees, strict=True):
        rows: list[Any] = file.execute(f"select * from {quoted(name)}").fetchall()
        if tree.numeric:  # intervals may have grown between its leaves and its top
            rows = [(row[0], row[-1]) for row in rows]
        if sorted(map(repr, rows)) != sorted(map(repr, tree.paths.values())):
            found.append(f"dimensions: {name} is not its hierarchy")
    file.close()
    return found
