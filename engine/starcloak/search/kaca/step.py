"""One round of merging."""

from __future__ import annotations

from dataclasses import dataclass

from starcloak.base.errors import RequirementError
from starcloak.search.kaca import merge, nearest
from starcloak.search.kaca.classes import CLASSES, NEAREST, ClassTables
from starcloak.search.kaca.merge import FORMED, MERGERS, OFFERS
from starcloak.statements.statement import Name, Statement

_OUTLIERS = Name("kaca_outliers")


@dataclass(frozen=True)
class RoundChange:
    """Changes made in a round."""

    mergers: int = 0
    splits: int = 0
    outliers: int = 0
    suppressed: int = 0

    def __add__(self, other_change: RoundChange) -> RoundChange:
        return RoundChange(
            self.mergers + other_change.mergers,
            self.splits + other_change.splits,
            self.outliers + other_change.outliers,
            self.suppressed + other_change.suppressed,
        )


def together(
    clustering: ClassTables, number: int, *, farthest: int | None, allowed: int, in_turn: bool = False
) -> RoundChange:
    """Perform a round: every small class asks for its nearest, and mergers independent of each other take place.

    ``in_turn`` holds back mergers that would find another state if all took place one after another, in their random
    order. The remaining mergers are steps of Algorithm 1 (lines 3 to 6), one after another.
    """
    session = clustering.session
    binds = {"seed": clustering.seed, "round": number}
    session.create(OFFERS, merge.offers(clustering, NEAREST), binds)
    suppressed = _suppress(clustering, farthest, allowed)
    mergers = merge.independent(clustering)
    if in_turn:
        merge.form(clustering, MERGERS)
        waiting = nearest.disturbed(clustering, MERGERS, FORMED)
        leave = Statement("search/kaca/disturbed#leave", mergers=MERGERS, disturbed=waiting)
        mergers -= session.row(leave)[0]
    return suppressed + RoundChange(mergers=mergers, splits=merge.merge(clustering))


def leave_out_alone(clustering: ClassTables, *, allowed: int) -> RoundChange:
    """Suppress violating classes without a class to join. A job's highest level of an attribute can cause this.

    Raises :class:`~starcloak.base.errors.RequirementError` if they have more rows than may be suppressed.
    """
    session, violating = clustering.session, clustering.demand.violating
    alone = Statement("search/kaca/outliers#alone", violating=violating, nearest=NEAREST, classes=CLASSES)
    session.create(_OUTLIERS, alone)
    outliers, rows = session.row(Statement("search/kaca/outliers#counted", outliers=_OUTLIERS))
    if rows > allowed:
        raise RequirementError(
            "the remaining rows do not satisfy the requirement: require less, or allow more suppression"
        )
    clustering.suppress(_OUTLIERS)
    return RoundChange(outliers=outliers, suppressed=rows)


def _suppress(clustering: ClassTables, farthest: int | None, allowed: int) -> RoundChange:
    """Suppress classes too far from all others (2006, section 5), within the allowed rows. Their offers are
    dropped.
    """
    if farthest is None or allowed <= 0:
        return RoundChange()
    session = clustering.session
    binds = {"threshold": farthest, "allowed": allowed}
    session.create(_OUTLIERS, Statement("search/kaca/outliers", offers=OFFERS), binds)
    outliers, rows = session.row(Statement("search/kaca/outliers#counted", outliers=_OUTLIERS))
    if outliers:
        clustering.suppress(_OUTLIERS)
        rest = Name("kaca_rest")
        session.create(rest, merge.offers_untouched(_OUTLIERS))
        session.create(OFFERS, Statement("store/relation", relation=rest))
    return RoundChange(outliers=outliers, suppressed=rows)
