"""Several quasi-identifiers (QIDs), each with a demand of its own: the star of each, and nodes that satisfy all.

Fung, Wang, Yu 2007, Definition 1. A node of the whole lattice satisfies a QID where its projection on the QID's
attributes is k-anonymous in the lattice of those alone, so each QID is searched by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from starcloak.privacy.requirement import Demand
from starcloak.search.shared.lattice import Lattice
from starcloak.star import star as stars
from starcloak.star.star import Node, Star
from starcloak.statements.statement import Joined, Name, Number, Statement, lines


@dataclass(frozen=True)
class Projection:
    """A QID: the star of its attributes alone, their ``positions`` in the whole one from 0, and what it demands."""

    star: Star
    positions: tuple[int, ...]
    demand: Demand

    @property
    def lattice(self) -> Lattice:
        return Lattice(self.star.heights)

    def node(self, whole: Node) -> Node:
        """The projection of a node of the whole lattice."""
        levels = tuple(whole.levels[position] for position in self.positions)
        return Node(self.lattice.number(levels), tuple(range(1, len(levels) + 1)), levels)


def of(star: Star, demands: Sequence[Demand]) -> list[Projection]:
    """The projections of a star on the QID of each demand; on all attributes it is the star itself."""
    names = [dimension.attribute for dimension in star.dimensions]
    projections = []
    for number, demand in enumerate(demands, 1):
        positions = tuple(position for position, name in enumerate(names) if name in demand.attributes)
        whole = len(positions) == len(names)
        projections.append(
            Projection(star if whole else stars.project(star, positions, number=number), positions, demand)
        )
    return projections


def satisfying_nodes(star: Star, projections: Sequence[Projection], anonymous: Sequence[Name]) -> Statement:
    """The numbers of the nodes of the whole lattice whose every projection is among its QID's k-anonymous nodes.

    ``anonymous`` are the relations of those, one per projection.
    """
    whole = Lattice(star.heights)
    joins = (
        Statement(
            "search/lattice/satisfying#projection",
            anonymous=nodes,
            qid=Name(f"qid_{place}"),
            number=_number(whole, projection),
        )
        for place, (projection, nodes) in enumerate(zip(projections, anonymous, strict=True), 1)
    )
    every = Statement("search/lattice/nodes#every", size=Number(whole.size))
    return Statement("search/lattice/satisfying", every=every, projections=lines(joins))


def _number(whole: Lattice, projection: Projection) -> Joined:
    """The number of a node's projection, from the node's own."""
    steps = (
        Statement(
            "search/lattice/satisfying#projected_level",
            stride=Number(whole.strides[position]),
            levels=Number(whole.heights[position] + 1),
            step=Number(step),
        )
        for position, step in zip(projection.positions, projection.lattice.strides, strict=True)
    )
    return Joined(tuple(steps), " + ")
