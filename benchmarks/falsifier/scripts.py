"""The compiled script of a release, run by the database's bare client."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
from collections import Counter
from contextlib import closing
from fractions import Fraction
from typing import Any

import duckdb

import starcloak as sc
from benchmarks.falsifier import hosts
from benchmarks.falsifier.case import SERVERS, Case
from benchmarks.falsifier.hosts import Database
from benchmarks.falsifier.places import RELEASE, Places, Released
from benchmarks.falsifier.released import unread
from benchmarks.falsifier.values import FLOATS, text


def fits(case: Case) -> bool:
    """Whether one client can do both halves, and its rows can be read here: DuckDB's UTF-16 ends at U+FFFF."""
    if case.of_population or case.reference == "source":  # which no script counts
        return False
    if any(model.get("kind") == "entropy" and Fraction(model["l"]).denominator == 1 for _, model in case.models):
        return False  # where a tie, which is frequent then, fails
    first = (case.header or case.names)[0]
    if case.encoding == "utf-16" and ("\\U" in ascii((case.rows, case.columns)) or case.delimiter in first):
        return False
    named = [str(model["attribute"]) for _, model in case.models if {"order", "values", "hierarchy"} & set(model)]
    if case.host == "sqlite" and any(_reads_otherwise(case, name) for name in named):
        return False
    if case.host in SERVERS:
        return case.target in ("here", case.host)
    return case.is_file or case.source in ("duckdb", "query") or (case.host == "sqlite" and case.target == "here")


def _reads_otherwise(case: Case, name: str) -> bool:
    """Whether SQLite writes one of a column's floating-point numbers otherwise than values are named."""
    column = case.columns[case.place(name)]
    if column.kind not in FLOATS:
        return False
    cells = [cell for cell in case.cells(name) if cell is not None]
    return any(_by_sqlite(cell) != text(cell, column.kind) for cell in cells)


def _by_sqlite(number: float) -> str:
    """A number with the fewest digits, from 15 on, that tell it from others, as SQLite writes them."""
    with closing(sqlite3.connect(":memory:")) as database:
        written = [
            database.execute(f"select printf('%!.{digits}g', ?)", (number,)).fetchone()[0] for digits in (15, 16)
        ]
        last: str = database.execute("select printf('%!.17g', ?)", (number,)).fetchone()[0]
    return next((each for each in written if float(each) == number), last)


def run(case: Case, job: dict[str, Any], spot: Places) -> Released:
    """The rows that the script makes: of SQLite in a copy of the source's file, else what it selects in the end."""
    host = spot.host(case)
    if case.host in SERVERS:
        assert host is not None
        return _on_server(case, sc.compile(job), host)
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


def refused(job: dict[str, Any]) -> list[str]:
    """What is wrong where a job says which share of the cells may be suppressed, which no script counts."""
    try:
        sc.compile({key: value for key, value in job.items() if key not in ("output", "keep_dimensions")})
    except sc.JobError as error:
        right = "a script cannot check max_suppressed when it runs" in str(error)
        return [] if right else [f"script error: {error}"]
    return ["script: it is compiled, where max_suppressed is refused"]


def _on_server(case: Case, script: str, host: Database) -> Released:
    """What the script publishes by the server's own client; nothing of it is left."""
    from tests.people import Server, client

    before = host.tables()
    command = client(Server(str(case.host), host.url))
    assert command is not None, "the server's own client is not installed"
    done = subprocess.run(command, input=script, capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise AssertionError(f"the client ends with {done.returncode}: {done.stderr}")
    made, left = host.read(RELEASE), host.tables() - before - {RELEASE, "starcloak_releases"}
    if left:
        raise AssertionError(f"the script leaves {sorted(left)}")
    host.run(*((f"drop table {host.quoted(name)}", ()) for name in sorted(host.tables() - before)))
    return made


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
