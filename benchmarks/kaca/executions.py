"""Neighbours against the paper's steps by joins, on the whole of Adult, in turn: time and distortion."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from benchmarks.shared import adult
from benchmarks.shared.clusterings import ATTRIBUTES_2008, SCHEMA_2008, job
from benchmarks.shared.process import Anonymized, anonymize
from benchmarks.shared.result import Entry, Figure
from benchmarks.shared.result import table as entries_table
from benchmarks.shared.settings import Settings

K = 10
_QUICK_SIZE = 4
_NEIGHBOURS, _JOINS = _EXECUTIONS = ("neighbours", "joins")
# Seconds that the search may take by joins.
_GOAL = 120.0
# It may take so many times the limit.
_PATIENCE = 10


def measure(folder: Path, settings: Settings) -> Iterator[dict[str, Any]]:
    """Both executions, with as many seeds as there are runs."""
    if adult.environment() is None:
        yield {"skipped": adult.MISSING}
        return
    attributes = ATTRIBUTES_2008[:_QUICK_SIZE] if settings.quick else ATTRIBUTES_2008
    done: dict[str, list[Anonymized]] = {execution: [] for execution in _EXECUTIONS}
    for seed in range(1, settings.runs + 1):
        for execution, runs in done.items():
            click.echo(f"speed: {execution}, seed {seed} of {settings.runs}", err=True)
            runs.append(_run(attributes, execution, seed, folder, _PATIENCE * settings.limit))
        entry = _entry(f"Adult, {len(attributes)} attributes, k = {K}", done, None if settings.quick else _GOAL)
        yield {"k": K, "entries": [entry.to_dict()], "table": entries_table([entry])}


def table(body: Mapping[str, Any]) -> str:
    """The entry as a Markdown table."""
    return f"skipped: {body['skipped']}" if "skipped" in body else str(body["table"])


def _entry(what: str, done: Mapping[str, Sequence[Anonymized]], goal: float | None) -> Entry:
    seconds = {execution: tuple(each.report["seconds"]["search"] for each in runs) for execution, runs in done.items()}
    distortions = {
        execution: statistics.fmean(each.report["measures"]["distortion"] for each in runs)
        for execution, runs in done.items()
    }
    searches = {execution: runs[-1].report["search"]["clustering"] for execution, runs in done.items()}
    slower = tuple(slow / fast for slow, fast in zip(seconds[_JOINS], seconds[_NEIGHBOURS], strict=True))
    figures = (
        Figure("joins / neighbours", "ratio", slower),
        Figure(
            "distortion of neighbours / of joins, means", "ratio", (distortions[_NEIGHBOURS] / distortions[_JOINS],)
        ),
        Figure("neighbours: search", "s", seconds[_NEIGHBOURS]),
        Figure("joins: search", "s", seconds[_JOINS], goal=goal),
        *(
            Figure(f"{execution}: {what}", "s", tuple(getattr(each, of) for each in runs))
            for execution, runs in done.items()
            for what, of in (("process seconds", "seconds"), ("CPU of the process", "cpu_seconds"))
        ),
    )
    facts = {
        "seeds": len(slower),
        "classes": searches[_JOINS]["started"],
        **{f"rounds of {execution}": search["rounds"] for execution, search in searches.items()},
        **{f"mean distortion of {execution}": round(mean, 1) for execution, mean in distortions.items()},
    }
    return Entry("adult", what, figures, facts=facts)


def _run(attributes: Sequence[str], execution: str, seed: int, folder: Path, limit: float) -> Anonymized:
    described = job(SCHEMA_2008, attributes, {"name": "kaca", "execution": execution}, k=K, seed=seed)
    environment = adult.environment()
    return anonymize(described, folder=folder, output="release.csv", environment=environment, limit=limit)
