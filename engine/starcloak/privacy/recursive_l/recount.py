"""The verifier's own count of recursive (c,l)-diversity: it shares nothing with the searches."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from starcloak.privacy.verdict import Judged
from starcloak.statements.statement import Joined, Name, Statement

if TYPE_CHECKING:
    from starcloak.privacy.recursive_l.model import RecursiveL
    from starcloak.store.session import Session


def recount(session: Session, classes: Name, values: Joined, read: Sequence[Name], model: RecursiveL) -> Judged:
    """Verdict on recursive (c,l)-diversity, with the largest ratio r_1 / (r_l + … + r_m) in a class over ``values``.

    r_1 … r_m are the rows per value in descending order. The ratio is None if a class has fewer than l values.
    ``classes`` is a relation of classes over ``values`` and more columns, with the rows of each as ``size``. ``read``
    has its sensitive column.
    """
    (sensitive,) = read
    factor = Fraction(model.c)
    frequent = session.run(
        Statement("privacy/recursive_l/recount", sensitive=sensitive, classes=classes, values=values), {"l": model.l}
    )
    violating = rows = 0
    worst: Fraction | None = Fraction(0)
    for first, rest, several, together in frequent:
        ratio = Fraction(first, rest) if rest else None
        worst = None if ratio is None or worst is None else max(worst, ratio)
        if ratio is None or ratio >= factor:
            violating, rows = violating + several, rows + together
    return Judged(not violating, float(worst) if frequent and worst is not None else None, violating, rows)
