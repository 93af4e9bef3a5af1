"""Selection of a draft's quasi-identifiers among all possible columns: a few that others are likely to know.

Figures are of a sample with one row per person, because all rows of a person have the same facts about the person.
Dates are read by the formats of the draft, so that a date in two forms is one value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from starcloak.base.column import Column
from starcloak.base.column_names import Role, names_person, words
from starcloak.base.errors import SourceError
from starcloak.commands.profile.roles import SAID, Decided
from starcloak.sources.determined_columns import Determined, determined
from starcloak.statements.statement import As, Joined, Literal, Name, Number, Statement, columns, union_all
from starcloak.store.session import Session

_SAMPLE = Name("profiled_persons")
_SAMPLED = 10_000  # rows that are looked at
_MOST = 8  # quasi-identifiers of a draft
_BY = 12  # quasi-identifiers examined for columns they determine
_ONE = 0.98  # of the pairs of rows alike in one column that are alike in another, where that is left out
_ORDINARY = 20  # values of a category that singles nobody out
_BIRTH = {
    "birthdate",
    "birthday",
    "dob",
    "dateofbirth",
    "geburtsdatum",
    "geb",
    "gebdatum",
    "birthyear",
    "yearofbirth",
    "born",
}
_SELDOM = "other people seldom know this value of a person"
_TOO_MANY = (
    f"not released, and not tried as a quasi-identifier: {_MOST} columns that are better known or reveal more came "
    "first"
)
_AGE = {"age", "alter", "agegroup", "ageband", "agerange", "agecat", "agep", "altersgruppe"}
_SEX = {"sex", "gender", "geschlecht"}
_COORDINATES = {"latitude", "longitude", "lat", "lon", "lng"}
_PLACES = _COORDINATES | {
    "zip", "zipcode", "zips", "postcode", "postal", "postalcode", "plz", "city", "town", "county", "state",
    "municipality", "precinct", "district", "region", "wohnort", "ort", "location", "statefip",
}  # fmt: skip


@dataclass(frozen=True)
class Exposure:
    """Exposure of rows by kept and sensitive columns, as shares (0 … 1) of a sample with a number of ``rows``.

    ``together`` is the share of rows that are unique in these columns. ``without`` is the same share without one of the
    columns, by this column's name.
    """

    together: float
    without: Mapping[str, float]
    rows: int


def sample(store: Session, rows: Name, count: int, person: Decided | None) -> Name:
    """Create a sample of a table's rows, about 10,000, with one row per person; returns the relation's name.

    ``count`` is the number of rows of the table.
    """
    key = Name("rowid" if person is None else person.name)
    many = count if person is None else person.profile.distinct
    path = "commands/profile/part" if person is None else "commands/profile/part#once"
    part = Statement(path, rows=rows, key=key)
    store.create(_SAMPLE, part, {"share": max(1, -(-many // _SAMPLED))})
    return _SAMPLE


def readable(store: Session, rows: Name, decided: Sequence[Decided], *, into: Name) -> Name:
    """The name of a relation with the columns of ``rows``, in which dates are read by the formats of a draft.

    This is ``rows`` if no column has formats, else the new table ``into``.
    """
    dates = {column.name: column.profile.formats[0] for column in decided if column.profile.formats}
    if not dates:
        return rows
    cells = (
        As(
            Statement(
                "commands/profile/dates#read",
                column=Name(column.name),
                formats=Joined(tuple(map(Literal, dates[column.name])), ", "),
            ),
            Name(column.name),
        )
        if column.name in dates
        else Name(column.name)
        for column in decided
        if column.profile.column.is_groupable
    )
    store.create(into, Statement("store/relation#columns", columns=columns(cells), relation=rows))
    return into


def usable(described: Sequence[Column]) -> list[Column]:
    """The columns that may be generalized. Raises :class:`SourceError` if there are none."""
    groupable = [column for column in described if column.is_groupable]
    if not groupable:
        raise SourceError("no column of the table has a type that can be generalized: cast a column in a query")
    return groupable


def select(store: Session, sampled: Name, decided: Sequence[Decided], *, records: str = "rows") -> list[Decided]:
    """The decisions on all columns, changed so that one to eight columns are quasi-identifiers.

    ``records`` is the word for the rows of the sample: rows, or persons with one row each.

    A column determined by a quasi-identifier becomes an identifier. If there are still too many quasi-identifiers, the
    columns least likely known to others, and with the fewest values, become identifiers; a measurement among them
    becomes sensitive, and a column of few values is kept.
    """
    chosen = _with_one(_without_told(store, sampled, decided, records))
    surplus = {column.name for column in ranked(chosen)[_MOST:] if column.evidence != SAID}
    return [_surplus(column) if column.name in surplus else column for column in chosen]


def exposure(store: Session, sampled: Name, decided: Sequence[Decided]) -> Exposure | None:
    """Exposure of rows by kept and sensitive columns; None if there are fewer than two such columns."""
    names = [column.name for column in decided if column.role in ("sensitive", "keep")]
    if len(names) < 2:
        return None
    sets = [names, *([name for name in names if name != left_name] for left_name in names)]
    statement = union_all(
        Statement(
            "commands/profile/alone",
            place=Number(place),
            rows=sampled,
            names=Joined(tuple(map(Name, subset)), ", "),
        )
        for place, subset in enumerate(sets)
    )
    (count,) = store.row(Statement("store/relation#count", relation=sampled))
    alone = {place: count_alone / max(count, 1) for place, count_alone in store.run(statement)}
    return Exposure(alone[0], {name: alone[place] for place, name in enumerate(names, 1)}, count)


def ranked(decided: Sequence[Decided]) -> list[Decided]:
    """The quasi-identifiers by rank: roles set by the user first, then the best known, the likely known, the most
    values.
    """
    chosen = [column for column in decided if column.role == "quasi_identifiers"]
    first = best_known(decided)
    return sorted(
        chosen,
        key=lambda column: (
            column.evidence != SAID, column.name not in first, column.tier, -column.profile.distinct
        ),
    )  # fmt: skip


def best_known(decided: Sequence[Decided]) -> list[str]:
    """Names of the quasi-identifiers that anybody may know of a person: one each of birth, sex, place and another date.

    A place may have two columns: a latitude and a longitude.
    """
    chosen = [column for column in decided if column.role == "quasi_identifiers"]
    birth = [column for column in chosen if (_BIRTH | _AGE | {"birth"}) & {*words(column.name)}]
    sex = [column for column in chosen if _is_sex(column)]
    dates = [column for column in chosen if column.profile.is_date and column not in birth]
    kinds = [
        sorted(birth, key=lambda column: bool(_AGE & {*words(column.name)})),
        sex,
        [column for column in chosen if _PLACES & {*words(column.name)}],
        dates,
    ]
    found = [max(kind, key=lambda column: column.profile.distinct) for kind in kinds if kind]
    around = [column for column in chosen if _COORDINATES & {*words(column.name)}]
    beside = around if any(column in around for column in found) else []
    return [*dict.fromkeys(column.name for column in (*found, *beside))]


def tell_who(decided: Sequence[Decided]) -> bool:
    """True if columns include a birth or age, a sex and a place: together they identify a person."""
    names = [{*words(column.name)} for column in decided]
    has_sex = any(_is_sex(column) for column in decided)
    return has_sex and all(any(kind & name for name in names) for kind in (_BIRTH | _AGE | {"birth"}, _PLACES))


def _is_sex(column: Decided) -> bool:
    return bool(_SEX & {*words(column.name)}) or column.profile.are_sexes


def _surplus(column: Decided) -> Decided:
    """The decision on a quasi-identifier beyond the limit of eight: sensitive, kept, or an identifier."""
    its = column.profile
    is_measure = its.is_number and not its.is_nearly_unique and not its.may_be_a_number_of_things
    is_ordinary = its.distinct <= _ORDINARY and not its.is_date
    may_be_released = not column.joins_rows and not names_person(its.name) and its.partly_like is None
    if column.tier >= 2 and may_be_released and (is_measure or is_ordinary):
        role: Role = "sensitive" if is_measure else "keep"
        return replace(column, role=role, evidence=f"{column.evidence}; {_SELDOM}", is_doubted=True)
    return replace(column, role="identifiers", evidence=f"{column.evidence}; {_TOO_MANY}", is_doubted=True)


def _without_told(store: Session, sampled: Name, decided: Sequence[Decided], records: str) -> list[Decided]:
    """The decisions on all columns, changed for columns that a quasi-identifier determines.

    Such a column adds nothing to the quasi-identifier, so it becomes an identifier. A sensitive column becomes a
    quasi-identifier: a person's quasi-identifier already reveals its value.
    """
    ordered = [column for column in ranked(decided) if not column.profile.column.is_float]
    decisions = [
        column
        for column in decided
        if column.role != "identifiers" and column.profile.column.is_groupable and not column.profile.column.is_float
    ]
    telling = _determining(store, sampled, ordered, decisions)
    names_of_birth = [column.name for column in ordered if _BIRTH & {*words(column.name)}]
    out: dict[str, str] = {}
    moved: dict[str, str] = {}
    order = [column.name for column in ordered]
    for column in sorted(
        decisions, key=lambda decision: -(order.index(decision.name) if decision.name in order else len(order))
    ):
        if column.evidence == SAID:
            continue
        if column.role == "quasi_identifiers" and _AGE & {*words(column.name)} and names_of_birth:
            out[column.name] = f"not released: {names_of_birth[0]!r} reveals it"
        pair = telling.get(column.name)
        if pair is None or pair.by in out:
            continue
        why = (
            f"revealed by {pair.by!r}: {int(100 * pair.share)} % of the pairs of {records} with the same {pair.by!r} "
            "have the same value"
        )
        if column.role == "sensitive":
            moved[column.name] = why
        elif column.role == "keep" or pair.share >= _ONE:
            out[column.name] = f"not released: {why}"
    return [_moved(column, out, moved) for column in decided]


def _moved(column: Decided, out: Mapping[str, str], moved: Mapping[str, str]) -> Decided:
    if column.name in out:
        return replace(column, role="identifiers", evidence=f"{column.evidence}; {out[column.name]}")
    if column.name in moved:
        return replace(column, role="quasi_identifiers", evidence=f"{column.evidence}; {moved[column.name]}")
    return column


def _determining(
    store: Session, sampled: Name, by: Sequence[Decided], decisions: Sequence[Decided]
) -> dict[str, Determined]:
    """The quasi-identifier that best determines each column, by the column's name; columns without one are left out."""
    determined_by_name: dict[str, Determined] = {}
    for decision in decisions:
        candidates_by = [candidate.profile.column for candidate in by[:_BY] if candidate.name != decision.name]
        determined_by_name.update(
            {pair.column: pair for pair in determined(store, sampled, candidates_by, [decision.profile.column])}
        )
    return determined_by_name


def _with_one(decided: list[Decided]) -> list[Decided]:
    """The decisions on all columns, with at least one quasi-identifier.

    If there is none, a column becomes one: kept before sensitive before identifiers, then the one with the most values.
    """
    if any(column.role == "quasi_identifiers" for column in decided):
        return decided
    groupable = {column.name for column in usable([decision.profile.column for decision in decided])}
    order = ("keep", "sensitive", "identifiers")
    candidates = [column for column in decided if column.name in groupable]
    chosen = min(candidates, key=lambda column: (order.index(column.role), -column.profile.distinct))
    replacement = replace(
        chosen, role="quasi_identifiers", evidence=f"{chosen.evidence}; a job needs a quasi-identifier"
    )
    return [replacement if column is chosen else column for column in decided]
