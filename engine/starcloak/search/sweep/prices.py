"""Assignment of the tuples of a region to value groups by Lagrangian relaxation, with a price for every tuple.

A value group is the set of tuples with equal generalized values at a node. Assigning tuples to value groups of at least
k rows is a facility location problem with lower bounds. Its Lagrangian relaxation has a price (multiplier) for every
tuple, paid by each of the tuple's rows. At given prices a value group opens if its k best-paying rows pay more than
they cost in this group; the difference is the gain of the group. The sum of the prices of all rows, less the gains of
all open groups, is a lower bound of the cost of every assignment.

Prices rise for tuples in no open group and fall for tuples in several ones, until the bound hardly rises any more. This
is the volume algorithm of Barahona and Anbil, 2000; it averages the last response with earlier ones. Then the groups
that were open most often become classes, a few at a time, each with the k rows that pay most. The prices of the
remaining tuples are adjusted again.
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
    """Value groups that may become classes, each with at least ``enough`` rows.

    ``members`` has the tuples of all groups, group by group; ``sizes`` has the number of tuples of each group, and
    ``cost`` the cost of a row in each. ``rows`` has the number of rows of every tuple, ``enough`` the rows needed.
    """

    members: Integers
    sizes: Integers
    cost: Floats
    rows: Floats
    enough: int

    @classmethod
    def of(cls, tuples: SweepTuples, nodes: Integers) -> Self:
        """The value groups at ``nodes`` with enough rows for the demand; of groups with equal tuples, the cheapest."""
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
        """The ``chosen`` groups, each reduced to tuples with a highest possible price (``most``) above 0.

        Groups are omitted if they then have too few rows, or if no tuple's highest price exceeds the cost of a row in
        the group: such a group never opens.
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
        """The ``chosen`` groups with all of their tuples."""
        return type(self)(
            self.members[np.repeat(chosen, self.sizes)], self.sizes[chosen], self.cost[chosen], self.rows, self.enough
        )

    @cached_property
    def _first_key(self) -> Integers:
        return np.repeat(np.arange(len(self)) * len(self.rows), self.sizes)

    def rise(self, prices: Floats) -> Floats:
        """The highest price among the tuples of each group."""
        return np.maximum.reduceat(prices[self.members], self.starts)

    def _dearest_first(self, prices: Floats) -> tuple[Integers, Floats, Floats]:
        """The tuples of all groups, group by group, in descending order of price within a group.

        Also the number of rows of each, and the number of rows that precede it in its group.
        """
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
        """The mean price of the ``enough`` best-paying rows of each group."""
        members, rows, before = self._dearest_first(prices)
        return np.add.reduceat(np.clip(self.enough - before, 0, rows) * prices[members], self.starts) / self.enough

    def respond(self, prices: Floats) -> tuple[float, Floats, NDArray[np.bool_]]:
        """The total gain of the groups that open at ``prices``, the rows taken of each tuple, and True per open group.

        A group takes the rows with a price above their cost in the group; if these are too few, it adds the
        best-paying rows among the others. A row in several open groups is counted several times.
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
    """State of an assignment of tuples to classes: prices, value groups that may still become classes, and classes.

    A tuple is free while it is in no class. ``of`` has the class of each tuple, -1 for a free one. ``joins`` has the
    cheapest class that a tuple could join without generalizing it further, -1 for none; ``most`` is the cost of a row
    in this class, which is the highest price of the tuple.
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
        """Adjust the prices of the free tuples ``times`` times, or until ``ends`` returns True.

        ``price`` is the known cost of all rows in the current classes; it scales the changes. Sets ``bound``.
        """
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
        """The lower bound at ``prices``, the balance of each free tuple, and True per group that opens.

        The balance is the share of the tuple's rows in no open group, negative if open groups take more rows than there
        are. ``rows`` is the number of rows of each free tuple, 0 for others. Groups that lacked more in payment at an
        earlier response than any of their prices has risen since cannot open, and are skipped.
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
        """Make classes of some groups that were open most often; returns True if there is a new class."""
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
        """The shortest tried prefix of ``members`` that satisfies the demand; empty if all together violate it."""
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
    """The new class of every tuple, -1 for a tuple in no class; classes are value groups at ``nodes``.

    ``known`` is the cost of all rows in the current classes. Prices are adjusted ``changes`` times before each choice
    of classes, and _FIRST times as often before the first choice.
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
    """Lower bound of the total cost of all rows (0 … 1 for each row), for any classes at ``nodes`` with enough rows.

    ``known`` is the cost of some valid classes. Prices are adjusted ``times`` times: the more often, the closer the
    bound comes to that of the linear relaxation.
    """
    assignment = Assignment(tuples, ValueGroups.of(tuples, nodes), np.random.default_rng(0))
    if len(assignment.groups):
        assignment.settle(known, times, lambda: False)
    return assignment.bound
