"""Basic Incognito: all k-anonymous full-domain generalizations (LeFevre, DeWitt, Ramakrishnan 2005, section 3.1)."""

from __future__ import annotations

import logging

from starcloak.privacy.requirement import Demand
from starcloak.search.lattice import breadth_first, lattice
from starcloak.search.lattice.breadth_first import VERDICTS, Roots
from starcloak.search.lattice.lattice import NOTHING, Effort, Found, Graph, Iteration, Tally
from starcloak.star import rollups
from starcloak.star.star import Star
from starcloak.statements.statement import Name, Statement

log = logging.getLogger("starcloak")

_SURVIVORS = Name("survivors")


def find(star: Star, demand: Demand, *, allowed: int) -> Found:
    """All k-anonymous nodes by basic Incognito: the same nodes are checked as in Figure 8.

    Every root (a node without a node beneath in its graph) is counted from the star. Roots with equal levels of some
    attributes share intermediate rollups. Nodes with equal value groups share a frequency set and its verdict, also
    over several iterations. ``allowed`` is the maximum suppression threshold in rows (section 2.1). Sound and complete
    (section 3.2). With such a threshold, the generalization, rollup and subset properties hold if every superset of a
    satisfying group satisfies the demand, as for k-anonymity: merging value groups never adds outliers.
    """
    return search(star, breadth_first.from_star, demand=demand, allowed=allowed)


def search(
    star: Star, roots: Roots, *, demand: Demand, allowed: int, reads_star: bool = True, before: Effort = NOTHING
) -> Found:
    """All k-anonymous nodes, by the iterations of Figure 8: an iteration per number of attributes.

    A root is a node without a node beneath in the graph of an iteration. The variants of Incognito differ in the
    frequency sets that roots are rolled up from: the function ``roots`` provides them in each iteration. With
    ``reads_star``, the star is packed for it first. ``before`` is the effort of any preparation. Creates the node and
    edge relations ``nodes_1, edges_1``, … and the view ``checked`` of the checked nodes with their verdict.
    """
    whole = lattice.lattice_of(star)
    session = star.session
    tally = Tally(session)
    breadth_first.prepare(session)
    packing = rollups.pack(star)
    if reads_star:
        tally.pack_star(packing)
    graph = Graph(Name("nodes_1"), Name("edges_1"))
    candidates = lattice.first_graph(packing, into=graph)
    iterations: list[Iteration] = []
    attributes = len(star.dimensions)
    for size in range(1, attributes + 1):
        checked, from_star, from_rollup = tally.checked, tally.from_star, tally.rollups
        breadth_first.search(packing, graph, iteration=size, roots=roots, demand=demand, allowed=allowed, tally=tally)
        anonymous = session.create(
            _SURVIVORS, Statement("search/lattice/survivors", nodes=graph.nodes, verdicts=VERDICTS)
        )
        done = Iteration(
            attributes=size,
            candidates=candidates,
            checked=tally.checked - checked,
            from_star=tally.from_star - from_star,
            from_rollup=tally.rollups - from_rollup,
            anonymous=anonymous,
        )
        log.info("%s", done)
        iterations.append(done)
        if size < attributes:
            graph = Graph(Name(f"nodes_{size + 1}"), Name(f"edges_{size + 1}"))
            candidates = lattice.next_graph(session, survivors=_SURVIVORS, into=graph)
    lattice.steps(session, whole)
    numbers = Statement("search/lattice/nodes#numbers", nodes=_SURVIVORS, attributes=lattice.ATTRIBUTES)
    effort = tally.effort(before=before)
    return lattice.collect(star, numbers, complete=True, effort=effort, iterations=tuple(iterations))
