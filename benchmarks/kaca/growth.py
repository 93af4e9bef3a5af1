"""Local recoding of Adult blown up to as many as a million rows: time by the number of equivalence classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.shared import adult, grown
from benchmarks.shared.clusterings import ATTRIBUTES_2008
from benchmarks.shared.process import Anonymized
from benchmarks.shared.settings import Settings

# Time grows with less than this exponent in the number of equivalence classes.
GOAL = 1.5
_QUICK_SIZE = 4
# A run of a million rows may take so many times the limit: it needs about a thousand seconds of one core.
_PATIENCE = 20
_COLUMNS: tuple[grown.Column, ...] = (
    ("classes", lambda row: f"{row['classes']:,}"),
    ("released", lambda row: f"{row['released_classes']:,}"),
    ("rounds", lambda row: str(row["rounds"])),
    *grown.COSTS,
)


def measure(folder: Path, settings: Settings) -> Iterator[dict[str, Any]]:
    """Blow Adult up and anonymize it, once for each number of rows."""
    environment = adult.environment()
    if environment is None:
        yield {"skipped": adult.MISSING}
        return
    attributes = ATTRIBUTES_2008[:_QUICK_SIZE] if settings.quick else ATTRIBUTES_2008
    tables: list[dict[str, Any]] = []
    for each in grown.rows_of_runs(
        "kaca",
        _told,
        attributes=attributes,
        result="kaca-growth",
        settings=settings,
        limit=_PATIENCE * settings.limit,
        folder=folder,
        environment=environment,
    ):
        tables.append(each)
        yield _body(attributes, tables)


def _told(done: Anonymized) -> dict[str, Any]:
    search = done.report["search"]["clustering"]
    return {"classes": search["started"], "released_classes": search["classes"], "rounds": search["rounds"]}


def _body(attributes: Sequence[str], tables: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "seed": grown.SEED,
        "k": grown.K,
        "attributes": attributes,
        "memory_limit": grown.MEMORY_LIMIT,
        "goal": GOAL,
        "exponent": grown.exponent(tables, "cpu_seconds", "classes"),
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
        *grown.table(body["tables"], _COLUMNS),
    ]
    if body["exponent"] is not None:
        verdict = "met" if body["exponent"] < body["goal"] else "missed"
        lines += [
            "",
            f"Exponent of the process's CPU time in the number of classes: {body['exponent']:.2f}; "
            f"goal < {body['goal']}: {verdict}. What else runs on the machine lengthens its seconds far more.",
        ]
    return "\n".join(lines)
