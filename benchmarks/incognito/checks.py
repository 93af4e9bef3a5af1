"""How many nodes a search checks, beside what anonbench published of OLA, Flash and others on ARX's Adult.

anonbench (Prasser, Kohlmayer, Kuhn 2014): k = 5, recursive (4, 3)-diversity and 0.2-closeness by the hierarchy of
occupation, no row left out, eight quasi-identifiers. Its other four tables (cup, fars, atus, ihis) are not to be had.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from benchmarks.local import arx_adult
from benchmarks.shared.process import anonymize
from benchmarks.shared.settings import Settings

ATTRIBUTES = ("age", "education", "marital-status", "native-country", "race", "salary-class", "sex", "workclass")
SENSITIVE = "occupation"
#: Nodes checked, as anonbench has them, by what is required: OLA, Flash, Incognito, depth first and breadth first.
PUBLISHED = {
    "k": {"OLA": 90, "Flash": 115, "Incognito": 1302, "depth first": 172, "breadth first": 4278},
    "l": {"OLA": 91, "Flash": 114, "Incognito": 1263, "depth first": 171, "breadth first": 4281},
    "t": {"OLA": 16, "Flash": 31, "Incognito": 366, "depth first": 60, "breadth first": 4317},
    "k, l": {"OLA": 84, "Flash": 108, "Incognito": 1274, "depth first": 162, "breadth first": 4288},
    "k, t": {"OLA": 16, "Flash": 31, "Incognito": 366, "depth first": 60, "breadth first": 4317},
}
_OWN = {"witness": "witness", "Incognito here": "incognito", "Samarati": "samarati"}
_QUICK = ("k",)


def measure(folder: Path, settings: Settings) -> Iterator[dict[str, Any]]:
    """Count once, since a count does not vary."""
    place = arx_adult.folder()
    if place is None:
        yield {"skipped": arx_adult.MISSING}
        return
    cells: list[dict[str, Any]] = []
    for asked in _QUICK if settings.quick else PUBLISHED:
        for name, algorithm in _OWN.items():
            click.echo(f"checks: {asked}, {name}", err=True)
            described = _job(place, asked) | {"algorithm": {"name": algorithm}}
            search = anonymize(described, folder=folder, output="release.csv").report["search"]
            shown = {key: search[key] for key in ("lattice_nodes", "anonymous_nodes", "checked", "rows_aggregated")}
            cells.append({"asked": asked, "algorithm": name, **shown, "minimal": len(search["minimal"])})
            yield {"published": PUBLISHED, "cells": cells}


def table(body: Mapping[str, Any]) -> str:
    """Nodes checked, as a Markdown table."""
    if "skipped" in body:
        return f"skipped: {body['skipped']}"
    own = {(cell["asked"], cell["algorithm"]): cell for cell in body["cells"]}
    columns = [*_OWN, *body["published"]["k"]]
    lines = [
        "Nodes checked on ARX's Adult. OLA and Flash look for one best node; `witness` and Incognito for all minimal "
        "ones, Samarati for one of the least height.",
        "",
        f"| required | minimal nodes | {' | '.join(columns)} |",
        "|---" + "|---:" * (1 + len(columns)) + "|",
    ]
    for asked, published in body["published"].items():
        if all((asked, name) in own for name in _OWN):
            counts = [f"{own[asked, name]['checked']:,}" for name in _OWN] + [
                f"{each:,}" for each in published.values()
            ]
            lines.append(f"| {asked} | {own[asked, 'witness']['minimal']} | {' | '.join(counts)} |")
    return "\n".join(lines)


def _job(place: Path, asked: str) -> dict[str, Any]:
    hierarchies = {name: {"csv": str(place / f"adult_hierarchy_{name}.csv")} for name in (*ATTRIBUTES, SENSITIVE)}
    requirement: dict[str, Any] = {"k": 5 if "k" in asked else 1}
    if "l" in asked:
        requirement["l_diversity"] = [{"attribute": SENSITIVE, "kind": "recursive", "c": 4, "l": 3}]
    if "t" in asked:
        closeness = {"attribute": SENSITIVE, "t": "0.2", "distance": "hierarchical"}
        requirement["t_closeness"] = [{**closeness, "hierarchy": hierarchies[SENSITIVE]}]
    return {
        "source": {"path": str(place / "adult.csv"), "delimiter": ";"},
        "sensitive": [SENSITIVE],
        "quasi_identifiers": {name: hierarchies[name] for name in ATTRIBUTES},
        "requirement": requirement,
    }
