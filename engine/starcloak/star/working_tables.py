"""Tables of a run in the working store: their names and columns, and joins of tables with many columns, in parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from starcloak.statements.statement import As, Hole, Joined, Name, Statement, columns, lines

BASE = Name("base")
STAR = Name("star")
GENERALIZATION = Name("generalization")
#: The star's tuples whose value groups at the job's highest levels satisfy the requirement; all other tuples.
WITHIN, BEYOND = Name("star_within"), Name("star_beyond")
#: The tuples of each person, for persons compared as sets of rows: person, the level columns, frequency, checksum, and
#: cohort; only persons of the same cohort may become equal.
VISITS = Name("visits")
CLASS = Name("class")
#: The people of the population by tuple: value_1, value_2, …, people.
POPULATION = Name("population")

#: Number of dimensions beyond which a table is wide.
WIDE = 32
# Number of dimensions in a part.
_TOGETHER = 16

#: The number of a row in a table of the working store.
ROW = Name("rowid")


def marginal(position: int) -> Name:
    """Name of the table with one attribute's frequency set, by its values; ``position`` counts from 1.

    The table exists if the base frequency set is too large for the working store.
    """
    return Name(f"marginal_{position}")


def leaves(position: int) -> Name:
    """Name of the table with one attribute's frequency set, by its codes at every level; ``position`` counts from 1."""
    return Name(f"leaves_{position}")


def sensitive_columns(read: Sequence[str], names: Sequence[str]) -> list[Name]:
    """Columns of the base frequency set with the values of the attributes ``names``.

    ``read`` lists all attributes in the order of their columns in the base frequency set.
    """
    return [sensitive_column(read.index(name) + 1) for name in names]


def sensitive_column(number: int) -> Name:
    """The column of the base frequency set with the values of sensitive attribute ``number``, from 1."""
    return Name(f"sensitive_{number}")


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
