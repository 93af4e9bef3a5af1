"""Detection of joining columns: their value is equal in all rows of a person, and few other persons have this value.

Readers of a release can use such a column to find the rows of one person and the classes of these rows, and only one
person may fit all of these classes. So uniqueness is judged per person, and a draft keeps no joining column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from starcloak.commands.profile.roles import SAID, Decided, persons_of
from starcloak.statements.statement import Joined, Name, Statement
from starcloak.store.session import Session

_CONSTANT = Fraction(95, 100)  # of the persons with several values, for whom these are one
_SHARED = 5  # persons, at least, with the same facts that are released as they are
_STEADY = 0.1  # of a number's variance that is within persons, at most, where it is a fact of the person
_STEADY_VALUES = 20  # different numbers, at most, that are categories
_OWN = Fraction(1, 10)  # of the persons, at least, who have a value that is theirs alone


def without_joining(store: Session, rows: Name, decided: Sequence[Decided], person: Decided | None) -> list[Decided]:
    """The decisions on all columns, with changed roles for joining columns among them.

    A joining column becomes a quasi-identifier if it has numbers or dates, else an identifier. Without a ``person``,
    the column that identifies persons, nothing changes.
    """
    if person is None:
        return list(decided)
    return [_judged(store, rows, column, person) for column in decided]


def _judged(store: Session, rows: Name, column: Decided, person: Decided) -> Decided:
    its, persons = column.profile, person.profile.distinct
    if column.role == "identifiers" or column.evidence == SAID or its.distinct < _OWN * persons:
        return column
    counted = Statement("commands/profile/joining", person=Name(person.name), column=Name(its.name), rows=rows)
    several, constant, own = store.row(counted)
    if not several or constant < _CONSTANT * several or own < _OWN * persons:
        return column
    joining = replace(column, joins_rows=True)
    if column.role == "quasi_identifiers":
        return joining
    whose = persons_of(person.name)
    why = (
        f"{column.evidence}; it joins rows: {own / persons:.0%} of the {whose} have the same value, different from "
        "others', in all their rows"
    )
    is_generalized = its.is_number or its.is_date
    return replace(
        joining, role="quasi_identifiers" if is_generalized else "identifiers", evidence=why, is_doubted=True
    )


def without_joint_joining(
    store: Session, rows: Name, decided: Sequence[Decided], person: Decided | None
) -> list[Decided]:
    """The decisions on all columns, with columns that only together join the rows of a person changed to identifiers.

    Facts of a person (constant columns, and numbers that hardly change within a person) stay released only while every
    combination of their values is shared by at least ``_SHARED`` persons. Facts with the fewest values are tried first.
    """
    if person is None:
        return list(decided)
    released = [column for column in decided if column.role in ("sensitive", "keep") and column.evidence != SAID]
    whose = persons_of(person.name)
    out: dict[str, str] = {}
    taken: list[Name] = []
    for column in sorted(released, key=lambda column: column.profile.distinct):
        if column.profile.distinct < 2 or not column.profile.column.is_groupable:
            continue
        if not _is_fact(store, rows, column, person):
            continue
        names = [*taken, Name(column.name)]
        values = Joined(tuple(Statement("commands/profile/joining#value", column=name) for name in names), ", ")
        asked = Statement("commands/profile/joining#shared", person=Name(person.name), values=values, rows=rows)
        (fewest,) = store.row(asked)
        if (column.profile.is_number and column.profile.distinct > _STEADY_VALUES) or fewest < _SHARED:
            beside = "" if not taken else f", beside {', '.join(name.parts[-1] for name in taken)}"
            out[column.name] = (
                "not released: it hardly changes between rows of the same person, so a reader can join the rows of "
                f"each of the {whose}{beside}; put it under sensitive only if readers may do so"
            )
        else:
            taken = names
    return [
        replace(column, role="identifiers", evidence=f"{column.evidence}; {out[column.name]}", is_doubted=True)
        if column.name in out
        else column
        for column in decided
    ]


def _is_fact(store: Session, rows: Name, column: Decided, person: Decided) -> bool:
    """True if a column is constant within a person, or if its numbers hardly change there."""
    counted = Statement("commands/profile/joining", person=Name(person.name), column=Name(column.name), rows=rows)
    several, constant, _ = store.row(counted)
    if several and constant >= _CONSTANT * several:
        return True
    if not column.profile.is_number or column.profile.distinct <= _STEADY_VALUES:
        return False
    number = Statement("commands/profile/joining#number", column=Name(column.name))
    spread = Statement("commands/profile/joining#spread", person=Name(person.name), number=number, rows=rows)
    within, overall = store.row(spread)
    return bool(within is not None and overall and within <= _STEADY * overall)
