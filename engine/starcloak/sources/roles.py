"""What each column of a source may be used for, and which identifiers repeat."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase

from starcloak.base.column import Column
from starcloak.base.column_names import (
    ends_like_number,
    may_tell_persons,
    names_person,
    repeats_like_persons,
    tells_persons,
)
from starcloak.base.errors import SourceError, StatementError, hint, unread
from starcloak.statements.statement import Hole, Joined, Name, Statement
from starcloak.store.databases.host import Host
from starcloak.store.source import Source

# The roles that take patterns: what is never released, and what a result shows again.
_PATTERNED = ("identifiers", "keep")
#: The role of the columns that tell whose a row is, which are read and never released.
PERSON = "person"
_STAYING = ("identifiers", PERSON)
# Types of whose values nobody makes codes of persons; those that are nested are not read, either.
_OF_NOBODY = r"(?i)\b(BOOLEAN|DATE|TIME|TIMETZ|TIMESTAMP\w*|INTERVAL|DURATION|STRUCT|MAP|UNION|VARIANT)\b|\]$"

#: The columns of each role, or what says them once the columns of the source are known.
Roles = Mapping[str, Sequence[str]] | Callable[[Sequence[Column]], Mapping[str, Sequence[str]]]


def everything(described: Sequence[Column]) -> Mapping[str, Sequence[str]]:
    """Every column is read, and none is generalized."""
    return {"quasi_identifiers": [], "keep": [column.name for column in described]}


@contextmanager
def reading(label: str) -> Iterator[None]:
    """A statement that fails while a source is opened is the source's fault."""
    try:
        yield
    except StatementError as error:
        if error.told:
            raise SourceError(f"{label} cannot be read: {error.told}: try it in the database first") from None
        raise unread(label, error.kind, "check that it is there and well-formed") from None


def resolve(
    roles: Roles, described: Sequence[Column], label: str, *, others: str | None = None
) -> Mapping[str, Sequence[str]]:
    """The roles of a source whose columns are known; see :func:`resolved_names`."""
    given = roles(described) if callable(roles) else roles
    return resolved_names(given, [column.name for column in described], label, others=others)


def resolved_names(
    roles: Mapping[str, Sequence[str]], names: Sequence[str], label: str, *, others: str | None = None
) -> dict[str, list[str]]:
    """The roles with the columns that patterns such as ``Lab_*`` mean, and those that are named nowhere as ``others``.

    What is named, is no pattern's; a column of that very name is no pattern. Raises :class:`SourceError` for a pattern
    that means no column, or a column that two roles' patterns mean.
    """
    there, resolved = set(names), {role: list(given) for role, given in roles.items()}
    named = {column for given in roles.values() for column in given}
    by: dict[str, str] = {}
    for role in _PATTERNED:
        for pattern in [given for given in resolved.get(role, []) if is_pattern(given) and given not in there]:
            matched = [name for name in names if name not in named and fnmatchcase(name, pattern)]
            if not matched:
                raise SourceError(f"{role}: no column of {label} that is named nowhere else is like {pattern!r}")
            for name in matched:
                if by.setdefault(name, role) != role:
                    raise SourceError(
                        f"column {name!r} of {label} is like patterns under {by[name]} and under {role}: name it"
                    )
            at = resolved[role].index(pattern)
            resolved[role][at : at + 1] = [name for name in matched if name not in resolved[role]]
    if others is not None:
        everywhere = {column for given in resolved.values() for column in given}
        resolved[others] = [*resolved.get(others, []), *(name for name in names if name not in everywhere)]
    return resolved


def is_pattern(name: str) -> bool:
    """Whether a name of a role is a pattern, unless a column is called so."""
    return any(wildcard in name for wildcard in "*?[")


