"""Local recoding of Adult blown up to as many as a million rows: time by the number of equivalence classes."""

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
from benchmarks.result import cores
from benchmarks.settings import Settings

SEED = 1
ROWS = (100_000, 250_000, 500_000, 1_000_000)
MEMORY_LIMIT = "4GB"
# Time grows with less than this exponent in the number of equivalence classes.
GOAL = 1.5
_K = 10
_QUICK_ROWS = (1_000, 2_000)
_QUICK_SIZE = 4
# A run of a million rows may take so many times the limit: it needs about a thousand seconds of one core.
_PATIENCE = 20


def measure(folder: Path, settings: Settings) -> Iterator[dict[str, Any]]:
    """Blow Adult up and anonymize it, once for each number of rows."""
    environment = adult.environment()
    if environment is None:
        yield {"skipped": adult.MISSING}
        return
    attributes = ATTRIBUTES_2008[:_QUICK_SIZE] if settings.quick else ATTRIBUTES_2008
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
            "quasi_identifiers": list(attributes),
            "requirement": {"k": _K},
            "algorithm": {"name": "kaca"},
        }
        options = ("--memory-limit", MEMORY_LIMIT, "--threads", str(cores()))
        limit = _PATIENCE * settings.limit
        try:
            done = anonymize(job, *options, folder=folder, output="release.parquet", limit=limit)
        except TooLong:
            tables.append({"rows": rows, "skipped": f"> {limit:g} s"})
            yield _body(attributes, tables)
            return
        finally:
            file.unlink()
        search = done.report["search"]["clustering"]
        tables.append(
            {
                "rows": rows,
                "skipped": None,
                "classes": search["started"],
                "released_classes": search["classes"],
                "rounds": search["rounds"],
                "search_seconds": done.report["seconds"]["search"],
                "process_seconds": round(done.seconds, 4),
                "cpu_seconds": round(done.cpu_seconds, 4),
                "peak_memory": done.peak_memory,
            }
        )
        yield _body(attributes, tables)


def _body(attributes: Sequence[str], tables: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    measured = [each for each in tables if not each["skipped"]]
    return {
        "seed": SEED,
        "k": _K,
        "attributes": attributes,
        "memory_limit": MEMORY_LIMIT,
        "goal": GOAL,
        "exponent": _exponent(measured),
        "tables": tables,
    }


def table(body: Mapping[str, Any]) -> str:
    """Seconds and memory as a Markdown table, and the exponent."""
    if "skipped" in body:
        return f"skipped: {body['skipped']}"
    lines = [
        f"Adult blown up, {len(body['attributes'])} attributes, k = {body['k']}, memory limit {body['memory_limit']}; "
        "one run each.",
        "",
        "| rows | classes | released | rounds | search, s | process, s | its CPU, s | peak memory, GB |",
        "|---:" * 8 + "|",
    ]
    for each in body["tables"]:
        if each["skipped"]:
            lines.append(f"| {each['rows']:,} | | | | {each['skipped']} | | | |")
            continue
        cells = [
            f"{each['rows']:,}",
            f"{each['classes']:,}",
            f"{each['released_classes']:,}",
            str(each["rounds"]),
            f"{each['search_seconds']:.1f}",
            f"{each['process_seconds']:.1f}",
            f"{each['cpu_seconds']:.1f}",
            f"{each['peak_memory'] / 1e9:.2f}",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    if body["exponent"] is not None:
        verdict = "met" if body["exponent"] < body["goal"] else "missed"
        lines += [
            "",
            f"Exponent of the process's CPU time in the number of classes: {body['exponent']:.2f}; "
            f"goal < {body['goal']}: {verdict}. What else runs on the machine lengthens its seconds far more.",
        ]
    return "\n".join(lines)


def _exponent(tables: Sequence[Mapping[str, Any]]) -> float | None:
    """The slope of the least-squares line through the logarithms."""
    points = [(math.log(each["classes"]), math.log(each["cpu_seconds"])) for each in tables]
    if len(points) < 2:
        return None
    middle, height = (sum(values) / len(points) for values in zip(*points, strict=True))
    across = sum((x - middle) ** 2 for x, _ in points)
    return round(sum((x - middle) * (y - height) for x, y in points) / across, 4) if across else None
