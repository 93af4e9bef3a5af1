"""Ways to settle a lattice too large to be visited whole: groups of its nodes, neighbours, or one after the other. With
cheap cells groups lose less; if tuples are far apart, hardly a node has any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from starcloak.search.sweep import classes, clusters
from starcloak.search.sweep.greedy_sweep import Walk
from starcloak.search.sweep.tuples import SweepTuples
from starcloak.star.keys import Integers

# Tuples that are grouped at nodes, summed: of more a walk is not gone on with.
_MOST = 1_000_000_000
# Where groups have a smaller share of the rows, neighbours alone lose about as little.
_LEAST = 0.01


@dataclass(frozen=True)
class Way:
    """The class of each tuple, -1 for those in none, how many there are, and how many, the last, are of neighbours."""

    of: Integers
    count: int
    clusters: int = 0


def groups(walk: Walk, ends: Callable[[float], bool], report: Callable[[str], None]) -> Iterator[Way]:
    """The way of groups alone; if they ended early, with neighbours of the remaining tuples."""
    walk.sweep(until=ends, report=report)
    yield _beside(walk, report) if walk.ends() else Way(walk.group, walk.formed)


def ways(walk: Walk, ends: Callable[[float], bool], report: Callable[[str], None]) -> Iterator[Way]:
    """The way of neighbours alone; of neighbours beside the groups cheaper than these; and, if that is better, of
    groups alone.

    ``ends`` returns True at a cost at which a walk may leave the rest. A walk's effort is counted, not timed.
    """
    alone = _beside(walk, report)
    yield alone
    if walk.ends():
        return
    mean = _cost(walk, alone)
    walk.sweep(until=lambda cost: cost > mean or walk.aggregated > _MOST // 2 or ends(cost), report=report)
    if walk.rows > (1 - _LEAST) * float(walk.tuples.frequency.sum()):
        return
    neighbour_way = _beside(walk, report)
    if _cost(walk, neighbour_way) >= mean:
        return
    yield neighbour_way
    walk.sweep(until=lambda cost: walk.aggregated > _MOST or ends(cost), report=report)
    if walk.aggregated <= _MOST and not walk.ends():
        yield Way(walk.group, walk.formed)


def without_dear(tuples: SweepTuples, way: Way, *, allowed: int, dearest: float) -> Way:
    """The way with its dearest classes dissolved, up to ``allowed`` rows: each tuple may be suppressed, or join another
    class.
    """
    if not allowed or dearest >= 1 or not way.clusters:
        return way
    formed = classes.generalize(tuples, way.of, way.count)
    order = np.argsort(-formed.cost, kind="stable")
    dear = order[(formed.cost[order] > dearest) & (np.cumsum(formed.rows[order]) <= allowed)]
    of, count = classes.number(np.where(np.isin(way.of, dear), -1, way.of))
    return Way(of, count, way.clusters - int(np.count_nonzero(dear >= way.count - way.clusters)))


def _beside(walk: Walk, report: Callable[[str], None]) -> Way:
    """Add neighbours of the tuples in no group."""
    places = np.flatnonzero(walk.group < 0)
    of, count = clusters.form(walk.tuples, places, walk.random, report, walk.ends, walk.threads)
    return Way(np.where(of >= 0, walk.formed + of, walk.group), walk.formed + count, count)


def _cost(walk: Walk, way: Way) -> float:
    """Mean cost of a row in a class."""
    rows = int(walk.tuples.frequency[way.of >= 0].sum())
    return classes.cost(walk.tuples, way.of, way.count) / rows if rows else np.inf
