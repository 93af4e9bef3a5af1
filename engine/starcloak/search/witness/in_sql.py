"""Witness search in SQL alone: every count is a GROUP BY over the star, which may be larger than memory.

What comes home is a number per node: how many rows are left out there, or how many a witness's group has.
"""

from __future__ import annotations

import numpy as np

from starcloak.privacy.groups import Grouped
from starcloak.privacy.requirement import Demand
from starcloak.search.shared import lattice
from starcloak.search.shared.lattice import Found, Lattice, Tally
from starcloak.star import frequency_sets
from starcloak.star.keys import Integers
from starcloak.star.open_nodes import OpenNodes
from starcloak.star.star import Dimension, Star
from starcloak.star.tuples import sum_up
from starcloak.statements.statement import Hole, Joined, Name, Number, Statement, columns

_RARE = Name("witnesses")

# Witnesses, and nodes that are counted together, at most.
_WITNESSES = 16
_TOGETHER = 16


def find(star: Star, demand: Demand, *, allowed: int) -> Found:
    """All nodes of the lattice that satisfy a demand: those of :func:`starcloak.search.witness.search.find`."""
    session, whole = star.session, lattice.lattice_of(star)
    nodes, tally = OpenNodes(star.heights), Tally(session)
    if not allowed and demand.counts_rows_only:
        _refute(star, demand, whole, nodes, tally)
    limit = min(_TOGETHER, frequency_sets.at_once(star))
    while open := nodes.count(nodes.everything):
        session.report(f"search: {open} of {whole.size} nodes open")
        picked = [whole.node(whole.number(levels)) for levels in nodes.telling_nodes(limit, nodes.everything)]
        counts = [frequency_sets.from_star(star, node) for node in picked]
        tally.count(counts)
        # None is kept: it may be as large as the star.
        for number, *_, outliers in session.run(frequency_sets.shortfall_of(frequency_sets.count_all(counts), demand)):
            nodes.settle(whole.node(number).levels, anonymous=outliers <= allowed)
    session.drop(_RARE)
    return lattice.collect(
        star,
        Statement("search/lattice/nodes#marked"),
        {"nodes": nodes.anonymous.size, "marks": np.packbits(nodes.anonymous).tobytes()},
        complete=True,
        effort=tally.effort(),
    )


def _refute(star: Star, demand: Demand, whole: Lattice, nodes: OpenNodes, tally: Tally) -> None:
    """Close the nodes at which the value group of one of some rare tuples violates the demand."""
    session = star.session
    leaves = Joined(tuple(dimension.column(0) for dimension in star.dimensions), ", ")
    levels = columns(d.column(level) for d in star.dimensions for level in range(d.height + 1))
    rare: dict[str, Hole] = {"levels": levels, "leaves": leaves, "star": star.facts, "violating": demand.violating}
    session.create(_RARE, Statement("search/witness/coinciding#rare", rare), {"most": _WITNESSES})
    placed = (_first(d, stride) for d, stride in zip(star.dimensions, whole.strides, strict=True))
    holes: dict[str, Hole] = {"cell": Joined(tuple(placed), " + "), "star": star.facts, "rare": _RARE}
    coinciding = session.columns(Statement("search/witness/coinciding", holes))
    tally.scans += 1
    tally.rows += star.combinations
    for witness in np.unique(coinciding["witness"]):
        own = coinciding["witness"] == witness
        sizes: Integers = np.zeros(whole.size, np.int64)
        sizes[coinciding["cell"][own]] = coinciding["frequency"][own]
        violating = demand.violates(Grouped(sum_up(sizes.reshape(nodes.shape)).ravel()))
        nodes.refute(violating.reshape(nodes.shape), nodes.everything)


def _first(dimension: Dimension, stride: int) -> Statement:
    """The lowest level of an attribute at which a tuple coincides with a witness, times the attribute's stride."""
    levels = (
        Statement("search/witness/coinciding#at_level", {"column": dimension.column(level), "level": Number(level)})
        for level in range(dimension.height)
    )
    holes: dict[str, Hole] = {"levels": Joined(tuple(levels), " "), "top": Number(dimension.height)}
    if not dimension.height:
        return Statement("search/witness/coinciding#nowhere")
    return Statement("search/witness/coinciding#first", {**holes, "stride": Number(stride)})
