"""Super-roots Incognito (LeFevre, DeWitt, Ramakrishnan 2005, section 3.3.1)."""

from __future__ import annotations

from starcloak.privacy.requirement import Demand
from starcloak.search.incognito import basic
from starcloak.search.lattice import breadth_first
from starcloak.search.lattice.breadth_first import QUEUE, Origin
from starcloak.search.lattice.lattice import Found, Graph, Tally
from starcloak.star import rollups
from starcloak.star.rollups import PACKED, Packing
from starcloak.star.star import Star
from starcloak.statements.statement import Name, Statement

_SUPER_ROOTS = Name("super_roots")
_TARGETS = Name("super_root_targets")


def find(star: Star, demand: Demand, *, allowed: int) -> Found:
    """All k-anonymous nodes by super-roots Incognito: roots are rolled up from super-roots, not from the star.

    A family is all roots (nodes without a node beneath) over the same subset of the attributes. Its super-root has the
    lowest level of each attribute among the roots, and is counted from the star (the paper's example: of ⟨B1, S1, Z0⟩,
    ⟨B1, S0, Z2⟩ and ⟨B0, S1, Z2⟩ it is ⟨B0, S0, Z0⟩). The only root of a family is its own super-root. Checks the same
    nodes as basic Incognito.
    """
    return basic.search(star, _origin, demand=demand, allowed=allowed)


def _origin(packing: Packing, graph: Graph, count: int, tally: Tally) -> Origin:
    """Count the super-roots of the ``count`` roots from the star."""
    session, rows = packing.star.session, 0
    lowest = Statement("search/lattice/super_roots#lowest")
    session.create(_TARGETS, breadth_first.families(packing, graph, lowest))
    super_roots = Statement("search/lattice/super_roots#sources", targets=_TARGETS)
    store = session.create
    for rolled in rollups.targets(packing, super_roots, sources=PACKED, rows=packing.star.combinations, into="super"):
        tally.rows += rolled.rows
        tally.scans += rolled.sources
        rows += store(_SUPER_ROOTS, Statement("store/relation", relation=rolled.sets))
        store = session.insert
    shared, rolled_up = session.row(Statement("search/lattice/super_roots#families", queue=QUEUE, nodes=graph.nodes))
    tally.from_star += shared + count - rolled_up
    tally.rollups += rolled_up
    return Origin(_SUPER_ROOTS, rows, Statement("store/relation", relation=_TARGETS))
