"""A lower bound of the cost of every satisfying node, from the lattices of a few attributes at a time.

The attributes are divided into parts. A node that satisfies the requirement also satisfies it over the attributes of
each part alone (LeFevre, DeWitt, Ramakrishnan 2005, section 3, subset property), with no more suppressed rows. So the
sum of the least costs of all parts is a lower bound of the cost over all attributes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import prod

from starcloak.privacy.requirement import Demand, Requirement
from starcloak.search.lattice import full_domain, objective
from starcloak.search.lattice.lattice import Found
from starcloak.search.lattice.objective import AddedUp, DiscernibilityCost, NodeCost
from starcloak.star import star as stars
from starcloak.star import tuples
from starcloak.star.star import Star

# Nodes of the lattice of a part, at most, but for one attribute's.
_NODES = 1_500
# The parts' relations are numbered from here; QIDs have smaller numbers.
_FIRST = 1_000_000


def least(
    star: Star,
    requirement: Requirement,
    cost: NodeCost,
    find: Callable[..., Found],
    order: Sequence[int],
    *,
    allowed: int,
) -> float:
    """Lower bound of the cost of every node that suppresses no more rows than ``allowed``.

    Attributes adjacent in ``order`` go to the same part, as long as the part's lattice is small. ``find`` finds all
    satisfying nodes of a part's lattice. A cost that is not a sum over cells has a bound by the number of rows and k.
    """
    if not isinstance(cost, AddedUp):
        demand = requirement.joint(star.attributes)
        is_squared = isinstance(cost, DiscernibilityCost)
        return float(star.rows * demand.least_rows) if is_squared else demand.least_rows / demand.k
    total = 0.0
    for number, places in enumerate(_parts(star, order), _FIRST):
        names = [star.dimensions[at].attribute for at in places]
        star.session.report(f"search: a bound of the loss, over {', '.join(names)}")
        if demands := [
            _over(demand, names, allowed) for demand in requirement.demands if {*names} & {*demand.attributes}
        ]:
            part = stars.project(star, places, number=number)
            total += _least(part, Requirement.of(demands, requirement.suppression), cost.over(places), find)
    return total


def _least(part: Star, requirement: Requirement, cost: NodeCost, find: Callable[..., Found]) -> float:
    """Least cost of a node that satisfies the requirement over a part of the attributes."""
    demand = requirement.joint([dimension.attribute for dimension in part.dimensions])
    allowed = requirement.allowance(part.rows)
    nodes = full_domain.every(part, requirement, find)
    levels = objective.cheapest(part, nodes, cost, demand=demand, allowed=allowed).levels
    here = tuples.fetch(part, None, tuple(slice(level, level + 1) for level in levels), climbs=tuples.climbs(part))
    return cost.of(levels, here.count(levels, demand=demand)).cost


def _over(demand: Demand, names: Sequence[str], allowed: int) -> Demand:
    """The demand implied by a demand, over those of its attributes in ``names``."""
    implied = demand if demand.prunable(allowed) else demand.implied
    return replace(implied, attributes=tuple(name for name in implied.attributes if name in names))


def _parts(star: Star, order: Sequence[int]) -> Iterator[list[int]]:
    """Divide the attributes into parts: lists of attribute indices, with at most 1,500 nodes per lattice.

    A single attribute may have more. Parts follow ``order``; indices within a part are sorted.
    """
    part: list[int] = []
    for at in order:
        if part and prod(star.heights[dimension] + 1 for dimension in [*part, at]) > _NODES:
            yield sorted(part)
            part = []
        part.append(at)
    yield sorted(part)
