"""The order of nodes of equal cost. It does not depend on the order of a job's columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from starcloak.star.keys import Integers
from starcloak.star.open_nodes import Levels
from starcloak.star.star import Star

#: Rank of a node: its cost, then its classes (the most first), its height, and its levels by column name.
Rank: TypeAlias = tuple[float, int, int, Levels]


@dataclass(frozen=True)
class TieOrder:
    """Rank of nodes: of equal costs the node with the most classes is first, then the lowest, then the first by its
    levels.

    Levels are compared as vectors, with columns sorted by name; ``by_name`` has their places in that order.
    """

    by_name: tuple[int, ...]

    @classmethod
    def of(cls, attributes: Sequence[str]) -> TieOrder:
        """The order of nodes over some attributes."""
        return cls(tuple(sorted(range(len(attributes)), key=lambda place: attributes[place])))

    def rank(self, cost: float, classes: int, levels: Levels) -> Rank:
        """The rank of a node, from its rounded cost and how many classes it has: the least is the best."""
        return cost, -classes, sum(levels), tuple(int(levels[place]) for place in self.by_name)

    def first(self, nodes: Integers, cost: NDArray[np.float64], classes: Integers) -> int:
        """The place of the best of some nodes: their levels come by row, with rounded costs and numbers of classes."""
        by_name = [nodes[:, place] for place in reversed(self.by_name)]
        return int(np.lexsort((*by_name, nodes.sum(axis=1), -classes, cost))[0])


def of_star(star: Star) -> TieOrder:
    """The order of the nodes of a star's lattice."""
    return TieOrder.of([dimension.attribute for dimension in star.dimensions])


def lowest(nodes: Integers) -> Integers:
    """The places of the nodes (levels by row) that generalize no other of them.

    If no row is suppressed, a node has no more classes than any node it generalizes.
    """
    left, kept = np.argsort(nodes.sum(axis=1), kind="stable"), []
    while len(left):
        kept.append(int(left[0]))
        left = left[~(nodes[left] >= nodes[left[0]]).all(axis=1)]
    return np.array(sorted(kept), np.int64)
