"""What a release looks like, from what a run has at hand once it is verified: the recoding and both sides' classes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from starcloak.base import small_counts
from starcloak.insight.risk.attackers import THRESHOLDS, Sizes
from starcloak.job.release_insight import ColumnSeen, Insight, RiskBefore, SizesSeen, ThresholdSeen
from starcloak.star.recoding.recoding import RECODING
from starcloak.star.star import Star
from starcloak.statements.statement import Hole, Joined, Name, Number, Statement, union_all
from starcloak.store.relations import BASE
from starcloak.store.session import Session
from starcloak.verify.classes import SIZE, STAGED, value

_MANY = 100  # values of a column of dates or codes, which are then those of persons
_MOST = 24  # values of a column whose rows are told
_COUNTS = 2  # columns of the base frequency set beside its values: the checksum, and the frequency


def class_sizes(session: Session) -> Sizes:
    """The class sizes of a release whose classes are those that were gathered last."""
    return Sizes(tuple(session.run(Statement("insight/sizes", classes=STAGED))))


def insight_of(star: Star, sizes: Sizes, records: Sizes, *, k: int) -> Insight:
    """What a release of these class sizes looks like, by rows and by the records that it has to hide: rows or persons.

    No count from 1 to k - 1 is told.
    """
    # Of the rows that stay: beside those of the release, all of the source would tell what was left out.
    stayed = Statement("insight/frequent#stayed", recoding=RECODING)
    asked = [
        _frequent(at, stayed, Name(f"code_{dimension.position}"), Name("frequency"))
        for at, dimension in enumerate(star.dimensions)
    ]
    count = len(asked)
    if sizes.counted:  # of a release without rows nothing is at hand
        asked += [_frequent(count + at, STAGED, value(at), SIZE) for at in range(count)]
    figures = {
        at: (values, list(frequent))
        for at, values, frequent in star.session.run(union_all(asked), {"most": _MOST, "least": k})
    }
    columns = []
    for at, dimension in enumerate(star.dimensions):
        values, frequent = figures[at]
        released, released_frequent = figures.get(count + at, (0, []))
        columns.append(
            ColumnSeen(
                attribute=dimension.attribute,
                values=values,
                released_values=released,
                frequent=frequent,
                released_frequent=released_frequent,
            )
        )
    return Insight(columns=columns, thresholds=_thresholds(records))


def risk_before(star: Star, *, k: int, whole: bool, persons: Sequence[Name] = ()) -> RiskBefore:
    """The risk of the records as the source has them: of all rows of a ``whole`` release or, where columns of the base
    frequency set tell them apart, of all ``persons``; else of the rows that stay, by the lowest allowed levels.
    """
    positions = [dimension.position for dimension in star.dimensions]
    columns = [Name(f"code_{at}") for at in positions]
    holes: dict[str, Hole] = {"records": Statement("insight/source_sizes#rows")}
    holes["groups"] = Statement("insight/frequent#stayed", recoding=RECODING)
    if persons or whole:
        columns, holes["groups"] = [value(at) for at in range(len(positions))], BASE
    holes["values"] = Joined(tuple(columns), ", ")
    if persons:
        holes["records"] = Statement("insight/source_sizes#persons", persons=Joined(tuple(persons), ", "))
    sized = Statement("insight/source_sizes", **holes)
    if whole and _is_of_values(star):
        sized = Statement("insight/source_sizes#combinations", base=BASE)
    sizes = Sizes(tuple(star.session.run(sized)))
    return RiskBefore(
        alone=small_counts.mask(sizes.of(1), k),
        highest=1 / sizes.smallest,
        average=sizes.classes / sizes.rows,
        thresholds=_thresholds(sizes),
    )


def _is_of_values(star: Star) -> bool:
    """Whether each combination of the base frequency set is one of quasi-identifiers alone."""
    return len(star.session.describe(Statement("store/relation", relation=BASE))) == len(star.dimensions) + _COUNTS


def _frequent(place: int, groups: Hole, column: Name, rows: Name) -> Statement:
    return Statement("insight/frequent", place=Number(place), groups=groups, value=column, rows=rows)


def lost_columns(names: Sequence[str]) -> list[str]:
    """What is said of quasi-identifiers that became one value."""
    if not names:
        return []
    columns, them = ("columns", "them") if len(names) > 1 else ("column", "it")
    named = ", ".join(map(repr, names))
    return [f"{columns} {named} became * in every row: leave {them} out, or spare {them} by objective.weights"]


def finely_shown(shown: Iterable[tuple[str, str, int]]) -> list[str]:
    """What is said of columns that show so many values as they are by which people are found, and what these are."""
    return [
        f"column {name!r} shows {kind}, of {values:,} values: such as a day of birth or a full postcode find people in "
        "other registers, whatever k; from: 1 in its hierarchy, or a higher level, keeps them out"
        for name, kind, values in shown
        if values >= _MANY
    ]


def size_bins(sizes: Sizes, k: int) -> list[SizesSeen]:
    """Class sizes from the smallest on, in steps of which each is twice as large as the one before.

    No count of classes from 1 to k - 1 is told.
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


def _thresholds(sizes: Sizes) -> list[ThresholdSeen]:
    if not sizes.counted:
        return []
    return [
        ThresholdSeen(
            name=name,
            k=k,
            probability=probability,
            holds=sizes.smallest >= k,
            records_at_risk=float(Fraction(sizes.rows_below(k), sizes.rows)),
        )
        for k, probability, name in THRESHOLDS
    ]
