"""Verdicts of a search on every node of the lattice: k-anonymous, not k-anonymous, or still open.

LeFevre, DeWitt, Ramakrishnan 2005, section 2 and Figure 3. Verdicts are arrays with one cell per node and one axis per
attribute. The generalizations of a node form a box (a range of levels per attribute), and so do its specializations.
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

# Number of candidates compared per picked node.
_LOOKED_AT = 64


class OpenNodes:
    """The nodes with an open verdict, and those known to be k-anonymous.

    By the generalization property (section 3) all generalizations of a k-anonymous node are k-anonymous, and no
    specialization of a violating node is. A ``box`` is a range of levels per attribute, and stands for the nodes with
    levels in these ranges.
    """

    def __init__(self, heights: Sequence[int]) -> None:
        self.everything: Box = tuple(slice(0, height + 1) for height in heights)
        self.shape = tuple(height + 1 for height in heights)
        self.open: NDArray[np.bool_] = np.ones(self.shape, bool)
        self.anonymous: NDArray[np.bool_] = np.zeros(self.shape, bool)

    def among(self, places: NDArray[np.bool_]) -> OpenNodes:
        """A copy of the lattice without verdicts, with the open nodes restricted to the mask ``places``."""
        part = OpenNodes([levels - 1 for levels in self.shape])
        part.open = self.open & places
        return part

    def count(self, box: Box) -> int:
        """Number of open nodes in a box."""
        return int(np.count_nonzero(self.open[box]))

    def span(self, box: Box) -> Box:
        """The smallest box with all open nodes of a given box, which must have an open node."""
        is_open = self.open[box]
        sides = []
        for axis, side in enumerate(box):
            places = np.flatnonzero(
                is_open.any(axis=tuple(free_axis for free_axis in range(is_open.ndim) if free_axis != axis))
            )
            sides.append(slice(side.start + int(places[0]), side.start + int(places[-1]) + 1))
        return tuple(sides)

    def settle(self, levels: Levels, *, anonymous: bool) -> None:
        """Record the verdict on a node: also on its generalizations if ``anonymous``, else on its specializations."""
        if anonymous:
            self.anonymous[above(levels)] = True
            self.open[above(levels)] = False
        else:
            self.open[beneath(levels)] = False

    def refute(self, violating: NDArray[np.bool_], box: Box) -> None:
        """Record as not k-anonymous the nodes of a box in the mask ``violating``, and all of their specializations."""
        marked = np.zeros(self.shape, bool)
        marked[box] = violating
        self.open &= ~np.flip(sum_up(np.flip(marked)))

    def telling_nodes(self, limit: int, box: Box, likely: NDArray[np.float64] | None = None) -> list[Levels]:
        """Up to ``limit`` open nodes of a box with verdicts that close many other nodes; best ones first.

        None of them is a generalization of another one. Nodes are ranked by the number of nodes closed by the less
        favourable verdict. If ``likely`` has each node's probability (0 … 1) of being k-anonymous, they are ranked by
        the expected logarithm of the number of closed nodes.
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
    """Cumulative sums of cells along every axis from axis ``since`` on; cumulative disjunctions of truth values.

    The sum of a cell includes the cell itself. An axis has few levels, so adding whole slices takes a fraction of the
    time of ``numpy.cumsum``.
    """
    sums = cells.copy()
    for axis in range(since, sums.ndim):
        levels = np.moveaxis(sums, axis, 0)
        for level in range(1, len(levels)):
            levels[level] += levels[level - 1]
    return sums


def meet(box: Box) -> Levels:
    """The lowest node of a box (a range of levels per attribute): all other nodes of the box generalize it."""
    return tuple(side.start for side in box)


def between(box: Box, attribute: int, low: int, high: int) -> Box:
    """A box restricted to levels of an attribute (numbered from 0) of at least ``low`` and below ``high``."""
    return (*box[:attribute], slice(low, high), *box[attribute + 1 :])


def above(levels: Sequence[int]) -> Box:
    """The box (a range of levels per attribute) of a node and all of its generalizations."""
    return tuple(slice(level, None) for level in levels)


def beneath(levels: Sequence[int]) -> Box:
    """The box (a range of levels per attribute) of a node and all of its specializations."""
    return tuple(slice(None, level + 1) for level in levels)
