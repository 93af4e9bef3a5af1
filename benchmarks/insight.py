"""What looks at a table or a job before a release, as whole processes; and what a run says beside one, in it."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import click

from benchmarks.shared import adult
from benchmarks.shared.process import Outcome, helper, run, starcloak
from benchmarks.shared.result import Entry, Figure, cores

_SEED = 1
_MEMORY_LIMIT = "4GB"
_WIDE = (1_000_000, 50)  # rows and columns
_LONG = 10_000_000  # rows
_ALGORITHMS = ("witness", "datafly", "mondrian", "sweep", "kaca")
_KS = (2, 5, 10, 20, 50)


def measure(names: Sequence[str], *, runs: int, quick: bool) -> list[Entry]:
    """Measure the named entries, in order."""
    with tempfile.TemporaryDirectory(prefix="benchmarks-") as folder:
        return [_ENTRIES[name](name, Path(folder), runs, quick) for name in names]


def _init(name: str, folder: Path, runs: int, quick: bool) -> Entry:
    """A first job for a wide CSV file."""
    rows, columns = (5_000, 20) if quick else _WIDE
    click.echo(f"{name}: drawing {rows:,} rows", err=True)
    drawn = helper("shared.wide", str(rows), str(columns), str(_SEED), "wide.csv", folder=folder)
    done = []
    for turn in range(runs):
        click.echo(f"{name}: run {turn + 1} of {runs}", err=True)
        done.append(run([*starcloak(), "init", "wide.csv", "--into", "wide.yaml"], folder=folder, environment={}))
    what = f"init of a CSV file of {rows:,} rows and {columns} columns"
    return Entry(name, what, _seconds(done, goal=None if quick else 30), facts={"bytes": drawn["bytes"]})


def _audit(name: str, folder: Path, runs: int, quick: bool) -> Entry:
    """An audit beside the bare GROUP BY: CPU seconds, for both, since they are few and read from one file."""
    rows, size = (20_000, 5) if quick else (_LONG, len(adult.ATTRIBUTES))
    click.echo(f"{name}: drawing {rows:,} people", err=True)
    helper("shared.people", "mixed", str(rows), str(_SEED), "people.parquet", folder=folder)
    names, threads = adult.ATTRIBUTES[:size], str(cores())
    bare, audited = [], []
    for turn in range(runs):
        click.echo(f"{name}: run {turn + 1} of {runs}", err=True)
        arguments = ("people.parquet", _MEMORY_LIMIT, threads, *names)
        bare.append(helper("shared.bare", *arguments, folder=folder))
        audited.append(helper("shared.audited", *arguments, folder=folder))
    figures = tuple(
        Figure(
            f"audit / bare GROUP BY, {unit.replace('_', ' ')}",
            "ratio",
            tuple(mine[unit] / plain[unit] for mine, plain in zip(audited, bare, strict=True)),
            goal=None if quick else 1.3,
        )
        for unit in ("seconds", "cpu_seconds")
    )
    facts = {"rows": bare[-1]["rows"], "combinations": bare[-1]["combinations"], "threads": int(threads)}
    seconds = tuple(each["seconds"] for each in audited)
    plain = tuple(each["seconds"] for each in bare)
    what = f"audit of a Parquet file of {rows:,} rows, {size} columns"
    return Entry(
        name, what, (*figures, Figure("audit", "s", seconds), Figure("bare GROUP BY", "s", plain)), facts=facts
    )


def _compare(name: str, folder: Path, runs: int, quick: bool) -> Entry:
    """Five algorithms by five ks on Adult, each point verified."""
    environment = adult.environment()
    size = 3 if quick else len(adult.ATTRIBUTES)
    what = f"compare of Adult, {size} quasi-identifiers, {len(_ALGORITHMS)} algorithms by {len(_KS)} k"
    if environment is None:
        return Entry(name, what, skipped=adult.MISSING)
    (folder / "job.yaml").write_text(json.dumps(adult.job(size, k=5)), encoding="utf-8")
    asked = ["--algorithm", ",".join(_ALGORITHMS), "--k", ",".join(map(str, _KS)), "--json"]
    done = []
    for turn in range(runs):
        click.echo(f"{name}: run {turn + 1} of {runs}", err=True)
        done.append(run([*starcloak(), "compare", "job.yaml", *asked], folder=folder, environment=environment))
    points = json.loads(done[-1].output)["points"]
    stages = tuple(
        Figure(algorithm, "s", (sum(each["seconds"] for each in points if each["algorithm"] == algorithm),))
        for algorithm in _ALGORITHMS
    )
    released = sum(each["released"] is not None for each in points)
    facts = {"points": len(points), "released": released}
    return Entry(name, what, _seconds(done, goal=None if quick else 120), stages, facts)


def _frame(name: str, folder: Path, runs: int, quick: bool) -> Entry:
    rows, columns = (5_000, 10) if quick else (1_000_000, 10)
    what = f"a run on a data frame of {rows:,} rows and {columns} columns"
    return _staged(name, what, folder, runs, quick, "frame", str(rows), str(columns), str(_SEED))


def _wide(name: str, folder: Path, runs: int, quick: bool) -> Entry:
    rows, columns = (5_000, 20) if quick else (100_000, 104)
    what = f"a run on a data frame of {rows:,} rows, {columns - 4} of {columns} columns kept"
    return _staged(name, what, folder, runs, quick, "frame", str(rows), str(columns), str(_SEED))


def _adult(name: str, folder: Path, runs: int, quick: bool) -> Entry:
    what, environment = "a run on Adult, four quasi-identifiers, five columns kept", adult.environment()
    if environment is None:
        return Entry(name, what, skipped=adult.MISSING)
    return _staged(name, what, folder, runs, quick, "adult", "5", environment=environment)


def _staged(
    name: str,
    what: str,
    folder: Path,
    runs: int,
    quick: bool,
    *arguments: str,
    environment: Mapping[str, str] | None = None,
) -> Entry:
    """How much of a run is what is said beside the release: of its CPU and its wall clock, and each stage's CPU."""
    done = []
    for turn in range(runs):
        click.echo(f"{name}: run {turn + 1} of {runs}", err=True)
        with tempfile.TemporaryDirectory(dir=folder) as fresh:
            done.append(helper("shared.staged", *arguments, folder=Path(fresh), environment=environment))
    shares = tuple(
        Figure(
            f"insight, share of {said}",
            "ratio",
            tuple(each[unit]["insight"] / each[unit]["total"] for each in done),
            goal=None if quick else 0.1,
        )
        for unit, said in (("cpu", "CPU"), ("seconds", "wall clock"))
    )
    stages = tuple(Figure(stage, "s", tuple(each["cpu"][stage] for each in done)) for stage in done[0]["cpu"])
    return Entry(name, what, shares, stages)


def _seconds(done: Sequence[Outcome], *, goal: float | None) -> tuple[Figure, ...]:
    return (
        Figure("process seconds", "s", tuple(each.seconds for each in done), goal=goal),
        Figure("CPU seconds", "s", tuple(each.cpu_seconds for each in done)),
        Figure("peak memory of the process", "bytes", tuple(each.peak_memory for each in done)),
    )


_ENTRIES: dict[str, Callable[[str, Path, int, bool], Entry]] = {
    "init": _init,
    "audit": _audit,
    "compare": _compare,
    "run-frame": _frame,
    "run-wide": _wide,
    "run-adult": _adult,
}
NAMES = tuple(_ENTRIES)
