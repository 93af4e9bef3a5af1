"""Two real tables of 16 and 24 quasi-identifiers: what local recodings keep of them, and after how long."""

from __future__ import annotations

import csv
import statistics
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

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


def measure(into: Path, settings: Settings) -> Iterator[dict[str, Any]]:
    """Measure each way on each table, with as many seeds as there are runs."""
    place = folder()
    if place is None:
        yield {"skipped": MISSING}
        return
    cells: list[dict[str, Any]] = []
    for table in TABLES[:1] if settings.quick else TABLES:
        for name in _QUICK if settings.quick else WAYS:
            asked = {**job(place, table), **WAYS[name]}
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
        f"{body['seeds']} seeds. Granularity is 1 for the table as it is and 0 where every cell is *.",
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
    for name in dict.fromkeys(cell["table"] for cell in body["cells"]):
        granularity, seconds = ARX[name]
        lines.append(
            f"| {name} | ARX, published, other machine, rows left out | {granularity:.3f} | {seconds:,} | | | | |"
        )
    return "\n".join(lines)
