"""Models of the number of rows per value of one sensitive attribute in a class."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from starcloak.privacy.aggregates import Histogram, Wanted, counts
from starcloak.privacy.attribute import Diverse, OfAttribute
from starcloak.statements.statement import Hole, Joined, Name, Statement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from starcloak.privacy.groups import Groups, Integers


class OfHistogram(OfAttribute):
    """A model of an attribute with rows per value in frequency sets."""

    @property
    def least_rows(self) -> int:
        return 1

    @property
    def size(self) -> Hole:
        """Base of a group's shares: its rows or, if not every row counts, the sum of all value counts."""
        if not (self.domain.once or self.domain.partial):
            return Name("frequency")
        return Statement("privacy/aggregates#all", rows=Joined(tuple(counts(self.domain)), " + "))

    def sizes(self, groups: Groups) -> Integers:
        """Base of in-memory groups' shares: their rows or, if not every row counts, the sum of all value counts."""
        if not (self.domain.once or self.domain.partial):
            return groups.sizes
        codes = range(len(self.domain.totals))
        return sum((groups.rows_with(self.attribute, code) for code in codes), np.zeros_like(groups.sizes))

    @property
    def carried(self) -> tuple[Wanted, ...]:
        return (Histogram(self.attribute),)

    @property
    @abstractmethod
    def violating_counts(self) -> Statement:
        """The condition for a violation of the model by the counts of a group with at least one value."""

    @abstractmethod
    def violates_by_counts(self, groups: Groups) -> NDArray[np.bool_]:
        """Mask of in-memory groups in violation of the model by their counts."""

    @property
    def violating(self) -> Statement:
        if not self.domain.totals:
            return Statement("privacy/aggregates#always")
        if not self.domain.partial:
            return self.violating_counts
        blank = Statement("privacy/aggregates#blank", size=self.size)
        return Statement("privacy/violating", models=Joined((blank, self.violating_counts), " or "))

    def violates(self, groups: Groups) -> NDArray[np.bool_]:
        if not self.domain.totals:
            return np.ones(groups.sizes.shape, bool)
        violating = self.violates_by_counts(groups)
        return violating | (self.sizes(groups) == 0) if self.domain.partial else violating


class DiverseHistogram(Diverse, OfHistogram):
    """A model of the distribution of values in a class."""

    @property
    def carried(self) -> tuple[Wanted, ...]:
        return (*super().carried, self.lacked)

    @property
    def violating(self) -> Statement:
        return self.or_shared(super().violating)

    def violates(self, groups: Groups) -> NDArray[np.bool_]:
        return super().violates(groups) | self.is_shared(groups)
