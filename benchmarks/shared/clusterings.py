"""Runs of local recoding and of the full-domain search that it is compared with."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from benchmarks.shared import adult
from benchmarks.shared.process import Anonymized, TooLong, anonymize
from benchmarks.shared.settings import Settings

STAGES = ("compress", "star", "search")

# The attributes of Li, Wong, Fu, Pei 2008, Table 4, and of 2006, Table 2, in the tables' order.
SCHEMA_2008 = "adult/local-recoding-2008"
ATTRIBUTES_2008 = (
    "age",
    "workclass",
    "education",
    "marital-status",
    "occupation",
    "race",
    "sex",
    "native-country",
)
ATTRIBUTES_2006 = (*ATTRIBUTES_2008, "salary-class")
HEIGHT_WEIGHTS = {"scheme": "height", "beta": 1}

INCOGNITO = "Incognito's best node"


@dataclass(frozen=True)
class Runs:
    """One cell of a figure: its runs, or why there are none."""

    done: tuple[Anonymized, ...] = ()
    skipped: str | None = None

    def seconds(self) -> list[float]:
        """Compress, star and search of each run."""
        return [round(sum(each.report["seconds"][stage] for stage in STAGES), 4) for each in self.done]

    def measured(self, name: str) -> list[float]:
        """A measure of each run; the inconsistency is that of the table, the largest of its attributes'."""
        found = [each.report["measures"][name] for each in self.done]
        return [max(one.values()) if isinstance(one, Mapping) else one for one in found]


def job(schema: str, attributes: Sequence[str], algorithm: Mapping[str, Any], *, k: int, seed: int) -> dict[str, Any]:
    """Anonymize Adult with respect to some attributes of a schema."""
    return {
        "source": {"dataset": "adult"},
        "schema": schema,
        "quasi_identifiers": list(attributes),
        "requirement": {"k": k},
        "algorithm": dict(algorithm),
        "objective": {"minimize": "distortion"},
        "seed": seed,
    }


def anonymized(
    what: str,
    schema: str,
    attributes: Sequence[str],
    algorithm: Mapping[str, Any],
    *,
    k: int,
    seeds: int,
    folder: Path,
    settings: Settings,
) -> Runs:
    """Run a job with seeds 1, 2, …"""
    done = []
    for seed in range(1, seeds + 1):
        click.echo(f"{what}: {len(attributes)} attributes, k = {k}, seed {seed} of {seeds}", err=True)
        described = job(schema, attributes, algorithm, k=k, seed=seed)
        environment = adult.environment()
        try:
            done.append(
                anonymize(described, folder=folder, output="release.csv", environment=environment, limit=settings.limit)
            )
        except TooLong:
            return Runs(skipped=f"> {settings.limit:g} s")
    return Runs(tuple(done))


def mean(values: Sequence[float]) -> float:
    """The mean, rounded."""
    return round(statistics.fmean(values), 6)


def grid(title: str, across: str, columns: Sequence[int], rows: Mapping[str, Sequence[str]]) -> list[str]:
    """A Markdown table with a row per algorithm."""
    lines = [
        "",
        title,
        "",
        f"| {across} | " + " | ".join(map(str, columns)) + " |",
        "|---" + "|---:" * len(columns) + "|",
    ]
    return lines + [f"| {name} | {' | '.join(cells)} |" for name, cells in rows.items()]
