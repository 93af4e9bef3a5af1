"""Models that bound the share of a class's rows that have a value of a sensitive attribute."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from starcloak.privacy.carried import counts
from starcloak.privacy.groups import beyond
from starcloak.privacy.histogram import OfHistogram
from starcloak.statement import Joined, Number, Statement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from starcloak.privacy.groups import Groups


class Shares(OfHistogram):
    """A model that holds where the share of every value lies between two bounds, which depend on the table alone."""

    @abstractmethod
    def bounds(self) -> Iterator[tuple[int, Fraction | None, Fraction | None]]:
        """The smallest and the largest share of values, by their codes; None where any share will do."""

    @property
    def violating(self) -> Statement:
        rows, conditions = counts(self.domain), []
        for code, least, most in self.bounds():
            for kind, share in (("privacy/shares#below", least), ("privacy/shares#above", most)):
                if share is not None:
                    numbers = {"share": Number(share.numerator), "parts": Number(share.denominator)}
                    conditions.append(Statement(kind, {"rows": rows[code], "size": self.size, **numbers}))
        found = Joined(tuple(conditions or [Statement("privacy/shares#never")]), " or ")
        return Statement("privacy/violating", {"models": found})

    def violates(self, groups: Groups) -> NDArray[np.bool_]:
        sizes = self.sizes(groups)
        found = np.zeros(sizes.shape, bool)
        for code, least, most in self.bounds():
            rows = groups.rows_with(self.attribute, code)
            if most is not None:
                found |= beyond(rows, most, sizes)
            if least is not None:
                found |= beyond(sizes, 1 / least, rows)
        return found


def at_most(bound: Fraction, rows: int, *, strict: bool = False) -> Fraction:
    """The largest share of so many rows, or fewer, that is not above a bound, or is beneath it.

    >>> at_most(Fraction(1, 3), 2), at_most(Fraction(2, 3), 10), at_most(Fraction(2, 3), 10, strict=True)
    (Fraction(0, 1), Fraction(2, 3), Fraction(5, 8))
    """
    low, high = Fraction(0), Fraction(1)
    if high < bound or (high == bound and not strict):
        return high
    # Two neighbours among the fractions of so small denominators, the bound between them (Stern and Brocot).
    while low.denominator + high.denominator <= rows:
        middle = Fraction(low.numerator + high.numerator, low.denominator + high.denominator)
        steps = _steps(low, high, bound, rows, strict)
        if steps:
            low, high = steps
            continue
        below = middle < bound if strict else middle <= bound
        low, high = (middle, high) if below else (low, middle)
    return low


def _steps(low: Fraction, high: Fraction, bound: Fraction, rows: int, strict: bool) -> tuple[Fraction, Fraction] | None:
    """As many steps at once as go the same way; None where that is none."""
    # low moves towards high while (low + times * high) stays beneath the bound, or the other way round.
    room = bound * low.denominator - low.numerator
    slope = high.numerator - bound * high.denominator
    times = (rows - low.denominator) // high.denominator
    if slope > 0:
        reach = room / slope
        fitting = reach.__ceil__() - 1 if strict else reach.__floor__()
        times = min(times, fitting)
    if times >= 1:
        return Fraction(low.numerator + times * high.numerator, low.denominator + times * high.denominator), high
    times = (rows - high.denominator) // low.denominator
    if room > 0 or (room == 0 and strict):
        if room == 0:
            fitting = times
        else:
            reach = slope / room
            fitting = reach.__floor__() if strict else reach.__ceil__() - 1
        times = min(times, fitting)
    if times >= 1:
        return low, Fraction(high.numerator + times * low.numerator, high.denominator + times * low.denominator)
    return None


def at_least(bound: Fraction, rows: int, *, strict: bool = False) -> Fraction:
    """The smallest share of so many rows, or fewer, that is not beneath a bound, or is above it."""
    return 1 - at_most(1 - bound, rows, strict=strict)
