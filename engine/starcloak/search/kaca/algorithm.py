"""The loop: KACA (Li, Wong, Fu, Pei 2006), KACA1 and KACA2 (2008)."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from starcloak.job import Kaca
from starcloak.search.kaca import classes, inconsistency, merge, nearest, weights
from starcloak.search.kaca.classes import CLASSES, Clustering
from starcloak.search.kaca.merge import MERGERS, OFFERS
from starcloak.search.kaca.nearest import NEAREST
from starcloak.star import Star
from starcloak.statement import Name, Statement

log = logging.getLogger("starcloak")

_OUTLIERS = Name("kaca_outliers")

# Progress is told every so many rounds or steps.
_REPORTED = {"rounds": 1, "sequential": 100}


@dataclass(frozen=True)
class Done:
    """What a search did. Distances are those of the job's weights; ``distortion`` is Definition 7 of released rows.

    ``global_levels`` are the levels that KACA2 recoded to before, ``lowest_levels`` those it raised to after.
    """

    started: int
    classes: int
    rounds: int
    mergers: int
    splits: int
    outliers: int
    suppressed: int
    distortion: float
    global_levels: tuple[int, ...]
    lowest_levels: tuple[int, ...]


@dataclass(frozen=True)
class _Step:
    """One round, or one step of the sequential loop."""

    mergers: int = 0
    splits: int = 0
    outliers: int = 0
    suppressed: int = 0

    def __add__(self, other: _Step) -> _Step:
        return _Step(
            self.mergers + other.mergers,
            self.splits + other.splits,
            self.outliers + other.outliers,
            self.suppressed + other.suppressed,
        )


def search(star: Star, settings: Kaca, *, k: int, allowed: int, seed: int) -> Done:
    """Search a local recoding: creates the recoding relation.

    ``allowed`` rows at most are suppressed, and only where the job has a distance threshold. Raises
    :class:`~starcloak.errors.JobError` for weights that do not fit the hierarchies.
    """
    scale = weights.exact(star, settings.weights, priority=settings.priority, k=k)
    levels: tuple[int, ...] = (0,) * len(star.dimensions)
    if settings.variant == "kaca2":
        levels = inconsistency.global_levels(star, k=k, maximum=settings.max_inconsistency)
    clustering = classes.form(star, scale, levels=levels, k=k, seed=seed)
    index = nearest.path(clustering) if settings.execution == "rounds" else None
    threshold = settings.distance_threshold
    farthest = None if threshold is None else int(threshold * scale.one)
    allowed = min(allowed, star.rows - k)  # what is left must still make a class
    started, small, _ = clustering.progress()
    total, rounds, left = _Step(), 0, started
    while small:
        if rounds % _REPORTED[settings.execution] == 0:
            star.session.report(f"search: {small} of {left} classes are below k = {k}, {rounds} {settings.execution}")
        rounds += 1
        remaining = allowed - total.suppressed
        if index is not None:
            nearest.nearest(clustering, index, pairs=small * left)
            done = _round(clustering, rounds, farthest=farthest, allowed=remaining)
        else:
            done = _step(clustering, rounds, farthest=farthest, allowed=remaining)
        total += done
        log.debug("kaca: %d, %s", rounds, done)
        left, small, _ = clustering.progress()
    lowest = levels
    if settings.variant == "kaca2":
        lowest = inconsistency.final_generalization(clustering, maximum=settings.max_inconsistency)
        left, _, _ = clustering.progress()
    (distortion,) = star.session.row(Statement("kaca/distortion", {"classes": CLASSES}))
    clustering.recode()
    return Done(
        started=started,
        classes=left,
        rounds=rounds,
        mergers=total.mergers,
        splits=total.splits,
        outliers=total.outliers,
        suppressed=total.suppressed,
        distortion=distortion / scale.one,
        global_levels=levels,
        lowest_levels=lowest,
    )


def _round(clustering: Clustering, number: int, *, farthest: int | None, allowed: int) -> _Step:
    """Every small class asks for its nearest; mergers that do not depend on each other take place."""
    session = clustering.session
    session.create(OFFERS, merge.offers(NEAREST), {"k": clustering.k, "seed": clustering.seed, "round": number})
    suppressed = _suppress(clustering, farthest, allowed)
    mergers = merge.independent(clustering)
    return suppressed + _Step(mergers=mergers, splits=merge.merge(clustering))


def _step(clustering: Clustering, number: int, *, farthest: int | None, allowed: int) -> _Step:
    """One class, chosen at random, is generalized with its nearest (Algorithm 1, lines 3 to 6)."""
    session = clustering.session
    binds = {"k": clustering.k, "seed": clustering.seed, "round": number}
    chosen = Statement("kaca/chosen", {"classes": CLASSES})
    session.create(NEAREST, nearest.all_pairs(clustering, seekers=chosen), binds)
    session.create(MERGERS, merge.offers(NEAREST), binds)
    if farthest is not None:
        session.create(OFFERS, Statement("source/relation", {"relation": MERGERS}))
        suppressed = _suppress(clustering, farthest, allowed)
        if suppressed.outliers:
            return suppressed
    return _Step(mergers=1, splits=merge.merge(clustering))


def _suppress(clustering: Clustering, farthest: int | None, allowed: int) -> _Step:
    """Suppress what is too far from everything (2006, section 5), while that is allowed. Their offers fall away."""
    if farthest is None or allowed <= 0:
        return _Step()
    session = clustering.session
    binds = {"threshold": farthest, "allowed": allowed}
    session.create(_OUTLIERS, Statement("kaca/outliers", {"offers": OFFERS}), binds)
    outliers, rows = session.row(Statement("kaca/suppressed", {"outliers": _OUTLIERS}))
    if outliers:
        clustering.suppress(_OUTLIERS)
        rest = Name("kaca_rest")
        session.create(rest, merge.untouched(_OUTLIERS))
        session.create(OFFERS, Statement("source/relation", {"relation": rest}))
    return _Step(outliers=outliers, suppressed=rows)
