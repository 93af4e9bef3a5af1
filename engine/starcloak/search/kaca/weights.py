"""Weighted hierarchical distance (Li, Wong, Fu, Pei 2008, Definition 5), in whole numbers.

Distances are compared as whole multiples of one unit, so that equal distances are equal: racing attributes (Definition
11) are real ties, and no order of summation changes a choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from starcloak.base.errors import JobError
from starcloak.search.kaca.settings import Weights as Given
from starcloak.star.star import Dimension, Star

# A distance in whole numbers stays below this, so that sums of two fit into 64 bits.
FARTHEST = 2**60
# Weights that no common denominator holds (a beta with decimals) are rounded to this part of a step.
_FINE = 10**9


@dataclass(frozen=True)
class LevelDistances:
    """Distance of each level from the leaves: ``climbed[attribute][level]``, as whole numbers.

    The whole number ``one`` stands for the distance from leaf to root of an attribute of importance 1. It is ``unit``
    times ``priority``. ``priority`` is 1 without priority attributes; otherwise amounts below it favour attributes to
    sacrifice first, and decide only between equal distances.
    """

    climbed: tuple[tuple[int, ...], ...]
    unit: int
    priority: int = 1

    @property
    def one(self) -> int:
        """The whole number for distance 1: a cell generalized from leaf to root, in an attribute of importance 1."""
        return self.unit * self.priority


def exact(star: Star, weights: Given, *, priority: Sequence[str] = (), most: int) -> LevelDistances:
    """Distances of levels by a job's weights and the importance of its attributes, as whole numbers.

    ``priority`` names the attributes to sacrifice first. Their weights are lower (section 6, second approach), by so
    little that only equal distances are affected. ``most`` is the largest number of rows of a class generalized in one
    merger: distances are multiplied by it. Raises :class:`JobError` if the number of an attribute's weights differs
    from the steps of its hierarchy, and for distances beyond 64 bits.
    """
    reached = [distances(weights, dimension) for dimension in star.dimensions]
    unit = lcm(*(distance.denominator for levels in reached for distance in levels))
    farthest = 2 * most * sum(levels[-1] for levels in reached)
    order = {attribute: len(priority) - place for place, attribute in enumerate(priority)}
    # Among equals, the lower sum of ranks times distances wins; it is always less than one unit's worth.
    limit = FARTHEST if not order else int(FARTHEST**0.5 / (len(order) + 1))
    if farthest * unit > limit:
        unit = min(_FINE, int(limit / farthest)) if farthest else 1
    if farthest * unit > limit or unit < 1:
        raise JobError(
            "the values of importance under quasi_identifiers are too large for this k: divide all of them by the "
            "same number"
        )
    whole = [[round(distance * unit) for distance in levels] for levels in reached]
    worth = 1 + len(order) * round(farthest * unit) if order else 1
    return LevelDistances(
        tuple(
            tuple(level * (worth - order.get(dimension.attribute, 0)) for level in levels)
            for dimension, levels in zip(star.dimensions, whole, strict=True)
        ),
        unit,
        worth,
    )


def distances(weights: Given, dimension: Dimension) -> list[Fraction]:
    """Weighted hierarchical distance from the leaves to each level allowed by the job, times the importance.

    The paper counts levels from the root, 1, down to h = height + 1.
    """
    steps = _steps(weights, dimension.attribute, dimension.hierarchy_height)
    total, importance = sum(steps), Fraction(dimension.importance)
    lowest, highest = dimension.bounds
    climbed = [Fraction(sum(steps[:level])) / total if total else Fraction(0) for level in range(lowest, highest + 1)]
    return [distance * importance for distance in climbed]


def _steps(weights: Given, attribute: str, height: int) -> list[Fraction]:
    """The weight of each step between levels, from the leaves up: w(j, j - 1) for j = h, h - 1, …, 2."""
    own = weights.levels.get(attribute)
    if own is not None:
        if len(own) != height:
            raise JobError(
                f"algorithm.weights.levels.{attribute}: give {height} weights, one per step from the leaves up"
            )
        return [Fraction(weight) for weight in own]
    if weights.scheme == "uniform":
        return [Fraction(1)] * height
    beta = weights.beta
    if beta == int(beta) and beta <= 64:
        return [Fraction(1, j ** int(beta)) for j in range(height, 0, -1)]
    return [Fraction(float(j) ** -float(beta)) for j in range(height, 0, -1)]
