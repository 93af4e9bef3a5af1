"""Samarati's binary search on height (LeFevre, DeWitt, Ramakrishnan 2005, section 2.2; Samarati 2001)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from starcloak.privacy.requirement import Requirement
from starcloak.search.algorithm import Answer, SearchContext
from starcloak.search.lattice import full_domain, lattice
from starcloak.search.lattice.full_domain import Projection
from starcloak.search.lattice.lattice import Found, Lattice, Tally
from starcloak.search.samarati.settings import Samarati
from starcloak.star import frequency_sets, tuples
from starcloak.star.open_nodes import Levels, OpenNodes
from starcloak.star.star import Node, Star
from starcloak.star.tuples import Tuples
from starcloak.statements.statement import Statement

# Number of node numbers fetched at once, and of nodes between two reports.
_PAGE = 10_000
_TOGETHER = 64
# A frequency set of so many tuples comes home, for a lattice of so many nodes.
_AT_HAND = 500_000
_NODES = 1_000_000
# Tuples that refute nodes by themselves, at most.
_WITNESSES = 16


def search(star: Star, requirement: Requirement, settings: Samarati, run: SearchContext) -> Answer:
    """One full-domain generalization of the lowest height that satisfies the requirement.

    Samarati 2001, by binary search over the heights; LeFevre, DeWitt, Ramakrishnan 2005, section 2.2. If the
    requirement is not monotone (nodes above a satisfying node may violate it), all heights are tried from the lowest.
    Raises :class:`~starcloak.base.errors.RequirementError` if no node satisfies the requirement.
    """
    return full_domain.choose(star, requirement, run, find(star, requirement))


def find(star: Star, requirement: Requirement) -> Found:
    """One k-anonymous full-domain generalization of the lowest possible height.

    If no node of a height is k-anonymous, no node of a lower height is, so binary search finds the lowest. If the
    requirement does not imply this, as for most models with suppression, the heights are tried one by one. The nodes of
    a height are checked in the order of levels until one of them is k-anonymous. They are counted over the frequency
    set in memory; rare tuples and refuted nodes above refute many nodes without a count. If this frequency set is too
    large, nodes are counted from the star, some dozens in a statement. The check is a GROUP BY and not Samarati's
    matrix of distance vectors, as in the paper's second footnote. With several QIDs a node's projections are checked,
    each shared projection once.
    """
    projections = full_domain.projections_of(star, requirement.demands)
    allowed, tally = requirement.allowance(star.rows), full_domain.tally_of(star, projections)
    whole = lattice.lattice_of(star)
    check = _Check(star, whole, projections, allowed, tally)
    low, high = 0, sum(whole.heights)
    best: int | None = None
    if not all(part.demand.prunable(allowed) for part in projections):  # a node above may satisfy it, this one not
        while best is None and low < high:
            best, low = check.first(low), low + 1
        high = low
    while low < high:
        middle = (low + high) // 2
        number = check.first(middle)
        if number is None:
            low = middle + 1
        else:
            high, best = middle, number
    if best is None:
        best = check.first(low)
    return lattice.collect(
        star, Statement("search/lattice/nodes#single"), {"number": best}, complete=False, effort=tally.effort()
    )


@dataclass
class _Check:
    """Checks of nodes over all QIDs (projections).

    ``verdicts`` has, per projection, the verdicts so far, by the node number in the projection's lattice. ``at_hand``
    has the frequency set of each projection in memory, or None if it is too large.
    """

    star: Star
    whole: Lattice
    projections: Sequence[Projection]
    allowed: int
    tally: Tally
    verdicts: list[dict[int, bool]] = field(init=False)
    at_hand: list[_AtHand | None] = field(init=False)

    def __post_init__(self) -> None:
        self.verdicts = [{} for _ in self.projections]
        self.at_hand = [_AtHand.of(part, self.allowed, self.tally) for part in self.projections]

    def first(self, height: int) -> int | None:
        """The number of the first k-anonymous node of a height; None without one."""
        numbers = self._numbers(height)
        together = _TOGETHER
        for part, here in zip(self.projections, self.at_hand, strict=True):
            together = min(together, frequency_sets.at_once(part.star) if here is None else _TOGETHER)
        while nodes := [self.whole.node(number) for number in islice(numbers, together)]:
            self.star.session.report(
                f"search: height {self.star.hierarchy_height(height)} of "
                f"{self.star.hierarchy_height(sum(self.whole.heights))}, {self.tally.checked:,} nodes checked"
            )
            for place, here in enumerate(self.at_hand):
                if here is None:
                    nodes = self._anonymous(nodes, place)
            for node in nodes:
                if all(self._holds(node, place) for place, here in enumerate(self.at_hand) if here is not None):
                    return node.id
        return None

    def _holds(self, node: Node, place: int) -> bool:
        """True if a node is k-anonymous over the QID with index ``place``, by the frequency set in memory."""
        projected, verdicts, here = self.projections[place].node(node), self.verdicts[place], self.at_hand[place]
        assert here is not None
        if projected.id not in verdicts:
            verdicts[projected.id] = here.holds(projected.levels)
        return verdicts[projected.id]

    def _anonymous(self, nodes: list[Node], place: int) -> list[Node]:
        """Those of some nodes that are k-anonymous over the QID with index ``place``, counted from the star."""
        session, projection, verdicts = self.star.session, self.projections[place], self.verdicts[place]
        projected = [projection.node(node) for node in nodes]
        new = {node.id: node for node in projected if node.id not in verdicts}
        if new:
            counts = [frequency_sets.from_star(projection.star, node) for node in new.values()]
            self.tally.count(counts)
            of_batch = frequency_sets.shortfall_of(frequency_sets.count_all(counts), projection.demand)
            verdict = Statement("search/lattice/verdict#batch", shortfall=of_batch)
            verdicts |= dict(session.run(verdict, {"allowed": self.allowed}))
        return [node for node, projected_node in zip(nodes, projected, strict=True) if verdicts[projected_node.id]]

    def _numbers(self, height: int) -> Iterator[int]:
        """The numbers of the nodes of a height, fetched by pages: a lattice may have millions of them."""
        page = Statement("search/lattice/nodes#at_height", nodes=lattice.every(self.whole))
        after = -1
        while numbers := self.star.session.run(page, {"height": height, "after": after, "page": _PAGE}):
            yield from (number for (number,) in numbers)
            ((after,),) = numbers[-1:]


@dataclass
class _AtHand:
    """The frequency set of a QID (projection) in memory, and the verdicts on nodes of its lattice so far."""

    projection: Projection
    allowed: int
    tally: Tally
    nodes: OpenNodes
    tuples: Tuples

    @classmethod
    def of(cls, projection: Projection, allowed: int, tally: Tally) -> _AtHand | None:
        """Load the frequency set of a QID; None if the frequency set or the QID's lattice is too large for memory."""
        star, nodes = projection.star, projection.lattice.size
        if star.combinations > _AT_HAND or nodes > _NODES:
            return None
        open = OpenNodes(star.heights)
        tally.scans += 1
        tally.rows += star.combinations
        here = tuples.fetch(star, open, open.everything, climbs=tuples.climbs(star))
        demand = projection.demand
        if not allowed and demand.prunable(allowed) and here.refutes(demand):
            for witness in here.rare(_WITNESSES, demand=demand).tolist():
                open.refute(here.refute(witness, demand=demand), open.everything)
        return cls(projection, allowed, tally, open, here)

    def holds(self, levels: Levels) -> bool:
        """True if the node at these levels is k-anonymous; counted only without an earlier verdict."""
        if not self.nodes.open[levels]:
            return bool(self.nodes.anonymous[levels])
        demand, before = self.projection.demand, self.tuples.rows
        holds = self.tuples.outliers(levels, demand=demand, allowed=self.allowed) <= self.allowed
        self.tally.checked += 1
        self.tally.rows += self.tuples.rows - before
        if demand.prunable(self.allowed):
            self.nodes.settle(levels, anonymous=holds)
        return holds
