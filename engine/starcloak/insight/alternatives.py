"""What else was to be had: the loss by another objective or by a local recoding, where finding out costs little."""

from __future__ import annotations

from collections.abc import Iterator

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
_LESS = 0.75  # of the loss, that is worth a word


def otherwise(star: Star, recoding: Recoding, search: Search, *, allowed: int, job: Job) -> list[str]:
    """What else was to be had, a line each, that with the least loss first."""
    found = [*_by_sweep(star, job), *_of_nodes(star, recoding, search, allowed=allowed, job=job)]
    return [sentence for _, sentence in sorted(found)]


def _by_sweep(star: Star, job: Job) -> Iterator[tuple[float, str]]:
    """The loss of a lattice sweep in the place of a generalization of whole columns.

    None where the run is not a search for such a one, or where that would make it much longer.
    """
    sweep = _SECONDS + _PER_NODE * star.lattice_nodes + _PER_TUPLE * star.combinations
    if sweep > _SHARE * _PER_ROW * star.rows or job.algorithm.recoding_model != "full-domain":
        return
    if any(kind.to is not None for kind in job.quasi_identifiers.values()):  # which a sweep does not take
        return
    demand = job.required.over(star.domains).strictest([dimension.attribute for dimension in star.dimensions])
    if not (job.required.single and not job.as_set and demand.counts_rows_only and star.rows >= demand.least_rows):
        return
    from starcloak.insight.sweep_loss import loss  # with the arrays of the search, which few runs need

    least = loss(star, demand, seed=job.seed)
    yield (
        least,
        f"a local recoding that keeps all rows would have loss {least:.4f}, but a column would mix levels: see "
        "algorithm: {name: sweep}",
    )


def _of_nodes(star: Star, recoding: Recoding, search: Search, *, allowed: int, job: Job) -> Iterator[tuple[float, str]]:
    """What other nodes of a complete full-domain search cost, of which the minimal ones are known.

    What may be left out there is counted as lost on top of it.
    """
    if recoding.model != "full-domain" or not search.complete or not search.minimal:
        return
    import numpy as np  # with the arrays of the search, which few runs need

    from starcloak.search.shared import costs

    cost = costs.of(star, Objective(minimize="loss"), k=job.k, allowed=allowed)
    nodes, more = np.array([list(recoding.levels.values()), *search.minimal]), allowed * cost.most
    lost = np.column_stack([step[nodes[:, at]] for at, step in enumerate(cost.steps or ())])
    taken, *whole = lost.sum(axis=1).tolist()
    if not taken:
        return
    if job.objective.minimize != "loss" and taken >= _DEAR * (least := min(whole) + more):
        yield (
            least,
            f"objective {job.objective.minimize or WEIGHTS} costs a loss of {taken:.4f}, where {least:.4f} at most was "
            "to be had: see objective: {minimize: loss}",
        )
    count = len(recoding.levels)
    if count > 1 and search.pruned == "monotone":
        # A column at its top tells no rows apart: what is minimal with it there is minimal without it.
        without = (lost[1:].sum(axis=1)[:, None] - lost[1:]).min(axis=0) * count / (count - 1) + more
        least, name = min(zip(without.tolist(), recoding.levels, strict=True))
        if least <= _LESS * taken:
            yield (
                least,
                f"without {name!r} the others would have a loss of {least:.4f} at most, where it is {taken:.4f}: leave "
                "it out if it is needed least",
            )
