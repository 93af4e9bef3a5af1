"""Fung, Wang, Yu 2007, Figure 8: several quasi-identifiers against the single one of all their attributes, k = 100."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from benchmarks.classification import classifiers, labelled
from benchmarks.classification.errors import errors_of, masked
from benchmarks.classification.labelled import CLASS
from benchmarks.shared import adult
from benchmarks.shared.settings import Settings

K = 100
REQUIREMENTS = 30


def drawn(attributes: list[str], seed: int) -> list[list[str]]:
    """QIDs as section 5.1.1 draws them: three to seven, of one length from two to nine; repeated ones are discarded."""
    draw = random.Random(seed)
    count, length = draw.randint(3, 7), draw.randint(2, 9)
    qids = {tuple(sorted(draw.sample(attributes, length))) for _ in range(count)}
    return [list(qid) for qid in sorted(qids)]


def measure(folder: Path, settings: Settings) -> Iterator[dict[str, Any]]:
    """The error of each requirement, both ways."""
    table = labelled.load("Adult")
    if table is None:
        yield {"skipped": adult.MISSING}
        return
    known = classifiers.all_of(settings.weka)
    algorithm = {"name": "tdr", "class": CLASS}
    points: list[dict[str, Any]] = []
    for seed in range(1, 1 + (1 if settings.quick else REQUIREMENTS)):
        click.echo(f"requirement {seed}", err=True)
        qids = drawn(table.attributes, seed)
        union = [name for name in table.attributes if any(name in qid for qid in qids)]
        hierarchies = table.hierarchies(union, generalize=True)
        several = {"qids": [{"attributes": qid, "k": K} for qid in qids]}
        errors = {
            kind: errors_of(masked(table, hierarchies, algorithm, needed).to_pandas(), table.attributes, known)
            for kind, needed in (("several", several), ("single", {"k": K}))
        }
        points.append({"qids": qids, **errors})
        yield {"k": K, "classifiers": list(known), "points": points}


def table(body: Mapping[str, Any]) -> str:
    """How often several quasi-identifiers serve a classifier better than the single one."""
    if "skipped" in body:
        return f"skipped: {body['skipped']}"
    lines = [f"{len(body['points'])} random requirements on Adult, k = {body['k']}, generalize and discretize.", ""]
    lines += ["| classifier | mean AE, several | mean AE, single | several lower | equal | higher |", "|---" * 6 + "|"]
    for name in body["classifiers"]:
        pairs = [(point["several"][name], point["single"][name]) for point in body["points"]]
        means = [f"{100 * sum(pair[place] for pair in pairs) / len(pairs):.2f}" for place in (0, 1)]
        counts = [
            sum(several < single for several, single in pairs),
            sum(several == single for several, single in pairs),
            sum(several > single for several, single in pairs),
        ]
        lines.append(f"| {name} | {' | '.join(means)} | {' | '.join(map(str, counts))} |")
    return "\n".join(lines)
