"""The search of the Lands End look-alike against one GROUP BY over its orders."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from benchmarks.incognito import lands_end
from benchmarks.incognito.figures import orders
from benchmarks.incognito.ratios import facts
from benchmarks.shared.process import TooLong, anonymize, helper
from benchmarks.shared.result import Entry, Figure, cores
from benchmarks.shared.result import table as entries_table
from benchmarks.shared.settings import Settings

_K = (2, 10)
_MEMORY_LIMIT = "1GB"
_QUICK_SIZE = 4

# The most GROUP BYs over the table that a search may take.
_GOAL = 6.0
# A run also writes and verifies a release: it may take so many times the limit.
_PATIENCE = 5


def measure(folder: Path, settings: Settings) -> dict[str, Any]:
    """Measure the ratio inside this run."""
    entries = _entries(folder, settings)
    return {"entries": [entry.to_dict() for entry in entries], "table": entries_table(entries)}


def table(body: Mapping[str, Any]) -> str:
    """The ratio as a Markdown table."""
    return str(body["table"])


def _entries(folder: Path, settings: Settings) -> list[Entry]:
    file = orders(folder, settings)
    size = _QUICK_SIZE if settings.quick else len(lands_end.ATTRIBUTES)
    attributes = lands_end.ATTRIBUTES[:size]
    threads = str(cores())
    entries = []
    # Without a word on the algorithm, a job takes the default one.
    for k in _K[:1] if settings.quick else _K:
        bare, reports, peaks = [], [], []
        what = f"Lands End look-alike, {size} attributes, k = {k}, memory limit {_MEMORY_LIMIT}: the default algorithm"
        for turn in range(settings.runs):
            click.echo(f"large: {what}, run {turn + 1} of {settings.runs}", err=True)
            bare.append(helper("shared.bare", str(file), _MEMORY_LIMIT, threads, *attributes, folder=folder))
            try:
                done = anonymize(
                    lands_end.job(file, size, k=k),
                    *("--memory-limit", _MEMORY_LIMIT, "--threads", threads),
                    folder=folder,
                    output="release.parquet",
                    limit=_PATIENCE * settings.limit,
                )
            except TooLong:
                break
            reports.append(done.report)
            peaks.append(done.peak_memory)
        name = f"lands-end-{k}"
        if not reports:
            entries.append(Entry(name, what, skipped=f"more than {_PATIENCE * settings.limit:g} s"))
            continue
        seconds = tuple(report["seconds"]["search"] for report in reports)
        ratios = tuple(taken / each["seconds"] for each, taken in zip(bare, seconds, strict=False))
        figures = (
            Figure("search / GROUP BY", "ratio", ratios, goal=None if settings.quick else _GOAL),
            Figure("search", "s", seconds),
            Figure("GROUP BY", "s", tuple(each["seconds"] for each in bare)),
            Figure("peak memory of the process", "bytes", tuple(peaks), judged="max"),
        )
        told = {"rows": bare[-1]["rows"], "combinations": bare[-1]["combinations"], **facts(reports[-1]["search"])}
        entries.append(Entry(name, what, figures, facts=told))
    return entries
