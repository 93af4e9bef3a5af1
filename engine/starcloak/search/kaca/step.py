"""One round of KACA: small classes are suppressed as outliers, or merged with their nearest classes."""

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
    """Numbers of changes made in a round.

    ``mergers`` and ``splits`` (mergers with a stub) count mergers. ``outliers`` counts suppressed classes and
    ``suppressed`` their rows.
    """

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
    """Perform a round: small classes are merged with their nearest classes, in mergers independent of each other.

    ``number`` is the number of the round. Before the mergers, small classes farther than ``farthest`` from all others
    are suppressed, up to ``allowed`` rows; None suppresses no class. ``in_turn`` postpones mergers with another outcome
    if all were performed one after another in random order. Then the mergers equal consecutive steps of Algorithm 1
    (lines 3 to 6).
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
    """Suppress violating classes without any class to merge with.

    They occur if a single class is left, or if a job sets the highest level of an attribute: values under different
    tops have no common generalization. Raises :class:`~starcloak.base.errors.RequirementError` if these classes have
    more rows than ``allowed``.
    """
    session, violating = clustering.session, clustering.demand.violating
    alone = Statement("search/kaca/outliers#alone", violating=violating, nearest=NEAREST, classes=CLASSES)
    session.create(_OUTLIERS, alone)
    outliers, rows = session.row(Statement("search/kaca/outliers#counted", outliers=_OUTLIERS))
    if rows > allowed:
        raise RequirementError(
            "the last rows fit no class that satisfies the requirement: weaken the requirement, or allow more "
            "suppression"
        )
    clustering.suppress(_OUTLIERS)
    return RoundChange(outliers=outliers, suppressed=rows)


def _suppress(clustering: ClassTables, farthest: int | None, allowed: int) -> RoundChange:
    """Suppress small classes farther than ``farthest`` from their nearest class (2006, section 5).

    At most ``allowed`` rows are suppressed. Offers with a suppressed class are dropped. With None for ``farthest``, no
    class is suppressed.
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
