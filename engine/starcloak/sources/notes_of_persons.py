"""Notes on columns that identify persons: spellings of one person, and a column that may identify persons alone."""

from __future__ import annotations

from collections.abc import Sequence

from starcloak.base.column import Column
from starcloak.base.column_names import names_person
from starcloak.statements.statement import Joined, Name, Statement, columns
from starcloak.store.session import Session
from starcloak.store.source import Source

# A column of a person's key that may identify the person alone: the number of its values with several keys, at least;
# the share of these values with one tuple, at least; the share of the most frequent tuple of the table, at most.
_FEWEST_SEVERAL, _ALIKE, _LARGEST_TUPLE = 20, 0.95, 0.2


def in_classes(
    session: Session, classes: Name, source: Source, persons: Sequence[str], attributes: Sequence[str]
) -> list[str]:
    """All notes on the columns ``persons`` of ``classes`` over the released columns of ``source``.

    ``attributes`` are the quasi-identifiers. Without ``persons``, the result is empty.
    """
    if not persons:
        return []
    names = [column.name for column in source.released]
    described = [source.released[names.index(name)] for name in persons]
    places, values = ([Name(f"value_{names.index(name) + 1}") for name in listed] for listed in (persons, attributes))
    return [
        *spellings(session, described, places, classes, source.mended_in),
        *single_columns(session, described, places, values, classes),
    ]


def spellings(
    session: Session, persons: Sequence[Column], places: Sequence[Name], relation: Name, mended_in: str
) -> list[str]:
    """A warning if some persons differ in spelling alone; empty otherwise.

    ``persons`` are the columns that identify persons, and ``places`` the same columns in ``relation``.
    """
    folded = (
        Statement("store/text#folded", column=place) if column.is_text else place
        for column, place in zip(persons, places, strict=True)
    )
    count, alike = (
        session.row(Statement("privacy/persons/codes#alike", folded=columns(cells), codes=relation))
        for cells in (places, folded)
    )
    if alike == count:
        return []
    return [
        f"some persons in {', '.join(repr(column.name) for column in persons)} differ only in case, accents, spaces or "
        f"Unicode form: if they are the same person, k counts them as several; make them alike in {mended_in}"
    ]


def single_columns(
    session: Session, persons: Sequence[Column], places: Sequence[Name], values: Sequence[Name], relation: Name
) -> list[str]:
    """Warnings of a column that may identify persons alone, if several columns are said to identify them.

    The column is named after a person, and its values with several keys (combinations of values in the person columns)
    have one tuple each. Numbers that several hospitals use by chance belong to people of different tuples, except if
    the table has few tuples: then nothing is reported. ``places`` are the columns ``persons`` in ``relation``, and
    ``values`` the columns of a tuple.
    """
    found = []
    for column, place in zip(persons, places, strict=True) if len(persons) > 1 else ():
        if not names_person(column.name):
            continue
        several, alike, largest = session.row(
            Statement(
                "privacy/persons/codes#single",
                person=place,
                persons=Joined(tuple(places), ", "),
                values=Joined(tuple(values), ", "),
                base=relation,
            )
        )
        if several >= _FEWEST_SEVERAL and alike >= _ALIKE * several and largest <= _LARGEST_TUPLE:
            further = ", ".join(repr(other.name) for other in persons if other is not column)
            found.append(
                f"of {several:,} values of {column.name!r} with several values of {further}, {alike:,} have one "
                f"combination of quasi-identifiers: if {column.name!r} identifies persons without {further}, k counts "
                f"them several times; then write person: {column.name}"
            )
    return found
