"""Cost of a cell at each level: the objective, as a sum over cells."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from starcloak.search.kaca import weights
from starcloak.search.sweep.settings import Sweep
from starcloak.star.keys import Integers
from starcloak.star.star import Dimension, Star
from starcloak.statements.statement import Statement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from starcloak.job import Objective

Floats: TypeAlias = "NDArray[np.float64]"

# Per attribute and level, for every leaf.
Climbs = tuple[tuple[Integers, ...], ...]
Costs = tuple[tuple[Floats, ...], ...]


def tabulate(star: Star, objective: Objective, settings: Sweep) -> tuple[Climbs, Costs]:
    """The ancestor of every leaf at every level, and its cost there (0 … 1 for all attributes together).

    ``loss`` is the share of the other leaves covered by a value; ``distortion`` and ``precision`` are the weighted
    hierarchical distance from the leaf; ``height`` counts levels; each is times the importance of its attribute. Costs
    never fall upward.
    """
    read = star.session.columns(Statement("search/sweep/climbs", generalization=star.generalization))
    climbs, costs = [], []
    heaviest = 0.0
    for dimension in star.dimensions:
        own = read["dimension"] == dimension.position
        at = [own & (read["level"] == level) for level in range(dimension.height + 1)]
        climbs.append(tuple(read["ancestor"][level].astype(np.int64) for level in at))
        cost, heaviest_of = _cost(dimension, objective, settings)
        costs.append([cost(level, read["loss"][at[level]].astype(np.float64)) for level in range(dimension.height + 1)])
        heaviest += heaviest_of
    scale = 1 / heaviest if heaviest else 0.0
    return tuple(climbs), tuple(tuple(scale * level for level in attribute) for attribute in costs)


def of_loss(star: Star) -> tuple[Climbs, Costs]:
    """Ancestors and costs with loss as the cost of a cell."""
    from starcloak.job import Objective

    return tabulate(star, Objective(minimize="loss"), Sweep())


def above(star: Star, climbs: Climbs, costs: Costs) -> tuple[Climbs, Costs]:
    """Ancestors and costs from the lowest level of the values in the working store."""
    lowest = [dimension.lowest for dimension in star.dimensions]
    return (
        tuple(levels[level:] for levels, level in zip(climbs, lowest, strict=True)),
        tuple(levels[level:] for levels, level in zip(costs, lowest, strict=True)),
    )


def sums(numbers: Floats, of: Integers, count: int) -> Floats:
    """Sums of some numbers, by their groups."""
    totals: Floats = np.bincount(of, weights=numbers, minlength=count).astype(np.float64)
    return totals


def _cost(dimension: Dimension, objective: Objective, settings: Sweep) -> tuple[Callable[[int, Floats], Floats], float]:
    """The function for costs of one attribute's leaves at a level, given their losses there; and the highest cost."""
    importance = float(dimension.importance)
    if objective.minimize == "height":
        most = importance * dimension.hierarchy_height
        return lambda level, loss: np.full(len(loss), importance * dimension.hierarchy_level(level)), most
    if objective.minimize == "loss":
        return lambda level, loss: importance * loss, importance
    distances = [float(climbed) for climbed in weights.distances(settings.weights, dimension)]
    return lambda level, loss: np.full(len(loss), distances[level]), distances[-1]
