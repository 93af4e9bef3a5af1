"""Fung, Wang, Yu 2007, Figure 11: seconds of TDR by number of rows, k = 50: all fourteen attributes, several QIDs."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from benchmarks.classification.several_qids import drawn
from benchmarks.shared import adult
from benchmarks.shared.process import ROOT, TooLong, anonymize
from benchmarks.shared.settings import Settings

K = 50
GOAL_SECONDS = 15
ROWS = (200_000, 400_000, 600_000, 800_000, 1_000_000)
_QUICK_ROWS = (5_000,)
_CLASS = "salary-class"
_ATTRIBUTES = [name for name in (*adult.ATTRIBUTES, *adult.FURTHER) if name != _CLASS]
_STAGES = ("compress", "star", "search")


def measure(folder: Path, settings: Settings) -> Iterator[dict[str, Any]]:
    """Every size with the single QID, and with several: thirty requirements, the same at every size."""
    environment = adult.environment()
    if environment is None:
        yield {"skipped": adult.MISSING}
        return
    sizes = _QUICK_ROWS if settings.quick else ROWS
    tables: list[dict[str, Any]] = []
    for rows in sizes:
        file = folder / f"blown-up-{rows}.parquet"
        command = [
            sys.executable,
            "-m",
            "benchmarks.shared.blown_up",
            str(rows),
            "1",
            str(file),
            *_ATTRIBUTES,
            "--",
            _CLASS,
        ]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        several = [drawn(_ATTRIBUTES, seed) for seed in range(1, 2 if settings.quick else 31)]
        single = [_run(file, {"k": K}, folder, environment, settings) for _ in range(settings.runs)]
        each = [
            _run(file, {"qids": [{"attributes": qid, "k": K} for qid in qids]}, folder, environment, settings)
            for qids in several
        ]
        tables.append({"rows": rows, "single": single, "several": each})
        file.unlink()
        yield {"k": K, "goal_seconds": GOAL_SECONDS, "stages": _STAGES, "tables": tables}


def _run(
    file: Path, requirement: Mapping[str, Any], folder: Path, environment: Mapping[str, str], settings: Settings
) -> dict[str, Any]:
    click.echo(f"{file.stem}: {json.dumps(requirement)[:60]}", err=True)
    named = {name for qid in requirement.get("qids", ()) for name in qid["attributes"]} or set(_ATTRIBUTES)
    job = {
        "source": {"path": str(file)},
        "schema": "adult/top-down-refinement-2007",
        "quasi_identifiers": [name for name in _ATTRIBUTES if name in named],
        "requirement": dict(requirement),
        "algorithm": {"name": "tdr", "class": _CLASS},
    }
    try:
        done = anonymize(
            job, folder=folder, output="release.parquet", environment=dict(environment), limit=10 * settings.limit
        )
    except TooLong:
        return {"seconds": None, "process_seconds": None, "cpu_seconds": None, "refinements": None, "stages": None}
    return {
        "seconds": round(sum(done.report["seconds"][stage] for stage in _STAGES), 4),
        "process_seconds": round(done.seconds, 4),
        "cpu_seconds": round(done.cpu_seconds, 4),
        "refinements": len(done.report["search"]["refinement"]["steps"]),
        "stages": done.report["seconds"],
    }


def table(body: Mapping[str, Any]) -> str:
    """Seconds by rows, and the goal."""
    if "skipped" in body:
        return f"skipped: {body['skipped']}"
    lines = [
        f"Adult blown up, k = {body['k']}, generalize and discretize; medians. Seconds: {', '.join(body['stages'])}, "
        "without reading and writing. Process: seconds of the whole process, reading and writing included. Cores: the "
        "seconds that its cores were busy, together. Several QIDs: random requirements as the paper's.",
        "",
        "| rows | QIDs | requirements | seconds | process | cores | refinements |",
        "|---:|---|" + "---:|" * 5,
    ]
    for size in body["tables"]:
        for kind, name, requirements in (("single", "one, of 14 attributes", 1), ("several", "several", None)):
            if size[kind]:
                shown = [_median(size[kind], what) for what in ("seconds", "process_seconds", "cpu_seconds")]
                done = _median(size[kind], "refinements")
                count = requirements or len(size[kind])
                lines.append(f"| {size['rows']:,} | {name} | {count} | {' | '.join([*shown, done])} |")
    first, last = body["tables"][0], body["tables"][-1]
    if stages := [run["stages"] for run in last["single"] if run["stages"]]:
        told = (f"{stage} {statistics.median(run[stage] for run in stages):.2f}" for stage in stages[0])
        lines += ["", f"Seconds of every stage at {last['rows']:,} rows, one QID: {', '.join(told)}."]
    if last["rows"] != ROWS[-1]:
        return "\n".join(lines)
    seconds, before = _known(last["single"]), _known(first["single"])
    met = "met" if seconds and statistics.median(seconds) <= body["goal_seconds"] else "missed"
    lines += ["", f"Goal, 1,000,000 rows, one QID: at most {body['goal_seconds']} s, {met}. The paper: 80 s."]
    if seconds and before:
        times, rows = statistics.median(seconds) / statistics.median(before), last["rows"] / first["rows"]
        grown = f"{rows:g} times the rows, {times:.2f} times the seconds"
        met = "met" if times <= rows else "missed"
        lines += ["", f"Goal, linear from {first['rows']:,} rows: {grown}, {met}."]
    return "\n".join(lines)


def _known(runs: Sequence[Mapping[str, Any]]) -> list[float]:
    """The seconds of the runs that ended."""
    return [run["seconds"] for run in runs if run["seconds"] is not None]


def _median(runs: list[dict[str, Any]], what: str) -> str:
    known = [run[what] for run in runs if run[what] is not None]
    return f"{statistics.median(known):.2f}" if known else "-"
