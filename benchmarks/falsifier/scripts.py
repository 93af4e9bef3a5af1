"""The compiled script of a release, run by the database's bare client."""

from __future__ import annotations

import shutil
import sqlite3
from collections import Counter
from typing import Any

import duckdb

import starcloak as sc
from benchmarks.falsifier import hosts
from benchmarks.falsifier.case import Case
from benchmarks.falsifier.places import RELEASE, Places, Released
from benchmarks.falsifier.released import unread
from benchmarks.falsifier.values import FLOATS, text


def fits(case: Case) -> bool:
    """Whether one client can do both halves, and its rows can be read here: DuckDB's UTF-16 ends at U+FFFF."""
    if case.k_map is not None:  # whose people no script counts
        return False
    if case.encoding == "utf-16" and "\\U" in ascii((case.rows, case.columns)):
        return False
    return case.is_file or case.source in ("duckdb", "query") or (case.host == "sqlite" and case.target == "here")


def run(case: Case, job: dict[str, Any], spot: Places) -> Released:
    """The rows that the script makes: of SQLite in a copy of the source's file, else what it selects in the end."""
    host = spot.host(case)
    if host is not None and case.host == "sqlite":
        script = sc.compile(job)
        copy = spot.folder / "copy.sqlite"
        shutil.copy(host.place, copy)
        file = sqlite3.connect(copy)
        file.executescript(script)
        file.close()
        made = hosts.file(copy).read(RELEASE)
        copy.unlink()
        return made
    script = sc.compile({key: value for key, value in job.items() if key not in ("output", "keep_dimensions")})
    with duckdb.connect(":memory:" if host is None else host.place, read_only=host is not None) as connection:
        statements = connection.extract_statements(script)
        for statement in statements[:-2]:
            connection.execute(statement)
        if statements[-1].query.strip(" ;\n") != "commit" or "select *" not in statements[-2].query:
            raise AssertionError("the script does not end with its rows")
        return hosts.fetched(connection, "from starcloak_release")


def differences(case: Case, released: Released, scripted: Released) -> list[str]:
    """Rows of the script that are not those of the release."""
    if _texts(case, released) != _texts(case, scripted):
        return ["script: its rows are not those of the release"]
    return []


def _texts(case: Case, released: Released) -> Counter[tuple[str | None, ...]]:
    kinds = [column.kind for column in case.released]
    return Counter(
        tuple(_text(cell, kind, case.target) for cell, kind in zip(row, kinds, strict=True)) for row in released.rows
    )


def _text(cell: Any, kind: str, target: str) -> str | None:
    """A cell as text; NaN is missing, as it is in a data frame."""
    if cell is None or cell != cell or (kind in FLOATS and cell == "nan"):
        return None
    if unread(kind, target):
        return "?"
    return cell if isinstance(cell, str) else text(cell, kind)
