"""Joins of a relation with its dimensions, in parts for a table of many quasi-identifiers."""

from __future__ import annotations

from collections.abc import Sequence

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
    """The columns of dimensions, and the joins that find them.

    Args:
        dimensions: The join of each dimension, and its columns.
        rows: The relation in the working store; None for one without numbers of its rows: it is joined in one part.
        alias: The relation's name in the joins.
        key: The relation's column with a number per row.
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
