"""The choice of the node with the least cost, among all nodes that satisfy the requirement.

LeFevre, DeWitt, Ramakrishnan 2005, section 2.1: minimality of any kind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import ClassVar, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from starcloak.job import Objective
from starcloak.privacy.requirement import Demand
from starcloak.search.lattice.lattice import Found, Lattice
from starcloak.star import tuples
from starcloak.star.keys import Integers
from starcloak.star.open_nodes import Box, Levels, OpenNodes, meet
from starcloak.star.star import Node, Star
from starcloak.star.tuples import GroupSizes, Tuples
from starcloak.statements.statement import Statement, union_all

Floats = NDArray[np.float64]
#: Rank of a node: its cost, then its classes (the most first), its height, and its levels by column name.
Rank: TypeAlias = tuple[float, int, int, Levels]

#: Costs are compared to so many decimals; bounds may be off by less than half of the last one.
DECIMALS = 12
SLACK = 4e-13

# Amount added to a height by a whole loss: less than heights differ by, more than costs are compared to.
_TIE = 1e-6

# More than there are codes of leaves: as many equal costs, in the memory of one.
_CODES = 1 << 32


@dataclass(frozen=True)
class Scored:
    """The ``cost`` of a node, and its two parts: ``base`` and ``left_out``, the cost of suppressed rows.

    The parts bound the costs of other nodes: a generalization of the node has no lower base, and a node beneath it no
    lower cost of suppressed rows.
    """

    base: float
    left_out: float
    cost: float


class NodeCost(Protocol):
    """The cost of nodes by an objective.

    ``steps`` has, by attribute and level, the amount added to a node's base (its cost without suppressed rows). It is
    None if these amounts are unknown before a node is counted. ``most`` is the highest cost of one suppressed row.
    """

    @property
    def steps(self) -> Sequence[Floats] | None: ...

    @property
    def most(self) -> float: ...

    def of(self, levels: Sequence[int], counted: GroupSizes) -> Scored:
        """The cost of the node at these levels, from the sizes of its value groups."""


@dataclass(frozen=True)
class AddedUp:
    """A cost added up over all cells: a cell's cost depends on its attribute, its level and its leaf.

    ``cells`` has the cost of a cell by attribute, level and code of the leaf. All cells of a suppressed row cost
    ``whole`` together: 1 for all attributes, less for a part of them, in proportion to their ``importance``. ``rows``
    is the number of rows of the table.
    """

    steps: Sequence[Floats]
    cells: Sequence[Sequence[Floats]]
    rows: int
    importance: Sequence[float]
    whole: float = 1.0

    @property
    def most(self) -> float:
        return self.whole / self.rows

    def over(self, places: Sequence[int]) -> AddedUp:
        """The same cost over some of the attributes, given by their indices from 0."""
        importance = [self.importance[at] for at in places]
        share = self.whole * sum(importance) / sum(self.importance)
        return AddedUp(
            [self.steps[at] for at in places], [self.cells[at] for at in places], self.rows, importance, share
        )

    def of(self, levels: Sequence[int], counted: GroupSizes) -> Scored:
        base = float(sum(step[level] for step, level in zip(self.steps, levels, strict=True)))
        spared = self.spared(levels, counted.codes, int(np.count_nonzero(counted.out)))
        left_out = float(counted.sizes[counted.out].astype(np.float64) @ spared) / self.rows
        return Scored(base, left_out, base + left_out)

    def spared(self, levels: Sequence[int], codes: Callable[[int], Integers], groups: int) -> Floats:
        """For each group, the additional cost of suppressing one of its rows, instead of generalizing it (0 … 1).

        ``codes`` returns, for an attribute's index, the code of a leaf under each group's value. ``groups`` is the
        number of groups.
        """
        spared = np.full(groups, self.whole)
        for attribute, (cells, level) in enumerate(zip(self.cells, levels, strict=True)):
            spared -= cells[level][codes(attribute)]
        return spared


@dataclass(frozen=True)
class DiscernibilityCost:
    """Cost by class size (Bayardo, Agrawal 2005).

    A released row costs the number of rows of its class, a suppressed row the number of rows of the table.

    Li, Wong, Fu, Pei 2008, section 4, define it without suppression.
    """

    rows: int
    steps: ClassVar[None] = None
    most: ClassVar[float] = inf

    def of(self, levels: Sequence[int], counted: GroupSizes) -> Scored:
        # Sums of whole numbers, which a float holds exactly up to 2 ** 53.
        sizes = counted.sizes.astype(np.float64)
        out = sizes[counted.out]
        base, left_out = float(sizes @ sizes), float(out @ (self.rows - out))
        return Scored(base, left_out, base + left_out)


@dataclass(frozen=True)
class AverageClassSizeCost:
    """Normalized average class size (Li, Wong, Fu, Pei 2008, section 4) of the released rows.

    The base follows from two facts: value groups only merge upward, and at most the allowed rows are suppressed.
    """

    rows: int
    allowed: int
    k: int
    steps: ClassVar[None] = None
    most: ClassVar[float] = inf

    def of(self, levels: Sequence[int], counted: GroupSizes) -> Scored:
        groups, classes = len(counted.sizes), int(np.count_nonzero(~counted.out))
        released = self.rows - int(counted.sizes[counted.out].sum())
        cost = released / classes / self.k if classes else inf
        return Scored((self.rows - self.allowed) / groups / self.k, 0.0, cost)


def costs_of(star: Star, objective: Objective, *, k: int, allowed: int) -> NodeCost:
    """The cost function of nodes by an objective, with each column weighted by its importance.

    ``allowed`` is the highest number of rows to suppress.
    """
    importance = _importance(star)
    weights = importance
    if objective.minimize in ("precision", "distortion"):
        shares = zip(importance, star.dimensions, strict=True)
        weights = [own / (sum(importance) * max(dimension.hierarchy_height, 1)) for own, dimension in shares]
    levels = [np.arange(lowest, highest + 1.0) for lowest, highest in (d.bounds for d in star.dimensions)]
    rising = [weight * own for weight, own in zip(weights, levels, strict=True)]
    match objective.minimize:
        case "loss":
            return _loss(star)
        case "precision" | "distortion":
            # Distortion with uniform weights is the loss of precision, cell by cell.
            cells = [[np.broadcast_to(step, _CODES) for step in steps] for steps in rising]
            return AddedUp(rising, cells, star.rows, importance)
        case "discernibility":
            return DiscernibilityCost(star.rows)
        case "average_class_size":
            return AverageClassSizeCost(star.rows, allowed, k)
        case "height":
            return _height(rising, _loss(star))


def _importance(star: Star) -> list[float]:
    return [float(dimension.importance) for dimension in star.dimensions]


def _height(rising: Sequence[Floats], loss: AddedUp) -> AddedUp:
    """The cost of a node as the sum of its levels, weighted by importance; the loss decides between equal sums."""
    steps = [levels + _TIE * lost for levels, lost in zip(rising, loss.steps, strict=True)]
    cells = [[_TIE * lost for lost in levels] for levels in loss.cells]
    return AddedUp(steps, cells, loss.rows, loss.importance, _TIE)


def _loss(star: Star) -> AddedUp:
    """Loss: the share of the other leaves covered by a cell's value, averaged over all cells (Iyengar 2002).

    It is the reference [11] of LeFevre, DeWitt, Ramakrishnan 2005. The cells of a suppressed row count as 1. The
    average is weighted by the importance of columns.
    """
    statement = "search/objective/loss"
    if statement not in star.read:  # the insight of the release asks for it again
        marginals = union_all(tuples.marginal(star, dimension) for dimension in star.dimensions)
        star.read[statement] = star.session.columns(Statement(statement, marginals=marginals))
    read = star.read[statement]
    steps, cells, importance = [], [], _importance(star)
    for dimension, levels, weight in zip(star.dimensions, tuples.climbs(star), importance, strict=True):
        own = read["dimension"] == dimension.position
        rows = np.zeros(len(levels[0]), np.int64)
        rows[read["code"][own]] = read["frequency"][own]
        covered = [tuples.covered(ancestors) for ancestors in levels]
        most = sum(importance) / weight * max(1, len(rows) - 1)
        # Sums of whole numbers, so that costs are the same in every run.
        steps.append(np.array([(others * rows).sum() for others in covered]) / most / star.rows)
        cells.append([others / most for others in covered])
    return AddedUp(steps, cells, star.rows, importance)


# A frequency set of so many value groups comes home for all nodes that generalize its node.
_AT_HAND = 500_000
# Nodes scored between two reports.
_REPORTED = 64


def choose(star: Star, satisfying: Found, objective: Objective, *, demand: Demand, allowed: int) -> Node:
    """The node that minimizes the objective; among equals the first by :class:`TieOrder`.

    A cost has two parts. The base, of all rows generalized, never falls upward. The cost of suppressed rows beside it
    never rises upward, if generalizations of a satisfying node satisfy the requirement, too. So one node's score bounds
    the costs of the nodes above and beneath it, and a node with a bound no better than the best cost is never scored:
    the result is the best of *all* nodes found. Costs are compared to 12 decimals. For sums over cells the base of
    every node is known without counting.
    """
    if satisfying.count == 1:
        return satisfying.minimal[0]
    cost = costs_of(star, objective, k=demand.k, allowed=allowed)
    return cheapest(star, satisfying, cost, demand=demand, allowed=allowed)


def cheapest(star: Star, satisfying: Found, cost: NodeCost, *, demand: Demand, allowed: int) -> Node:
    """The node with the least cost by a given cost function, like :func:`choose`."""
    nodes, base = _promising_nodes(satisfying.lattice, satisfying.numbers, cost, allowed)
    if len(nodes) > 1:
        chooser = _Chooser(star, demand, cost, satisfying.lattice, satisfying.pruned == "monotone", nodes, base)
        return satisfying.lattice.node(chooser.best())
    return satisfying.lattice.node(int(nodes[0]))


def _promising_nodes(lattice: Lattice, nodes: Integers, cost: NodeCost, allowed: int) -> tuple[Integers, Floats]:
    """Returns the numbers of the nodes that may be the best, and a lower bound of the cost of each.

    The bound of a node is the cost of its levels without suppression. Of two nodes of equal cost, the one with more
    classes is better. If no row is suppressed, a generalization of a node has no more classes, and so is not better.
    """
    if cost.steps is None:
        return nodes, np.zeros(len(nodes))
    base = np.zeros(len(nodes))
    for attribute, steps in enumerate(cost.steps):
        base += steps[_levels(lattice, nodes, attribute)]
    if not allowed * cost.most:
        rounded = np.round(base, DECIMALS)
        tied = np.flatnonzero(rounded == rounded.min())
        if len(tied) > 1 and not allowed:
            places = range(len(lattice.heights))
            tied = tied[lowest(np.stack([_levels(lattice, nodes[tied], place) for place in places], axis=1))]
        return nodes[tied], base[tied]
    kept = base <= base.min() + allowed * cost.most + SLACK
    return nodes[kept], base[kept]


def _levels(lattice: Lattice, nodes: Integers, attribute: int) -> Integers:
    """The level of an attribute at each of some nodes, given by their numbers."""
    levels: Integers = (nodes // lattice.strides[attribute] % (lattice.heights[attribute] + 1)).astype(np.int16)
    return levels


@dataclass
class _Chooser:
    """Search for the node with the least cost, by counting promising nodes and dropping others by their bounds.

    ``nodes`` has the numbers of the nodes that may still be the best. ``base`` and ``left_out`` have lower bounds of
    both parts of their costs (see :class:`Scored`). ``closed`` is true if generalizations of a satisfying node satisfy
    the requirement, too.
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
    # The rank of the best node, and its number.
    least: tuple[Rank, int] = field(init=False, default=((inf, 0, 0, ()), -1))
    scored: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        attributes = range(len(self.lattice.heights))
        self.levels = np.stack([_levels(self.lattice, self.nodes, attribute) for attribute in attributes])
        self.height = self.levels.sum(axis=0)
        self.left_out = np.zeros(len(self.nodes))
        self.open = OpenNodes(self.lattice.heights)
        self.open.open[:] = False
        self.open.open.ravel()[self.nodes] = True
        self.order = tie_order(self.star)
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
        return self.least[1]

    def _next(self) -> int:
        """The index of the node with the lowest bound; among equals, of the lowest height, then the lowest number."""
        bound = self.base + self.left_out
        places = np.flatnonzero(bound == bound.min())
        return int(places[np.lexsort((self.nodes[places], self.height[places]))[0]])

    def _score(self, place: int) -> None:
        number, own = int(self.nodes[place]), self.levels[:, place, None]
        levels = tuple(own[:, 0].tolist())
        counted = self._tuples(levels).count(levels, demand=self.demand)
        scored = self.cost.of(levels, counted)
        self.scored += 1
        above = (self.levels >= own).all(axis=0)
        self.base[above] = np.maximum(self.base[above], scored.base)
        if self.closed:
            beneath = (self.levels <= own).all(axis=0)
            self.left_out[beneath] = np.maximum(self.left_out[beneath], scored.left_out)
        self.least = min(self.least, (self.order.rank(round(scored.cost, DECIMALS), counted.classes, levels), number))
        bound = np.round(self.base + self.left_out - SLACK, DECIMALS)
        stays = bound <= self.least[0][0]
        stays[place] = False
        if not stays.all():
            self._keep(stays)

    def _keep(self, stays: NDArray[np.bool_]) -> None:
        self.open.open.ravel()[self.nodes[~stays]] = False
        self.nodes, self.height, self.levels = self.nodes[stays], self.height[stays], self.levels[:, stays]
        self.base, self.left_out = self.base[stays], self.left_out[stays]

    def _tuples(self, levels: Levels) -> Tuples:
        """A frequency set to count the node at these levels from, in memory.

        It belongs to the node beneath all remaining nodes or, if that frequency set is too large, to the node itself.
        """
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


