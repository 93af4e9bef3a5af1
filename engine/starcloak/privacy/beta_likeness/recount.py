"""The verifier's own count of β-likeness: it shares nothing with the searches."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from starcloak.privacy.verdict import Judged
from starcloak.statements.statement import Joined, Name, Statement

if TYPE_CHECKING:
    from starcloak.privacy.beta_likeness.model import BetaLikeness
    from starcloak.store.session import Session

_COUNTED = Name("recounted_beta")


def recount(session: Session, classes: Name, values: Joined, read: Sequence[Name], model: BetaLikeness) -> Judged:
    """Verdict on β-likeness, with the largest relative gain (q - p) / p of one sensitive value in a class.

    ``classes`` is a relation of classes over ``values`` and more columns, with the rows of each as ``size``. ``read``
    has its sensitive column. For a model compared with the source, ``classes`` also has the source's values, with their
    number of rows as ``everywhere`` and ``size`` 0. Floats decide clear classes; the others are fetched and decided
    exactly.
    """
    (sensitive,) = read
    everywhere = Name("everywhere" if model.of_source else "size")
    counted = Statement(
        "privacy/class_values", sensitive=sensitive, classes=classes, values=values, everywhere=everywhere
    )
    binds = {"beta": float(model.beta), "enhanced": model.enhanced}
    session.create(_COUNTED, Statement("privacy/beta_likeness/recount", counted=counted), binds)
    largest, violating, rows = session.row(Statement("privacy/beta_likeness/recount#far", counted=_COUNTED))
    for near, size, whole, several, together in session.run(Statement("privacy/undecided", counted=_COUNTED)):
        if not all(holds(Fraction(count, size), Fraction(total, whole), model) for count, total in near):
            violating, rows = violating + several, rows + together
    session.drop(_COUNTED)
    return Judged(not violating, largest, violating, rows)


def holds(here: Fraction, everywhere: Fraction, model: BetaLikeness) -> bool:
    """True if the share ``here`` of a value in a class is within the bound of its share ``everywhere`` in the table.

    The comparison is exact.
    """
    gain = here / everywhere - 1
    if gain > Fraction(model.beta):
        return False
    return not model.enhanced or _at_most_logarithm(gain, everywhere)


def _at_most_logarithm(gain: Fraction, share: Fraction) -> bool:
    """True if ``gain`` is at most -ln(``share``), exactly. The two sides are equal only if both are 0."""
    if gain <= 0:
        return True
    digits = 30
    while True:
        context = Context(prec=digits)
        logarithm = context.subtract(context.ln(Decimal(share.denominator)), context.ln(Decimal(share.numerator)))
        gap = context.subtract(logarithm, context.divide(Decimal(gain.numerator), Decimal(gain.denominator)))
        lost = len(str(share.denominator)) + len(str(gain.numerator))
        if gap.copy_abs() > context.scaleb(Decimal(1000), lost - digits):
            return gap > 0
        digits *= 2
