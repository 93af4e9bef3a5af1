"""Columns that are never released and tell whose a row is: where their values repeat, rows are not persons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from starcloak.base.column import Column
from starcloak.base.column_names import (
    ends_like_number,
    may_tell_persons,
    names_person,
    repeats_like_persons,
    tells_persons,
)
from starcloak.sources.roles import PERSON
from starcloak.statements.statement import Hole, Joined, Name, Statement
from starcloak.store.hosts.host import Host
from starcloak.store.source import Source


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
    counts = Joined(tuple(Statement("sources/repeated#counts", column=Name(column.name)) for column in asked), ", ")
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
    """Whether persons may go by values of its type. A name that begins with a space is none to every database."""
    return column.name[0] > " " and (column.is_text or column.is_whole or column.type == "UUID")
