"""Figures 10, 11 and 12 of the Incognito paper: time by size of the quasi-identifier, by k, and of the cube."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import click

from benchmarks.incognito import lands_end
from benchmarks.incognito.algorithms import ALGORITHMS, CUBE, Algorithm, absent, missing, of
from benchmarks.shared import adult
from benchmarks.shared.process import TooLong, helper
from benchmarks.shared.result import stamp
from benchmarks.shared.settings import Settings

SEED = 1
FIGURE_10_K = (2, 10)
FIGURE_11_K = (2, 5, 10, 25, 50)
_QUICK_K = (2,)
# A search of fewer seconds is run again.
_ONCE = 60
# What was measured is written after so many seconds: plots take some of their own.
_WRITTEN = 60
# A process may take so many times the limit.
_PATIENCE = 20
_STAGES = ("compress", "star", "search")


@dataclass(frozen=True)
class Table:
    """A table of the figures: its sizes of quasi-identifier, and the one at which k varies."""

    name: str
    job: Callable[[int, int], dict[str, Any]]
    sizes: tuple[int, ...]
    fixed: int
    environment: Mapping[str, str]


@dataclass(frozen=True)
class Cell:
    """An algorithm on a table: seconds of compress, star and search in each run, and the last run's stages.

    ``counts`` are the nodes checked, the reads of the star and the rows aggregated, ``cpu_seconds`` those of each
    process. Where ``over`` is given there are no seconds: the process took more than so many, and the counts are those
    by then; or (``run`` is false) the same algorithm already did with fewer attributes or another k. So it is where it
    was not the time that ran out but the disk (``full``).
    """

    table: str
    algorithm: str
    size: int
    k: int
    seconds: tuple[float, ...] = ()
    stages: Mapping[str, float] | None = None
    over: float | None = None
    full: bool = False
    run: bool = True
    counts: Mapping[str, int] | None = None
    cpu_seconds: tuple[float, ...] = ()
    commit: str | None = None


def measure(folder: Path, settings: Settings) -> Iterator[dict[str, Any]]:
    """Measure every cell once, though figures share them; where it is resumed, those that are not yet there."""
    ks = _QUICK_K if settings.quick else FIGURE_10_K
    body: dict[str, Any] = {
        "seed": SEED,
        "limit_seconds": _PATIENCE * settings.limit,
        "tables": {},
        "k_by_size": ks,
        "k_at_fixed": _QUICK_K if settings.quick else FIGURE_11_K,
        "missing": missing(),
        "absent": [] if adult.environment() else [adult.MISSING],
    }
    tables = _tables(folder, settings)
    for table in tables:
        body["tables"][table.name] = {"sizes": table.sizes, "fixed": table.fixed}
    cells = _before(settings)
    until = None if settings.minutes is None else time.monotonic() + 60 * settings.minutes
    commit, written = stamp("incognito", [])["commit"], time.monotonic()
    for table in tables:
        for algorithm in (each for each in ALGORITHMS if each.accepted):
            for asked in _cells(table, algorithm, ks, settings, cells):
                known = asdict(asked)
                if asked.run and _key(known) not in cells:
                    if until is not None and time.monotonic() > until:
                        yield {**body, "cells": list(cells.values())}
                        return
                    known = asdict(replace(_cell(table, algorithm, asked, folder, settings), commit=commit))
                cells.setdefault(_key(known), known)
                if time.monotonic() - written > _WRITTEN:
                    yield {**body, "cells": list(cells.values())}
                    written = time.monotonic()
    yield {**body, "cells": list(cells.values())}


def _before(settings: Settings) -> dict[tuple[Any, ...], Mapping[str, Any]]:
    """The cells that an earlier run measured, for as long as this one would."""
    path = settings.resume / "incognito-figures.json" if settings.resume else None
    if path is None or not path.exists():
        return {}
    document = json.loads(path.read_text(encoding="utf-8"))
    if document["quick"] != settings.quick or document["limit_seconds"] != _PATIENCE * settings.limit:
        return {}
    return {_key(cell): cell for cell in document["cells"] if cell["run"]}


def _cells(
    table: Table, algorithm: Algorithm, ks: tuple[int, ...], settings: Settings, known: Mapping[Any, Mapping[str, Any]]
) -> Iterator[Cell]:
    """An algorithm on a table, by size and by k. What took too long is not run with more attributes or another k."""
    at_size: dict[int, list[Mapping[str, Any]]] = {}

    def asked(size: int, k: int, before: Sequence[Mapping[str, Any]]) -> Cell:
        cell = Cell(table.name, algorithm.name, size, k)
        for each in before:
            if not each["seconds"]:
                return replace(cell, over=each["over"], full=each.get("full", False), run=False)
        return cell

    for k in ks:
        before: list[Mapping[str, Any]] = []
        for size in table.sizes:
            cell = asked(size, k, [*before, *at_size.setdefault(size, [])])
            yield cell
            before.append(known[_key(asdict(cell))])
            at_size[size] += before[-1:]
    for k in () if settings.quick else FIGURE_11_K:
        if k not in ks:
            yield asked(table.fixed, k, at_size[table.fixed])


def table(body: Mapping[str, Any]) -> str:
    """The figures as Markdown tables: medians of seconds, one row per algorithm."""
    cells = {_key(cell): cell for cell in body["cells"]}
    lines = [
        f"Seconds of compress, star and search: medians of the runs, one run where it took {_ONCE} s. A cell whose "
        "process took more than the limit is '> limit', and 'full' one whose frequency sets did not fit the disk; in "
        "brackets one that was not run, since the same algorithm did not end with fewer attributes or another k. "
        "Counts are nodes checked / reads of the star / rows aggregated, in thousands; of a process that did not end "
        "with ≥, those by then.",
        *absent(body["missing"]),
        *(f"\n{reason}." for reason in body["absent"]),
    ]
    for name, place in body["tables"].items():
        names = list(dict.fromkeys(cell["algorithm"] for cell in body["cells"] if cell["table"] == name))
        for k in body["k_by_size"]:
            title = f"Figure 10: {name}, k = {k}, by size of the quasi-identifier"
            rows = {each: [cells.get((name, each, size, k)) for size in place["sizes"]] for each in names}
            lines += _grid(title, place["sizes"], rows)
        rows = {each: [cells.get((name, each, place["fixed"], k)) for k in body["k_at_fixed"]] for each in names}
        lines += _grid(f"Figure 11: {name}, {place['fixed']} attributes, by k", body["k_at_fixed"], rows)
        if CUBE.name in names:
            lines += _cube(name, body, cells)
    return "\n".join([*lines, *_commits(body["cells"])])


def _commits(cells: Sequence[Mapping[str, Any]]) -> list[str]:
    """What was measured at which commit: a run that goes on measures what is not there yet, on whatever machine."""
    measured: dict[str, dict[str, None]] = {}
    for cell in cells:
        if cell.get("run") and cell.get("commit"):
            algorithms = measured.setdefault(cell["commit"][:12], {})
            algorithms[f"{cell['algorithm']} on {cell['table']}"] = None
    return [
        "",
        "Measured in several goes:",
        "",
        *(f"* at {commit}: {', '.join(each)}" for commit, each in measured.items()),
    ]


def _cube(name: str, body: Mapping[str, Any], cells: Mapping[Any, Mapping[str, Any]]) -> list[str]:
    """What building the cube costs, and using it. A version that does not tell them apart has a dash."""
    sizes = body["tables"][name]["sizes"]
    lines = [
        "",
        f"Figure 12: {name}, k = {body['k_by_size'][0]}",
        "",
        "| | " + " | ".join(map(str, sizes)) + " |",
        "|---" + "|---:" * len(sizes) + "|",
    ]
    for part in ("build the cube", "use it"):
        shown = []
        for size in sizes:
            parts = cube_seconds(cells.get((name, CUBE.name, size, body["k_by_size"][0]), {}))
            shown.append("-" if parts is None else f"{parts[part == 'use it']:.2f}")
        lines.append(f"| {part} | {' | '.join(shown)} |")
    return lines


def cube_seconds(cell: Mapping[str, Any]) -> tuple[float, float] | None:
    """Seconds to build the cube and to search with it; None where they are not told apart.

    The stage ``cube`` is a part of the stage ``search``.
    """
    stages = cell.get("stages") or {}
    if "cube" not in stages:
        return None
    return stages["cube"], stages["search"] - stages["cube"]


def _grid(title: str, columns: Any, rows: Mapping[str, list[Mapping[str, Any] | None]]) -> list[str]:
    """Seconds, and below them what was counted, where it was."""
    head = [f"| | {' | '.join(map(str, columns))} |", "|---" + "|---:" * len(columns) + "|"]
    lines = ["", title, "", *head, *(f"| {name} | {' | '.join(map(_shown, cells))} |" for name, cells in rows.items())]
    if any(cell and cell.get("counts") for cells in rows.values() for cell in cells):
        counted = (f"| {name} | {' | '.join(map(_counted, cells))} |" for name, cells in rows.items())
        lines += ["", f"{title}: counts", "", *head, *counted]
    return lines


def _shown(cell: Mapping[str, Any] | None) -> str:
    if cell is None:
        return ""
    if cell["seconds"]:
        return f"{statistics.median(cell['seconds']):.2f}"
    why = "full" if cell.get("full") else f"> {cell['over']:g}"
    return why if cell["run"] else f"({why})"


def _counted(cell: Mapping[str, Any] | None) -> str:
    if cell is None or not cell.get("counts"):
        return ""
    counts = cell["counts"]
    told = f"{counts['checked']:,} / {counts['scans']:,} / {counts['rows'] / 1000:,.0f}"
    return told if cell["seconds"] else f"≥ {told}"


def _key(cell: Mapping[str, Any]) -> tuple[Any, ...]:
    return cell["table"], cell["algorithm"], cell["size"], cell["k"]


def _tables(folder: Path, settings: Settings) -> list[Table]:
    tables = []
    environment = adult.environment()
    if environment is not None:
        sizes = (3, 4) if settings.quick else tuple(range(3, 10))
        fixed = 4 if settings.quick else 8
        tables.append(Table("Adult", lambda size, k: adult.job(size, k=k), sizes, fixed, environment))
    file = orders(folder, settings)
    sizes = (3, 4) if settings.quick else tuple(range(3, 9))
    fixed = 4 if settings.quick else 6
    tables.append(Table("Lands End", lambda size, k: lands_end.job(file, size, k=k), sizes, fixed, {}))
    return tables


def orders(folder: Path, settings: Settings) -> Path:
    """The Lands End look-alike, drawn once for all sections."""
    file = folder / "orders.parquet"
    if not file.exists():
        rows = lands_end.QUICK_ROWS if settings.quick else lands_end.ROWS
        click.echo(f"drawing {rows:,} orders", err=True)
        helper("incognito.lands_end", str(rows), str(SEED), str(file), folder=folder)
    return file


def _cell(table: Table, algorithm: Algorithm, cell: Cell, folder: Path, settings: Settings) -> Cell:
    """Measure a cell: as many runs as were asked for, and one of what takes long."""
    click.echo(f"figures: {table.name}, {algorithm.name}, {cell.size} attributes, k = {cell.k}", err=True)
    path, limit = folder / "searched.yaml", _PATIENCE * settings.limit
    path.write_text(json.dumps(of(table.job(cell.size, cell.k), algorithm)), encoding="utf-8")
    done: list[Mapping[str, Any]] = []
    seconds: list[float] = []
    while len(done) < settings.runs and (not done or seconds[0] < _ONCE):
        try:
            told = helper("incognito.searched", str(path), folder=folder, environment=table.environment, limit=limit)
        except TooLong:
            return replace(cell, over=limit)
        if not told["ended"]:
            return replace(cell, over=None if told["full"] else limit, full=told["full"], counts=told["counts"])
        done.append(told)
        seconds.append(round(sum(told["stages"][stage] for stage in _STAGES), 4))
    return replace(
        cell,
        seconds=tuple(seconds),
        stages={name: round(taken, 4) for name, taken in done[-1]["stages"].items()},
        counts=done[-1]["counts"],
        cpu_seconds=tuple(each["cpu_seconds"] for each in done),
    )
