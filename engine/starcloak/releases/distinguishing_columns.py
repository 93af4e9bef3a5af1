"""Distinction and separation (Motwani, Xu 2007) of single columns and of small sets of columns.

Distinction is the number of distinct combinations of values by the number of rows. Separation is the share of pairs of
rows with different combinations. Both are from 0 to 1; a column with 1 is unique for every row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import ceil, prod

from pydantic import Field

from starcloak.job.result_part import Part
from starcloak.statements.statement import Name, Statement
from starcloak.store.session import Session
from starcloak.verify.classes import Sizes, regroup

LARGEST = 4  # columns of a set, at most
#: Highest number of grouped tuples, summed over all sets; every statement counts as _OF_STATEMENT tuples more.
MOST_TUPLES = 200_000_000
_OF_STATEMENT = 100_000
#: Highest number of sets of columns that are examined, including sets excluded by an upper bound without a statement.
MOST_SETS = 200_000


class Telling(Part):
    """Distinction and separation of a set of columns."""

    attributes: list[str]
    distinction: float | None = Field(
        description=("number of classes divided by rows; null if it would reveal a small count of a release")
    )
    separation: float | None = Field(
        description="share of the pairs of rows with different values; null for a release with classes below k rows"
    )


def telling(session: Session, sizes: Statement, attributes: Sequence[str], rows: int) -> Telling:
    """Distinction and separation of a set of columns; ``sizes`` is a statement with the class sizes over this set."""
    classes, alike = session.row(Statement("releases/distinguishing_columns", sizes=sizes))
    return _telling_of(attributes, classes, int(alike), rows)


def telling_of_sizes(attributes: Sequence[str], sizes: Sizes) -> Telling:
    """Distinction and separation of a set of columns; ``sizes`` are the sizes of the classes over this set."""
    alike = sum(size * (size - 1) * classes for size, classes in sizes.counted)
    return _telling_of(attributes, sizes.classes, alike, sizes.rows)


def _telling_of(attributes: Sequence[str], classes: int, alike: int, rows: int) -> Telling:
    pairs = rows * (rows - 1)
    return Telling(
        attributes=list(attributes),
        distinction=float(Fraction(classes, rows)),
        separation=float(1 - Fraction(alike, pairs)) if pairs else 0.0,
    )


def unique_sets(
    session: Session,
    classes: Name,
    names: Sequence[str],
    singles: Sequence[Telling],
    *,
    together: float,
    rows: int,
    combined: int,
    least: Fraction,
    largest: int = LARGEST,
    counted_at_most: int | None = None,
    enough: Callable[[Telling], bool] = lambda _: False,
) -> tuple[list[Telling], int]:
    """Sets of at most ``largest`` columns with a distinction of at least ``least``, smallest sets first; and a number.

    The number is the set size up to which all sets were examined. It is ``largest``, unless there are too many sets to
    examine or to count.

    ``classes`` is a relation of the tuples of all columns ``names``, ``combined`` the number of these tuples, ``rows``
    that of the rows. ``singles`` has distinction and separation of each column alone; ``together`` is the distinction
    of all columns, an upper bound for every set. The number of classes of a set is at most that of one of its columns
    times that of its other columns; most sets are excluded by this bound without a statement. A set is also skipped if
    ``enough`` returned True for a subset. ``counted_at_most`` limits the number of sets counted by a statement.
    """
    cost = combined + _OF_STATEMENT
    most = MOST_TUPLES if counted_at_most is None else counted_at_most * cost
    largest_size = min(largest, len(singles))
    if together < least or not largest_size:
        return [], largest
    sets = [telling for telling in singles if (telling.distinction or 0) >= least]
    ended = [set(telling.attributes) for telling in sets if enough(telling)]
    wanted = ceil(least * rows)
    # The classes of each set that was counted.
    classes_of: dict[tuple[str, ...], int] = {
        (telling.attributes[0],): round((telling.distinction or 0) * rows) for telling in singles
    }
    looked_at = counted = 0
    for size in range(2, largest_size + 1):
        for attributes in _candidates(classes_of, [telling.attributes[0] for telling in singles], size, wanted):
            looked_at += 1
            if looked_at > MOST_SETS:
                return sets, size - 1
            if _bound(classes_of, attributes) < wanted or any(smaller <= set(attributes) for smaller in ended):
                continue
            counted += cost
            if counted > most:
                return sets, size - 1
            separation = telling(session, regroup(classes, names, attributes), attributes, rows)
            classes_of[attributes] = round((separation.distinction or 0) * rows)
            if (separation.distinction or 0) >= least:
                sets.append(separation)
                if enough(separation):
                    ended.append(set(attributes))
    return sets, largest


def _candidates(
    classes_of: Mapping[tuple[str, ...], int], names: Sequence[str], size: int, wanted: int
) -> Iterator[tuple[str, ...]]:
    """Sets of ``size`` columns with a product of the columns' class counts of at least ``wanted``, in column order.

    ``classes_of`` has the number of classes of each column alone. The product is an upper bound of a set's classes.
    """
    counts = [classes_of[(name,)] for name in names]
    largest = [sorted(counts[at:], reverse=True)[:size] for at in range(len(names) + 1)]

    def further(taken: tuple[int, ...], classes: int, start: int) -> Iterator[tuple[int, ...]]:
        left = size - len(taken)
        if not left:
            yield taken
            return
        for at in range(start, len(names) - left + 1):
            if classes * prod(largest[at][:left]) < wanted:
                return  # nor has any that begins later
            if classes * counts[at] * prod(largest[at + 1][: left - 1]) >= wanted:
                yield from further((*taken, at), classes * counts[at], at + 1)

    for taken in further((), 1, 0):
        yield tuple(names[at] for at in taken)


def _bound(classes_of: Mapping[tuple[str, ...], int], attributes: tuple[str, ...]) -> int:
    """Upper bound of the number of classes of a set of columns.

    It is the least product of two counts in ``classes_of``: the classes of one column, and those of the other columns
    together, if counted. The product of all single columns is a bound as well.
    """
    singly = [classes_of[(name,)] for name in attributes]
    bounds = [prod(singly)]
    for place, classes in enumerate(singly):
        subset = classes_of.get((*attributes[:place], *attributes[place + 1 :]))
        if subset is not None:
            bounds.append(subset * classes)
    return min(bounds)
