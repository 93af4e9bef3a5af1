"""The generalization lattice, the generalization graphs of Incognito, and the nodes found by a full-domain search.

LeFevre, DeWitt, Ramakrishnan 2005, sections 2 and 3.1.2, Figure 6. A node relation has ``id, dimensions, levels,
height, grouping, parent``; an edge relation has ``start_id, end_id``, the end being a direct generalization of the
start.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, Literal

import numpy as np

from starcloak.base.errors import JobError
from starcloak.job.algorithms import LARGEST_NUMBERED, LARGEST_SEARCHED
from starcloak.star import rollups
from starcloak.star.frequency_sets import Count
from starcloak.star.keys import Integers
from starcloak.star.open_nodes import Levels
from starcloak.star.rollups import PLACES, Packing
from starcloak.star.star import Node, Star, refuse_lattice
from starcloak.statements.statement import Joined, Name, Number, Rows, Statement, columns
from starcloak.store.session import Session

ANONYMOUS = Name("anonymous")
ATTRIBUTES = Name("attributes")
_PLACES = Name("node_places")


@dataclass(frozen=True)
class Lattice:
    """The multi-attribute generalization lattice (section 2), its nodes numbered from 0.

    ``heights`` has the height of each attribute's hierarchy. A node's number is the sum of its levels, each times its
    attribute's stride: mixed radix, the last attribute fastest. A direct generalization of a node is a stride away.

    >>> Lattice((2, 1)).strides, Lattice((2, 1)).size, Lattice((2, 1)).node(3).levels
    ((2, 1), 6, (1, 1))
    """

    heights: tuple[int, ...]

    @property
    def size(self) -> int:
        """The number of nodes."""
        return prod(height + 1 for height in self.heights)

    @cached_property
    def strides(self) -> tuple[int, ...]:
        """The amount added to a node's number by one level of each attribute."""
        return tuple(prod(height + 1 for height in self.heights[after:]) for after in range(1, len(self.heights) + 1))

    def node(self, number: int) -> Node:
        """The node with a number, from 0 to below ``size``."""
        levels = zip(self.strides, self.heights, strict=True)
        return Node(
            number,
            tuple(range(1, len(self.heights) + 1)),
            tuple(number // stride % (height + 1) for stride, height in levels),
        )

    def number(self, levels: Sequence[int]) -> int:
        """The number of the node at these levels."""
        return sum(level * stride for level, stride in zip(levels, self.strides, strict=True))


def lattice_of(star: Star, *, largest: int = LARGEST_SEARCHED) -> Lattice:
    """The lattice of a star, for a search that may visit all of its nodes.

    Raises :class:`JobError` if it has too many nodes.
    """
    refuse_lattice(star.dimensions, largest)
    return Lattice(star.heights)


@dataclass(frozen=True)
class Graph:
    """The generalization graph of one iteration: the relations of candidate nodes (C) and of edges (E).

    An edge leads from a node to a direct generalization.
    """

    nodes: Name
    edges: Name


@dataclass(frozen=True)
class Iteration:
    """Numbers of nodes in one iteration: the search over all subsets with ``attributes`` attributes.

    ``candidates`` is the number of nodes of the graph, ``checked`` of nodes compared with k, ``anonymous`` of
    k-anonymous ones. ``from_star`` is the number of nodes with a frequency set counted from the star,
    ``from_rollup`` of nodes with one rolled up from another node. Several nodes with equal groups share a frequency
    set, also over several iterations: it is counted for the first of them. A super-root is counted, not checked.
    """

    attributes: int
    candidates: int
    checked: int
    from_star: int
    from_rollup: int
    anonymous: int


@dataclass(frozen=True)
class Effort:
    """Numbers of operations of a search, up to the verdicts on all nodes.

    ``checked`` is the number of nodes, over all subsets of the quasi-identifier, with a frequency set counted and
    compared with k; ``statements`` is the number of statements run. ``scans`` are reads of the star, the search's fact
    table, or of its copy with packed keys: one statement may have several. ``rows`` are the rows of the star and of
    frequency sets that were read to aggregate them into frequency sets.
    """

    checked: int
    statements: int
    scans: int
    rows: int


NOTHING = Effort(0, 0, 0, 0)


class Tally:
    """Counts a search's effort while it runs."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._before = session.statements
        self.checked = self.scans = self.from_star = self.rollups = self.rows = 0

    def count(self, counts: Iterable[Count], *, checked: bool = True) -> None:
        """Add counted frequency sets. With ``checked``, each one is also a checked node.

        Without, the frequency sets only serve to count other ones.
        """
        for count in counts:
            self.checked += checked
            self.scans += count.from_star
            self.from_star += count.from_star
            self.rollups += not count.from_star
            self.rows += count.rows

    def pack_star(self, packing: Packing) -> None:
        """Create the packed star, and add this read of the star."""
        rollups.pack_star(packing)
        self.scans += 1
        self.rows += packing.star.combinations

    def add(self, effort: Effort) -> None:
        """Add the effort of another search in the same session, except its statements: the session counts them."""
        self.checked += effort.checked
        self.scans += effort.scans
        self.rows += effort.rows

    def effort(self, *, before: Effort = NOTHING) -> Effort:
        """The sum of the effort counted so far and the effort ``before``, of a preparation."""
        return Effort(
            before.checked + self.checked,
            before.statements + self._session.statements - self._before,
            before.scans + self.scans,
            before.rows + self.rows,
        )


@dataclass(frozen=True)
class Found:
    """k-anonymous full-domain generalizations of the whole quasi-identifier.

    ``anonymous`` is their relation, ``id, levels, height``, one row per node, with its number in the ``lattice`` as
    ``id``; ``numbers`` are these numbers, by height and number. ``minimal`` are the nodes with no direct specialization
    among them, in the order of height and levels. ``complete`` is true if they are all satisfying nodes. ``pruned``
    names the property that spared counting some nodes: every generalization of a satisfying node satisfies the
    requirement, too; or the size of groups implied by the requirement. ``best`` has the levels of the objective's
    choice, if the search found it, too.
    """

    anonymous: Name
    lattice: Lattice
    numbers: Integers
    minimal: tuple[Node, ...]
    complete: bool
    effort: Effort
    iterations: tuple[Iteration, ...] = ()
    pruned: Literal["monotone", "implied bound"] = "monotone"
    best: Levels | None = None

    @property
    def count(self) -> int:
        """The number of nodes."""
        return len(self.numbers)


def collect(
    star: Star,
    numbers: Rows,
    binds: Mapping[str, Any] | None = None,
    *,
    complete: bool,
    effort: Effort,
    iterations: tuple[Iteration, ...] = (),
    best: Levels | None = None,
) -> Found:
    """Create the relation of found nodes, and return them with the minimal ones.

    ``numbers`` is a statement that yields the number of each k-anonymous node once, as ``number``.
    """
    session = star.session
    lattice = Lattice(star.heights)
    session.create(ANONYMOUS, nodes(lattice, numbers), binds)
    numbered = session.columns(Statement("search/lattice/nodes#by_height", nodes=ANONYMOUS))["id"]
    lowest = tuple(lattice.node(number) for number in _minimal(lattice, numbered).tolist())
    return Found(ANONYMOUS, lattice, numbered, lowest, complete, effort, iterations, best=best)


def _minimal(lattice: Lattice, numbers: Integers) -> Integers:
    """The numbers of those nodes that are no direct generalization of another of the nodes, in the order given."""
    minimal = np.ones(len(numbers), bool)
    for stride, height in zip(lattice.strides, lattice.heights, strict=True):
        raised = numbers[numbers // stride % (height + 1) < height] + stride
        minimal &= ~np.isin(numbers, raised)
    return numbers[minimal]


def steps(session: Session, lattice: Lattice) -> None:
    """Create the relation ``attributes``: ``position, stride, height``, one row per attribute."""
    binds = {"strides": list(lattice.strides), "heights": list(lattice.heights)}
    session.create(ATTRIBUTES, Statement("search/lattice/first_graph#attributes"), binds)


def nodes(lattice: Lattice, numbers: Rows) -> Statement:
    """The statement with ``id, levels, height`` of the nodes with the numbers yielded by ``numbers``."""
    levels = columns(
        Statement("search/lattice/nodes#level", stride=Number(stride), levels=Number(height + 1))
        for stride, height in zip(lattice.strides, lattice.heights, strict=True)
    )
    return Statement("search/lattice/nodes", levels=levels, numbers=numbers)


def every(lattice: Lattice) -> Statement:
    """The statement with ``id, levels, height`` of all nodes of a lattice."""
    return nodes(lattice, Statement("search/lattice/nodes#every", size=Number(lattice.size)))


def subset(dimensions: Sequence[int]) -> int:
    """The number of a subset of the attributes: the sum of a bit per attribute, by its position from 1."""
    return sum(1 << (dimension - 1) for dimension in dimensions)


def whole_graph(packing: Packing, lattice: Lattice) -> Statement:
    """The statement with the nodes of the whole lattice, in the columns of a node relation of a graph."""
    grouping = Joined(
        tuple(
            Statement("search/lattice/whole#grouped", position=Number(position), stride=Number(stride))
            for position, stride in enumerate(packing.strides, 1)
        ),
        " + ",
    )
    return Statement("search/lattice/whole", nodes=every(lattice), grouping=grouping)


def first_graph(packing: Packing, *, into: Graph) -> int:
    """Create C1 and E1, the graph over single attributes: a node per level of each hierarchy, an edge per step.

    Returns the number of nodes. A node's id has a digit per attribute: its level + 1, or 0 if the attribute is absent.
    The highest value of a digit is free, so that a step above the top reaches no other node. Raises :class:`JobError`
    if the quasi-identifier has too many attributes for such numbers; the search of its subsets would not end.
    """
    session, bases = packing.star.session, [height + 3 for height in packing.star.heights]
    if prod(bases) > LARGEST_NUMBERED:
        raise JobError(
            f"incognito searches all subsets of the quasi-identifiers, too many with {len(bases)} of them: drop "
            "quasi-identifiers, or choose the algorithm witness"
        )
    digits = {"digits": [prod(bases[after:]) for after in range(1, len(bases) + 1)]}
    session.create(_PLACES, Statement("search/lattice/first_graph#places", places=PLACES), digits)
    nodes_of = Statement("search/lattice/first_graph#nodes", generalization=packing.star.generalization, places=_PLACES)
    candidates = session.create(into.nodes, nodes_of, {"top": packing.top})
    session.create(into.edges, Statement("search/lattice/edges", nodes=into.nodes, places=_PLACES))
    return candidates


def next_graph(session: Session, *, survivors: Name, into: Graph) -> int:
    """Create the graph of the next iteration ``into`` two relations: the join, prune and edge phases of Figure 8.

    ``survivors`` are the k-anonymous nodes of the current iteration. Returns the number of candidate nodes.
    """
    joined = Statement("search/lattice/join", survivors=survivors, places=_PLACES)
    pruned = Statement("search/lattice/prune", joined=joined, survivors=survivors, places=_PLACES)
    candidates = session.create(into.nodes, pruned)
    session.create(into.edges, Statement("search/lattice/edges", nodes=into.nodes, places=_PLACES))
    return candidates