def place_columns(
    roles: Roles,
    described: Sequence[Column],
    label: str,
    *,
    closed: bool,
    beside: Sequence[str] = (),
    mended_in: str = "a query",
) -> tuple[tuple[Column, ...], tuple[Column, ...], tuple[Column, ...]]:
    """The quasi-identifiers, in the job's order; the columns of the release, in the source's; and those not released
    of the columns ``beside``, which hierarchies read.

    ``mended_in`` is where the user can mend what is refused of a column.
    """
    roles = roles(described) if callable(roles) else roles
    _check_roles(roles, described, label, closed=closed, beside=beside)
    by_name = {column.name: column for column in described}
    quasi_identifiers = tuple(by_name[name] for name in roles["quasi_identifiers"])
    leaving = {name for role, names in roles.items() if role not in _STAYING for name in names}
    released = tuple(column for column in described if column.name in leaving)
    _check_types(quasi_identifiers, released, label, mended_in)
    read = tuple(by_name[name] for name in dict.fromkeys(beside))
    for column in read:
        if not column.is_groupable:
            raise SourceError(
                f"{label}: column {column.name!r}, which a hierarchy reads, is of type {column.kind}: "
                f"cast it in {mended_in}"
            )
    return quasi_identifiers, released, tuple(column for column in read if column not in released)


def _check_types(quasi_identifiers: Sequence[Column], released: Sequence[Column], label: str, mended_in: str) -> None:
    """Refuse quasi-identifiers without a hierarchy, and columns that carry more than their values."""
    for column in quasi_identifiers:
        if not column.is_groupable:
            raise SourceError(
                f"{label}: quasi-identifier {column.name!r} is of type {column.kind}, which has no hierarchy: "
                f"cast it in {mended_in}"
            )
    for column in released:
        if column.holds(r"\bENUM\(") and not column.is_enumeration:
            raise SourceError(
                f"{label}: column {column.name!r} holds an enumeration, which would carry every value it knows: "
                f"cast it in {mended_in}"
            )


def persons_of(
    roles: Mapping[str, Sequence[str]], described: Sequence[Column], label: str, *, mended_in: str = "a query"
) -> tuple[Column, ...]:
    """The columns that tell persons apart. Raises :class:`SourceError` for those of which no two cells are equal."""
    by_name = {column.name: column for column in described}
    persons = tuple(by_name[name] for name in roles.get(PERSON, ()))
    for column in persons:
        if not column.is_groupable or column.is_float:
            raise SourceError(
                f"{label}: person column {column.name!r} is of type {column.kind}, by which persons cannot be told "
                f"apart exactly: cast it in {mended_in}"
            )
    return persons


def refuse_unusable(
    host: Host, quasi_identifiers: Sequence[Column], relation: Hole, label: str, *, mended_in: str = "a query"
) -> None:
    """Refuse numbers that cannot be told apart safely: NaN, infinities, negative zero."""
    for column in quasi_identifiers:
        if not column.is_float:
            continue
        unusable = sum(host.row(Statement("store/unusable", column=Name(column.name), source=relation)))
        if unusable:
            raise SourceError(
                f"{label}: quasi-identifier {column.name!r} has {unusable} values that are NaN, infinite or negative "
                f"zero: name NaN and infinities as missing under clean, such as missing: [nan], or replace them in "
                f"{mended_in}"
            )


