"""The verifier's own count of entropy l-diversity: it shares nothing with the searches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from math import log
from typing import TYPE_CHECKING

from starcloak.privacy.verdict import Judged
from starcloak.statements.statement import Joined, Name, Statement

if TYPE_CHECKING:
    from starcloak.privacy.entropy_l.model import EntropyL
    from starcloak.store.session import Session

_COUNTED = Name("recounted_entropy")


def recount(session: Session, classes: Name, values: Joined, read: Sequence[Name], model: EntropyL) -> Judged:
    """Verdict on entropy l-diversity, with the least exp(entropy) of a class: its effective number of values.

    ``classes`` is a relation of classes over ``values`` and more columns, with the rows of each as ``size``. ``read``
    has its sensitive column. Floats decide clear classes; the others are read and decided exactly.
    """
    (sensitive,) = read
    least = Fraction(model.l)
    session.create(
        _COUNTED,
        Statement("privacy/entropy_l/recount", sensitive=sensitive, classes=classes, values=values),
        {"log": log(least)},
    )
    fewest, violating, rows = session.row(Statement("privacy/entropy_l/recount#far", counted=_COUNTED))
    for counts, several, together in session.run(Statement("privacy/entropy_l/recount#near", counted=_COUNTED)):
        if not holds(counts, least):
            violating, rows = violating + several, rows + together
    session.drop(_COUNTED)
    return Judged(not violating, fewest, violating, rows)


def holds(counts: Sequence[int], least: Fraction) -> bool:
    """True if the entropy of these row counts per value is at least the entropy of ``least`` equal shares, exactly.

    The condition is n ** n >= least ** n * product of c ** c. Both sides are equal if every prime has the same exponent
    on both sides; otherwise their logarithms differ, and enough digits show the larger side. Primes of the bound absent
    from all row counts are kept together as one factor.

    >>> holds([2, 2], Fraction(2)), holds([2, 1], Fraction(2)), holds([5, 5, 5], Fraction(3))
    (True, False, True)
    """
    size = sum(counts)
    powers = Counter[int]()
    for number, times in [(size, size), *((count, -count) for count in counts)]:
        _multiply(powers, number, times)
    for number, times in [(least.denominator, size), (least.numerator, -size)]:
        _multiply_known(powers, number, times)
    if not any(powers.values()):
        return True
    digits = 30
    while True:
        context = Context(prec=digits)
        gap = _sum(context, powers.items())
        # Each term is rounded twice, to a unit of its last digit, and so is each sum.
        terms = sum(abs(times) for times in powers.values()) * 64 + 1
        if gap.copy_abs() > context.scaleb(Decimal(terms), 3 - digits):
            return gap > 0
        digits *= 2


def _sum(context: Context, factors: Iterable[tuple[int, int]]) -> Decimal:
    total = Decimal(0)
    for prime, times in factors:
        total = context.add(total, context.multiply(Decimal(times), context.ln(Decimal(prime))))
    return total


def _multiply(powers: Counter[int], number: int, times: int) -> None:
    """Add the prime factors of ``number`` ** ``times`` to ``powers``, which has the exponent of each prime."""
    prime = 2
    while prime * prime <= number:
        while number % prime == 0:
            powers[prime] += times
            number //= prime
        prime += 1
    if number > 1:
        powers[number] += times


def _multiply_known(powers: Counter[int], number: int, times: int) -> None:
    """Add the factors of ``number`` ** ``times`` to ``powers``: known primes, and the remainder as one."""
    for prime in tuple(powers):
        while number % prime == 0:
            powers[prime] += times
            number //= prime
    if number > 1:
        powers[number] += times
