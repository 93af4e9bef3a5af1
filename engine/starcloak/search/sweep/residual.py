"""Residual tuples, left in no class by the sweep: each joins the class with the least added cost, or is suppressed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from starcloak.base.errors import RequirementError
from starcloak.search.sweep.classes import generalize, number, told_apart
from starcloak.search.sweep.costs import Floats
from starcloak.search.sweep.tuples import SweepTuples
from starcloak.star.keys import Integers

# Number of unions checked at a time.
_TOGETHER = 64
# How many sizes of a pool are tried, for so many pairs of classes at most.
_POOLS = 40
_PAIRS = 10_000_000


@dataclass(frozen=True)
class _Unit:
    """One or several violating classes taken as one: its generalized values and its number of rows.

    A generalized value is stored as one leaf beneath it (``leaves``) and its level (``levels``), per attribute.
    """

    leaves: Integers
    levels: Integers
    rows: int


@dataclass(frozen=True)
class _Unions:
    """Unions of one violating class with each of several classes: one entry per union.

    ``levels`` are the levels of the closest common generalization, ``cost`` is the cost of a row there, and ``extra``
    the cost that the union adds: all of its rows, less the cost of the joined class before.
    """

    levels: Integers
    cost: Floats
    extra: Floats


@dataclass
class Rest:
    """Classes that violate the demand (``violating``), and the classes that they may join.

    ``of`` is the class of each tuple, ``count`` the number of classes. ``joined`` counts the classes that joined
    another class, ``left_out`` the suppressed rows: at most ``allowed`` rows are suppressed, each only if joining a
    class would cost more than ``dearest`` per row.
    """

    tuples: SweepTuples
    of: Integers
    count: int
    violating: Integers
    allowed: int
    dearest: float
    joined: int = 0
    left_out: int = 0
    _members: dict[int, Integers] = field(init=False, default_factory=dict)
    # The value group at the top in which each class lies, and the rows that are left of each.
    _top: Integers = field(init=False)
    _top_rows: Integers = field(init=False)

    def __post_init__(self) -> None:
        classes = generalize(self.tuples, self.of, self.count)
        self._leaves, self._levels = classes.leaves, classes.levels
        self._rows, self._cost = classes.rows, classes.cost
        self._there = np.ones(self.count, bool)
        self._violates = np.zeros(self.count, bool)
        self._violates[self.violating] = True
        self._goes: Integers = np.arange(self.count)
        order = np.argsort(self.of, kind="stable")
        self._sorted = order[np.searchsorted(self.of[order], 0) :]
        self._starts = np.searchsorted(self.of[self._sorted], np.arange(self.count + 1))
        self._top = self.tuples.tops[self._sorted[self._starts[:-1]]]
        self._top_rows = np.bincount(self._top, weights=self._rows).astype(np.int64)

    def settle(self) -> Integers:
        """Let violating classes join others until no class violates the demand; returns the class of each tuple.

        Suppressed tuples have -1.
        Raises :class:`RequirementError` if a violating class has no class to join and may not be suppressed.
        """
        self._pool()
        # The largest first: they are the hardest to put anywhere.
        waiting = sorted(np.flatnonzero(self._violates).tolist(), key=lambda group: (int(self._rows[group]), -group))
        while waiting:
            group = waiting.pop()
            groups = self._beside(group)
            if not len(groups):
                if not self._leaves_out(group, np.inf):
                    raise RequirementError(
                        "the last rows fit no class that satisfies the requirement: weaken the requirement, or "
                        "allow more suppression"
                    )
                continue
            unions = self._unions(self._unit([group]), groups)
            best = self._cheapest(group, groups, unions.extra)
            if self._leaves_out(group, float(unions.extra[best])):
                continue
            target = int(groups[best])
            self._join([group], target, unions.levels[best], float(unions.cost[best]))
            if not self.tuples.is_closed or self._violates[target]:
                self._judge(target, waiting)
        into = self._resolve()
        return np.where(self.of >= 0, into[self.of], -1)

    def _beside(self, group: int) -> Integers:
        """The classes that class ``group`` may join: classes that satisfy the demand; if there are none, all others.

        Only classes with the same values at the top of the lattice may join.
        """
        there = self._there & (self._top == self._top[group])
        satisfying = there & ~self._violates
        there[group] = satisfying[group] = False
        return np.flatnonzero(satisfying if satisfying.any() else there)

    def _pool(self) -> None:
        """Let the violating classes with the highest cost of joining join one class together, if that costs less.

        It may cost less because the joined class is then the only one to be generalized further. Before, violating
        classes are suppressed as far as that is allowed, in descending order of cost. Does nothing if the demand is on
        more than numbers of rows, or if the top of the lattice has several value groups.
        """
        groups, violating = np.flatnonzero(~self._violates), self.violating
        if not self.tuples.demand.counts_rows_only or not 0 < len(violating) * len(groups) <= _PAIRS:
            return
        if self.tuples.has_several_tops:
            return
        alone = np.array([self._unions(self._unit([group]), groups).extra.min() for group in violating.tolist()])
        order = np.argsort(-alone, kind="stable")
        stays = [not self._leaves_out(int(violating[at]), float(alone[at])) for at in order]
        violating, alone = violating[order][stays], alone[order][stays]
        if not len(violating):
            return
        # Cost of the others, by the number of pooled ones.
        distances = np.append(np.cumsum(np.sort(alone))[::-1], 0)
        best, pooled = float(distances[0]), violating[:0]
        for many in np.unique(np.geomspace(1, len(violating), _POOLS).astype(int)).tolist():
            cost = float(self._unions(self._unit(violating[:many]), groups).extra.min() + distances[many])
            if cost < best:
                best, pooled = cost, violating[:many]
        if len(pooled) > 1:
            unions = self._unions(self._unit(pooled), groups)
            target = int(np.argmin(unions.extra))
            self._join(pooled.tolist(), int(groups[target]), unions.levels[target], float(unions.cost[target]))

    def _unit(self, groups: Sequence[int] | Integers) -> _Unit:
        """The classes ``groups`` taken as one, at their closest common generalization."""
        leaves = self._leaves[groups[0]]
        levels = self._levels[groups].max(axis=0)
        for attribute in self.tuples.attributes if len(groups) > 1 else ():
            levels[attribute] = max(levels[attribute], self._meeting_level(attribute, leaves, np.asarray(groups)).max())
        return _Unit(leaves, levels, int(self._rows[groups].sum()))

    def _unions(self, unit: _Unit, groups: Integers) -> _Unions:
        """The unions of a violating class (``unit``) with each of the classes ``groups``."""
        levels = np.maximum(self._levels[groups], unit.levels)
        cost = np.zeros(len(groups))
        for attribute, costs in enumerate(self.tuples.costs):
            met = self._meeting_level(attribute, unit.leaves, groups)
            levels[:, attribute] = np.maximum(levels[:, attribute], met)
            cost += np.array([level[unit.leaves[attribute]] for level in costs])[levels[:, attribute]]
        extra = cost * (self._rows[groups] + unit.rows) - self._cost[groups] * self._rows[groups]
        return _Unions(levels, cost, extra)

    def _meeting_level(self, attribute: int, leaves: Integers, groups: Integers) -> Integers:
        """The lowest level at which an attribute's leaf and the leaf of each class have a common ancestor."""
        met: Integers = np.zeros(len(groups), np.int8)
        for ancestors in self.tuples.climbs[attribute][:-1]:
            met += ancestors[self._leaves[groups, attribute]] != ancestors[leaves[attribute]]
        return met

    def _cheapest(self, group: int, groups: Integers, extra: Floats) -> int:
        """The index in ``groups`` of the class that class ``group`` joins.

        It is the one with the least added cost (``extra``) whose union with ``group`` satisfies the demand; if no union
        does, the one with the least added cost.
        """
        if self.tuples.is_closed and not self._violates[groups[0]]:
            return int(np.argmin(extra))
        order = np.argsort(extra, kind="stable")
        own = self._tuples_of(group)
        for start in range(0, len(order), _TOGETHER):
            batch = order[start : start + _TOGETHER]
            members = [np.concatenate([own, self._tuples_of(int(partner))]) for partner in groups[batch]]
            numbers = np.repeat(np.arange(len(batch)), [len(some_members) for some_members in members])
            violates = self.tuples.violates(np.concatenate(members), numbers, len(batch))
            if not violates.all():
                return int(batch[np.argmin(violates)])
        return int(order[0])

    def _leaves_out(self, group: int, extra: float) -> bool:
        """Suppress the rows of a class, if allowed; returns True if they were suppressed.

        ``extra`` is the cost of joining another class. The rows are suppressed only if this cost per row exceeds
        ``dearest``, if ``allowed`` is not exceeded, and if enough rows remain for a class.
        """
        rows = int(self._rows[group])
        if extra <= self.dearest * rows or self.left_out + rows > self.allowed:
            return False
        if 0 < self._top_rows[self._top[group]] - rows < self.tuples.demand.least_rows:
            return False
        self.left_out += rows
        self._top_rows[self._top[group]] -= rows
        self._there[group] = self._violates[group] = False
        self._goes[group] = -1
        return True

    def _join(self, groups: Sequence[int], target: int, levels: Integers, cost: float) -> None:
        if not self.tuples.demand.counts_rows_only or self._violates[target]:  # it is judged by its tuples
            for group in groups:
                self._members[target] = np.concatenate([self._tuples_of(target), self._tuples_of(group)])
        self._there[groups] = self._violates[groups] = False
        self._goes[groups] = target
        self._rows[target] += self._rows[groups].sum()
        self._levels[target], self._cost[target] = levels, cost
        self.joined += len(groups)

    def _judge(self, target: int, waiting: list[int]) -> None:
        """Check if a joined class satisfies the demand, and add it to ``waiting`` if not, else remove it there."""
        members = self._tuples_of(target)
        violates = self.tuples.violates(members, np.zeros(len(members), np.int64), 1)[0]
        self._violates[target] = violates
        if violates and target not in waiting:
            waiting.append(target)
        elif not violates and target in waiting:
            waiting.remove(target)

    def _tuples_of(self, group: int) -> Integers:
        if group not in self._members:
            self._members[group] = self._sorted[self._starts[group] : self._starts[group + 1]]
        return self._members[group]

    def _resolve(self) -> Integers:
        """The final class of each class, after all joins; -1 for suppressed classes."""
        into = self._goes
        while True:
            further = np.where(into >= 0, into[into], -1)
            if (further == into).all():
                return into
            into = further


