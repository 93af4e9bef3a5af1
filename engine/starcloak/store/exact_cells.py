"""A cell of the working store as a value of which no two are equal that somebody can tell apart.

Equal values need not be alike: 0.0 and -0.0, one month and 30 days. What a cell reads tells them apart, but for the
members of a union, 1 and '1', and for the bits of what is not a number. Other hosts have their own ways: see
:meth:`starcloak.store.hosts.host.Host.exact`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from starcloak.statements.statement import Hole, Joined, Literal, Statement

if TYPE_CHECKING:
    import duckdb

    from starcloak.base.column import Column


def is_told(column: Column) -> bool:
    """Whether the cells of a column can be told apart: not those of a variant, nor of a union inside another type."""
    inside = replace(column, type=column.type.removeprefix("UNION(")) if column.is_union else column
    return not inside.holds(r"\b(UNION\(|VARIANT\b)")


def exact(cell: Hole, column: Column, connection: duckdb.DuckDBPyConnection) -> Hole:
    """A cell of a column of the working store; its type is one whose cells can be told apart."""
    if column.is_text:
        return Statement("store/cell/exact#bytes", cell=cell)
    if column.is_plain:
        return cell
    if column.is_float:
        return Statement("store/cell/exact#bits", cell=cell)
    # Of what is nested, the text: hashes of an empty list and of a missing one are the same.
    text = Statement("store/cell/exact", cell=cell)
    if not column.is_union:
        return text
    names = [name for name, _ in connection.type(column.type).children[1:]]  # the first one is the tag
    members = (Statement("store/cell/union#member", cell=cell, member=Literal(name)) for name in names)
    texts = tuple(Statement("store/cell/exact", cell=member) for member in members)
    return Statement("store/cell/exact", cell=Statement("store/cell/union", cell=cell, members=Joined(texts, ", ")))
