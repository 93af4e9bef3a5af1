"""The sweep on Adult blown up: time and memory by the number of tuples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.shared import adult, grown
from benchmarks.shared.clusterings import ATTRIBUTES_2008
from benchmarks.shared.process import Anonymized
from benchmarks.shared.settings import Settings

#: Of the whole process with a million rows, and of its growth in tuples.
GOAL_SECONDS = 45.0
GOAL_MEMORY = 2e9
GOAL = 1.3
# A run of a million rows may take so many times the limit.
_PATIENCE = 10
_COLUMNS: tuple[grown.Column, ...] = (
    ("tuples", lambda row: f"{row['tuples']:,}"),
    ("classes", lambda row: f"{row['classes']:,}"),
    ("visits", lambda row: f"{row['visits']:,}"),
    ("loss", lambda row: f"{row['loss']:.4f}"),
    *grown.COSTS,
)


def measure(folder: Path, settings: Settings) -> Iterator[dict[str, Any]]:
    """Blow Adult up and sweep it, once for each number of rows."""
    environment = adult.environment()
    if environment is None:
        yield {"skipped": adult.MISSING}
        return
    limit = _PATIENCE * settings.limit
    tables: list[dict[str, Any]] = []
    for each in grown.rows_of_runs(
        "sweep", _told, result="local-growth", settings=settings, limit=limit, folder=folder, environment=environment
    ):
        tables.append(each)
        yield _body(tables)


def _told(done: Anonymized) -> dict[str, Any]:
    sweep = done.report["search"]["sweep"]
    loss = {"loss": done.report["measures"]["loss"]}
    return {name: sweep[name] for name in ("tuples", "classes", "visits")} | loss


def _body(tables: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "seed": grown.SEED,
        "k": grown.K,
        "attributes": ATTRIBUTES_2008,
        "memory_limit": grown.MEMORY_LIMIT,
        "goals": {"seconds": GOAL_SECONDS, "memory": GOAL_MEMORY, "exponent": GOAL},
        "exponent": grown.exponent(tables, "process_seconds", "tuples"),
        "tables": tables,
    }


def table(body: Mapping[str, Any]) -> str:
    """Seconds and memory as a Markdown table, and the exponent."""
    if "skipped" in body:
        return f"skipped: {body['skipped']}"
    lines = [
        f"Adult blown up, {len(body['attributes'])} attributes, k = {body['k']}, memory limit "
        f"{body['memory_limit']} beside the arrays; one run each.",
        "",
        *grown.table(body["tables"], _COLUMNS),
    ]
    goals = body["goals"]
    lines += ["", f"Goals: a million rows in {goals['seconds']:g} s within {goals['memory'] / 1e9:g} GB"]
    if body["exponent"] is not None:
        lines[-1] += f"; time grows with exponent {body['exponent']:.2f} in tuples, goal {goals['exponent']:g}"
    return "\n".join(lines) + "."
