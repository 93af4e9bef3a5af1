"""Roles of a source's columns, that is, their permitted uses; and detection of several rows per person."""

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
from starcloak.job import Place
from starcloak.statements.statement import Hole, Joined, Name, Statement
from starcloak.store.databases.host import Host
from starcloak.store.source import Source

# The roles with patterns: columns never released, and columns listed again in a result.
_PATTERNED = ("identifiers", "keep")
#: The role of the columns to identify a person; they are read and never released.
PERSON = "person"
_STAYING = ("identifiers", PERSON)
# Types unused for codes of persons; nested types are not read, either.
_OF_NOBODY = r"(?i)\b(BOOLEAN|DATE|TIME|TIMETZ|TIMESTAMP\w*|INTERVAL|DURATION|STRUCT|MAP|UNION|VARIANT)\b|\]$"

#: The columns of each role, or a function from the columns of the source to them.
Roles = Mapping[str, Sequence[str]] | Callable[[Sequence[Column]], Mapping[str, Sequence[str]]]


def tables_named(host: Host, place: Place, statement: Statement) -> list[str]:
    """Names of tables like a missing table, in another schema or in another case. Empty if the search fails."""
    if place.table is None:
        return []
    try:
        rows = host.run(statement, {"table": place.table.rpartition(".")[2]})
    except StatementError:
        return []
    return [f"{schema}.{name}" for schema, name in rows if f"{schema}.{name}" != place.table]


def everything(described: Sequence[Column]) -> Mapping[str, Sequence[str]]:
    """Roles that release every column unchanged, without quasi-identifiers."""
    return {"quasi_identifiers": [], "keep": [column.name for column in described]}


@contextmanager
def reading(label: str, near: Callable[[], Sequence[str]] = tuple) -> Iterator[None]:
    """Context to turn a failed statement during the opening of a source into an error of the source.

    Tables ``near`` the missing one are named in the error.
    """
    try:
        yield
    except StatementError as error:
        if error.told:
            tables = near()
            remedy = f"name {' or '.join(tables)}" if tables else "try it in the database first"
            raise SourceError(f"{label} cannot be read: {error.told}: {remedy}") from None
        raise unread(label, error.kind, "check that the table is there and well-formed") from None


def resolve(
    roles: Roles, described: Sequence[Column], label: str, *, others: str | None = None
) -> Mapping[str, Sequence[str]]:
    """The roles of a source with known columns; see :func:`resolved_names`."""
    names_by_role = roles(described) if callable(roles) else roles
    return resolved_names(names_by_role, [column.name for column in described], label, others=others)


def resolved_names(
    roles: Mapping[str, Sequence[str]], names: Sequence[str], label: str, *, others: str | None = None
) -> dict[str, list[str]]:
    """The roles with the columns matched by patterns such as ``Lab_*``, and columns without a role as ``others``.

    A pattern never matches a named column; a name equal to a column is no pattern. Raises :class:`SourceError` for a
    pattern without a match, and for a column matched by patterns of two roles.
    """
    there, resolved = set(names), {role: list(names_of_role) for role, names_of_role in roles.items()}
    named = {column for names_of_role in roles.values() for column in names_of_role}
    by: dict[str, str] = {}
    for role in _PATTERNED:
        for pattern in [
            names_of_role
            for names_of_role in resolved.get(role, [])
            if is_pattern(names_of_role) and names_of_role not in there
        ]:
            matched = [name for name in names if name not in named and fnmatchcase(name, pattern)]
            if not matched:
                raise SourceError(
                    f"{role}: the pattern {pattern!r} fits no column of {label} without a role: correct the pattern, "
                    "or leave it out"
                )
            for name in matched:
                if by.setdefault(name, role) != role:
                    raise SourceError(
                        f"column {name!r} of {label} fits patterns under {by[name]} and under {role}: name the "
                        "column itself under one role"
                    )
            at = resolved[role].index(pattern)
            resolved[role][at : at + 1] = [name for name in matched if name not in resolved[role]]
    if others is not None:
        everywhere = {column for names_of_role in resolved.values() for column in names_of_role}
        resolved[others] = [*resolved.get(others, []), *(name for name in names if name not in everywhere)]
    return resolved


