"""Classes chosen by prices: the tuples of a region are assigned anew, by the worth of each to the others.

Assigning tuples to value groups is a facility location problem with lower bounds. Its Lagrangian relaxation has a price
for every tuple: the highest cost of one of its rows. At given prices a value group opens if its best k rows pay more
than they cost there. The sum of all prices, less the gains of all open groups, is a lower bound of any assignment's
cost. Prices rise for tuples taken by no group and fall for tuples taken by several (the volume algorithm of Barahona
and Anbil, 2000, which weighs the last responses with the ones before), until the bound hardly rises any more. Then the
groups open most of the time become classes, a few at a time, with the k rows that pay most, and prices settle anew
among the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np

from starcloak.search.sweep.costs import Floats, sums
from starcloak.search.sweep.tuples import SweepTuples
from starcloak.star import keys
from starcloak.star.keys import Integers

if TYPE_CHECKING:
    from numpy.typing import NDArray

# So many times as often prices change before the first groups become classes.
_FIRST = 6
# Where groups with so large a share of all tuples may open, it is found anew which.
_MANY = 0.5
# The share of the rows left that become classes at a time.
_AT_A_TIME = 0.1
# The weight of the last response beside those before it.
_LAST = 0.1
# The share of the way to the known cost that prices are moved by, at first from one to the other, and at most.
_STEPS, _LARGEST_STEP = (0.05, 0.2), 2.0
_LONGER, _SHORTER, _PATIENCE = 1.1, 0.7, 8
# The cost of an assignment that is not known is taken for so many times the bound.
_ABOVE = 1.02
# The largest relative shortfall of a group's payments at which it still becomes a class.
_SHORT = 0.02
# Smaller differences are rounding of sums of floats.
_NOTHING = 1e-9


@dataclass(frozen=True)
class ValueGroups:
    """Value groups that may become classes, each with enough rows: their tuples side by side, and the cost of a
    row.
    """

    members: Integers
    sizes: Integers
    cost: Floats
    rows: Floats
    enough: int

    @classmethod
    def of(cls, tuples: SweepTuples, nodes: Integers) -> Self:
        """The value groups at some nodes; of groups with the same tuples the cheapest."""
        everyone, rows = np.arange(len(tuples)), tuples.frequency.astype(np.float64)
        enough = tuples.demand.least_rows
        hashes = np.random.default_rng(0).integers(1, 1 << 63, len(tuples), dtype=np.uint64)
        nothing = np.zeros(0, np.int64)
        candidates = [(nothing, nothing, np.zeros(0), np.zeros(0, np.uint64))]
        for levels in nodes:
            numbers, count = tuples.group(everyone, levels)
            large = sums(rows, numbers, count) >= enough
            places = np.flatnonzero(large[numbers])
            if not len(places):
                continue
            order = places[keys.order(numbers[places], count)]
            starts = np.flatnonzero(keys.starts(numbers[order]))
            first = order[starts]
            candidates.append(
                (
                    order,
                    np.diff(starts, append=len(order)),
                    tuples.cost(first, levels),
                    np.add.reduceat(hashes[order], starts),
                )
            )
        members, sizes, cost, hashed = (np.concatenate(arrays) for arrays in zip(*candidates, strict=True))
        order = np.lexsort((cost, hashed))
        cheapest = np.zeros(len(cost), bool)
        cheapest[order[np.diff(hashed[order], prepend=hashed[order[:1]] - 1) != 0]] = True
        return cls(members, sizes, cost, rows, enough).among(cheapest, np.ones(len(rows)))

    def __len__(self) -> int:
        return len(self.cost)

    @cached_property
    def starts(self) -> Integers:
        """The position of each group's first tuple."""
        return np.cumsum(self.sizes) - self.sizes

    def members_of(self, group: int) -> Integers:
        """The tuples of one group."""
        start = int(self.starts[group])
        return self.members[start : start + int(self.sizes[group])]

    def among(self, chosen: NDArray[np.bool_], most: Floats) -> Self:
        """Some of the groups, with the tuples that pay anything at most; without groups that then have too few rows.

        If no row pays more than it costs, a group does not open.
        """
        groups = np.repeat(np.arange(len(self)), self.sizes)
        stays = (most[self.members] > 0) & chosen[groups]
        members, groups = self.members[stays], groups[stays]
        worth = sums(self.rows[members], groups, len(self)) >= self.enough
        pays = np.zeros(len(self))
        np.maximum.at(pays, groups, most[members])
        worth &= pays > self.cost
        stays = worth[groups]
        sizes = np.bincount(groups[stays], minlength=len(self))[worth]
        return type(self)(members[stays], sizes, self.cost[worth], self.rows, self.enough)

    def of_those(self, chosen: NDArray[np.bool_]) -> Self:
        """Some of the groups, as they are."""
        return type(self)(
            self.members[np.repeat(chosen, self.sizes)], self.sizes[chosen], self.cost[chosen], self.rows, self.enough
        )

    @cached_property
    def _first_key(self) -> Integers:
        return np.repeat(np.arange(len(self)) * len(self.rows), self.sizes)

    def rise(self, prices: Floats) -> Floats:
        """The highest of the prices of each group's tuples."""
        return np.maximum.reduceat(prices[self.members], self.starts)

    def _dearest_first(self, prices: Floats) -> tuple[Integers, Floats, Floats]:
        """The tuples of each group, the best-paying first; their rows, and the rows of the same group before them."""
        dearest = np.argsort(-prices)
        place = np.empty_like(dearest)
        place[dearest] = np.arange(len(prices))
        places = self._first_key + place[self.members]
        places.sort()
        members = dearest[places - self._first_key]
        rows = self.rows[members]
        before = np.cumsum(rows) - rows
        return members, rows, before - np.repeat(before[self.starts], self.sizes)

    def pay(self, prices: Floats) -> Floats:
        """The highest mean payment of just enough rows of each group."""
        members, rows, before = self._dearest_first(prices)
        return np.add.reduceat(np.clip(self.enough - before, 0, rows) * prices[members], self.starts) / self.enough

    def respond(self, prices: Floats) -> tuple[float, Floats, NDArray[np.bool_]]:
        """The gain of the opened groups, the total rows of each tuple taken by them, and the opened groups.

        A group takes the rows that pay more than they cost; if these are too few, the best-paying others are added.
        """
        members, rows, before = self._dearest_first(prices)
        pays = prices[members] - np.repeat(self.cost, self.sizes)
        takes = np.where(pays > 0, rows, np.clip(self.enough - before, 0, rows))
        gains = np.add.reduceat(takes * pays, self.starts)
        opens = gains > _NOTHING
        taken = sums(takes * np.repeat(opens, self.sizes), members, len(prices))
        return float(gains[opens].sum()), taken, opens


