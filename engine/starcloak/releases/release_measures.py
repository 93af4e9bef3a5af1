"""Measures of a release: such as loss, by its recoding and its recounted classes; the risk of its records; misfits.

The re-identification risk of a record is 1 / size of its class, and is compared with customary thresholds. The setting
``nonconforming`` of a hierarchy decides if cells with a value that is no leaf become missing or the top value ``*``.
They are counted, named in the labels of levels, and warned of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from starcloak.base import small_counts
from starcloak.hierarchy.builder import MISSING, TOP
from starcloak.job import Job
from starcloak.job.changed_cells import CellsNonconforming
from starcloak.job.result import RiskBefore, ThresholdSeen
from starcloak.measures.measure import Measured, every
from starcloak.star.recoding.recoding import RECODING, Recoding, same_tuple
from starcloak.star.star import Dimension, Star, member_joins
from starcloak.star.working_tables import BASE, GENERALIZATION
from starcloak.statements.statement import As, Hole, Joined, Name, Number, Statement, columns, conditions, union_all
from starcloak.verify.classes import ExposedRecords, class_sizes, value
from starcloak.verify.recount import Classes

_MANY = 0.1  # of the cells with a value: a share that is warned of
#: Customary thresholds: k, the same as a probability (about 1/k), and a name with the origin.
THRESHOLDS = (
    (3, 0.33, "k = 3"),
    (5, 0.2, "k = 5"),
    (11, 0.09, "k = 11: EMA Policy 0070"),
    (20, 0.05, "k = 20"),
)


def measure_recoding(star: Star, *, ranged: Sequence[int] = (), beta: float = 1.0) -> dict[str, Any]:
    """Figures computed from the recoding relation, as inputs of the measures; see :class:`Measured`.

    ``beta`` (at least 1) is the exponent of the height weights in the weighted hierarchical distance. ``ranged`` has
    the positions of attributes with computed ranges of values in cells, in place of values of a hierarchy. Such a cell
    covers a share (0 … 1) of the attribute's other leaves, and counts as this share of one step to the root.
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
    """A statement with a row per attribute: position, height of the whole hierarchy, levels excluded at the bottom."""
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
    """A statement with a row per tuple and attribute of a recoding: code, level, and share of a computed range."""
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
    """The value of every installed measure, by its name.

    ``measured`` are the figures of :func:`measure_recoding`, ``classes`` the recounted classes of the release; ``rows``
    and ``suppressed`` count the rows of the source.
    """
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


def nonconforming_cells(job: Job, dimensions: Sequence[Dimension], *, rows: int) -> list[CellsNonconforming]:
    """The number of cells with a value not among the hierarchy's leaves, per column with such a count.

    ``rows`` is the number of rows of the source.
    """
    return [
        CellsNonconforming.model_validate(
            {
                "column": dimension.attribute,
                "become": _become(job, dimension),
                "cells": dimension.nonconforming.cells,
                "missing": rows - dimension.nonconforming.present,
            }
        )
        for dimension in dimensions
        if dimension.nonconforming is not None
    ]


def level_labels(job: Job, dimensions: Sequence[Dimension], *, suppressed: int) -> dict[str, list[str]]:
    """The names of the levels of each quasi-identifier, from level 0 on.

    If a column has missing or suppressed cells alone, its intermediate levels have the name of that content: missing,
    or the top. With ``suppressed`` rows they keep their own names: other names would reveal a suppressed row's value.
    """
    named = job.labels({dimension.attribute: dimension.hierarchy_height for dimension in dimensions})
    if suppressed:
        return named
    return named | {
        dimension.attribute: _relabelled(job, dimension, named[dimension.attribute]) for dimension in _lost(dimensions)
    }


def columns_at_top(job: Job, dimensions: Sequence[Dimension], levels: Mapping[str, Sequence[int]]) -> list[str]:
    """The columns with the top value in every nonempty cell, because no value is a leaf of the hierarchy.

    ``levels`` has the levels of each column in the release.
    """
    lost = [dimension for dimension in _lost(dimensions) if _become(job, dimension) == "suppress"]
    return [dimension.attribute for dimension in lost if dimension.floored or 0 not in levels[dimension.attribute]]


def _lost(dimensions: Sequence[Dimension]) -> list[Dimension]:
    """The columns in which no value is a leaf of the hierarchy."""
    return [
        dimension
        for dimension in dimensions
        if dimension.nonconforming is not None and dimension.nonconforming.share == 1
    ]


