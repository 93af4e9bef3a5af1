"""Bounds on shares as fractions with small denominators.

No share of at most ``rows`` rows lies between such a fraction and the original bound, so that both are equivalent.
"""

from __future__ import annotations

from fractions import Fraction


def at_most(bound: Fraction, rows: int, *, strict: bool = False) -> Fraction:
    """The largest fraction up to ``bound``, or below it if ``strict``, with a denominator of at most ``rows``.

    >>> at_most(Fraction(1, 3), 2), at_most(Fraction(2, 3), 10), at_most(Fraction(2, 3), 10, strict=True)
    (Fraction(0, 1), Fraction(2, 3), Fraction(5, 8))
    """
    if bound > 1 or (bound == 1 and not strict):
        return Fraction(1)
    above, below = bound.numerator, bound.denominator
    # Two neighbours among the fractions of so small denominators, the bound between them (Stern and Brocot). They move
    # towards each other, as many steps at once as go the same way; whole numbers, as there are very many bounds.
    low, of_low, high, of_high = 0, 1, 1, 1
    while of_low + of_high <= rows:
        room, slope = above * of_low - low * below, high * below - above * of_high
        times = (rows - of_low) // of_high
        if slope:
            times = min(times, (room - 1 if strict else room) // slope)
        if times >= 1:
            low, of_low = low + times * high, of_low + times * of_high
            continue
        times = (rows - of_high) // of_low
        if room:
            times = min(times, (slope if strict else slope - 1) // room)
        high, of_high = high + times * low, of_high + times * of_low
    return Fraction(low, of_low)


def told_from(bound: Fraction, rows: int) -> Fraction:
    """The largest fraction at most ``bound`` with a denominator of at most ``rows``; the bound may be above 1.

    The fraction and the original bound permit the same shares of ``rows`` rows. Products of its numerator and
    denominator stay small: SQLite rounds whole numbers of more than 64 bits, and other databases refuse them.

    >>> told_from(Fraction(333333333333333, 10**15), 100), told_from(Fraction("2.5"), 100)
    (Fraction(33, 100), Fraction(5, 2))
    """
    whole = bound.numerator // bound.denominator
    return whole + at_most(bound - whole, rows)


def at_least(bound: Fraction, rows: int, *, strict: bool = False) -> Fraction:
    """The smallest fraction from ``bound`` on, or above it if ``strict``, with a denominator of at most ``rows``."""
    return 1 - at_most(1 - bound, rows, strict=strict)
