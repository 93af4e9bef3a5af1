"""The answer of a full-domain search: the node picked by the objective among those that satisfy the requirement.

With several quasi-identifiers (QIDs), each has its own demand (Fung, Wang, Yu 2007, Definition 1). A node of the whole
lattice satisfies a QID's demand if its projection on the QID's attributes is k-anonymous in the lattice of these
attributes alone: each QID is searched by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from starcloak.base.errors import RequirementError
from starcloak.job.result import IterationDone, Search
from starcloak.privacy.requirement import Demand, Requirement
from starcloak.search.algorithm import Answer, SearchContext
from starcloak.search.lattice import exhaustive, lattice, objective
from starcloak.search.lattice.lattice import Found, Iteration, Lattice, Tally
from starcloak.star import star as stars
from starcloak.star.recoding.full_domain import recode
from starcloak.star.star import Node, Star
from starcloak.statements.statement import Joined, Name, Number, Statement, lines


@dataclass(frozen=True)
class Projection:
    """A quasi-identifier (QID) of the job with its demand, and the star over its attributes alone.

    ``positions`` are the indices of its attributes in the whole star, from 0.
    """

    star: Star
    positions: tuple[int, ...]
    demand: Demand

    @property
    def lattice(self) -> Lattice:
        return Lattice(self.star.heights)

    def node(self, whole: Node) -> Node:
        """The node of the QID's lattice with the same levels as a node of the whole lattice."""
        levels = tuple(whole.levels[position] for position in self.positions)
        return Node(self.lattice.number(levels), tuple(range(1, len(levels) + 1)), levels)


def projections_of(star: Star, demands: Sequence[Demand]) -> list[Projection]:
    """The projection of a star for each demand: on all attributes the same star, otherwise a new, smaller star."""
    names = star.attributes
    projections = []
    for number, demand in enumerate(demands, 1):
        positions = tuple(position for position, name in enumerate(names) if name in demand.attributes)
        whole = len(positions) == len(names)
        projections.append(
            Projection(star if whole else stars.project(star, positions, number=number), positions, demand)
        )
    return projections


def satisfying_nodes(star: Star, projections: Sequence[Projection], anonymous: Sequence[Name]) -> Statement:
    """The statement of the whole lattice's nodes, by number, with k-anonymous projections on every QID.

    ``anonymous`` has the relation of k-anonymous nodes of each QID's lattice, one per projection.
    """
    whole = Lattice(star.heights)
    joins = (
        Statement(
            "search/lattice/satisfying#projection",
            anonymous=nodes,
            qid=Name(f"qid_{place}"),
            number=_number(whole, projection),
        )
        for place, (projection, nodes) in enumerate(zip(projections, anonymous, strict=True), 1)
    )
    every = Statement("search/lattice/nodes#every", size=Number(whole.size))
    return Statement("search/lattice/satisfying", every=every, projections=lines(joins))


def _number(whole: Lattice, projection: Projection) -> Joined:
    """The expression of a projection's node number in its QID's lattice, from the node number in the whole lattice."""
    steps = (
        Statement(
            "search/lattice/satisfying#projected_level",
            stride=Number(whole.strides[position]),
            levels=Number(whole.heights[position] + 1),
            step=Number(step),
        )
        for position, step in zip(projection.positions, projection.lattice.strides, strict=True)
    )
    return Joined(tuple(steps), " + ")


_TOLD = 100  # nodes that satisfy the requirement, by their levels


def answer(
    star: Star,
    requirement: Requirement,
    run: SearchContext,
    search: Callable[..., Found],
    best: Callable[..., Found] | None = None,
) -> Answer:
    """The recoding by the best of all nodes that satisfy the requirement, by the objective.

    ``search`` finds all nodes that satisfy one demand. ``best``, if given, replaces ``search`` for a requirement of a
    single demand; it may omit nodes of higher cost. Raises :class:`RequirementError` if no node satisfies the
    requirement.
    """
    return choose(star, requirement, run, every(star, requirement, search, best))


def choose(star: Star, requirement: Requirement, run: SearchContext, nodes: Found) -> Answer:
    """The recoding by the best of the nodes found by a search. Raises :class:`RequirementError` if none was found."""
    if not nodes.count:
        raise RequirementError(
            f"no generalization of {run.label} satisfies the requirement: weaken the requirement, or allow more "
            "suppression"
        )
    demand = requirement.joint(star.attributes)
    allowed = requirement.allowance(star.rows)
    if nodes.best:
        node = nodes.lattice.node(nodes.lattice.number(nodes.best))
    else:
        node = objective.choose(star, nodes, run.objective, demand=demand, allowed=allowed)
    if star.distant is not None:
        star = star.distant.home(star, node.levels)
    return Answer(star, recode(star, node, demand=demand, seed=run.seed), search_of(star, nodes))


def every(
    star: Star, requirement: Requirement, search: Callable[..., Found], best: Callable[..., Found] | None = None
) -> Found:
    """All nodes that satisfy every demand of the requirement; ``search`` and ``best`` as in :func:`answer`.

    Sound and complete if ``search`` is sound and complete for each demand: the value groups of a node over the
    attributes of a QID are the groups of its projection, and its projection is a node of the QID's lattice.
    """
    projections = projections_of(star, requirement.demands)
    if len(projections) == 1:
        demand, allowed = projections[0].demand, requirement.allowance(star.rows)
        if not demand.prunable(allowed):
            return exhaustive.find(star, demand, allowed=allowed, bound=search)
        return (best or search)(star, demand, allowed=allowed)
    tally = tally_of(star, projections)
    lattice.lattice_of(star)
    anonymous: list[Name] = []
    iterations: list[Iteration] = []
    for number, part in enumerate(projections, 1):
        nodes = search(part.star, part.demand, allowed=0)
        tally.add(nodes.effort)
        iterations += nodes.iterations
        anonymous.append(Name(f"anonymous_{number}"))
        star.session.create(anonymous[-1], Statement("store/relation", relation=nodes.anonymous))
    numbers = satisfying_nodes(star, projections, anonymous)
    return lattice.collect(star, numbers, complete=True, effort=tally.effort(), iterations=tuple(iterations))


def tally_of(star: Star, projections: Sequence[Projection]) -> Tally:
    """A new tally of a search's effort; each projection on fewer attributes counts as one read of the star."""
    tally = Tally(star.session)
    for part in projections:
        if part.star is not star:
            tally.scans += 1
            tally.rows += star.combinations
    return tally


def search_of(star: Star, nodes: Found) -> Search:
    """Details of a full-domain search for the job's result: its effort, and levels of satisfying and minimal nodes."""
    names = star.attributes
    lowest = (nodes.lattice.node(int(number)).levels for number in nodes.numbers[:_TOLD])
    return Search(
        lattice_nodes=star.lattice_nodes,
        checked=nodes.effort.checked,
        statements=nodes.effort.statements,
        scans=nodes.effort.scans,
        rows_aggregated=nodes.effort.rows,
        complete=nodes.complete,
        pruned=nodes.pruned,
        anonymous_nodes=nodes.count,
        minimal=[list(node.levels) for node in nodes.minimal],
        minimal_levels=[dict(zip(names, node.levels, strict=True)) for node in nodes.minimal],
        anonymous_levels=[dict(zip(names, levels, strict=True)) for levels in lowest],
        iterations=[IterationDone(**vars(iteration)) for iteration in nodes.iterations],
    )
