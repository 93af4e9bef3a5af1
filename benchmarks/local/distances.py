"""KACA against the sweep by KACA's own measure: the distortion of the release, with uniform and with height weights."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from benchmarks.shared import adult
from benchmarks.shared.clusterings import ATTRIBUTES_2008, HEIGHT_WEIGHTS, SCHEMA_2008, grid
from benchmarks.shared.process import TooLong, anonymize
from benchmarks.shared.settings import Settings

KS = (2, 5, 10, 25, 50, 100)
_QUICK_KS = (10,)
#: Weights of the distance, and what the report calls its measure.
WEIGHTS: dict[str, tuple[dict[str, Any], str]] = {
    "uniform": ({"scheme": "uniform"}, "distortion_ratio"),
    "height": (HEIGHT_WEIGHTS, "height_distortion_ratio"),
}
ALGORITHMS: dict[str, dict[str, Any]] = {
    "sweep": {"algorithm": {"name": "sweep"}, "objective": {"minimize": "distortion"}},
    "kaca": {"algorithm": {"name": "kaca"}},
}


def measure(folder: Path, settings: Settings) -> Iterator[dict[str, Any]]:
    """Cluster Adult by each weights and k, with as many seeds as there are runs."""
    environment = adult.environment()
    if environment is None:
        yield {"skipped": adult.MISSING}
        return
    cells: list[dict[str, Any]] = []
    for scheme, (weights, measured) in WEIGHTS.items():
        for k in _QUICK_KS if settings.quick else KS:
            for name, asked in ALGORITHMS.items():
                cell: dict[str, Any] = {"weights": scheme, "k": k, "algorithm": name, "skipped": None, "runs": []}
                cells.append(cell)
                for seed in range(1, 1 + settings.runs):
                    click.echo(f"distances: {name}, {scheme}, k = {k}, seed {seed}", err=True)
                    job = {
                        "source": {"dataset": "adult"},
                        "schema": SCHEMA_2008,
                        "quasi_identifiers": list(ATTRIBUTES_2008),
                        "requirement": {"k": k},
                        **asked,
                        "algorithm": {**asked["algorithm"], "weights": weights},
                        "seed": seed,
                    }
                    try:
                        done = anonymize(
                            job, folder=folder, output="release.csv", environment=environment, limit=settings.limit
                        )
                    except TooLong:
                        cell["skipped"] = f"> {settings.limit:g} s"
                        break
                    told = done.report["search"].get("clustering") or {}
                    cell["runs"].append(
                        {
                            "distortion_ratio": done.report["measures"][measured],
                            "farther": told.get("farther"),
                            "search_seconds": done.report["seconds"]["search"],
                            "cpu_seconds": round(done.cpu_seconds, 3),
                        }
                    )
                yield {"attributes": ATTRIBUTES_2008, "seeds": settings.runs, "cells": cells}


def table(body: Mapping[str, Any]) -> str:
    """Means of the distortion ratio, medians of the seconds and of what KACA's neighbours are farther."""
    if "skipped" in body:
        return f"skipped: {body['skipped']}"
    lines = [
        f"Adult, eight attributes, our hierarchies, all rows kept; {body['seeds']} seeds: means of the distortion "
        "ratio, medians of the others. The sweep minimizes distortion with the same weights."
    ]
    ks = sorted({cell["k"] for cell in body["cells"]})
    for scheme in WEIGHTS:
        for title, key in (
            ("distortion ratio", "distortion_ratio"),
            ("search, s", "search_seconds"),
            ("CPU, s", "cpu_seconds"),
            ("farther than the nearest", "farther"),
        ):
            cells = {(cell["algorithm"], cell["k"]): cell for cell in body["cells"] if cell["weights"] == scheme}
            rows = {name: [_shown(cells.get((name, k)), key) for k in ks] for name in ALGORITHMS}
            if cells:
                lines += grid(f"{scheme}: {title}", "k", ks, rows)
    return "\n".join(lines)


def _shown(cell: Mapping[str, Any] | None, key: str) -> str:
    if cell is None or cell["skipped"] or not cell["runs"]:
        return "" if cell is None else str(cell["skipped"] or "")
    found = [run[key] for run in cell["runs"] if run[key] is not None]
    if not found:
        return ""
    average = statistics.mean if key == "distortion_ratio" else statistics.median
    return f"{average(found):.4f}"
