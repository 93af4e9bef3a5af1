"""Five million rows in PostgreSQL: a whole run, from table to table, against PostgreSQL's own GROUP BY over the
quasi-identifiers, its own CREATE TABLE AS of the same release in random order, and a recount of it, written by hand.

The server is started for it, with PostgreSQL's own settings but for fsync, which is off.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import psycopg
from tests import servers

from benchmarks.shared.process import BenchmarkError, run, starcloak
from benchmarks.shared.result import Entry, Figure
from benchmarks.shared.result import table as entries_table
from benchmarks.shared.settings import Settings
from benchmarks.shared.statement import statement
from starcloak.statements.statement import Hole, Name, Number, Query, Statement, columns, lines
from starcloak.store.databases.postgresql.database import PostgreSQL

_ROWS, _QUICK_ROWS = 5_000_000, 20_000
_SEED = 1
_GOAL = 1.3
_SOURCE, _RELEASE, _BY_HAND = Name("persons"), Name("persons_released"), Name("persons_by_hand")

_HIERARCHIES: dict[str, Any] = {
    "age": {"intervals": [5, 10, 20]},
    "sex": "suppress",
    "marital_status": "suppress",
    "education": "suppress",
    "zip": {"digits": 5},
}
# Few combinations of the quasi-identifiers, and one for every six rows.
_CASES = {"few": (4, 50), "many": (5, 5)}


def measure(folder: Path, settings: Settings) -> Iterator[dict[str, Any]]:
    """Measure each case, in pairs of PostgreSQL's own work and a whole run. The two releases are compared, too."""
    if servers.postgresql_programs() is None:
        yield {"entries": [], "skipped": "PostgreSQL is not installed: apt-get install postgresql"}
        return
    rows = _QUICK_ROWS if settings.quick else _ROWS
    entries: list[Entry] = []
    with servers.postgresql() as url, psycopg.connect(url, autocommit=True) as connection:
        click.echo(f"postgresql: drawing {rows:,} people", err=True)
        drawn = statement("persons", table=_SOURCE, seed=Number(_SEED), rows=Number(rows))
        _seconds(connection, drawn)
        connection.execute("vacuum analyze")
        for name, (size, k) in _CASES.items():
            entries.append(_case(name, connection, url, folder, settings, rows=rows, size=size, k=k))
            yield {"entries": [entry.to_dict() for entry in entries], "table": entries_table(entries)}


def table(body: Mapping[str, Any]) -> str:
    """The ratios as a Markdown table."""
    return str(body.get("skipped") or body["table"])


