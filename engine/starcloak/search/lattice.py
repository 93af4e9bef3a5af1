"""Generalization graphs as node and edge relations, and what a full-domain search hands back.

LeFevre, DeWitt, Ramakrishnan 2005, sections 2 and 3.1.2, Figure 6. A node relation has ``id, dimensions, levels,
height, parent_1, parent_2``; an edge relation ``start_id, end_id``, the end being a direct generalization of the start.
"""

from __future__ import annotations

from dataclasses import dataclass

from starcloak.frequency import Node
from starcloak.session import Session
from starcloak.star import GENERALIZATION
from starcloak.statement import Name, Statement


@dataclass(frozen=True)
class Graph:
    """C and E of one iteration: candidate nodes and the direct generalizations among them."""

    nodes: Name
    edges: Name


@dataclass(frozen=True)
class Iteration:
    """What the search did with the nodes of ``attributes`` attributes."""

    attributes: int
    candidates: int
    checked: int
    from_star: int
    from_rollup: int
    anonymous: int


@dataclass(frozen=True)
class Found:
    """All k-anonymous full-domain generalizations of the whole quasi-identifier.

    ``anonymous`` is their node relation, ``edges`` has the direct generalizations among them, ``minimal`` the nodes
    with no k-anonymous node beneath, in the order of height and levels. ``count`` is the number of all of them.
    """

    anonymous: Name
    edges: Name
    count: int
    minimal: tuple[Node, ...]
    iterations: tuple[Iteration, ...]

    @property
    def checked(self) -> int:
        """The number of nodes whose frequency set was counted."""
        return sum(iteration.checked for iteration in self.iterations)


def first_graph(session: Session, *, into: Graph) -> None:
    """C1 and E1: the nodes and edges of the domain generalization hierarchies."""
    session.create(into.nodes, Statement("lattice/domains", {"generalization": GENERALIZATION}))
    session.create(into.edges, Statement("lattice/steps", {"nodes": into.nodes}))


def next_graph(session: Session, *, survivors: Name, graph: Graph, last_id: int, into: Graph) -> None:
    """GraphGeneration of Figure 8: join, prune and edge phases."""
    joined = Name("joined")
    session.create(joined, Statement("lattice/join", {"survivors": survivors}), {"last_id": last_id})
    session.create(into.nodes, Statement("lattice/prune", {"joined": joined, "survivors": survivors}))
    session.create(into.edges, Statement("lattice/edges", {"nodes": into.nodes, "edges": graph.edges}))
    session.drop(joined)


def minimal_nodes(session: Session, *, anonymous: Name, edges: Name, attributes: int) -> tuple[Node, ...]:
    """The k-anonymous nodes with no k-anonymous node beneath, in the order of height and levels."""
    rows = session.run(Statement("lattice/minimal", {"anonymous": anonymous, "edges": edges}))
    return tuple(Node(id, tuple(range(1, attributes + 1)), tuple(levels)) for id, levels in rows)
