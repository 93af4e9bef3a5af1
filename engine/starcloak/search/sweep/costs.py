"""Cost of a cell at each level of its hierarchy; the objective of the search is the sum of these costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from starcloak.search.kaca import weights
from starcloak.search.sweep.settings import Sweep
from starcloak.star import tuples
from starcloak.star.keys import Integers
from starcloak.star.star import Dimension, Star

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from starcloak.job import Objective

Floats: TypeAlias = "NDArray[np.float64]"

# Per attribute and level, for every leaf.
Climbs = tuple[tuple[Integers, ...], ...]
Costs = tuple[tuple[Floats, ...], ...]


def tabulate(star: Star, objective: Objective, settings: Sweep) -> tuple[Climbs, Costs]:
    """The ancestor of every leaf at every level, and the cost of a cell released as this ancestor.

    Both are indexed by attribute, level and leaf. Costs are scaled: a row costs 1 if every cell is at its highest cost.
    The objective decides the cost: ``loss`` is the share of the other leaves covered by the ancestor; ``distortion``
    and ``precision`` are the weighted hierarchical distance from the leaf; ``height`` is the level. Each cost is
    multiplied by the importance of its attribute. The cost of a leaf never decreases from one level to the next.
    """
    climbs, costs = [], []
    heaviest = 0.0
    for dimension, levels in zip(star.dimensions, tuples.climbs(star), strict=True):
        climbs.append(tuple(ancestors.astype(np.int64) for ancestors in levels))
        cost, heaviest_of = _cost(dimension, objective, settings)
        others = max(1, len(levels[0]) - 1)
        costs.append([cost(level, tuples.covered(ancestors) / others) for level, ancestors in enumerate(levels)])
        heaviest += heaviest_of
    scale = 1 / heaviest if heaviest else 0.0
    return tuple(climbs), tuple(tuple(scale * level for level in attribute) for attribute in costs)


def of_loss(star: Star) -> tuple[Climbs, Costs]:
    """The result of :func:`tabulate` for the objective loss and default settings."""
    from starcloak.job import Objective

    return tabulate(star, Objective(minimize="loss"), Sweep())


def above(star: Star, climbs: Climbs, costs: Costs) -> tuple[Climbs, Costs]:
    """``climbs`` and ``costs`` without the levels below each attribute's lowest level in the base frequency set."""
    lowest = [dimension.lowest for dimension in star.dimensions]
    return (
        tuple(levels[level:] for levels, level in zip(climbs, lowest, strict=True)),
        tuple(levels[level:] for levels, level in zip(costs, lowest, strict=True)),
    )


def sums(numbers: Floats, of: Integers, count: int) -> Floats:
    """The sum of ``numbers`` in each of ``count`` groups; ``of`` is the group of each number, from 0."""
    totals: Floats = np.bincount(of, weights=numbers, minlength=count).astype(np.float64)
    return totals


def _cost(dimension: Dimension, objective: Objective, settings: Sweep) -> tuple[Callable[[int, Floats], Floats], float]:
    """The cost function of one attribute, and its highest possible value, both unscaled.

    The function takes a level and the loss of every leaf at this level, and returns the cost of every leaf.
    """
    importance = float(dimension.importance)
    if objective.minimize == "height":
        most = importance * dimension.hierarchy_height
        return lambda level, loss: np.full(len(loss), importance * dimension.hierarchy_level(level)), most
    if objective.minimize == "loss":
        return lambda level, loss: importance * loss, importance
    distances = [float(climbed) for climbed in weights.distances(settings.weights, dimension)]
    return lambda level, loss: np.full(len(loss), distances[level]), distances[-1]