def _check_roles(
    roles: Mapping[str, Sequence[str]],
    described: Sequence[Column],
    label: str,
    *,
    closed: bool,
    beside: Sequence[str],
) -> None:
    """Refuse roles of columns that are not there and, if ``closed``, columns without a role: all of them at once."""
    names = [column.name for column in described]
    refuse_twins(names, label)
    named = {**roles, "columns of a hierarchy": list(dict.fromkeys(beside))}
    everywhere = {column for placed in named.values() for column in placed}
    lacking = [(role, column) for role, placed in named.items() for column in placed if column not in names]
    if lacking:
        (role, column), *further = lacking
        more = "".join(f" {role}: column {column!r} is not, either.{hint(column, names)}" for role, column in further)
        raise SourceError(
            f"{role}: column {column!r} is not in {label}, which has {len(names)} columns."
            f"{_apart(column, names) or hint(column, names)}{more}{_no_header(names, everywhere)}"
        )
    unnamed = [name for name in names if closed and name not in everywhere]
    if len(unnamed) == 1:
        raise SourceError(
            f"column {unnamed[0]!r} of {label} is named nowhere in the job: put it under identifiers (never released), "
            "quasi_identifiers, sensitive or keep"
        )
    if unnamed:
        raise SourceError(
            f"columns {', '.join(map(repr, unnamed))} of {label} are named nowhere in the job: put them under "
            "identifiers (never released), quasi_identifiers, sensitive or keep, or say others: identifiers"
        )


def _apart(column: str, names: Sequence[str]) -> str:
    """How several columns are named that stand in one text; an empty text where they do not."""
    parts = re.split(r"[;|\s]+", column.strip())
    return f" Name several with commas: {','.join(parts)}." if len(parts) > 1 and set(parts) <= set(names) else ""


def _no_header(names: Sequence[str], named: set[str]) -> str:
    """A file without a header shows a row where its names should be: they are not repeated then."""
    if named.isdisjoint(names):
        return " None of the job's columns is there: does its first line name the columns, with that delimiter?"
    return f" Its columns: {', '.join(map(repr, names))}."


def refuse_twins(names: Sequence[str], label: str) -> None:
    seen: dict[str, str] = {}
    for name in names:
        if name.casefold() in seen:
            other = seen[name.casefold()]
            raise SourceError(f"{label}: columns {other!r} and {name!r} differ at most in case: rename one")
        seen[name.casefold()] = name


def candidates(roles: Mapping[str, Sequence[str]], described: Sequence[Column]) -> list[Column]:
    """The identifiers that may tell persons apart; none where it is said whose a row is.

    Where that is asked, and the table has more columns than are, those of them whose names are of what persons go by.
    """
    if roles.get(PERSON):
        return []
    if PERSON in roles:
        others = {column.name for column in described}.difference(*roles.values())
        return [column for column in described if column.name in others and _is_code(column) and _tells(column)]
    identifiers = set(roles.get("identifiers", ()))
    return [
        column
        for column in described
        if column.name in identifiers and _is_code(column) and may_tell_persons(column.name)
    ]


def notes(source: Source) -> list[str]:
    """What is to be said of a table whose rows may not be persons, of which it was asked as if they were."""
    return [
        f"rows may not be persons: values of {column.name!r} repeat, and k counts rows; where it tells whose a row is, "
        f"ask for persons (--person {column.name})"
        for column in source.identifiers
    ]


def _tells(column: Column) -> bool:
    return tells_persons(column.name) is True and (names_person(column.name) or ends_like_number(column.name))


def repeated(host: Host, rows: Hole, asked: Sequence[Column]) -> tuple[Column, ...]:
    """Those of one or more columns whose values repeat as those of persons do who have several rows.

    None where they cannot be counted, such as by whoever may not read them: a run needs them for nothing else.
    """
    cells = (host.distinct(Name(column.name), column) for column in asked)
    counts = Joined(tuple(Statement("sources/repeated#counts", cell=cell) for cell in cells), ", ")
    counts_read = host.attempt(Statement("sources/repeated", counts=counts, rows=rows))
    if counts_read is None:
        return ()
    pairs = zip(counts_read[::2], counts_read[1::2], strict=True)
    return tuple(
        column
        for column, (present, distinct) in zip(asked, pairs, strict=True)
        if repeats_like_persons(column.name, present, distinct)
    )


def _is_code(column: Column) -> bool:
    """Whether persons may go by values of its type: a number that misses once is a floating-point one in a data frame.

    A name that begins with a space is none to every database.
    """
    return column.name[0] > " " and not column.holds(_OF_NOBODY)
