"""Basic Incognito: all k-anonymous full-domain generalizations (LeFevre, DeWitt, Ramakrishnan 2005, section 3.1)."""

from __future__ import annotations

import logging
from collections.abc import Callable

from starcloak.privacy.requirement import Demand
from starcloak.search.lattice import breadth_first, lattice
from starcloak.search.lattice.breadth_first import CHECKED
from starcloak.search.lattice.lattice import NOTHING, Effort, Found, Graph, Iteration, Tally
from starcloak.star import frequency_sets
from starcloak.star.frequency_sets import Count
from starcloak.star.star import Node, Star
from starcloak.statements.statement import Name, Statement

log = logging.getLogger("starcloak")

_SURVIVORS = Name("survivors")

Roots = Callable[[Graph, int, Tally], Callable[[Node], Count]]


def find(star: Star, demand: Demand, *, allowed: int) -> Found:
    """Basic Incognito, node for node as in Figure 8: every root is counted from the star.

    ``allowed`` is the maximum suppression threshold in rows (section 2.1). Sound and complete (section 3.2). With such
    a threshold, the generalization, rollup and subset properties hold if every superset of a satisfying group satisfies
    the demand, as for k-anonymity: merging value groups never adds outliers.
    """
    return search(
        star,
        lambda graph, size, tally: lambda root: frequency_sets.from_star(star, root),
        demand=demand,
        allowed=allowed,
    )


def search(star: Star, roots: Roots, *, demand: Demand, allowed: int, before: Effort = NOTHING) -> Found:
    """The iterations of Figure 8. The variants of Incognito differ in the origin of a root's frequency set.

    ``roots`` is called at the beginning of each iteration, with its graph and number of attributes, and returns the
    function that counts a root. ``before`` is the effort of any preparation. Creates the node and edge relations
    ``nodes_1, edges_1``, … and the verdicts in ``checked``.
    """
    whole = lattice.lattice_of(star)
    session = star.session
    tally = Tally(session)
    session.create(CHECKED, Statement("search/lattice/survivors#unchecked"))
    graph = Graph(Name("nodes_1"), Name("edges_1"))
    lattice.first_graph(star, into=graph)
    iterations: list[Iteration] = []
    attributes = len(star.dimensions)
    for size in range(1, attributes + 1):
        checked, scans, rollups = tally.checked, tally.scans, tally.rollups
        root = roots(graph, size, tally)
        breadth_first.search(star, graph, iteration=size, root=root, demand=demand, allowed=allowed, tally=tally)
        session.create(_SURVIVORS, Statement("search/lattice/survivors", nodes=graph.nodes, checked=CHECKED))
        candidates, anonymous = session.row(
            Statement("search/lattice/survivors#summary", nodes=graph.nodes, survivors=_SURVIVORS)
        )
        done = Iteration(
            attributes=size,
            candidates=candidates,
            checked=tally.checked - checked,
            from_star=tally.scans - scans,
            from_rollup=tally.rollups - rollups,
            anonymous=anonymous,
        )
        log.info("%s", done)
        iterations.append(done)
        if size < attributes:
            following = Graph(Name(f"nodes_{size + 1}"), Name(f"edges_{size + 1}"))
            lattice.next_graph(session, survivors=_SURVIVORS, graph=graph, into=following)
            graph = following
    lattice.steps(session, whole)
    numbers = Statement("search/lattice/nodes#numbers", nodes=_SURVIVORS, attributes=lattice.ATTRIBUTES)
    effort = tally.effort(before=before)
    return lattice.collect(star, numbers, complete=True, effort=effort, iterations=tuple(iterations))
