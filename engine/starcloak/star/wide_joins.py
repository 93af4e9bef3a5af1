"""Joins of a relation with its dimension tables, split into materialized parts for many quasi-identifiers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from starcloak.statements.statement import As, Hole, Joined, Name, Statement, columns, lines

#: Number of dimensions beyond which a table is wide.
WIDE = 32
# Number of dimensions in a part.
_TOGETHER = 16

#: The number of a row in a table of the working store.
ROW = Name("rowid")


def join(
    dimensions: Sequence[tuple[Hole, Sequence[As]]], *, rows: Hole | None, alias: str, key: Name = ROW
) -> tuple[list[As], Joined]:
    """The columns of dimension tables, and the joins of a relation with these tables.

    Up to :data:`WIDE` dimensions are joined directly; more are joined in groups, each materialized by itself.

    Args:
        dimensions: Per dimension, the join with its table and the columns read from the table.
        rows: The relation in the working store; None for a relation without row numbers, which is joined directly.
        alias: The alias of the relation in the joins.
        key: The relation's column with a unique number per row.
    """
    if rows is None or len(dimensions) <= WIDE:
        return [cell for _, cells in dimensions for cell in cells], lines(own for own, _ in dimensions)
    found: list[As] = []
    joins = []
    for begin in range(0, len(dimensions), _TOGETHER):
        together, part = dimensions[begin : begin + _TOGETHER], Name(f"part_{begin // _TOGETHER + 1}")
        cells = [cell for _, own in together for cell in own]
        found += [As(Name(*part.parts, *cell.name.parts), cell.name) for cell in cells]
        holes: dict[str, Hole] = {"part": part, "rows": rows, "alias": Name(alias), "key": key}
        shape: dict[str, Hole] = {"cells": columns(cells), "joins": lines(own for own, _ in together)}
        joins.append(Statement("star/joined", **holes, **shape))
    return found, lines(joins)


def join_whole(dimensions: Iterable[tuple[Hole, Name]], *, rows: Hole | None, alias: str, key: Name = ROW) -> Joined:
    """The joins of :func:`join` for dimension tables whose columns keep their names, such as ``dimension_zip.level_1``.

    ``dimensions`` has each join with its table. In a part, the whole row of a table is one column under the table's
    name.
    """
    _, joins = join([(own, [As(table, table)]) for own, table in dimensions], rows=rows, alias=alias, key=key)
    return joins
