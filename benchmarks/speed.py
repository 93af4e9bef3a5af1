"""Speed and memory: whole processes as a user starts them, and compress against the bare GROUP BY."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from benchmarks.shared import adult
from benchmarks.shared.process import Anonymized, anonymize, helper, run, starcloak
from benchmarks.shared.result import Entry, Figure, cores

_SEED = 1
_ROWS = 10_000_000
_MEMORY_LIMIT = "1GB"
_PARQUET = "people.parquet"
_DATABASE = "people.duckdb"
_CSV, _CSV_ROWS = "people.csv", 4_500_000
# Rows, hardly two alike, with so many releases of them before.
_DISTINCT_ROWS, _BEFORE = 5_000_000, 6
_K = 5
_STAGES = ("open", "compress", "star", "search", "recode", "verify", "publish")

# What any run has to import.
_IMPORTS = "import click, duckdb, numpy, pydantic, yaml"

# A quick version has fewer rows and attributes.
_QUICK_ROWS = 20_000
_QUICK_SIZE = 5


def measure(names: Sequence[str], *, runs: int, quick: bool) -> list[Entry]:
    """Measure the named entries, in order."""
    with tempfile.TemporaryDirectory(prefix="benchmarks-") as folder:
        return [_ENTRIES[name](name, Path(folder), runs, quick) for name in names]


def _help(name: str, folder: Path, runs: int, quick: bool) -> Entry:
    seconds = []
    for turn in range(runs):
        _tell(name, turn, runs)
        seconds.append(run([*starcloak(), "--help"], folder=folder, environment={}).seconds)
    return Entry(name, "starcloak --help", (Figure("process seconds", "s", tuple(seconds), goal=0.4),))


def _adult_3(name: str, folder: Path, runs: int, quick: bool) -> Entry:
    return _adult(name, folder, runs, size=3, goal=2, times=2.2)


def _adult_9(name: str, folder: Path, runs: int, quick: bool) -> Entry:
    if quick:
        return _adult(name, folder, runs, size=_QUICK_SIZE)
    return _adult(name, folder, runs, size=9, goal=2.5, times=3.5)


def _adult(
    name: str, folder: Path, runs: int, *, size: int, goal: float | None = None, times: float | None = None
) -> Entry:
    """Adult, from its CSV files to a CSV file, in turn with the imports alone: ``times`` them at most."""
    what = f"Adult, {size} quasi-identifiers, k = {_K}"
    environment = adult.environment()
    if environment is None:
        return Entry(name, what, skipped=adult.MISSING)
    job = adult.job(size, k=_K)
    bare, done = [], []
    for turn in range(runs):
        _tell(name, turn, runs)
        bare.append(run([sys.executable, "-c", _IMPORTS], folder=folder, environment={}))
        done.append(anonymize(job, folder=folder, output="release.csv", environment=environment))
    figures = (
        Figure("process seconds", "s", tuple(each.seconds for each in done), goal=goal),
        Figure(
            "process / bare imports",
            "ratio",
            tuple(mine.seconds / alone.seconds for mine, alone in zip(done, bare, strict=True)),
            goal=times,
        ),
        Figure("bare imports", "s", tuple(each.seconds for each in bare)),
    )
    return Entry(name, what, figures, _stages(done), _facts(done[-1].report))


def _census_parquet(name: str, folder: Path, runs: int, quick: bool) -> Entry:
    return _census(name, folder, runs, quick, file=_PARQUET, source={"path": str(folder / _PARQUET)})


def _census_duckdb(name: str, folder: Path, runs: int, quick: bool) -> Entry:
    source = {"url": f"duckdb:///{folder / _DATABASE}", "table": "people"}
    return _census(name, folder, runs, quick, file=_DATABASE, source=source)


def _census(name: str, folder: Path, runs: int, quick: bool, *, file: str, source: Mapping[str, str]) -> Entry:
    """A large census from one file: pairs of the bare GROUP BY and compress on it, then one whole run."""
    rows, size = (_QUICK_ROWS, _QUICK_SIZE) if quick else (_ROWS, 9)
    click.echo(f"{name}: drawing {rows:,} people", err=True)
    helper("shared.people", "mixed", str(rows), str(_SEED), str(folder / file), folder=folder)
    job = adult.job(size, k=_K) | {"source": source, "identifiers": []}
    threads = str(cores())
    options = ("--memory-limit", _MEMORY_LIMIT, "--threads", threads)
    described = folder / f"{name}.yaml"
    described.write_text(json.dumps(job), encoding="utf-8")
    bare, compressed = [], []
    for turn in range(runs):
        _tell(name, turn, runs)
        bare.append(
            helper("shared.bare", str(folder / file), _MEMORY_LIMIT, threads, *adult.ATTRIBUTES[:size], folder=folder)
        )
        compressed.append(helper("shared.compressed", str(described), _MEMORY_LIMIT, threads, folder=folder))
    click.echo(f"{name}: one whole run", err=True)
    done = [anonymize(job, *options, folder=folder, output="release.parquet")]
    ratios = tuple(mine["seconds"] / plain["seconds"] for mine, plain in zip(compressed, bare, strict=True))
    memory = tuple(each.peak_memory for each in done)
    figures = (
        Figure("compress / bare GROUP BY", "ratio", ratios, goal=None if quick else 1.5),
        Figure("bare GROUP BY", "s", tuple(plain["seconds"] for plain in bare)),
        Figure("peak memory of the process", "bytes", memory, goal=None if quick else 2e9, judged="max"),
        Figure("process seconds", "s", tuple(each.seconds for each in done)),
    )
    facts = {
        "rows": bare[-1]["rows"],
        "distinct_combinations": bare[-1]["combinations"],
        "file_bytes": (folder / file).stat().st_size,
        "seed": _SEED,
        "memory_limit": _MEMORY_LIMIT,
        "threads": int(threads),
    }
    what = f"{rows:,} rows from {Path(file).suffix[1:]}, {size} quasi-identifiers, k = {_K}"
    return Entry(name, what, figures, _stages(done), facts | _facts(done[-1].report))


def _from_csv(name: str, folder: Path, runs: int, quick: bool) -> Entry:
    """A large CSV file to a CSV file, with all rows kept and with a few left out."""
    rows, size = (_QUICK_ROWS, _QUICK_SIZE) if quick else (_CSV_ROWS, 9)
    click.echo(f"{name}: drawing {rows:,} people", err=True)
    helper("shared.people", "mixed", str(rows), str(_SEED), str(folder / _CSV), folder=folder)
    job = adult.job(size, k=_K) | {"source": {"path": str(folder / _CSV)}, "identifiers": []}
    figures, kept = [], list[Anonymized]()
    for suppression, goal, memory in (("0", 5, 1.5e9), ("0.05", 10, None)):
        described = {**job, "requirement": {"k": _K, "suppression": suppression}}
        done = []
        for turn in range(runs):
            _tell(f"{name}, suppression {suppression}", turn, runs)
            done.append(anonymize(described, folder=folder, output="release.csv"))
        kept = kept or done
        of, bound = f"suppression {suppression}: ", None if quick else memory
        seconds, peaks = tuple(each.seconds for each in done), tuple(float(each.peak_memory) for each in done)
        figures += [
            Figure(f"{of}process seconds", "s", seconds, goal=None if quick else goal),
            Figure(f"{of}CPU of the process", "s", tuple(each.cpu_seconds for each in done)),
            Figure(f"{of}peak memory of the process", "bytes", peaks, goal=bound, judged="max"),
        ]
    facts = {"rows": rows, "file_bytes": (folder / _CSV).stat().st_size, "seed": _SEED}
    what = f"{rows:,} rows from CSV to CSV, {size} quasi-identifiers, k = {_K}"
    return Entry(name, what, tuple(figures), _stages(kept), facts | _facts(kept[-1].report))


def _joint(name: str, folder: Path, runs: int, quick: bool) -> Entry:
    """Rows that are hardly ever alike, released several times by other ranges: what joint k takes of the last run.

    The runs have one state folder, so that each knows the releases before it.
    """
    rows, wide, file = _QUICK_ROWS if quick else _DISTINCT_ROWS, 4, folder / "spread.parquet"
    click.echo(f"{name}: drawing {rows:,} rows", err=True)
    helper("shared.spread", str(rows), str(wide), "100", "1", str(_SEED), str(file), folder=folder)
    state = folder / "state"
    done = list[Anonymized]()
    for release in range(_BEFORE + 1):
        _tell(name, release, _BEFORE + 1)
        widths = [10 + release, 5 * (10 + release)]
        job = {
            "source": {"path": str(file)},
            "quasi_identifiers": {f"c{column}": {"intervals": widths} for column in range(wide)},
            "requirement": {"k": _K},
        }
        environment = {"XDG_STATE_HOME": str(state)}
        done.append(anonymize(job, folder=folder, output=f"release-{release}.parquet", environment=environment))
    last = done[-1].report
    kept = sum(each.stat().st_size for each in state.rglob("*") if each.is_file())
    figures = (
        Figure("joint / run", "ratio", (last["seconds"]["joint"] / last["seconds"]["total"],), goal=0.25),
        Figure("process seconds", "s", (done[-1].seconds,)),
        Figure("process seconds of the first release", "s", (done[0].seconds,)),
        Figure("peak memory of the process", "bytes", (done[-1].peak_memory,)),
        Figure("kept for later joint k", "bytes", (kept,)),
    )
    what = f"{rows:,} rows, hardly two alike, {wide} quasi-identifiers, with {_BEFORE} releases before"
    facts = {"rows": rows, "seed": _SEED, "together": len(last["joint_together"][0]["runs"])}
    return Entry(name, what, figures, _stages(done[-1:]), facts | _facts(last))


_ENTRIES: dict[str, Callable[[str, Path, int, bool], Entry]] = {
    "help": _help,
    "adult-3": _adult_3,
    "adult-9": _adult_9,
    "census-parquet": _census_parquet,
    "census-duckdb": _census_duckdb,
    "census-csv": _from_csv,
    "joint": _joint,
}
NAMES = tuple(_ENTRIES)


def _stages(done: Sequence[Anonymized]) -> tuple[Figure, ...]:
    return tuple(Figure(stage, "s", tuple(each.report["seconds"][stage] for each in done)) for stage in _STAGES)


def _facts(report: Mapping[str, Any]) -> dict[str, int]:
    """What the search did."""
    search = report["search"]
    names = ("lattice_nodes", "checked", "statements", "scans", "rows_aggregated", "anonymous_nodes")
    return {name: search[name] for name in names}


def _tell(name: str, turn: int, runs: int) -> None:
    click.echo(f"{name}: run {turn + 1} of {runs}", err=True)
