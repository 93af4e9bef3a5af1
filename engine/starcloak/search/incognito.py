"""Incognito: all k-anonymous full-domain generalizations (LeFevre, DeWitt, Ramakrishnan 2005)."""

from __future__ import annotations

import logging
from collections.abc import Iterator

from starcloak import frequency
from starcloak.frequency import Node
from starcloak.search import lattice
from starcloak.search.lattice import Found, Graph, Iteration, Tally
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
    lattice.held(star)
    session = star.session
    tally = Tally(session)
    session.create(CHECKED, Statement("lattice/unchecked"))
    graph = Graph(Name("nodes_1"), Name("edges_1"))
    lattice.first_graph(session, into=graph)
    iterations: list[Iteration] = []
    attributes = len(star.dimensions)
    for size in range(1, attributes + 1):
        last_id = _search(star, graph, size, k=k, allowed=allowed, tally=tally)
        session.create(_SURVIVORS, Statement("lattice/survivors", {"nodes": graph.nodes, "checked": CHECKED}))
        summary = Statement("lattice/summary", {"nodes": graph.nodes, "survivors": _SURVIVORS, "checked": CHECKED})
        done = Iteration(size, *session.row(summary, {"iteration": size}))
        log.info("%s", done)
        iterations.append(done)
        if size < attributes:
            following = Graph(Name(f"nodes_{size + 1}"), Name(f"edges_{size + 1}"))
            lattice.next_graph(session, survivors=_SURVIVORS, graph=graph, last_id=last_id, into=following)
            graph = following
    numbers = Statement("lattice/numbers", {"nodes": _SURVIVORS, "attributes": lattice.ATTRIBUTES})
    return lattice.found(star, numbers, complete=True, effort=tally.effort(), iterations=tuple(iterations))


def _search(star: Star, graph: Graph, size: int, *, k: int, allowed: int, tally: Tally) -> int:
    """The breadth-first search of one iteration (section 3.1.1). Returns the last node's number."""
    session = star.session
    lowest, highest, last_id = session.row(Statement("lattice/extent", {"nodes": graph.nodes}))
    queue = Statement("lattice/queue", {"nodes": graph.nodes, "edges": graph.edges, "checked": CHECKED})
    for height in range(lowest, highest + 1):
        session.report(
            f"search: {size} of {len(star.dimensions)} attributes, height {height} of {highest}, "
            f"{tally.checked} nodes checked"
        )
        session.create(_QUEUE, queue, {"height": height})
        agenda = session.run(Statement("lattice/agenda", {"queue": _QUEUE, "nodes": graph.nodes}))
        if not agenda:
            continue
        kept = False
        for rows in _batches(agenda, star.combinations):
            session.create(_BATCH, union_all(_count(star, row, tally) for row in rows))
            verdict = Statement("lattice/verdict", {"queue": _QUEUE, "shortfall": frequency.shortfall(_BATCH)})
            session.insert(CHECKED, verdict, {"iteration": size, "k": k, "allowed": allowed})
            wanting = Statement("frequency/wanting", {"frequency": _BATCH, "checked": CHECKED})
            (session.insert if kept else session.create)(_HERE, wanting)
            kept = True
        session.create(_BELOW, Statement("source/relation", {"relation": _HERE}))
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


def _count(star: Star, row: Row, tally: Tally) -> Statement:
    """A root is counted from the star, another node rolled up from its parent."""
    id, dimensions, levels, beneath, levels_beneath, groups = row
    node = Node(id, tuple(dimensions), tuple(levels))
    if beneath is None:
        tally.count(checked=1, scans=1, rows=star.combinations)
        return frequency.recount(star, node)
    tally.count(checked=1, rows=groups)
    return frequency.rollup(node, beneath=Node(beneath, node.dimensions, tuple(levels_beneath)), below=_BELOW)
