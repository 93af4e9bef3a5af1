"""Classes of neighbours: beside a tuple, one by one, those that raise what its class costs least; then the next class.

After the greedy k-member algorithm of Byun, Kamra, Bertino, Li 2007, with what cells cost in place of their distances.
What that takes follows tuples and columns, however large the lattice is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from starcloak.search.sweep import classes
from starcloak.search.sweep.tuples import SweepTuples
from starcloak.star.keys import Integers

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Neighbours are looked for among so many tuples; of a larger table among those that are near in one order.
REGION = 40_000
# More than any cell costs, also when those are added: who left joins no class.
_GONE = np.float32(1e9)
# Those who left are looked at no more when they are this share.
_CLEARED = 0.15


def form(
    tuples: SweepTuples,
    some: Integers,
    random: np.random.Generator,
    report: Callable[[str], None],
    ends: Callable[[], bool] = lambda: False,
) -> tuple[Integers, int]:
    """Classes of some tuples, each with the rows that the demand takes at least: of each tuple, or -1, and how many.

    No more rows are in none than that of each region. Where it ``ends`` before, the rest is classes of what is near in
    an order, about as many tuples in each.
    """
    of: Integers = np.full(len(tuples), -1, np.int64)
    of[some] = np.arange(len(some))
    near = classes.regions(tuples, of, len(some), random, REGION) if len(some) else []
    regions = [part for region in near for part in classes.by_top(tuples, region)]
    of[some], count = -1, 0
    for region in regions:
        if ends():
            break
        report(f"search: {count:,} classes of neighbours")
        own, formed = _Neighbours(*steps(tuples, region), tuples.frequency[region], tuples.demand.least_rows).form(ends)
        of[region] = np.where(own >= 0, count + own, -1)
        count += formed
    rest = some[of[some] < 0]
    if len(rest) and ends():
        alone: Integers = np.full(len(tuples), -1, np.int64)
        alone[rest] = np.arange(len(rest))
        for region in classes.regions(tuples, alone, len(rest), random, tuples.demand.least_rows):
            for part in classes.by_top(tuples, region):
                of[part] = count
                count += 1
    return of, count


def steps(tuples: SweepTuples, chosen: Integers) -> tuple[Integers, NDArray[np.float32]]:
    """The steps of all hierarchies that cost anything, a row each: the chosen tuples' values beneath it, and its cost.

    Two tuples whose values differ there have to take it to be alike.
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


@dataclass
class _Neighbours:
    """The tuples that are in no class, by the ``values`` and ``costs`` of all steps, and their ``rows``."""

    values: Integers
    costs: NDArray[np.float32]
    rows: Integers
    least: int
    _of: Integers = field(init=False)
    _count: int = field(init=False, default=0)
    # The tuples that are looked at, their values, and what a row of the class at hand would cost with each.
    _open: Integers = field(init=False)
    _values: Integers = field(init=False)
    _joining: NDArray[np.float32] = field(init=False)
    _gone: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self._of = np.full(len(self.rows), -1, np.int64)
        self._open, self._values = np.arange(len(self.rows)), self.values
        self._joining = np.zeros(len(self.rows), np.float32)

    def form(self, ends: Callable[[], bool]) -> tuple[Integers, int]:
        """The class of each tuple, or -1, and how many there are. The next class begins beside the last one."""
        left = int(self.rows.sum())
        while left >= self.least and not ends():
            left -= self._class_around(int(np.argmin(self._joining)))
            self._count += 1
            if self._gone > _CLEARED * len(self._open):
                self._clear()
        return self._of, self._count

    def _class_around(self, seed: int) -> int:
        """Form a class around one of the tuples that are looked at; returns its rows."""
        own, costs = self._values[:, seed], self.costs[:, self._open[seed]]
        apart = np.zeros(len(self._open), np.float32)
        for values, value, cost in zip(self._values, own.tolist(), costs.tolist(), strict=True):
            apart += (values != value) * np.float32(cost)
        apart[self._joining == _GONE] = _GONE
        self._joining, taken = apart, np.zeros(len(own), bool)
        rows = self._leave(seed)
        while rows < self.least:
            nearest = int(np.argmin(self._joining))
            newly = np.flatnonzero(~taken & (self._values[:, nearest] != own))
            rows += self._leave(nearest)
            taken[newly] = True
            for step in newly.tolist():  # whoever does not differ there has to take that step now, too
                self._joining += (self._values[step] == own[step]) * costs[step]
        return rows

    def _leave(self, at: int) -> int:
        self._joining[at] = _GONE
        self._of[self._open[at]] = self._count
        self._gone += 1
        return int(self.rows[self._open[at]])

    def _clear(self) -> None:
        stays = self._joining != _GONE
        self._open, self._joining = self._open[stays], self._joining[stays]
        self._values, self._gone = np.ascontiguousarray(self._values[:, stays]), 0