def is_pattern(name: str) -> bool:
    """True if a name of a role contains a wildcard; the caller checks for a column with this name."""
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
    """Check the roles, and return three groups of columns: quasi-identifiers, released columns, others for hierarchies.

    Quasi-identifiers are in the job's order, released columns in the source's order. The third group has the columns in
    ``beside`` that are not released.

    Messages about a refused column name ``mended_in``, the place for the user to correct the column.
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
                f"{label}: a hierarchy reads column {column.name!r}, whose type {column.kind} is not supported "
                f"there: cast the column in {mended_in}"
            )
    return quasi_identifiers, released, tuple(column for column in read if column not in released)


def _check_types(quasi_identifiers: Sequence[Column], released: Sequence[Column], label: str, mended_in: str) -> None:
    """Refuse quasi-identifiers without a hierarchy, and columns with more information than their values."""
    for column in quasi_identifiers:
        if not column.is_groupable:
            raise SourceError(
                f"{label}: quasi-identifier {column.name!r} is of type {column.kind}, which no hierarchy supports: "
                f"cast the column in {mended_in}"
            )
    for column in released:
        if column.holds(r"\bENUM\(") and not column.is_enumeration:
            raise SourceError(
                f"{label}: column {column.name!r} is an enumeration, which would publish all its possible values: "
                f"cast the column to text in {mended_in}"
            )


def persons_of(
    roles: Mapping[str, Sequence[str]], described: Sequence[Column], label: str, *, mended_in: str = "a query"
) -> tuple[Column, ...]:
    """The columns to identify a person. Raises :class:`SourceError` for columns of types without exact equality."""
    by_name = {column.name: column for column in described}
    persons = tuple(by_name[name] for name in roles.get(PERSON, ()))
    for column in persons:
        if not column.is_groupable or column.is_float:
            raise SourceError(
                f"{label}: person column {column.name!r} is of type {column.kind}, whose values cannot be compared "
                f"exactly: cast it in {mended_in}"
            )
    return persons


def refuse_unusable(
    host: Host, quasi_identifiers: Sequence[Column], relation: Hole, label: str, *, mended_in: str = "a query"
) -> None:
    """Raise :class:`SourceError` for quasi-identifier values without a safe equality: NaN, infinities,
    negative zero.
    """
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
    """Refuse roles for absent columns and, if ``closed``, columns without a role.

    One error lists all such columns.
    """
    names = [column.name for column in described]
    refuse_twins(names, label)
    named = {**roles, "columns of a hierarchy": list(dict.fromkeys(beside))}
    everywhere = {column for placed in named.values() for column in placed}
    lacking = [(role, column) for role, placed in named.items() for column in placed if column not in names]
    if lacking:
        (role, column), *further = lacking
        apart = _apart(column, names)
        more = "".join(f" {role}: column {column!r} is not, either.{hint(column, names)}" for role, column in further)
        raise SourceError(
            f"{role}: column {column!r} is not in {label}, which has {len(names)} columns."
            f"{apart or hint(column, names)}{more}{'' if apart else _no_header(names, everywhere)}"
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
            "identifiers (never released), quasi_identifiers, sensitive or keep, or write others: identifiers"
        )


def _apart(column: str, names: Sequence[str]) -> str:
    """Hint for a message if ``column`` is a list of column names with a wrong separator. Otherwise empty."""
    parts = re.split(r"[;|\s]+", column.strip())
    return f" Name several with commas: {','.join(parts)}." if len(parts) > 1 and set(parts) <= set(names) else ""


def _no_header(names: Sequence[str], named: set[str]) -> str:
    """List of the columns for a message. A file without a header has values in place of names; none are listed."""
    if named.isdisjoint(names) and not any(hint(name, names) for name in named):
        return (
            " None of the job's columns is there: check that the first line has the names of the columns, and check "
            "source.delimiter."
        )
    return f" Its columns: {', '.join(map(repr, names))}."


def refuse_twins(names: Sequence[str], label: str) -> None:
    names_seen: dict[str, str] = {}
    for name in names:
        if name.casefold() in names_seen:
            twin = names_seen[name.casefold()]
            raise SourceError(
                f"{label}: the names of columns {twin!r} and {name!r} differ at most in case: rename one of the two"
            )
        names_seen[name.casefold()] = name


def candidates(roles: Mapping[str, Sequence[str]], described: Sequence[Column]) -> list[Column]:
    """Columns that may identify persons, to be counted for repeated values. None if the roles declare person columns.

    If the request has an empty ``person``, and the table has columns without a role, the candidates are columns among
    them with names typical of persons.
    """
    if roles.get(PERSON):
        return []
    if PERSON in roles:
        remaining = {column.name for column in described}.difference(*roles.values())
        return [column for column in described if column.name in remaining and _is_code(column) and _tells(column)]
    identifiers = set(roles.get("identifiers", ()))
    return [
        column
        for column in described
        if column.name in identifiers and _is_code(column) and may_tell_persons(column.name)
    ]


def notes(source: Source) -> list[str]:
    """Warnings that k counts rows although persons may have several rows, one per repeated identifier."""
    return [
        f"a person may have several rows, as values of {column.name!r} repeat, but k counts rows; if it identifies "
        f"persons, give it as person (--person {column.name})"
        for column in source.identifiers
    ]


def _tells(column: Column) -> bool:
    return tells_persons(column.name) is True and (names_person(column.name) or ends_like_number(column.name))


def repeated(host: Host, rows: Hole, candidates: Sequence[Column]) -> tuple[Column, ...]:
    """The columns of ``candidates`` with values repeated in a way typical of persons with several rows.

    Empty if the count fails, for example without read permission: the count serves a warning only.
    """
    cells = (host.distinct(Name(column.name), column) for column in candidates)
    counts = Joined(tuple(Statement("sources/repeated#counts", cell=cell) for cell in cells), ", ")
    counts_read = host.attempt(Statement("sources/repeated", counts=counts, rows=rows))
    if counts_read is None:
        return ()
    pairs = zip(counts_read[::2], counts_read[1::2], strict=True)
    return tuple(
        column
        for column, (present, distinct) in zip(candidates, pairs, strict=True)
        if repeats_like_persons(column.name, present, distinct)
    )


def _is_code(column: Column) -> bool:
    """True if persons may have values of this type: whole numbers with a missing value are floats in a data frame.

    A name with a leading space is unusable in some databases.
    """
    return column.name[0] > " " and not column.holds(_OF_NOBODY)
