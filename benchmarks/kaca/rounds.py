"""Rounds against the paper's loop, one class per step, in the same run; and the whole process as a user starts it."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from benchmarks.shared import adult
from benchmarks.shared.clusterings import ATTRIBUTES_2008, SCHEMA_2008, job
from benchmarks.shared.process import Anonymized, TooLong, anonymize, helper
from benchmarks.shared.result import Entry, Figure
from benchmarks.shared.result import table as entries_table
from benchmarks.shared.settings import Settings

SEED = 1
K = 10
#: What each is called here, with its execution.
_EXECUTIONS = {"rounds": "neighbours", "sequential": "sequential"}
# One step after another over all of Adult takes long, so the executions are compared on samples of it: rows and seeds.
# The section ``sequential`` has the whole table.
SAMPLES = {1_000: 5, 5_000: 1}
_QUICK_SAMPLES = {500: 1}
_QUICK_SIZE = 4
_PROCESS_GOAL = 12.0
_SPEED_GOAL = 15.0
_DISTORTION_GOAL = 1.02
# The paper's loop may take so many times the limit.
_PATIENCE = 10
_MORE_PATIENCE = 60


def measure(folder: Path, settings: Settings) -> dict[str, Any]:
    """Measure the whole process of the default execution, then both executions on the same tables."""
    environment = adult.environment()
    if environment is None:
        return {"skipped": adult.MISSING}
    attributes = ATTRIBUTES_2008[:_QUICK_SIZE] if settings.quick else ATTRIBUTES_2008
    entries = [_process(attributes, folder, settings)]
    for rows, seeds in (_QUICK_SAMPLES if settings.quick else SAMPLES).items():
        file = folder / "sample.parquet"
        helper(
            "shared.blown_up", str(rows), str(SEED), str(file), *ATTRIBUTES_2008, folder=folder, environment=environment
        )
        place = {"source": {"path": str(file)}, "identifiers": [], "sensitive": []}
        what = f"{rows:,} rows of Adult, a sample"
        *_, entry = compared(f"sample-{rows}", what, attributes, place, seeds, folder, settings)
        entries.append(entry)
        file.unlink()
    return {
        "k": K,
        "limit_seconds": settings.limit,
        "entries": [entry.to_dict() for entry in entries],
        "table": entries_table(entries),
    }


def table(body: Mapping[str, Any]) -> str:
    """The entries as a Markdown table."""
    return f"skipped: {body['skipped']}" if "skipped" in body else str(body["table"])


def _process(attributes: tuple[str, ...], folder: Path, settings: Settings) -> Entry:
    what = f"Adult, {len(attributes)} attributes, k = {K}"
    done = []
    for turn in range(settings.runs):
        click.echo(f"speed: {what}, run {turn + 1} of {settings.runs}", err=True)
        done.append(_run(attributes, {}, "neighbours", SEED, folder, None))
    goal = None if settings.quick else _PROCESS_GOAL
    figures = (
        Figure("process seconds", "s", tuple(each.seconds for each in done), goal=goal),
        Figure("search", "s", tuple(each.report["seconds"]["search"] for each in done)),
        Figure("CPU of the process", "s", tuple(each.cpu_seconds for each in done)),
    )
    search = done[-1].report["search"]["clustering"]
    return Entry("process", what, figures, facts={name: search[name] for name in ("started", "classes", "rounds")})


def compared(
    name: str,
    what: str,
    attributes: tuple[str, ...],
    place: Mapping[str, Any],
    seeds: int,
    folder: Path,
    settings: Settings,
) -> Iterator[Entry]:
    """Both executions with the same seeds: how much faster rounds are, and the distortions, after every seed."""
    what = f"{what}, {len(attributes)} attributes, k = {K}"
    limit = (_PATIENCE if place else _MORE_PATIENCE) * settings.limit
    done: dict[str, list[Anonymized]] = {"rounds": [], "sequential": []}
    for seed in range(1, seeds + 1):
        for execution, runs in done.items():
            click.echo(f"speed: {what}, {execution}, seed {seed}", err=True)
            try:
                runs.append(_run(attributes, place, _EXECUTIONS[execution], seed, folder, limit))
            except TooLong:
                if seed == 1:
                    yield Entry(name, what, skipped=f"{execution} took more than {limit:g} s")
                return
        yield _entry(name, what, done, judged=not settings.quick and not place)


def _entry(name: str, what: str, done: Mapping[str, Sequence[Anonymized]], *, judged: bool) -> Entry:
    seconds = {execution: tuple(each.report["seconds"]["search"] for each in runs) for execution, runs in done.items()}
    distortions = {
        execution: tuple(each.report["measures"]["distortion"] for each in runs) for execution, runs in done.items()
    }
    ratio = statistics.fmean(distortions["rounds"]) / statistics.fmean(distortions["sequential"])
    faster = tuple(slow / fast for slow, fast in zip(seconds["sequential"], seconds["rounds"], strict=True))
    figures = (
        Figure("sequential / rounds", "ratio", faster, goal=_SPEED_GOAL if judged else None, at_least=True),
        Figure("distortion of rounds / of sequential, means", "ratio", (ratio,), goal=_DISTORTION_GOAL),
        Figure("rounds: search", "s", seconds["rounds"]),
        Figure("sequential: search", "s", seconds["sequential"]),
        Figure("rounds: CPU of the process", "s", tuple(each.cpu_seconds for each in done["rounds"])),
        Figure("sequential: CPU of the process", "s", tuple(each.cpu_seconds for each in done["sequential"])),
    )
    facts = {
        "seeds": len(faster),
        "classes": done["rounds"][-1].report["search"]["clustering"]["started"],
        "rounds": done["rounds"][-1].report["search"]["clustering"]["rounds"],
        "steps": done["sequential"][-1].report["search"]["clustering"]["rounds"],
        "mean distortion of rounds": round(statistics.fmean(distortions["rounds"]), 1),
        "mean distortion of sequential": round(statistics.fmean(distortions["sequential"]), 1),
    }
    return Entry(name, what, figures, facts=facts)


def _run(
    attributes: tuple[str, ...],
    place: Mapping[str, Any],
    execution: str,
    seed: int,
    folder: Path,
    limit: float | None,
) -> Anonymized:
    described = job(SCHEMA_2008, attributes, {"name": "kaca", "execution": execution}, k=K, seed=seed)
    environment = adult.environment()
    return anonymize({**described, **place}, folder=folder, output="release.csv", environment=environment, limit=limit)
