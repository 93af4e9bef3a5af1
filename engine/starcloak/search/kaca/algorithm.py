"""The loop: KACA (Li, Wong, Fu, Pei 2006), KACA1 and KACA2 (2008)."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from starcloak.job import Kaca
from starcloak.search.kaca import classes, inconsistency, nearest, step, weights
from starcloak.search.kaca.classes import CLASSES
from starcloak.star import Star
from starcloak.statement import Statement

log = logging.getLogger("starcloak")


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
    total, rounds, left = step.Step(), 0, started
    while small:
        star.session.report(f"search: {small} of {left} classes are below k = {k}, {rounds} {settings.execution}")
        remaining = allowed - total.suppressed
        if index is not None:
            nearest.nearest(clustering, index, pairs=small * left)
            done = step.together(clustering, rounds + 1, farthest=farthest, allowed=remaining)
            rounds += 1
        else:
            done = step.one_by_one(clustering, rounds + 1, farthest=farthest, allowed=remaining)
            rounds += done.mergers + done.outliers
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
