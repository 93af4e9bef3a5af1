"""The breadth-first search of a generalization graph (LeFevre, DeWitt, Ramakrishnan 2005, section 3.1.1, Figure 8)."""

from __future__ import annotations

from collections.abc import Callable

from starcloak import frequency
from starcloak.frequency import Count, Node
from starcloak.privacy.requirement import Demand
from starcloak.search.shared.lattice import Graph, Tally
from starcloak.session import Row
from starcloak.star import Star
from starcloak.statement import Name, Statement

CHECKED = Name("checked")
_QUEUE = Name("queue")
_BATCH = Name("batch")
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
    frequency sets can share statements. ``root`` says how a root is counted; other nodes are rolled up from a parent,
    or, without ``rollup``, counted from the star. Nodes that are not checked are k-anonymous.
    """
    session = star.session
    lowest, highest, _ = session.row(Statement("search/lattice/nodes#extent", {"nodes": graph.nodes}))
    queue = Statement("search/lattice/queue", {"nodes": graph.nodes, "edges": graph.edges, "checked": CHECKED})
    for height in range(lowest, highest + 1):
        session.report(
            f"search: {iteration} of {len(star.dimensions)} attributes, height {height} of {highest}, "
            f"{tally.checked:,} nodes checked"
        )
        session.create(_QUEUE, queue, {"height": height})
        agenda = session.run(Statement("search/lattice/queue#agenda", {"queue": _QUEUE, "nodes": graph.nodes}))
        here, below = _KEPT[height % 2], _KEPT[(height + 1) % 2]
        kept = False
        for batch in frequency.together(_count(star, row, root, below if rollup else None) for row in agenda):
            session.create(_BATCH, frequency.count_all(batch))
            tally.count(batch)
            verdict = Statement(
                "search/lattice/verdict", {"queue": _QUEUE, "shortfall": frequency.shortfall(_BATCH, demand)}
            )
            session.insert(CHECKED, verdict, {"iteration": iteration, "allowed": allowed})
            if rollup:
                violating = Statement("frequency/violating", {"frequency": _BATCH, "checked": CHECKED})
                (session.insert if kept else session.create)(here, violating)
                kept = True
        if kept:
            session.drop(below)
    session.drop(_QUEUE, _BATCH, *_KEPT)


def _count(star: Star, row: Row, root: Callable[[Node], Count], below: Name | None) -> Count:
    id, dimensions, levels, beneath, levels_beneath, groups = row
    node = Node(id, tuple(dimensions), tuple(levels))
    if beneath is None:
        return root(node)
    if below is None:
        return frequency.from_star(star, node)
    parent = Node(beneath, node.dimensions, tuple(levels_beneath))
    return Count(frequency.rollup(star, node, beneath=parent, below=below), groups, from_star=False)