@dataclass(frozen=True)
class TieOrder:
    """Order of nodes of equal cost: the most equivalence classes first, then the lowest height, then the levels.

    Levels are compared as vectors, with columns sorted by name; ``by_name`` has the indices of the columns in that
    order.
    """

    by_name: tuple[int, ...]

    @classmethod
    def of(cls, attributes: Sequence[str]) -> TieOrder:
        """The order of nodes over attributes with these names."""
        return cls(tuple(sorted(range(len(attributes)), key=lambda place: attributes[place])))

    def rank(self, cost: float, classes: int, levels: Levels) -> Rank:
        """The rank of a node, by its rounded cost, its number of classes and its levels: the least rank is the best."""
        return cost, -classes, sum(levels), tuple(int(levels[place]) for place in self.by_name)

    def first(self, nodes: Integers, cost: NDArray[np.float64], classes: Integers) -> int:
        """The index of the best node: ``nodes`` has a row of levels per node, with rounded costs and class counts."""
        by_name = [nodes[:, place] for place in reversed(self.by_name)]
        return int(np.lexsort((*by_name, nodes.sum(axis=1), -classes, cost))[0])


def tie_order(star: Star) -> TieOrder:
    """The order of the nodes of a star's lattice."""
    return TieOrder.of(star.attributes)


def lowest(nodes: Integers) -> Integers:
    """The indices of the nodes that generalize no other of the nodes, given as a row of levels each.

    If no row is suppressed, a node has no more classes than any node it generalizes.
    """
    left, kept = np.argsort(nodes.sum(axis=1), kind="stable"), []
    while len(left):
        kept.append(int(left[0]))
        left = left[~(nodes[left] >= nodes[left[0]]).all(axis=1)]
    return np.array(sorted(kept), np.int64)
