"""Nodes that are checked on Adult (LeFevre, DeWitt, Ramakrishnan 2005, section 4.2.1): the paper's table, and ours."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from benchmarks.incognito.algorithms import BASIC, BOTTOM_UP, of
from benchmarks.shared import adult
from benchmarks.shared.process import anonymize
from benchmarks.shared.settings import Settings

# Nodes searched for k = 2, by the size of the quasi-identifier.
PAPER = {
    BOTTOM_UP.name: {3: 14, 4: 47, 5: 206, 6: 680, 7: 2088, 8: 6366, 9: 12818},
    BASIC.name: {3: 14, 4: 35, 5: 103, 6: 246, 7: 664, 8: 1778, 9: 4307},
}
REMARK = (
    "The paper does not print its taxonomies, and only the first three attributes need none. With marital status as "
    "married or not, four and five attributes have the paper's counts; which groupings have them with six and seven is "
    "for `python -m benchmarks incognito --only taxonomies`."
)
_K = 2
_QUICK_SIZES = (3, 4)


def measure(folder: Path, settings: Settings) -> dict[str, Any]:
    """Count for every size of the paper's table. The counts are the same in every run."""
    environment = adult.environment()
    if environment is None:
        return {"skipped": adult.MISSING}
    algorithms = [algorithm for algorithm in (BOTTOM_UP, BASIC) if algorithm.accepted]
    counts = []
    for size in _QUICK_SIZES if settings.quick else PAPER[BASIC.name]:
        checked = {}
        for algorithm in algorithms:
            click.echo(f"counts: {algorithm.name}, {size} quasi-identifiers", err=True)
            job = of(adult.job(size, k=_K), algorithm)
            search = anonymize(job, folder=folder, output="release.csv", environment=environment).report["search"]
            checked[algorithm.name] = search["checked"]
        counts.append(
            {
                "size": size,
                "lattice_nodes": search["lattice_nodes"],
                "anonymous_nodes": search["anonymous_nodes"],
                "checked": checked,
                "paper": {name: paper[size] for name, paper in PAPER.items()},
            }
        )
    return {"k": _K, "attributes": list(adult.ATTRIBUTES), "remark": REMARK, "counts": counts}


def table(body: Mapping[str, Any]) -> str:
    """The counts as a Markdown table, beside the paper's."""
    if "skipped" in body:
        return f"skipped: {body['skipped']}"
    names = list(PAPER)
    heads = [head for name in names for head in (name, "the paper's")]
    lines = [
        f"| quasi-identifiers | lattice | {' | '.join(heads)} | k-anonymous |",
        "|---:" * (len(heads) + 3) + "|",
    ]
    for count in body["counts"]:
        pairs = [cell for name in names for cell in (count["checked"].get(name), count["paper"][name])]
        cells = [count["size"], count["lattice_nodes"], *pairs, count["anonymous_nodes"]]
        lines.append("| " + " | ".join("-" if cell is None else f"{cell:,}" for cell in cells) + " |")
    return "\n".join([*lines, "", body["remark"]])
