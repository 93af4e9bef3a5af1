"""How long the studio takes to count a lattice once, to answer when a slider moves, and to show a page in a browser."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click

import starcloak as sc
from benchmarks.shared import adult, visits
from benchmarks.shared.process import helper
from benchmarks.shared.result import Entry, Figure

Figures = tuple[Figure, ...]
_SEED = 1
_COLUMNS = 7  # of the table of a million rows
_BROWSER = Path(__file__).parents[1] / ".venv" / "browser" / "bin" / "python"
_CLICKS = Path(__file__).with_name("shared") / "studio_clicks.py"
#: Interactions with a goal of their own, and those that wait for a count or a search, without one.
_GOALS = {"first page": 3.0, "first figures of the requirement, counted": None}
NAMES = ("adult", "million", "hospital")


def measure(names: Sequence[str], *, runs: int, quick: bool) -> list[Entry]:
    """Measure the named entries, in order."""
    measurements, entries = {"adult": _adult, "million": _million, "hospital": _hospital}, []
    for name in names:
        with tempfile.TemporaryDirectory(prefix="benchmarks-") as folder:
            entries.append(measurements[name](name, Path(folder), runs, quick))
    return entries


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


def _hospital(name: str, folder: Path, runs: int, quick: bool) -> Entry:
    rows = 600 if quick else 30_000
    what = f"the drafted job of {rows:,} visits of a hospital, 30 columns, with persons"
    visits.write(rows, _SEED, folder / "visits.csv")
    click.echo(f"{name}: drafting", err=True)
    sc.init(folder / "visits.csv", folder / "job.yaml")
    return Entry(name, what, _clicked(folder, runs, goal=None if quick else 1.0), facts={"rows": rows})


def _clicked(folder: Path, runs: int, *, goal: float | None, environment: dict[str, str] | None = None) -> Figures:
    """Seconds of each interaction with the studio of a job, in a browser; none without one."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None or not _BROWSER.exists():
        click.echo("no browser: apt-get install chromium, make test-browser", err=True)
        return ()
    command = [sys.executable, "-m", "starcloak", "studio", "job.yaml", "--no-browser"]
    with subprocess.Popen(
        command, cwd=folder, env={**os.environ, **(environment or {})}, stdout=subprocess.PIPE, text=True
    ) as studio:
        try:
            assert studio.stdout is not None
            address = studio.stdout.readline().split()[-1]
            clicks = [str(_BROWSER), str(_CLICKS), chromium, address, str(max(runs, 5)), "counted"]
            printed = subprocess.run(clicks, capture_output=True, text=True, check=True, timeout=3600).stdout
        finally:
            studio.kill()
    return tuple(
        Figure(f"browser: {name}", "s", tuple(seconds), goal=_GOALS.get(name, goal) if goal else None, judged="median")
        for name, seconds in json.loads(printed).items()
    )


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
    figures: Figures = (
        Figure("answer", "s", answers, goal=goal, judged="max"),
        Figure("answer of the studio, as HTML", "s", pages, goal=goal, judged="max"),
        Figure("counted once", "s", tuple(found["seconds"] for found in done)),
        Figure("counted once, CPU seconds", "s", tuple(found["cpu_seconds"] for found in done)),
    )
    figures += _clicked(folder, runs, goal=goal and 1.0, environment=environment)
    return Entry(name, what, figures, facts={key: done[-1][key] for key in ("nodes", "rows", "whole")})
