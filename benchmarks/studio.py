"""How long the studio takes to count a lattice once, and to answer when a slider moves."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click

from benchmarks.shared import adult
from benchmarks.shared.process import helper
from benchmarks.shared.result import Entry, Figure

_SEED = 1
_COLUMNS = 7  # of the table of a million rows
NAMES = ("adult", "million")


def measure(names: Sequence[str], *, runs: int, quick: bool) -> list[Entry]:
    """Measure the named entries, in order."""
    with tempfile.TemporaryDirectory(prefix="benchmarks-") as folder:
        return [(_adult if name == "adult" else _million)(name, Path(folder), runs, quick) for name in names]


def _adult(name: str, folder: Path, runs: int, quick: bool) -> Entry:
    size, environment = 4 if quick else len(adult.ATTRIBUTES), adult.environment()
    what = f"the lattice of Adult, {size} quasi-identifiers"
    if environment is None:
        return Entry(name, what, skipped=adult.MISSING)
    job = adult.job(size, k=5) | {"objective": {"minimize": "loss"}}
    return _asked(name, what, folder, job, runs, goal=None if quick else 0.1, environment=environment)


def _million(name: str, folder: Path, runs: int, quick: bool) -> Entry:
    rows = 20_000 if quick else 1_000_000
    click.echo(f"{name}: drawing {rows:,} people", err=True)
    helper("shared.people", "mixed", str(rows), str(_SEED), "people.parquet", folder=folder)
    roles = {"identifiers": [], "keep": list(adult.ATTRIBUTES[_COLUMNS:])}
    job = adult.job(_COLUMNS, k=5) | {"source": {"path": "people.parquet"}, "objective": {"minimize": "loss"}, **roles}
    what = f"the lattice of a Parquet file of {rows:,} rows, {_COLUMNS} quasi-identifiers"
    return _asked(name, what, folder, job, runs, goal=None if quick else 1.0)


def _asked(
    name: str,
    what: str,
    folder: Path,
    job: object,
    runs: int,
    *,
    goal: float | None,
    environment: dict[str, str] | None = None,
) -> Entry:
    (folder / "job.yaml").write_text(json.dumps(job), encoding="utf-8")
    done = []
    for turn in range(runs):
        click.echo(f"{name}: run {turn + 1} of {runs}", err=True)
        done.append(helper("shared.counted", "job.yaml", folder=folder, environment=environment))
    answers = tuple(seconds for found in done for seconds, _ in found["answers"])
    pages = tuple(seconds for found in done for seconds, _ in found["pages"])
    figures = (
        Figure("answer", "s", answers, goal=goal, judged="max"),
        Figure("answer of the studio, as HTML", "s", pages, goal=goal, judged="max"),
        Figure("counted once", "s", tuple(found["seconds"] for found in done)),
        Figure("counted once, CPU seconds", "s", tuple(found["cpu_seconds"] for found in done)),
    )
    return Entry(name, what, figures, facts={key: done[-1][key] for key in ("nodes", "rows", "whole")})
