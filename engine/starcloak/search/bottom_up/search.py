"""Bottom-up breadth-first search of the whole lattice (LeFevre, DeWitt, Ramakrishnan 2005, section 2.2)."""

from __future__ import annotations

from functools import partial

from starcloak.privacy.requirement import Demand, Requirement
from starcloak.search.algorithm import Answer, SearchContext
from starcloak.search.bottom_up.settings import BottomUp
from starcloak.search.lattice import breadth_first, full_domain, lattice
from starcloak.search.lattice.breadth_first import VERDICTS
from starcloak.search.lattice.lattice import Found, Graph, Tally
from starcloak.star import rollups
from starcloak.star.star import Star
from starcloak.statements.statement import Name, Statement

_SURVIVORS = Name("survivors")


def search(star: Star, requirement: Requirement, settings: BottomUp, run: SearchContext) -> Answer:
    """The best of all full-domain generalizations that satisfy the requirement, bottom-up.

    LeFevre, DeWitt, Ramakrishnan 2005, section 2.2: the nodes of the lattice are checked in order of height, except
    generalizations of a satisfying node. Raises :class:`~starcloak.base.errors.RequirementError` if no node satisfies
    the requirement, and :class:`~starcloak.base.errors.JobError` for a lattice that is too large.
    """
    if requirement.as_set:
        from starcloak.search.bottom_up import histories

        return histories.answer(star, requirement, run)
    return full_domain.answer(star, requirement, run, partial(find, rollup=settings.rollup))


def find(star: Star, demand: Demand, *, allowed: int, rollup: bool) -> Found:
    """All k-anonymous full-domain generalizations, by a breadth-first search from the least general one.

    The search does not stop at the first k-anonymous node, as in section 4. With ``rollup``, a node's frequency set is
    rolled up from a node directly beneath; otherwise every node is counted from the star. As in the search of Figure 8,
    the direct generalizations of a k-anonymous node are marked and not checked; a node above a marked one may be
    encountered, and checked, again. Counted this way, Adult with three attributes and k = 2 takes the 14 nodes of
    section 4.2.1.

    Sound and complete by the generalization property: no node beneath a non-k-anonymous node is k-anonymous, so the
    search encounters every node that is not k-anonymous; the remaining nodes are k-anonymous.
    """
    whole = lattice.lattice_of(star)
    session = star.session
    tally = Tally(session)
    packing = rollups.pack(star)
    if rollup:
        tally.pack_star(packing)
    graph = Graph(Name("lattice_nodes"), Name("lattice_edges"))
    lattice.steps(session, whole)
    # Views: of a large lattice only the heights that are being searched are ever held.
    session.create_view(graph.nodes, lattice.whole_graph(packing, whole))
    raises = Statement("search/lattice/whole#raises", nodes=graph.nodes, attributes=lattice.ATTRIBUTES)
    session.create_view(graph.edges, raises)
    breadth_first.prepare(session)
    breadth_first.search(
        packing,
        graph,
        iteration=len(star.dimensions),
        roots=breadth_first.from_star,
        demand=demand,
        allowed=allowed,
        tally=tally,
        rollup=rollup,
    )
    session.create(_SURVIVORS, Statement("search/lattice/survivors", nodes=graph.nodes, verdicts=VERDICTS))
    numbers = Statement("search/lattice/nodes#numbers", nodes=_SURVIVORS, attributes=lattice.ATTRIBUTES)
    return lattice.collect(star, numbers, complete=True, effort=tally.effort())
