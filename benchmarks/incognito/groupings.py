"""What a grouping of one attribute's values does to the searches of Incognito, for many groupings at once.

The counts of section 4.2.1 (LeFevre, DeWitt, Ramakrishnan 2005) are those of taxonomies that the paper does not print.
They depend on nothing but which nodes of the lattice are k-anonymous. An attribute that a subset leaves out has one
value in all rows, as at its top: so the verdicts of the whole lattice are those of every subset.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

# Of every value of an attribute, in order, the number of its group.
Grouping = NDArray[np.int64]
# Of every node of a lattice, whether it is k-anonymous: one axis per attribute, one position per level.
Verdicts = NDArray[np.bool_]


@dataclass(frozen=True)
class Attribute:
    """An attribute: each row's value as a number, and the groupings of its levels, from the values to one group."""

    cells: NDArray[np.int64]
    levels: tuple[Grouping, ...]


class Asked:
    """The lattice of some attributes and of one more, of which groupings are asked: its values, a grouping, one group.

    ``open`` nodes are those of the others that are not k-anonymous with the values and are with one group: only they
    depend on the grouping. ``top`` are the verdicts of the others alone, where they are known.
    """

    def __init__(
        self, others: Sequence[Attribute], cells: NDArray[np.int64], k: int, top: Verdicts | None = None
    ) -> None:
        self._k = k
        self._values = int(cells.max()) + 1
        shape = tuple(len(attribute.levels) for attribute in others)
        self.bottom, self.top = np.zeros(shape, bool), np.zeros(shape, bool)
        self._open: dict[tuple[int, ...], tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]] = {}
        tuples, rows = np.unique(
            np.stack([*(attribute.cells for attribute in others), cells]), axis=1, return_counts=True
        )
        for node in np.ndindex(shape):
            if top is not None and not top[node]:
                continue
            keys = np.zeros(len(rows), np.int64)
            for attribute, level, column in zip(others, node, tuples, strict=False):
                groups = attribute.levels[level]
                keys = keys * (int(groups.max()) + 1) + groups[column]
            _, keys = np.unique(keys, return_inverse=True)
            self.top[node] = np.bincount(keys, weights=rows).min() >= k
            if not self.top[node]:
                continue
            pairs, places = np.unique(keys * self._values + tuples[-1], return_inverse=True)
            frequencies = np.bincount(places, weights=rows).astype(np.int64)
            self.bottom[node] = frequencies.min() >= k
            if not self.bottom[node]:
                self._open[node] = pairs // self._values, pairs % self._values, frequencies

    def of(self, grouping: Grouping) -> Verdicts:
        """The verdicts of the others' nodes with this grouping."""
        found, groups = self.bottom.copy(), int(grouping.max()) + 1
        for node, (keys, values, rows) in sorted(self._open.items(), key=lambda each: sum(each[0])):
            below = ((*node[:at], level - 1, *node[at + 1 :]) for at, level in enumerate(node) if level)
            if any(found[lower] for lower in below):
                found[node] = True
                continue
            sizes = np.bincount(keys * groups + grouping[values], weights=rows)
            found[node] = sizes[sizes > 0].min() >= self._k
        return found

    def whole(self, *groupings: Verdicts) -> Verdicts:
        """The verdicts of the whole lattice, of those of the levels between."""
        return np.stack([self.bottom, *groupings, self.top], axis=-1)


@dataclass(frozen=True)
class Searched:
    """The nodes that the searches check on a lattice with these verdicts."""

    verdicts: Verdicts

    @cached_property
    def bottom_up(self) -> int:
        """Nodes of the exhaustive bottom-up search of section 2.2."""
        return _checked(self.verdicts, np.ones_like(self.verdicts))

    @cached_property
    def incognito(self) -> int:
        """Nodes of Basic Incognito (Figure 8), over all subsets of the attributes."""
        return sum(
            _checked(part := self.verdicts[self._of(subset)], _candidates(part))
            for size in range(1, self.verdicts.ndim + 1)
            for subset in combinations(range(self.verdicts.ndim), size)
        )

    def _of(self, subset: Sequence[int]) -> tuple[slice | int, ...]:
        return tuple(slice(None) if at in subset else -1 for at in range(self.verdicts.ndim))


def _candidates(verdicts: Verdicts) -> Verdicts:
    """The nodes of which every subset with one attribute less is k-anonymous (section 3.1.2)."""
    found = np.ones_like(verdicts)
    if verdicts.ndim > 1:
        for axis in range(verdicts.ndim):
            found &= np.take(verdicts, [-1], axis=axis)
    return found


def _checked(verdicts: Verdicts, candidates: Verdicts) -> int:
    """How many nodes Figure 8's breadth-first search checks: those it comes to and that are not marked."""
    heights = np.asarray(sum(np.indices(verdicts.shape)))
    checked, roots = np.zeros_like(verdicts), candidates & ~_above(candidates)
    for height in range(int(heights.max()) + 1):
        reached = (roots | _above(checked & ~verdicts)) & ~_above(checked & verdicts)
        checked |= reached & candidates & (heights == height)
    return int(checked.sum())


def _above(nodes: Verdicts) -> Verdicts:
    """The direct generalizations of some nodes."""
    found = np.zeros_like(nodes)
    for axis in range(nodes.ndim):
        upper, lower = [slice(None)] * nodes.ndim, [slice(None)] * nodes.ndim
        upper[axis], lower[axis] = slice(1, None), slice(None, -1)
        found[tuple(upper)] |= nodes[tuple(lower)]
    return found


def partitions(size: int) -> Iterator[Grouping]:
    """All groupings of so many values."""

    def further(groups: list[int], used: int) -> Iterator[Grouping]:
        if len(groups) == size:
            yield np.array(groups)
            return
        for group in range(used + 1):
            yield from further([*groups, group], max(used, group + 1))

    return further([], 0)


def outcomes(asked: Asked, groupings: Iterator[Grouping]) -> dict[bytes, list[Grouping]]:
    """The groupings by what they do: very many do the same."""
    found: dict[bytes, list[Grouping]] = {}
    for grouping in groupings:
        found.setdefault(asked.of(grouping).tobytes(), []).append(grouping)
    return found


def chains(asked: Asked, ranks: NDArray[np.int64], fits: Callable[[Verdicts], bool]) -> tuple[int, int]:
    """How many pairs of contiguous groupings, the second made of groups of the first, there are, and how many fit.

    ``ranks`` are the values' places in their order. A grouping is the set of the places where a group ends.
    """
    ends = int(ranks.max())
    by_outcome: dict[bytes, list[int]] = {}
    for mask in range(1 << ends):
        bits = np.concatenate([[0], np.cumsum([mask >> at & 1 for at in range(ends)])])
        by_outcome.setdefault(asked.of(bits[ranks]).tobytes(), []).append(mask)
    verdicts = [np.frombuffer(each, bool).reshape(asked.bottom.shape) for each in by_outcome]
    held = np.zeros((len(verdicts), 1 << ends), np.int64)
    for at, masks in enumerate(by_outcome.values()):
        held[at, masks] = 1
    beneath = held.copy()  # for every set, how many of its subsets have an outcome
    for bit in range(ends):
        halves = beneath.reshape(len(verdicts), -1, 2, 1 << bit)
        halves[:, :, 1] += halves[:, :, 0]
    tried = fitting = 0
    for lower in range(len(verdicts)):
        for upper in range(len(verdicts)):
            pairs = int((held[lower] * beneath[upper]).sum())
            tried += pairs
            if pairs and fits(asked.whole(verdicts[lower], verdicts[upper])):
                fitting += pairs
    return tried, fitting
