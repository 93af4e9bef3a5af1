"""Census-like tables from a million rows on, in steps of ten: whole runs beside the same release by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from benchmarks.shared import adult, by_hand
from benchmarks.shared.grown import exponent, known_rows
from benchmarks.shared.process import BenchmarkError, Outcome, helper, run, run_module, starcloak
from benchmarks.shared.result import cores
from benchmarks.shared.settings import Settings

_ROWS = (1_000_000, 10_000_000, 100_000_000, 1_000_000_000)
_LARGEST = 100_000_000
_QUICK_ROWS = (2_000, 4_000)
#: The largest table with a release by hand: its sort would spill more than 100 GB of a larger one.
BY_HAND = 100_000_000
_SEED, _K = 1, 5
# What DuckDB may have of the 4 GB that a process may take.
_LIMIT, GOAL_MEMORY = "3GB", 4e9
GOAL = 1.3
RUNS = {"full-domain": "witness", "sweep": "sweep"}
STEPS = ("group", "release", "recount")
STAGES = ("compress", "search", "recode", "verify")


def measure(folder: Path, settings: Settings) -> Iterator[dict[str, Any]]:
    """Draw each table, run both recodings and the release by hand on it, and remove it again."""
    sizes = _QUICK_ROWS if settings.quick else [rows for rows in _ROWS if rows <= (settings.largest or _LARGEST)]
    known = known_rows("memory-growth", settings)
    tables = list(known.values())
    for rows in sizes:
        if rows not in known:
            tables.append(_measured(folder, rows))
            yield _body(tables)


def table(body: Mapping[str, Any]) -> str:
    """What the processes took, in Markdown."""
    lines = [
        f"People drawn from a census, 9 quasi-identifiers, k = {body['k']}, from Parquet to Parquet, `--memory-limit "
        f"{body['memory_limit']}`; bytes count all files, also in the system's cache; one run each. CPU seconds grow "
        "with the rows to the power of "
        + " and ".join(f"{power:.2f} ({name})" for name, power in body["exponents"].items() if power is not None)
        + ".",
        "",
        "| rows | combinations | file, GB | process | wall, s | CPU, s | " + " | ".join(STAGES) + " | peak memory, GB "
        "| GB read | GB written | |",
        "|---:|---:|---:|---|" + "---:|" * (len(STAGES) + 5) + "---|",
    ]
    for each in body["tables"]:
        of = [f"{each['rows']:,}", f"{each['combinations']:,}", f"{each['file_bytes'] / 1e9:.2f}"]
        lines += [_line([*of, name], each[name], _verdict(name, each)) for name in RUNS]
        lines += [_line(["", "", "", f"by hand: {step}"], taken, "") for step, taken in each["by hand"].items()]
    return "\n".join(lines)


def _line(of: list[str], taken: Mapping[str, Any], verdict: str) -> str:
    cells = [
        *of,
        f"{taken['seconds']:.1f}",
        f"{taken['cpu_seconds']:.1f}",
        *(f"{taken['stages'][stage]:.1f}" if "stages" in taken else "" for stage in STAGES),
        f"{taken['peak_memory'] / 1e9:.2f}",
        f"{taken['read_bytes'] / 1e9:.2f}",
        f"{taken['written_bytes'] / 1e9:.2f}",
        verdict,
    ]
    return "| " + " | ".join(cells) + " |"


def _verdict(name: str, each: Mapping[str, Any]) -> str:
    """The goals of a run: its memory and, of a full-domain one, its seconds by those of the release by hand."""
    met = ["memory met" if each[name]["peak_memory"] <= GOAL_MEMORY else "memory missed"]
    if name == "full-domain" and (ratio := each["ratio"]) is not None:
        met.append(f"{ratio:.2f} times by hand: {'met' if ratio <= GOAL else 'missed'}")
    return ", ".join(met)


def _measured(folder: Path, rows: int) -> dict[str, Any]:
    file = folder / "people.parquet"
    click.echo(f"growth: drawing {rows:,} people", err=True)
    drawn = run_module("shared.people", "large", str(rows), str(_SEED), str(file), folder=folder)
    try:
        runs, reports = dict[str, dict[str, Any]](), dict[str, dict[str, Any]]()
        for name, algorithm in RUNS.items():
            click.echo(f"growth: {rows:,} rows, {name}", err=True)
            job = _job(file) | {"algorithm": algorithm, "output": {"path": "release.parquet"}}
            (folder / "job.yaml").write_text(json.dumps(job), encoding="utf-8")
            done = run(
                [*starcloak(), "run", "job.yaml", "--json", "--memory-limit", _LIMIT], folder=folder, environment={}
            )
            reports[name] = json.loads(done.output)
            runs[name] = _taken(done) | {"stages": {stage: reports[name]["seconds"][stage] for stage in STAGES}}
            runs[name]["release_bytes"] = (folder / "release.parquet").stat().st_size
            for left in folder.glob("release.parquet*"):
                left.unlink()
        combinations, hand = _by_hand(file, rows, reports["full-domain"])
        whole = sum(hand[step]["seconds"] for step in STEPS) if rows <= BY_HAND else None
        return {
            "rows": rows,
            "combinations": combinations,
            "file_bytes": file.stat().st_size,
            "drawing": _taken(drawn),
            **runs,
            "by hand": hand,
            "ratio": None if whole is None else round(runs["full-domain"]["seconds"] / whole, 4),
            "skipped": None,
        }
    finally:
        file.unlink()


def _by_hand(file: Path, rows: int, report: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
    """The number of combinations, and the steps by hand; of a very large table, the first step alone.

    The release by hand must have the classes of the run's.
    """
    folder, taken, counted = file.parent, dict[str, dict[str, Any]](), dict[str, dict[str, int]]()
    for step in STEPS if rows <= BY_HAND else STEPS[:1]:
        click.echo(f"growth: by hand, {step}", err=True)
        if step == "release":
            (folder / "domain.json").write_text(
                json.dumps(_job(folder / by_hand.COMBINATIONS, "frequency")), encoding="utf-8"
            )
            levels = json.dumps(report["recoding"]["levels"])
            helper("shared.labels", "domain.json", levels, by_hand.LABELS, folder=folder)
        asked = (step, str(file), _LIMIT, str(cores()), *adult.ATTRIBUTES)
        done = run_module("shared.by_hand", *asked, folder=folder)
        taken[step], counted[step] = _taken(done), json.loads(done.output)
    for left in (by_hand.COMBINATIONS, by_hand.LABELS, by_hand.RELEASE):
        (folder / left).unlink(missing_ok=True)
    if "recount" in counted and counted["recount"]["classes"] != report["measures"]["classes"]:
        raise BenchmarkError("the release by hand has other classes than the run's")
    return counted["group"]["rows"], taken


def _job(file: Path, *identifiers: str) -> dict[str, Any]:
    job = adult.job(len(adult.ATTRIBUTES), k=_K)
    return job | {"source": {"path": str(file)}, "identifiers": list(identifiers)}


def _taken(done: Outcome) -> dict[str, Any]:
    """What a process took."""
    return {
        "seconds": round(done.seconds, 4),
        "cpu_seconds": round(done.cpu_seconds, 4),
        "peak_memory": done.peak_memory,
        "read_bytes": done.read_bytes,
        "written_bytes": done.written_bytes,
    }


def _body(tables: list[dict[str, Any]]) -> dict[str, Any]:
    costs = [{"rows": each["rows"], "skipped": None, **{n: each[n]["cpu_seconds"] for n in RUNS}} for each in tables]
    return {
        "seed": _SEED,
        "k": _K,
        "memory_limit": _LIMIT,
        "exponents": {name: exponent(costs, name, "rows") for name in RUNS},
        "tables": list(tables),
    }
