"""Tables of the working store, such as dimension tables, in the form for copies to another database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from starcloak.statements.statement import Name, Statement, Type, columns

# DuckDB's types of columns made by starcloak.
TEXT, WHOLE, TRUTH = Type("VARCHAR"), Type("BIGINT"), Type("BOOLEAN")


@dataclass(frozen=True)
class Table:
    """A table of the working store needed by a release, for a copy on the host of the source's rows.

    ``columns`` are the names of the columns with their types in the working store. ``rows`` is the statement for the
    rows, with values of the source as texts. ``key`` is a column for joins with unique values, one of them possibly
    missing; None without such a column.
    """

    name: Name
    columns: tuple[tuple[str, Type], ...]
    rows: Statement
    key: str | None = None


def whole_of(relation: Name, shape: Sequence[tuple[str, Type]]) -> Table:
    """The table with all rows of a relation; ``shape`` has the names and types of its columns."""
    return Table(
        relation,
        tuple(shape),
        Statement("store/relation#columns", columns=columns(Name(name) for name, _ in shape), relation=relation),
    )
