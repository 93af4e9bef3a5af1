"""Role of a column: an identifier, a quasi-identifier, sensitive, or harmless; with the evidence for it.

Rules are data: the first that applies decides. In doubt a column gets the more dangerous role, and a draft marks it for
its reader to decide. A column with a value of its own for nearly every row is never kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from starcloak.base.column_names import (
    Role,
    ends_like_number,
    ends_with_person,
    is_number_of_things,
    names_person,
    role_by_name,
    words,
)
from starcloak.commands.profile.columns import MOSTLY, Profile

SAID = "as the user said"
_PERSONS = {"patient", "customer", "client", "member", "employee", "student", "user", "subject", "participant", "donor"}
FEWEST_PERSONS = 50  # of a table with classes that may count them
_SHORT_YEARS = (
    "; they look like dates with years of two digits, and the century would be a guess: if 68 is 2068 and 69 is "
    '1969, write {dates: [month, year], formats: ["%d.%m.%y"]}, with all formats that occur'
)
_NUMBERS = "; if they number people or records, put the column under identifiers"
_ROWS_OF_ONE = 10  # largest mean number of rows of one thing, such as a loan, whose number identifies a person
_FREE_TEXT = 4  # words of a value, on average
_SHORTEST_CODE = 4  # digits of a person's number; fewer may count persons
_FEWEST_CODES = 10  # numbers of persons, or codes in a column whose name does not end with persons

#: How likely others know a quasi-identifier of somebody, by words of its name: what a neighbour, a voter roll or a
#: newspaper tells; what colleagues know; the other quasi-identifiers by name come next, those by value alone last.
_KNOWN_BY = (
    "age sex gender birth birthdate birthday birthmonth dob birthyear born zip zipcode postcode postal plz city town "
    "county state municipality race ethnicity nationality country admissiondate death deathdate marital "
    "maritalstatus geburtsdatum geb gebdatum alter geschlecht wohnort ort",
    "occupation job jobtitle profession employer company education degree school household children dependents "
    "religion language precinct district region hiredate hired visitdate familienstand beruf",
)
_KNOWN = {word: tier for tier, listed in reversed([*enumerate(_KNOWN_BY)]) for word in listed.split()}


@dataclass(frozen=True)
class Decided:
    """The decision on a column: its role, and the reason in words (``evidence``).

    ``is_doubted`` marks a decision for the user to confirm. ``joins_rows`` is true if readers can find the rows of one
    person by the column; such a column is never kept.
    """

    profile: Profile
    role: Role
    evidence: str
    is_doubted: bool = False
    joins_rows: bool = False

    @property
    def name(self) -> str:
        return self.profile.name

    @property
    def tier(self) -> int:
        """Rank of the likelihood that others know a person's value of the column: 0 is likely, 3 is not."""
        if self.profile.are_sexes:
            return 0
        tiers = [_KNOWN[word] for word in words(self.name) if word in _KNOWN]
        unknown = 1 if self.profile.is_date else 3
        return min(tiers, default=2 if role_by_name(self.name) == "quasi_identifiers" else unknown)


@dataclass(frozen=True)
class RoleRule:
    """A rule: if it ``applies`` to a column's profile, the column has this role.

    The ``reason`` is a format string; :func:`decide` fills it. ``is_doubted`` marks a decision for the user to confirm.
    """

    role: Role
    applies: Callable[[Profile], object]
    reason: str
    is_doubted: bool = False


def _named(*roles: Role) -> Callable[[Profile], bool]:
    return lambda profile: role_by_name(profile.name) in roles


def _is_unique_measure(profile: Profile) -> bool:
    """True if a column's nearly unique numbers are quantities, and not numbers that name persons or records."""
    measures = not profile.are_whole or role_by_name(profile.name) in ("quasi_identifiers", "sensitive")
    return profile.is_nearly_unique and profile.is_number and measures and not is_number_of_things(profile.name)


def _is_rare_code(profile: Profile) -> bool:
    """True if a column's values are codes in so few rows each that they identify persons, such as a loan's number."""
    return (
        role_by_name(profile.name) == "sensitive"
        and ends_like_number(profile.name)
        and profile.distinct >= 20
        and profile.distinction >= 1 / _ROWS_OF_ONE
    )


def _is_code_of_persons(profile: Profile) -> bool:
    """True if a column's values are codes of persons, by its name, even if their pattern is another: P00012, a
    diagnosis.

    A name with a word for a person and a further word names a fact about persons, unless the word for a person is last.
    """
    name = profile.name
    if not names_person(name) or profile.is_date or (profile.is_number and not profile.are_whole):
        return False
    if role_by_name(name) not in (None, "identifiers"):
        if not ends_with_person(name) or profile.is_number or profile.are_diagnoses:
            return False
    elif profile.is_number and not ends_with_person(name):
        return False
    if profile.is_number or profile.codes >= MOSTLY:
        is_long = not profile.is_number or profile.shortest >= _SHORTEST_CODE
        of_few_persons = ends_with_person(name) and is_long  # E77906 in a table of eight employees
        return of_few_persons or profile.distinct >= _FEWEST_CODES
    return profile.words < _FREE_TEXT and profile.distinct >= max(FEWEST_PERSONS, profile.present / FEWEST_PERSONS)


