"""Figures 10, 11 and 12 of the Incognito paper: time by size of the quasi-identifier, by k, and of the cube."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import click

from benchmarks.incognito import lands_end
from benchmarks.incognito.algorithms import ALGORITHMS, CUBE, Algorithm, absent, missing, of
from benchmarks.shared import adult
from benchmarks.shared.process import TooLong, helper
from benchmarks.shared.settings import Settings

SEED = 1
FIGURE_10_K = (2, 10)
FIGURE_11_K = (2, 5, 10, 25, 50)
_QUICK_K = (2,)
# A process that took less than this share of the limit is run again.
_REPEATED = 1 / 6
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

    Where ``over`` is given there are no seconds: the process took more than so many, or (``run`` is false) the same
    algorithm already did with fewer attributes or another k.
    """

    table: str
    algorithm: str
    size: int
    k: int
    seconds: tuple[float, ...] = ()
    stages: Mapping[str, float] | None = None
    over: float | None = None
    run: bool = True


def measure(folder: Path, settings: Settings) -> Iterator[dict[str, Any]]:
    """Measure every cell once, though figures share them."""
    ks = _QUICK_K if settings.quick else FIGURE_10_K
    body: dict[str, Any] = {
        "seed": SEED,
        "limit_seconds": settings.limit,
        "tables": {},
        "k_by_size": ks,
        "k_at_fixed": _QUICK_K if settings.quick else FIGURE_11_K,
        "missing": missing(),
        "absent": [] if adult.environment() else [adult.MISSING],
    }
    done: list[Cell] = []
    for table in _tables(folder, settings):
        body["tables"][table.name] = {"sizes": table.sizes, "fixed": table.fixed}
        for algorithm in (each for each in ALGORITHMS if each.accepted):
            done += _cells(table, algorithm, ks, folder, settings)
            yield {**body, "cells": [asdict(cell) for cell in done]}


def _cells(table: Table, algorithm: Algorithm, ks: tuple[int, ...], folder: Path, settings: Settings) -> Iterator[Cell]:
    """An algorithm on a table, by size and by k. What took too long is not run where it would take longer."""
    fixed = []
    for k in ks:
        over = False
        for size in table.sizes:
            cell = _cell(table, algorithm, size, k, folder, settings, run=not over)
            over = cell.over is not None
            fixed += [over] if size == table.fixed else []
            yield cell
    for k in () if settings.quick else FIGURE_11_K:
        if k not in ks:
            yield _cell(table, algorithm, table.fixed, k, folder, settings, run=not any(fixed))


def table(body: Mapping[str, Any]) -> str:
    """The figures as Markdown tables: medians of seconds, one row per algorithm."""
    cells = {_key(cell): cell for cell in body["cells"]}
    lines = [
        "Seconds of compress, star and search: medians. A cell whose process took more than the limit is '> limit'; in "
        "brackets one that was not run, since the same algorithm took longer with fewer attributes or another k.",
        *absent(body["missing"]),
        *(f"\n{reason}." for reason in body["absent"]),
    ]
    for name, place in body["tables"].items():
        names = list(dict.fromkeys(cell["algorithm"] for cell in body["cells"] if cell["table"] == name))
        for k in body["k_by_size"]:
            title = f"Figure 10: {name}, k = {k}, by size of the quasi-identifier"
            rows = {each: [cells[name, each, size, k] for size in place["sizes"]] for each in names}
            lines += _grid(title, place["sizes"], rows)
        rows = {each: [cells[name, each, place["fixed"], k] for k in body["k_at_fixed"]] for each in names}
        lines += _grid(f"Figure 11: {name}, {place['fixed']} attributes, by k", body["k_at_fixed"], rows)
        if CUBE.name in names:
            lines += _cube(name, body, cells)
    return "\n".join(lines)


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
            parts = cube_seconds(cells[name, CUBE.name, size, body["k_by_size"][0]])
            shown.append("-" if parts is None else f"{parts[part == 'use it']:.2f}")
        lines.append(f"| {part} | {' | '.join(shown)} |")
    return lines


def cube_seconds(cell: Mapping[str, Any]) -> tuple[float, float] | None:
    """Seconds to build the cube and to search with it; None where they are not told apart.

    The stage ``cube`` is a part of the stage ``search``.
    """
    stages = cell["stages"] or {}
    if "cube" not in stages:
        return None
    return stages["cube"], stages["search"] - stages["cube"]


def _grid(title: str, columns: Any, rows: Mapping[str, list[Mapping[str, Any]]]) -> list[str]:
    head = ["", title, "", f"| | {' | '.join(map(str, columns))} |", "|---" + "|---:" * len(columns) + "|"]
    return [*head, *(f"| {name} | {' | '.join(map(_shown, cells))} |" for name, cells in rows.items())]


def _shown(cell: Mapping[str, Any]) -> str:
    if cell["over"] is None:
        return f"{statistics.median(cell['seconds']):.2f}"
    return f"> {cell['over']:g}" if cell["run"] else f"(> {cell['over']:g})"


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


def _cell(
    table: Table, algorithm: Algorithm, size: int, k: int, folder: Path, settings: Settings, *, run: bool
) -> Cell:
    cell = Cell(table.name, algorithm.name, size, k)
    if not run:
        return replace(cell, over=settings.limit, run=False)
    click.echo(f"figures: {table.name}, {algorithm.name}, {size} attributes, k = {k}", err=True)
    path = folder / "searched.yaml"
    path.write_text(json.dumps(of(table.job(size, k), algorithm)), encoding="utf-8")
    seconds: list[float] = []
    stages: dict[str, float] = {}
    while len(seconds) < settings.runs and (not seconds or seconds[0] < settings.limit * _REPEATED):
        try:
            stages = helper(
                "incognito.searched", str(path), folder=folder, environment=table.environment, limit=settings.limit
            )
        except TooLong:
            return replace(cell, over=settings.limit)
        seconds.append(round(sum(stages[stage] for stage in _STAGES), 4))
    return replace(cell, seconds=tuple(seconds), stages={name: round(taken, 4) for name, taken in stages.items()})
