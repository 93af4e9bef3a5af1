"""The lattice of a full-domain search as a drawing: every node, row by row of its height, told apart by its verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from starcloak.result import Result

#: A lattice of more nodes is not drawn.
MOST = 20_000
CELL, ACROSS = 6, 170  # pixels of a node, and nodes side by side
LEFT, LINE = 46, 13  # what a row's number needs
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
    rows, places, top = [], np.zeros((len(levels), 2), int), CELL
    for height in range(sum(heights) + 1):
        members = np.flatnonzero(total == height)
        rows.append(Row(height, top, len(members)))
        index = np.arange(len(members))
        places[members] = np.stack([LEFT + index % ACROSS * CELL, top + index // ACROSS * CELL], axis=1)
        top += max((len(members) - 1) // ACROSS * CELL + CELL + 4, LINE)
    told = ("does not satisfy", "satisfies", "satisfies, minimal", "chosen")
    kinds = tuple(
        Kind(name, told[number], int((kind == number).sum()), _path(places[kind == number]))
        for number, name in enumerate(KINDS)
    )
    return Drawing(kinds, tuple(rows), LEFT + ACROSS * CELL, top, attributes, heights, minimal, chosen)


def _path(places: Sequence[Sequence[int]] | np.ndarray[tuple[int, int], np.dtype[np.int_]]) -> str:
    """One square for each place."""
    side = CELL - 1
    return "".join(f"M{x} {y}h{side}v{side}h-{side}z" for x, y in places)
