"""Cyclic exchanges after a sweep: up to four classes each pass one tuple to the next class, if the total cost falls.

In a cycle, a first tuple replaces a second tuple in the class of the second one, the second tuple replaces a third one,
and so on; the last tuple replaces the first. In an open path, the class of the first tuple has enough rows without it,
and the last tuple joins a further class without replacing a tuple. These are the cyclic exchanges of Ahuja, Orlin and
Sharma (Multi-exchange neighborhood structures for the capacitated minimum spanning tree problem, 2001). Every cycle
with a total saving has a starting point from which all partial sums of its costs are savings. So the search extends a
path only while its total cost is negative.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from starcloak.search.sweep import classes
from starcloak.search.sweep.clusters import WHOLE, Neighbours, whole_steps
from starcloak.search.sweep.costs import Floats, sums
from starcloak.search.sweep.settings import region_size
from starcloak.search.sweep.tuples import SweepTuples
from starcloak.star.keys import Integers

if TYPE_CHECKING:
    from numpy.typing import NDArray

# A tuple may go to the classes of so many neighbours, in the place of one of so many that save most by leaving each.
_NEAR, _LEAVING = 20, 6
# Classes in one exchange, and steps that are tried at a time, after the paths that save most.
_LONGEST, _TRIED = 4, 5_000_000
# Rows times cost (0 … 1) that are worth an exchange: costs are rounded, and less is in their sums.
_WORTH = 1e-3
# Cells that are compared at once.
_AT_ONCE = 4_000_000
_NOBODY = -1
# Smaller differences are rounding of sums of floats.
_NOTHING = 1e-9


@dataclass(frozen=True)
class _Paths:
    """Paths of tuples, one row of ``tuples`` per path, and the change in total cost by each path (``cost``).

    Each tuple of a path replaces the next tuple in the class of the next one. The first column is _NOBODY in an open
    path: the second tuple then leaves its class without being replaced.
    """

    tuples: Integers
    cost: Floats

    def among(self, chosen: NDArray[np.bool_] | Integers) -> _Paths:
        return _Paths(self.tuples[chosen], self.cost[chosen])


@dataclass(frozen=True)
class _Steps:
    """Possible replacements: a tuple of ``here`` replaces the tuple of ``there`` in its class, at an added ``cost``.

    The three arrays are sorted by ``here``, then ``there``. The other arrays have an entry per tuple: ``leaving`` is
    the added cost if the tuple leaves its class unreplaced (inf if the class then has too few rows), ``joining`` the
    least added cost if the tuple joins another class as one more, and ``joined`` this class. Costs are totals over all
    rows; negative costs are savings.
    """

    here: Integers
    there: Integers
    cost: Floats
    leaving: Floats
    joining: Floats
    joined: Integers

    def costs(self, here: Integers, there: Integers) -> Floats:
        """The added cost of each replacement of a tuple of ``there`` by a tuple of ``here``; inf if not possible."""
        many = len(self.leaving)
        costs_known, keys = self.here * many + self.there, here * many + there
        at = np.minimum(np.searchsorted(costs_known, keys), len(costs_known) - 1)
        return np.where(costs_known[at] == keys, self.cost[at], np.inf)


@dataclass
class _Region:
    """The tuples of one region of the table, and the class of each tuple, while classes exchange tuples.

    ``values`` and ``costs`` have a row per tuple and a column per step of a hierarchy, as in :class:`Neighbours`.
    ``near`` has the similar tuples of each tuple, ``of`` the class of each tuple, ``count`` the number of classes.
    """

    tuples: SweepTuples
    values: Integers
    costs: NDArray[np.float32]
    near: Integers
    of: Integers
    count: int
    # The tuples in the order of their classes; for each class their number, first place, rows, and the cost of a row.
    _order: Integers = field(init=False)
    _sizes: Integers = field(init=False)
    _starts: Integers = field(init=False)
    _class_rows: Floats = field(init=False)
    _cost: Floats = field(init=False)
    _taken: NDArray[np.bool_] = field(init=False)
    # Of each tuple one that stays in its class, what a row of that costs without it, and by how much each step that the
    # others do not take raises it.
    _staying: Integers = field(init=False)
    _without: Floats = field(init=False)
    _raised: NDArray[np.float32] = field(init=False)

    def look(self) -> None:
        """Compute rows and cost of each class, and the cost of each class without each one of its tuples."""
        of, values = self.of, self.values
        self._order = np.argsort(of, kind="stable")
        self._sizes = np.bincount(of, minlength=self.count)
        self._starts = np.cumsum(self._sizes) - self._sizes
        first = self._order[self._starts]
        second = self._order[self._starts + np.minimum(1, self._sizes - 1)]
        self._class_rows = sums(self.tuples.frequency.astype(np.float64), of, self.count)
        like_first, like_second = values == values[first][of], values == values[second][of]
        alike = self._counted(like_first)
        self._taken = alike < self._sizes[:, None]
        self._cost = (self.costs[first] * self._taken).sum(axis=1, dtype=np.float64)
        # Without a tuple a class takes no step in which all others are like one that stays.
        is_first = first[of] == np.arange(len(of))
        self._staying = np.where(is_first, second[of], first[of])
        likes = np.where(is_first[:, None], like_second, like_first)
        counts = np.where(is_first[:, None], self._counted(like_second)[of], alike[of])
        taken = counts - likes < (self._sizes - 1)[of][:, None]
        self._without = (self.costs[self._staying] * taken).sum(axis=1, dtype=np.float64)
        self._raised = self.costs[self._staying] * ~taken

    def _counted(self, marked: NDArray[np.bool_]) -> Integers:
        """The number of marked tuples of each class: a row per class, a column per step of a hierarchy."""
        many: Integers = np.add.reduceat(marked[self._order].astype(np.int32), self._starts, axis=0)
        return many

    def steps(self) -> _Steps:
        """All possible replacements, and the costs of leaving and joining a class, with enough rows in every class."""
        of, many, own, least = self.of, len(self.of), self.tuples.frequency, self.tuples.demand.least_rows
        here, into = self._beside()
        leaving = (self._class_rows[of] - own) * self._without - self._class_rows[of] * self._cost[of]
        joining, joined = self._joins(here, into)
        here, there = self._places(here, into, leaving)
        rows = self._class_rows[of[there]] - own[there] + own[here]
        there, here, rows = there[rows >= least], here[rows >= least], rows[rows >= least]
        cost = np.empty(len(here))
        for at in self._blocks(len(here)):
            comes, goes = here[at], there[at]
            differs = self.values[comes] != self.values[self._staying[goes]]
            more = np.einsum("ij,ij->i", self._raised[goes], differs.astype(np.float32))
            left = of[goes]
            cost[at] = rows[at] * (self._without[goes] + more) - self._class_rows[left] * self._cost[left]
        has_enough = (self._sizes[of] > 1) & (self._class_rows[of] - own >= least)
        order = np.argsort(here * many + there, kind="stable")
        leaving = np.where(has_enough, leaving, np.inf)
        return _Steps(here[order], there[order], cost[order], leaving, joining, joined)

    def _beside(self) -> tuple[Integers, Integers]:
        """Pairs of a tuple and a class that the tuple may join: another class, with at least one of its neighbours."""
        here = np.repeat(np.arange(len(self.of)), self.near.shape[1])
        near, tops = self.near.reshape(-1), self.tuples.tops
        may = (self.of[near] != self.of[here]) & (tops[near] == tops[here])
        pairs = np.unique(here[may] * self.count + self.of[near[may]])
        return pairs // self.count, pairs % self.count

    def _places(self, here: Integers, into: Integers, leaving: Floats) -> tuple[Integers, Integers]:
        """Pairs of a tuple and a tuple that it may replace.

        ``here`` and ``into`` are pairs of a tuple and a class. Up to _LEAVING tuples of each class may be replaced:
        those with the lowest cost of ``leaving``.
        """
        order = np.lexsort((leaving, self.of))
        many = np.where(self._sizes > 1, np.minimum(self._sizes, _LEAVING), 0)[into]
        before = np.cumsum(many) - many
        places = np.repeat(self._starts[into] - before, many) + np.arange(many.sum())
        return np.repeat(here, many), order[places]

    def _joins(self, here: Integers, into: Integers) -> tuple[Floats, Integers]:
        """The least added cost of each tuple joining another class, and this class; the cost is inf for no class.

        ``here`` and ``into`` are pairs of a tuple and a class that the tuple may join.
        """
        cost, first = np.empty(len(here)), self._order[self._starts][into]
        for at in self._blocks(len(here)):
            taken = self._taken[into[at]] | (self.values[here[at]] != self.values[first[at]])
            own = (self.costs[first[at]] * taken).sum(axis=1, dtype=np.float64)
            rows = self._class_rows[into[at]]
            cost[at] = (rows + self.tuples.frequency[here[at]]) * own - rows * self._cost[into[at]]
        order = np.lexsort((cost, here))
        best = order[np.diff(here[order], prepend=-1) > 0]
        joining, joined = np.full(len(self.of), np.inf), np.zeros(len(self.of), np.int64)
        joining[here[best]], joined[here[best]] = cost[best], into[best]
        return joining, joined

    def _blocks(self, many: int) -> list[slice]:
        size = max(1, _AT_ONCE // max(1, self.values.shape[1]))
        return [slice(start, start + size) for start in range(0, many, size)]

    def exchange(self) -> int:
        """Make the exchanges with the largest savings and return their number.

        No class takes part in two exchanges. An exchange is undone if one of its classes then violates the demand.
        """
        self.look()
        steps = self.steps()
        if not len(steps.here):
            return 0
        worth = -_WORTH * WHOLE
        begin, leave = np.flatnonzero(steps.cost < worth), np.flatnonzero(steps.leaving < worth)
        paths = _Paths(
            np.concatenate(
                [
                    np.stack([steps.here[begin], steps.there[begin]], axis=1),
                    np.stack([np.full(len(leave), _NOBODY), leave], axis=1),
                ]
            ),
            np.concatenate([steps.cost[begin], steps.leaving[leave]]),
        )
        closed = []
        while True:
            closed.append(self._closed(paths, steps, worth))
            if paths.tuples.shape[1] == _LONGEST or not len(paths.cost):
                break
            paths = self._further(paths, steps, worth)
        return self._make(closed)

    def _closed(self, paths: _Paths, steps: _Steps, worth: float) -> tuple[_Paths, Integers]:
        """Exchanges completed from ``paths`` that save enough, and the new class of each path's last tuple.

        ``worth`` is the negative cost that a completed exchange has to be below.
        """
        first, last = paths.tuples[:, 0], paths.tuples[:, -1]
        is_circle = first != _NOBODY
        joined = steps.joined[last]
        into = np.where(is_circle, self.of[first], joined)
        more = np.where(is_circle, steps.costs(last, np.where(is_circle, first, 0)), steps.joining[last])
        is_apart = is_circle | (self.of[paths.tuples[:, 1:]] != joined[:, None]).all(axis=1)
        done = is_apart & (paths.cost + more < worth)
        return _Paths(paths.tuples[done], (paths.cost + more)[done]), into[done]

    def _further(self, paths: _Paths, steps: _Steps, worth: float) -> _Paths:
        """The paths extended by one replacement, if the total cost stays below ``worth`` (a negative cost).

        Of several paths with the same first and last tuple, only the cheapest is returned.
        """
        paths = paths.among(np.argsort(paths.cost, kind="stable"))
        last = paths.tuples[:, -1]
        starts, ends = (np.searchsorted(steps.here, last, side=side) for side in ("left", "right"))
        many = np.where(np.cumsum(ends - starts) <= _TRIED, ends - starts, 0)
        at = np.repeat(starts - (np.cumsum(many) - many), many) + np.arange(many.sum())
        path = np.repeat(np.arange(len(last)), many)
        cost, into = paths.cost[path] + steps.cost[at], self.of[steps.there[at]]
        saves = cost < worth
        path, at, cost, into = path[saves], at[saves], cost[saves], into[saves]
        before = paths.tuples[path]
        is_new = ((before == _NOBODY) | (self.of[before] != into[:, None])).all(axis=1)
        longer = _Paths(np.column_stack([before, steps.there[at]])[is_new], cost[is_new])
        ends_alike = (longer.tuples[:, 0] + 1) * len(self.of) + longer.tuples[:, -1]
        order = np.lexsort((longer.cost, ends_alike))
        cheapest = order[np.diff(ends_alike[order], prepend=-1) != 0]
        return longer.among(cheapest)

    def _make(self, closed: list[tuple[_Paths, Integers]]) -> int:
        """Make the exchanges in ascending order of cost, and return their number.

        An exchange is skipped if a class of it was changed by an earlier one, and undone if a class of it then violates
        the demand. ``closed`` has paths and the new class of each path's last tuple, by path length.
        """
        width = max(paths.tuples.shape[1] for paths, _ in closed)
        # Nobody stands before the first.
        tuples = np.concatenate(
            [
                np.pad(paths.tuples, ((0, 0), (width - paths.tuples.shape[1], 0)), constant_values=_NOBODY)
                for paths, _ in closed
            ]
        )
        into = np.concatenate([own for _, own in closed])
        changed, goes = np.zeros(self.count, bool), self.of.copy()
        clusters: list[Integers] = []
        for at in np.argsort(np.concatenate([paths.cost for paths, _ in closed]), kind="stable").tolist():
            moved = tuples[at][tuples[at] != _NOBODY]
            own = np.append(self.of[moved], into[at])
            if not changed[own].any():
                changed[own] = True
                goes[moved] = own[1:]
                clusters.append(np.unique(own))
        # An exchange is undone where it breaks a class.
        exchange = np.full(self.count, _NOBODY)
        for number, own in enumerate(clusters):
            exchange[own] = number
        members = np.flatnonzero(changed[goes])
        broken = np.unique(exchange[self.tuples.violates(members, goes[members], self.count) & changed])
        undone = np.isin(exchange[self.of], broken) & (exchange[self.of] != _NOBODY)
        self.of = np.where(undone, self.of, goes)
        return len(clusters) - len(broken)


@dataclass(frozen=True)
class Exchanges:
    """Data for exchanges that do not depend on the classes of the tuples.

    ``values`` and ``costs`` have a row per tuple and a column per step of a hierarchy, as in :class:`Neighbours`;
    ``near`` has the numbers of each tuple's similar tuples.
    """

    tuples: SweepTuples
    values: Integers
    costs: NDArray[np.float32]
    near: Integers

    @classmethod
    def of(
        cls, tuples: SweepTuples, random: np.random.Generator, ends: Callable[[], bool], threads: int
    ) -> Exchanges | None:
        """Data for all ``tuples``, with similar tuples from the same region; None if ``ends`` returns True before."""
        everyone = np.arange(len(tuples))
        values, costs = whole_steps(tuples, everyone)
        near = np.repeat(everyone[:, None].astype(np.int32), 1 + _NEAR, axis=1)
        with ThreadPoolExecutor(threads) as pool:
            for region in classes.regions(tuples, everyone, len(tuples), random, region_size(len(tuples))):
                nearest = Neighbours.of(tuples, region, random, pool).nearest(np.arange(len(region)), 1 + _NEAR, ends)
                if nearest is None:
                    return None
                near[region, : nearest.shape[1]] = region[nearest]
        return cls(tuples, values, costs, near)

    def of_all(
        self, of: Integers, count: int, random: np.random.Generator, ends: Callable[[], bool]
    ) -> tuple[Integers, int, int]:
        """The class of every tuple after exchanges, -1 for suppressed tuples, the number of classes, and the number of
        exchanges made. ``of`` is the class of each tuple before; each of the ``count`` classes satisfies the demand.
        """
        offset, now, change = 0, of.copy(), 0
        for chosen in classes.regions(self.tuples, of, count, random, region_size(len(self.tuples))):
            own, size = classes.number(of[chosen])
            own, more = self.made(chosen, self.tuples.among(chosen), own, size, ends)
            now[chosen], offset, change = offset + own, offset + size, change + more
        of, count = classes.told_apart(self.tuples, *classes.number(now))
        return of, count, change

    def made(
        self, chosen: Integers, tuples: SweepTuples, of: Integers, count: int, ends: Callable[[], bool]
    ) -> tuple[Integers, int]:
        """The class of each chosen tuple after exchanges, and the number of exchanges made.

        ``tuples`` are the ``chosen`` tuples alone; ``of`` is the class of each before, and each of the ``count``
        classes satisfies the demand. Exchanges stop if none lowers the total cost, or once ``ends`` returns True.
        """
        place = np.full(len(self.tuples), -1)
        place[chosen] = np.arange(len(chosen))
        near = place[self.near[chosen]]
        near = np.where(near < 0, np.arange(len(chosen))[:, None], near)
        region = _Region(tuples, self.values[chosen], self.costs[chosen], near, of, count)
        change, cost = 0, classes.cost(tuples, of, count)
        while not ends():
            before, more = region.of, region.exchange()
            less = classes.cost(tuples, region.of, count)
            if less > cost - _NOTHING:  # the saving is only rounding
                return before, change
            change, cost = change + more, less
        return region.of, change
