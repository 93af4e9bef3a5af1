"""The verifier's own count of k-map: it shares nothing with the searches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from starcloak.privacy.verdict import Judged
from starcloak.statements.statement import Joined, Name, Statement

if TYPE_CHECKING:
    from starcloak.privacy.k_map.model import KMap
    from starcloak.store.session import Session

_LARGEST = 2**63 - 1  # of a whole number, and more than any population has people


def recount(session: Session, classes: Name, values: Joined, read: Sequence[Name], model: KMap) -> Judged:
    """Verdict on k-map, with the smallest number of the population's people in a class of the release.

    ``classes`` is a relation of the classes over ``values``, each with its number of rows ``size`` and its number of
    ``people``. Classes without rows do not belong to the release and are ignored.
    """
    fewest, violating, rows = session.row(
        Statement("privacy/k_map/recount", classes=classes), {"k": min(model.k, _LARGEST)}
    )
    return Judged(fewest is None or fewest >= model.k, fewest, violating, rows)