@dataclass
class Assignment:
    """Tuples on their way to classes: the prices of the free ones, and the groups that may become classes.

    ``of`` has the class of each tuple, -1 while it is free; ``joins`` the cheapest class with its values, -1 for none.
    A row of it pays at most ``most``, the cost of a row there.
    """

    tuples: SweepTuples
    groups: ValueGroups
    random: np.random.Generator

    of: Integers = field(init=False)
    joins: Integers = field(init=False)
    most: Floats = field(init=False)
    prices: Floats = field(init=False)
    #: Lower bound of the cost of all rows, if those in classes stay there.
    bound: float = 0.0
    _classes: int = 0
    _spent: float = 0.0
    # How often each group was open, the last responses weighing most.
    _open: Floats = field(init=False)
    # Some prices, and by how much the best rows of each group pay too little there.
    _at: Floats = field(init=False)
    _short: Floats = field(init=False)

    def __post_init__(self) -> None:
        count = len(self.tuples)
        self.of, self.joins, self.most = np.full(count, -1), np.full(count, -1), np.ones(count)
        # A tuple costs no less than in the cheapest group that has it: with such prices none gains anything.
        self.prices = np.ones(count)
        np.minimum.at(self.prices, self.groups.members, np.repeat(self.groups.cost, self.groups.sizes))

    def settle(self, price: float, times: int, ends: Callable[[], bool]) -> None:
        """Change prices ``times`` times, towards the known cost of all rows."""
        self.prices = np.minimum(self.prices, self.most)
        self._look(self.prices)
        rows = np.where(self.of < 0, self.tuples.frequency, 0).astype(np.float64)
        bound, untaken, opens = self._respond(self.prices, rows)
        self._open, failed = opens.astype(np.float64), 0
        step = float(self.random.uniform(*_STEPS))  # the next assignment of the same tuples is to be another
        for _ in range(times):
            length = float(rows @ untaken**2)
            if length < _NOTHING or ends():
                break
            towards = max(price - self._spent, bound * _ABOVE) - bound
            prices = np.clip(self.prices + step * towards / length * untaken, 0, self.most)
            value, now, opens = self._respond(prices, rows)
            self._open += _LAST * (opens - self._open)
            untaken += _LAST * (now - untaken)
            if value > bound + _NOTHING:
                bound, self.prices, failed = value, prices, 0
                if rows @ (now * untaken) >= 0:
                    step = min(_LARGEST_STEP, step * _LONGER)
                continue
            failed += 1
            if failed == _PATIENCE:
                step, failed = step * _SHORTER, 0
        self.bound = self._spent + bound

    def _look(self, prices: Floats) -> None:
        self._at, self._short = prices, self.groups.cost - self.groups.pay(prices)

    def _respond(self, prices: Floats, rows: Floats) -> tuple[float, Floats, NDArray[np.bool_]]:
        """The lower bound at these prices, the share of each free tuple taken by no group, and the groups that open.

        A group cannot open unless some price has risen by the amount missing from its best rows' payment.
        """
        may = self.groups.rise(prices - self._at) >= self._short - _NOTHING
        if self.groups.sizes[may].sum() > _MANY * len(self.groups.members):
            self._look(prices)
            may = self._short <= _NOTHING
        opens = np.zeros(len(may), bool)
        gain, taken = 0.0, np.zeros(len(prices))
        if may.any():
            gain, taken, opens[may] = self.groups.of_those(may).respond(prices)
        return float(rows @ prices) - gain, np.where(rows > 0, 1 - taken / self.tuples.frequency, 0), opens

    def form(self) -> bool:
        """Let some of the groups open most of the time become classes; returns True if any did."""
        before, quota = self._classes, _AT_A_TIME * float(self.tuples.frequency[self.of < 0].sum())
        gone, stays = 0.0, np.ones(len(self.groups), bool)
        order = np.lexsort((self.random.random(len(self._open)), -self._open))
        for group in order[self._open[order] > 0].tolist():
            if gone >= quota:
                break
            members, cost = self.groups.members_of(group), float(self.groups.cost[group])
            members = members[self.of[members] < 0]
            places = self._first(members[np.argsort(-self.prices[members], kind="stable")])
            rows = self.tuples.frequency[places]
            if not len(places) or (gone and rows @ (self.prices[places] - cost) < -_SHORT * cost * rows.sum()):
                continue
            self.of[places] = self._classes
            joins = members[cost < self.most[members]]
            self.most[joins], self.joins[joins] = cost, self._classes
            stays[group], self._classes = False, self._classes + 1
            gone += float(rows.sum())
            self._spent += cost * float(rows.sum())
        self.groups = self.groups.among(stays, np.where(self.of < 0, self.most, 0))
        return self._classes > before

    def _first(self, members: Integers) -> Integers:
        """The first of some tuples that satisfy the demand together; empty if not even all do."""
        enough = int(np.searchsorted(np.cumsum(self.tuples.frequency[members]), self.groups.enough)) + 1
        while enough <= len(members):
            places = members[:enough]
            if not self.tuples.violates(places, np.zeros(enough, np.int64), 1)[0]:
                return places
            enough = 2 * enough if 2 * enough < len(members) or enough == len(members) else len(members)
        return members[:0]


