"""The lattice of a full-domain search as a drawing: every node, row by row of its height, told apart by its verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from starcloak.job.result import Result

#: A lattice of more nodes is not drawn.
MOST = 20_000
_WIDE = 1020  # pixels of the longest line of nodes, at most
_CELLS = (14, 10, 6)  # pixels of a node: as large as the longest row allows
LEFT, LINE = 46, 13  # what a row's number needs
_TOP = 6
KINDS = ("open", "satisfying", "minimal", "chosen")


@dataclass(frozen=True)
class Kind:
    """The nodes of one verdict: how many, and the path that draws them."""

    name: str
    told: str
    count: int
    path: str


@dataclass(frozen=True)
class Row:
    """The nodes of one height: from which line on they stand, and how many there are."""

    height: int
    top: int
    nodes: int


@dataclass(frozen=True)
class Drawing:
    """The lattice, as a page draws it and as its script finds nodes in it."""

    kinds: tuple[Kind, ...]
    rows: tuple[Row, ...]
    width: int
    height: int
    cell: int
    across: int
    attributes: tuple[str, ...]
    heights: tuple[int, ...]
    minimal: list[list[int]]
    chosen: list[int]


def drawing_of(result: Result) -> Drawing | None:
    """The lattice of a complete full-domain search.

    None of another one, of one that is too large, and where what satisfies is not all that is above a minimal node.
    """
    attributes = tuple(result.recoding.heights)
    heights = tuple(result.recoding.heights.values())
    if result.recoding.model != "full-domain" or not result.search.complete or prod(h + 1 for h in heights) > MOST:
        return None
    minimal = result.search.minimal
    chosen = [result.recoding.levels[name] for name in attributes]
    levels = np.indices([height + 1 for height in heights]).reshape(len(heights), -1).T
    total = levels.sum(axis=1)
    order = np.argsort(total, kind="stable")
    levels, total = levels[order], total[order]
    satisfying = np.zeros(len(levels), bool)
    for node in minimal:
        satisfying |= (levels >= node).all(axis=1)
    if satisfying.sum() != result.search.anonymous_nodes:
        return None
    kind = satisfying.astype(int)
    for node in minimal:
        kind[(levels == node).all(axis=1)] = 2
    kind[(levels == chosen).all(axis=1)] = 3
    longest = int(np.bincount(total).max())
    cell = next((pixels for pixels in _CELLS if longest * pixels <= _WIDE), _CELLS[-1])
    across = min(longest, _WIDE // cell)
    rows, places, top = [], np.zeros((len(levels), 2), int), _TOP
    for height in range(sum(heights) + 1):
        members = np.flatnonzero(total == height)
        rows.append(Row(height, top, len(members)))
        index = np.arange(len(members))
        places[members] = np.stack([LEFT + index % across * cell, top + index // across * cell], axis=1)
        top += max((len(members) - 1) // across * cell + cell + 4, LINE)
    too = ", and minimal" if chosen in minimal else ""
    verdicts = ("does not satisfy", "satisfies, not minimal", "satisfies, minimal", f"chosen{too}")
    kinds = tuple(
        Kind(name, verdicts[number], int((kind == number).sum()), _path(places[kind == number], cell - 1))
        for number, name in enumerate(KINDS)
    )
    width = LEFT + max(across * cell, 200)
    return Drawing(kinds, tuple(rows), width, top, cell, across, attributes, heights, minimal, chosen)


def _path(places: Sequence[Sequence[int]] | np.ndarray[tuple[int, int], np.dtype[np.int_]], side: int) -> str:
    """One square for each place."""
    return "".join(f"M{x} {y}h{side}v{side}h-{side}z" for x, y in places)
