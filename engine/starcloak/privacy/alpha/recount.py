"""The verifier's own count of (alpha,k)-anonymity: it shares nothing with the searches."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from starcloak.privacy.verdict import Judged
from starcloak.statements.statement import Hole, Joined, Name, Statement

if TYPE_CHECKING:
    from starcloak.privacy.alpha.model import Alpha
    from starcloak.store.session import Session


def recount(session: Session, classes: Name, values: Joined, read: Sequence[Name], model: Alpha) -> Judged:
    """Verdict on (alpha,k)-anonymity, with the largest share of one value, or of one named value, in a class.

    ``classes`` is a relation of classes over ``values`` and more columns, with the rows of each as ``size``. ``read``
    has its sensitive column.
    """
    (sensitive,) = read
    share = Fraction(model.alpha)
    # For declared persons, a share refers to the persons of the class.
    everybody = Name("everybody" if model.of_persons else "size")
    size = Statement("privacy/alpha/recount#persons" if model.of_persons else "privacy/alpha/recount#rows")
    holes: dict[str, Hole] = {"sensitive": sensitive, "classes": classes, "values": values}
    holes |= {"everybody": everybody, "size": size}
    named = None if model.values is None else list(model.values)
    binds: dict[str, Any] = {"share": share.numerator, "parts": share.denominator, "named": named}
    largest, violating, rows = session.row(Statement("privacy/alpha/recount", **holes), binds)
    return Judged(not violating, largest, violating, rows)
