"""Fung, Wang, Yu 2007, section 5.1: the TopN attributes as C4.5 ranks them, beside the paper's order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from benchmarks.classification import classifiers, labelled
from benchmarks.shared import adult
from benchmarks.shared.settings import Settings

_TABLES = ("Adult", "CRX", "German")


def measure(folder: Path, settings: Settings) -> Iterator[dict[str, Any]]:
    """Rank as many attributes of each table as the paper does."""
    if adult.environment() is None or settings.weka is None:
        yield {"skipped": adult.MISSING if settings.weka else "Weka is not at hand: give --weka"}
        return
    orders: dict[str, dict[str, list[str]]] = {}
    for name in _TABLES[1:2] if settings.quick else _TABLES:
        table = labelled.load(name)
        if table is not None:
            click.echo(f"ranking: {name}", err=True)
            here = classifiers.ranked(settings.weka, table.frame, table.attributes, len(table.ranked))
            orders[name] = {"paper": list(table.ranked), "here": here}
        yield {"orders": orders}


def table(body: Mapping[str, Any]) -> str:
    """The orders side by side."""
    if "skipped" in body:
        return f"skipped: {body['skipped']}"
    lines = ["The attributes by rank: that at the top of C4.5's tree of the training rows, and again without it."]
    for name, orders in body["orders"].items():
        lines += ["", f"| {name} | the paper | here |", "|---:|---|---|"]
        pairs = zip(orders["paper"], orders["here"], strict=True)
        lines += [f"| {rank} | {there} | {here} |" for rank, (there, here) in enumerate(pairs, 1)]
    return "\n".join(lines)
