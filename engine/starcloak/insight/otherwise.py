"""What else was to be had: the loss that a local recoding would have, where finding out costs little."""

from __future__ import annotations

from starcloak.job import Job
from starcloak.star import Star

# What a sweep takes in seconds, by its nodes and tuples; and a run, by its rows, at least. A run becomes longer by a
# tenth at most. Counts decide and not the clock: a job run again says the same.
_SECONDS = 0.005
_PER_NODE = 20e-6
_PER_TUPLE = 30e-6
_PER_ROW = 2e-6
_SHARE = 0.1


def otherwise(star: Star, job: Job) -> list[str]:
    """The loss of a lattice sweep in the place of a generalization of whole columns, in a line.

    No line where the run is not a search for such a one, or where that would make it much longer.
    """
    sweep = _SECONDS + _PER_NODE * star.lattice_nodes + _PER_TUPLE * star.combinations
    if sweep > _SHARE * _PER_ROW * star.rows or job.algorithm.recoding_model != "full-domain":
        return []
    demand = job.required.over(star.domains).strictest([dimension.attribute for dimension in star.dimensions])
    if not (job.required.single and not job.as_set and demand.counts_rows_only and star.rows >= demand.least_rows):
        return []
    from starcloak.insight.swept import loss  # with the arrays of the search, which few runs need

    return [
        f"a local recoding that keeps all rows would have loss {loss(star, demand, seed=job.seed):.4f}, but a column "
        "would mix levels: see algorithm: {name: sweep}"
    ]
