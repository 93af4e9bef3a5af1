"""The full-domain lattice counted once: for every node a histogram of its equivalence classes by size.

From the histograms, every k and every suppression is answered without the data: the satisfying nodes, each node's
suppressed rows and cost, and the best node. Lattice: LeFevre, DeWitt, Ramakrishnan 2005, section 2 and Figure 3.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from starcloak.base.errors import JobError
from starcloak.job.algorithms import Objective
from starcloak.privacy.k_anonymity.model import KAnonymity
from starcloak.privacy.persons.model import DistinctPersons
from starcloak.privacy.requirement import Demand, Requirement, covers_absent
from starcloak.search.lattice import objective
from starcloak.search.lattice.lattice import lattice_of
from starcloak.search.lattice.objective import DECIMALS, AddedUp, NodeCost, TieOrder
from starcloak.search.witness import search as witness
from starcloak.star import tuples
from starcloak.star.open_nodes import OpenNodes
from starcloak.star.star import Dimension, Star, without_importance
from starcloak.star.tuples import Tuples
from starcloak.statements.statement import As, Name, Statement, columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from starcloak.job.result import RiskBefore
    from starcloak.privacy.groups import Grouped

    Integers = NDArray[np.integer[Any]]
    Floats = NDArray[np.float64]
    Marks = NDArray[np.bool_]

#: Of a larger lattice, or one with so many tuples to count at so many nodes, the frontier is counted alone.
MOST_NODES = 50_000
MOST_WORK = 5_000_000_000
# The requirements with best and minimal nodes on the frontier, and the number of minimal nodes of each.
_FRONTIER = (2, 3, 5, 10, 20, 50, 100)
_LOWEST = 200
# Nodes between two reports.
_TOGETHER = 32
# A lattice of so many nodes is counted so soon that its frontier need not come first.
_AT_ONCE = 500


@dataclass(frozen=True)
class SizeCount:
    """One bar of a node's histogram: the number of ``classes`` with a ``size``, and the number of their ``rows``.

    Size 0 stands for the classes that violate a model other than k-anonymity, whatever their number of rows.
    """

    size: int
    classes: int
    rows: int


@dataclass(frozen=True)
class TradeOff:
    """Figures of all nodes for one k and suppression: arrays in the order of :attr:`CountedLattice.nodes`.

    ``allowed`` is the largest number of suppressed rows. ``satisfying`` marks the nodes that satisfy the requirement,
    ``minimal`` those among them that generalize no other satisfying node. ``left_out`` is the number of suppressed
    rows; ``loss`` is from 0 to 1. ``achieved`` is the size of the smallest released class, 0 without one, and
    ``classes`` the number of released classes. ``chosen`` is the index of the best node by the job's objective, None
    without a satisfying node.
    """

    k: int
    allowed: int
    satisfying: Marks
    minimal: Marks
    left_out: Integers
    loss: Floats
    achieved: Integers
    classes: Integers
    chosen: int | None


@dataclass(frozen=True)
class _Histograms:
    """Histograms of all nodes in shared arrays: the entries of node i are from ``starts[i]`` up to ``starts[i + 1]``.

    Within a node, the ``sizes`` of classes rise. All other arrays are running sums within a node, from its smallest
    size on: of ``classes``, of ``rows``, of the ``squares`` of the classes' rows, and of the savings ``spared``, for
    each of the two costs.
    """

    starts: Integers
    sizes: Integers
    classes: Integers
    rows: Integers
    squares: Floats
    spared: Sequence[Floats]

    def __post_init__(self) -> None:
        _ = self._keys  # while it is counted, or the first answer would take long

    @cached_property
    def _keys(self) -> Integers:
        """One integer per entry, rising over nodes and sizes: node * (largest size + 1) + size."""
        node: Integers = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        keys: Integers = node * self._beyond + self.sizes
        return keys

    @cached_property
    def _beyond(self) -> int:
        return int(self.sizes.max(initial=0)) + 1

    def places(self, k: int) -> Integers:
        """For each node, the index of its first entry with a size of at least ``k``, or of its end."""
        at_least = np.arange(len(self.starts) - 1) * self._beyond + min(k, self._beyond)
        places: Integers = np.searchsorted(self._keys, at_least)
        return places

    def below(self, places: Integers, summed: NDArray[Any]) -> NDArray[Any]:
        """For each node, the running sum ``summed`` before the node's entry in ``places``."""
        sums: NDArray[Any] = np.where(places > self.starts[:-1], summed[np.maximum(places - 1, 0)], 0)
        return sums


