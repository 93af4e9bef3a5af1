"""What else was to be had: the loss by another objective or by a local recoding, where finding out costs little."""

from __future__ import annotations

from collections.abc import Iterable

from starcloak.job import WEIGHTS, Job, Objective
from starcloak.job.result import Search
from starcloak.star.recoding.recoding import Recoding
from starcloak.star.star import Star

# What a sweep takes in seconds, by its nodes and tuples; and a run, by its rows, at least. A run becomes longer by a
# tenth at most. Counts decide and not the clock: a job run again says the same.
_SECONDS = 0.005
_PER_NODE = 20e-6
_PER_TUPLE = 30e-6
_PER_ROW = 2e-6
_SHARE = 0.1
_DEAR = 2  # times the loss that was to be had


def otherwise(star: Star, job: Job) -> list[str]:
    """The loss of a lattice sweep in the place of a generalization of whole columns, in a line.

    No line where the run is not a search for such a one, or where that would make it much longer.
    """
    sweep = _SECONDS + _PER_NODE * star.lattice_nodes + _PER_TUPLE * star.combinations
    if sweep > _SHARE * _PER_ROW * star.rows or job.algorithm.recoding_model != "full-domain":
        return []
    if any(kind.to is not None for kind in job.quasi_identifiers.values()):  # which a sweep does not take
        return []
    demand = job.required.over(star.domains).strictest([dimension.attribute for dimension in star.dimensions])
    if not (job.required.single and not job.as_set and demand.counts_rows_only and star.rows >= demand.least_rows):
        return []
    from starcloak.insight.sweep_loss import loss  # with the arrays of the search, which few runs need

    return [
        f"a local recoding that keeps all rows would have loss {loss(star, demand, seed=job.seed):.4f}, but a column "
        "would mix levels: see algorithm: {name: sweep}"
    ]


def by_loss(star: Star, recoding: Recoding, search: Search, *, allowed: int, job: Job) -> list[str]:
    """What the objective of a complete full-domain search costs beside the least loss, where it is twice that.

    The least loss is that of a minimal node; what may be left out there is counted as lost on top of it.
    """
    levels = recoding.levels
    if job.objective.minimize == "loss" or recoding.model != "full-domain" or not search.complete:
        return []
    from starcloak.search.shared import costs  # with the arrays of the search, which few runs need

    cost = costs.of(star, Objective(minimize="loss"), k=job.k, allowed=allowed)
    steps = cost.steps or ()

    def loss(node: Iterable[int]) -> float:
        return float(sum(step[level] for step, level in zip(steps, node, strict=True)))

    taken, least = loss(levels.values()), min(map(loss, search.minimal)) + allowed * cost.most
    if taken < _DEAR * least or not taken:
        return []
    return [
        f"objective {job.objective.minimize or WEIGHTS} costs a loss of {taken:.4f}, where {least:.4f} at most was to "
        "be had: see objective: {minimize: loss}"
    ]
