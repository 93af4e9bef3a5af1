"""Incognito: all k-anonymous full-domain generalizations (LeFevre, DeWitt, Ramakrishnan 2005)."""

from __future__ import annotations

import logging
from collections.abc import Iterator

from starcloak import frequency
from starcloak.frequency import Node
from starcloak.search import lattice
from starcloak.search.lattice import Found, Graph, Iteration
from starcloak.session import Row
from starcloak.star import Star
from starcloak.statement import Name, Statement, union_all

log = logging.getLogger("starcloak")

CHECKED = Name("checked")
_QUEUE = Name("queue")
_SURVIVORS = Name("survivors")
_BATCH = Name("batch")
_BELOW = Name("frequency_below")
_HERE = Name("frequency_here")

# Nodes that share a statement, and rows that it reads, at most (but for a single node).
_TOGETHER = 64
_BUDGET = 10_000_000


def basic(star: Star, *, k: int, allowed: int) -> Found:
    """Basic Incognito, node for node as Figure 8 has it.

    ``allowed`` is the maximum suppression threshold in rows (section 2.1). Sound and complete (section 3.2): the
    generalization, rollup and subset properties hold for k-anonymity with such a threshold, since merging value groups
    never adds outliers.

    The queue is served a height at a time: the nodes of one height neither mark nor insert each other, so their
    frequency sets can share statements. Roots are counted from the star, other nodes rolled up from a parent. Leaves
    the relation ``checked``: iteration, node, root, groups, classes, outliers, anonymous.
    """
    session = star.session
    session.create(CHECKED, Statement("lattice/unchecked"))
    graph = Graph(Name("nodes_1"), Name("edges_1"))
    lattice.first_graph(session, into=graph)
    iterations: list[Iteration] = []
    attributes = len(star.dimensions)
    for size in range(1, attributes + 1):
        last_id = _search(star, graph, size, k=k, allowed=allowed, before=sum(done.checked for done in iterations))
        session.create(_SURVIVORS, Statement("lattice/survivors", {"nodes": graph.nodes, "checked": CHECKED}))
        summary = Statement("lattice/summary", {"nodes": graph.nodes, "survivors": _SURVIVORS, "checked": CHECKED})
        done = Iteration(size, *session.row(summary, {"iteration": size}))
        log.info("%s", done)
        iterations.append(done)
        if size < attributes:
            following = Graph(Name(f"nodes_{size + 1}"), Name(f"edges_{size + 1}"))
            lattice.next_graph(session, survivors=_SURVIVORS, graph=graph, last_id=last_id, into=following)
            graph = following
    minimal = lattice.minimal_nodes(session, anonymous=_SURVIVORS, edges=graph.edges, attributes=attributes)
    return Found(_SURVIVORS, graph.edges, iterations[-1].anonymous, minimal, tuple(iterations))


def _search(star: Star, graph: Graph, size: int, *, k: int, allowed: int, before: int) -> int:
    """The breadth-first search of one iteration (section 3.1.1). Returns the last node's number."""
    session = star.session
    lowest, highest, last_id = session.row(Statement("lattice/extent", {"nodes": graph.nodes}))
    queue = Statement("lattice/queue", {"nodes": graph.nodes, "edges": graph.edges, "checked": CHECKED})
    for height in range(lowest, highest + 1):
        session.report(
            f"search: {size} of {len(star.dimensions)} attributes, height {height} of {highest}, {before} nodes checked"
        )
        session.create(_QUEUE, queue, {"height": height})
        agenda = session.run(Statement("lattice/agenda", {"queue": _QUEUE, "nodes": graph.nodes}))
        if not agenda:
            continue
        kept = False
        for rows in _batches(agenda, star.combinations):
            session.create(_BATCH, union_all(_count(star, row) for row in rows))
            verdict = Statement("lattice/verdict", {"queue": _QUEUE, "shortfall": frequency.shortfall(_BATCH)})
            session.insert(CHECKED, verdict, {"iteration": size, "k": k, "allowed": allowed})
            wanting = Statement("frequency/wanting", {"frequency": _BATCH, "checked": CHECKED})
            (session.insert if kept else session.create)(_HERE, wanting)
            kept = True
        session.create(_BELOW, Statement("source/relation", {"relation": _HERE}))
        before += len(agenda)
    session.drop(_QUEUE, _BATCH, _BELOW, _HERE)
    return int(last_id)


def _batches(agenda: list[Row], combinations: int) -> Iterator[list[Row]]:
    """Nodes whose frequency sets share a statement: not too many, nor of too many rows."""
    batch: list[Row] = []
    read = 0
    for row in agenda:
        groups = row[-1] or combinations
        if batch and (len(batch) == _TOGETHER or read + groups > _BUDGET):
            yield batch
            batch, read = [], 0
        batch.append(row)
        read += groups
    yield batch


def _count(star: Star, row: Row) -> Statement:
    """A root is counted from the star, another node rolled up from its parent."""
    id, dimensions, levels, beneath, levels_beneath, _ = row
    node = Node(id, tuple(dimensions), tuple(levels))
    if beneath is None:
        return frequency.recount(star, node)
    return frequency.rollup(node, beneath=Node(beneath, node.dimensions, tuple(levels_beneath)), below=_BELOW)
