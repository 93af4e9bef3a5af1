"""Columns that join the rows of one person: constant for the person, and with values of few other persons.

Released beside a quasi-identifier, such a column shows the classes of a person's rows, and these together may fit one
person alone. So uniqueness is judged per person: a draft keeps no such column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from starcloak.commands.profile.roles import SAID, Decided, persons_of
from starcloak.statements.statement import Name, Statement
from starcloak.store.session import Session

_CONSTANT = Fraction(95, 100)  # of the persons with several values, for whom these are one
_OWN = Fraction(1, 10)  # of the persons, at least, who have a value that is theirs alone


def without_joining(store: Session, rows: Name, decided: Sequence[Decided], person: Decided | None) -> list[Decided]:
    """The columns, with joining columns as quasi-identifiers if they are numbers or dates, else as identifiers."""
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
    why = f"{column.evidence}; it joins rows: {own / persons:.0%} of the {whose} have a value of their own in all rows"
    is_generalized = its.is_number or its.is_date
    return replace(
        joining, role="quasi_identifiers" if is_generalized else "identifiers", evidence=why, is_doubted=True
    )
