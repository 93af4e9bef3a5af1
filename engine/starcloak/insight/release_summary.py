"""Description of a verified release from data that the run already has.

These are the recoding and both sides' classes, and their measures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

from starcloak.base import small_counts
from starcloak.insight.risk.attackers import THRESHOLDS
from starcloak.insight.source_values import rows_that_stay, values_at_lowest
from starcloak.job import Job, Objective
from starcloak.job.result import ColumnSeen, Insight, RiskBefore, Search, SizesSeen, ThresholdSeen
from starcloak.measures.measure import Measured, every
from starcloak.privacy.requirement import Demand
from starcloak.star import frequency_sets
from starcloak.star.recoding.recoding import RECODING, Recoding
from starcloak.star.star import Node, Star, without_importance
from starcloak.statements.statement import As, Hole, Joined, Name, Number, Statement, columns, lines, union_all
from starcloak.store.relations import BASE, GENERALIZATION
from starcloak.store.session import Session
from starcloak.verify.classes import SIZE, STAGED, ExposedRecords, Sizes, value
from starcloak.verify.recount import Classes

if TYPE_CHECKING:
    from starcloak.search.lattice.objective import NodeCost


_MANY = 100  # values of a column of dates or codes, which are then those of persons
_MOST = 24  # values of a column with shown rows


def class_sizes(session: Session) -> Sizes:
    """The class sizes of a release, from the classes gathered last."""
    return Sizes(tuple(session.run(Statement("insight/sizes", classes=STAGED))))


def insight_of(star: Star, sizes: Sizes, exposure: ExposedRecords, *, k: int) -> Insight:
    """Description of a release with these class sizes, by rows and by the records it has to hide: rows or persons.

    It contains no count from 1 to k - 1.
    """
    # Of the rows that stay: beside those of the release, all rows of the source would reveal the suppressed ones.
    count = len(star.dimensions)
    values_before, stayed = rows_that_stay(star)
    statement = [_grouped(values_before, stayed, Name("frequency"))]
    as_they_are = values_at_lowest(star)
    if sizes.counted:  # of a release without rows nothing is at hand
        statement.append(_grouped([value(at) for at in range(count)], STAGED, SIZE, first=count))
    frequent = Statement("insight/frequent", values=union_all(statement))
    frequencies = star.session.run(frequent, {"most": _MOST, "least": k})
    figures = {at: (values, list(rows)) for at, values, rows in frequencies}
    columns = []
    for at, dimension in enumerate(star.dimensions):
        values, most_rows = figures.get(at, (0, []))
        released, most_released = figures.get(count + at, (0, []))
        columns.append(
            ColumnSeen(
                attribute=dimension.attribute,
                values=values,
                released_values=released,
                values_at_lowest=as_they_are[at],
                frequent=most_rows,
                released_frequent=most_released,
            )
        )
    return Insight(columns=columns, thresholds=_thresholds(exposure))


def risk_before(
    star: Star, *, k: int, whole: bool, persons: Sequence[Name] = (), of_values: bool = False
) -> RiskBefore:
    """The risk of the records in the source: of all rows of a ``whole`` release; of all ``persons``, if columns of the
    base frequency set identify them; else of the released rows.

    Each combination of the base frequency set is one ``of_values`` of the quasi-identifiers alone, or of more.
    """
    columns, groups = [value(at) for at in range(len(star.dimensions))], BASE
    values: Hole = Joined(tuple(columns), ", ")
    if persons:
        told_apart = Joined(tuple(persons), ", ")
        counted = Statement("privacy/persons/recount#exposed", persons=told_apart, classes=groups, values=values)
        exposure = ExposedRecords(tuple(star.session.run(counted)))
    else:
        sized = Statement("insight/source_sizes#combinations", base=BASE)
        if not whole:
            names, stayed = rows_that_stay(star)
            sized = Statement("insight/source_sizes", values=Joined(tuple(names), ", "), groups=stayed)
        elif not of_values:
            sized = Statement("insight/source_sizes", values=values, groups=groups)
        exposure = Sizes(tuple(star.session.run(sized))).exposure
    return RiskBefore(
        alone=small_counts.mask(exposure.alone, k),
        highest=1 / exposure.smallest,
        average=exposure.average_risk or 0,
        thresholds=_thresholds(exposure),
    )


def _grouped(values: Sequence[Name], groups: Hole, rows: Name, *, first: int = 0) -> Statement:
    """The values of columns, with places counted from the ``first`` on."""
    places = (
        Statement("insight/frequent#place", value=column, place=Number(place))
        for place, column in enumerate(values, first)
    )
    sets = (Statement("insight/frequent#value", value=column) for column in values)
    holes: dict[str, Hole] = {"places": lines(places), "values": Joined(tuple(sets), ", ")}
    return Statement("insight/frequent#grouped", groups=groups, rows=rows, **holes)


def lost_columns(names: Sequence[str]) -> list[str]:
    """Remarks on quasi-identifiers that became one value."""
    if not names:
        return []
    columns, them = ("columns", "them") if len(names) > 1 else ("column", "it")
    named = ", ".join(map(repr, names))
    return [f"{columns} {named} became * in every row: leave {them} out, or spare {them} by importance: 2 or more"]


def finely_shown(finest: Iterable[tuple[str, str, int]]) -> list[str]:
    """Remarks on columns that show many unchanged values of a kind used to find people, and the kind."""
    return [
        f"column {name!r} shows {kind}, of {values:,} values: such as a day of birth or a full postcode find people in "
        "other registers, whatever k; from: 1 in its hierarchy, or a higher level, keeps them out"
        for name, kind, values in finest
        if values >= _MANY
    ]


def size_bins(sizes: Sizes, k: int) -> list[SizesSeen]:
    """Class sizes from the smallest on, in steps twice as large as the one before.

    They contain no count of classes from 1 to k - 1.
    """
    bins: list[SizesSeen] = []
    least = sizes.smallest if sizes.counted else 1
    most = 2 * least - 1
    while sizes.counted and least <= sizes.counted[-1][0]:
        inside = [(size, classes) for size, classes in sizes.counted if least <= size <= most]
        if inside:
            classes = sum(count for _, count in inside)
            bins.append(
                SizesSeen(
                    least=least,
                    most=most,
                    classes=small_counts.mask(classes, k),
                    rows=sum(size * count for size, count in inside),
                )
            )
        least, most = most + 1, 2 * most + 1
    return bins


def _thresholds(exposure: ExposedRecords) -> list[ThresholdSeen]:
    if not exposure.counted:
        return []
    return [
        ThresholdSeen(
            name=name,
            k=k,
            probability=probability,
            holds=exposure.smallest >= k,
            records_at_risk=float(Fraction(exposure.below(k), exposure.records)),
        )
        for k, probability, name in THRESHOLDS
    ]


def measure_recoding(star: Star, *, ranged: Sequence[int] = (), beta: float = 1.0) -> dict[str, Any]:
    """Figures for measures from the recoding relation; ``beta`` (at least 1) is that of the height weights.

    ``ranged`` has the positions of the attributes with ranges of their own in cells. Such a cell covers a share of the
    attribute's other leaves (0 … 1), and counts as having climbed this share of the step to the root.
    """
    measure_sums = {name: piece for measure in every() for name, piece in measure.sums.items()}
    holes: dict[str, Hole] = {"sums": columns(As(piece, Name(name)) for name, piece in measure_sums.items())}
    holes |= {"cells": _cells(star, ranged), "generalization": GENERALIZATION}
    holes["distance"] = Statement("measures/distance", hierarchies=hierarchies_of(star))
    dimensions = {dimension.position: dimension for dimension in star.dimensions}
    attributes: dict[int, str] = {position: dimension.attribute for position, dimension in dimensions.items()}
    sums, counted = dict[str | None, dict[str, float]](), dict[str | None, int]()
    levels: dict[str, dict[int, int]] = {}
    sums_found = star.session.run(Statement("measures/recoding", **holes), {"beta": beta})
    for position, level, count, released, *totals in sums_found:
        if level is None:
            counted[attributes.get(position)] = count
            sums[attributes.get(position)] = {
                name: total or 0 for name, total in zip(measure_sums, totals, strict=True)
            }
        else:
            levels.setdefault(attributes[position], {})[dimensions[position].hierarchy_level(level)] = released
    sums_of = {attribute: sums[attribute] for attribute in attributes.values()}
    return {"cells": counted[None], "sums": sums[None], "sums_of": sums_of, "levels": levels}


def hierarchies_of(star: Star) -> Joined:
    """The hierarchies of the attributes, with the levels that the job does not allow."""
    return union_all(
        Statement(
            "measures/distance#hierarchy",
            dimension=Number(dimension.position),
            height=Number(dimension.hierarchy_height),
            beneath=Number(dimension.beneath),
        )
        for dimension in star.dimensions
    )


def _cells(star: Star, ranged: Sequence[int]) -> Joined:
    """The cells of a recoding, attribute by attribute."""
    no_share = Statement("measures/cells#no_share")
    return union_all(
        Statement(
            "measures/cells",
            dimension=Number(at),
            code=Name(f"code_{at}"),
            level=Name(f"level_{at}"),
            share=Name(f"share_{at}") if at in ranged else no_share,
            recoding=RECODING,
        )
        for at in (dimension.position for dimension in star.dimensions)
    )


def complete_measures(
    measured: dict[str, Any], classes: Classes, *, k: int, rows: int, suppressed: int
) -> dict[str, Any]:
    """All measures: from the figures of the recoding, and from the release's recounted classes."""
    counted = Measured(
        rows=rows,
        suppressed=suppressed,
        released=classes.rows,
        classes=classes.classes,
        squares=classes.squares,
        k=k,
        **measured,
    )
    return {measure.name: measure.of(counted) for measure in every()}


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
    """Alternatives to the release, a line each, the least loss first; and the cost of a larger k.

    ``sizes`` are the class sizes of the release. Loss is the measure, with equal importance of columns.
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
    """The loss of a lattice sweep in place of a generalization of whole columns.

    Empty if the run searches no full-domain generalization, or if the sweep would make it much longer.
    """
    sweep = _SECONDS + _PER_NODE * star.lattice_nodes + _PER_TUPLE * star.combinations
    if sweep > _SHARE * _PER_ROW * star.rows or job.algorithm.about.recoding_model != "full-domain":
        return
    if star.capped and recoding.suppressed:  # groups that no local recoding of all rows satisfies
        return
    demand = _of_rows(star, job)
    if demand is None or star.rows < demand.least_rows:
        return
    from starcloak.insight.sweep_loss import loss  # with the arrays of the search, which few runs need

    least = loss(star, demand, seed=job.seed)
    yield (
        least,
        f"a local recoding that keeps all rows would have loss {least:.4f}, but a column would mix levels: see "
        "algorithm: {name: sweep}",
    )


def _of_rows(star: Star, job: Job) -> Demand | None:
    """The demand on a class, if it is of one quasi-identifier and of rows alone."""
    demand = job.required.over(star.domains).strictest([dimension.attribute for dimension in star.dimensions])
    return demand if job.required.single and not job.as_set and demand.counts_rows_only else None


def _of_nodes(
    recoding: Recoding, search: Search, loss: Callable[[], NodeCost], *, allowed: int, job: Job
) -> Iterator[tuple[float, str]]:
    """Costs of other nodes of a complete full-domain search with known minimal nodes.

    Rows that may be suppressed there count as lost on top.
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
            f"objective {job.objective.minimize} costs a loss of {taken:.4f}, where {least:.4f} at most was "
            "to be had: see objective: {minimize: loss}",
        )
    count = len(recoding.levels)
    if count > 1 and search.pruned == "monotone":
        # A column at its top distinguishes no rows: a minimal set with it there is minimal without it.
        without = (lost[1:].sum(axis=1)[:, None] - lost[1:]).min(axis=0) * count / (count - 1) + more
        least, name = min(zip(without.tolist(), recoding.levels, strict=True))
        if least <= _LESS * taken:
            yield (
                least,
                f"without {name!r} the others would have a loss of {least:.4f} at most, where it is {taken:.4f}: leave "
                "it out if it is needed least",
            )


