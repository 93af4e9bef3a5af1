"""The rounds of KACA (Li, Wong, Fu, Pei 2006), KACA1 and KACA2 (2008), until every class satisfies the requirement."""

from __future__ import annotations

import logging
from collections.abc import Callable

from starcloak.base.errors import RequirementError
from starcloak.job.result import search_of
from starcloak.privacy.requirement import Demand, Requirement
from starcloak.search.algorithm import Answer, SearchContext
from starcloak.search.kaca import classes, inconsistency, nearest, step, weights
from starcloak.search.kaca.classes import CLASSES
from starcloak.search.kaca.neighbours import DistanceSample
from starcloak.search.kaca.settings import Clustering as Told
from starcloak.search.kaca.settings import Kaca
from starcloak.star import ceilings
from starcloak.star.recoding import local
from starcloak.star.star import Star
from starcloak.statements.statement import Statement

log = logging.getLogger("starcloak")


def search(star: Star, requirement: Requirement, settings: Kaca, run: SearchContext) -> Answer:
    """A local recoding by KACA, with every class satisfying the requirement.

    Li, Wong, Fu, Pei 2006, section 4; 2008, Algorithms 1 and 2: a class below k is joined with the nearest one by
    hierarchical distance (0 … 1 per attribute, times its weight). Raises
    :class:`~starcloak.base.errors.RequirementError` if the rows left after suppression do not satisfy the requirement.
    Raises :class:`~starcloak.base.errors.JobError` for weights too large to be summed exactly, or if the number of
    weights differs from the hierarchy's steps.
    """
    demand = requirement.strictest(star.attributes)
    star, (demand,) = ceilings.keep_to(star, requirement, [demand], label=run.label)
    allowed = ceilings.allowance(star, requirement, demand)
    try:
        done = cluster(star, demand, settings, allowed=allowed, seed=run.seed, whole=run.whole)
    except RequirementError:  # classes too far from others were suppressed, and a remaining one has none to join
        if not allowed or settings.distance_threshold is None:
            raise
        done = cluster(star, demand, settings, allowed=0, seed=run.seed, whole=run.whole)
    return Answer(star, local.recode(star, seed=run.seed), search_of(star.lattice_nodes, done))


def cluster(star: Star, demand: Demand, settings: Kaca, *, allowed: int, seed: int, whole: bool = False) -> Told:
    """Find a local recoding with classes that satisfy a demand; returns details of the search.

    Creates the recoding relation. With ``whole``, all rows of a tuple stay in one class. At most ``allowed`` rows are
    suppressed: classes beyond the job's distance threshold, and classes without any class to merge with. Raises
    :class:`~starcloak.base.errors.JobError` for weights that do not fit the hierarchies, and
    :class:`~starcloak.base.errors.RequirementError` if more rows would have to be suppressed.
    """
    least = demand.least_rows
    most = least if demand.counts_rows_only and not whole else star.rows
    scale = weights.exact(star, settings.weights, priority=settings.priority, most=most)
    levels: tuple[int, ...] = (0,) * len(star.dimensions)
    if settings.variant == "kaca2":
        levels = inconsistency.global_levels(star, demand=demand, maximum=settings.max_inconsistency)
    clustering = classes.form(star, scale, levels=levels, demand=demand, seed=seed, whole=whole)
    threshold = settings.distance_threshold
    farthest = None if threshold is None else int(threshold * scale.one)
    started, small, _ = clustering.progress()
    total, sample, rounds, left = step.RoundChange(), DistanceSample(), 0, started
    execution = settings.execution_of(started)
    in_turn = execution == "joins"
    while small:
        progress = f"search: {small} of {left} classes are small, {rounds} rounds"
        star.session.report(progress)
        rounds += 1
        if in_turn:
            nearest.of_all(clustering)
        else:
            sample += nearest.nearest(clustering, number=rounds, pairs=small * left, report=_further(star, progress))
        if left == 1 or star.capped:
            total += step.leave_out_alone(clustering, allowed=allowed - total.suppressed)
        remaining = allowed - total.suppressed
        done = step.together(clustering, rounds, farthest=farthest, allowed=remaining, in_turn=in_turn)
        total += done
        log.debug("kaca: %d, %s", rounds, done)
        left, small, _ = clustering.progress()
    lowest = levels
    if settings.variant == "kaca2":
        lowest = inconsistency.final_generalization(clustering, maximum=settings.max_inconsistency)
        left, _, _ = clustering.progress()
    (distortion,) = star.session.row(Statement("search/kaca/distortion", classes=CLASSES))
    clustering.recode()
    return Told(
        execution=execution,
        started=started,
        classes=left,
        rounds=rounds,
        mergers=total.mergers,
        splits=total.splits,
        outliers=total.outliers,
        suppressed=total.suppressed,
        farther=round(sample.farther, 4) if execution == "neighbours" else None,
        distortion=distortion / scale.one,
        global_levels=list(star.hierarchy_levels(levels)),
        lowest_levels=list(star.hierarchy_levels(lowest)),
    )


def _further(star: Star, progress: str) -> Callable[[str], None]:
    """Returns a function that reports a text about the current round to the user, after ``progress``."""
    return lambda what: star.session.report(f"{progress}: {what}")
