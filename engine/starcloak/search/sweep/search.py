"""Search of the lattice sweep: reads the base frequency set, forms classes, writes the recoding relation."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from starcloak.base.errors import RequirementError
from starcloak.job.result import search_of
from starcloak.privacy.requirement import Requirement
from starcloak.search.algorithm import Answer, SearchContext
from starcloak.search.lattice import starting_node
from starcloak.search.sweep import classes, costs, large_lattices, nodes
from starcloak.search.sweep.greedy_sweep import Walk
from starcloak.search.sweep.large_lattices import Way
from starcloak.search.sweep.residual import Settled, settle
from starcloak.search.sweep.settings import Sweep, Swept
from starcloak.search.sweep.tuples import SweepTuples, fetch
from starcloak.star import ceilings
from starcloak.star.keys import Integers
from starcloak.star.recoding import local
from starcloak.star.recoding.recoding import RECODING
from starcloak.star.star import Star
from starcloak.statements.statement import Name, Statement, columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

log = logging.getLogger("starcloak")

_RECODED = Name("recoded")


def search(star: Star, requirement: Requirement, settings: Sweep, run: SearchContext) -> Answer:
    """A local recoding by a sweep over the lattice, with every class satisfying the requirement.

    The search is of no paper; loss (0 … 1 per cell) as in Iyengar 2002, distance as in Li, Wong, Fu, Pei 2008. The
    setting ``improve`` adds seconds of improvement after the sweep; ``time_limit`` (seconds) or an interrupt ends the
    search early, with a complete recoding. Raises
    :class:`~starcloak.base.errors.RequirementError` if the remaining rows do not satisfy the requirement.
    """
    if requirement.as_set:
        from starcloak.search.sweep import histories

        return histories.answer(star, requirement, settings, run)
    until = None if settings.time_limit is None else time.monotonic() + float(settings.time_limit)

    def ends() -> bool:
        return run.stop() or (until is not None and time.monotonic() >= until)

    climbs, costs_of = costs.tabulate(star, run.objective, settings)
    if star.distant is not None:
        star = star.distant.home(star, starting_node.cheapest(star, star.distant, climbs, costs_of))
    demand = requirement.strictest(star.attributes)
    star, (demand,) = ceilings.keep_to(star, requirement, [demand], label=run.label)
    tuples = fetch(star, *costs.above(star, climbs, costs_of), demand)
    allowed = ceilings.allowance(star, requirement, demand)
    report = star.session.report
    dearest = float(settings.dearest)
    of, summary = swept(
        tuples,
        seed=run.seed,
        allowed=allowed,
        dearest=dearest,
        report=report,
        ends=ends,
        threads=star.session.threads,
    )
    if settings.improve and not summary.timed:
        from starcloak.search.sweep import improvement

        seconds = float(settings.improve) if until is None else min(float(settings.improve), until - time.monotonic())
        of, summary = improvement.improved(
            tuples, of, summary, run=run, seconds=seconds, report=report, threads=star.session.threads
        )
    _keep(star, tuples, of)
    final_summary = summary.model_copy(update={"suppressed": summary.suppressed + star.left_out})
    return Answer(star, local.recode(star, seed=run.seed), search_of(star.lattice_nodes, final_summary))


def swept(
    tuples: SweepTuples,
    *,
    seed: int,
    allowed: int,
    dearest: float,
    report: Callable[[str], None] = lambda _: None,
    ends: Callable[[], bool] = lambda: False,
    threads: int = 1,
) -> tuple[Integers, Swept]:
    """The class of every tuple, -1 for suppressed tuples, and details of the sweep.

    At most ``allowed`` rows are suppressed, each only if its cost in a class (0 … 1) exceeds ``dearest``. Once ``ends``
    returns True, the sweep forms no further value groups, and the remaining tuples join similar ones.
    """
    random = np.random.default_rng(seed % 2**64)
    walk = Walk(tuples, nodes.nodes_to_visit(tuples, random), random, ends, threads)
    ways = large_lattices.ways if nodes.is_wide(tuples) else large_lattices.groups
    tried = []
    for way in ways(walk, lambda cost: cost > dearest and walk.rows <= allowed, report):
        way = large_lattices.without_dear(tuples, way, allowed=allowed, dearest=dearest)
        tried.append((way, _settled(tuples, way, allowed=allowed, dearest=dearest)))
    log.debug("sweep: %d groups, %d visits, %d rows left over", walk.formed, walk.visits, walk.rows)

    def cost(pair: tuple[Way, Settled]) -> float:
        return classes.cost(tuples, pair[1].of, pair[1].count) + dearest * pair[1].left_out

    way, settled = tried[0] if len(tried) == 1 else min(tried, key=cost)
    summary = Swept(
        tuples=len(tuples),
        classes=settled.count,
        nodes=len(walk.nodes),
        visits=walk.visits,
        hits=walk.hits,
        groups=way.count - way.clusters,
        clusters=way.clusters,
        left_over=int(tuples.frequency[way.of < 0].sum()),
        joined=settled.joined,
        suppressed=settled.left_out,
        aggregated=walk.aggregated,
        timed=walk.ends(),
    )
    return settled.of, summary


def _settled(tuples: SweepTuples, way: Way, *, allowed: int, dearest: float) -> Settled:
    """Final classes of one assignment (``way``), after its tuples in no class joined classes or were suppressed.

    If suppression makes a class unable to satisfy the demand, no row is suppressed.
    """
    try:
        return settle(tuples, *_with_rest(tuples, way), allowed=allowed, dearest=dearest)
    except RequirementError:
        if not allowed:
            raise
        return settle(tuples, *_with_rest(tuples, way), allowed=0, dearest=dearest)


def _with_rest(tuples: SweepTuples, way: Way) -> tuple[Integers, int]:
    """The class of every tuple, and the number of classes: each tuple in no class of ``way`` gets one of its own.

    If ``way`` has no class at all, tuples with equal values at the top of the lattice form one class.
    """
    if not way.count:
        return tuples.tops, int(tuples.tops.max()) + 1
    return classes.apart(way.of, way.count)


def _keep(star: Star, tuples: SweepTuples, of: Integers) -> None:
    """Create the recoding relation: one row per tuple with its leaf codes, its levels and its suppression flag.

    ``of`` is the class of each tuple, -1 for suppressed tuples; the levels are those of the class.
    """
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
    star.session.receive(
        RECODING,
        _RECODED,
        frame,
        Statement("search/sweep/recoding", codes=columns(codes), levels=columns(levels), recoded=_RECODED),
    )
