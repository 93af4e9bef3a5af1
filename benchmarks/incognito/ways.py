"""Frequency sets of some nodes in three ways: recounted, rolled up by a join, and from a set with the levels above.

``python -m benchmarks.incognito.ways JOB NODES RUNS SEED`` prints as JSON the seconds of each way and run. A rollup
keeps its frequency set, of which further ones are rolled up, and then counts it; a recount counts it where it is.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from benchmarks.shared.built import built
from starcloak.job import load
from starcloak.privacy.requirement import Demand
from starcloak.star import frequency_sets
from starcloak.star.frequency_sets import Count
from starcloak.star.star import Node, Star
from starcloak.statements.statement import As, Joined, Name, Number, Statement, columns, lines

WAYS = ("recount", "rollup", "rollup without its join")
_PLAIN, _LIFTED, _KEPT = Name("plain"), Name("lifted"), Name("kept")


def measure(path: Path, *, nodes: int, runs: int, seed: int) -> dict[str, Any]:
    """Count some nodes, of each of which one beneath is there already; the ways in turn, as often as there are runs."""
    job = load(path)
    (demand,) = job.required.demands
    with built(job) as star:
        pairs = _pairs(star, nodes, random.Random(seed))
        parents = [parent for _, parent in pairs]
        frequency_sets.keep(star.session, (frequency_sets.from_star(star, parent) for parent in parents), into=_PLAIN)
        lifted = (
            Count(frequency_sets.recount(star, each, _levels(star, each)), star.combinations, from_star=True)
            for each in parents
        )
        frequency_sets.keep(star.session, lifted, into=_LIFTED)
        groups: dict[int, int] = dict(star.session.run(Statement("star/frequency/groups", frequency=_PLAIN)))
        ways: dict[str, Callable[[Node, Node], Count]] = {
            "recount": lambda node, _: frequency_sets.from_star(star, node),
            "rollup": lambda node, parent: Count(
                frequency_sets.rollup(star, node, beneath=parent, below=_PLAIN), groups[parent.id], from_star=False
            ),
            "rollup without its join": lambda node, parent: Count(
                _from_lifted(star, node, parent), groups[parent.id], from_star=False
            ),
        }
        seconds: dict[str, list[float]] = {name: [] for name in ways}
        found: dict[str, Any] = {}
        for _ in range(runs):
            for name, way in ways.items():
                counts = [way(*pair) for pair in pairs]
                started = time.perf_counter()
                found[name] = sorted(_verdicts(star, counts, demand, keep=name != "recount"))
                seconds[name].append(round(time.perf_counter() - started, 4))
        assert found["recount"] == found["rollup"] == found["rollup without its join"]
        return {"seconds": seconds, "nodes": nodes, "combinations": star.combinations}


def _pairs(star: Star, nodes: int, drawn: random.Random) -> list[tuple[Node, Node]]:
    """Some nodes, each with one of which it is a direct generalization."""
    positions = tuple(dimension.position for dimension in star.dimensions)
    pairs: list[tuple[Node, Node]] = []
    while len(pairs) < nodes:
        levels = [drawn.randint(0, height) for height in star.heights]
        if any(levels):
            rising = drawn.choice([at for at, level in enumerate(levels) if level])
            beneath = [level - (at == rising) for at, level in enumerate(levels)]
            number = 2 * len(pairs)
            pairs.append((Node(number, positions, tuple(levels)), Node(number + 1, positions, tuple(beneath))))
    return pairs


def _verdicts(star: Star, counts: Iterable[Count], demand: Demand, *, keep: bool) -> Iterable[Any]:
    for batch in frequency_sets.together(counts):
        counted = frequency_sets.count_all(batch)
        if keep:
            star.session.create(_KEPT, counted)
        found = frequency_sets.shortfall(_KEPT, demand) if keep else frequency_sets.shortfall_of(counted, demand)
        yield from star.session.run(found)


def _levels(star: Star, node: Node) -> Joined:
    """All level columns of the star, those beneath a node being null."""
    absent = Statement.of_text("incognito/absent", "cast(null as uinteger)")
    return columns(
        As(column if level >= lowest else absent, column)
        for dimension, lowest in zip(star.dimensions, node.levels, strict=True)
        for level in range(dimension.height + 1)
        for column in [dimension.column(level)]
    )


def _from_lifted(star: Star, node: Node, parent: Node) -> Statement:
    """The frequency set of a node with the levels above it, from its parent's."""
    return Statement(
        "star/frequency/rollup",
        node=Number(node.id),
        beneath=Number(parent.id),
        below=_LIFTED,
        codes=_levels(star, node),
        merged=star.merged,
        climbs=lines(()),
    )


if __name__ == "__main__":
    path, nodes, runs, seed = sys.argv[1:]
    print(json.dumps(measure(Path(path), nodes=int(nodes), runs=int(runs), seed=int(seed))))
