"""Detection of the column that identifies a row's person, by its name, or by facts that repeat with its values.

Facts about a person are equal in all rows of the person. So a column of any name and type identifies persons if, for
example, all rows with the same value in it have the same date of birth and the same sex.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from starcloak.base.column_names import names_person, repeats_like_persons, role_by_name, tells_persons, words
from starcloak.commands.profile.roles import FEWEST_PERSONS, SAID, Decided
from starcloak.statements.statement import As, Joined, Name, Statement, columns
from starcloak.store.session import Session

_CONSTANT = 0.95  # of the persons with several values of a fact, for whom these are one
_FEWEST_SEVERAL = 20  # persons with several values, at least
_VARIED = 0.8  # largest share of the rows with the most frequent value of a fact
_CANDIDATES = 6  # columns that are looked at, at most
_FACTS = 6  # of them, pairs are looked at
_OWN = 0.9  # of the candidate's values: as many values of a fact are another name of the person
_APART = 1.2  # combinations of two facts by values of one: more, where neither determines the other
#: Words of facts about persons: one such fact is enough.
_PERSONAL_NAMES = (
    "sex gender geschlecht birth birthdate birthday birthyear yearofbirth dob born geburtsdatum geburtsjahr firstname "
    "forename vorname lastname surname nachname race ethnicity marital maritalstatus familienstand nationality "
    "bloodtype"
)
_PERSONAL = frozenset(_PERSONAL_NAMES.split())


@dataclass(frozen=True)
class _Facts:
    """A ``candidate`` column for identifying persons, and its ``facts``: columns constant for each of its values.

    ``is_sure`` is true if the facts are enough to take the candidate.
    """

    candidate: Decided
    facts: Sequence[Decided]
    is_sure: bool


def person_of(
    store: Session, rows: Name, decided: Sequence[Decided]
) -> tuple[list[Decided], Decided | None]:  # fmt: skip
    """The decisions on all columns, and among them the column that identifies a row's person.

    The second value is None if persons seem to have one row each. A column named after a person is preferred to a
    column found by repeated facts, and this one to other identifiers.
    """
    named = _by_name(decided)
    if named is not None and names_person(named.name):
        return list(decided), named
    if any(column.evidence == SAID and column.role == "identifiers" for column in decided):
        return list(decided), named
    found = _by_repetition(store, rows, decided)
    if found is None:
        return list(decided), named
    facts = ", ".join(fact.name for fact in found.facts[:3])
    why = (
        f"all rows of each of its {found.candidate.profile.distinct:,} values agree in {facts}; if its values do not "
        "stand for persons, put it under identifiers in place of person"
    )
    person = replace(
        found.candidate, role="identifiers", evidence=f"{found.candidate.evidence}; {why}",
        is_doubted=found.candidate is not named,
    )  # fmt: skip
    return [person if column is found.candidate else column for column in decided], person


def _by_name(decided: Sequence[Decided]) -> Decided | None:
    """The identifier that repeats over rows as persons do and may be of persons by its name; None without one.

    Columns named after a person are preferred, then the column with the fewest values.
    """
    telling = [
        column
        for column in decided
        for its in [column.profile]
        if column.role == "identifiers" and its.column.is_groupable and not its.column.is_float and not its.is_missing
        if tells_persons(its.name) and its.distinct >= FEWEST_PERSONS
        if repeats_like_persons(its.name, its.present, its.distinct)
    ]
    return min(
        telling, key=lambda column: (not names_person(column.profile.name), column.profile.distinct), default=None
    )


def _by_repetition(store: Session, rows: Name, decided: Sequence[Decided]) -> _Facts | None:
    """The column that identifies persons, by columns that are constant for each of its values; None without a sure one.

    Of several candidates, the one with the most such columns is chosen, and of equals that with the fewest values."""
    candidates = sorted((column for column in decided if _may_be(column)), key=lambda column: -column.profile.distinct)[
        :_CANDIDATES
    ]
    found = [facts for one in candidates if (facts := _facts_of(store, rows, one, decided)).is_sure]
    return min(found, key=lambda facts: (-len(facts.facts), facts.candidate.profile.distinct), default=None)


def _may_be(column: Decided) -> bool:
    """True if a column may identify persons: its name says nothing else, and its values repeat."""
    its = column.profile
    is_whole = not (its.column.is_float or its.is_number) or its.are_whole
    return (
        column.evidence != SAID
        and its.column.is_groupable
        and not its.is_missing
        and not its.is_date
        and is_whole
        and role_by_name(its.name) in (None, "identifiers", "keep")
        and tells_persons(its.name) is not False
        and FEWEST_PERSONS <= its.distinct <= _OWN * its.present
    )


def _facts_of(store: Session, rows: Name, candidate: Decided, decided: Sequence[Decided]) -> _Facts:
    """The facts of a candidate; sure if a fact is about persons by its name, or if two facts are independent."""
    its = candidate.profile
    possible = [
        column
        for column in decided
        if column.name != candidate.name and column.profile.column.is_groupable
        if 2 <= column.profile.distinct <= its.distinct and column.profile.most <= _VARIED * column.profile.present
    ]
    if not possible:
        return _Facts(candidate, [], False)
    holes = {"person": Name(candidate.name), "rows": rows}
    counts = (
        As(Statement("commands/profile/persons#of_column", **_extremes(at)), Name(f"counts_{at}"))
        for at in range(len(possible))
    )
    extremes = (
        Statement("commands/profile/persons#extremes", column=Name(column.name), **_extremes(at))
        for at, column in enumerate(possible)
    )
    asked = Statement("commands/profile/persons", counts=columns(counts), extremes=columns(extremes), **holes)
    facts = [
        column
        for column, (several, constant) in zip(possible, store.row(asked), strict=True)
        if several >= _FEWEST_SEVERAL and constant >= _CONSTANT * several
    ]
    if any(_PERSONAL & {*words(fact.name)} for fact in facts):
        return _Facts(candidate, facts, True)
    coarse = [fact for fact in facts if fact.profile.distinct <= _OWN * its.distinct and not fact.profile.is_missing]
    pairs = [*combinations(coarse[:_FACTS], 2)]
    return _Facts(candidate, facts, any(_are_independent(store, rows, *pair) for pair in pairs))


def _are_independent(store: Session, rows: Name, one: Decided, other: Decided) -> bool:
    """True if neither of two columns determines the other: a city determines its state, and a sex no age."""
    names = Joined((Name(one.name), Name(other.name)), ", ")
    (combined,) = store.row(Statement("commands/profile/persons#combined", names=names, rows=rows))
    return bool(combined > _APART * max(one.profile.distinct, other.profile.distinct))


def _extremes(at: int) -> dict[str, Name]:
    return {"present": Name(f"present_{at}"), "least": Name(f"least_{at}"), "most": Name(f"most_{at}")}