@dataclass(frozen=True)
class _OfPopulation:
    """Effect of population classes without a row in the table.

    ``lack`` marks the nodes at which such a class violates a model. ``least_share`` is true if delta-presence requires
    a smallest share above 0.
    """

    lack: Marks
    least_share: bool


@dataclass(frozen=True)
class CountedLattice:
    """The nodes of a full-domain lattice, with their classes counted by size.

    ``nodes`` has one row per node with the levels of its attributes; ``attributes`` names the columns. ``heights`` are
    the heights of the whole hierarchies, and ``bounds`` the lowest and the highest level of each attribute allowed by
    the job. ``values`` is the number of values of each attribute that occur in the source, at each level between its
    bounds. ``rows`` is the number of rows of the source, and ``size`` the number of nodes in the whole lattice. If the
    lattice is not ``complete``, because it is too large or still being counted, ``nodes`` has its frontier alone: for
    some k the minimal nodes and the best node. ``before`` is the risk of the source, whatever the lowest level allowed
    by the job. The object is for the custodian of the source alone: classes may have one row.
    """

    attributes: tuple[str, ...]
    heights: tuple[int, ...]
    bounds: tuple[tuple[int, int], ...]
    values: tuple[tuple[int, ...], ...]
    nodes: Integers
    rows: int
    size: int
    complete: bool
    before: RiskBefore
    _histograms: _Histograms
    _costs: tuple[NodeCost, NodeCost]
    _objective: Objective
    _moves: bool
    _population: _OfPopulation

    def __len__(self) -> int:
        return len(self.nodes)

    @cached_property
    def height(self) -> Integers:
        """The sum of each node's levels."""
        height: Integers = self.nodes.sum(axis=1)
        return height

    @cached_property
    def _steps(self) -> Integers:
        """Levels of each node above the lowest level allowed by the job, by attribute."""
        steps: Integers = self.nodes - np.array([lowest for lowest, _ in self.bounds], np.int64)
        return steps

    def place(self, levels: Sequence[int]) -> int:
        """The index in :attr:`nodes` of the node with these levels.

        Raises :class:`~starcloak.base.errors.JobError` for levels of no counted node.

        >>> import starcloak as sc
        >>> job = {"source": {"dataset": "patients"}, "schema": "patients/incognito-2005", "requirement": {"k": 2}}
        >>> sc.lattice(job).place([1, 1, 0])
        9
        """
        if len(levels) != len(self.attributes):
            raise JobError(
                f"{len(levels)} levels are given, and a node of this lattice has {len(self.attributes)}: give one "
                f"level for each of {', '.join(self.attributes)}"
            )
        places = np.flatnonzero((self.nodes == np.asarray(levels)).all(axis=1))
        if not len(places):
            raise JobError(
                f"levels {list(levels)} are not among the counted nodes of this lattice: give the levels of a "
                "node in the lattice's attribute nodes"
            )
        return int(places[0])

    def values_of(self, place: int) -> list[int]:
        """Number of different values of each attribute in the source, at the levels of the node ``place``."""
        return [values[step] for values, step in zip(self.values, self._steps[place].tolist(), strict=True)]

    def levels_at(self, k: int, suppression: float | Decimal | str = 0) -> list[dict[str, int]]:
        """The levels of every node that satisfies a ``k`` and a ``suppression``, in the order of height.

        Raises :class:`~starcloak.base.errors.JobError` as :meth:`at` does, and if the lattice is not ``complete``.

        >>> import starcloak as sc
        >>> job = {"source": {"dataset": "patients"}, "schema": "patients/incognito-2005", "requirement": {"k": 2}}
        >>> sc.lattice(job).levels_at(k=2)[0]
        {'birthdate': 1, 'sex': 1, 'zipcode': 0}
        """
        if not self.complete:
            raise JobError(
                f"lattice: only its frontier ({len(self):,} nodes) was counted, as the whole lattice is too large, "
                "so not all satisfying nodes are known: drop levels of hierarchies to have the whole lattice counted"
            )
        places = np.flatnonzero(self.at(k, suppression).satisfying)
        ordered = self.nodes[places[np.argsort(self.height[places], kind="stable")]]
        return [dict(zip(self.attributes, levels, strict=True)) for levels in ordered.tolist()]

    def histogram(self, place: int) -> list[SizeCount]:
        """The histogram of the node ``place`` (an index): its equivalence classes by size, the smallest first."""
        counted = self._histograms
        span = slice(int(counted.starts[place]), int(counted.starts[place + 1]))
        classes, rows = (np.diff(summed[span], prepend=0) for summed in (counted.classes, counted.rows))
        listed = zip(counted.sizes[span].tolist(), classes.tolist(), rows.tolist(), strict=True)
        return [SizeCount(*entry) for entry in listed]

    def at(self, k: int, suppression: float | Decimal | str = 0) -> TradeOff:
        """The result of every node for a ``k`` and a ``suppression``, the largest share of suppressed rows (0 … 1).

        The chosen node is that of :func:`starcloak.run` with the default algorithm, for a complete lattice. Raises
        :class:`~starcloak.base.errors.JobError` for a k below 1, for an invalid share, and if the histograms lack the
        answer: for a model with a verdict that depends on the suppressed rows.
        """
        allowed = self._allowance(k, suppression)
        counted = self._histograms
        places = counted.places(k)
        left_out = counted.below(places, counted.rows).astype(np.int64)
        satisfying = (left_out <= allowed) & ~self._population.lack
        loss, cost = (self._cost(number, places, left_out, k=k, allowed=allowed) for number in (0, 1))
        ends = counted.starts[1:]
        achieved = np.where(places < ends, counted.sizes[np.minimum(places, len(counted.sizes) - 1)], 0)
        classes = counted.classes[ends - 1] - counted.below(places, counted.classes)
        return TradeOff(
            k, allowed, satisfying, self._lowest(satisfying), left_out, loss, achieved, classes.astype(np.int64),
            self._best(satisfying, cost, classes),
        )  # fmt: skip

    def _allowance(self, k: int, suppression: float | Decimal | str) -> int:
        try:
            share = Decimal(str(suppression))
        except ArithmeticError:
            share = Decimal(-1)
        if type(k) is not int or k < 1 or not (share.is_finite() and 0 <= share <= 1):
            raise JobError(
                "lattice: k must be a whole number from 1 on, and suppression a share from 0 to 1: give numbers "
                "such as 5 and 0.01"
            )
        allowed = Requirement((), suppression=share).allowance(self.rows)
        if allowed and self._population.least_share:
            raise JobError(
                "lattice: delta_presence with min above 0 does not go with suppression, as the release has none of "
                "the people of a suppressed class: give suppression=0"
            )
        if allowed and self._moves:
            raise JobError(
                "lattice: a model of the job compares classes with all released rows, so its verdict depends on the "
                "suppressed rows: give suppression=0, or run the job"
            )
        return allowed

    def _cost(self, number: int, places: Integers, left_out: Integers, *, k: int, allowed: int) -> Floats:
        """Cost of each node: its loss for ``number`` 0, the cost of the job's objective for 1."""
        counted, cost = self._histograms, self._costs[number]
        ends = counted.starts[1:] - 1
        if cost.steps is not None:
            base = np.zeros(len(self))
            for attribute, steps in enumerate(cost.steps):
                base += steps[self._steps[:, attribute]]
            priced: Floats = base + counted.below(places, counted.spared[number]) / self.rows
            return priced
        if self._objective.minimize == "discernibility":
            squares: Floats = counted.squares[ends] + left_out * self.rows - counted.below(places, counted.squares)
            return squares
        classes = counted.classes[ends] - counted.below(places, counted.classes)
        released = (self.rows - left_out).astype(np.float64)
        size: Floats = np.divide(released, classes, out=np.full(len(self), np.inf), where=classes > 0)
        return size / k

    def _best(self, satisfying: Marks, cost: Floats, classes: Integers) -> int | None:
        """Index of the satisfying node with the least cost, None without one; ties are broken as in a run."""
        places = np.flatnonzero(satisfying)
        if not len(places):
            return None
        order = TieOrder.of(self.attributes)
        return int(places[order.first(self.nodes[places], np.round(cost[places], DECIMALS), classes[places])])

    def _lowest(self, satisfying: Marks) -> Marks:
        """Marks of the minimal nodes: satisfying nodes that generalize no other satisfying node."""
        if self.complete:
            shape = [highest - lowest + 1 for lowest, highest in self.bounds]
            beneath: Integers = satisfying.reshape(shape).astype(np.int64)
            for axis in range(beneath.ndim):
                beneath = np.cumsum(beneath, axis=axis)
            lowest: Marks = satisfying & (beneath.ravel() == 1)
            return lowest
        minimal = satisfying.copy()
        for place in np.flatnonzero(satisfying):
            minimal[place] = (satisfying & (self.nodes <= self.nodes[place]).all(axis=1)).sum() == 1
        return minimal


