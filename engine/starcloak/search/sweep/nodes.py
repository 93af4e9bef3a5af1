"""Choice of the lattice nodes visited by a sweep, and lower bounds of the cost of a row at each node."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from starcloak.search.sweep.costs import Floats
from starcloak.search.sweep.settings import MOST
from starcloak.search.sweep.tuples import SweepTuples
from starcloak.star.keys import Integers

if TYPE_CHECKING:
    from numpy.typing import NDArray


def nodes_to_visit(tuples: SweepTuples, random: np.random.Generator) -> Integers:
    """The levels of the nodes to visit: one row per node, one column per attribute, in no order.

    The bottom of the lattice is always included. The top is left out if it has a single value group: this group would
    take all remaining tuples at the highest cost, but each can join another class instead. The top is included if a job
    sets the highest level of an attribute, and the top so has several value groups.
    """
    heights = tuples.heights
    if is_wide(tuples):
        return beneath_top(tuples, _on_chains(tuples, random))
    whole: Integers = np.indices([height + 1 for height in heights], dtype=np.int8).reshape(len(heights), -1).T
    return beneath_top(tuples, whole)


def is_wide(tuples: SweepTuples) -> bool:
    """True if the lattice is too large to visit all of its nodes."""
    return prod(height + 1 for height in tuples.heights) > MOST


def beneath_top(tuples: SweepTuples, nodes: Integers) -> Integers:
    """The rows of ``nodes`` without the top of the lattice, if the top has a single value group; else all rows."""
    if tuples.has_several_tops:
        return nodes
    return np.ascontiguousarray(nodes[(nodes < np.array(tuples.heights)).any(axis=1)])


def _on_chains(tuples: SweepTuples, random: np.random.Generator) -> Integers:
    """Nodes on random chains from bottom to top: one row of levels per node, about MOST rows at most.

    A chain goes up one level of one attribute at a time. The lower the cost of this step, the more likely it comes
    early.
    """
    heights = np.array(tuples.heights)
    steps = _steps(tuples)
    chains = max(1, MOST // int(heights.sum()))
    at: Integers = np.zeros((chains, len(heights)), np.int8)
    met = [at.copy()]
    for _ in range(int(heights.sum()) - 1):
        wait = random.exponential(size=at.shape) * (steps[np.arange(len(heights)), at] + 1e-6)
        np.put_along_axis(at, step := np.argmin(wait, axis=1)[:, None], np.take_along_axis(at, step, 1) + 1, 1)
        met.append(at.copy())
    met.append(heights[None, :].astype(np.int8))
    nodes: Integers = np.unique(np.concatenate(met), axis=0)
    return nodes


def _steps(tuples: SweepTuples) -> Floats:
    """Mean cost per row of the step from each level to the next: one row per attribute, one column per level.

    It is inf at the highest level of an attribute, from which no step leads up.
    """
    most = max(tuples.heights)
    steps = np.full((len(tuples.heights), most + 1), np.inf)
    for attribute, (codes, costs) in enumerate(zip(tuples.codes, tuples.costs, strict=True)):
        rows = np.bincount(codes, weights=tuples.times, minlength=len(costs[0]))
        means = [float(rows @ cost) / float(rows.sum()) for cost in costs]
        steps[attribute, : len(means) - 1] = np.maximum(0, np.diff(means))
    return steps


def least(tuples: SweepTuples, nodes: Integers) -> Floats:
    """Lower bound of the cost of a row at each of ``nodes``: the sum of each attribute's cheapest cell there."""
    least_costs = np.zeros(len(nodes))
    for attribute, (present, costs) in enumerate(zip(tuples.present, tuples.costs, strict=True)):
        least_costs += np.array([cost[present].min() for cost in costs])[nodes[:, attribute]]
    return least_costs


def beneath(by_attribute: Integers, node: Integers, heights: Sequence[int]) -> NDArray[np.bool_]:
    """True for each node of ``by_attribute`` at or below ``node`` in the lattice: no level is higher.

    ``by_attribute`` has the levels of the nodes to compare: a row per attribute, a column per node. ``heights`` has the
    highest level of each attribute: an attribute at this level excludes no node.
    """
    first, *others = np.flatnonzero(node < np.array(heights)).tolist() or [0]
    left = (by_attribute[first] <= node[first]).nonzero()[0]
    for attribute in others:
        left = left[by_attribute[attribute][left] <= node[attribute]]
    below = np.zeros(by_attribute.shape[1], bool)
    below[left] = True
    return below
