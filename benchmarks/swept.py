"""The sweep on Adult blown up: time and memory by the number of tuples."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from benchmarks import adult
from benchmarks.clusterings import ATTRIBUTES_2008
from benchmarks.local_recoding_2008 import SCHEMA
from benchmarks.process import TooLong, anonymize, helper
from benchmarks.settings import Settings

SEED = 1
ROWS = (100_000, 250_000, 500_000, 1_000_000)
#: Of the whole process with a million rows, and of its growth in tuples.
GOAL_SECONDS = 45.0
GOAL_MEMORY = 2e9
GOAL = 1.3
_K = 10
_QUICK_ROWS = (1_000, 2_000)
# A run of a million rows may take so many times the limit.
_PATIENCE = 10


def measure(folder: Path, settings: Settings) -> Iterator[dict[str, Any]]:
    """Blow Adult up and sweep it, once for each number of rows."""
    environment = adult.environment()
    if environment is None:
        yield {"skipped": adult.MISSING}
        return
    tables: list[dict[str, Any]] = []
    for rows in _QUICK_ROWS if settings.quick else ROWS:
        click.echo(f"growth: {rows:,} rows", err=True)
        file = folder / "blown_up.parquet"
        helper("blown_up", str(rows), str(SEED), str(file), *ATTRIBUTES_2008, folder=folder, environment=environment)
        job = {
            "source": {"path": str(file)},
            "schema": SCHEMA,
            "identifiers": [],
            "sensitive": [],
            "requirement": {"k": _K},
            "algorithm": {"name": "sweep"},
        }
        limit = _PATIENCE * settings.limit
        try:
            done = anonymize(job, folder=folder, output="release.parquet", limit=limit)
        except TooLong:
            tables.append({"rows": rows, "skipped": f"> {limit:g} s"})
            yield _body(tables)
            return
        finally:
            file.unlink()
        told = done.report["search"]["sweep"]
        tables.append(
            {
                "rows": rows,
                "skipped": None,
                "tuples": told["tuples"],
                "classes": told["classes"],
                "visits": told["visits"],
                "loss": done.report["measures"]["loss"],
                "search_seconds": done.report["seconds"]["search"],
                "process_seconds": round(done.seconds, 4),
                "cpu_seconds": round(done.cpu_seconds, 4),
                "peak_memory": done.peak_memory,
            }
        )
        yield _body(tables)


def _body(tables: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    measured = [each for each in tables if not each["skipped"]]
    exponent = None
    if len(measured) > 1:
        first, last = measured[0], measured[-1]
        exponent = round(
            math.log(last["process_seconds"] / first["process_seconds"]) / math.log(last["tuples"] / first["tuples"]), 3
        )
    return {
        "seed": SEED,
        "k": _K,
        "attributes": ATTRIBUTES_2008,
        "goals": {"seconds": GOAL_SECONDS, "memory": GOAL_MEMORY, "exponent": GOAL},
        "exponent": exponent,
        "tables": tables,
    }


def table(body: Mapping[str, Any]) -> str:
    """Seconds and memory as a Markdown table, and the exponent."""
    if "skipped" in body:
        return f"skipped: {body['skipped']}"
    lines = [
        f"Adult blown up, {len(body['attributes'])} attributes, k = {body['k']}; one run each.",
        "",
        "| rows | tuples | classes | visits | loss | search, s | process, s | its CPU, s | peak memory, GB |",
        "|---:" * 9 + "|",
    ]
    for each in body["tables"]:
        if each["skipped"]:
            lines.append(f"| {each['rows']:,} | | | | | | {each['skipped']} | | |")
            continue
        lines.append(
            f"| {each['rows']:,} | {each['tuples']:,} | {each['classes']:,} | {each['visits']:,} | "
            f"{each['loss']:.4f} | {each['search_seconds']:.1f} | {each['process_seconds']:.1f} | "
            f"{each['cpu_seconds']:.1f} | {each['peak_memory'] / 1e9:.2f} |"
        )
    goals = body["goals"]
    lines += ["", f"Goals: a million rows in {goals['seconds']:g} s within {goals['memory'] / 1e9:g} GB"]
    if body["exponent"] is not None:
        lines[-1] += f"; time grows with exponent {body['exponent']} in tuples, goal {goals['exponent']:g}"
    return "\n".join(lines) + "."
