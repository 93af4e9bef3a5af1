"""Re-identification risk of records by customary thresholds, for a release and for its source.

The risk of a record is 1 / size of its class.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from starcloak.base import small_counts
from starcloak.job.result import RiskBefore, ThresholdSeen
from starcloak.star.recoding.recoding import RECODING, Recoding, same_tuple
from starcloak.star.star import Star, member_joins
from starcloak.star.working_tables import BASE
from starcloak.statements.statement import As, Hole, Joined, Name, Statement, columns, conditions
from starcloak.verify.classes import ExposedRecords, class_sizes, value

#: Customary thresholds: k, the same as a probability (about 1/k), and a name with the origin.
THRESHOLDS = (
    (3, 0.33, "k = 3"),
    (5, 0.2, "k = 5"),
    (11, 0.09, "k = 11: EMA Policy 0070"),
    (20, 0.05, "k = 20"),
)


def in_words(k: int, probability: float) -> str:
    """A customary threshold of risk, exact and in its customary form: a risk of 1/3 is above 0.33.

    >>> in_words(3, 0.33)
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
