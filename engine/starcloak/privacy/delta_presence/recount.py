"""The verifier's own count of δ-presence: it shares nothing with the searches."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from starcloak.privacy.verdict import Judged
from starcloak.statements.statement import Joined, Name, Statement

if TYPE_CHECKING:
    from starcloak.privacy.delta_presence.model import DeltaPresence
    from starcloak.store.session import Session


def recount(session: Session, classes: Name, values: Joined, read: Sequence[Name], model: DeltaPresence) -> Judged:
    """Verdict on δ-presence, with the largest share (0 … 1) of a class's people with a row in the release.

    ``classes`` is a relation of the classes over ``values`` of the release and of its population, each with its number
    of rows ``size`` (possibly 0) and its number of ``people``.
    """
    least, most = Fraction(model.min), Fraction(model.max)
    binds = {"least": least.numerator, "least_parts": least.denominator}
    binds |= {"most": most.numerator, "most_parts": most.denominator}
    largest, violating, rows = session.row(Statement("privacy/delta_presence/recount", classes=classes), binds)
    return Judged(not violating, largest, violating, rows)
