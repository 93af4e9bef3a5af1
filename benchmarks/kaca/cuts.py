"""Mondrian on Adult blown up: seconds of the search, and how many statements it takes, by the number of rows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from benchmarks.shared import adult, grown
from benchmarks.shared.process import anonymize
from benchmarks.shared.result import Entry, Figure
from benchmarks.shared.result import table as entries_table
from benchmarks.shared.settings import Settings

ROWS = (10_000, 100_000, 1_000_000)
_QUICK_ROWS = (500,)
# Seconds for a million rows, without reading and writing.
_GOAL = 10.0
_READING_AND_WRITING = ("open", "recode", "publish")


def measure(folder: Path, settings: Settings) -> dict[str, Any]:
    """Blow Adult up and cut it, once for each number of rows."""
    environment = adult.environment()
    if environment is None:
        return {"skipped": adult.MISSING}
    entries = []
    for rows in _QUICK_ROWS if settings.quick else ROWS:
        done = []
        with grown.blown_up(rows, folder, environment) as file:
            for turn in range(settings.runs):
                click.echo(f"cuts: {rows:,} rows, run {turn + 1} of {settings.runs}", err=True)
                done.append(anonymize(grown.job(file, "mondrian"), folder=folder, output="release.parquet").report)
        seconds = [each["seconds"] for each in done]
        between = tuple(each["total"] - sum(each[stage] for stage in _READING_AND_WRITING) for each in seconds)
        figures = (
            Figure("without reading and writing", "s", between, goal=_GOAL if rows == max(ROWS) else None),
            Figure("search", "s", tuple(each["search"] for each in seconds)),
            Figure("total", "s", tuple(each["total"] for each in seconds)),
        )
        facts = done[-1]["search"]["partitioning"]
        entries.append(Entry(f"{rows}", f"{rows:,} rows of Adult, 8 attributes, k = {grown.K}", figures, facts=facts))
    return {"k": grown.K, "entries": [entry.to_dict() for entry in entries], "table": entries_table(entries)}


def table(body: Mapping[str, Any]) -> str:
    """The entries as a Markdown table."""
    return f"skipped: {body['skipped']}" if "skipped" in body else str(body["table"])