def _case(
    name: str,
    connection: psycopg.Connection,
    url: str,
    folder: Path,
    settings: Settings,
    *,
    rows: int,
    size: int,
    k: int,
) -> Entry:
    attributes = list(_HIERARCHIES)[:size]
    others = [attribute for attribute in _HIERARCHIES if attribute not in attributes]
    job = folder / f"{name}.yaml"
    job.write_text(
        json.dumps(
            {
                "source": {"url": url, "table": _SOURCE.parts[0]},
                "identifiers": ["name", *others],
                "quasi_identifiers": {attribute: _HIERARCHIES[attribute] for attribute in attributes},
                "sensitive": ["disease"],
                "requirement": {"k": k},
                "output": {"table": _RELEASE.parts[0]},
            }
        ),
        encoding="utf-8",
    )
    named = columns(map(Name, attributes))
    grouped = statement("combinations", quasi_identifiers=named, source=_SOURCE)
    recounted = statement("recount", quasi_identifiers=named, release=_BY_HAND)
    seconds: dict[str, list[float]] = {
        each: [] for each in ("run", "group", "create", "recount", "own group", "own", "own recount", "unshuffled")
    }
    reports = []
    for turn in range(settings.runs):
        click.echo(f"postgresql: {name} combinations, run {turn + 1} of {settings.runs}", err=True)
        connection.execute(f"drop table if exists {_RELEASE.sql()}, starcloak_releases")
        command = [*starcloak(), "run", str(job), "--json"]
        done = run(command, folder=folder, environment={})
        seconds["run"].append(done.seconds)
        reports.append(json.loads(done.output))
        levels = reports[-1]["recoding"]["levels"]
        # With PostgreSQL's own settings, then with those of a run, which has more memory for each statement.
        for setting in PostgreSQL.settings:
            connection.execute(setting.encode())
        seconds["group"].append(_seconds(connection, grouped))
        seconds["create"].append(_created(connection, levels, shuffled=True))
        seconds["recount"].append(_seconds(connection, recounted))
        (differing,) = _row(connection, statement("differing", one=_RELEASE, other=_BY_HAND))
        if differing:
            raise BenchmarkError(f"{differing} rows of the release differ from the one that was written by hand")
        seconds["unshuffled"].append(_created(connection, levels, shuffled=False))
        connection.execute("reset all")
        seconds["own group"].append(_seconds(connection, grouped))
        seconds["own"].append(_created(connection, levels, shuffled=True))
        seconds["own recount"].append(_seconds(connection, recounted))
    (combinations,) = _row(connection, grouped)
    figures = (
        _ratio(
            "run / (GROUP BY + CREATE TABLE AS + recount)",
            seconds,
            "group",
            "create",
            "recount",
            goal=None if settings.quick else _GOAL,
        ),
        _ratio("the same, with the settings of the server", seconds, "own group", "own", "own recount"),
        _ratio("the same, with rows in the source's order", seconds, "group", "unshuffled", "recount"),
        _ratio("run / (GROUP BY + CREATE TABLE AS)", seconds, "group", "create"),
        Figure("run", "s", tuple(seconds["run"])),
        Figure("GROUP BY", "s", tuple(seconds["group"])),
        Figure("CREATE TABLE AS", "s", tuple(seconds["create"])),
        Figure("recount", "s", tuple(seconds["recount"])),
        Figure("GROUP BY, with the settings of the server", "s", tuple(seconds["own group"])),
        Figure("CREATE TABLE AS, with the settings of the server", "s", tuple(seconds["own"])),
        Figure("recount, with the settings of the server", "s", tuple(seconds["own recount"])),
        Figure("CREATE TABLE AS, with rows in the source's order", "s", tuple(seconds["unshuffled"])),
    )
    stages = tuple(
        Figure(stage, "s", tuple(report["seconds"][stage] for report in reports))
        for stage in ("open", "compress", "star", "search", "recode", "verify", "publish")
    )
    facts = {
        "rows": rows,
        "combinations": combinations,
        "levels": " ".join(map(str, levels.values())),
        "classes": reports[-1]["measures"]["classes"],
        "seed": _SEED,
        "postgresql": connection.info.server_version,
    }
    what = f"{rows:,} rows in PostgreSQL, {size} quasi-identifiers, {combinations:,} combinations, k = {k}"
    return Entry(name, what, figures, stages, facts)


def _ratio(name: str, seconds: Mapping[str, Sequence[float]], *plain: str, goal: float | None = None) -> Figure:
    """The seconds of each run by those of PostgreSQL's own statements beside it."""
    ratios = (
        mine / sum(own) for mine, own in zip(seconds["run"], zip(*map(seconds.get, plain), strict=True), strict=True)
    )
    return Figure(name, "ratio", tuple(ratios), goal=goal)


def _created(connection: psycopg.Connection, levels: Mapping[str, int], *, shuffled: bool) -> float:
    """Make the release by hand, in place of the one before."""
    connection.execute(f"drop table if exists {_BY_HAND.sql()}")
    released = [*(_generalized(name, level) for name, level in levels.items()), Name("disease")]
    order = lines([statement("order")] if shuffled else [])
    made = statement("by_hand", table=_BY_HAND, columns=columns(released), source=_SOURCE, shuffled=order)
    return _seconds(connection, made)


def _generalized(attribute: str, level: int) -> Hole:
    """An attribute at a level, as somebody would write it."""
    if level == 0:
        return Name(attribute)
    if attribute == "age" and level <= 3:
        width = _HIERARCHIES["age"]["intervals"][level - 1]
        low = f"age / {width} * {width}"
        return Query(f"'[' || {low} || ', ' || {low} + {width} || ')' as age")
    if attribute == "zip":
        return Query(f"left(zip, {5 - level}) || '{'*' * level}' as zip")
    return Query(f"'*' as {attribute}")


def _seconds(connection: psycopg.Connection, timed: Statement) -> float:
    started = time.perf_counter()
    connection.execute(timed.sql().encode())
    return time.perf_counter() - started


def _row(connection: psycopg.Connection, asked: Statement) -> tuple[Any, ...]:
    found = connection.execute(asked.sql().encode()).fetchone()
    assert found is not None
    return found
