"""Drawing of a lattice: a row per height, a square per node, coloured by the verdict on the node and its loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: A lattice of more nodes is not drawn.
MOST = 20_000
_WIDE = 1020  # pixels of the longest line of nodes, at most
_CELLS = (14, 10, 6)  # pixels of a node: as large as the longest row allows
LEFT, LINE = 46, 13  # space for a row's number
_TOP = 6
KINDS = ("open", "satisfying", "minimal", "chosen")
_SHADES = 4


@dataclass(frozen=True)
class Kind:
    """All nodes with the same verdict and shade; ``count`` is their number, ``path`` draws them in SVG."""

    name: str
    told: str
    count: int
    path: str


@dataclass(frozen=True)
class Row:
    """The nodes of one height; ``top`` is the vertical position of their row in pixels, ``nodes`` their number."""

    height: int
    top: int
    nodes: int


@dataclass(frozen=True)
class Drawing:
    """A drawn lattice, with the data for the page's script to find the node under the pointer."""

    kinds: tuple[Kind, ...]
    rows: tuple[Row, ...]
    width: int
    height: int
    cell: int
    across: int
    attributes: tuple[str, ...]
    bounds: tuple[tuple[int, int], ...]
    minimal: list[list[int]]
    chosen: list[int]
    labels: tuple[tuple[str, ...], ...]

    def label(self, attribute: int, level: int) -> str:
        """Name of a level of the attribute with this position; the level's number without names."""
        return self.labels[attribute][level] if self.labels else str(level)

    @property
    def data(self) -> dict[str, Any]:
        """Data, as values of JSON, for the script of the page."""
        return {
            "bounds": self.bounds,
            "names": self.attributes,
            "labels": self.labels,
            "minimal": self.minimal,
            "chosen": self.chosen,
            "rows": [[row.top, row.nodes] for row in self.rows],
            "cell": self.cell,
            "across": self.across,
            "left": LEFT,
        }


def draw(
    attributes: Sequence[str],
    bounds: Sequence[tuple[int, int]],
    satisfying: NDArray[np.bool_],
    minimal: list[list[int]],
    chosen: list[int],
    loss: NDArray[np.float64] | None = None,
    labels: Sequence[Sequence[str]] = (),
) -> Drawing:
    """Draw every node of a lattice within ``bounds``, the lowest and the highest level per attribute.

    ``satisfying`` and ``loss`` have an item per node, in the order of :func:`nodes_between`. ``minimal`` has the levels
    of the minimal satisfying nodes. ``loss`` (0 … 1) shades the satisfying nodes. An empty ``chosen`` marks no node.
    ``labels`` are the names of each attribute's levels; without them, levels are numbers.
    """
    levels = nodes_between(bounds)
    total = levels.sum(axis=1)
    order = np.argsort(total, kind="stable")
    levels, total = levels[order], total[order]
    kind = satisfying[order].astype(int)
    for node in minimal:
        kind[(levels == node).all(axis=1)] = 2
    if chosen:
        kind[(levels == chosen).all(axis=1)] = 3
    longest = int(np.unique(total, return_counts=True)[1].max())
    cell = next((pixels for pixels in _CELLS if longest * pixels <= _WIDE), _CELLS[-1])
    across = min(longest, _WIDE // cell)
    rows, places, top = [], np.zeros((len(levels), 2), int), _TOP
    for height in range(total[0], total[-1] + 1):
        members = np.flatnonzero(total == height)
        rows.append(Row(int(height), top, len(members)))
        index = np.arange(len(members))
        places[members] = np.stack([LEFT + index % across * cell, top + index // across * cell], axis=1)
        top += max((len(members) - 1) // across * cell + cell + 4, LINE)
    too = ", and minimal" if chosen in minimal else ""
    verdicts = ("does not satisfy", "satisfies, not minimal", "satisfies, minimal", f"chosen{too}")
    kinds = []
    for number, name in enumerate(KINDS):
        for shade, label, marked in _shades(kind == number, None if loss is None or number != 1 else loss[order]):
            path = _path(places[marked], cell - 1)
            kinds.append(Kind(f"{name}{shade}", f"{verdicts[number]}{label}", int(marked.sum()), path))
    width = LEFT + max(across * cell, 200)
    return Drawing(
        tuple(kinds), tuple(rows), width, top, cell, across, tuple(attributes), tuple(bounds), minimal, chosen,
        tuple(map(tuple, labels)),
    )  # fmt: skip


def nodes_between(bounds: Sequence[tuple[int, int]]) -> NDArray[np.int64]:
    """All nodes within the lowest and the highest level of each attribute: a row of levels per node, in order."""
    lowest = np.array([low for low, _ in bounds], np.int64)
    nodes: NDArray[np.int64] = np.indices([high - low + 1 for low, high in bounds]).reshape(len(bounds), -1).T + lowest
    return nodes


def _shades(marked: NDArray[np.bool_], loss: NDArray[np.float64] | None) -> list[tuple[str, str, NDArray[np.bool_]]]:
    """Split the ``marked`` nodes into quantiles of loss, the least first: name, description and mask of each."""
    if loss is None or not marked.any():
        return [("", "", marked)]
    bounds = np.unique(np.quantile(loss[marked], np.arange(1, _SHADES + 1) / _SHADES))
    shade = np.searchsorted(bounds, loss)
    return [
        (f" shade{number}", f", loss up to {bound:.3f}", marked & (shade == number))
        for number, bound in enumerate(bounds)
    ]


def _path(places: Sequence[Sequence[int]] | np.ndarray[tuple[int, int], np.dtype[np.int_]], side: int) -> str:
    """SVG path with one square of ``side`` pixels per position."""
    return "".join(f"M{x} {y}h{side}v{side}h-{side}z" for x, y in places)
