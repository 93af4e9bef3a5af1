"""Fung, Wang, Yu 2007, Figure 6b, between the k of the other figures: whether AE stays below BE up to k = 180."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from benchmarks.classification import classifiers, labelled
from benchmarks.classification.errors import SCORE, errors_of, masked
from benchmarks.shared import adult
from benchmarks.shared.clusterings import grid
from benchmarks.shared.settings import Settings

CLASSIFIER = "naive Bayes"
KS = (100, 120, 140, 160, 180)
TOPS = (5, 7)
_QUICK_KS = (180,)


def measure(folder: Path, settings: Settings) -> Iterator[dict[str, Any]]:
    """The errors of one classifier on the masked table."""
    table = labelled.load("Adult") if adult.environment() else None
    if table is None:
        yield {"skipped": adult.MISSING}
        return
    known = {CLASSIFIER: classifiers.all_of(None)[CLASSIFIER]}
    ks = _QUICK_KS if settings.quick else KS
    found: dict[str, list[float]] = {f"Top{top}": [] for top in TOPS}
    body = {"ks": ks, "BE": errors_of(table.frame, table.attributes, known)[CLASSIFIER], "AE": found}
    for k in ks:
        for top in TOPS:
            click.echo(f"between: Top{top}, k = {k}", err=True)
            hierarchies = table.hierarchies(list(table.ranked[:top]), generalize=True)
            released = masked(table, hierarchies, SCORE, {"k": k}).to_pandas()
            found[f"Top{top}"].append(errors_of(released, table.attributes, known)[CLASSIFIER])
        yield body


def table(body: Mapping[str, Any]) -> str:
    """The errors in percent."""
    if "skipped" in body:
        return f"skipped: {body['skipped']}"
    rows = {f"{top}: AE": [f"{100 * error:.2f}" for error in errors] for top, errors in body["AE"].items()}
    return "\n".join(grid(f"Figure 6b, {CLASSIFIER}: BE {100 * body['BE']:.2f}", "k", body["ks"], rows))
