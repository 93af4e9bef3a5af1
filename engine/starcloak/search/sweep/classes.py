"""The classes of a sweep, and the closest common generalization of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from starcloak.search.sweep.costs import Floats
from starcloak.search.sweep.tuples import SweepTuples
from starcloak.star.keys import Integers


@dataclass(frozen=True)
class TupleClasses:
    """Classes of tuples, by their numbers from 0.

    ``leaves`` has a leaf under each value and ``levels`` the values' levels, a column per attribute; ``rows`` are the
    numbers of rows, and ``cost`` is the cost of one row.
    """

    leaves: Integers
    levels: Integers
    rows: Integers
    cost: Floats

    def __len__(self) -> int:
        return len(self.rows)


def generalize(tuples: SweepTuples, of: Integers, count: int) -> TupleClasses:
    """The closest common generalizations of so many classes; ``of`` is the class of each tuple, or -1."""
    members = np.flatnonzero(of >= 0)
    numbers = of[members]
    first: Integers = np.zeros(count, np.int64)
    first[numbers[::-1]] = members[::-1]
    levels: Integers = np.zeros((count, len(tuples.codes)), np.int8)
    cost = np.zeros(count)
    for attribute, (codes, climbs) in enumerate(zip(tuples.codes, tuples.climbs, strict=True)):
        leaves, own = codes[members], codes[first][numbers]
        for level, ancestors in enumerate(climbs[:-1]):
            levels[numbers[ancestors[leaves] != ancestors[own]], attribute] = level + 1
        for level, costs in enumerate(tuples.costs[attribute]):
            at = levels[:, attribute] == level
            cost[at] += costs[codes[first[at]]]
    rows = np.bincount(numbers, weights=tuples.frequency[members], minlength=count).astype(np.int64)
    return TupleClasses(np.stack([codes[first] for codes in tuples.codes], axis=1), levels, rows, cost)


def cost(tuples: SweepTuples, of: Integers, count: int) -> float:
    """Total cost of ``count`` classes. ``of`` has the class of each tuple, from 0 to ``count`` - 1."""
    formed = generalize(tuples, of, count)
    return float(formed.rows @ formed.cost)


def alike(tuples: SweepTuples, classes: TupleClasses) -> tuple[Integers, int]:
    """Classes that look the same in a release: a number for each, and the number of distinct ones."""
    values: list[Integers] = [classes.levels.astype(np.int64)]
    for attribute in tuples.attributes:
        levels, leaves = classes.levels[:, attribute], classes.leaves[:, attribute]
        ancestors = np.stack(tuples.climbs[attribute])
        values.append(ancestors[levels, leaves][:, None])
    distinct, numbers = np.unique(np.concatenate(values, axis=1), axis=0, return_inverse=True)
    return numbers.reshape(-1), len(distinct)


def told_apart(tuples: SweepTuples, of: Integers, count: int) -> tuple[Integers, int]:
    """The class of every tuple, or -1, with classes that look the same in a release merged, and the number of
    classes.
    """
    same, count = alike(tuples, generalize(tuples, of, count))
    return np.where(of >= 0, same[of], -1), count


def number(of: Integers) -> tuple[Integers, int]:
    """Classes by numbers without gaps, -1 for tuples in none, and the number of classes."""
    distinct, numbers = np.unique(of, return_inverse=True)
    out = int(distinct[0] < 0)
    return numbers - out, len(distinct) - out


def apart(of: Integers, count: int) -> tuple[Integers, int]:
    """The classes, and a class of its own for every tuple in none (-1 in ``of``)."""
    rest = np.flatnonzero(of < 0)
    of = of.copy()
    of[rest] = count + np.arange(len(rest))
    return of, count + len(rest)


def by_top(tuples: SweepTuples, places: Integers) -> list[Integers]:
    """Some tuples, divided by tops: tuples of different tops can be in no class together."""
    if not tuples.has_several_tops:
        return [places]
    tops = tuples.tops[places]
    order = np.argsort(tops, kind="stable")
    return np.split(places[order], np.flatnonzero(np.diff(tops[order])) + 1)


def regions(
    tuples: SweepTuples, of: Integers, count: int, random: np.random.Generator, size: int
) -> Iterator[Integers]:
    """The tuples of classes near each other, about ``size`` together: side by side in an order of all, down a chain of
    the lattice. ``of`` is the class of each tuple, or -1.
    """
    there = np.flatnonzero(of >= 0)
    size = -(-len(there) // max(1, -(-len(there) // size)))  # all alike
    if len(there) <= size:
        yield there
        return
    formed = generalize(tuples, of, count)
    steps = np.repeat(list(tuples.attributes), tuples.heights)
    below = list(tuples.heights)
    top: Integers = np.zeros(count, np.int64)
    top[of[there]] = tuples.tops[there]
    digits: list[Integers] = [top]  # tuples that can be in no class together lie apart
    for attribute in random.permutation(steps).tolist():
        below[attribute] -= 1
        digits.append(tuples.climbs[attribute][below[attribute]][formed.leaves[:, attribute]])
    order = np.lexsort(digits[::-1])
    sizes = np.bincount(of[there], minlength=count)
    region = np.empty(count, np.int64)
    region[order] = (np.cumsum(sizes[order]) - sizes[order]) // size
    sorted_ = there[np.argsort(region[of[there]], kind="stable")]
    yield from np.split(sorted_, np.flatnonzero(np.diff(region[of[sorted_]])) + 1)