@dataclass(frozen=True)
class Settled:
    """The class of every tuple, -1 for suppressed tuples, and the number of classes, each satisfying the demand.

    ``joined`` is the number of classes that joined another, ``left_out`` the number of suppressed rows.
    """

    of: Integers
    count: int
    joined: int
    left_out: int


def settle(tuples: SweepTuples, of: Integers, count: int, *, allowed: int, dearest: float) -> Settled:
    """Let violating classes join other classes, or suppress their rows, until every class satisfies the demand.

    ``of`` is the class of each tuple, ``count`` the number of classes. At most ``allowed`` rows are suppressed, each
    only if joining a class would cost more than ``dearest`` per row. Raises :class:`RequirementError` if the union of
    all classes that may be joined still violates the demand.
    """
    joined = left_out = 0
    while True:
        # Classes that look the same in a release are one class; it may violate a demand that its parts satisfy.
        of, count = told_apart(tuples, of, count)
        judged = _without(tuples, of, count)
        members = np.flatnonzero(of >= 0)
        violating = np.flatnonzero(judged.violates(members, of[members], count))
        if not len(violating):
            return Settled(of, count, joined, left_out)
        rest = Rest(judged, of, count, violating, allowed - left_out, dearest)
        of, count = number(rest.settle())
        joined, left_out = joined + rest.joined, left_out + rest.left_out


def _without(tuples: SweepTuples, of: Integers, count: int) -> SweepTuples:
    """The tuples, with the demand adapted to the suppression of the tuples with -1 in ``of``.

    Some models compare a class with all released rows; suppression changes these rows.
    """
    out = of < 0
    if not (tuples.demand.moves and out.any()):
        return tuples
    groups = tuples.groups(np.arange(len(tuples)), np.where(out, count, of), count + 1)
    return replace(tuples, demand=tuples.demand.without(groups, np.arange(count + 1) == count))
