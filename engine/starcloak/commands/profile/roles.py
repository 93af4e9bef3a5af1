"""What a column is: an identifier, a quasi-identifier, sensitive, or harmless; with the evidence for it.

In doubt a column is the more dangerous of two things: whoever reads the job can say otherwise. What nearly every row
has a value of its own of is released as it is under no name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from starcloak.base.column_names import (
    Role,
    ends_like_number,
    is_number_of_things,
    names_person,
    repeats_like_persons,
    role_by_name,
    tells_persons,
)
from starcloak.commands.profile.columns import Profile

_FEWEST_PERSONS = 50  # of a table whose classes may count them
_SHORT_YEARS = (
    "; like dates where years have two digits, of which the century would be a guess: where 68 is 2068 and 69 is 1969, "
    "say {dates: [month, year], formats: [%d.%m.%y]}, with the formats of the others"
)
_ROWS_OF_ONE = 10  # rows of one thing, such as a loan, at most on average, where its number tells whose they are
_FREE_TEXT = 4  # words of a value, on average


@dataclass(frozen=True)
class Decided:
    """The role of a column, and why."""

    profile: Profile
    role: Role
    evidence: str


def decide(profile: Profile) -> Decided:
    """What a column is."""

    def is_(role: Role, evidence: str) -> Decided:
        return Decided(
            profile, role, evidence + (_SHORT_YEARS if profile.have_short_years and not profile.is_date else "")
        )

    if not profile.column.is_groupable:
        return is_("identifiers", f"values of type {profile.column.kind}, which has no hierarchy")
    if profile.distinct <= 1:
        return is_("keep", "one value or none" if profile.distinct else "no values")
    for pattern, share in profile.patterns.items():
        if share and share >= 0.8:
            return is_("identifiers", f"values look like {pattern}")
    named = role_by_name(profile.name)
    measure = profile.is_number and not profile.are_whole
    if named == "identifiers" or (is_number_of_things(profile.name) and not measure):
        return is_("identifiers", "by its name")
    if profile.is_nearly_unique and not profile.is_date:
        if not (profile.is_number and (measure or named in ("quasi_identifiers", "sensitive"))):
            return is_("identifiers", "nearly every row has a value of its own")
        if named != "quasi_identifiers":
            return is_("quasi_identifiers", "numbers, and nearly every row has one of its own")
    if named == "sensitive" and _is_rare_code(profile):
        return is_("identifiers", f"a code that only {profile.present / profile.distinct:.1f} rows share on average")
    if profile.words >= _FREE_TEXT and profile.distinct > 20 and profile.distinction > 0.3:
        return is_("identifiers", "free text")
    if named is not None and not (profile.is_nearly_unique and named in ("sensitive", "keep")):
        return is_(named, "by its name")
    if profile.diagnoses >= 0.8:
        return is_("sensitive", "values look like diagnoses (ICD-10)")
    if profile.is_date:
        return is_("quasi_identifiers", "dates")
    if profile.is_number:
        return is_("quasi_identifiers", f"numbers, {profile.distinct:,} different ones")
    return is_("quasi_identifiers", f"{profile.distinct:,} values")


def person_of(decided: Sequence[Decided]) -> Decided | None:
    """The identifier that tells whose a row is, where persons seem to have several: the one with the fewest values,
    those before others that go by the name of a person.
    """
    telling = [
        column
        for column in decided
        for its in [column.profile]
        if column.role == "identifiers" and its.column.is_groupable and not its.column.is_float and not its.is_missing
        if tells_persons(its.name) and its.distinct >= _FEWEST_PERSONS
        if repeats_like_persons(its.name, its.present, its.distinct)
    ]
    return min(
        telling, key=lambda column: (not names_person(column.profile.name), column.profile.distinct), default=None
    )


def _is_rare_code(profile: Profile) -> bool:
    """Whether values that things go by repeat so rarely that they tell whose the rows are, such as a loan's number."""
    return ends_like_number(profile.name) and profile.distinct >= 20 and profile.distinction >= 1 / _ROWS_OF_ONE
