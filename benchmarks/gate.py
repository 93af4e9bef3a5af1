"""Whether a run costs more than it did: CPU seconds of eight jobs as a ratio to what DuckDB's client alone needs.

The floor reads the same rows from CSV, groups them, joins a recoding and writes CSV. Both are run in turn, and the
ratio of each pair counts, since a machine changes its speed meanwhile: the median is compared with the committed one. A
job that is dearer is run again before that is believed.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import click

from benchmarks.shared import adult
from benchmarks.shared.process import ROOT, anonymize, helper, run
from benchmarks.shared.result import RESULTS, Entry, Figure, stamp

# So much dearer than the committed ratio is too dear.
TOLERANCE = 1.1
# Pairs of a job and its floor, and how many where it is still too dear.
PAIRS, MOST = 4, 20
_SEED = 1
_K = 5
_SMALL, _LARGE, _QUICK = 2_000, 300_000, 500
_RATIO = "CPU / floor"
_ALIKE = ("cores", "cpu")


@dataclass(frozen=True)
class Job:
    """A job on drawn people: how many, over how many quasi-identifiers, and what it asks beside k = 5."""

    rows: int
    columns: int
    asks: Mapping[str, Any] = field(default_factory=dict)

    def described(self, table: Path) -> dict[str, Any]:
        """The job's text, over a table."""
        rest = {"source": {"path": str(table)}, "identifiers": [], "keep": list(adult.ATTRIBUTES[self.columns :])}
        return adult.job(self.columns, k=_K) | rest | dict(self.asks)


_SENSITIVE = {
    "sensitive": [adult.ATTRIBUTES[-1]],
    "keep": [],
    "requirement": {"k": _K, "suppression": "0.05", "l_diversity": [{"attribute": adult.ATTRIBUTES[-1], "l": 2}]},
}
_JOBS: Mapping[str, Job] = {
    "small": Job(_SMALL, 3),
    "full-domain": Job(_LARGE, 8),
    "loss": Job(_LARGE, 7, {"objective": {"minimize": "loss"}}),
    "suppressed": Job(_LARGE, 8, {"requirement": {"k": _K, "suppression": "0.05"}, "objective": {"minimize": "loss"}}),
    "diverse": Job(_LARGE, 8, _SENSITIVE),
    "sweep": Job(_LARGE, 6, {"algorithm": {"name": "sweep"}}),
    "mondrian": Job(_LARGE, 6, {"algorithm": {"name": "mondrian"}}),
    "kept": Job(_LARGE, 4),
}
NAMES = tuple(_JOBS)


def measure(names: Sequence[str], *, runs: int, quick: bool) -> list[Entry]:
    """Measure the named jobs, in order: so many pairs of each, and more while it is dearer than committed."""
    committed = {} if quick else _committed()
    with tempfile.TemporaryDirectory(prefix="benchmarks-") as folder:
        return [_measured(name, Path(folder), runs, committed.get(name), quick) for name in names]


def dearer(entries: Sequence[Entry]) -> list[str]:
    """The jobs whose ratio has risen by more than a tenth."""
    return [entry.name for entry in entries for figure in entry.figures if figure.verdict == "missed"]


def _committed() -> dict[str, float]:
    """The ratios of the committed result, where a machine of its kind measured it: on another they say nothing."""
    place = RESULTS / "gate.json"
    document = json.loads(place.read_text(encoding="utf-8")) if place.exists() else None
    if document is None or any(document["machine"][each] != stamp("gate", [])["machine"][each] for each in _ALIKE):
        click.echo("no committed result of a machine like this one: the ratios are shown, and not judged", err=True)
        return {}
    entries = document["entries"]
    return {
        entry["name"]: figure["median"] for entry in entries for figure in entry["figures"] if figure["name"] == _RATIO
    }


def _measured(name: str, folder: Path, runs: int, committed: float | None, quick: bool) -> Entry:
    asked = _JOBS[name]
    rows = _QUICK if quick else asked.rows
    table = folder / f"{rows}.csv"
    if not table.exists():
        helper("shared.people", "mixed", str(rows), str(_SEED), str(table), folder=folder)
    job, goal = asked.described(table), committed and round(committed * TOLERANCE, 4)
    seconds, floors = list[float](), list[float]()
    while len(seconds) < runs or (goal and len(seconds) < MOST and median(_ratios(seconds, floors)) > goal):
        click.echo(f"{name}: pair {len(seconds) + 1}", err=True)
        floors.append(floor(folder, table, adult.ATTRIBUTES, asked.columns))
        done = anonymize(job, folder=folder, output="release.csv", environment={})
        seconds.append(done.cpu_seconds)
    figures = (
        Figure(_RATIO, "ratio", _ratios(seconds, floors), goal=goal),
        Figure("CPU of the process", "s", tuple(seconds)),
        Figure("CPU of the floor", "s", tuple(floors)),
    )
    what = f"{rows:,} rows from CSV to CSV, {asked.columns} quasi-identifiers: {name}"
    return Entry(name, what, figures, facts={"rows": rows, "seed": _SEED})


def _ratios(seconds: Sequence[float], floors: Sequence[float]) -> tuple[float, ...]:
    return tuple(job / floor for job, floor in zip(seconds, floors, strict=True))


def floor(folder: Path, table: Path, columns: Sequence[str], size: int) -> float:
    """The CPU seconds of the floor on a CSV file, released by these columns; the first ``size`` are grouped."""
    arguments = [str(table), str(folder / "floor.csv"), str(_K), str(size), *columns]
    command = [sys.executable, "-m", "benchmarks.shared.floor", *arguments]
    return run(command, folder=folder, environment={"PYTHONPATH": str(ROOT)}).cpu_seconds
