"""Classes of neighbours, that is, of tuples with similar values.

A class starts with one tuple, the seed. Then the tuple that raises the cost of the class least joins, one after the
other, until the class has enough rows. Candidate classes around many seeds are sorted by cost; a class is kept if no
kept class has any of its tuples. The remaining tuples get new candidates in the next round. A class grows as in the
greedy k-member algorithm of Byun, Kamra, Bertino, Li 2007, with costs of cells in place of their distances. The running
time depends on the number of tuples and columns, not on the size of the lattice.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from starcloak.search.sweep import classes
from starcloak.search.sweep.settings import region_size
from starcloak.search.sweep.tuples import SweepTuples
from starcloak.star.keys import Integers

if TYPE_CHECKING:
    from numpy.typing import NDArray

# So many neighbours of each, or so many for each row that a class needs.
_NEAR, _PER_ROW = 40, 4
# Classes of so large a share of the rows left are formed at a time, or so many; every third time with new neighbours.
_SHARE, _FEW, _LOOK = 0.15, 20, 3
# So many tuples for each class that could be formed have one tried around them.
_SEEDS = 5
# Tuples are compared by so many values at most.
_VALUES = 1024
# Largest cost of all cells, a whole number: float32 adds those exactly up to four times as much.
WHOLE = 1 << 22
# More than any cell costs, also when those are added: who left joins no class.
_GONE = np.float32(1e12)
# Pairs of tuples that are looked at at once, and cells that are compared at once.
_PAIRS, _AT_ONCE = 10_000_000, 2_000_000


def form(
    tuples: SweepTuples,
    places: Integers,
    random: np.random.Generator,
    report: Callable[[str], None],
    ends: Callable[[], bool] = lambda: False,
    threads: int = 1,
) -> tuple[Integers, int]:
    """The class of every tuple, -1 for a tuple in no class, and the number of classes, formed of the tuples ``places``.

    Every class has at least as many rows as the demand requires (``least_rows``). In each region of the table, fewer
    rows than that remain in no class. Once ``ends`` returns True, the remaining tuples are sorted along a chain of the
    lattice and divided into classes of about ``least_rows`` tuples. The outcome does not depend on ``threads``.
    """
    of: Integers = np.full(len(tuples), -1, np.int64)
    of[places] = np.arange(len(places))
    near = classes.regions(tuples, of, len(places), random, region_size(len(places))) if len(places) else []
    regions = [part for region in near for part in classes.by_top(tuples, region)]
    of[places], count = -1, 0
    with ThreadPoolExecutor(threads) as pool:
        for region in regions:
            if ends():
                break
            report(f"search: {count:,} classes of neighbours")
            own, formed = Neighbours.of(tuples, region, random, pool).form(ends)
            of[region] = np.where(own >= 0, count + own, -1)
            count += formed
    rest = places[of[places] < 0]
    if len(rest) and ends():
        alone: Integers = np.full(len(tuples), -1, np.int64)
        alone[rest] = np.arange(len(rest))
        for region in classes.regions(tuples, alone, len(rest), random, tuples.demand.least_rows):
            for part in classes.by_top(tuples, region):
                of[part] = count
                count += 1
    return of, count


def steps(tuples: SweepTuples, chosen: Integers) -> tuple[Integers, NDArray[np.float32]]:
    """Values and costs of all steps of the hierarchies: two arrays with a row per step and a column per chosen tuple.

    A step leads from one level of an attribute to the next. The first array has the number of each tuple's value below
    the step, the second the cost that the step adds to the tuple. Two tuples with different values below a step become
    equal only above it. Steps without a cost are omitted.
    """
    values, costs = [], []
    for codes, climbs, cost in zip(tuples.codes, tuples.climbs, tuples.costs, strict=True):
        leaves = codes[chosen]
        for level, (below, above) in zip(climbs, pairwise(cost), strict=False):
            raised = (above - below)[leaves].astype(np.float32)
            if raised.any():
                own = np.unique(level[leaves], return_inverse=True)[1].reshape(-1)
                values.append(own.astype(np.min_scalar_type(int(own.max()))))
                costs.append(raised)
    if not values:
        return np.zeros((0, len(chosen)), np.uint8), np.zeros((0, len(chosen)), np.float32)
    return np.stack(values), np.stack(costs)


def whole_steps(tuples: SweepTuples, chosen: Integers) -> tuple[Integers, NDArray[np.float32]]:
    """The result of :func:`steps`, transposed to a row per chosen tuple; costs are multiplied by WHOLE and rounded."""
    values, costs = steps(tuples, chosen)
    return np.ascontiguousarray(values.T), np.rint(costs.T * WHOLE).astype(np.float32)


@dataclass
class Neighbours:
    """The tuples of one region, and the classes formed of them so far; at first all tuples are in no class.

    ``values`` and ``costs`` have a row per tuple and a column per step of a hierarchy, as in :func:`whole_steps`.
    Costs are whole numbers, so that sums of floats are exact in any order. ``rows`` has the number of rows of each
    tuple, ``least`` the number of rows needed by a class.
    """

    values: Integers
    costs: NDArray[np.float32]
    rows: Integers
    least: int
    random: np.random.Generator
    pool: ThreadPoolExecutor
    _of: Integers = field(init=False)
    _count: int = field(init=False, default=0)
    # For each tuple the most similar ones by shared costs, itself among them.
    _near: Integers = field(init=False)

    def __post_init__(self) -> None:
        self._of = np.full(len(self.rows), -1, np.int64)

    @classmethod
    def of(
        cls, tuples: SweepTuples, region: Integers, random: np.random.Generator, pool: ThreadPoolExecutor
    ) -> Neighbours:
        """The tuples of ``region``, each in no class; a class needs the rows required by the demand of ``tuples``."""
        values, costs = whole_steps(tuples, region)
        return cls(values, costs, tuples.frequency[region], tuples.demand.least_rows, random, pool)

    def form(self, ends: Callable[[], bool]) -> tuple[Integers, int]:
        """The class of each tuple, -1 for a tuple in no class, and the number of classes.

        Every round forms the cheapest classes of the remaining tuples, until these have too few rows or ``ends``
        returns True.
        """
        rounds = 0
        while not ends():
            left = np.flatnonzero(self._of < 0)
            if self.rows[left].sum() < self.least:
                break
            if rounds % _LOOK == 0:
                near = self.nearest(left, 1 + max(_NEAR, _PER_ROW * self.least), ends)
                if near is None:
                    break
                self._near = np.zeros((len(self.rows), near.shape[1]), np.int32)
                self._near[left] = near
            # Where no tuple has enough of its neighbours left, these are looked for anew.
            rounds = rounds + 1 if self._round(left) else 0
        return self._of, self._count

    def _round(self, left: Integers) -> bool:
        """Form the cheapest classes around some of the tuples ``left``; returns True if any class was formed."""
        seeds = left
        if (many := -(-len(left) * _SEEDS // self.least)) < len(left):
            seeds = np.sort(self.random.permutation(left)[: max(many, 1)])
        block = max(1, _AT_ONCE // (self._near.shape[1] * max(1, self.values.shape[1])))
        parts = list(self.pool.map(self._around, (seeds[at : at + block] for at in range(0, len(seeds), block))))
        members = [own for around, _ in parts for own in around]
        cost = np.concatenate([cost for _, cost in parts])
        quota, before = max(_SHARE * float(self.rows[left].sum()), _FEW * self.least), self._count
        for at in np.argsort(cost, kind="stable")[: np.count_nonzero(cost < _GONE)].tolist():
            taken = members[at]
            if (self._of[taken] < 0).all():
                self._of[taken] = self._count
                self._count += 1
                quota -= float(self.rows[np.unique(taken)].sum())
                if quota <= 0:
                    break
        return self._count > before

    def _around(self, seeds: Integers) -> tuple[Integers, NDArray[np.float32]]:
        """One candidate class around each of ``seeds``: its members, a row per class, and its cost per row.

        The neighbour that raises the cost of the class least joins the seed, until there are enough rows. A row of
        members is padded with the seed. The cost is _GONE if the neighbours have too few rows.
        """
        near, own = self._near[seeds], self.costs[seeds]
        differs = self.values[near] != self.values[seeds][:, None]
        alike = self.costs[near]
        # A tuple is alike itself, too.
        is_gone = (self._of[near] >= 0) | (near == seeds[:, None])
        joining = np.where(is_gone, _GONE, (alike * differs).sum(axis=2))
        alike *= ~differs
        seed, rows, members = np.arange(len(seeds)), self.rows[seeds], [seeds]
        taken = np.zeros(own.shape, bool)
        while len(members) < self.least and (rows < self.least).any():
            at = joining.argmin(axis=1)
            joins = (rows < self.least) & (joining[seed, at] < _GONE)
            members.append(np.where(joins, near[seed, at], seeds))
            rows = rows + np.where(joins, self.rows[members[-1]], 0)
            newly = differs[seed, at] & ~taken & joins[:, None]
            taken |= newly
            # Tuples equal there must now take that step, too.
            with np.errstate(all="ignore"):  # see nearest
                joining += (alike @ newly[:, :, None].astype(np.float32))[:, :, 0]
            joining[seed, at] = _GONE
        cost = np.where(rows < self.least, _GONE, (own * taken).sum(axis=1))
        return np.stack(members, axis=1), cost.astype(np.float32)

    def nearest(self, places: Integers, many: int, ends: Callable[[], bool]) -> Integers | None:
        """The ``many`` tuples most similar to each tuple of ``places``: a row per tuple, itself included.

        Two tuples are the more similar, the higher the cost of the steps that they need not take to become equal. All
        pairs are compared by matrix products. Returns None if ``ends`` returns True before.
        """
        has, worth = self._has(places)
        many = min(many, len(places))
        near = np.zeros((len(places), many), np.int32)
        block = max(1, _PAIRS // len(places))

        def look(start: int) -> bool:
            if ends():
                return False
            at = slice(start, start + block)
            # Kernels of BLAS may raise flags for memory beside finite arrays.
            with np.errstate(all="ignore"):
                distances = -(has[at] * worth) @ has.T
            near[at] = places[np.argpartition(distances, many - 1, axis=1)[:, :many]]
            return True

        return near if all(self.pool.map(look, range(0, len(places), block))) else None

    def _has(self, left: Integers) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """An indicator matrix of values, and the cost saved by a pair of tuples that share each value.

        The matrix has a row per tuple of ``left`` and a column per value of a step: 1 if the tuple has the value,
        otherwise 0. Only the _VALUES values with the highest total savings over all pairs have a column; one last
        column, with savings of 0, stands for all other values.
        """
        values = self.values[left].astype(np.int64)
        starts = np.cumsum(values.max(axis=0, initial=0) + 1)
        values[:, 1:] += starts[:-1]
        counts = np.bincount(values.reshape(-1), minlength=int(starts[-1]) if len(starts) else 1)
        worth = np.zeros(len(counts), np.float32)
        worth[values] = self.costs[left]
        kept = np.argsort(-worth.astype(np.float64) * counts * (counts - 1.0), kind="stable")[:_VALUES]
        place = np.full(len(counts), len(kept))
        place[kept] = np.arange(len(kept))
        # Values that are left out have one column, which saves nothing.
        has = np.zeros((len(left), len(kept) + 1), np.float32)
        has[np.arange(len(left))[:, None], place[values]] = 1
        return has, np.append(worth[kept], np.float32(0))
