"""Frequency sets of nodes: recounted from the star, or rolled up from the frequency sets of nodes beneath.

LeFevre, DeWitt, Ramakrishnan 2005: section 1.1 (Frequency Set) and section 3 (Rollup Property). Frequency sets of many
nodes of equally many attributes share one table: ``node, value_1, …, value_<attributes>, frequency``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from starcloak.session import Session
from starcloak.star import GENERALIZATION, STAR, Star
from starcloak.statement import As, Joined, Name, Number, Statement, columns, lines, union_all


@dataclass(frozen=True)
class Node:
    """A node of a generalization graph: a level for each of some dimensions (section 2).

    ``dimensions`` are positions in the quasi-identifier, from 1, ascending; ``levels`` count from 0, the leaves.
    """

    id: int
    dimensions: tuple[int, ...]
    levels: tuple[int, ...]

    @property
    def height(self) -> int:
        """The sum of the levels."""
        return sum(self.levels)


def recount(star: Star, nodes: Iterable[Node]) -> Joined:
    """The frequency sets of nodes, each by a GROUP BY over the star."""
    return union_all(
        Statement("frequency/recount", {"node": Number(node.id), "levels": _levels(star, node), "star": STAR})
        for node in nodes
    )


def rollup(*, nodes: Name, below: Name, attributes: int) -> Statement:
    """The frequency sets of ``nodes`` (node, beneath, dimensions, levels), rolled up from those of ``below``."""
    positions = range(1, attributes + 1)
    climbs = (
        Statement(
            "frequency/climb",
            {
                "climb": Name(f"climb_{position}"),
                "dimension": GENERALIZATION,
                "position": Number(position),
                "value": Name(f"value_{position}"),
            },
        )
        for position in positions
    )
    codes = (As(Name(f"climb_{position}", "ancestor"), Name(f"value_{position}")) for position in positions)
    return Statement(
        "frequency/rollup", {"nodes": nodes, "below": below, "codes": columns(codes), "climbs": lines(climbs)}
    )


def shortfall(frequency: Name) -> Statement:
    """Value groups, classes of at least ``$k`` rows and outliers, per node."""
    return Statement("frequency/shortfall", {"frequency": frequency})


def create(session: Session, name: Name, statements: Sequence[Joined | Statement]) -> None:
    """Keep the rows of several statements as one table."""
    first, *others = statements
    session.create(name, first)
    for statement in others:
        session.insert(name, statement)


def _levels(star: Star, node: Node) -> Joined:
    return columns(
        As(star.dimensions[dimension - 1].column(level), Name(f"value_{index}"))
        for index, (dimension, level) in enumerate(zip(node.dimensions, node.levels, strict=True), 1)
    )
