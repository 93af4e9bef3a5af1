"""Improvement after a sweep: tuples move to cheaper value groups until no move lowers the total cost.

A value group is the set of tuples with equal generalized values at a node. A move takes tuples of several classes to
one value group, which may be new as a class. A source class that no longer satisfies the demand is dissolved: each of
its other tuples joins the cheapest class with the tuple's generalized values. The cost is computed exactly before a
move is made. New value groups are searched for only at the nodes of existing classes.

Moves alternate with exchanges of tuples between classes (``exchanges``). Then whole regions of the table are assigned
to classes anew (``prices``). In a lattice too large to visit completely, exchanges come first; if few classes there
share a node, no moves follow.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from starcloak.search.sweep import classes, prices
from starcloak.search.sweep.costs import Floats, sums
from starcloak.search.sweep.exchanges import Exchanges
from starcloak.search.sweep.nodes import beneath_top, is_wide
from starcloak.search.sweep.residual import settle
from starcloak.search.sweep.settings import Swept
from starcloak.search.sweep.tuples import SweepTuples
from starcloak.star import keys
from starcloak.star.keys import Integers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from starcloak.search.algorithm import SearchContext

# Classes of about so many tuples are improved together: those of a larger table that are near in one order or another.
_REGION = 20_000
# So many tuples of them, times the nodes that they may go to, are assigned anew together.
_TOGETHER = 30_000_000
# In a lattice too large to be visited whole: nodes with classes, times tuples of a region, of which more do not move.
_SCATTERED = 20_000_000
# Between two times that some groups become classes prices change so often, twice as often every time, up to the last.
_CHANGES, _MOST_CHANGES = 8, 64
# Rows times cost (0 … 1) worth a change: more than the rounding of sums of floats.
_WORTH = 1e-6
# More than a row costs anywhere: no other class has its values.
_NOWHERE = 2.0
# Tuples times classes that are compared at once.
_COMPARED = 4_000_000


def improved(
    tuples: SweepTuples,
    of: Integers,
    summary: Swept,
    *,
    run: SearchContext,
    seconds: float,
    report: Callable[[str], None],
    threads: int = 1,
) -> tuple[Integers, Swept]:
    """The improved class of every tuple, -1 for suppressed tuples, and updated details of the search.

    ``of`` (the class of every tuple) and ``summary`` are the outcome of a sweep. Tuples move, and classes exchange
    tuples, until neither lowers the total cost. Then each region of the table is assigned to classes anew, which is
    kept if the cost falls, and moves start again. The improvement ends after ``seconds``, on Ctrl-C, or at a cost of 0.
    """
    until = time.monotonic() + seconds

    def ends() -> bool:
        return time.monotonic() >= until or run.stop()

    random, count, moves = np.random.default_rng(run.seed % 2**64), summary.classes, 0
    regions, changes, wide = 0, _CHANGES, is_wide(tuples)
    if not wide:
        of, count, moves = moved(tuples, of, count, random=random, ends=ends, report=report)
    exchanges = Exchanges.of(tuples, random, ends, threads)
    while exchanges is not None:
        report(f"search: {moves} moves, and exchanges")
        of, count, exchanged = exchanges.of_all(of, count, random, ends)
        moves += exchanged
        if wide and len(_nodes(tuples, of, count, beside=False)) * min(len(tuples), _REGION) > _SCATTERED:
            break
        of, count, further_moves = moved(tuples, of, count, random=random, ends=ends, report=report)
        moves += further_moves
        if further_moves and exchanged:
            continue
        if ends() or count < 2 or classes.cost(tuples, of, count) < _WORTH:
            break
        nodes = _nodes(tuples, of, count, beside=changes > _CHANGES)
        of, count, anew = reassigned(
            tuples, of, count, nodes, exchanges, changes=changes, random=random, ends=ends, report=report
        )
        regions, changes = regions + anew, min(2 * changes, _MOST_CHANGES)
    return of, summary.model_copy(update={"classes": count, "moves": moves, "regions": regions, "timed": ends()})


def _nodes(tuples: SweepTuples, of: Integers, count: int, *, beside: bool) -> Integers:
    """The nodes of the classes, without the top if it has a single value group: one row of levels per node.

    With ``beside``, the nodes one level above or below in one attribute are included.
    """
    nodes = np.unique(classes.generalize(tuples, of, count).levels, axis=0)
    if beside:
        step, top = np.eye(len(tuples.heights), dtype=np.int8), np.array(tuples.heights, np.int8)
        there = [nodes, *(np.clip(nodes + way, 0, top) for way in (*step, *-step))]
        nodes = np.unique(np.concatenate(there), axis=0)
    return beneath_top(tuples, nodes)


def reassigned(
    tuples: SweepTuples,
    of: Integers,
    count: int,
    nodes: Integers,
    exchanges: Exchanges,
    *,
    changes: int,
    random: np.random.Generator,
    ends: Callable[[], bool],
    report: Callable[[str], None],
) -> tuple[Integers, int, int]:
    """The class of every tuple, -1 for suppressed tuples, the number of classes, and the number of improved regions.

    The classes of each region are chosen among the value groups at ``nodes`` by prices of tuples (see ``prices``);
    ``changes`` is the number of price changes before each choice. Remaining tuples join the class with the least added
    cost; then tuples move and classes exchange tuples. A region keeps its old classes unless its cost falls.
    """
    change, offset, now = 0, count, of.copy()
    for chosen in classes.regions(tuples, of, count, random, min(_REGION, 1 + _TOGETHER // (1 + len(nodes)))):
        own, size = classes.number(of[chosen])
        if size < 2:
            continue
        chosen_tuples = tuples.among(chosen)
        costs = classes.cost(chosen_tuples, own, size)
        assignment = prices.assigned(
            chosen_tuples, nodes, known=costs, changes=changes, random=random, ends=ends, report=report
        )
        if ends():
            break
        if (assignment < 0).all():
            continue
        assignment, size = _joined(chosen_tuples, assignment)
        assignment, size, _ = moved(chosen_tuples, assignment, size, random=random, ends=ends, report=report)
        assignment, _ = exchanges.made(chosen, chosen_tuples, assignment, size, ends)
        if classes.cost(chosen_tuples, assignment, size) < costs - _WORTH:
            change, now[chosen], offset = change + 1, offset + assignment, offset + size
    of, count = classes.told_apart(tuples, *classes.number(now))
    return of, count, change


def _joined(tuples: SweepTuples, of: Integers) -> tuple[Integers, int]:
    """The class of every tuple, and the number of classes, after each tuple in no class joined a class.

    A tuple (-1 in ``of``), or a class that violates the demand, joins the class with the least added cost.
    """
    settled = settle(tuples, *classes.apart(*classes.number(of)), allowed=0, dearest=1.0)
    return settled.of, settled.count


def moved(
    tuples: SweepTuples,
    of: Integers,
    count: int,
    *,
    random: np.random.Generator,
    ends: Callable[[], bool],
    report: Callable[[str], None],
) -> tuple[Integers, int, int]:
    """The class of every tuple, -1 for suppressed tuples, the number of classes, and the number of moves made.

    ``of`` is the class of each tuple before; each of the ``count`` classes satisfies the demand. The demand has to be
    one that every superset of a satisfying class satisfies. Moves stop once ``ends`` returns True; it is called before
    every node. The total cost of all rows never rises.
    """
    moves = 0
    while not ends():
        change, offset, now = 0, count, of.copy()
        for chosen in classes.regions(tuples, of, count, random, _REGION):
            if ends():
                break
            region = _Region(tuples.among(chosen), *classes.number(of[chosen]))
            change += region.move(random, ends)
            now[chosen] = offset + region.of
            offset += region.count
            report(f"search: {moves + change} moves")
        if not change:
            break
        moves += change
        of, count = classes.told_apart(tuples, *classes.number(now))
    return of, count, moves


@dataclass
class _Node:
    """A node with classes: its ``levels``, the value group of each tuple there, and the class of each value group.

    ``numbers`` has the value group of each tuple, from 0; ``classes`` the class of each value group, -1 for none.
    """

    levels: Integers
    numbers: Integers
    classes: Integers


@dataclass
class _Region:
    """The classes of one region of the table, and all of their tuples, while tuples move.

    ``of`` is the class of each tuple, ``count`` the number of classes: moves may add classes, and dissolved classes
    keep their numbers without a tuple.
    """

    tuples: SweepTuples
    of: Integers
    count: int
    # A tuple's values as they are at every level, by attribute.
    _values: list[Integers] = field(init=False)
    _frequency: Floats = field(init=False)
    # For each class the levels, its values there, the cost of a row, its rows, and true if it still exists.
    _levels: Integers = field(init=False)
    _cells: Integers = field(init=False)
    _cost: Floats = field(init=False)
    _rows: Floats = field(init=False)
    _there: NDArray[np.bool_] = field(init=False)
    _members: list[Integers] = field(init=False)
    # Cost of a row of each tuple, and its cost in the cheapest other class with its values.
    _now: Floats = field(init=False)
    _next: Floats = field(init=False)
    # Added cost of dissolving each class.
    _dissolved: Floats = field(init=False)
    _nodes: list[_Node] = field(init=False)

    def __post_init__(self) -> None:
        tuples, of, count = self.tuples, self.of, self.count
        formed = classes.generalize(tuples, of, count)
        self._frequency = tuples.frequency.astype(np.float64)
        self._values = [
            np.stack([level[codes] for level in climbs])
            for codes, climbs in zip(tuples.codes, tuples.climbs, strict=True)
        ]
        order = np.argsort(of, kind="stable")
        self._members = np.split(order, np.searchsorted(of[order], np.arange(1, count)))
        first = np.array([members[0] for members in self._members])
        self._levels, self._cost, self._there = formed.levels, formed.cost, np.ones(count, bool)
        self._cells = np.stack([values[formed.levels[:, at], first] for at, values in enumerate(self._values)], axis=1)
        self._rows = formed.rows.astype(np.float64)
        self._now, self._next = formed.cost[of], np.full(len(of), _NOWHERE)
        levels, at = np.unique(formed.levels, axis=0, return_inverse=True)
        everyone, at = np.arange(len(of)), at.reshape(-1)
        self._nodes = []
        for place, here in enumerate(levels):
            numbers, groups = tuples.group(everyone, here)
            own = np.flatnonzero(at == place)
            slots = np.full(groups, -1)
            slots[numbers[first[own]]] = own
            self._nodes.append(_Node(here, numbers.astype(np.int32), slots))
            placed = np.flatnonzero((slots[numbers] >= 0) & (slots[numbers] != of))
            self._next[placed] = np.minimum(self._next[placed], formed.cost[slots[numbers[placed]]])
        self._dissolved = sums(self._frequency * (self._next - self._now), of, count)

    def move(self, random: np.random.Generator, ends: Callable[[], bool]) -> int:
        """Make the moves that lower the total cost, node by node in random order; returns the number of moves."""
        change = 0
        for at in random.permutation(len(self._nodes)).tolist():
            if ends():
                break
            node = self._nodes[at]
            cost = self.tuples.cost(np.arange(len(self.of)), node.levels)
            for number, taken in self._proposed(node, cost):
                change += self._move(node, number, taken, cost)
        return change

    def _proposed(self, node: _Node, cost: Floats) -> list[tuple[int, Integers]]:
        """Proposed moves to value groups of a node: pairs of a group's number and the tuples to move there.

        ``cost`` is the cost of a row of each tuple at the node. The move with the largest estimated saving is first.
        """
        least, groups = self.tuples.demand.least_rows, len(node.classes)
        saved, own = self._now - cost, node.classes[node.numbers]
        large = sums(self._frequency, node.numbers, groups) >= least
        cheaper = sums(self._frequency * np.maximum(saved, 0), node.numbers, groups) > _WORTH
        at = np.flatnonzero((large & cheaper)[node.numbers] & (own != self.of))
        if not len(at):
            return []
        # The common tuples of a value group and a class go there together: those with a lower cost there, or all.
        size = len(self._cost)
        pairs, pair = keys.number(node.numbers[at].astype(np.int64) * size + self.of[at], groups * size)
        group, source = np.divmod(pairs, size)
        some_rows, places = self._saved(at, pair, source, cost[at], taken=saved[at] > 0)
        all_rows, whole = self._saved(at, pair, source, cost[at], taken=np.ones(len(at), bool))
        all_go = (whole > places) | (some_rows == 0)
        net, rows = np.where(all_go, whole, places), np.where(all_go, all_rows, some_rows)
        # Tuples that save something go, and the best of the others if there are too few rows.
        order = np.lexsort((-net / rows, group))
        before = np.cumsum(rows[order]) - rows[order]
        before -= before[np.searchsorted(group[order], group[order])]
        there = np.zeros(groups)
        slots = np.flatnonzero(node.classes >= 0)
        there[slots] = self._rows[node.classes[slots]]
        goes = np.zeros(len(pairs), bool)
        goes[order] = (net[order] > 0) | (there[group[order]] + before < least)
        total = sums(net * goes, group, groups)
        enough = there + sums(rows * goes, group, groups) >= least
        taken = at[goes[pair] & (all_go[pair] | (saved[at] > 0))]
        taken = taken[((total > _WORTH) & enough)[node.numbers[taken]]]
        taken = taken[np.lexsort((node.numbers[taken], -total[node.numbers[taken]]))]
        parts = np.split(taken, np.flatnonzero(np.diff(node.numbers[taken])) + 1) if len(taken) else []
        return [(int(node.numbers[part[0]]), part) for part in parts]

    def _saved(
        self, at: Integers, pair: Integers, source: Integers, cost: Floats, *, taken: NDArray[np.bool_]
    ) -> tuple[Floats, Floats]:
        """The number of moved rows, and the estimated saving, for each pair of a value group and a source class.

        ``at`` are the tuples that may move, ``pair`` the pair of each, ``source`` the source class of each pair,
        ``cost`` the cost per row after the move, and ``taken`` is True for tuples that move. If the source class is
        left with too few rows, the saving is reduced by the cost of dissolving this class.
        """
        frequency, differences = self._frequency[at], self._next[at] - self._now[at]
        rows = sums(frequency * taken, pair, len(source))
        gone = sums(frequency * (self._now[at] - cost) * taken, pair, len(source))
        # Of a dissolved class, moved tuples go nowhere else, and the other ones may go along.
        spared = np.where(taken, differences, np.maximum(0, self._next[at] - cost))
        dissolved = self._dissolved[source] - sums(frequency * spared, pair, len(source))
        left = self._rows[source] - rows
        broken = (left > 0) & (left < self.tuples.demand.least_rows)
        return rows, gone - np.where(broken, dissolved, 0)

    def _move(self, node: _Node, number: int, taken: Integers, cost: Floats) -> bool:
        """Move the tuples ``taken`` to value group ``number`` of a node, if this lowers the total cost.

        ``cost`` is the cost of a row of each tuple of the region at the node. Returns True if the tuples were moved.
        """
        into = int(node.classes[number])
        is_new = into < 0 or not self._there[into]
        taken = taken[self.of[taken] != into]
        if not len(taken):
            return False
        tuples, sources = self.tuples, np.unique(self.of[taken])
        if is_new and tuples.violates(taken, np.zeros(len(taken), np.int64), 1)[0]:
            return False
        stays = [members[~np.isin(members, taken)] for members in (self._members[source] for source in sources)]
        of = np.repeat(np.arange(len(sources)), [len(members) for members in stays])
        violates = tuples.violates(np.concatenate(stays), of, len(sources))
        gone = sources[violates]
        orphans = np.concatenate([taken[:0], *(members for members, out in zip(stays, violates, strict=True) if out)])
        saved = float(self._frequency[taken] @ (self._now[taken] - cost[taken]))
        if is_new:
            into = self._open(node, int(taken[0]), float(cost[taken[0]]))
        self._there[gone] = False
        goes, costs = self._cheapest(orphans)
        saved += float(self._frequency[orphans] @ (self._now[orphans] - costs))
        if saved <= _WORTH:
            self._there[gone] = True
            if is_new:
                self._there[into] = False
            return False
        node.classes[number] = into
        for source, members in zip(sources.tolist(), stays, strict=True):
            self._members[source] = members if self._there[source] else members[:0]
        self._now[taken], self._now[orphans] = cost[taken], costs
        moved, where = np.append(taken, orphans), np.append(np.full(len(taken), into), goes)
        self.of[moved] = where
        for target in np.unique(where).tolist():
            self._members[target] = np.append(self._members[target], moved[where == target])
        for changed in {*sources.tolist(), *where.tolist()}:
            members = self._members[changed]
            self._rows[changed] = self._frequency[members].sum()
            self._dissolved[changed] = self._frequency[members] @ (self._next[members] - self._now[members])
        return True

    def _open(self, node: _Node, group: int, cost: float) -> int:
        """Add a class without tuples and return its number.

        Its generalized values are those of the tuple ``group`` at the node; ``cost`` is the cost of a row there.
        """
        if self.count == len(self._cost):
            self._cost, self._rows, self._there, self._dissolved, self._levels, self._cells = (
                np.concatenate([column, np.zeros_like(column)])
                for column in (self._cost, self._rows, self._there, self._dissolved, self._levels, self._cells)
            )
        new = self.count
        self.count += 1
        self._levels[new], self._cost[new], self._there[new] = node.levels, cost, True
        self._cells[new] = [values[level, group] for values, level in zip(self._values, node.levels, strict=True)]
        self._members.append(np.zeros(0, np.int64))
        return new

    def _cheapest(self, orphans: Integers) -> tuple[Integers, Floats]:
        """The cheapest existing class for each tuple of ``orphans``, and its cost per row.

        A tuple fits a class if its generalized values, at the levels of the class, are those of the class. The cost is
        inf if a tuple fits no class.
        """
        here = np.flatnonzero(self._there[: self.count])
        here = here[np.argsort(self._cost[here], kind="stable")]
        goes, costs = np.zeros(len(orphans), np.int64), np.zeros(len(orphans))
        for batch in np.split(np.arange(len(orphans)), range(0, len(orphans), max(1, _COMPARED // len(here)))[1:]):
            fits = np.ones((len(batch), len(here)), bool)
            for at, values in enumerate(self._values):
                fits &= values[self._levels[here, at][None, :], orphans[batch][:, None]] == self._cells[here, at]
            first = fits.argmax(axis=1)
            fitting = fits[np.arange(len(batch)), first]
            goes[batch], costs[batch] = here[first], np.where(fitting, self._cost[here[first]], np.inf)
        return goes, costs
