"""The verifier's own count of δ-disclosure privacy: it shares nothing with the searches."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from starcloak.privacy.verdict import Judged
from starcloak.statements.statement import Hole, Joined, Name, Statement

if TYPE_CHECKING:
    from starcloak.privacy.delta_disclosure.model import DeltaDisclosure
    from starcloak.store.session import Session

_COUNTED = Name("recounted_delta")


def recount(session: Session, classes: Name, values: Joined, read: Sequence[Name], model: DeltaDisclosure) -> Judged:
    """Verdict on δ-disclosure privacy, with the largest abs(log2(q / p)) of a sensitive value in a class.

    q is a value's share in the class, p in the table. The figure is None if a value of the table is not in a class.
    ``classes`` is a relation of classes over ``values`` and more columns, with the rows of each as ``size``. ``read``
    has its sensitive column. For a model compared with the source, ``classes`` also has the source's values, with their
    number of rows as ``everywhere`` and ``size`` 0. Floats decide clear classes; the others are fetched and decided
    exactly.
    """
    (sensitive,) = read
    everywhere = Name("everywhere" if model.of_source else "size")
    holes: dict[str, Hole] = {"sensitive": sensitive, "classes": classes, "everywhere": everywhere}
    counted = Statement("privacy/class_values", **holes, values=values)
    statement = Statement("privacy/delta_disclosure/recount", **holes, counted=counted)
    session.create(_COUNTED, statement, {"delta": float(model.delta)})
    lacking, largest, violating, rows = session.row(Statement("privacy/delta_disclosure/recount#far", counted=_COUNTED))
    for near, size, whole, several, together in session.run(Statement("privacy/undecided", counted=_COUNTED)):
        if not all(holds(Fraction(count * whole, size * total), Fraction(model.delta)) for count, total in near):
            violating, rows = violating + several, rows + together
    session.drop(_COUNTED)
    return Judged(not violating, None if lacking else largest, violating, rows)


def holds(ratio: Fraction, power: Fraction) -> bool:
    """True if abs(log2(ratio)) < power, exactly.

    The logarithm is rational only if the ratio is a power of 2; then it is a whole number.
    """
    larger = max(ratio, 1 / ratio)
    exponent = larger.numerator.bit_length() - 1
    if larger == 2**exponent:
        return exponent < power
    digits = 30
    while True:
        context = Context(prec=digits)
        two = context.multiply(context.ln(Decimal(2)), context.divide(power.numerator, power.denominator))
        logarithm = context.subtract(context.ln(Decimal(larger.numerator)), context.ln(Decimal(larger.denominator)))
        gap = context.subtract(two, logarithm)
        if gap.copy_abs() > context.scaleb(Decimal(10_000_000), -digits):
            return gap > 0
        digits *= 2
