"""All nodes that satisfy a requirement that is not monotone: a node above a satisfying node may violate it.

With suppression, most privacy models are not monotone: merging two groups may suppress more rows than before. They
still imply a monotone bound: enough rows in every group. No node beneath that bound satisfies them, and every node
above it is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from starcloak.base.errors import JobError
from starcloak.privacy.requirement import Demand
from starcloak.search.lattice import lattice
from starcloak.search.lattice.lattice import Found, Lattice, Tally
from starcloak.star import tuples
from starcloak.star.open_nodes import Levels, OpenNodes, sum_up
from starcloak.star.star import Star
from starcloak.statements.statement import Statement

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Nodes times pairs of a tuple and a sensitive value, at most.
LARGEST = 20_000_000_000
# Nodes between two looks at the remaining ones.
_TOGETHER = 256


def find(star: Star, demand: Demand, *, allowed: int, bound: Callable[..., Found]) -> Found:
    """All nodes that satisfy a demand: at most ``allowed`` rows are suppressed there.

    ``bound`` is a search for all nodes that satisfy a monotone demand: it finds the nodes with enough rows per group,
    and only these are counted. ``minimal`` of the result are satisfying nodes without a satisfying node beneath. Raises
    :class:`JobError` if there are too many nodes to count.
    """
    tally = Tally(star.session)
    within = bound(star, demand.implied, allowed=allowed)
    tally.add(within.effort)
    whole = within.lattice
    nodes = OpenNodes(star.heights)
    nodes.open[:] = False
    nodes.open.ravel()[within.numbers] = True
    satisfying = np.zeros(nodes.shape, bool)
    if within.count:
        _ask(star, demand, allowed, whole, nodes, satisfying, tally)
    marks = np.packbits(satisfying).tobytes()
    result = lattice.collect(
        star,
        Statement("search/lattice/nodes#marked"),
        {"nodes": satisfying.size, "marks": marks},
        complete=True,
        effort=tally.effort(),
    )
    return replace(result, minimal=tuple(whole.node(number) for number in _lowest(satisfying)), pruned="implied bound")


def _ask(
    star: Star,
    demand: Demand,
    allowed: int,
    whole: Lattice,
    nodes: OpenNodes,
    satisfying: NDArray[np.bool_],
    tally: Tally,
) -> None:
    box = nodes.span(nodes.everything)
    here = tuples.fetch(star, nodes, box, climbs=tuples.climbs(star))
    open = nodes.count(box)
    work = open * max(1, here.pairs)
    if work > LARGEST:
        highest = max(star.dimensions, key=lambda dimension: dimension.height)
        raise JobError(
            f"with suppression, {open:,} nodes with {here.pairs:,} pairs of a row combination and a sensitive value "
            "would have to be counted, which takes too long: leave requirement.suppression out, or drop levels, "
            f"first of {highest.attribute!r}"
        )
    for together in _batches(nodes):
        star.session.report(f"search: {nodes.count(box):,} of {whole.size:,} nodes are not yet judged")
        for levels in together:
            satisfying[levels] = here.outliers(levels, demand=demand, allowed=allowed) <= allowed
        for levels in together:
            nodes.open[levels] = False
        tally.checked += len(together)
    tally.rows += here.rows


def _batches(nodes: OpenNodes) -> Iterator[list[Levels]]:
    every = [tuple(levels) for levels in np.argwhere(nodes.open).tolist()]
    for start in range(0, len(every), _TOGETHER):
        yield every[start : start + _TOGETHER]


def _lowest(satisfying: NDArray[np.bool_]) -> list[int]:
    """The numbers of satisfying nodes without another satisfying node beneath, in the order of height and levels."""
    beneath = sum_up(satisfying.astype(np.int64))
    lowest = np.argwhere(satisfying & (beneath == 1)).tolist()
    ordered = sorted(lowest, key=lambda levels: (sum(levels), levels))
    return [int(np.ravel_multi_index(tuple(levels), satisfying.shape)) for levels in ordered]
