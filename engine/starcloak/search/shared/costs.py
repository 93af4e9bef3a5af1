"""What a node of the lattice costs, by each objective, from its value groups at hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from starcloak.job import Objective
from starcloak.star import tuples
from starcloak.star.keys import Integers
from starcloak.star.star import Star
from starcloak.star.tuples import GroupSizes
from starcloak.statements.statement import Statement, union_all

Floats = NDArray[np.float64]

#: Costs are compared to so many decimals; bounds may be off by less than half of the last one.
DECIMALS = 12
SLACK = 4e-13

# More than there are codes of leaves: as many equal costs, in the memory of one.
_CODES = 1 << 32


@dataclass(frozen=True)
class Scored:
    """A node's ``cost``, and what it says of other nodes: their costs are a ``base`` and what is left out beside it.

    The base of nodes that generalize this one is no lower; what is left out costs those beneath it no less.
    """

    base: float
    left_out: float
    cost: float


class NodeCost(Protocol):
    """An objective over a table.

    ``steps`` has what every level of every attribute adds to the base, where that is known without counting. ``most``
    is what one row that is left out costs at most.
    """

    @property
    def steps(self) -> Sequence[Floats] | None: ...

    @property
    def most(self) -> float: ...

    def of(self, levels: Sequence[int], counted: GroupSizes) -> Scored:
        """What a node costs, from its value groups."""


@dataclass(frozen=True)
class AddedUp:
    """A sum over cells: each costs what its attribute's level costs its leaf, those of a row left out 1 together.

    ``cells`` has that by attribute, level and code. Of a part of the attributes those cells are ``whole`` together.
    """

    steps: Sequence[Floats]
    cells: Sequence[Sequence[Floats]]
    rows: int
    whole: float = 1.0

    @property
    def most(self) -> float:
        return self.whole / self.rows

    def over(self, places: Sequence[int]) -> AddedUp:
        """What the cells of some attributes, by their places, add to it."""
        share = self.whole * len(places) / len(self.steps)
        return AddedUp([self.steps[at] for at in places], [self.cells[at] for at in places], self.rows, share)

    def of(self, levels: Sequence[int], counted: GroupSizes) -> Scored:
        base = float(sum(step[level] for step, level in zip(self.steps, levels, strict=True)))
        spared = self.spared(levels, counted.codes, int(np.count_nonzero(counted.out)))
        left_out = float(counted.sizes[counted.out].astype(np.float64) @ spared) / self.rows
        return Scored(base, left_out, base + left_out)

    def spared(self, levels: Sequence[int], codes: Callable[[int], Integers], groups: int) -> Floats:
        """What leaving out a row of each of so many groups costs beside what its cells cost already (0 … 1).

        ``codes`` tells, by attribute, the code of a leaf under the value of each.
        """
        spared = np.full(groups, self.whole)
        for attribute, (cells, level) in enumerate(zip(self.cells, levels, strict=True)):
            spared -= cells[level][codes(attribute)]
        return spared


@dataclass(frozen=True)
class LevelCost:
    """A weighted sum of the levels, whatever is left out."""

    steps: Sequence[Floats]
    most: ClassVar[float] = 0.0

    def over(self, places: Sequence[int]) -> LevelCost:
        """What the levels of some attributes, by their places, add to it."""
        return LevelCost([self.steps[at] for at in places])

    def of(self, levels: Sequence[int], counted: GroupSizes) -> Scored:
        base = float(sum(step[level] for step, level in zip(self.steps, levels, strict=True)))
        return Scored(base, 0.0, base)


@dataclass(frozen=True)
class DiscernibilityCost:
    """A released row costs its class's size, one left out the table's (Bayardo, Agrawal 2005).

    That is how Li, Wong, Fu, Pei 2008, section 4, have it, without suppression.
    """

    rows: int
    steps: ClassVar[None] = None
    most: ClassVar[float] = inf

    def of(self, levels: Sequence[int], counted: GroupSizes) -> Scored:
        # Sums of whole numbers, which a float holds exactly up to 2 ** 53.
        sizes = counted.sizes.astype(np.float64)
        out = sizes[counted.out]
        base, left_out = float(sizes @ sizes), float(out @ (self.rows - out))
        return Scored(base, left_out, base + left_out)


@dataclass(frozen=True)
class AverageClassSizeCost:
    """Normalized average class size (Li, Wong, Fu, Pei 2008, section 4) of the released rows.

    Value groups only merge upward, and at most the allowed rows leave: that is the base.
    """

    rows: int
    allowed: int
    k: int
    steps: ClassVar[None] = None
    most: ClassVar[float] = inf

    def of(self, levels: Sequence[int], counted: GroupSizes) -> Scored:
        groups, classes = len(counted.sizes), int(np.count_nonzero(~counted.out))
        released = self.rows - int(counted.sizes[counted.out].sum())
        cost = released / classes / self.k if classes else inf
        return Scored((self.rows - self.allowed) / groups / self.k, 0.0, cost)


def of(star: Star, objective: Objective, *, k: int, allowed: int) -> NodeCost:
    """What an objective says that nodes cost."""
    weights = _weights(star, objective)
    rising = [weight * np.arange(height + 1.0) for weight, height in zip(weights, star.heights, strict=True)]
    match objective.minimize:
        case "loss":
            return _loss(star)
        case "precision" | "distortion":
            # Distortion with uniform weights is what precision loses, cell by cell.
            return AddedUp(rising, [[np.broadcast_to(step, _CODES) for step in steps] for steps in rising], star.rows)
        case "discernibility":
            return DiscernibilityCost(star.rows)
        case "average_class_size":
            return AverageClassSizeCost(star.rows, allowed, k)
        case _:
            return LevelCost(rising)


def _weights(star: Star, objective: Objective) -> list[float]:
    if objective.weights is not None:
        return [objective.weights.get(dimension.attribute, 1.0) for dimension in star.dimensions]
    if objective.minimize in ("precision", "distortion"):
        return [1 / (len(star.heights) * height) for height in star.heights]
    return [1.0] * len(star.heights)


def _loss(star: Star) -> AddedUp:
    """Loss: the share of the other leaves that a cell's value covers, averaged over all cells (Iyengar 2002).

    It is the reference [11] of LeFevre, DeWitt, Ramakrishnan 2005; the cells of a row left out count as 1.
    """
    marginals = union_all(tuples.marginal(star, dimension) for dimension in star.dimensions)
    read = star.session.columns(
        Statement("search/objective/loss", generalization=star.generalization, marginals=marginals)
    )
    steps, cells = [], []
    for dimension in star.dimensions:
        own = read["dimension"] == dimension.position
        covered = (read["leaves"][own] - 1).reshape(dimension.height + 1, -1)
        rows = read["frequency"][own].reshape(covered.shape)
        most = len(star.dimensions) * max(1, covered.shape[1] - 1)
        # Sums of whole numbers, so that costs are the same in every run.
        steps.append((covered * rows).sum(axis=1) / most / star.rows)
        cells.append(list(covered / most))
    return AddedUp(steps, cells, star.rows)
