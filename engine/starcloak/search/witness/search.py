"""Witness search: all k-anonymous full-domain generalizations, as in Incognito, from far fewer counts.

One tuple refutes many nodes at once: its value group at a node has the tuples coinciding with it at the node's levels
or below. If these have fewer than k rows, the node is not k-anonymous.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import islice
from math import prod
from operator import le
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from starcloak.job.algorithms import LARGEST_SEARCHED
from starcloak.privacy.requirement import Demand, Requirement
from starcloak.search.algorithm import Answer, SearchContext
from starcloak.search.lattice import full_domain, lattice, objective
from starcloak.search.lattice.lattice import Found, Lattice, Tally
from starcloak.search.witness.settings import Witness
from starcloak.star import frequency_sets, tuples
from starcloak.star.keys import Integers
from starcloak.star.open_nodes import Box, Levels, OpenNodes, between, meet
from starcloak.star.star import Node, Star
from starcloak.star.tuples import Tuples
from starcloak.statements.statement import Name, Statement, union_all

if TYPE_CHECKING:
    from starcloak.job import Objective
    from starcloak.search.lattice.cheapest import Cheapest
    from starcloak.search.witness.likely import Likely
    from starcloak.star.star import RemoteCounts

_Asked = TypeVar("_Asked")
_Told = TypeVar("_Told")

_COUNTED = Name("counted")

# A frequency set of so many tuples comes home, for a box of so many nodes.
_AT_HAND = 200_000
# The same where every one costs a distant host a statement over all rows, and where no witness refutes.
_LARGEST = 2_000_000
# How many nodes one statement counts at a distant host.
_TOGETHER = 16
# So many open nodes have their verdicts there; of more, those that may be the best.
_EVERY = 64
# Statements that bring samples before the first of those: one of groups as they come, two of rare ones.
_SAMPLES = 3
_BOX = 1_000_000
# Threads share the counts over a frequency set of so many tuples: over a smaller one they would wait for each other.
_SHARED = 100_000
# Witnesses against the open nodes of a frequency set at hand, at most.
_WITNESSES = 16
# Verdicts at hand between two choices of nodes, at least.
_ROUND = 48
# The best alone is searched at home where rows may be left out, from so many tuples times nodes on.
_DEAR = 200_000_000
# Open nodes that are worth a witness, or another verdict between two choices.
_SHARE = 64
# Verdicts between two choices where the best alone is searched, at least, and so many that they take about as long: a
# choice looks at every node so many times as a count does at every tuple.
_ROUND_OF_BEST, _LOOKS = 16, 4


def search(star: Star, requirement: Requirement, settings: Witness, run: SearchContext) -> Answer:
    """The best of all full-domain generalizations that satisfy the requirement, by witness search.

    The search is of no paper: it decides every node of LeFevre, DeWitt, Ramakrishnan 2005, by tuples that refute many
    nodes at once. In a lattice too large for it, the answer is the best node of a local search, and :class:`JobError`
    is raised if the combinations are too many for the working store. Raises
    :class:`~starcloak.base.errors.RequirementError` if no node satisfies the requirement.
    """
    if star.lattice_nodes > LARGEST_SEARCHED and star.distant is None:
        from starcloak.search.witness import local_search  # which few lattices need

        return local_search.answer(star, requirement, run, find)
    return full_domain.answer(star, requirement, run, find, partial(find, objective=run.objective))


def find(star: Star, demand: Demand, *, allowed: int, objective: Objective | None = None) -> Found:
    """All nodes of the lattice that satisfy a demand; ``allowed`` is the maximum suppression threshold in rows.

    LeFevre, DeWitt, Ramakrishnan 2005, section 2.1, call such a node "k-anonymous", and so does this text.

    Sound: a node is marked k-anonymous only after its own outliers, or those of a node it generalizes, were counted and
    found to be allowed. Merging value groups never adds outliers (section 3, generalization property): a superset of a
    satisfying group satisfies the demand. A node is refuted only by such a count at a node that generalizes it, or by a
    witness: a tuple whose value group at the node, counted over all tuples, violates the demand, with no suppression
    allowed. Each count equals a GROUP BY over the star, since it is rolled up from a frequency set beneath (rollup
    property). Complete: every node is open at first, only a verdict closes it, and the search ends when none is open.

    Few counts: the next node is the one that closes the most nodes by either verdict. With suppression and slow counts,
    the verdict expected from earlier counts decides. Cheap counts: the lattice is halved into boxes (ranges of levels
    per attribute), until the frequency set of the node beneath all open nodes of a box is small. This set is loaded as
    arrays.

    The result omits some satisfying nodes in two cases, but never the best one. First, if each count is one over all
    rows of a distant source, many nodes are open, and the ``objective`` gives their costs before any count. Second, in
    memory, if many tuples would be counted at many nodes and suppressed rows have a cost.
    """
    with ThreadPoolExecutor(star.session.threads) as threads:
        return _Search(star=star, demand=demand, allowed=allowed, objective=objective, threads=threads).find()


@dataclass(kw_only=True)
class _Search:
    star: Star
    demand: Demand
    allowed: int
    objective: Objective | None
    threads: ThreadPoolExecutor
    lattice: Lattice = field(init=False)
    nodes: OpenNodes = field(init=False)
    tally: Tally = field(init=False)
    # With suppression, the number of suppressed rows at one node predicts the verdict at others.
    likely: Likely | None = field(init=False, default=None)
    # So many tuples of a frequency set come home: those of a distant star also once it is here.
    at_hand: int = field(init=False)
    # About how many value groups nodes have.
    groups: dict[Levels, float] = field(init=False, default_factory=dict)
    # How many values an attribute has at a level.
    values: dict[tuple[int, int], int] = field(init=False, default_factory=dict)
    # Nodes that have no verdict, since they cannot be the best.
    passed_by: int = field(init=False, default=0)
    # The order that selects it, if only the best node is searched.
    cheapest: Cheapest | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.lattice = lattice.lattice_of(self.star)
        self.nodes = OpenNodes(self.star.heights)
        self.tally = Tally(self.star.session)
        if self.allowed:
            from starcloak.search.witness.likely import Likely

            self.likely = Likely(self.star.heights, self.allowed)
        self.at_hand = _AT_HAND if self.star.distant is None and not self.allowed else _LARGEST
        if self.allowed and self.star.distant is None and self.star.combinations * self.lattice.size >= _DEAR:
            self.cheapest = self._cheapest()

    def find(self) -> Found:
        if self.star.combinations > self.at_hand or self.nodes.open.size > _BOX:
            self._settle_alone()
        if self.star.distant is not None:
            self._settle_distant(self.star.distant)
        self._settle(self.nodes.everything)
        marked = self.nodes.anonymous
        return lattice.collect(
            self.star,
            Statement("search/lattice/nodes#marked"),
            {"nodes": marked.size, "marks": np.packbits(marked).tobytes()},
            complete=not self.passed_by,
            effort=self.tally.effort(),
            best=self.cheapest.best() if self.cheapest else None,
        )

    def _settle_distant(self, distant: RemoteCounts) -> None:
        """Find the verdicts on nodes, many at once, until the frequency set beneath all remaining nodes may be loaded.

        Samples refute nodes first. If many nodes remain, counts of nodes with low cost alternate with further samples,
        and nodes that cannot be the best are closed without a verdict.
        """
        from starcloak.search.witness import samples

        everything = self.nodes.everything
        refuting = samples.refuting(self.star, distant, self.nodes, self.demand, self.allowed, self._climbs)
        cheapest = self._cheapest()
        for _ in islice(refuting, None if cheapest is None else _SAMPLES):
            pass
        if self.nodes.count(everything) <= _EVERY:
            cheapest = None
        is_counted = False
        while self.nodes.count(everything) and self._about(meet(self.nodes.span(everything))) > _LARGEST:
            self._report()
            if is_counted:
                is_counted = False
                next(refuting, None)
                continue
            picked = cheapest.nodes(_TOGETHER) if cheapest else self._likely_nodes(_TOGETHER, everything)
            counts = distant.outliers([self._node(levels) for levels in picked], self.demand)
            for levels, outliers in zip(picked, counts, strict=True):
                self._settle_one(levels, outliers)
            self._note_scans(len(picked), checked=len(picked))
            if cheapest:
                self.passed_by += cheapest.pass_by()
                is_counted = True
        if cheapest and self.nodes.count(everything):
            self._come_home(distant, cheapest)

    def _come_home(self, distant: RemoteCounts, cheapest: Cheapest) -> None:
        """Load the frequency set of the node beneath all remaining nodes into the working store.

        If it is small enough, the set of a node that is also beneath the best known node is loaded instead: then that
        node, too, can be counted in memory.
        """
        left = meet(self.nodes.span(self.nodes.everything))
        costs = cheapest.known()
        for node in (left if costs is None else tuple(map(min, left, costs)), left):
            if self._about(distant.beneath(self.star, node)) <= _LARGEST:
                self.star = distant.home(self.star, node)
                return

    def _cheapest(self) -> Cheapest | None:
        """The search for the node with the least cost; None if bounds of the costs are unknown before counts."""
        if self.objective is None or self.nodes.open.size > _BOX:
            return None
        from starcloak.search.lattice.cheapest import Cheapest

        cost = objective.costs_of(self.star, self.objective, k=self.demand.k, allowed=self.allowed)
        if cost.steps is None or (self.star.distant is None and not cost.most):
            return None
        return Cheapest(self.nodes, cost, objective.tie_order(self.star), allowed=self.allowed)

    def _settle(self, box: Box) -> None:
        """Find the verdict on every node of a box (a range of levels per attribute).

        If the frequency set of the node beneath all open nodes of the box is small, it is loaded. Otherwise the box is
        halved. The upper half is first: it has smaller frequency sets, and a refuted node there also refutes nodes of
        the lower half.
        """
        if not self.nodes.count(box):
            return
        box = self.nodes.span(box)
        small = prod(side.stop - side.start for side in box) <= _BOX
        if small and self._about(meet(box)) <= self.at_hand:
            self._settle_at_hand(box)
        elif self.nodes.count(box) == 1:
            self._settle_node(meet(box))
        else:
            attribute, middle = self._halve(box)
            self._settle(between(box, attribute, middle, box[attribute].stop))
            self._settle(between(box, attribute, box[attribute].start, middle))

    def _settle_at_hand(self, box: Box) -> None:
        here = self._fetch(box)
        if self.nodes.open[meet(box)]:
            self._count_at_hand(here, [meet(box)])
        if not self.allowed and here.refutes(self.demand):
            witnesses = here.rare(min(_WITNESSES, self.nodes.count(box) // _SHARE), demand=self.demand)
            refuted = list(self._share(partial(here.refute, demand=self.demand), witnesses.tolist(), here))
            if refuted:
                self.nodes.refute(np.logical_or.reduce(refuted), box)
        if self.cheapest:
            self._settle_best(self.cheapest, here, box)
        while open := self.nodes.count(box):
            self._report()
            if self.likely and len(here) >= _SHARED:  # where counts are cheap a guess would take longer
                picked = self._likely_nodes(_ROUND, box)
            else:
                picked = self.nodes.telling_nodes(max(_ROUND, open // _SHARE), box)
            self._count_at_hand(here, picked)
        self.tally.rows += here.rows

    def _settle_best(self, cheapest: Cheapest, here: Tuples, box: Box) -> None:
        """Search the best node of a box: find verdicts of nodes that may be the best, and costs of satisfying nodes.

        Nodes with a bound above a known cost are closed without a verdict.
        """
        together = max(_ROUND_OF_BEST, _LOOKS * self.lattice.size // len(here))
        while (open := self.nodes.count(box)) or cheapest.promising(box):
            self._report()
            if open:
                self._count_at_hand(here, self._likely_nodes(together, box))
            if levels := cheapest.promising(box):
                cheapest.score(levels, here.count(levels, demand=self.demand))
            self.passed_by += cheapest.pass_by()

    def _count_at_hand(self, here: Tuples, picked: list[Levels]) -> None:
        """Count the outliers of nodes in a loaded frequency set, and record the verdicts.

        None of the nodes generalizes another one.
        """
        counted = list(self._share(partial(here.outliers, demand=self.demand, allowed=self.allowed), picked, here))
        for levels, outliers in zip(picked, counted, strict=True):
            self._settle_one(levels, outliers)
        self.tally.checked += len(picked)

    def _share(self, ask: Callable[[_Asked], _Told], questions: Iterable[_Asked], here: Tuples) -> Iterator[_Told]:
        """Results of ``ask`` for each of ``questions``, in order; threads share the work over a large frequency set."""
        return (self.threads.map if len(here) >= _SHARED else map)(ask, questions)

    def _settle_node(self, levels: Levels) -> None:
        """Find the verdict on a node by a statement: its frequency set is too large for memory."""
        self._report()
        session = self.star.session
        session.create(_COUNTED, frequency_sets.recount(self.star, self._node(levels)))
        *_, outliers = session.row(frequency_sets.shortfall(_COUNTED, self.demand))
        session.drop(_COUNTED)
        self._settle_one(levels, outliers)
        self._note_scans(checked=1)

    def _likely_nodes(self, limit: int, box: Box) -> list[Levels]:
        """Up to ``limit`` open nodes of a box with verdicts expected to close the most nodes.

        With suppression, earlier counts give the probability of each verdict.
        """
        return self.nodes.telling_nodes(limit, box, self.likely.of(box) if self.likely else None)

    def _settle_one(self, levels: Levels, outliers: int) -> None:
        """Record the verdict on a node with a number of rows to suppress (``outliers``)."""
        self.nodes.settle(levels, anonymous=outliers <= self.allowed)
        if self.likely:
            self.likely.note(levels, outliers)

    def _settle_alone(self) -> None:
        """Count all nodes with all attributes but one at their tops, by a single statement.

        The counts are of one attribute alone. They are verdicts unless another attribute has several values at its top.
        """
        session = self.star.session
        marginals = union_all(tuples.marginal(self.star, dimension) for dimension in self.star.dimensions)
        statement = Statement(
            "search/witness/alone",
            marginals=marginals,
            generalization=self.star.generalization,
            merged=self.star.merged,
            violating=self.demand.violating,
            rows=self.demand.rows,
        )
        dimensions, checked = self.star.dimensions, 0
        for position, level, values, outliers in session.run(statement):
            self.values[position - 1, level] = values
            if any(dimension.capped and dimension.position != position for dimension in dimensions):
                continue
            levels = list(self.star.heights)
            levels[position - 1] = level
            self._settle_one(tuple(levels), outliers)
            checked += 1
        self._note_scans(len(dimensions), checked=checked)

    def _halve(self, box: Box) -> tuple[int, int]:
        """The attribute and the level to halve a box at: the one with the greatest reduction of distinct values."""
        middles = [
            (attribute, (side.start + side.stop) // 2)
            for attribute, side in enumerate(box)
            if side.stop - side.start > 1
        ]
        return min(middles, key=lambda place: self.values[place] / self.values[place[0], box[place[0]].start])

    def _about(self, levels: Levels) -> float:
        """Number of value groups of the node at these levels: an upper bound, or an estimate by a statement."""
        if self.star.combinations <= self.at_hand:
            return self.star.combinations
        most = prod(float(self.values[place]) for place in enumerate(levels))
        # A node has no fewer value groups than one that generalizes it.
        least = max((groups for node, groups in self.groups.items() if all(map(le, levels, node))), default=0)
        if most <= self.at_hand or least > self.at_hand:
            return most
        groups = tuples.about(self.star, levels)
        self.tally.scans += 1
        self.groups[levels] = groups
        return self.groups[levels]

    def _fetch(self, box: Box) -> Tuples:
        """Load the frequency set of the lowest node of a box."""
        # Few nodes are counted for the best alone: they share no rollups.
        nodes = None if self.cheapest else self.nodes
        fetched = tuples.fetch(self.star, nodes, box, climbs=self._climbs)
        self._note_scans()
        return fetched

    @cached_property
    def _climbs(self) -> list[list[Integers]]:
        """By attribute and level, an array with the ancestor of every leaf, by the leaf's code."""
        return tuples.climbs(self.star)

    def _node(self, levels: Levels) -> Node:
        return tuples.node(self.star, levels)

    def _note_scans(self, scans: int = 1, *, checked: int = 0) -> None:
        self.tally.checked += checked
        self.tally.scans += scans
        self.tally.rows += scans * self.star.combinations

    def _report(self) -> None:
        open = self.nodes.count(self.nodes.everything)
        self.star.session.report(f"search: {open:,} of {self.lattice.size:,} nodes are not yet judged")
