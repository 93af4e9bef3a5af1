"""Models with bounds on the share of a class's rows per value of a sensitive attribute."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from starcloak.privacy.aggregates import counts, entries, whole_numbers
from starcloak.privacy.groups import beyond
from starcloak.privacy.histogram import OfHistogram
from starcloak.statements.statement import Hole, Joined, Number, Statement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from starcloak.privacy.groups import Groups, Integers, Pairs


class Shares(OfHistogram):
    """A model with bounds on the share of every value in a class; the bounds are the same for all classes."""

    @abstractmethod
    def bounds(self) -> Iterator[tuple[int, Fraction | None, Fraction | None]]:
        """Code, smallest and largest share in a class (0 … 1) of each value with a bound; None for no bound."""

    @property
    def violating_counts(self) -> Statement:
        if self.domain.in_text:
            return self._violating_text
        rows, conditions = counts(self.domain), []
        for code, least, most in self.bounds():
            for kind, share in (("privacy/shares#below", least), ("privacy/shares#above", most)):
                if share is not None:
                    numbers = {"share": Number(share.numerator), "parts": Number(share.denominator)}
                    conditions.append(Statement(kind, rows=rows[code], size=self.size, **numbers))
        conditions_joined = Joined(tuple(conditions or [Statement("privacy/shares#never")]), " or ")
        return Statement("privacy/violating", models=conditions_joined)

    @property
    def _violating_text(self) -> Statement:
        holes: dict[str, Hole] = {"entries": entries(self.domain), "size": self.size}
        conditions = []
        for kind, bounds in zip(("privacy/shares#any_below", "privacy/shares#any_above"), self._fractions, strict=True):
            bounded = sum(share is not None for share in bounds)
            if bounded:
                shares = whole_numbers(None if share is None else share.numerator for share in bounds)
                parts = whole_numbers(None if share is None else share.denominator for share in bounds)
                more = {"values": Number(bounded)} if kind.endswith("below") else {}
                conditions.append(Statement(kind, **holes, shares=shares, parts=parts, **more))
        models = Joined(tuple(conditions or [Statement("privacy/shares#never")]), " or ")
        return Statement("privacy/violating", models=models)

    @property
    def _fractions(self) -> tuple[list[Fraction | None], list[Fraction | None]]:
        """Two lists by the values' codes: the smallest shares and the largest shares; None for no bound."""
        least: list[Fraction | None] = [None] * len(self.domain.totals)
        most = list(least)
        for code, *bounds in self.bounds():
            least[code], most[code] = bounds
        return least, most

    def _violates_by_pairs(self, pairs: Pairs, sizes: Integers) -> NDArray[np.bool_]:
        """Mask of groups in violation of a bound, from pairs of group and value and the base ``sizes`` of shares.

        The comparison is exact in 64-bit numbers: denominators of bounds are at most the number of rows of the table.
        """
        least, most = self.at_hand(lambda: tuple(_as_arrays(bounds) for bounds in self._fractions))
        violating = np.zeros(sizes.shape, bool)
        of, value, rows = pairs.of, pairs.value, pairs.counts
        shares, parts = most
        violating[of[rows * parts[value] > sizes[of] * shares[value]]] = True
        shares, parts = least
        is_enough = (parts[value] > 0) & (rows * parts[value] >= sizes[of] * shares[value])
        few = np.bincount(of[is_enough], minlength=len(sizes)) < np.count_nonzero(parts)
        return violating | (few & (sizes > 0))

    def violates_by_counts(self, groups: Groups) -> NDArray[np.bool_]:
        sizes, pairs = self.sizes(groups), self.pairs(groups)
        if pairs is not None:
            return self._violates_by_pairs(pairs, sizes)
        violating = np.zeros(sizes.shape, bool)
        for code, least, most in self.bounds():
            rows = groups.rows_with(self.attribute, code)
            if most is not None:
                violating |= beyond(rows, most, sizes)
            if least is not None:
                violating |= beyond(sizes, 1 / least, rows)
        return violating


def _as_arrays(bounds: Sequence[Fraction | None]) -> tuple[Integers, Integers]:
    """Arrays of the numerators and of the denominators of bounds; both entries are 0 for a value without a bound."""
    shares = np.array([0 if share is None else share.numerator for share in bounds], np.int64)
    return shares, np.array([0 if share is None else share.denominator for share in bounds], np.int64)
