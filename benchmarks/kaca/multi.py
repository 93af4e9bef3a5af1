"""Why Li, Wong, Fu, Pei 2008, section 8, find KACA2 better than Multi in DM and CAVG, and Figures 4 and 5 here do not.

Their Multi has no hierarchies: attributes are ordered, and cut at the median (LeFevre, DeWitt, Ramakrishnan 2006). So
categories become their places in an order here, and every attribute is numeric: in the order of the texts, and in that
of how many rows a value has. Beside it are Multi along hierarchies, KACA1, and KACA2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import pandas

from benchmarks.classification import labelled
from benchmarks.kaca.paper_2008 import FIXED_SIZE, KS, MAX_INCONSISTENCY
from benchmarks.shared import adult
from benchmarks.shared.clusterings import ATTRIBUTES_2008, HEIGHT_WEIGHTS, SCHEMA_2008, grid, job
from benchmarks.shared.process import anonymize
from benchmarks.shared.settings import Settings

ALONG = "Multi along hierarchies"
KACA1, KACA2 = "KACA1", "KACA2"
MEASURES = {"DM": "discernibility", "CAVG": "average_class_size"}
_QUICK_KS, _QUICK_SIZE = (10,), 3
_ORDERS = ("texts", "rows")
_LEVELS = ("global_levels", "lowest_levels")
_KACA = {"name": "kaca", "weights": HEIGHT_WEIGHTS}
_BY_HIERARCHY: dict[str, dict[str, Any]] = {
    ALONG: {"name": "mondrian"},
    KACA1: {**_KACA, "variant": "kaca1"},
    KACA2: {**_KACA, "variant": "kaca2", "max_inconsistency": MAX_INCONSISTENCY},
}


def measure(folder: Path, settings: Settings) -> Iterator[dict[str, Any]]:
    """Measure every way for every k, once."""
    environment = adult.environment()
    table = labelled.load("Adult") if environment else None
    if table is None:
        yield {"skipped": adult.MISSING}
        return
    attributes = ATTRIBUTES_2008[: _QUICK_SIZE if settings.quick else FIXED_SIZE]
    jobs = {name: job(SCHEMA_2008, attributes, each, k=2, seed=1) for name, each in _BY_HIERARCHY.items()}
    for order in _ORDERS:
        path = folder / f"by-{order}.parquet"
        table.frame[list(attributes)].apply(_places, order=order).to_parquet(path)
        for relaxed in (False, True):
            jobs[f"Multi ordered by {order}{', relaxed' if relaxed else ''}"] = {
                "source": {"path": str(path)},
                "quasi_identifiers": dict.fromkeys(attributes, "numeric"),
                "algorithm": {"name": "mondrian", "relaxed": relaxed},
            }
    cells: list[dict[str, Any]] = []
    for k in _QUICK_KS if settings.quick else KS:
        for name, described in jobs.items():
            click.echo(f"multi: {name}, k = {k}", err=True)
            asked = {**described, "requirement": {"k": k}}
            report = anonymize(asked, folder=folder, output="release.parquet", environment=environment).report
            measured = {key: report["measures"][of] for key, of in MEASURES.items()}
            levels = {key: report["search"]["clustering"][key] for key in _LEVELS} if name == KACA2 else {}
            cells.append({"way": name, "k": k, **measured, **levels})
            yield {"attributes": attributes, "max_inconsistency": MAX_INCONSISTENCY, "cells": cells}


def _places(column: pandas.Series[Any], *, order: str) -> pandas.Series[Any]:
    """A column's numbers, or of its texts the places in an order."""
    if pandas.api.types.is_numeric_dtype(column):
        return column
    values = sorted(column.unique()) if order == "texts" else list(column.value_counts().index)
    return column.map({value: place for place, value in enumerate(values)})


def table(body: Mapping[str, Any]) -> str:
    """DM and CAVG by k, and what KACA2 raises before and after it clusters."""
    if "skipped" in body:
        return f"skipped: {body['skipped']}"
    cells = {(cell["way"], cell["k"]): cell for cell in body["cells"]}
    ways, ks = (list(dict.fromkeys(key[place] for key in cells)) for place in range(2))
    lines = [
        f"Adult, {len(body['attributes'])} attributes, one seed; KACA with height weights, KACA2 with a maximum "
        f"inconsistency of {body['max_inconsistency']}. An ordered Multi has numbers alone, categories by their places."
    ]
    for measure, shown in (("DM", ",.0f"), ("CAVG", ".4f")):
        rows = {way: [format(cells[way, k][measure], shown) if (way, k) in cells else "" for k in ks] for way in ways}
        lines += grid(f"{measure} by k", "k", ks, rows)
    rows = {
        told: [" ".join(map(str, cells[KACA2, k][key])) if (KACA2, k) in cells else "" for k in ks]
        for told, key in zip(("before it clusters", "after"), _LEVELS, strict=True)
    }
    lines += grid(f"The levels to which KACA2 raises {', '.join(body['attributes'])}", "k", ks, rows)
    return "\n".join(lines)
