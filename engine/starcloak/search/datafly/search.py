"""Datafly: a greedy search for one generalization (Sweeney 2002, cited in section 6 of LeFevre et al. 2005)."""

from __future__ import annotations

from dataclasses import dataclass

from starcloak.base.errors import RequirementError
from starcloak.job.algorithms import LARGEST_NUMBERED
from starcloak.privacy.requirement import Requirement
from starcloak.search.algorithm import Answer, SearchContext
from starcloak.search.datafly.settings import Datafly
from starcloak.search.lattice import full_domain, lattice
from starcloak.search.lattice.full_domain import Projection
from starcloak.search.lattice.lattice import Found, Tally
from starcloak.star import frequency_sets
from starcloak.star.frequency_sets import Count
from starcloak.star.star import Node, Star
from starcloak.statements.statement import Name, Statement, columns


def search(star: Star, requirement: Requirement, settings: Datafly, run: SearchContext) -> Answer:
    """One full-domain generalization that satisfies the requirement, found greedily.

    Sweeney 2002, as described by LeFevre, DeWitt, Ramakrishnan 2005, section 6: the attribute with the most distinct
    values is generalized by one level, again and again, until at most the allowed rows are outliers. Raises
    :class:`~starcloak.base.errors.RequirementError` if no node on this way satisfies the requirement. Another node may
    still satisfy the requirement, if it is not monotone.
    """
    nodes = find(star, requirement)
    if not nodes.count:  # where more of a generalization need not hold, its one way may pass by what does
        raise RequirementError(
            f"datafly found no generalization of {run.label} that satisfies the requirement: try algorithm: witness, "
            "which examines all generalizations"
        )
    return full_domain.choose(star, requirement, run, nodes)


def find(star: Star, requirement: Requirement) -> Found:
    """One k-anonymous full-domain generalization; it need not be minimal.

    Sweeney's heuristic: while the outliers, the rows in value groups of fewer than k, exceed the allowed suppression,
    generalize the attribute with the *most* distinct values in the frequency set by one level; of equals the first in
    the job's order, and never an attribute at its top. Sweeney suppresses up to k rows; here the job gives the share of
    rows that may be suppressed. Each frequency set is rolled up from the frequency set of the node before. With several
    QIDs only attributes of QIDs that still have outliers are generalized.
    """
    projections = full_domain.projections_of(star, requirement.demands)
    allowed, tally = requirement.allowance(star.rows), full_domain.tally_of(star, projections)
    whole = lattice.lattice_of(star, largest=LARGEST_NUMBERED)
    session = star.session
    node = whole.node(0)
    sets = [_Counted(projection, number, projection.node(node)) for number, projection in enumerate(projections, 1)]
    for current in sets:
        current.count(frequency_sets.from_star(current.projection.star, current.node), tally)
    reached: int | None = node.id
    while violating := [current for current in sets if current.outliers > allowed]:
        height, highest = map(star.hierarchy_height, (node.height, sum(whole.heights)))
        session.report(f"search: height {height} of {highest}")
        distinct: dict[int, int] = {}
        for current in violating:
            distinct |= current.distinct()
        rising = [position for position in sorted(distinct) if node.levels[position] < whole.heights[position]]
        if not rising:
            reached = None
            break
        widest = max(rising, key=lambda position: distinct[position])
        node = whole.node(node.id + whole.strides[widest])
        reached = node.id
        for current in sets:
            if widest in current.projection.positions:
                current.climb(node, tally)
    return lattice.collect(
        star, Statement("search/lattice/nodes#single"), {"number": reached}, complete=False, effort=tally.effort()
    )


@dataclass
class _Counted:
    """The frequency set of one QID at the current node of the search.

    ``number`` counts the QIDs from 1. ``groups`` is the number of value groups, ``outliers`` the rows in violating
    ones.
    """

    projection: Projection
    number: int
    node: Node
    groups: int = 0
    outliers: int = 0

    @property
    def table(self) -> Name:
        return Name(f"frequency_{self.number}_{self.node.height % 2}")

    def count(self, count: Count, tally: Tally) -> None:
        session = self.projection.star.session
        session.create(self.table, count.statement)
        tally.count([count])
        _, self.groups, _, self.outliers = session.row(frequency_sets.shortfall(self.table, self.projection.demand))

    def climb(self, whole: Node, tally: Tally) -> None:
        """Move to a node of the whole lattice: roll the frequency set up to the node's projection on this QID."""
        above = self.projection.node(whole)
        statement = frequency_sets.rollup(self.projection.star, above, beneath=self.node, below=self.table)
        self.node, groups = above, self.groups
        self.count(Count(statement, groups, from_star=False), tally)

    def distinct(self) -> dict[int, int]:
        """Number of distinct values of each attribute at the current node, by its position in the whole lattice."""
        values = columns(
            Statement("star/frequency/distinct#values", value=Name(f"value_{position}"))
            for position in self.node.dimensions
        )
        statement = Statement("star/frequency/distinct", values=values, frequency=self.table)
        return dict(zip(self.projection.positions, self.projection.star.session.row(statement), strict=True))