def _by_leaving_out(
    star: Star, recoding: Recoding, cost: Callable[[], NodeCost], job: Job
) -> Iterator[tuple[float, str]]:
    """The loss if one hundredth more of the rows may be suppressed: one column after the other a level lower.

    Each step takes the column that gains most, so that there may be a better node. Empty if rows are suppressed
    already.
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
            f"with one row of a hundred more left out the loss would be {least:.4f} at most, where it is {taken:.4f}: "
            f"see requirement: {{suppression: {more.suppression.normalize():f}}}",
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
    """Cost of a larger k: the largest that costs little, else one that costs least; None if none is known.

    It is counted at the nodes one level higher in one attribute, and at the minimal ones known to a search. Rows
    suppressed there count as lost. If rows are suppressed already, only the release itself is examined.
    """
    if _of_rows(star, job) is None or job.requirement.qids or not sizes.counted:
        return None
    if sizes.smallest > job.k:
        return (
            f"k = {sizes.smallest} costs nothing: no class of this release is smaller; see requirement: "
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
        f"k = {k} would have a loss of {least:.4f} at most, where it is {taken:.4f} with k = {job.k}: see requirement: "
        f"{{k: {k}}}"
    )


def _countable(star: Star) -> int:
    """Number of nodes that a search for a lower node, or for a larger k, may count."""
    return int(_WITHIN / (_PER_GROUPED * star.combinations + _PER_PAIR * len(star.dimensions) ** 2))


def _loss_by(cost: NodeCost) -> Callable[[tuple[int, ...]], float]:
    """The loss of a node without suppressed rows, by its levels."""
    steps = cost.steps or ()
    return lambda node: float(sum(step[level] for step, level in zip(steps, node, strict=True)))


def _counted(star: Star, nodes: Sequence[tuple[int, ...]]) -> Joined:
    """The frequency sets of some nodes, each by its place among them."""
    positions = tuple(dimension.position for dimension in star.dimensions)
    return frequency_sets.count_all(
        frequency_sets.from_star(star, Node(at, positions, node)) for at, node in enumerate(nodes)
    )


def _largest_k(star: Star, nodes: Sequence[tuple[int, ...]], allowed: int) -> list[tuple[int, int, int]]:
    """The largest k of each node, by its place, and how many rows it leaves out there."""
    if not nodes:
        return []
    largest = Statement("insight/largest_k", frequency=_counted(star, nodes))
    return list(star.session.run(largest, {"allowed": allowed}))


def _lower(star: Star, levels: tuple[int, ...], demand: Demand) -> list[tuple[tuple[int, ...], int]]:
    """The nodes one level lower in one attribute, and the rows in their value groups that violate a demand."""
    places = [at for at, dimension in enumerate(star.dimensions) if levels[at] > dimension.lowest]
    nodes = [(*levels[:at], levels[at] - 1, *levels[at + 1 :]) for at in places]
    if not nodes:
        return []
    shortfalls = star.session.run(frequency_sets.shortfall_of(_counted(star, nodes), demand))
    return [(nodes[at], outliers) for at, _, _, outliers in shortfalls]
