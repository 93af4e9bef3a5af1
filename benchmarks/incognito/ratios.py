"""Searches against plain SQL: every node of Adult's lattice by a GROUP BY."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from benchmarks.incognito.algorithms import ALGORITHMS, WITNESS, Algorithm, absent, missing, of
from benchmarks.shared import adult
from benchmarks.shared.process import BenchmarkError, TooLong, anonymize, helper
from benchmarks.shared.result import Entry, Figure
from benchmarks.shared.result import table as entries_table
from benchmarks.shared.settings import Settings

K = (2, 5, 10)
SHARES = ("0", "0.01", "0.05")
_QUICK_SIZE = 4

# By height all nodes are found: by loss a search of so many with rows to leave out ends with the best.
_ALL = {"objective": {"minimize": "height"}}

# How many times faster than a GROUP BY per node the witness search has to be, by suppressed share.
_GOALS = {"0": 80.0, "0.01": 20.0, "0.05": 20.0}


def measure(folder: Path, settings: Settings) -> dict[str, Any]:
    """Measure the ratios inside this run. The answers are compared, too: a ratio of two answers is worth nothing."""
    entries = _adult(folder, settings)
    return {
        "limit_seconds": settings.limit,
        "missing": missing(_complete()),
        "entries": [entry.to_dict() for entry in entries],
        "table": entries_table(entries),
    }


def table(body: Mapping[str, Any]) -> str:
    """The ratios as a Markdown table."""
    return "\n".join([str(body["table"]), *absent(body["missing"])])


def _complete() -> list[Algorithm]:
    return [algorithm for algorithm in ALGORITHMS if algorithm.complete]


def _adult(folder: Path, settings: Settings) -> list[Entry]:
    environment = adult.environment()
    if environment is None:
        return [Entry("adult", "Adult", skipped=adult.MISSING)]
    size = _QUICK_SIZE if settings.quick else len(adult.ATTRIBUTES)
    shares = SHARES[:2] if settings.quick else SHARES
    entries = []
    for k in K[:1] if settings.quick else K:
        job = adult.job(size, k=k)
        path = folder / "lattice.yaml"
        path.write_text(json.dumps(job), encoding="utf-8")
        plain = []
        for turn in range(settings.runs):
            click.echo(f"ratios: a GROUP BY per node, k = {k}, run {turn + 1} of {settings.runs}", err=True)
            plain.append(helper("incognito.lattice", str(path), *shares, folder=folder, environment=environment))
        over: set[str] = set()
        for share in shares:
            for algorithm in _complete():
                name = "-".join(["adult", str(k), share, *(str(value).lower() for value in algorithm.job.values())])
                what = f"Adult, {size} attributes, k = {k}, suppression {share}: {algorithm.name}"
                if not algorithm.accepted:
                    continue
                if algorithm.name in over:
                    limit = f"more than {settings.limit:g} s with less suppression"
                    entries.append(Entry(name, what, skipped=limit))
                    continue
                click.echo(f"ratios: {what}", err=True)
                try:
                    searches = [
                        anonymize(
                            of(job, algorithm, share) | _ALL,
                            folder=folder,
                            output="release.csv",
                            environment=environment,
                            limit=settings.limit,
                        ).report
                        for _ in plain
                    ]
                except TooLong:
                    over.add(algorithm.name)
                    entries.append(Entry(name, what, skipped=f"more than {settings.limit:g} s"))
                    continue
                entries.append(_compared(name, what, plain, searches, share, algorithm, settings))
    return entries


def _compared(
    name: str,
    what: str,
    plain: list[dict[str, Any]],
    reports: list[dict[str, Any]],
    share: str,
    algorithm: Algorithm,
    settings: Settings,
) -> Entry:
    search = reports[-1]["search"]
    if search["anonymous_nodes"] != plain[-1]["anonymous"][share]:
        found = f"{search['anonymous_nodes']} k-anonymous nodes, a GROUP BY per node {plain[-1]['anonymous'][share]}"
        raise BenchmarkError(f"{what}: the search finds {found}")
    seconds = tuple(report["seconds"]["search"] for report in reports)
    ratios = tuple(each["seconds"] / taken for each, taken in zip(plain, seconds, strict=True))
    goal = _GOALS[share] if algorithm is WITNESS and not settings.quick else None
    figures = (
        Figure("GROUP BY per node / search", "ratio", ratios, goal=goal, at_least=True),
        Figure("search", "s", seconds),
        Figure("GROUP BY per node", "s", tuple(each["seconds"] for each in plain)),
    )
    return Entry(name, what, figures, facts=facts(search))


def facts(search: Mapping[str, Any]) -> dict[str, int]:
    return {
        "lattice_nodes": search["lattice_nodes"],
        "nodes_checked": search["checked"],
        "anonymous_nodes": search["anonymous_nodes"],
        "minimal_nodes": len(search["minimal"]),
    }
