"""Operations on the classes of a sweep: closest common generalization, cost, merging, division into regions.

Classes are an array with the class of each tuple, numbered from 0; -1 is a tuple in no class.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from starcloak.search.sweep.costs import Floats
from starcloak.search.sweep.tuples import SweepTuples
from starcloak.star.keys import Integers


@dataclass(frozen=True)
class TupleClasses:
    """Closest common generalizations of classes of tuples: one entry per class, in the order of the class numbers.

    A generalized value is stored as one of the leaves beneath it (``leaves``) and its level (``levels``), both with a
    row per class and a column per attribute. ``rows`` has the number of rows of each class, ``cost`` the cost of one of
    these rows.
    """

    leaves: Integers
    levels: Integers
    rows: Integers
    cost: Floats

    def __len__(self) -> int:
        return len(self.rows)


def generalize(tuples: SweepTuples, of: Integers, count: int) -> TupleClasses:
    """The closest common generalization of each of ``count`` classes.

    ``of`` is the class of each tuple, from 0 to ``count`` - 1, or -1 for a tuple in no class.
    """
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
    """Total cost of all rows in ``count`` classes, each row at the closest common generalization of its class.

    ``of`` is the class of each tuple, from 0 to ``count`` - 1, or -1 for a tuple in no class, which costs nothing here.
    """
    formed = generalize(tuples, of, count)
    return float(formed.rows @ formed.cost)


def alike(tuples: SweepTuples, classes: TupleClasses) -> tuple[Integers, int]:
    """A number per class, equal for classes with equal levels and generalized values, and the count of these numbers.

    Such classes have the same quasi-identifier in a release, and so are one equivalence class.
    """
    values: list[Integers] = [classes.levels.astype(np.int64)]
    for attribute in tuples.attributes:
        levels, leaves = classes.levels[:, attribute], classes.leaves[:, attribute]
        ancestors = np.stack(tuples.climbs[attribute])
        values.append(ancestors[levels, leaves][:, None])
    distinct, numbers = np.unique(np.concatenate(values, axis=1), axis=0, return_inverse=True)
    return numbers.reshape(-1), len(distinct)


def told_apart(tuples: SweepTuples, of: Integers, count: int) -> tuple[Integers, int]:
    """The class of every tuple after classes with equal generalized values are merged, and the number of classes.

    ``of`` is the class of each tuple, from 0 to ``count`` - 1. A tuple in no class has -1 before and after.
    """
    same, count = alike(tuples, generalize(tuples, of, count))
    return np.where(of >= 0, same[of], -1), count


def number(of: Integers) -> tuple[Integers, int]:
    """The class of every tuple, renumbered from 0 without gaps (-1 for a tuple in no class), and the class count."""
    distinct, numbers = np.unique(of, return_inverse=True)
    out = int(distinct[0] < 0)
    return numbers - out, len(distinct) - out


def apart(of: Integers, count: int) -> tuple[Integers, int]:
    """The class of every tuple, and the number of classes; each tuple in no class (-1 in ``of``) gets a new class."""
    rest = np.flatnonzero(of < 0)
    of = of.copy()
    of[rest] = count + np.arange(len(rest))
    return of, count + len(rest)


def by_top(tuples: SweepTuples, places: Integers) -> list[Integers]:
    """The tuples ``places``, divided by their value group at the top of the lattice.

    Tuples with different values at the top cannot share a class. If the top has a single value group, there is one
    part.
    """
    if not tuples.has_several_tops:
        return [places]
    tops = tuples.tops[places]
    order = np.argsort(tops, kind="stable")
    return np.split(places[order], np.flatnonzero(np.diff(tops[order])) + 1)


def regions(
    tuples: SweepTuples, of: Integers, count: int, random: np.random.Generator, size: int
) -> Iterator[Integers]:
    """Regions of the table, one after the other: the tuples of similar whole classes, about ``size`` tuples each.

    Classes are sorted by their values along a random chain from the top of the lattice down, so similar ones become
    adjacent; the order is then cut into parts of about equal size. ``of`` is the class of each tuple, from 0 to
    ``count`` - 1; tuples in no class (-1) are in no region.
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