def count(
    star: Star,
    requirement: Requirement,
    minimize: Objective,
    *,
    before: RiskBefore,
    report: Callable[[CountedLattice], None] | None = None,
) -> CountedLattice:
    """Count the equivalence classes of every node of a star's lattice, by size.

    The star is the source's base frequency set with its hierarchies. ``minimize`` is the objective that chooses among
    satisfying nodes. ``before`` is the risk of the source. ``report`` is called early with an incomplete lattice: the
    frontier for the k of the ``requirement``.

    Raises :class:`~starcloak.base.errors.JobError` for several QIDs, for persons compared as sets, and for a lattice
    too large to be counted whole within a population.
    """
    if not requirement.single or requirement.as_set:
        raise JobError(
            "lattice: a lattice cannot be counted for several QIDs or for person with as: set: run the job, which "
            "supports both"
        )
    demand = requirement.joint(star.attributes)
    priced = (
        objective.costs_of(without_importance(star), Objective(minimize="loss"), k=1, allowed=0),
        objective.costs_of(star, minimize, k=1, allowed=0),
    )
    climbs = tuples.climbs(star)
    whole = lattice_of(star)
    complete = whole.size <= MOST_NODES and whole.size * max(1, star.combinations) <= MOST_WORK
    if requirement.of_population and not complete:
        raise JobError(
            f"lattice: with a population, the whole lattice must be counted, and {whole.size:,} nodes are too many: "
            "drop levels of hierarchies, or run the job"
        )

    def counted(open_nodes: OpenNodes, *, is_whole: bool) -> CountedLattice:
        nodes = np.argwhere(open_nodes.open).astype(np.int64)
        here = tuples.fetch(star, open_nodes, open_nodes.everything, climbs=climbs)
        histograms, lack = _count(star, here, nodes, demand, priced)
        return CountedLattice(
            attributes=tuple(dimension.attribute for dimension in star.dimensions),
            heights=tuple(star.hierarchy_heights.values()),
            bounds=tuple(dimension.bounds for dimension in star.dimensions),
            values=tuple(_values(star, dimension) for dimension in star.dimensions),
            nodes=nodes + np.array([dimension.beneath for dimension in star.dimensions], np.int64),
            rows=star.rows,
            size=whole.size,
            complete=is_whole,
            before=before,
            _histograms=histograms,
            _costs=priced,
            _objective=minimize,
            _moves=demand.moves,
            _population=_OfPopulation(lack, demand.least_share > 0),
        )

    allowed = requirement.allowance(star.rows)
    if not complete:
        return counted(_only(star, _frontier(star, demand, allowed, minimize)), is_whole=False)
    if report is not None and whole.size > _AT_ONCE and not (demand.moves or requirement.of_population):
        star.session.report("the generalizations just general enough for the job's own k")
        report(counted(_only(star, _minimal(star, demand, allowed, minimize)), is_whole=False))
    return counted(OpenNodes(star.heights), is_whole=True)


