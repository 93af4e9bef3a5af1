"""The verifier's own count of distinct l-diversity: it shares nothing with the searches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from starcloak.privacy.verdict import Judged
from starcloak.statements.statement import Joined, Name, Statement

if TYPE_CHECKING:
    from starcloak.privacy.l_diversity.model import Distinct
    from starcloak.store.session import Session

_LARGEST = 2**63 - 1  # of a whole number, and more than any table has rows


def recount(session: Session, classes: Name, values: Joined, read: Sequence[Name], model: Distinct) -> Judged:
    """Verdict on distinct l-diversity, with the smallest number of distinct sensitive values in a class.

    ``classes`` is a relation of classes over ``values`` and more columns, with the rows of each as ``size``. ``read``
    has its sensitive column.
    """
    (sensitive,) = read
    statement = Statement("privacy/l_diversity/recount", sensitive=sensitive, classes=classes, values=values)
    fewest, violating, rows = session.row(statement, {"l": min(model.least, _LARGEST)})
    return Judged(fewest is None or fewest >= model.least, fewest, violating, rows)
