"""Witness search in arrays, and in SQL alone: what each takes, where both find the same nodes."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from benchmarks.incognito import lands_end
from benchmarks.incognito.figures import orders
from benchmarks.shared import adult
from benchmarks.shared.clusterings import ATTRIBUTES_2008, SCHEMA_2008
from benchmarks.shared.process import anonymize
from benchmarks.shared.settings import Settings

KS = (2, 5, 10, 50)
_QUICK_KS = (10,)
EXECUTIONS = ("arrays", "sql")
_OF_ORDERS = 6
_ONCE = 60  # seconds of a process that is run once
_TOLD = {
    "nodes": "lattice_nodes",
    "checked": "checked",
    "reads": "scans",
    "rows": "rows_aggregated",
    "found": "anonymous_nodes",
}


@dataclass(frozen=True)
class _Table:
    """A table that is searched: its job but for k, for which ks, by which options."""

    name: str
    job: Mapping[str, Any]
    ks: tuple[int, ...]
    options: tuple[str, ...] = ()


def measure(folder: Path, settings: Settings) -> Iterator[dict[str, Any]]:
    """Search Adult, and orders with little memory, by each execution in turn, as often as there are runs."""
    environment = adult.environment()
    if environment is None:
        yield {"skipped": adult.MISSING}
        return
    of_adult = {
        "source": {"dataset": "adult"},
        "schema": SCHEMA_2008,
        "quasi_identifiers": list(ATTRIBUTES_2008),
        "objective": {"minimize": "height"},
    }
    size = 3 if settings.quick else _OF_ORDERS
    tables = [
        _Table("Adult", of_adult, _QUICK_KS if settings.quick else KS),
        _Table(
            "Lands End",
            {**lands_end.job(orders(folder, settings), size, k=10), "objective": {"minimize": "height"}},
            _QUICK_KS,
            ("--memory-limit", "1GB"),
        ),
    ]
    cells: list[dict[str, Any]] = []
    for table in tables:
        for k in table.ks:
            cells += _cells(table, k, folder, settings, environment)
            yield {"attributes": ATTRIBUTES_2008, "runs": settings.runs, "cells": cells}


def _cells(
    table: _Table, k: int, folder: Path, settings: Settings, environment: Mapping[str, str]
) -> list[dict[str, Any]]:
    done: dict[str, list[Any]] = {name: [] for name in EXECUTIONS}
    for number in range(1, 1 + settings.runs):
        for name, before in done.items():
            if before and before[0].seconds > _ONCE:
                continue
            click.echo(f"executions: {table.name}, {name}, k = {k}, run {number}", err=True)
            job = {**table.job, "requirement": {"k": k}, "algorithm": {"name": "witness", "execution": name}}
            output = "release.csv" if table.name == "Adult" else "release.parquet"
            before.append(anonymize(job, *table.options, folder=folder, output=output, environment=environment))
    return [
        {
            "table": table.name,
            "k": k,
            "execution": name,
            **{key: runs[-1].report["search"][of] for key, of in _TOLD.items()},
            "cpu_seconds": [round(run.cpu_seconds, 3) for run in runs],
            "search_seconds": [run.report["seconds"]["search"] for run in runs],
            "peak_memory": [run.peak_memory for run in runs],
        }
        for name, runs in done.items()
    ]


def table(body: Mapping[str, Any]) -> str:
    """What each execution read and took."""
    if "skipped" in body:
        return f"skipped: {body['skipped']}"
    lines = [
        f"Adult, eight attributes; orders (Lands End), six, with `--memory-limit 1GB`. Medians of {body['runs']} runs, "
        f"one execution after the other, one run of what takes {_ONCE} s. CPU seconds and memory are those of the "
        "whole process, its start and the release included.",
        "",
        "| table | k | execution | nodes checked | reads of the table | rows aggregated | nodes that satisfy "
        "| search, s | CPU, s | peak memory, GB |",
        "|---|---|---" + "|---:" * 7 + "|",
    ]
    for cell in body["cells"]:
        search, cpu, memory = (statistics.median(cell[key]) for key in ("search_seconds", "cpu_seconds", "peak_memory"))
        lines.append(
            f"| {cell['table']} | {cell['k']} | {cell['execution']} | {cell['checked']:,} | {cell['reads']:,} | "
            f"{cell['rows']:,} | {cell['found']:,} | {search:.2f} | {cpu:.2f} | {memory / 1e9:.2f} |"
        )
    return "\n".join(lines)