RULES = (
    RoleRule("identifiers", lambda its: not its.column.is_groupable, "values of type {kind}, which has no hierarchy"),
    RoleRule("keep", lambda its: not its.distinct, "no values"),
    RoleRule("keep", lambda its: its.distinct == 1 and not its.is_missing, "one value"),
    RoleRule("identifiers", lambda its: its.looks_like(MOSTLY), "values look like {looks}"),
    RoleRule("identifiers", _named("identifiers"), "by its name"),
    RoleRule(
        "identifiers",
        lambda its: is_number_of_things(its.name) and not (its.is_number and not its.are_whole),
        "by its name",
    ),
    RoleRule(
        "identifiers",
        lambda its: its.is_nearly_unique and not its.is_date and not _is_unique_measure(its),
        "nearly every row has a different value",
    ),
    RoleRule(
        "identifiers",
        lambda its: (
            its.may_be_a_number_of_things
            and its.distinct == its.present
            and not its.is_date
            and role_by_name(its.name) in (None, "keep")
        ),
        "each row has a different number",
        is_doubted=True,
    ),
    RoleRule(
        "quasi_identifiers",
        lambda its: _is_unique_measure(its) and role_by_name(its.name) != "quasi_identifiers",
        "numbers, different in nearly every row",
        is_doubted=True,
    ),
    RoleRule("identifiers", _is_rare_code, "a code that only {shared:.1f} rows share on average"),
    RoleRule(
        "identifiers",
        lambda its: its.words >= _FREE_TEXT and its.distinct > 20 and its.distinction > 0.3,
        "free text",
    ),
    RoleRule("identifiers", _is_code_of_persons, "by its name, {distinct:,} values that identify persons"),
    RoleRule("quasi_identifiers", _named("quasi_identifiers"), "by its name"),
    RoleRule("sensitive", lambda its: _named("sensitive")(its) and not its.is_nearly_unique, "by its name"),
    RoleRule("keep", lambda its: _named("keep")(its) and not its.is_nearly_unique, "by its name"),
    RoleRule("quasi_identifiers", lambda its: its.are_sexes, "values are words for sexes", is_doubted=True),
    RoleRule("sensitive", lambda its: its.are_diagnoses, "values look like diagnoses (ICD-10)", is_doubted=True),
    RoleRule("quasi_identifiers", lambda its: its.is_date, "dates"),
    RoleRule("sensitive", lambda its: its.is_number and not its.are_whole, "measurements", is_doubted=True),
    RoleRule("keep", lambda its: its.distinct == 1, "one value, and missing cells", is_doubted=True),
    RoleRule("keep", lambda its: its.distinct == 2, "two values", is_doubted=True),
    RoleRule("quasi_identifiers", lambda its: its.is_number, "{distinct:,} different numbers", is_doubted=True),
    RoleRule("quasi_identifiers", lambda its: True, "{distinct:,} values", is_doubted=True),
)


def decide(profile: Profile) -> Decided:
    """Decide the role of a column by the first rule that applies to its profile.

    A column with a few values that identify persons, such as email addresses, is not released as it is.
    """
    rule = next(rule for rule in RULES if rule.applies(profile))
    if rule.role in ("sensitive", "keep") and (some := profile.partly_like) is not None:
        return Decided(profile, "identifiers", f"some values look like {some}", is_doubted=True)
    reason = rule.reason.format(
        kind=profile.column.kind,
        looks=profile.looks_like(MOSTLY),
        shared=profile.present / max(profile.distinct, 1),
        distinct=profile.distinct,
    )
    short = _SHORT_YEARS if profile.have_short_years and not profile.is_date else ""
    numbers = _NUMBERS if rule.is_doubted and rule.role != "identifiers" and profile.may_be_a_number_of_things else ""
    return Decided(profile, rule.role, reason + numbers + short, rule.is_doubted)


def persons_of(name: str) -> str:
    """The word for the persons identified by a column, by its name.

    >>> persons_of("patient_id"), persons_of("ssn")
    ('patients', 'persons')
    """
    word = next((word for word in words(name) if word in _PERSONS), "person")
    return f"{word}s"


def records_of(person: Decided | None) -> str:
    """The word for the records of a draft: rows, or the persons of the column ``person`` with one row each."""
    return "rows" if person is None else persons_of(person.name)
