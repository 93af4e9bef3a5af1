"""Wide tables, two real ones and one of a million rows: what local recodings keep of them, and after how long."""

from __future__ import annotations

import csv
import statistics
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import duckdb

from benchmarks.shared.process import ROOT, TooLong, anonymize
from benchmarks.shared.settings import Settings

TABLES = ("creditcard", "mach2019")
MISSING = "the wide tables are not at hand: put creditcard_int… and mach2019_int… into ../shared/data/high-dimensional"
K = 5
#: ARX's published best local recoding, with rows left out: the granularity, and the seconds on another machine.
ARX = {"creditcard": (0.451, 1263), "mach2019": (0.634, 2283)}
WAYS: dict[str, dict[str, Any]] = {
    "sweep": {"algorithm": {"name": "sweep"}},
    "sweep, improve: 60": {"algorithm": {"name": "sweep", "improve": 60}},
    "mondrian": {"algorithm": {"name": "mondrian"}},
    "witness, rows left out": {"algorithm": {"name": "witness"}, "requirement": {"k": K, "suppression": "0.99"}},
}
_QUICK = ("sweep",)
#: A made table: its rows, of which hardly two are equal, and its columns.
MILLION, _ROWS = "million", 1_000_000
_NUMBERS, _NAMES = 10, 10
_LARGE_WAYS = ("sweep", "mondrian")


def folder() -> Path | None:
    """Where they are."""
    place = ROOT.parent / "shared" / "data" / "high-dimensional"
    return place if (place / "creditcard_int.csv").is_file() else None


def job(place: Path, table: str) -> dict[str, Any]:
    """Anonymize one with respect to all of its columns."""
    path = place / f"{table}_int.csv"
    with path.open(encoding="utf-8", newline="") as file:
        names = next(csv.reader(file, delimiter=";"))
    return {
        "source": {"path": str(path), "delimiter": ";"},
        "quasi_identifiers": {name: {"csv": str(place / f"{table}_int_hierarchy_{name}.csv")} for name in names},
        "requirement": {"k": K},
    }


def million(into: Path) -> dict[str, Any]:
    """Write the made table, and anonymize it with respect to all of its columns.

    Its rows are of sixty groups: ten numbers lie about one of each group's, ten names are its own in three of five.
    """
    numbers = [
        f"least(99, greatest(0, mode * {7 * number} % 100 + (random() + random() + random() - 1.5) * 40))::integer"
        for number in range(1, 1 + _NUMBERS)
    ]
    names = [
        f"if(random() < 0.6, mode * {3 * name + 1} % {4 + 2 * name}, floor(random() * {4 + 2 * name}))::integer"
        for name in range(_NAMES)
    ]
    columns = [
        *(f"{cell} as number_{at}" for at, cell in enumerate(numbers, 1)),
        *(f"{cell} as name_{at}" for at, cell in enumerate(names, 1)),
    ]
    path = into / f"{MILLION}.csv"
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute("select setseed(0.5)")
        connection.execute(
            f"copy (select {', '.join(columns)} from "
            f"(select floor(random() * 60)::integer as mode from range({_ROWS}))) to '{path}'"
        )
    return {
        "source": {"path": str(path)},
        "quasi_identifiers": {
            **{f"number_{at}": {"intervals": [5, 10, 20, 40]} for at in range(1, 1 + _NUMBERS)},
            **{f"name_{at}": "suppress" for at in range(1, 1 + _NAMES)},
        },
        "requirement": {"k": K},
    }


def measure(into: Path, settings: Settings) -> Iterator[dict[str, Any]]:
    """Measure each way on each table, with as many seeds as there are runs."""
    place = folder()
    if place is None:
        yield {"skipped": MISSING}
        return
    cells: list[dict[str, Any]] = []
    for table in TABLES[:1] if settings.quick else (*TABLES, MILLION):
        made = million(into) if table == MILLION else job(place, table)
        for name in _QUICK if settings.quick else _LARGE_WAYS if table == MILLION else WAYS:
            asked = {**made, **WAYS[name]}
            cells.append({"table": table, "algorithm": name, **_cell(asked, f"{table}, {name}", into, settings)})
            yield {"seeds": settings.runs, "k": K, "limit_seconds": settings.limit, "cells": cells}


def _cell(asked: Mapping[str, Any], what: str, into: Path, settings: Settings) -> dict[str, Any]:
    done = []
    for seed in range(1, 1 + settings.runs):
        click.echo(f"wide: {what}, seed {seed}", err=True)
        try:
            done.append(anonymize({**asked, "seed": seed}, folder=into, output=f"{seed}.csv", limit=settings.limit))
        except TooLong:
            return {"skipped": f"> {settings.limit:g} s"}
    return {
        "skipped": None,
        "granularity": [1 - run.report["measures"]["loss"] for run in done],
        "process, s": [round(run.seconds, 1) for run in done],
        "CPU, s": [round(run.cpu_seconds, 1) for run in done],
        "peak memory, GB": [round(run.peak_memory / 1e9, 3) for run in done],
        "star, s": [round(run.report["seconds"]["star"], 2) for run in done],
        "search, share": [run.report["seconds"]["search"] / run.report["seconds"]["total"] for run in done],
    }


def table(body: Mapping[str, Any]) -> str:
    """Medians over the seeds."""
    if "skipped" in body:
        return f"skipped: {body['skipped']}"
    measures = ("granularity", "process, s", "CPU, s", "peak memory, GB", "star, s", "search, share")
    lines = [
        f"All columns are quasi-identifiers, k = {body['k']}; all rows are kept unless it says so; medians of "
        f"{body['seeds']} seeds. Granularity is 1 for the table as it is and 0 where every cell is *. "
        "The million rows of 20 columns are made, and hardly two of them are equal.",
        "",
        f"| table | algorithm | {' | '.join(measures)} |",
        "|---|---|" + "---:|" * len(measures),
    ]
    for cell in body["cells"]:
        shown = (
            [cell["skipped"], *[""] * (len(measures) - 1)]
            if cell["skipped"]
            else [f"{statistics.median(cell[of]):.{4 if of == 'granularity' else 2}f}" for of in measures]
        )
        lines.append(f"| {cell['table']} | {cell['algorithm']} | {' | '.join(shown)} |")
    for name in (table for table in TABLES if any(cell["table"] == table for cell in body["cells"])):
        granularity, seconds = ARX[name]
        lines.append(
            f"| {name} | ARX, published, other machine, rows left out | {granularity:.3f} | {seconds:,} | | | | |"
        )
    return "\n".join(lines)
