"""Cube Incognito and its cube (LeFevre, DeWitt, Ramakrishnan 2005, section 3.3.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations

from starcloak.privacy.requirement import Demand
from starcloak.search.incognito import basic
from starcloak.search.lattice import lattice
from starcloak.search.lattice.lattice import Effort, Found, Graph, Tally
from starcloak.star import frequency_sets
from starcloak.star.frequency_sets import Count
from starcloak.star.star import Node, Star
from starcloak.statements.statement import Name, Statement

_LIFTED = Name("lifted")


@dataclass(frozen=True)
class Cube:
    """The zero-generalization frequency sets of all subsets of the quasi-identifier.

    ``tables`` has one relation of frequency sets per number of attributes, the first for one attribute; a subset is
    named by its bits. ``groups`` is the number of value groups of each subset, ``effort`` the effort of building the
    cube.
    """

    tables: tuple[Name, ...]
    groups: Mapping[int, int]
    effort: Effort


def tables(attributes: int, *schema: str) -> tuple[Name, ...]:
    """The names of a cube's tables."""
    return tuple(Name(*schema, f"cube_{size}") for size in range(1, attributes + 1))


def build(star: Star, into: tuple[Name, ...] = ()) -> Cube:
    """Compute the cube by bottom-up aggregation: the star is read once, for all attributes.

    Without ``into``, the tables are made in the working store.

    Every smaller subset is counted from the smallest of the frequency sets with one attribute more.
    """
    session = star.session
    tally = Tally(session)
    attributes = len(star.dimensions)
    into = into or tables(attributes)
    everything = _zero(tuple(range(1, attributes + 1)))
    first = frequency_sets.from_star(star, everything)
    session.create(into[-1], first.statement)
    tally.count([first], checked=False)
    groups = {everything.id: star.combinations}
    for size in range(attributes - 1, 0, -1):
        session.report(f"cube: subsets of {size} of {attributes} attributes")
        above, here = into[size], into[size - 1]
        counts = (
            _projection(star, dimensions, attributes=attributes, groups=groups, below=above)
            for dimensions in combinations(range(1, attributes + 1), size)
        )
        tally.count(frequency_sets.keep(session, counts, into=here), checked=False)
        groups |= dict(session.run(Statement("star/frequency/groups", frequency=here)))
    return Cube(into, groups, tally.effort())


def find(star: Star, demand: Demand, *, allowed: int, cube: Cube) -> Found:
    """Incognito with every root rolled up from the cube; the star is not read again.

    Checks the same nodes as basic Incognito. The effort is that of building the cube and of using it.
    """

    def roots(graph: Graph, size: int, tally: Tally) -> Callable[[Node], Count]:
        _lift(star, cube, graph, size)

        def count(root: Node) -> Count:
            beneath = lattice.subset(root.dimensions)
            statement = frequency_sets.regroup(star, root, beneath=beneath, below=_LIFTED)
            return Count(statement, cube.groups[beneath], from_star=False)

        return count

    return basic.search(star, roots, demand=demand, allowed=allowed, before=cube.effort)


def _lift(star: Star, cube: Cube, graph: Graph, size: int) -> None:
    """Join the frequency sets of one iteration to the dimension tables, once for all roots of a subset."""
    session = star.session
    counts = (
        Count(
            frequency_sets.lift(star, node, ground=node.id, below=cube.tables[size - 1]),
            cube.groups[node.id],
            from_star=False,
        )
        for node, _ in lattice.super_roots(session, graph)
    )
    frequency_sets.keep(session, counts, into=_LIFTED)


def _zero(dimensions: tuple[int, ...]) -> Node:
    return Node(lattice.subset(dimensions), dimensions, (0,) * len(dimensions))


def _projection(
    star: Star, dimensions: tuple[int, ...], *, attributes: int, groups: Mapping[int, int], below: Name
) -> Count:
    supersets = (
        _zero(tuple(sorted((*dimensions, more)))) for more in range(1, attributes + 1) if more not in dimensions
    )
    beneath = min(supersets, key=lambda node: (groups[node.id], node.id))
    statement = frequency_sets.project(star, dimensions, node=lattice.subset(dimensions), beneath=beneath, below=below)
    return Count(statement, groups[beneath.id], from_star=False)
