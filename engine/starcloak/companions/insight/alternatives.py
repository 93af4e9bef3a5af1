"""Alternatives to a release: other generalizations with less information loss, and the loss at a larger k."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING

from starcloak.job import Job, Objective
from starcloak.job.result import Search
from starcloak.privacy.requirement import Demand
from starcloak.star import frequency_sets
from starcloak.star.recoding.recoding import Recoding
from starcloak.star.star import Node, Star, without_importance
from starcloak.statements.statement import Joined, Statement
from starcloak.verify.classes import Sizes

if TYPE_CHECKING:
    from starcloak.search.lattice.objective import NodeCost

# What a sweep takes in seconds, by its nodes and tuples; and a run, by its rows, at least. A run becomes longer by a
# tenth at most. Counts decide and not the clock: a job run again says the same.
_SECONDS = 0.005
_PER_NODE = 20e-6
_PER_TUPLE = 30e-6
_PER_ROW = 2e-6
_SHARE = 0.1
# Seconds that a tuple takes to be grouped at one node, that its statement takes for each pair of columns, and that all
# that is counted for one line may take.
_PER_GROUPED, _PER_PAIR = 5e-8, 2e-6
_WITHIN = 0.05
_MORE = Decimal("0.01")  # of the rows, left out beside those that may be
_DEAR = 2  # times the loss that was to be had
_LESS = 0.75  # of the loss, that is worth a word
_LITTLE = 1.1  # times the loss, that a larger k may cost


def otherwise(
    star: Star, recoding: Recoding, search: Search, sizes: Sizes, *, allowed: int, job: Job
) -> tuple[list[str], str | None]:
    """Return sentences on alternatives to a release, the smallest loss first, and a sentence on a larger k (or None).

    ``sizes`` are the class sizes of the release; ``allowed`` is the number of rows that may be suppressed. Alternatives
    are compared by information loss (0 … 1), with equal importance of columns.
    """
    star = without_importance(star)

    @cache
    def cost() -> NodeCost:
        from starcloak.search.lattice import objective  # with the arrays of the search, which few runs need

        return objective.costs_of(star, Objective(minimize="loss"), k=job.k, allowed=allowed)

    alternatives = [
        *_by_sweep(star, recoding, job),
        *_of_nodes(recoding, search, cost, allowed=allowed, job=job),
        *_by_leaving_out(star, recoding, cost, job),
    ]
    larger = _larger_k(star, recoding, search, sizes, cost, allowed=allowed, job=job)
    return [sentence for _, sentence in sorted(alternatives)], larger


def _by_sweep(star: Star, recoding: Recoding, job: Job) -> Iterator[tuple[float, str]]:
    """Loss of a local recoding by the algorithm ``sweep``, and a sentence for the user that proposes it.

    Empty if the job's algorithm is not full-domain, or if the additional search would prolong the run noticeably.
    """
    sweep = _SECONDS + _PER_NODE * star.lattice_nodes + _PER_TUPLE * star.combinations
    if sweep > _SHARE * _PER_ROW * star.rows or job.algorithm.about.recoding_model != "full-domain":
        return
    if star.capped and recoding.suppressed:  # groups that no local recoding of all rows satisfies
        return
    demand = _of_rows(star, job)
    if demand is None or star.rows < demand.least_rows:
        return
    least = _loss_of_sweep(star, demand, seed=job.seed)
    yield (
        least,
        f"a local recoding could keep all rows with loss {least:.4f}, but a column would then have values of several "
        "levels: to try it, write algorithm: {name: sweep}",
    )


def _loss_of_sweep(star: Star, demand: Demand, *, seed: int) -> float:
    """The loss (0 … 1) of a local recoding by ``sweep`` without suppression, with ``demand`` satisfied by
    every class.
    """
    from starcloak.search.sweep import classes, costs  # with the arrays of the search, which few runs need
    from starcloak.search.sweep.search import swept
    from starcloak.search.sweep.tuples import fetch

    tuples = fetch(star, *costs.of_loss(star), demand)
    of, summary = swept(tuples, seed=seed, allowed=0, dearest=1.0, threads=star.session.threads)
    formed = classes.generalize(tuples, of, summary.classes)
    return float(formed.rows @ formed.cost) / star.rows


def _of_rows(star: Star, job: Job) -> Demand | None:
    """The requirement on a class if the job has one quasi-identifier and requires numbers of rows only.

    Otherwise None.
    """
    demand = job.required.over(star.domains).strictest(star.attributes)
    return demand if job.required.single and not job.as_set and demand.counts_rows_only else None


def _of_nodes(
    recoding: Recoding, search: Search, loss: Callable[[], NodeCost], *, allowed: int, job: Job
) -> Iterator[tuple[float, str]]:
    """Loss and sentence for better nodes of the generalization lattice: under another objective, or without one column.

    The nodes are the minimal ones of a complete full-domain search; without them, nothing is yielded. The allowed
    number of suppressed rows is added to the loss as if all their cells were lost.
    """
    if recoding.model != "full-domain" or not search.complete or not search.minimal:
        return
    import numpy as np  # with the arrays of the search, which few runs need

    cost = loss()
    nodes, more = np.array([list(recoding.levels.values()), *search.minimal]), allowed * cost.most
    lost = np.column_stack([step[nodes[:, at]] for at, step in enumerate(cost.steps or ())])
    taken, *whole = lost.sum(axis=1).tolist()
    if not taken:
        return
    if job.objective.minimize != "loss" and taken >= _DEAR * (least := min(whole) + more):
        yield (
            least,
            f"objective {job.objective.minimize} gives a loss of {taken:.4f}, and {least:.4f} or less is possible: "
            "to get it, write objective: {minimize: loss}",
        )
    count = len(recoding.levels)
    if count > 1 and search.pruned == "monotone":
        # A column at its top distinguishes no rows: a minimal set with it there is minimal without it.
        without = (lost[1:].sum(axis=1)[:, None] - lost[1:]).min(axis=0) * count / (count - 1) + more
        least, name = min(zip(without.tolist(), recoding.levels, strict=True))
        if least <= _LESS * taken:
            yield (
                least,
                f"without column {name!r}, the loss of the other columns would fall from {taken:.4f} to {least:.4f} "
                f"or less: leave {name!r} out if readers need it least",
            )


def _by_leaving_out(
    star: Star, recoding: Recoding, cost: Callable[[], NodeCost], job: Job
) -> Iterator[tuple[float, str]]:
    """Loss and sentence for a release with 1 % more of the rows suppressed, if this lowers the loss considerably.

    A greedy search lowers one column by one level at a time, always the one with the largest gain; a better node may
    exist. Empty if the release already suppresses rows.
    """
    demand = _of_rows(star, job)
    if demand is None or recoding.model != "full-domain" or recoding.suppressed or star.distant:
        return
    more = replace(job.required, suppression=min(job.required.suppression + _MORE, Decimal(1)))
    allowed, levels, loss = more.allowance(star.rows), tuple(recoding.levels.values()), _loss_by(cost())
    taken, lowerings = loss(levels), _countable(star) // len(levels)
    for _ in range(lowerings):
        lower = [node for node, outliers in _lower(star, levels, demand) if outliers <= allowed]
        if not lower:
            break
        levels = min(lower, key=lambda node: (loss(node), node))
    least = loss(levels) + allowed / star.rows
    if taken and least <= _LESS * taken:
        yield (
            least,
            f"with 1 % more of the rows suppressed, the loss would fall from {taken:.4f} to {least:.4f} or less: to "
            f"try it, write requirement: {{suppression: {more.suppression.normalize():f}}}",
        )


def _larger_k(
    star: Star,
    recoding: Recoding,
    search: Search,
    sizes: Sizes,
    cost: Callable[[], NodeCost],
    *,
    allowed: int,
    job: Job,
) -> str | None:
    """Sentence on a larger k: the largest k with little more loss, or else the k with the least loss. None if unknown.

    Examined are nodes one level higher in one attribute than the release, and the minimal nodes found by a complete
    search. Suppressed rows count as lost. If the release suppresses rows, only its own class sizes are examined.
    """
    if _of_rows(star, job) is None or job.requirement.qids or not sizes.counted:
        return None
    if sizes.smallest > job.k:
        return (
            f"k = {sizes.smallest} has the same release, as no class is smaller: to promise it, write requirement: "
            f"{{k: {sizes.smallest}}}"
        )
    if recoding.model != "full-domain" or recoding.suppressed or star.distant:
        return None
    levels, loss = tuple(recoding.levels.values()), _loss_by(cost())
    higher = [
        (*levels[:at], levels[at] + 1, *levels[at + 1 :])
        for at, dimension in enumerate(star.dimensions)
        if levels[at] < dimension.height
    ]
    minimal_nodes = [tuple(node) for node in search.minimal if tuple(node) != levels] if search.complete else []
    nodes = sorted([*higher, *minimal_nodes], key=lambda node: (loss(node), node))[: _countable(star)]
    taken, counted = loss(levels), _largest_k(star, nodes, allowed)
    dearer = [(loss(nodes[at]) + left_out / star.rows, k) for at, k, left_out in counted if k > job.k]
    if not dearer:
        return None
    little = [(-k, least) for least, k in dearer if least <= _LITTLE * taken]
    least, k = min(dearer) if not little else (min(little)[1], -min(little)[0])
    return (
        f"k = {k} would have a loss of {least:.4f} or less, instead of {taken:.4f} with k = {job.k}: to try it, "
        f"write requirement: {{k: {k}}}"
    )


def _countable(star: Star) -> int:
    """Number of lattice nodes with frequency sets computable within the time limit for one sentence."""
    return int(_WITHIN / (_PER_GROUPED * star.combinations + _PER_PAIR * len(star.dimensions) ** 2))


def _loss_by(cost: NodeCost) -> Callable[[tuple[int, ...]], float]:
    """Return a function from a node's levels to the node's loss (0 … 1), suppressed rows not included."""
    steps = cost.steps or ()
    return lambda node: float(sum(step[level] for step, level in zip(steps, node, strict=True)))


def _counted(star: Star, nodes: Sequence[tuple[int, ...]]) -> Joined:
    """Statement for the frequency sets of several nodes. A node is numbered by its index in ``nodes``."""
    positions = tuple(dimension.position for dimension in star.dimensions)
    return frequency_sets.count_all(
        frequency_sets.from_star(star, Node(at, positions, node)) for at, node in enumerate(nodes)
    )


def _largest_k(star: Star, nodes: Sequence[tuple[int, ...]], allowed: int) -> list[tuple[int, int, int]]:
    """Triples for nodes: index in ``nodes``, largest possible k, and number of rows suppressed at this k.

    ``allowed`` is the largest number of suppressed rows. A node without any class left is omitted.
    """
    if not nodes:
        return []
    largest = Statement("companions/insight/largest_k", frequency=_counted(star, nodes))
    return list(star.session.run(largest, {"allowed": allowed}))


def _lower(star: Star, levels: tuple[int, ...], demand: Demand) -> list[tuple[tuple[int, ...], int]]:
    """The nodes one level lower in one attribute, each with its number of rows in classes violating ``demand``."""
    places = [at for at, dimension in enumerate(star.dimensions) if levels[at] > dimension.lowest]
    nodes = [(*levels[:at], levels[at] - 1, *levels[at + 1 :]) for at in places]
    if not nodes:
        return []
    shortfalls = star.session.run(frequency_sets.shortfall_of(_counted(star, nodes), demand))
    return [(nodes[at], outliers) for at, _, _, outliers in shortfalls]
