"""Verdicts of a search on every node of the lattice: k-anonymous, not k-anonymous, or still open.

LeFevre, DeWitt, Ramakrishnan 2005, section 2 and Figure 3. One cell per node, one axis per attribute; the
generalizations of a node, and its specializations, are boxes of cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_Cell = TypeVar("_Cell", bound="np.generic[Any]")

Levels = tuple[int, ...]
Box = tuple[slice, ...]

# Candidates looked at per node picked.
_LOOKED_AT = 64


class OpenNodes:
    """The nodes with an open verdict, and those known to be k-anonymous.

    By the generalization property (section 3) all generalizations of a k-anonymous node are k-anonymous, and no
    specialization of a violating node is. A ``box`` contains the nodes between two levels of every attribute.
    """

    def __init__(self, heights: Sequence[int]) -> None:
        self.everything: Box = tuple(slice(0, height + 1) for height in heights)
        self.shape = tuple(height + 1 for height in heights)
        self.open: NDArray[np.bool_] = np.ones(self.shape, bool)
        self.anonymous: NDArray[np.bool_] = np.zeros(self.shape, bool)

    def among(self, places: NDArray[np.bool_]) -> OpenNodes:
        """The same lattice with only ``places`` of its open nodes open, and no verdict yet."""
        part = OpenNodes([levels - 1 for levels in self.shape])
        part.open = self.open & places
        return part

    def count(self, box: Box) -> int:
        """Number of open nodes in a box."""
        return int(np.count_nonzero(self.open[box]))

    def span(self, box: Box) -> Box:
        """The smallest box with all open nodes of a box. The box must have an open node."""
        is_open = self.open[box]
        sides = []
        for axis, side in enumerate(box):
            places = np.flatnonzero(
                is_open.any(axis=tuple(free_axis for free_axis in range(is_open.ndim) if free_axis != axis))
            )
            sides.append(slice(side.start + int(places[0]), side.start + int(places[-1]) + 1))
        return tuple(sides)

    def settle(self, levels: Levels, *, anonymous: bool) -> None:
        """Record the verdict on a node, and on all nodes it decides."""
        if anonymous:
            self.anonymous[above(levels)] = True
            self.open[above(levels)] = False
        else:
            self.open[beneath(levels)] = False

    def refute(self, violating: NDArray[np.bool_], box: Box) -> None:
        """Close the nodes of a box marked ``violating``, not k-anonymous, and all nodes they generalize."""
        marked = np.zeros(self.shape, bool)
        marked[box] = violating
        self.open &= ~np.flip(sum_up(np.flip(marked)))

    def telling_nodes(self, limit: int, box: Box, likely: NDArray[np.float64] | None = None) -> list[Levels]:
        """Open nodes of a box, none of them a generalization of another.

        First come nodes with either verdict closing most of the box. If ``likely`` has each node's probability to be
        k-anonymous (0 … 1), first come nodes whose likely verdict does.
        """
        free = self.open[box].copy()
        counts = free.astype(np.int32)
        lower, higher = sum_up(counts), np.flip(sum_up(np.flip(counts)))
        if likely is None:
            closed = (np.minimum(lower, higher) * free).ravel()
        else:
            closed = ((likely * np.log1p(higher) + (1 - likely) * np.log1p(lower)) * free).ravel()
        looked_at = min(_LOOKED_AT * limit, closed.size)
        best = np.argpartition(closed, closed.size - looked_at)[closed.size - looked_at :]
        best = best[np.argsort(-closed[best], kind="stable")]
        picked: list[Levels] = []
        for cell in np.transpose(np.unravel_index(best, free.shape)).tolist():
            if free[tuple(cell)]:
                picked.append(tuple(side.start + level for side, level in zip(box, cell, strict=True)))
                free[beneath(cell)] = False
                free[above(cell)] = False
                if len(picked) == limit:
                    break
        return picked


def sum_up(cells: NDArray[_Cell], *, since: int = 0) -> NDArray[_Cell]:
    """For every cell, the sum of the cells beneath it along every axis ``since`` one; of truth values, the disjunction.

    An axis has few levels: whole levels added to the next take a fraction of the time of ``numpy.cumsum``.
    """
    sums = cells.copy()
    for axis in range(since, sums.ndim):
        levels = np.moveaxis(sums, axis, 0)
        for level in range(1, len(levels)):
            levels[level] += levels[level - 1]
    return sums


def meet(box: Box) -> Levels:
    """The node that all others of a box generalize."""
    return tuple(side.start for side in box)


def between(box: Box, attribute: int, low: int, high: int) -> Box:
    """The nodes of a box with a level of an attribute, counted from 0, of at least ``low`` and below ``high``."""
    return (*box[:attribute], slice(low, high), *box[attribute + 1 :])


def above(levels: Sequence[int]) -> Box:
    """A node and all its generalizations."""
    return tuple(slice(level, None) for level in levels)


def beneath(levels: Sequence[int]) -> Box:
    """A node and all nodes it generalizes."""
    return tuple(slice(None, level + 1) for level in levels)
