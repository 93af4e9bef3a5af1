"""Witness search in arrays, and in SQL alone: what each takes, where both find the same nodes."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from benchmarks.shared import adult
from benchmarks.shared.clusterings import ATTRIBUTES_2008, SCHEMA_2008
from benchmarks.shared.process import anonymize
from benchmarks.shared.settings import Settings

KS = (2, 5, 10, 50)
_QUICK_KS = (10,)
EXECUTIONS = ("arrays", "sql")
_TOLD = {
    "nodes": "lattice_nodes",
    "checked": "checked",
    "reads": "scans",
    "rows": "rows_aggregated",
    "found": "anonymous_nodes",
}


def measure(folder: Path, settings: Settings) -> Iterator[dict[str, Any]]:
    """Search Adult by each execution in turn, as often as there are runs."""
    environment = adult.environment()
    if environment is None:
        yield {"skipped": adult.MISSING}
        return
    cells: list[dict[str, Any]] = []
    for k in _QUICK_KS if settings.quick else KS:
        seconds: dict[str, list[float]] = {name: [] for name in EXECUTIONS}
        told: dict[str, Mapping[str, Any]] = {}
        for number in range(1, 1 + settings.runs):
            for name in EXECUTIONS:
                click.echo(f"executions: {name}, k = {k}, run {number}", err=True)
                job = {
                    "source": {"dataset": "adult"},
                    "schema": SCHEMA_2008,
                    "quasi_identifiers": list(ATTRIBUTES_2008),
                    "requirement": {"k": k},
                    "objective": {"minimize": "height"},
                    "algorithm": {"name": "witness", "execution": name},
                }
                done = anonymize(job, folder=folder, output="release.csv", environment=environment)
                seconds[name].append(round(done.cpu_seconds, 3))
                told[name] = done.report["search"]
        for name in EXECUTIONS:
            counted = {key: told[name][of] for key, of in _TOLD.items()}
            cells.append({"k": k, "execution": name, **counted, "cpu_seconds": seconds[name]})
        yield {"attributes": ATTRIBUTES_2008, "runs": settings.runs, "cells": cells}


def table(body: Mapping[str, Any]) -> str:
    """What each execution read and took."""
    if "skipped" in body:
        return f"skipped: {body['skipped']}"
    lines = [
        f"Adult, eight attributes, {body['cells'][0]['nodes']:,} nodes; medians of {body['runs']} runs, one execution "
        "after the other. CPU seconds are those of the whole process, its start and the release included.",
        "",
        "| k | execution | nodes checked | reads of the table | rows aggregated | nodes that satisfy | CPU, s |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {cell['k']} | {cell['execution']} | {cell['checked']:,} | {cell['reads']:,} | {cell['rows']:,} | "
        f"{cell['found']:,} | {statistics.median(cell['cpu_seconds']):.2f} |"
        for cell in body["cells"]
    ]
    return "\n".join(lines)
