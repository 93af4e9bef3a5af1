"""Rounds against the paper's loop on the whole of Adult, which takes the loop its time: a section of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.kaca import rounds
from benchmarks.shared import adult
from benchmarks.shared.clusterings import ATTRIBUTES_2008
from benchmarks.shared.result import table as entries_table
from benchmarks.shared.settings import Settings

_QUICK_SIZE = 1


def measure(folder: Path, settings: Settings) -> Iterator[dict[str, Any]]:
    """Both executions, with as many seeds as there are runs."""
    if adult.environment() is None:
        yield {"skipped": adult.MISSING}
        return
    attributes = ATTRIBUTES_2008[:_QUICK_SIZE] if settings.quick else ATTRIBUTES_2008
    for entry in rounds.compared("adult", "Adult", attributes, {}, settings.runs, folder, settings):
        yield {"k": rounds.K, "entries": [entry.to_dict()], "table": entries_table([entry])}


def table(body: Mapping[str, Any]) -> str:
    """The entry as a Markdown table."""
    return rounds.table(body)
