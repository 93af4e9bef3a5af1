"""A table, view or query of a database as the source: its columns, without collations that merge texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starcloak.hosts.database import Database
from starcloak.hosts.registry import connect
from starcloak.job import Source as Place
from starcloak.session import Session
from starcloak.source.roles import Roles, placed, reading, refuse_unusable, resolved
from starcloak.source.source import Source
from starcloak.statement import As, Hole, Name, Query, Statement, columns

if TYPE_CHECKING:
    from starcloak.column import Column


def open_source(session: Session, place: Place, roles: Roles, *, closed: bool, others: str | None = None) -> Source:
    """Open a source in a database; see :func:`starcloak.source.opening.open_source`."""
    assert place.url is not None
    database = connect(place.url, session)
    if place.table is not None:
        label = f"{place.table} in {database.name}"
        origin = Statement("source/relation", {"relation": Name(*place.table.split("."))})
    else:
        label = f"the query on {database.name}"
        text = Query((place.query or "").strip().rstrip(";"))
        origin = Statement("source/relation", {"relation": Statement("source/named", {"rows": text})})
    with reading(label):
        database.read()
        return _opened(database, origin, label, roles, closed=closed, others=others)


def _opened(
    database: Database, origin: Statement, label: str, roles: Roles, *, closed: bool, others: str | None
) -> Source:
    described = database.describe(origin)
    roles = resolved(roles, described, label, others=others)
    quasi_identifiers, released = placed(roles, described, label, closed=closed)
    database.refuse_names(released, label)
    plain = columns(_plain(column) for column in released)
    rows = Statement("source/source", {"columns": plain, "origin": origin})
    database.refuse_texts(origin, released, label)
    relation: Hole = Statement("source/nested", {"rows": rows})
    if closed:
        relation, frozen = database.frozen(rows, released)
        by_name = {column.name: column for column in frozen}
        released = tuple(by_name[column.name] for column in released)
        quasi_identifiers = tuple(by_name[column.name] for column in quasi_identifiers)
    refuse_unusable(database, quasi_identifiers, relation, label)
    return Source(database, relation, released, quasi_identifiers, label, rows, roles=roles)


def _plain(column: Column) -> Hole:
    name = Name(column.name)
    return As(Statement("source/binary", {"column": name}), name) if column.is_text else name
