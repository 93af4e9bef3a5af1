"""Datafly: a greedy search for one generalization (Sweeney 2002, cited in section 6 of LeFevre et al. 2005)."""

from __future__ import annotations

from starcloak import frequency
from starcloak.frequency import Count
from starcloak.search import lattice
from starcloak.search.lattice import Found, Tally
from starcloak.star import Star
from starcloak.statement import Name, Statement, columns

# Nodes' numbers must fit 64 bits; a greedy search visits so few that the lattice may be far larger than others bear.
_LARGEST = 2**62


def search(star: Star, *, k: int, allowed: int) -> Found:
    """One k-anonymous full-domain generalization; it need not be minimal.

    Sweeney's heuristic: while the outliers, the rows in value groups of fewer than k, are more than may be suppressed,
    generalize the attribute that has the *most* distinct values in the frequency set by one level; of equals the first
    in the job's order, and never one that is at its top. Sweeney suppresses up to k rows, here it is the job's share.
    Each frequency set is rolled up from the one before.
    """
    whole = lattice.held(star, largest=_LARGEST)
    session = star.session
    tally = Tally(session)
    node = whole.node(0)
    count = frequency.from_star(star, node)
    values = columns(
        Statement("frequency/values", {"value": Name(f"value_{position}")}) for position in node.dimensions
    )
    found: int | None = None
    while True:
        here = Name(f"frequency_{node.height % 2}")
        session.report(f"search: height {node.height} of {sum(whole.heights)}")
        session.create(here, count.statement)
        tally.count([count])
        _, groups, _, outliers = session.row(frequency.shortfall(here), {"k": k})
        if outliers <= allowed:
            found = node.id
            break
        distinct = session.row(Statement("frequency/distinct", {"values": values, "frequency": here}))
        rising = [position for position in range(len(node.levels)) if node.levels[position] < whole.heights[position]]
        if not rising:
            break
        widest = max(rising, key=lambda position: distinct[position])
        above = whole.node(node.id + whole.strides[widest])
        count = Count(frequency.rollup(above, beneath=node, below=here), groups, from_star=False)
        node = above
    return lattice.found(star, Statement("lattice/single"), {"number": found}, complete=False, effort=tally.effort())
