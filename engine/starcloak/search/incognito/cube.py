"""Cube Incognito and its cube (LeFevre, DeWitt, Ramakrishnan 2005, section 3.3.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from starcloak.privacy.requirement import Demand
from starcloak.search.incognito import basic
from starcloak.search.lattice import breadth_first, lattice
from starcloak.search.lattice.breadth_first import Origin
from starcloak.search.lattice.lattice import Effort, Found, Graph, Tally
from starcloak.star import frequency_sets, rollups
from starcloak.star.frequency_sets import Count
from starcloak.star.rollups import Packing
from starcloak.star.star import Node, Star
from starcloak.statements.statement import Name, Number, Statement, union_all

_GROUND = Name("frequency_ground")


@dataclass(frozen=True)
class Cube:
    """The frequency sets of all subsets of the quasi-identifier, without generalization.

    ``tables`` has one relation of frequency sets per number of attributes, the first for one attribute. A subset is
    identified by a number with a bit per attribute. ``groups`` is the number of value groups by subset, ``effort`` the
    effort of building the cube.
    """

    tables: tuple[Name, ...]
    groups: Mapping[int, int]
    effort: Effort


def tables(attributes: int, *schema: str) -> tuple[Name, ...]:
    """The names of a cube's tables: one per number of attributes, in a schema of the session if given."""
    return tuple(Name(*schema, f"cube_{size}") for size in range(1, attributes + 1))


def build(star: Star, into: tuple[Name, ...] = ()) -> Cube:
    """Compute the cube by bottom-up aggregation.

    The star is read once, for the frequency set over all attributes. Every smaller subset is counted from the smallest
    of the frequency sets with one attribute more. ``into`` has the names of the tables to create; the default is in the
    working store.
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
    """All k-anonymous nodes by Incognito, with every root rolled up from the cube; the star is not read again.

    Checks the same nodes as basic Incognito. The effort in the result includes the effort of building the cube.
    """

    def origin(packing: Packing, graph: Graph, count: int, tally: Tally) -> Origin:
        session = star.session
        ground = Statement("search/lattice/super_roots#ground")
        families = breadth_first.families(packing, graph, ground)
        new = Statement("search/lattice/super_roots#subsets", queue=breadth_first.new(), nodes=graph.nodes)
        subsets = session.run(new)
        sets = [_packed(packing, cube, dimensions) for (dimensions,) in subsets]
        rows = session.create(_GROUND, union_all(sets)) if sets else 0
        tally.rollups += count
        return Origin(_GROUND, rows, families)

    return basic.search(star, origin, demand=demand, allowed=allowed, reads_star=False, before=cube.effort)


def _packed(packing: Packing, cube: Cube, dimensions: Sequence[int]) -> Statement:
    """The statement of some attributes' frequency set in the cube, with the values of a group packed into one key."""
    codes = {dimension: Name(f"value_{place}") for place, dimension in enumerate(dimensions, 1)}
    return Statement(
        "star/rollups/packed#of_cube",
        node=Number(packing.ground(dimensions)),
        keys=packing.pack(codes),
        carried=rollups.carried(packing.star),
        cube=cube.tables[len(dimensions) - 1],
        subset=Number(lattice.subset(dimensions)),
    )


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
