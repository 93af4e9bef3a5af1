"""A census-like table of 1, 10 and 100 million rows: seconds and peak memory of every stage."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from benchmarks.shared import adult
from benchmarks.shared.process import anonymize, helper
from benchmarks.shared.result import cores
from benchmarks.shared.settings import Settings

SEED = 1
ROWS = (1_000_000, 10_000_000, 100_000_000)
MEMORY_LIMIT = "4GB"
# The most that a run of the most rows may take, in times of the bare GROUP BY and the release's own write together.
GOAL = 1.5
STAGES = ("open", "compress", "star", "search", "recode", "verify", "publish")
_K = 5
_KINDS = ("whole", "mixed")
_QUICK_ROWS = (2_000,)
_QUICK_SIZE = 4


def measure(folder: Path, settings: Settings) -> Iterator[dict[str, Any]]:
    """Draw each table, count it by a bare GROUP BY, anonymize it with the default algorithm, and remove it again."""
    size = _QUICK_SIZE if settings.quick else len(adult.ATTRIBUTES)
    told = {"seed": SEED, "k": _K, "attributes": size, "memory_limit": MEMORY_LIMIT, "goal": GOAL}
    runs: list[dict[str, Any]] = []
    for rows in _QUICK_ROWS if settings.quick else ROWS:
        for kind in _KINDS:
            runs.append(_measure(folder, kind, rows, size, settings))
            yield {**told, "tables": runs}


def table(body: Mapping[str, Any]) -> str:
    """The stages as a Markdown table: seconds and peak memory of each, one row per table."""
    lines = [
        f"Census-like tables, {body['attributes']} attributes, k = {body['k']}, memory limit {body['memory_limit']}. "
        "Cells are seconds / peak memory in GB; medians. The combinations of a mixed table go on growing with its "
        "rows, those of a whole one stop.",
        "",
        f"| people | rows | combinations | file, GB | GROUP BY | {' | '.join(STAGES)} | total | process | "
        "total / (GROUP BY + recode) | |",
        "|---" + "|---:" * (len(STAGES) + 6) + "|---|",
    ]
    for each in body["tables"]:
        stages = [_shown(each["stages"][stage], each["stage_peaks"].get(stage)) for stage in STAGES]
        cells = [
            each["kind"],
            f"{each['rows']:,}",
            f"{each['combinations']:,}",
            f"{each['file_bytes'] / 1e9:.2f}",
            _shown(each["bare_seconds"], None),
            *stages,
            _shown(each["total_seconds"], None),
            _shown(each["process_seconds"], each["peak_memory"]),
            f"{each['ratio']:.2f}",
            "" if each["rows"] < ROWS[-1] else "met" if each["ratio"] <= body["goal"] else "missed",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _shown(seconds: float, peak: int | None) -> str:
    return f"{seconds:.2f}" + (f" / {peak / 1e9:.2f}" if peak else "")


def _measure(folder: Path, kind: str, rows: int, size: int, settings: Settings) -> dict[str, Any]:
    file = folder / f"{kind}.parquet"
    click.echo(f"scale: drawing {rows:,} {kind} people", err=True)
    began = time.perf_counter()
    drawn = helper("shared.people", kind, str(rows), str(SEED), str(file), folder=folder)
    drawing = time.perf_counter() - began
    threads = str(cores())
    options = ("--memory-limit", MEMORY_LIMIT, "--threads", threads)
    job = adult.job(size, k=_K) | {"source": {"path": str(file)}, "identifiers": []}
    bare, done = [], []
    try:
        for turn in range(settings.runs):
            click.echo(f"scale: {rows:,} {kind} people, run {turn + 1} of {settings.runs}", err=True)
            bare.append(
                helper("shared.bare", str(file), MEMORY_LIMIT, threads, *adult.ATTRIBUTES[:size], folder=folder)
            )
            done.append(anonymize(job, *options, folder=folder, output="release.parquet", sample=True))
    finally:
        file.unlink()
    ratios = [
        each.report["seconds"]["total"] / (plain["seconds"] + each.report["seconds"]["recode"])
        for plain, each in zip(bare, done, strict=True)
    ]
    sampled = [each.stage_peaks for each in done]
    return {
        "kind": kind,
        "rows": rows,
        "combinations": bare[-1]["combinations"],
        "file_bytes": drawn["bytes"],
        "drawing_seconds": round(drawing, 4),
        "bare_seconds": _median([plain["seconds"] for plain in bare]),
        "stages": {stage: _median([each.report["seconds"][stage] for each in done]) for stage in STAGES},
        "stage_peaks": {stage: max(peaks) for stage in STAGES if (peaks := [p[stage] for p in sampled if stage in p])},
        "total_seconds": _median([each.report["seconds"]["total"] for each in done]),
        "process_seconds": _median([each.seconds for each in done]),
        "peak_memory": max(each.peak_memory for each in done),
        "ratio": _median(ratios),
        "ratios": [round(ratio, 4) for ratio in ratios],
        "search": {name: done[-1].report["search"][name] for name in ("lattice_nodes", "checked", "anonymous_nodes")},
    }


def _median(values: list[float]) -> float:
    return round(statistics.median(values), 4)
