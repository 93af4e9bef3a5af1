"""The verifier's own count of k-anonymity: it shares nothing with the searches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from starcloak.privacy.verdict import Judged
from starcloak.statements.statement import Joined, Name, Statement

if TYPE_CHECKING:
    from starcloak.privacy.k_anonymity.model import KAnonymity
    from starcloak.store.session import Session

_LARGEST = 2**63 - 1  # of a whole number, and more than any table has rows


def recount(session: Session, classes: Name, values: Joined, read: Sequence[Name], model: KAnonymity) -> Judged:
    """Verdict on k-anonymity, with the smallest number of rows in a class over ``values``.

    ``classes`` is a relation of classes over ``values`` and more columns, each with its number of rows ``size``.
    """
    counted = Statement(
        "privacy/k_anonymity/violating",
        sizes=Statement("privacy/k_anonymity/regrouped", classes=classes, values=values),
    )
    _, _, fewest, violating, rows = session.row(counted, {"k": min(model.k, _LARGEST)})
    return Judged(fewest is None or fewest >= model.k, fewest, violating, rows)
