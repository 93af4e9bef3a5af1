"""Alternative assignments of tuples to classes in a lattice too large to visit completely.

Classes may be value groups (tuples with equal values at a node), clusters (similar tuples, see ``clusters``), or value
groups first and clusters of the remaining tuples. Value groups lose less if cells are cheap. If tuples differ much, few
nodes have a value group with enough rows, and clusters lose less.
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
    """One assignment: the class of each tuple (``of``), -1 for a tuple in no class, and the number of classes.

    The last ``clusters`` of the ``count`` classes are clusters of similar tuples; the others are value groups.
    """

    of: Integers
    count: int
    clusters: int = 0


def groups(walk: Walk, ends: Callable[[float], bool], report: Callable[[str], None]) -> Iterator[Way]:
    """One assignment to value groups; if the sweep ended early, the remaining tuples are in clusters.

    ``ends`` gets the cost per row of the next value group; the sweep stops if it returns True.
    """
    walk.sweep(until=ends, report=report)
    yield _beside(walk, report) if walk.ends() else Way(walk.group, walk.formed)


def ways(walk: Walk, ends: Callable[[float], bool], report: Callable[[str], None]) -> Iterator[Way]:
    """One to three alternative assignments, to be compared by cost.

    The first has clusters alone. The second has all value groups that cost less per row than these clusters, and
    clusters of the remaining tuples. The third, tried only if the second costs less than the first, has value groups
    alone. ``ends`` gets the cost per row of the next value group; the sweep stops if it returns True. The sweep is also
    limited by the number of grouped tuples, not by time, so the outcome does not depend on the machine.
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
    """The assignment without its most expensive classes: their tuples are in no class (-1) afterwards.

    These are classes with a cost per row above ``dearest``, in descending order of cost, with at most ``allowed`` rows
    together. Their tuples may later be suppressed or join another class. Without clusters, nothing changes.
    """
    if not allowed or dearest >= 1 or not way.clusters:
        return way
    formed = classes.generalize(tuples, way.of, way.count)
    order = np.argsort(-formed.cost, kind="stable")
    dear = order[(formed.cost[order] > dearest) & (np.cumsum(formed.rows[order]) <= allowed)]
    of, count = classes.number(np.where(np.isin(way.of, dear), -1, way.of))
    return Way(of, count, way.clusters - int(np.count_nonzero(dear >= way.count - way.clusters)))


def _beside(walk: Walk, report: Callable[[str], None]) -> Way:
    """The assignment with the value groups of ``walk``, and with clusters of the tuples in no value group."""
    places = np.flatnonzero(walk.group < 0)
    of, count = clusters.form(walk.tuples, places, walk.random, report, walk.ends, walk.threads)
    return Way(np.where(of >= 0, walk.formed + of, walk.group), walk.formed + count, count)


def _cost(walk: Walk, way: Way) -> float:
    """Mean cost per row over the rows in a class; inf if no row is in a class."""
    rows = int(walk.tuples.frequency[way.of >= 0].sum())
    return classes.cost(walk.tuples, way.of, way.count) / rows if rows else np.inf
