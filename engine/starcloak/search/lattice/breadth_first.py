"""The breadth-first search of a generalization graph (LeFevre, DeWitt, Ramakrishnan 2005, section 3.1.1, Figure 8)."""

from __future__ import annotations

from collections.abc import Callable

from starcloak.privacy.requirement import Demand
from starcloak.search.lattice.lattice import Graph, Tally
from starcloak.star import frequency_sets
from starcloak.star.frequency_sets import Count
from starcloak.star.star import Node, Star
from starcloak.statements.statement import Name, Number, Row, Rows, Statement

CHECKED = Name("checked")
_QUEUE = Name("queue")
# The frequency sets of a height and of the one below it, by turns.
_KEPT = (Name("frequency_even"), Name("frequency_odd"))


def search(
    star: Star,
    graph: Graph,
    *,
    iteration: int,
    root: Callable[[Node], Count],
    demand: Demand,
    allowed: int,
    tally: Tally,
    rollup: bool = True,
) -> None:
    """Check the nodes of a graph, the lowest first, into the relation ``checked``: iteration, node, root, groups,
    classes, outliers, anonymous.

    The queue is served a height at a time: the nodes of one height neither mark nor insert each other, so their
    frequency sets can share statements. ``root`` returns the count of a root; other nodes are rolled up from a parent,
    or, without ``rollup``, counted from the star. Unchecked nodes are k-anonymous.
    """
    session = star.session
    lowest, highest, _ = session.row(Statement("search/lattice/nodes#extent", nodes=graph.nodes))
    if lowest is None:  # a part of the attributes satisfies the demand nowhere
        return
    queue = Statement("search/lattice/queue", nodes=graph.nodes, edges=graph.edges, checked=CHECKED)
    for height in range(lowest, highest + 1):
        # A height here is not that of the hierarchies: the subsets of attributes have other lowest levels.
        session.report(
            f"search: {iteration} of {len(star.dimensions)} attributes, step {height - lowest + 1} of "
            f"{highest - lowest + 1}, "
            f"{tally.checked:,} nodes checked"
        )
        session.create(_QUEUE, queue, {"height": height})
        agenda = session.run(Statement("search/lattice/queue#agenda", queue=_QUEUE, nodes=graph.nodes))
        here, below = _KEPT[height % 2], _KEPT[(height + 1) % 2]
        counted = 0
        for batch in frequency_sets.together(_count(star, row, root, below if rollup else None) for row in agenda):
            rows: Rows = frequency_sets.count_all(batch)
            if rollup:
                (session.insert if counted else session.create)(here, rows)
                # The queue goes by number, so a batch is a range of it.
                first, last = (agenda[place][0] for place in (counted, counted + len(batch) - 1))
                rows = Statement("star/frequency/nodes", frequency=here, first=Number(first), last=Number(last))
            counted += len(batch)
            tally.count(batch)
            of_batch = frequency_sets.shortfall_of(rows, demand)
            verdict = Statement("search/lattice/verdict", queue=_QUEUE, shortfall=of_batch)
            session.insert(CHECKED, verdict, {"iteration": iteration, "allowed": allowed})
        if rollup and counted:
            session.drop(below)
    session.drop(_QUEUE, *_KEPT)


def _count(star: Star, row: Row, root: Callable[[Node], Count], below: Name | None) -> Count:
    id, dimensions, levels, beneath, levels_beneath, groups = row
    node = Node(id, tuple(dimensions), tuple(levels))
    if beneath is None:
        return root(node)
    if below is None:
        return frequency_sets.from_star(star, node)
    parent = Node(beneath, node.dimensions, tuple(levels_beneath))
    return Count(frequency_sets.rollup(star, node, beneath=parent, below=below), groups, from_star=False)
