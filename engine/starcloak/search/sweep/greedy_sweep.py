"""The greedy sweep: over all nodes, the cheapest value group satisfying the demand becomes the next class.

A value group is the set of open tuples (tuples in no class yet) with equal generalized values at a node.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from starcloak.search.sweep import nodes
from starcloak.search.sweep.costs import Floats
from starcloak.search.sweep.tuples import SweepTuples
from starcloak.star import keys
from starcloak.star.keys import Integers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from starcloak.privacy.model import Model

# The largest relative difference between equal costs: among groups of equal cost the seed decides.
_EQUAL = 0.01
_EQUAL_OF_LARGE = 0.05
# Of more open tuples than this a node is asked about a sample of its groups first, of about so many tuples.
_MANY = 30_000
_SAMPLE = 10_000
# A node is passed by that would settle less than this share of the open rows, and of a large table's rows.
_WORTH = 0.002
_WORTH_OF_SATISFYING = 0.0002
_WORTH_OF_ALL = 0.0003
_LARGE = 50_000
# Width of a step of costs at which a node becomes worth a visit.
_STEPS = 256
# Growth of costs after which a node with enough rows in violating groups is visited again.
_AGAIN = 0.02
# While more than _FEWEST nodes times the open tuples are more than so many, the seed chooses which nodes are asked.
_WORK = 1_000_000_000
_FEWEST = 2_000
# Nodes that are asked together whether any group may satisfy the demand, at most; and closed nodes in a row before that
# is tried again after a group was there, at most.
_BLOCK = 64
# The hashes of the open tuples' values are kept for the next nodes up to so many bytes.
_KEPT = 1 << 29

_HASHES = 1 << 32
# Brings the small bits of a hash to its top.
_MIX = np.uint32(2654435761)
_FEW_ROWS = 50


@dataclass
class Walk:
    """One sweep over the ``nodes`` of a lattice, and its state.

    A tuple is open as long as it is in no value group. ``group`` has the number of each tuple's value group, -1 while
    the tuple is open; ``formed`` is the number of value groups, ``rows`` the number of rows of open tuples. ``visits``
    counts visits of nodes, ``hits`` the visits at which value groups were formed, ``aggregated`` the grouped tuples,
    summed over all visits. ``tuples`` may be persons, each with all tuples of the person, instead of single tuples. The
    sweep stops once ``ends`` returns True. ``threads`` is the number of threads for a search of neighbours afterwards.
    """

    tuples: SweepTuples
    nodes: Integers
    random: np.random.Generator
    ends: Callable[[], bool] = lambda: False
    threads: int = 1
    group: Integers = field(init=False)
    formed: int = 0
    visits: int = 0
    hits: int = 0
    aggregated: int = 0
    rows: int = field(init=False)
    # At which node how many groups left, in the order of their numbers.
    _left: list[tuple[int, int]] = field(init=False, default_factory=list)
    _by_attribute: Integers = field(init=False)
    _is_large: bool = field(init=False)
    _fewest_rows: float = field(init=False)
    # A node that would settle less than this share of the open rows is passed by.
    _worth: float = _WORTH
    # Cost of a row in the cheapest group that may still leave at each node; and the tuples there.
    _least: Floats = field(init=False)
    _bound: Floats = field(init=False)
    # Nodes where no group will ever satisfy the demand, and those that were passed by for the time being.
    _hopeless: NDArray[np.bool_] = field(init=False)
    _passed: NDArray[np.bool_] = field(init=False)
    # The open tuples, with the demand; those that left since they were collected have no rows.
    _open: Integers = field(init=False)
    _places: Integers = field(init=False)
    _frequency: NDArray[np.float64] = field(init=False)
    _columns: dict[tuple[int, int], NDArray[np.uint32]] = field(init=False, default_factory=dict)
    _sums: list[NDArray[np.uint32]] = field(init=False, default_factory=list)
    _hashes: list[list[NDArray[np.uint32] | None]] = field(init=False)
    # Models of the demand on more than rows that no superset of a satisfying group violates.
    _closed_models: tuple[Model, ...] = field(init=False)
    # True if a promising group satisfies the demand, unless it has the hash of another group.
    _checks_all: bool = field(init=False)
    # Closed nodes in a row before several nodes are asked together again.
    _pause: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        tuples = self.tuples
        self.group = np.full(len(tuples), -1, np.int64)
        self.rows = int(tuples.frequency.sum())
        self._is_large = len(tuples) > _LARGE
        self._fewest_rows = self.rows * _WORTH_OF_ALL / _WORTH if self._is_large else 0
        self._by_attribute = np.ascontiguousarray(self.nodes.T)
        self._bound = nodes.least(tuples, self.nodes)
        self._least = np.full(len(self.nodes), np.inf)
        self._hopeless = np.zeros(len(self.nodes), bool)
        self._passed = np.ones(len(self.nodes), bool)
        self._hashes = [self._random(attribute) for attribute in tuples.attributes]
        self._closed_models = tuple(own for own in tuples.demand.models if own.superset_closed and own.carried)
        self._checks_all = bool(self._closed_models) and tuples.is_closed
        if self._checks_all and not self._is_large:
            self._worth = _WORTH_OF_SATISFYING
        self._collect()
        self._ask_again(0.0)

    def sweep(self, *, until: Callable[[float], bool], report: Callable[[str], None]) -> None:
        """Form value groups in ascending order of cost, until no tuple is open or no group satisfies the demand.

        ``until`` gets the lowest possible cost per row of the next value group; the sweep stops if it returns True.
        """
        half, exact = self.rows // 2, False
        while self.rows and not self.ends():
            least = float(self._least.min(initial=np.inf))
            if least == np.inf and not (self._passed.any() and self._lower()):
                if exact or not self._passed.any():
                    break
                exact = True  # whatever no sample has shown
            if self._passed.any() and (self.rows < half or least == np.inf):
                self._ask_again(0.0 if least == np.inf else least, everyone=exact)
                half = self.rows // 2
                continue
            if until(least):
                break
            many = len(self._open) > _MANY and not exact
            limit = least * (1 + (_EQUAL_OF_LARGE if self._is_large else _EQUAL))
            report(
                f"search: {self.rows:,} {self.tuples.counted} are not yet in a class, the next costs {least:.3f} a row"
            )
            self._visit_all(np.flatnonzero(self._least <= limit), limit, sampled=many)

    @property
    def formed_at(self) -> Integers:
        """The levels of the node of each value group: a row per group, a column per attribute."""
        left = np.array(self._left, np.int64).reshape(-1, 2)
        nodes: Integers = self.nodes[np.repeat(left[:, 0], left[:, 1])]
        return nodes

    def _visit_all(self, due: Integers, limit: float, *, sampled: bool) -> None:
        """Visit the nodes ``due``, in a random order in which successive nodes share levels.

        ``limit`` is the highest cost per row of the value groups to form. If ``sampled``, a sample of the open tuples
        decides first if a visit is worth it.
        """
        order = self.random.permutation(len(self._hashes))
        due = due[np.lexsort(self.nodes[due][:, order[::-1]].T)]
        if self._closed_models:  # to check them takes longer than to count rows: a node above first, if closed with it
            due = due[::-1]
        size, pause, last = 1, 0, None
        while len(due) and self.rows and not self.ends():
            if self._hopeless[due[0]]:
                due = due[1:]
                continue
            if size > 1 and len(due) > 1 and not pause:
                block = due[:size]
                last, hashes = self._hash(self.nodes[block].max(axis=0), last, order)
                if not (sampled and len(self._sample(hashes)[0])) and not len(self._promising(hashes)):
                    self._close(last)
                    due, size = due[len(block) :], min(2 * size, _BLOCK)
                    self._pause //= 4
                    continue
                size //= 2
                self._pause = pause = min(2 * self._pause + 1, _BLOCK)
            node, due = int(due[0]), due[1:]
            last, hashes = self._hash(self.nodes[node], last, order)
            self.visits += 1
            if sampled and not self._promises(node, hashes, limit):
                continue
            if self._visit(node, hashes, limit):
                size = 1
            elif pause:
                pause -= 1
            else:
                size = min(2 * max(size, 1), _BLOCK)
        if np.count_nonzero(self._frequency) < 0.9 * len(self._open):
            self._collect()

    def _visit(self, node: int, hashes: NDArray[np.uint32], limit: float) -> bool:
        """Form value groups at a node, of the open rows with a cost of at most ``limit`` there.

        A value group that satisfies the demand becomes a class, and its tuples are no longer open. Returns True if any
        value group may satisfy the demand.
        """
        tuples, levels = self.tuples, self.nodes[node]
        at = self._promising(hashes)
        if not len(at):
            self._close(levels)
            return False
        chosen = self._open[at]
        cost = tuples.cost(chosen, levels)
        if not self._is_worth(node, cost, self._frequency[at], limit, 1.0):
            return True
        cheap = cost <= limit
        dear = cost[~cheap]
        self._least[node] = dear.min(initial=np.inf)
        at, chosen, cost = at[cheap], chosen[cheap], cost[cheap]
        numbers, count = tuples.group(chosen, levels)
        self.aggregated += len(chosen)
        if self._checks_all and count == _number(hashes[at])[-1]:  # the same groups as when they were checked
            satisfying = np.ones(count, bool)
        else:
            satisfying = ~tuples.violates(chosen, numbers, count)
        if satisfying.any():
            leaving = satisfying[numbers]
            self.group[chosen[leaving]] = self.formed + (np.cumsum(satisfying) - 1)[numbers[leaving]]
            self.formed += int(satisfying.sum())
            self._left.append((node, int(satisfying.sum())))
            self.rows -= int(self._frequency[at[leaving]].sum())
            self._frequency[at[leaving]] = 0
            self.hits += 1
        if not tuples.is_closed:
            if not satisfying.all() and limit < 1:  # a violating group may satisfy it when some of its rows have left
                self._least[node] = min(self._least[node], limit + _AGAIN)
        elif not satisfying.any() and not len(dear):
            self._close(levels)
        return True

    def _promises(self, node: int, hashes: NDArray[np.uint32], limit: float) -> bool:
        """True if a sample of a node's value groups suggests enough rows with a cost of at most ``limit``."""
        at, share = self._sample(hashes)
        cost = self.tuples.cost(self._open[at], self.nodes[node])
        return self._is_worth(node, cost, self._frequency[at], limit, share)

    def _sample(self, hashes: NDArray[np.uint32]) -> tuple[Integers, float]:
        """Positions of the open tuples in a sample of the promising value groups, and the share (0 … 1) of the sample.

        ``hashes`` has the group of each open tuple; see :meth:`_promising`.
        """
        share = _SAMPLE / len(self._open)
        picked = np.flatnonzero(hashes < np.uint32(share * (_HASHES - 1)))
        # The largest bits decide the groups of the sample: mixed, the other bits distinguish these groups.
        return self._promising(hashes[picked] * _MIX, picked), share

    def _is_worth(self, node: int, cost: Floats, frequency: NDArray[np.float64], limit: float, share: float) -> bool:
        """True if enough rows at a node cost at most ``limit`` each; otherwise, schedule a visit at a higher limit.

        ``cost`` (per row) and ``frequency`` are those of the tuples in value groups with enough rows, or of a sample
        that is the ``share`` (0 … 1) of these tuples.
        """
        worth = max(self._worth * share * max(self.rows, self._fewest_rows), 1)
        # The first step of costs up to which there is enough, and in it the first cost.
        steps = (cost * _STEPS).astype(np.int64)
        rows = np.cumsum(np.bincount(steps, weights=frequency, minlength=_STEPS + 1))
        step = int(np.searchsorted(rows, worth))
        if step == len(rows):
            self._least[node] = np.inf
            self._passed[node] = True
            return False
        inside = (steps == step).nonzero()[0]
        inside = inside[np.argsort(cost[inside])]
        enough = np.searchsorted(np.cumsum(frequency[inside]), worth - (rows[step] - frequency[inside].sum()))
        least = cost[inside[min(int(enough), len(inside) - 1)]]
        if least > limit:
            self._least[node] = least
        return bool(least <= limit)

    def _promising(self, hashes: NDArray[np.uint32], places: Integers | None = None) -> Integers:
        """Positions of the open tuples in value groups that may satisfy the demand; ``hashes`` has each tuple's group.

        With ``places``, only the open tuples at these positions are looked at. Groups with equal hashes are taken as
        one group, so the result may have too many tuples, never too few. Models that a superset of a satisfying group
        may violate are left out.
        """
        frequency = self._frequency if places is None else self._frequency[places]
        at = self._count(hashes, frequency)
        if len(at) and self.tuples.demand.least_rows < _FEW_ROWS:  # which two groups that hash alike soon have together
            at = at[self._count(hashes[at] * _MIX, frequency[at])]
        hashes, at = hashes[at], at if places is None else places[at]
        if len(at) and self._closed_models:
            order, numbers, count = _number(hashes)
            at = at[order]
            violates = self.tuples.violates(self._open[at], numbers, count, self._closed_models)
            at = at[~violates[numbers]]
        return at

    def _count(self, hashes: NDArray[np.uint32], frequency: NDArray[np.float64]) -> Integers:
        bits = min(24, max(8, (2 * len(hashes)).bit_length()))
        bucket = (hashes >> np.uint32(32 - bits)).astype(np.int64)
        large = np.bincount(bucket, weights=frequency, minlength=1 << bits) >= self.tuples.demand.least_rows
        self.aggregated += len(bucket)
        return (large[bucket] & (frequency > 0)).nonzero()[0]

    def _close(self, levels: Integers) -> None:
        """Close a node and all nodes beneath it: they are not visited again.

        No value group of the node can satisfy the demand any more. A group of a node beneath is a subset of one of
        them, so none there can either.
        """
        beneath = nodes.beneath(self._by_attribute, levels, self.tuples.heights)
        self._hopeless |= beneath
        self._least[beneath] = np.inf

    def _ask_again(self, least: float, *, everyone: bool = False) -> None:
        """Schedule nodes that were passed by for another visit, at a cost of at least ``least`` per row.

        With ``everyone`` these are all such nodes. Otherwise, while many tuples are open, they are a random choice.
        """
        places = np.flatnonzero(self._passed & ~self._hopeless)
        most = max(_FEWEST, _WORK // len(self._open))
        if len(places) > most and not everyone:
            places = self.random.permutation(places)[:most]
        else:
            self._passed[:] = False
        self._passed[places] = False
        self._least[places] = np.maximum(self._bound[places], least)

    def _lower(self) -> bool:
        """Divide the share of rows that makes a node worth a visit by 4; returns False if one row sufficed already."""
        self._worth /= 4
        return 4 * self._worth * max(self.rows, self._fewest_rows) > 1

    def _collect(self) -> None:
        """Collect the open tuples, their positions in ``codes`` and their frequencies; discard the kept hashes."""
        self._open = np.flatnonzero(self.group < 0)
        self._places = self.tuples.places(self._open)
        self._frequency = self.tuples.frequency[self._open].astype(np.float64)
        self._columns.clear()

    def _hash(self, levels: Integers, last: Integers | None, order: Integers) -> tuple[Integers, NDArray[np.uint32]]:
        """The levels of a node, and a hash of the value group of every open tuple there.

        A hash is the sum of one hash per attribute, added in the given ``order`` of attributes. Partial sums of the
        previous node (``last``) are reused up to the first attribute with another level.
        """
        attributes, here = order.tolist(), levels.tolist()
        if last is None:
            self._sums = []
        else:
            before = last.tolist()
            same = (place for place, attribute in enumerate(attributes) if here[attribute] != before[attribute])
            del self._sums[next(same, len(attributes)) :]
        for attribute in attributes[len(self._sums) :]:
            own = self._column(attribute, here[attribute])
            below = self._sums[-1] if self._sums else np.zeros(len(self._places), np.uint32)
            self._sums.append(below if own is None else below + own)
        return levels, self.tuples.fold(self._sums[-1], self._open)

    def _column(self, attribute: int, level: int) -> NDArray[np.uint32] | None:
        """The hash of every open tuple's value of an attribute at a level; None if all leaves have one value there."""
        hashes, place = self._hashes[attribute][level], (attribute, level)
        if hashes is not None and place not in self._columns:
            if 4 * len(self._places) * (len(self._columns) + 1) > _KEPT:
                self._columns.clear()
            self._columns[place] = hashes[self.tuples.codes[attribute][self._places]]
        return self._columns.get(place)

    def _random(self, attribute: int) -> list[NDArray[np.uint32] | None]:
        """Hashes of an attribute per level: a random number for each leaf, equal for leaves with equal values.

        None for a level at which all leaves have one value.
        """
        hashed: list[NDArray[np.uint32] | None] = []
        for climbs in self.tuples.climbs[attribute]:
            is_even = (climbs == climbs[0]).all()
            numbers = self.random.integers(0, _HASHES, size=len(climbs), dtype=np.uint32)
            hashed.append(None if is_even else numbers[climbs])
        return hashed


def _number(hashes: NDArray[np.uint32]) -> tuple[Integers, Integers, int]:
    """The indices that sort ``hashes``, a number from 0 for each sorted hash, and the count of these numbers.

    Equal hashes have equal numbers.
    """
    order = keys.order(hashes, _HASHES)
    numbers = np.cumsum(keys.starts(hashes[order])) - 1
    return order, numbers, int(numbers[-1]) + 1
