"""Super-roots Incognito (LeFevre, DeWitt, Ramakrishnan 2005, section 3.3.1)."""

from __future__ import annotations

from collections.abc import Callable

from starcloak.privacy.requirement import Demand
from starcloak.search.incognito import basic
from starcloak.search.lattice import lattice
from starcloak.search.lattice.lattice import Found, Graph, Tally
from starcloak.star import frequency_sets
from starcloak.star.frequency_sets import Count
from starcloak.star.star import Node, Star
from starcloak.statements.statement import Name, Statement

_SUPER_ROOTS = Name("super_roots")


def find(star: Star, demand: Demand, *, allowed: int) -> Found:
    """Incognito with one scan of the star for all roots of one subset of the attributes.

    The roots of a family are rolled up from its super-root, the node at the lowest level of each attribute among them
    (the paper's example: of ⟨B1, S1, Z0⟩, ⟨B1, S0, Z2⟩ and ⟨B0, S1, Z2⟩ it is ⟨B0, S0, Z0⟩). The only root of a family
    is counted from the star itself. Checks the same nodes as basic Incognito.
    """

    def roots(graph: Graph, size: int, tally: Tally) -> Callable[[Node], Count]:
        return _roll_up(star, graph, tally)

    return basic.search(star, roots, demand=demand, allowed=allowed)


def _roll_up(star: Star, graph: Graph, tally: Tally) -> Callable[[Node], Count]:
    session = star.session
    families = lattice.super_roots(session, graph)
    supers = {node.dimensions: node for node, roots in families if roots > 1}
    groups: dict[int, int] = {}
    counts = (
        Count(frequency_sets.with_levels(star, node), star.combinations, from_star=True) for node in supers.values()
    )
    tally.count(frequency_sets.keep(session, counts, into=_SUPER_ROOTS), checked=False)
    if supers:
        groups = dict(session.run(Statement("star/frequency/groups", frequency=_SUPER_ROOTS)))

    def count(root: Node) -> Count:
        beneath = supers.get(root.dimensions)
        if beneath is None:
            return frequency_sets.from_star(star, root)
        statement = frequency_sets.regroup(star, root, beneath=beneath.id, below=_SUPER_ROOTS)
        return Count(statement, groups[beneath.id], from_star=False)

    return count
