"""A recount, a rollup, and a rollup without its join, side by side (LeFevre, DeWitt, Ramakrishnan 2005, section 3)."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from benchmarks.incognito import lands_end
from benchmarks.incognito.figures import orders
from benchmarks.incognito.ways import WAYS
from benchmarks.shared import adult
from benchmarks.shared.process import helper
from benchmarks.shared.settings import Settings

SEED = 1
K = 2
SIZES = (5, 7, 9)
_QUICK_SIZES = (4,)
_NODES = 128
_QUICK_NODES = 8
_OF_ORDERS = 6
_NODES_OF_ORDERS = 8


def measure(folder: Path, settings: Settings) -> Iterator[dict[str, Any]]:
    """Count the same nodes in each way, of Adult by some sizes, and of the orders."""
    cells: list[dict[str, Any]] = []
    environment = adult.environment()
    if environment is None:
        yield {"skipped": adult.MISSING}
        return
    nodes = _QUICK_NODES if settings.quick else _NODES
    asked = [("Adult", size, adult.job(size, k=K), nodes) for size in (_QUICK_SIZES if settings.quick else SIZES)]
    if not settings.quick:
        job = lands_end.job(orders(folder, settings), _OF_ORDERS, k=K)
        asked.append(("Lands End", _OF_ORDERS, job, _NODES_OF_ORDERS))
    for name, size, job, many in asked:
        click.echo(f"rollups: {name}, {size} attributes", err=True)
        path = folder / "ways.yaml"
        path.write_text(json.dumps(job), encoding="utf-8")
        arguments = (str(path), str(many), str(settings.runs), str(SEED))
        told = helper("incognito.ways", *arguments, folder=folder, environment=environment)
        cells.append({"table": name, "size": size, **told})
        yield {"seed": SEED, "k": K, "cells": cells}


def table(body: Mapping[str, Any]) -> str:
    """Milliseconds of a node by each way, medians of the runs."""
    if "skipped" in body:
        return f"skipped: {body['skipped']}"
    lines = [
        "Milliseconds of a node, medians of the runs, of nodes drawn from the lattice whose parent's frequency set is "
        "there: a recount counts what violates k where it is, a rollup keeps its frequency set before.",
        "",
        f"| table | attributes | nodes | {' | '.join(WAYS)} |",
        "|---" + "|---:" * (2 + len(WAYS)) + "|",
    ]
    for cell in body["cells"]:
        each = (1000 * statistics.median(cell["seconds"][way]) / cell["nodes"] for way in WAYS)
        taken = " | ".join(f"{milliseconds:.2f}" for milliseconds in each)
        lines.append(f"| {cell['table']} | {cell['size']} | {cell['nodes']} | {taken} |")
    return "\n".join(lines)
