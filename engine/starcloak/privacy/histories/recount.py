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
    """The smallest number of persons with the same multiset of tuples over ``values``.

    ``classes`` is a table of classes over more columns, with ``size``; ``read`` has its columns of a person.
    """
    counted = session.row(
        Statement("privacy/histories/recount", histories=alike(classes, values, read)),
        {"k": min(model.k, _LARGEST)},
    )
    _, _, fewest, violating, rows, persons = counted
    return Judged(fewest is None or fewest >= model.k, fewest, violating, rows, persons)


def alike(classes: Name, values: Joined, read: Sequence[Name]) -> Statement:
    """The histories over ``values``, with the number of persons of each as ``size``."""
    return Statement(
        "privacy/histories/recount#alike", persons=Joined(tuple(read), ", "), classes=classes, values=values
    )
