"""The lattice sweep, from the star to the recoding relation."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from starcloak.errors import RequirementError
from starcloak.privacy.requirement import Requirement
from starcloak.recoding import local
from starcloak.recoding.recoding import RECODING
from starcloak.result import search_of
from starcloak.search.algorithm import Answer, Run
from starcloak.search.shared import beginning
from starcloak.search.shared.tuples import Integers
from starcloak.search.sweep import classes, costs, nodes
from starcloak.search.sweep.rest import Rest
from starcloak.search.sweep.settings import Sweep, Swept
from starcloak.search.sweep.tuples import Tuples, fetch
from starcloak.search.sweep.walk import Walk
from starcloak.star import Star
from starcloak.statement import Hole, Name, Statement, columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

log = logging.getLogger("starcloak")

_RECODED = Name("recoded")


def search(star: Star, requirement: Requirement, settings: Sweep, run: Run) -> Answer:
    """A local recoding by a sweep over the lattice, whose every class satisfies the requirement."""
    if requirement.as_set:
        from starcloak.search.sweep import histories

        return histories.answer(star, requirement, settings, run)
    demand = requirement.strictest([dimension.attribute for dimension in star.dimensions])
    climbs, costs_of = costs.tabulate(star, run.objective, settings)
    if star.distant is not None:
        star = star.distant.home(star, beginning.cheapest(star, star.distant, climbs, costs_of))
    tuples = fetch(star, *costs.above(star, climbs, costs_of), demand)
    allowed = min(requirement.allowance(star.rows), star.rows - demand.least_rows)  # what is left must make a class
    report = star.session.report
    of, told = swept(tuples, seed=run.seed, allowed=allowed, dearest=float(settings.dearest), report=report)
    if settings.improve:
        from starcloak.search.sweep import improvement

        of, told = improvement.improved(tuples, of, told, run=run, seconds=float(settings.improve), report=report)
    _keep(star, tuples, of)
    return Answer(star, local.recode(star, seed=run.seed), search_of(star.lattice_nodes, told))


def swept(
    tuples: Tuples, *, seed: int, allowed: int, dearest: float, report: Callable[[str], None] = lambda _: None
) -> tuple[Integers, Swept]:
    """The class of every tuple, -1 for those left out, and what there is to tell."""
    random = np.random.default_rng(seed % 2**64)
    walk = Walk(tuples, nodes.nodes_to_visit(tuples, random), random)
    walk.sweep(until=lambda cost: cost > dearest and walk.rows <= allowed, report=report)
    log.debug("sweep: %d groups, %d visits, %d rows left over", walk.formed, walk.visits, walk.rows)
    of, count, joined, suppressed = *_with_rest(walk), 0, 0
    while True:
        # What a release cannot tell apart is one class; it may violate what its parts satisfy.
        of, count = classes.told_apart(tuples, of, count)
        judged = _without(tuples, of, count)
        members = np.flatnonzero(of >= 0)
        violating = np.flatnonzero(judged.violates(members, of[members], count))
        if not len(violating):
            break
        if count == 1:
            raise RequirementError("what is left of the rows does not satisfy the requirement: ask for less")
        rest = Rest(judged, of, count, violating, allowed - suppressed, dearest)
        of, count = classes.number(rest.settle())
        joined, suppressed = joined + rest.joined, suppressed + rest.left_out
    told = Swept(
        tuples=len(tuples),
        classes=count,
        nodes=len(walk.nodes),
        visits=walk.visits,
        hits=walk.hits,
        groups=walk.formed,
        left_over=walk.rows,
        joined=joined,
        suppressed=suppressed,
        aggregated=walk.aggregated,
    )
    return of, told


def _without(tuples: Tuples, of: Integers, count: int) -> Tuples:
    """The tuples with the demand as it is where some of them are left out."""
    out = of < 0
    if not (tuples.demand.moves and out.any()):
        return tuples
    groups = tuples.groups(np.arange(len(tuples)), np.where(out, count, of), count + 1)
    return replace(tuples, demand=tuples.demand.without(groups, np.arange(count + 1) == count))


def _with_rest(walk: Walk) -> tuple[Integers, int]:
    """The classes that a walk formed, and every tuple that is left over as one; all in one where it formed none."""
    if not walk.formed:
        return np.zeros(len(walk.tuples), np.int64), 1
    rest = np.flatnonzero(walk.group < 0)
    of = walk.group.copy()
    of[rest] = walk.formed + np.arange(len(rest))
    return of, walk.formed + len(rest)


def _keep(star: Star, tuples: Tuples, of: Integers) -> None:
    """Create the recoding relation."""
    formed = classes.generalize(tuples, of, int(of.max()) + 1)
    out = of < 0
    frame: dict[str, NDArray[Any]] = {"frequency": tuples.frequency, "suppressed": out}
    codes, levels = [], []
    for dimension, leaves in zip(star.dimensions, tuples.codes, strict=True):
        codes.append(Name(f"code_{dimension.position}"))
        levels.append(Name(f"level_{dimension.position}"))
        frame |= {f"code_{dimension.position}": leaves.astype(np.uint32)}
        # A cell that is left out stays as it is.
        at = np.where(out, 0, formed.levels[of, dimension.position - 1] + dimension.lowest)
        frame |= {f"level_{dimension.position}": at.astype(np.uint8)}
    holes: dict[str, Hole] = {"codes": columns(codes), "levels": columns(levels), "recoded": _RECODED}
    star.session.receive(RECODING, _RECODED, frame, Statement("search/sweep/recoding", holes))
