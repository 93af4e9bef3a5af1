"""Estimated probability of a node to satisfy the requirement, from the suppressed rows counted at other nodes.

The estimate decides only the next node to count. It never decides a verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from starcloak.star.open_nodes import Box, Levels

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Counts far from the threshold weigh less: those this near to it, by the logarithm, half of one that is on it.
_NEAR = 0.3
# Amount added to the squares of the unknowns, and the least deviation of the guess, by the logarithm.
_RIDGE, _SURE = 1e-2, 0.02
# The logistic function is near the normal distribution with so many times its argument.
_LOGISTIC, _LARGEST = 1.7, 30.0


class Likely:
    """Estimate of the number of rows to suppress at a node: a product of factors, one per level of each attribute.

    The factors are fitted by least squares to the numbers counted so far. ``allowed`` is the highest number of rows to
    suppress.
    """

    def __init__(self, heights: Sequence[int], allowed: int) -> None:
        self._heights, self._allowed = heights, np.log1p(allowed)
        self._levels: list[Levels] = []
        self._outliers: list[int] = []

    def note(self, levels: Levels, outliers: int) -> None:
        """Record the number of rows to suppress (``outliers``) counted at a node."""
        self._levels.append(levels)
        self._outliers.append(outliers)

    def of(self, box: Box) -> NDArray[np.float64] | None:
        """For each node of a box (a range of levels per attribute), the probability (0 … 1) to satisfy the requirement.

        None if too few nodes were counted.
        """
        if len(self._levels) < 1 + sum(self._heights):
            return None
        steps = np.concatenate(
            [
                np.ones((len(self._levels), 1)),
                *(
                    own[:, None] >= np.arange(1, height + 1)
                    for own, height in zip(np.array(self._levels).T, self._heights, strict=True)
                ),
            ],
            axis=1,
        )
        counted = np.log1p(self._outliers)
        weight = 1 / (_NEAR + np.abs(counted - self._allowed))
        squares = (steps.T * weight) @ steps + _RIDGE * np.eye(steps.shape[1])
        factors = np.linalg.solve(squares, steps.T @ (weight * counted))
        deviation = max(_SURE, float(np.sqrt(weight @ (counted - steps @ factors) ** 2 / weight.sum())))
        ends = np.cumsum([1, *self._heights])
        by_level = [
            np.concatenate([[0.0], np.cumsum(factors[end - height : end])])[side]
            for side, end, height in zip(box, ends[1:], self._heights, strict=True)
        ]
        expected = factors[0] + reduce(np.add.outer, by_level)
        below = _LOGISTIC * (self._allowed - expected) / deviation
        likelihoods: NDArray[np.float64] = 1 / (1 + np.exp(-np.clip(below, -_LARGEST, _LARGEST)))
        return likelihoods
