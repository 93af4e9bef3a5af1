"""Samarati's binary search on height (LeFevre, DeWitt, Ramakrishnan 2005, section 2.2; Samarati 2001)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from starcloak import frequency
from starcloak.frequency import Node
from starcloak.privacy.requirement import Requirement
from starcloak.search.algorithm import Answer, Run
from starcloak.search.samarati.settings import Samarati
from starcloak.search.shared import full_domain, lattice, projection
from starcloak.search.shared.lattice import Found, Lattice, Tally
from starcloak.search.shared.projection import Projection
from starcloak.star import Star
from starcloak.statement import Name, Statement

_BATCH = Name("batch")

# Nodes whose numbers are fetched at once.
_PAGE = 10_000


def search(star: Star, requirement: Requirement, settings: Samarati, run: Run) -> Answer:
    """One full-domain generalization of the lowest height that satisfies the requirement."""
    return full_domain.chosen(star, requirement, run, found(star, requirement))


def found(star: Star, requirement: Requirement) -> Found:
    """One k-anonymous full-domain generalization of the lowest height there is.

    Where no node of a height is k-anonymous, no node of a lower height is, so the lowest is found by halving; where the
    requirement does not say so, as with most models while rows are left out, the heights are tried one by one. The
    nodes of a height are checked from the star, some dozens in a statement, until one of them is k-anonymous; where
    several in that statement are, the first in the order of levels is taken. The check is a GROUP BY and not Samarati's
    matrix of distance vectors, as in the paper's second footnote. With several QIDs a node's projections are checked,
    those that nodes share once.
    """
    projections = projection.of(star, requirement.demands)
    allowed, tally = requirement.allowed(star.rows), full_domain.tallied(star, projections)
    whole = lattice.held(star)
    check = _Check(star, whole, projections, allowed, tally)
    low, high = 0, sum(whole.heights)
    best: int | None = None
    if not all(each.demand.prunable(allowed) for each in projections):  # what is above may do where a node does not
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
    return lattice.found(
        star, Statement("search/lattice/single"), {"number": best}, complete=False, effort=tally.effort()
    )


@dataclass
class _Check:
    """The verdicts so far: per projection, by the number in its own lattice."""

    star: Star
    whole: Lattice
    projections: Sequence[Projection]
    allowed: int
    tally: Tally
    verdicts: list[dict[int, bool]] = field(init=False)

    def __post_init__(self) -> None:
        self.verdicts = [{} for _ in self.projections]

    def first(self, height: int) -> int | None:
        """The first k-anonymous node of a height, if there is one."""
        numbers = self._numbers(height)
        together = min(frequency.at_once(projection.star) for projection in self.projections)
        while nodes := [self.whole.node(number) for number in islice(numbers, together)]:
            self.star.session.report(
                f"search: height {height} of {sum(self.whole.heights)}, {self.tally.checked:,} nodes checked"
            )
            for each, verdicts in zip(self.projections, self.verdicts, strict=True):
                nodes = self._anonymous(nodes, each, verdicts)
            if nodes:
                return nodes[0].id
        return None

    def _anonymous(self, nodes: list[Node], projection: Projection, verdicts: dict[int, bool]) -> list[Node]:
        """Those of some nodes whose projections are k-anonymous."""
        session = self.star.session
        projected = [projection.node(node) for node in nodes]
        new = {node.id: node for node in projected if node.id not in verdicts}
        if new:
            counts = [frequency.from_star(projection.star, node) for node in new.values()]
            session.create(_BATCH, frequency.count_all(counts))
            self.tally.count(counts)
            told = Statement("search/lattice/verdicts", {"shortfall": frequency.shortfall(_BATCH, projection.demand)})
            verdicts |= dict(session.run(told, {"allowed": self.allowed}))
        return [node for node, seen in zip(nodes, projected, strict=True) if verdicts[seen.id]]

    def _numbers(self, height: int) -> Iterator[int]:
        """The numbers of the nodes of a height, fetched by pages: a lattice may have millions of them."""
        page = Statement("search/lattice/at_height", {"nodes": lattice.every(self.whole)})
        after = -1
        while numbers := self.star.session.run(page, {"height": height, "after": after, "page": _PAGE}):
            yield from (number for (number,) in numbers)
            ((after,),) = numbers[-1:]
