"""Models of the number of rows per value of one sensitive attribute in a class."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np
from pydantic import PrivateAttr

from starcloak.privacy.aggregates import Domain, Histogram, Wanted, counts, length
from starcloak.privacy.attribute import Diverse, OfAttribute
from starcloak.privacy.model import TableComparison
from starcloak.statements.statement import Hole, Joined, Name, Statement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from starcloak.privacy.groups import Groups, Integers, Pairs


_T = TypeVar("_T")


@dataclass
class _AtHand:
    """Cache of numbers derived from a model and its table, excluded from a comparison of two models."""

    numbers: Any = field(default=None, compare=False)


class OfHistogram(OfAttribute):
    """A model of the number of rows per value of a sensitive attribute, carried by frequency sets."""

    _at_hand: _AtHand = PrivateAttr(default_factory=_AtHand)

    @property
    def least_rows(self) -> int:
        return 1

    @property
    def size(self) -> Hole:
        """SQL expression for the base (denominator) of the shares in a group.

        The base is the number of rows. If persons count once per value, or rows without a value are excluded, it is the
        sum of the counts of all values.
        """
        if not (self.domain.once or self.domain.partial):
            return Name("frequency")
        if self.domain.in_text:
            return length(self.domain)
        return Statement("privacy/aggregates#all", rows=Joined(tuple(counts(self.domain)), " + "))

    def sizes(self, groups: Groups) -> Integers:
        """Base (denominator) of the shares in each in-memory group, as in :attr:`size`."""
        if not (self.domain.once or self.domain.partial):
            return groups.sizes
        pairs = self.pairs(groups)
        if pairs is not None:
            sizes: Integers = np.bincount(pairs.of, pairs.counts, len(groups.sizes)).astype(np.int64)
            return sizes
        codes = range(len(self.domain.totals))
        return sum((groups.rows_with(self.attribute, code) for code in codes), np.zeros_like(groups.sizes))

    def over(self, domain: Domain) -> Self:
        model = super().over(domain)
        model._at_hand = _AtHand()
        return model

    def at_hand(self, build: Callable[[], _T]) -> _T:
        """Result of ``build``, cached until the model is bound to another table: numbers for all verdicts on groups."""
        if self._at_hand.numbers is None:
            self._at_hand.numbers = build()
        numbers: _T = self._at_hand.numbers
        return numbers

    def pairs(self, groups: Groups) -> Pairs | None:
        """The pairs of an in-memory group and a value, for an attribute with its values in one text.

        None for an attribute with one column per value, and for groups without pairs in memory. Pairs with the missing
        value are excluded if the model excludes this value.
        """
        pairs = groups.pairs(self.attribute) if self.domain.in_text else None
        return None if pairs is None else pairs.below(len(self.domain.totals))

    @property
    def carried(self) -> tuple[Wanted, ...]:
        return (Histogram(self.attribute),)

    @property
    @abstractmethod
    def violating_counts(self) -> Statement:
        """SQL condition for groups in violation of the model, by rows per value; for groups with at least one value."""

    @abstractmethod
    def violates_by_counts(self, groups: Groups) -> NDArray[np.bool_]:
        """Mask of in-memory groups in violation of the model, by their numbers of rows per value."""

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
    """A model of the distribution of values in a class alone, such as entropy l-diversity."""

    @property
    def carried(self) -> tuple[Wanted, ...]:
        return (*super().carried, self.lacked)

    @property
    def violating(self) -> Statement:
        return self.or_shared(super().violating)

    def violates(self, groups: Groups) -> NDArray[np.bool_]:
        return super().violates(groups) | self.is_shared(groups)


class ComparedHistogram(TableComparison, OfHistogram):
    """A model of the distribution of values in a class, compared with their distribution in the whole table."""

    _of_source: bool = PrivateAttr(default=False)

    @property
    def of_source(self) -> bool:
        return self._of_source

    def beside_source(self) -> Self:
        model = self.model_copy()
        model._of_source = True
        return model

    @property
    def beside(self) -> str:
        """Text for messages: the base of comparison if it is the source; empty if it is the release."""
        return " compared with the source" if self._of_source else ""