def _only(star: Star, levels: Iterable[tuple[int, ...]]) -> OpenNodes:
    """The lattice with only the nodes of these ``levels`` and the top to be counted."""
    open_nodes = OpenNodes(star.heights)
    open_nodes.open[:] = False
    for node in (star.heights, *levels):
        open_nodes.open[node] = True
    return open_nodes


def _values(star: Star, dimension: Dimension) -> tuple[int, ...]:
    """Number of values that occur in the source, at each level of a dimension."""
    values = columns(
        As(Statement("star/dimension#values_at", ancestor=Name(f"ancestor_{level}")), Name(f"values_{level}"))
        for level in range(dimension.height + 1)
    )
    return star.session.row(Statement("star/dimension#values", values=values, table=dimension.table))


def _frontier(star: Star, demand: Demand, allowed: int, minimize: Objective) -> Iterable[tuple[int, ...]]:
    """Levels of the frontier: for some k, the minimal nodes and the best node under k-anonymity alone."""
    for k in (*_FRONTIER, demand.least_rows):
        yield from _minimal(star, Demand(demand.attributes, (KAnonymity(k=k),)), allowed, minimize)


def _minimal(star: Star, demand: Demand, allowed: int, minimize: Objective) -> Iterable[tuple[int, ...]]:
    """Levels of the best node for a demand (a QID with its models), then of at most 200 minimal nodes."""
    nodes = witness.find(star, demand, allowed=allowed)
    if nodes.count:
        yield objective.choose(star, nodes, minimize, demand=demand, allowed=allowed).levels
        yield from (node.levels for node in nodes.minimal[:_LOWEST])


