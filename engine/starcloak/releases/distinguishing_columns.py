"""Columns that distinguish rows: distinction and separation (Motwani, Xu 2007), of single columns and of small
sets.
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
#: Tuples that are grouped in search of sets that tell rows apart, at most; a statement costs as much as some of them.
MOST_TUPLES = 200_000_000
_OF_STATEMENT = 100_000
#: Sets of columns that are looked at, at most, whether they are counted or not.
MOST_SETS = 200_000


class Telling(Part):
    """Distinction and separation of columns."""

    attributes: list[str]
    distinction: float | None = Field(description="classes by rows; null where a release would tell few")
    separation: float | None = Field(
        description="share of the pairs of rows that are told apart; null of a release with classes below k rows"
    )


def telling(session: Session, sizes: Statement, attributes: Sequence[str], rows: int) -> Telling:
    """Distinction and separation of some columns, from the sizes of the classes over them."""
    classes, alike = session.row(Statement("releases/distinguishing_columns", sizes=sizes))
    return _telling_of(attributes, classes, int(alike), rows)


def telling_of_sizes(attributes: Sequence[str], sizes: Sizes) -> Telling:
    """Distinction and separation of columns from class sizes in memory."""
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
    """The sets of at most ``largest`` columns with a distinction of ``least`` or more, smallest first; and the number
    of columns up to which all sets were examined. It is the requested one, unless the sets are too many to examine or
    to count.

    ``singles`` are the columns by themselves, ``together`` is the distinction of all of them: no set has more. A set
    has at most the classes of one of its columns times those of its other columns together, so most sets are not
    counted at all. Sets with a part that was ``enough`` are not counted, either. ``counted_at_most`` limits the number
    of counted sets.
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
    """The sets of ``size`` columns that have ``wanted`` classes if the columns are independent, in their order."""
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
    """Upper bound of a set's number of classes: the classes of all but one of its columns, if counted, times that
    one's.
    """
    singly = [classes_of[(name,)] for name in attributes]
    bounds = [prod(singly)]
    for place, classes in enumerate(singly):
        subset = classes_of.get((*attributes[:place], *attributes[place + 1 :]))
        if subset is not None:
            bounds.append(subset * classes)
    return min(bounds)
