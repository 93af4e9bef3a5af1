"""Search for the node with the least cost, if lower bounds of costs are known before any node is counted.

The base of a node is the cost of its levels without suppressed rows. An open node is a node without a verdict yet.
"""

from __future__ import annotations

from functools import reduce
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from starcloak.search.lattice.objective import DECIMALS, SLACK, NodeCost, Rank, TieOrder
from starcloak.star.open_nodes import Box, Levels, OpenNodes, above, beneath
from starcloak.star.tuples import GroupSizes

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Candidates looked at per node picked.
_LOOKED_AT = 256


class Cheapest:
    """All nodes sorted by their bases (costs without suppressed rows); among equals the lower node comes first.

    The cost of a node is its base plus the cost of suppressed rows. The latter is at most ``_spare``, and no less than
    at nodes above. So a node is not the best if its base, plus the suppression cost of a node above it, exceeds the
    cost of a satisfying node. LeFevre, DeWitt, Ramakrishnan 2005, section 2.1: minimality of any kind.
    """

    def __init__(self, nodes: OpenNodes, cost: NodeCost, order: TieOrder, *, allowed: int) -> None:
        assert cost.steps is not None
        self._nodes, self._cost, self._ties, self._spare = nodes, cost, order, allowed * cost.most
        self._base: NDArray[np.float64] = reduce(np.add.outer, cost.steps)
        # Least cost of suppressed rows; the nodes with known costs, and the best of them.
        self._left_out, self._scored = np.zeros(nodes.shape), np.zeros(nodes.shape, bool)
        self._least: tuple[Rank, Levels | None] = ((inf, 0, 0, ()), None)
        height = reduce(np.add.outer, [np.arange(levels, dtype=np.int16) for levels in nodes.shape])
        self._order = np.lexsort((height.ravel(), np.round(self._base, DECIMALS).ravel()))
        self._place = np.empty(self._order.size, np.int64)
        self._place[self._order] = np.arange(self._order.size)
        self._place = self._place.reshape(nodes.shape)

    def score(self, levels: Levels, counted: GroupSizes) -> None:
        """Compute the cost of a satisfying node from the sizes of its value groups, and record it for bounds."""
        scored, under = self._cost.of(levels, counted), beneath(levels)
        self._left_out[under] = np.maximum(self._left_out[under], scored.left_out)
        self._scored[levels] = True
        self._least = min(self._least, (self._ties.rank(round(scored.cost, DECIMALS), counted.classes, levels), levels))

    def promising(self, box: Box) -> Levels | None:
        """The satisfying node of a box (a range of levels per attribute) with the lowest bound of its cost.

        Only nodes without a known cost, and with a bound no higher than the least known cost. None without such a node.
        """
        may_be = self._nodes.anonymous[box] & ~self._scored[box] & (self._bound()[box] <= self._least[0][0])
        if not may_be.any():
            return None
        place = np.unravel_index(np.argmin(np.where(may_be, self._bound()[box], inf)), may_be.shape)
        return tuple(side.start + int(level) for side, level in zip(box, place, strict=True))

    def best(self) -> Levels | None:
        """The best of all nodes; None if another node may still be better."""
        left = (self._nodes.open | self._nodes.anonymous) & ~self._scored & (self._bound() <= self._least[0][0])
        return None if left.any() else self._least[1]

    def _bound(self) -> NDArray[np.float64]:
        """Lower bounds of the costs of all nodes, rounded like costs to 12 decimals."""
        bound: NDArray[np.float64] = np.round(self._base + self._left_out - SLACK, DECIMALS)
        return bound

    def pass_by(self) -> int:
        """Close the open nodes that cannot be the best, without a verdict; returns the number of nodes closed."""
        nodes = self._nodes
        if self._spare:
            least = self._base.min(where=nodes.anonymous, initial=inf) + self._spare
            dear = self._bound() > min(self._least[0][0], round(least, DECIMALS))
        else:
            rounded = np.round(self._base, DECIMALS)
            dear = rounded > rounded.min(where=nodes.anonymous, initial=inf)
        dear &= nodes.open
        nodes.open &= ~dear
        return int(np.count_nonzero(dear))

    def known(self) -> Levels | None:
        """The node with the lowest base, of all nodes known to satisfy the requirement; None without one."""
        return self._levels(self._order[self._known]) if self._known < self._order.size else None

    def nodes(self, limit: int) -> list[Levels]:
        """About ``limit`` open nodes with the most informative counts for finding the best.

        Half of these nodes have the lowest bases. The others are nodes in the cheaper half of all open nodes: those
        with verdicts expected to close the most nodes, if k-anonymous or not.
        """
        nodes, half = self._nodes, (limit + 1) // 2
        cheaper = nodes.among(self._place <= np.median(self._place[nodes.open]))
        return list(dict.fromkeys([*self._first(half), *cheaper.telling_nodes(half, cheaper.everything)]))

    def _first(self, limit: int) -> list[Levels]:
        """Up to ``limit`` open nodes with the lowest bases, none of them a generalization of another."""
        free = self._nodes.open.copy()
        places = np.where(free, self._place, free.size).ravel()
        looked_at = min(_LOOKED_AT * limit, free.size)
        first = np.argpartition(places, looked_at - 1)[:looked_at]
        picked: list[Levels] = []
        for cell in first[np.argsort(places[first])]:
            levels = self._levels(cell)
            if free[levels]:
                picked.append(levels)
                free[beneath(levels)] = False
                free[above(levels)] = False
                if len(picked) == limit:
                    break
        return picked

    @property
    def _known(self) -> int:
        """The index of the node of :meth:`known` in the order of bases; the number of all nodes without such a node."""
        return int(self._place.min(where=self._nodes.anonymous, initial=self._place.size))

    def _levels(self, cell: int) -> Levels:
        return tuple(int(level) for level in np.unravel_index(cell, self._place.shape))