def assigned(
    tuples: SweepTuples,
    nodes: Integers,
    *,
    known: float,
    changes: int,
    random: np.random.Generator,
    ends: Callable[[], bool],
    report: Callable[[str], None],
) -> Integers:
    """The class of every tuple, -1 for tuples in none; ``known`` is the current cost of all rows.

    Prices change ``changes`` times before some of the groups at some ``nodes`` become classes, and more often at first.
    """
    assignment = Assignment(tuples, ValueGroups.of(tuples, nodes), random)
    times = _FIRST * changes
    while len(assignment.groups) and not ends():
        assignment.settle(known, times, ends)
        times = changes
        if not assignment.form():
            break
        report(f"search: {(assignment.of >= 0).mean():.0%} of {len(tuples):,} combinations assigned anew")
    return np.where(assignment.of < 0, assignment.joins, assignment.of)


def lower_bound(tuples: SweepTuples, nodes: Integers, *, known: float, times: int) -> float:
    """Lower bound of the cost of all rows in any classes with enough rows (0 … 1 for each row).

    Prices change ``times`` times, and tend to those of the linear relaxation.
    """
    assignment = Assignment(tuples, ValueGroups.of(tuples, nodes), np.random.default_rng(0))
    if len(assignment.groups):
        assignment.settle(known, times, lambda: False)
    return assignment.bound
