"""What ranges of numbers read, in plain Python: ends are the roundest numbers between neighbours."""

from __future__ import annotations

from collections.abc import Collection
from decimal import Decimal
from itertools import pairwise

STEPS = [Decimal(digit) * Decimal(10) ** power for power in range(19, -19, -1) for digit in (5, 1)]


def cut_point(before: Decimal, number: Decimal, unit: Decimal) -> Decimal:
    """The multiple of the largest step that lies between two neighbours, the one nearer zero; else the upper one."""
    if before < 0 < number:
        return Decimal(0)
    if before < 0:
        found = _between(-number, -before, unit)
        return number if found is None else -found
    found = _between(before, number, unit)
    return number if found is None else found


def _between(low: Decimal, high: Decimal, unit: Decimal) -> Decimal | None:
    multiples = ((low // step + 1) * step for step in STEPS if step >= unit)
    return next((multiple for multiple in multiples if multiple < high), None)


def label(numbers: Collection[object], known: Collection[object], *, whole: str = "*") -> str:
    """What a range of some of the known numbers reads."""
    every = sorted({Decimal(str(number)) for number in known})
    unit = Decimal(10) ** -max(-int(number.normalize().as_tuple().exponent) for number in [*every, Decimal(1)])
    cuts = {number: f"{cut_point(before, number, unit).normalize():f}" for before, number in pairwise(every)}
    after = dict(pairwise(every))
    some = [Decimal(str(number)) for number in numbers]
    low, high = cuts.get(min(some)), cuts.get(after.get(max(some), Decimal("NaN")))
    if low is None or high is None:
        return whole if low is high else f"< {high}" if low is None else f">= {low}"
    return f"[{low}, {high})"
