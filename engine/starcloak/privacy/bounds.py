"""Bounds of shares as fractions of few digits, which say the same of so many rows."""

from __future__ import annotations

from fractions import Fraction


def at_most(bound: Fraction, rows: int, *, strict: bool = False) -> Fraction:
    """The largest share of so many rows, or fewer, that is not above a bound, or is beneath it.

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
    """The largest fraction of a denominator of at most so many that is not above a bound, however large this is.

    It bounds the same shares of so many rows as the bound does, and products of its parts are as small as these: SQLite
    rounds whole numbers of more than 64 bits, other databases refuse them.

    >>> told_from(Fraction(333333333333333, 10**15), 100), told_from(Fraction("2.5"), 100)
    (Fraction(33, 100), Fraction(5, 2))
    """
    whole = bound.numerator // bound.denominator
    return whole + at_most(bound - whole, rows)


def at_least(bound: Fraction, rows: int, *, strict: bool = False) -> Fraction:
    """The smallest share of so many rows, or fewer, that is not beneath a bound, or is above it."""
    return 1 - at_most(1 - bound, rows, strict=strict)
