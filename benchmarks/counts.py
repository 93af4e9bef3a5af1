"""Nodes that Basic Incognito checks on Adult (LeFevre, DeWitt, Ramakrishnan 2005, section 4.2.1)."""

from __future__ import annotations

import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click

from benchmarks import adult
from benchmarks.process import anonymize

# Nodes searched by Incognito for k = 2, by the size of the quasi-identifier.
PAPER = {3: 14, 4: 35, 5: 103, 6: 246, 7: 664, 8: 1778, 9: 4307}
_K = 2
_QUICK_SIZES = (3, 4)


@dataclass(frozen=True)
class Count:
    """What the search did with the first ``size`` attributes of Figure 9.

    ``checked`` nodes had their frequency set counted, from the star or by rollup; ``anonymous`` is over all of them.
    """

    size: int
    lattice_nodes: int
    checked: int
    paper: int
    from_star: int
    from_rollup: int
    anonymous: int
    by_attributes: tuple[int, ...]


@dataclass(frozen=True)
class Counts:
    """The counts of every size, or why they were skipped."""

    counts: tuple[Count, ...] = ()
    skipped: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The counts as plain data."""
        return {"k": _K, "attributes": list(adult.ATTRIBUTES), "counts": [asdict(count) for count in self.counts]}


def measure(*, quick: bool) -> Counts:
    """Count for every size of the paper's table. The counts are the same in every run."""
    environment = adult.environment()
    if environment is None:
        return Counts(skipped=adult.MISSING)
    counts = []
    with tempfile.TemporaryDirectory(prefix="benchmarks-") as folder:
        for size in _QUICK_SIZES if quick else PAPER:
            click.echo(f"counts: {size} quasi-identifiers", err=True)
            job = adult.job(size, k=_K) | {"algorithm": {"name": "incognito", "variant": "basic"}}
            done = anonymize(job, folder=Path(folder), output="release.csv", environment=environment)
            counts.append(_count(size, done.report["search"]))
    return Counts(tuple(counts))


def table(counted: Counts) -> str:
    """The counts as a Markdown table, beside the paper's."""
    if counted.skipped:
        return f"skipped: {counted.skipped}"
    lines = [
        "| quasi-identifiers | lattice | checked | the paper's | from the star | by rollup | k-anonymous |",
        "|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for count in counted.counts:
        cells = [
            count.size,
            count.lattice_nodes,
            count.checked,
            count.paper,
            count.from_star,
            count.from_rollup,
            count.anonymous,
        ]
        lines.append("| " + " | ".join(f"{cell:,}" for cell in cells) + " |")
    return "\n".join(lines)


def _count(size: int, search: dict[str, Any]) -> Count:
    iterations = search["iterations"]
    return Count(
        size=size,
        lattice_nodes=search["lattice_nodes"],
        checked=search["checked"],
        paper=PAPER[size],
        from_star=sum(iteration["from_star"] for iteration in iterations),
        from_rollup=sum(iteration["from_rollup"] for iteration in iterations),
        anonymous=search["anonymous_nodes"],
        by_attributes=tuple(iteration["checked"] for iteration in iterations),
    )
