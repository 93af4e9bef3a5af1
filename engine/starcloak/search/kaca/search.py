"""The loop: KACA (Li, Wong, Fu, Pei 2006), KACA1 and KACA2 (2008)."""

from __future__ import annotations

import logging

from starcloak import recoding
from starcloak.privacy.requirement import Requirement
from starcloak.result import searched
from starcloak.search.algorithm import Answer, Run
from starcloak.search.kaca import classes, inconsistency, nearest, step, weights
from starcloak.search.kaca.classes import CLASSES
from starcloak.search.kaca.settings import Clustering as Told
from starcloak.search.kaca.settings import Kaca
from starcloak.star import Star
from starcloak.statement import Statement

log = logging.getLogger("starcloak")


def search(star: Star, requirement: Requirement, settings: Kaca, run: Run) -> Answer:
    """A local recoding by KACA, whose every class satisfies the requirement."""
    done = clustered(star, requirement, settings, seed=run.seed)
    return Answer(star, recoding.local(star, seed=run.seed), searched(star.lattice_nodes, done))


def clustered(star: Star, requirement: Requirement, settings: Kaca, *, seed: int) -> Told:
    """Search a local recoding: creates the recoding relation.

    Rows are suppressed only where the job has a distance threshold. Distances are those of the job's weights. Raises
    :class:`~starcloak.errors.JobError` for weights that do not fit the hierarchies.
    """
    demand = requirement.strictest([dimension.attribute for dimension in star.dimensions])
    least = demand.least_rows
    most = least if demand.counts_rows_only else star.rows
    scale = weights.exact(star, settings.weights, priority=settings.priority, most=most)
    levels: tuple[int, ...] = (0,) * len(star.dimensions)
    if settings.variant == "kaca2":
        levels = inconsistency.global_levels(star, demand=demand, maximum=settings.max_inconsistency)
    clustering = classes.form(star, scale, levels=levels, demand=demand, seed=seed)
    index = nearest.path(clustering) if settings.execution == "rounds" else None
    threshold = settings.distance_threshold
    farthest = None if threshold is None else int(threshold * scale.one)
    allowed = min(requirement.allowed(star.rows), star.rows - least)  # what is left must still make a class
    started, small, _ = clustering.progress()
    total, rounds, left = step.Step(), 0, started
    while small:
        star.session.report(f"search: {small} of {left} classes are small, {rounds} {settings.execution}")
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
    (distortion,) = star.session.row(Statement("search/kaca/distortion", {"classes": CLASSES}))
    clustering.recode()
    return Told(
        started=started,
        classes=left,
        rounds=rounds,
        mergers=total.mergers,
        splits=total.splits,
        outliers=total.outliers,
        suppressed=total.suppressed,
        distortion=distortion / scale.one,
        global_levels=list(levels),
        lowest_levels=list(lowest),
    )