def nonconforming_warnings(
    job: Job, dimensions: Sequence[Dimension], levels: Mapping[str, Sequence[int]]
) -> Iterator[str]:
    """A warning for each column with at least a tenth of its values not among the leaves of the hierarchy.

    There is none for a column released unchanged. ``levels`` has the levels of each column in the release.
    """
    for dimension in dimensions:
        its = dimension.nonconforming
        if its is None or its.share < _MANY or dimension.keeps(levels[dimension.attribute]):
            continue
        yield (
            f"column {dimension.attribute!r}: {its.cells:,} of {its.present:,} cells fit no value of its hierarchy "
            f"and become {_reads(job, dimension)} (nonconforming: {_become(job, dimension)}): clean the cells, or "
            "change the hierarchy"
        )


def _become(job: Job, dimension: Dimension) -> str:
    return job.quasi_identifiers[dimension.attribute].nonconforming


def _reads(job: Job, dimension: Dimension) -> str:
    """The text, in the release, of a cell with a value not among the leaves: the top value, or that for missing."""
    return TOP if _become(job, dimension) == "suppress" and not dimension.keeps_type else MISSING


def _relabelled(job: Job, dimension: Dimension, named: Sequence[str]) -> list[str]:
    reads = _reads(job, dimension)
    ends = (0, dimension.hierarchy_height)
    return [label if level in ends else reads for level, label in enumerate(named)]


def risk_in_words(k: int, probability: float) -> str:
    """A customary threshold of risk, exact and in its customary form: a risk of 1/3 is above 0.33.

    >>> risk_in_words(3, 0.33)
    '1/3 (0.33)'
    """
    return f"1/{k} ({probability:g})"


def risk_before(
    star: Star, *, k: int, released: Recoding | None = None, persons: Sequence[Name] = (), of_values: bool = False
) -> RiskBefore:
    """The risk of the records by their values in the source, before generalization.

    Records are all persons, if ``persons`` names the columns of the base frequency set that identify them. Otherwise
    they are the rows ``released`` by a recoding, or all rows without one. With ``of_values``, a row of the base
    frequency set is a combination of quasi-identifiers alone; otherwise it may have further columns, and rows with
    equal quasi-identifiers are added up. A number of unique records from 1 to k - 1 is masked.
    """
    values: Hole = Joined(tuple(value(at) for at in range(len(star.dimensions))), ", ")
    if persons:
        told_apart = Joined(tuple(persons), ", ")
        counted = Statement("privacy/persons/recount#exposed", persons=told_apart, classes=BASE, values=values)
        exposure = ExposedRecords(tuple(star.session.run(counted)))
    else:
        sized = Statement("releases/record_risk#combinations", base=BASE)
        if released is not None:
            names, stayed = rows_that_stay(released)
            sized = Statement("releases/record_risk", values=Joined(tuple(names), ", "), groups=stayed)
        elif not of_values:
            sized = Statement("releases/record_risk", values=values, groups=BASE)
        exposure = class_sizes(star.session, sized).exposure
    return RiskBefore(
        alone=small_counts.mask(exposure.alone, k),
        highest=1 / exposure.smallest,
        average=exposure.average_risk or 0,
        thresholds=thresholds(exposure),
    )


def rows_that_stay(recoding: Recoding) -> tuple[list[Name], Statement]:
    """The names of value columns, and a statement with these columns of all tuples that are not suppressed.

    There is one column per quasi-identifier, with a code for each source value, or the value itself. The column
    ``frequency`` has the number of rows of each tuple.
    """
    star = recoding.star
    if not any(dimension.floored for dimension in star.dimensions):
        codes = [Name(f"code_{dimension.position}") for dimension in star.dimensions]
        return codes, Statement("releases/record_risk#stayed", recoding=RECODING)
    values = [dimension.value for dimension in star.dimensions]
    released = Statement("releases/record_risk#released", recoding=RECODING, match=same_tuple(star.dimensions))
    stayed = Statement(
        "releases/record_risk#stayed_of_source",
        values=columns(As(Name("base", *name.parts), name) for name in values),
        base=BASE,
        dimensions=member_joins(star.dimensions),
        released=conditions([released, *recoding.persons_that_stay]),
    )
    return values, stayed


def thresholds(exposure: ExposedRecords) -> list[ThresholdSeen]:
    """The customary thresholds, each with the share (0 … 1) of the records in classes smaller than its k.

    Empty if there is no record.
    """
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
