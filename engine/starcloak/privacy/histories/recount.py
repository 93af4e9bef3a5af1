"""The verifier's own count of histories: it shares nothing with the searches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from starcloak.privacy.verdict import Judged
from starcloak.statements.statement import Joined, Name, Statement

if TYPE_CHECKING:
    from starcloak.privacy.histories.model import Histories
    from starcloak.store.session import Session

_LARGEST = 2**63 - 1  # of a whole number, and more than any table has rows


def recount(session: Session, classes: Name, values: Joined, read: Sequence[Name], model: Histories) -> Judged:
    """Verdict on histories, with the smallest number of persons with the same multiset of tuples over ``values``.

    ``classes`` is a relation of classes over ``values`` and more columns, with the rows of each as ``size``. ``read``
    has its columns to identify a person.
    """
    counted = session.row(
        Statement("privacy/histories/recount", histories=alike(classes, values, read)),
        {"k": min(model.k, _LARGEST)},
    )
    _, _, fewest, violating, rows, persons = counted
    return Judged(fewest is None or fewest >= model.k, fewest, violating, rows, persons)


def alike(classes: Name, values: Joined, read: Sequence[Name]) -> Statement:
    """SQL query: one row per history, a multiset of a person's tuples over ``values``, with the number of persons."""
    return Statement(
        "privacy/histories/recount#alike", persons=Joined(tuple(read), ", "), classes=classes, values=values
    )
