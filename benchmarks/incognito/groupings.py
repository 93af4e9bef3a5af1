"""What a grouping of one attribute's values does to the searches of Incognito with k = 2, for many groupings at once.

The counts of section 4.2.1 (LeFevre, DeWitt, Ramakrishnan 2005) are those of taxonomies that the paper does not print.
They depend on nothing but which nodes of the lattice are 2-anonymous. An attribute that a subset leaves out has one
value in all rows, as at its top: so the verdicts of the whole lattice are those of every subset.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

K = 2
# Of every value of an attribute, in order, the number of its group; or of several groupings, one row each.
Grouping = NDArray[np.int64]
# Of every node of a lattice, whether it is 2-anonymous: one axis per attribute, one position per level. With several
# groupings, these are the first axis.
Verdicts = NDArray[np.bool_]
# Groupings whose verdicts are asked together, for the memory that it takes.
_TOGETHER = 2048


@dataclass(frozen=True)
class Attribute:
    """An attribute: each row's value as a number, and the groupings of its levels, from the values to one group."""

    cells: NDArray[np.int64]
    levels: tuple[Grouping, ...]


class Asked:
    """The lattice of some attributes and of one more, of which groupings are asked: its values, a grouping, one group.

    ``bottom`` and ``top`` are the verdicts of the others' nodes with its values, and with one group. Between them, a
    grouping is one of ``parts``, which is one of the values. It makes a class of one row where a part has a single row
    in a class of the others, and none of the other parts there is in its group: these pairs, of a part and a set of
    other parts, are kept of every node that a grouping decides.
    """

    def __init__(self, others: Sequence[Attribute], cells: NDArray[np.int64], parts: Grouping | None = None) -> None:
        self._parts = np.arange(int(cells.max()) + 1) if parts is None else parts
        self._size = int(self._parts.max()) + 1
        shape = tuple(len(attribute.levels) for attribute in others)
        self.bottom, self.top = np.zeros(shape, bool), np.zeros(shape, bool)
        self._lone: dict[tuple[int, ...], NDArray[np.int64]] = {}
        *before, last = others
        tuples, rows = _distinct(np.stack([*(attribute.cells for attribute in others), cells]))
        for node in np.ndindex(shape[:-1]):
            keys = np.zeros(len(rows), np.int64)
            for attribute, level, column in zip(before, node, tuples, strict=False):
                keys = keys * (int(attribute.levels[level].max()) + 1) + attribute.levels[level][column]
            of_node, of_rows = _distinct(np.stack([keys, *tuples[-2:]]), rows)
            for level, groups in enumerate(last.levels):
                with_last = of_node[0] * (int(groups.max()) + 1) + groups[of_node[1]]
                self._ask((*node, level), with_last, of_node[2], of_rows)

    def _ask(
        self, node: tuple[int, ...], keys: NDArray[np.int64], values: NDArray[np.int64], rows: NDArray[np.int64]
    ) -> None:
        """A node's verdicts, and what lets groupings have others: of each tuple its key on the others and its value."""
        keys = np.unique(keys, return_inverse=True)[1]
        self.top[node] = np.bincount(keys, weights=rows).min() >= K
        if not self.top[node]:
            return
        self.bottom[node] = _distinct(np.stack([keys, values]), rows)[1].min() >= K
        if self.bottom[node]:
            return
        (keys, parts), rows = _distinct(np.stack([keys, self._parts[values]]), rows)
        sets = np.bincount(keys, weights=2.0**parts).astype(np.int64)
        single = rows < K
        self._lone[node] = np.unique((parts << self._size | sets[keys] ^ 1 << parts)[single])

    def of(self, groupings: Grouping) -> Verdicts:
        """The verdicts of the others' nodes with each of some groupings of the parts, one per row."""
        found = np.repeat(self.bottom[np.newaxis], len(groupings), axis=0)
        if not self._lone:
            return found
        nodes = tuple(np.array(list(self._lone)).T)
        pairs = np.unique(np.concatenate(list(self._lone.values())))
        kept = np.stack([np.isin(pairs, lone) for lone in self._lone.values()], axis=1).astype(np.float32)
        part, others = pairs >> self._size, pairs & (1 << self._size) - 1
        for start in range(0, len(groupings), _TOGETHER):
            some = groupings[start : start + _TOGETHER]
            peers = sum((some == some[:, [at]]).astype(np.int64) << at for at in range(self._size))
            alone = (peers[:, part] & others == 0).astype(np.float32)
            found[start : start + _TOGETHER, *nodes] = alone @ kept == 0
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
    """The nodes of which every subset with one attribute less is 2-anonymous (section 3.1.2)."""
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


def _distinct(
    tuples: NDArray[np.int64], rows: NDArray[np.int64] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The distinct columns of some rows of numbers, and how many rows of the table each stands for."""
    sizes = [int(largest) + 1 for largest in tuples.max(axis=1)]
    keys = np.ravel_multi_index(list(tuples), sizes)
    found, places = np.unique(keys, return_inverse=True)
    counts = np.bincount(places, weights=rows).astype(np.int64)
    return np.stack(np.unravel_index(found, sizes)), counts


def partitions(size: int) -> Grouping:
    """All groupings of so many values."""

    def further(groups: list[int], used: int) -> Iterator[list[int]]:
        if len(groups) == size:
            yield groups
            return
        for group in range(used + 1):
            yield from further([*groups, group], max(used, group + 1))

    return np.array(list(further([], 0)))


def cuts(places: int) -> Grouping:
    """All groupings of so many values into contiguous groups: that of number n cuts after the places of n's bits."""
    numbers = np.arange(1 << places - 1)[:, np.newaxis]
    ends = numbers >> np.arange(places - 1) & 1
    return np.concatenate([np.zeros_like(numbers), np.cumsum(ends, axis=1)], axis=1)


def outcomes(verdicts: Verdicts) -> tuple[Verdicts, NDArray[np.int64]]:
    """The distinct ones of the verdicts of many groupings, which often agree; and of each grouping the place of its."""
    bits = np.packbits(verdicts.reshape(len(verdicts), -1), axis=1)
    _, first, places = np.unique(bits, axis=0, return_index=True, return_inverse=True)
    return verdicts[first], places.reshape(-1)


def chains(asked: Asked, ranks: NDArray[np.int64]) -> Iterator[tuple[Verdicts, int]]:
    """Every pair of contiguous groupings, the second made of groups of the first: verdicts, and how many have them.

    ``ranks`` are the values' places in their order.
    """
    size = int(ranks.max()) + 1
    verdicts, places = outcomes(asked.of(cuts(size)[:, ranks]))
    beneath = np.zeros((len(verdicts), 1 << size - 1), np.int64)
    beneath[places, np.arange(1 << size - 1)] = 1  # becomes, for every set of cuts, how many subsets have an outcome
    for bit in range(size - 1):
        halves = beneath.reshape(len(verdicts), -1, 2, 1 << bit)
        halves[:, :, 1] += halves[:, :, 0]
    for lower in range(len(verdicts)):
        for upper, pairs in enumerate(beneath[:, places == lower].sum(axis=1)):
            if pairs:
                yield asked.whole(verdicts[lower], verdicts[upper]), int(pairs)