def _count(
    star: Star, here: Tuples, nodes: Integers, demand: Demand, priced: tuple[NodeCost, NodeCost]
) -> tuple[_Histograms, Marks]:
    """Histograms of the nodes, and marks of nodes at which a population class without a row violates a model."""
    parts: list[_Histogram] = []
    began = time.monotonic()
    histogram = partial(_histogram, here, demand, priced)
    with ThreadPoolExecutor(star.session.threads) as threads:
        for start in range(0, len(nodes), _TOGETHER):
            star.session.report(_progress(start, len(nodes), time.monotonic() - began))
            parts += threads.map(histogram, nodes[start : start + _TOGETHER].tolist())
    lengths = [len(part.sizes) for part in parts]

    def joined(name: str) -> NDArray[Any]:
        return np.concatenate([getattr(part, name) for part in parts])

    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    spared = [np.concatenate([part.spared[number] for part in parts]) for number in (0, 1)]
    counted = _Histograms(starts, joined("sizes"), joined("classes"), joined("rows"), joined("squares"), spared)
    return counted, np.array([part.lacks for part in parts], bool)


def _progress(done: int, count: int, seconds: float) -> str:
    """Progress in words: the number of counted nodes, and the estimated seconds for the remaining nodes."""
    left = f", about {max(1, round(seconds / done * (count - done)))} s left" if done else ""
    return f"{done:,} of {count:,} generalizations counted{left}"


@dataclass(frozen=True)
class _Histogram:
    """Histogram of one node, with the arrays of :class:`_Histograms`.

    ``lacks`` is true if a population class without a row violates a model at the node.
    """

    sizes: Integers
    classes: Integers
    rows: Integers
    squares: Floats
    spared: Sequence[Floats]
    lacks: bool


def _histogram(here: Tuples, demand: Demand, priced: tuple[NodeCost, NodeCost], levels: list[int]) -> _Histogram:
    groups, codes = here.groups_at(tuple(levels))
    real = groups.sizes > 0  # those of the population alone are no classes of the release
    largest = _largest_k(groups, demand)[real]
    sizes, number, classes = np.unique(largest, return_inverse=True, return_counts=True)

    def summed(weights: Floats) -> Floats:
        return np.cumsum(np.bincount(number, weights, len(sizes)))

    own = groups.sizes[real].astype(np.float64)
    spared = [
        summed(own * cost.spared(levels, lambda attribute: codes(attribute)[real], len(own)))
        if isinstance(cost, AddedUp)
        else np.zeros(len(sizes))
        for cost in (priced if priced[0] is not priced[1] else priced[:1])
    ]
    return _Histogram(
        sizes.astype(np.int64),
        np.cumsum(classes),
        summed(own).astype(np.int64),
        summed(own * own),
        [*spared, *spared][:2],
        any(bool(model.violates(groups)[~real].any()) for model in demand.models if covers_absent(model)),
    )


def _largest_k(groups: Grouped, demand: Demand) -> Integers:
    """For each group of rows the largest k of k-anonymity that it satisfies; 0 if it violates another model."""
    largest = groups.sizes.copy()
    for model in demand.models:
        if isinstance(model, DistinctPersons):
            largest = np.minimum(largest, model.persons_of(groups))
        elif not isinstance(model, KAnonymity):
            largest[model.violates(groups)] = 0
    return largest
