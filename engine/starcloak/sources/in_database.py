"""A table, view or query of a database as the source.

Texts are read without collations: a collation may treat different texts as equal.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from starcloak.base.errors import SourceError
from starcloak.job import Place
from starcloak.job.cleaning import Cleaning
from starcloak.sources.cleaning import cleaned, cleaner_of, with_joined
from starcloak.sources.roles import (
    Roles,
    candidates,
    persons_of,
    place_columns,
    reading,
    refuse_unusable,
    repeated,
    resolve,
    tables_named,
)
from starcloak.statements.statement import As, Hole, Name, Query, Statement, columns
from starcloak.store.databases.database import Database, cell_of
from starcloak.store.session import Session
from starcloak.store.source import Cleaned, Source, uncleaned

if TYPE_CHECKING:
    from starcloak.base.column import Column

log = logging.getLogger("starcloak")


def open_source(
    session: Session,
    place: Place,
    roles: Roles,
    *,
    closed: bool,
    others: str | None = None,
    beside: Sequence[str] = (),
    clean: Mapping[str, Cleaning],
    ready: Callable[[Database], None],
) -> Source:
    """Open a source in a database; see :func:`starcloak.sources.open_source.open_source`."""
    assert place.url is not None
    database = place.url.connect(session)
    ready(database)
    if place.table is not None:
        label = f"{place.table} in {database.name}"
        origin = Statement("store/relation", relation=Name(*place.table.split(".")))
    else:
        label = f"the query on {database.name}"
        text = Query((place.query or "").strip().rstrip(";"))
        origin = Statement("store/relation", relation=Statement("store/relation#named", rows=text))

    def near() -> list[str]:
        database.end_reading()  # it has failed
        return tables_named(database, place, Statement("sources/tables_named"))

    with reading(label, near):
        database.read()
        return _open(database, origin, label, roles, closed=closed, others=others, beside=beside, clean=clean)


def _open(
    database: Database,
    origin: Statement,
    label: str,
    roles: Roles,
    *,
    closed: bool,
    others: str | None,
    beside: Sequence[str],
    clean: Mapping[str, Cleaning],
) -> Source:
    described, read_as = _described(database, origin)
    columns_after = with_joined(clean, described, label)
    roles = resolve(roles, columns_after, label, others=others)
    texts = {column.name: _cell(column, read_as) for column in described if column.is_text}
    cleaner = cleaner_of(clean, described, texts, label, roles=roles, beside=beside, mended_in="a query")
    changed, cleaning, raw = tuple[Cleaned, ...](), uncleaned, origin
    if clean:
        changing = [column for column in described if column.name in cleaner.clean or column not in columns_after]
        database.refuse_texts(origin, changing, label)
        changed = cleaned(cleaner, database, origin, label, "a query") if cleaner.clean else ()
        origin = cleaner.rows(origin, [column.name for column in columns_after])
        described, read_as = _described(database, origin)
    quasi_identifiers, released, also = place_columns(roles, described, label, closed=closed, beside=beside)
    persons = persons_of(roles, described, label)
    needed = tuple(dict.fromkeys((*released, *also, *persons)))
    codes, identifiers = _identifiers(database, candidates(roles, described), read_as, needed, origin)
    database.refuse_names(needed, label)

    if clean:
        cleaning = partial(cleaner.over, listed=(*released, *persons))
    plain = columns(_plain(column, read_as) for column in (*released, *persons))
    portable = Statement("store/source", columns=plain, origin=cleaning(raw))
    coded_alone = [column for column in identifiers if column not in needed]
    cells = [*(_plain(column, read_as) for column in needed), *(codes[column] for column in coded_alone)]
    rows = Statement("store/source", columns=columns(cells), origin=origin)
    database.refuse_texts(origin, needed, label)
    _warn_of_policies(database, origin, label, database.warnings.append if closed else log.warning)
    relation: Hole = Statement("store/relation#nested", rows=rows)
    if closed:
        relation, frozen = database.frozen(rows, (*needed, *coded_alone))
        by_name = {column.name: column for column in frozen}
        quasi_identifiers, released, also, persons, identifiers = (
            tuple(by_name[column.name] for column in names)
            for names in (quasi_identifiers, released, also, persons, identifiers)
        )
    refuse_unusable(database, quasi_identifiers, relation, label)
    return Source(
        database,
        relation,
        released,
        quasi_identifiers,
        label,
        portable,
        roles=roles,
        beside=also,
        persons=persons,
        identifiers=identifiers,
        cleaned=changed,
        cleaning=cleaning,
    )


def _warn_of_policies(database: Database, origin: Statement, label: str, warn: Callable[[str], None]) -> None:
    """Warn if policies of the database may hide rows from its user."""
    if database.hides_rows(origin):
        warn(f"row policies may hide rows of {label} from this user: all figures are about the visible rows only")


def _identifiers(
    database: Database,
    examined: Sequence[Column],
    read_as: Mapping[str, tuple[str, str]],
    needed: Sequence[Column],
    origin: Statement,
) -> tuple[dict[Column, Hole], tuple[Column, ...]]:
    """Cells to read for the possible person identifiers in ``examined``, and the identifiers with repeated values."""
    codes = _codes(database, examined, read_as, needed)
    if not codes:
        return codes, ()
    coded = Statement("store/source", columns=columns(codes.values()), origin=origin)
    return codes, repeated(database, Statement("store/relation#nested", rows=coded), list(codes))


def _described(database: Database, origin: Statement) -> tuple[list[Column], dict[str, tuple[str, str]]]:
    """Columns of ``origin`` with the types read, and conversions by column name.

    A conversion is the type read and a section of the statement ``store/text``. Only columns read as another type than
    their own have one.
    """
    there = database.describe(origin)
    read_as = {column.name: database.read_as[column.type] for column in there if column.type in database.read_as}
    described = [
        replace(column, type=read_as[column.name][0]) if column.name in read_as else column for column in there
    ]
    return described, read_as


def _plain(column: Column, read_as: Mapping[str, tuple[str, str]]) -> Hole:
    cell = _cell(column, read_as)
    return cell if isinstance(cell, Name) else As(cell, Name(column.name))


def _codes(
    database: Database, tried: Sequence[Column], read_as: Mapping[str, tuple[str, str]], needed: Sequence[Column]
) -> dict[Column, Hole]:
    """Expressions for identifiers, as texts that are distinct if and only if the cells are.

    Texts, and columns ``needed`` for another purpose such as a hierarchy, are read unchanged. A column of a type
    without exact equality is omitted.
    """
    codes: dict[Column, Hole] = {}
    for column in tried:
        if column in needed or column.is_text:
            codes[column] = _plain(column, read_as)
            continue
        with suppress(SourceError):  # of a type without exact equality in the database
            code = database.code(Name("origin", column.name), column)
            codes[replace(column, type="VARCHAR")] = As(code, Name(column.name))
    return codes


def _cell(column: Column, read_as: Mapping[str, tuple[str, str]]) -> Name | Statement:
    """Expression to read a cell of a column: converted according to ``read_as``, texts without their collation."""
    return cell_of(column, read_as[column.name][1] if column.name in read_as else None)
