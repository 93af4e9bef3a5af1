"""Which columns tell rows apart: distinction and separation (Motwani, Xu 2007), of single columns and of small sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations

from starcloak.risk.attackers import Sizes
from starcloak.risk.result import Telling
from starcloak.session import Session
from starcloak.statement import Name, Statement
from starcloak.verify.classes import regroup

LARGEST = 4  # columns of a set
#: Tuples that are grouped in search of sets that tell rows apart, at most.
MOST_TUPLES = 200_000_000


def telling(session: Session, sizes: Statement, attributes: Sequence[str], rows: int) -> Telling:
    """How well some columns tell rows apart, from the sizes of the classes over them."""
    found, alike = session.row(Statement("risk/told_apart", {"sizes": sizes}))
    return _telling_of(attributes, found, int(alike), rows)


def of_sizes(attributes: Sequence[str], sizes: Sizes) -> Telling:
    """How well columns tell rows apart whose classes have these sizes."""
    alike = sum(size * (size - 1) * classes for size, classes in sizes.counted)
    return _telling_of(attributes, sizes.classes, alike, sizes.rows)


def _telling_of(attributes: Sequence[str], found: int, alike: int, rows: int) -> Telling:
    pairs = rows * (rows - 1)
    return Telling(
        attributes=list(attributes),
        distinction=float(Fraction(found, rows)),
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
    enough: Callable[[Telling], bool] = lambda _: False,
) -> tuple[list[Telling], bool]:
    """The sets of at most four columns whose distinction is ``least`` or more, smallest first, and whether all are.

    ``singles`` are the columns by themselves, ``together`` is the distinction of all of them: no set has more. Nor has
    one more classes than one of its columns and the others have together, so most sets are not counted at all. Nor are
    those that have one that was ``enough``.
    """
    if together < least:
        return [], True
    found = [each for each in singles if (each.distinction or 0) >= least]
    ended = [set(each.attributes) for each in found if enough(each)]
    # The classes of each set, or no fewer.
    classes_of: dict[tuple[str, ...], int] = {
        (each.attributes[0],): round((each.distinction or 0) * rows) for each in singles
    }
    names_of = [each.attributes[0] for each in singles]
    counted = 0
    for size in range(2, min(LARGEST, len(singles)) + 1):
        for attributes in combinations(names_of, size):
            most = min(
                classes_of[(*attributes[:place], *attributes[place + 1 :])] * classes_of[attributes[place],]
                for place in range(size)
            )
            classes_of[attributes] = min(most, rows)
            if most < least * rows or any(smaller <= set(attributes) for smaller in ended):
                continue
            counted += combined
            if counted > MOST_TUPLES:
                return found, False
            told = telling(session, regroup(classes, names, attributes), attributes, rows)
            classes_of[attributes] = round((told.distinction or 0) * rows)
            if (told.distinction or 0) >= least:
                found.append(told)
                if enough(told):
                    ended.append(set(attributes))
    return found, True
