"""The choice among the nodes that satisfy the requirement.

LeFevre, DeWitt, Ramakrishnan 2005, section 2.1: minimality of any kind.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

import numpy as np
from numpy.typing import NDArray

from starcloak.job import Objective
from starcloak.privacy.requirement import Demand
from starcloak.search.shared import costs
from starcloak.search.shared.costs import DECIMALS, SLACK, NodeCost
from starcloak.search.shared.lattice import Found, Lattice
from starcloak.star import tuples
from starcloak.star.keys import Integers
from starcloak.star.open_nodes import Box, Levels, OpenNodes, meet
from starcloak.star.star import Node, Star
from starcloak.star.tuples import Tuples
from starcloak.statements.statement import Statement

Floats = NDArray[np.float64]

# A frequency set of so many value groups comes home for all nodes that generalize its node.
_AT_HAND = 500_000
# Nodes scored between two reports.
_REPORTED = 64


def choose(star: Star, satisfying: Found, objective: Objective, *, demand: Demand, allowed: int) -> Node:
    """The node that minimizes the objective; among equals the lower one, then the first in order.

    A cost has two parts: a base, of all rows generalized, which never falls upward, and what rows that are left out
    cost beside it, which never rises upward where all that generalizes a node that satisfies the requirement does so,
    too. So one node's score bounds the costs of those above it and of those beneath it, and a node whose bound does not
    beat the best cost is never scored: the result is the best of *all* nodes that were found. Costs are compared to 12
    decimals. Of sums over cells the base is known of every node without counting.
    """
    if satisfying.count == 1:
        return satisfying.minimal[0]
    cost = costs.of(star, objective, k=demand.k, allowed=allowed)
    return cheapest(star, satisfying, cost, demand=demand, allowed=allowed)


def cheapest(star: Star, satisfying: Found, cost: NodeCost, *, demand: Demand, allowed: int) -> Node:
    """The node that costs least: see :func:`choose`."""
    nodes = star.session.columns(Statement("search/objective/candidates", nodes=satisfying.anonymous))["id"]
    nodes, base = _promising_nodes(satisfying.lattice, nodes, cost, allowed)
    if len(nodes) > 1:
        chooser = _Chooser(star, demand, cost, satisfying.lattice, satisfying.pruned == "monotone", nodes, base)
        return satisfying.lattice.node(chooser.best())
    return satisfying.lattice.node(int(nodes[0]))


def _promising_nodes(lattice: Lattice, nodes: Integers, cost: NodeCost, allowed: int) -> tuple[Integers, Floats]:
    """The nodes that may be the best by their bases alone, and these; those of the first come first."""
    if cost.steps is None:
        return nodes, np.zeros(len(nodes))
    base, height = np.zeros(len(nodes)), np.zeros(len(nodes), np.int16)
    for attribute, steps in enumerate(cost.steps):
        levels = _levels(lattice, nodes, attribute)
        base += steps[levels]
        height += levels
    rounded = np.round(base, DECIMALS)
    if not allowed * cost.most:
        kept = rounded == rounded.min()
        first = np.lexsort((nodes[kept], height[kept]))[:1]
        return nodes[kept][first], base[kept][first]
    kept = base <= base.min() + allowed * cost.most + SLACK
    return nodes[kept], base[kept]


def _levels(lattice: Lattice, nodes: Integers, attribute: int) -> Integers:
    """The levels of an attribute at some nodes."""
    levels: Integers = (nodes // lattice.strides[attribute] % (lattice.heights[attribute] + 1)).astype(np.int16)
    return levels


@dataclass
class _Chooser:
    """The nodes that may still be the best.

    ``nodes`` has their numbers, ``base`` and ``left_out`` what is sure of the parts of their costs. ``closed`` tells
    whether what generalizes a node that satisfies the requirement does so, too.
    """

    star: Star
    demand: Demand
    cost: NodeCost
    lattice: Lattice
    closed: bool
    nodes: Integers
    base: Floats
    left_out: Floats = field(init=False)
    levels: Integers = field(init=False)
    height: Integers = field(init=False)
    # The best cost, rounded, and the height and the number of its node.
    least: tuple[float, float, int] = field(init=False, default=(inf, inf, -1))
    scored: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        attributes = range(len(self.lattice.heights))
        self.levels = np.stack([_levels(self.lattice, self.nodes, attribute) for attribute in attributes])
        self.height = self.levels.sum(axis=0)
        self.left_out = np.zeros(len(self.nodes))
        self.open = OpenNodes(self.lattice.heights)
        self.open.open[:] = False
        self.open.open.ravel()[self.nodes] = True
        self.climbs = tuples.climbs(self.star)
        self.here: Tuples | None = None
        self.beneath: Levels | None = None
        self.groups: float = 0

    def best(self) -> int:
        """The number of the best node."""
        while len(self.nodes):
            if self.scored % _REPORTED == 0:
                self.star.session.report(f"objective: {len(self.nodes):,} nodes may be the best")
            self._score(self._next())
        return self.least[2]

    def _next(self) -> int:
        """The place of the node of the lowest bound, of several the lowest and then the first."""
        bound = self.base + self.left_out
        some = np.flatnonzero(bound == bound.min())
        return int(some[np.lexsort((self.nodes[some], self.height[some]))[0]])

    def _score(self, place: int) -> None:
        number, height, own = int(self.nodes[place]), int(self.height[place]), self.levels[:, place, None]
        levels = tuple(own[:, 0].tolist())
        scored = self.cost.of(levels, self._tuples(levels).count(levels, demand=self.demand))
        self.scored += 1
        above = (self.levels >= own).all(axis=0)
        self.base[above] = np.maximum(self.base[above], scored.base)
        if self.closed:
            beneath = (self.levels <= own).all(axis=0)
            self.left_out[beneath] = np.maximum(self.left_out[beneath], scored.left_out)
        self.least = min(self.least, (round(scored.cost, DECIMALS), height, number))
        bound = np.round(self.base + self.left_out - SLACK, DECIMALS)
        stays = bound <= self.least[0]
        stays[place] = False
        if not stays.all():
            self._keep(stays)

    def _keep(self, stays: NDArray[np.bool_]) -> None:
        self.open.open.ravel()[self.nodes[~stays]] = False
        self.nodes, self.height, self.levels = self.nodes[stays], self.height[stays], self.levels[:, stays]
        self.base, self.left_out = self.base[stays], self.left_out[stays]

    def _tuples(self, levels: Levels) -> Tuples:
        """The frequency set of the node beneath all that are left, or a node's own where that one is too large."""
        if self.here is None:
            box = self.open.span(self.open.everything)
            if meet(box) != self.beneath:
                self.beneath = meet(box)
                large = self.star.combinations > _AT_HAND
                self.groups = tuples.about(self.star, self.beneath) if large else self.star.combinations
            if self.groups > _AT_HAND:
                return self._fetch(tuple(slice(level, level + 1) for level in levels))
            self.here = self._fetch(box)
        return self.here

    def _fetch(self, box: Box) -> Tuples:
        return tuples.fetch(self.star, self.open, box, climbs=self.climbs)
