"""What one round does, or some steps one after another."""

from __future__ import annotations

from dataclasses import dataclass

from starcloak.search.kaca import merge, nearest
from starcloak.search.kaca.classes import CLASSES, NEAREST, ClassTables
from starcloak.search.kaca.merge import FORMED, MERGERS, OFFERS
from starcloak.statements.statement import Name, Statement

_CHOSEN = Name("kaca_chosen")
_OUTLIERS = Name("kaca_outliers")

# So many steps are looked at together.
_AHEAD = 32


@dataclass(frozen=True)
class RoundChange:
    """What changed in a round, or in some steps."""

    mergers: int = 0
    splits: int = 0
    outliers: int = 0
    suppressed: int = 0

    def __add__(self, other: RoundChange) -> RoundChange:
        return RoundChange(
            self.mergers + other.mergers,
            self.splits + other.splits,
            self.outliers + other.outliers,
            self.suppressed + other.suppressed,
        )


def together(clustering: ClassTables, number: int, *, farthest: int | None, allowed: int) -> RoundChange:
    """A round: every small class asks for its nearest; mergers that do not depend on each other take place."""
    session = clustering.session
    binds = {"seed": clustering.seed, "round": number}
    session.create(OFFERS, merge.offers(clustering, NEAREST), binds)
    suppressed = _suppress(clustering, farthest, allowed)
    mergers = merge.independent(clustering)
    return suppressed + RoundChange(mergers=mergers, splits=merge.merge(clustering))


def one_by_one(clustering: ClassTables, number: int, *, farthest: int | None, allowed: int) -> RoundChange:
    """Steps from a number on: a class, chosen at random, is generalized with its nearest (Algorithm 1, lines 3 to 6).

    Some steps are looked at together. Those take place that find what they would find one after another, up to the
    first that may not.
    """
    session, ahead = clustering.session, _AHEAD if farthest is None else 1
    binds = {"seed": clustering.seed}
    chosen = Statement("search/kaca/steps#chosen", {"violating": clustering.demand.violating, "classes": CLASSES})
    session.create(_CHOSEN, chosen, {**binds, "step": number, "steps": ahead})
    choosing = Statement("search/kaca/distances#choosing", {"classes": CLASSES, "chosen": _CHOSEN})
    session.create(NEAREST, nearest.all_pairs(clustering, seekers=choosing), binds)
    offers = Statement("search/kaca/steps", {"offers": merge.offers(clustering, NEAREST), "chosen": _CHOSEN})
    session.create(OFFERS, offers, {**binds, "round": number})
    suppressed = _suppress(clustering, farthest, allowed)
    if suppressed.outliers:
        return suppressed
    merge.form(clustering, OFFERS)
    (disturbed,) = session.row(nearest.first_disturbed(clustering, OFFERS, FORMED), binds)
    end = number + ahead if disturbed is None else max(disturbed, number + 1)
    session.create(MERGERS, Statement("search/kaca/steps#first", {"steps": OFFERS}), {"step": end})
    return RoundChange(mergers=end - number, splits=merge.merge(clustering))


def _suppress(clustering: ClassTables, farthest: int | None, allowed: int) -> RoundChange:
    """Suppress what is too far from everything (2006, section 5), while that is allowed. Their offers fall away."""
    if farthest is None or allowed <= 0:
        return RoundChange()
    session = clustering.session
    binds = {"threshold": farthest, "allowed": allowed}
    session.create(_OUTLIERS, Statement("search/kaca/outliers", {"offers": OFFERS}), binds)
    outliers, rows = session.row(Statement("search/kaca/outliers#counted", {"outliers": _OUTLIERS}))
    if outliers:
        clustering.suppress(_OUTLIERS)
        rest = Name("kaca_rest")
        session.create(rest, merge.offers_untouched(_OUTLIERS))
        session.create(OFFERS, Statement("store/relation", {"relation": rest}))
    return RoundChange(outliers=outliers, suppressed=rows)
