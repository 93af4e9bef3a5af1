"""Tables of the working store needed by a release, on any host."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from starcloak.statements.statement import Name, Statement, Type, columns

# The types of columns of our own, as the working store names them.
TEXT, WHOLE, TRUTH = Type("VARCHAR"), Type("BIGINT"), Type("BOOLEAN")


@dataclass(frozen=True)
class Table:
    """A table of the working store needed by a release, on any host.

    ``columns`` are names and types; ``rows`` yields its rows in the working store, with values of the source as texts.
    A ``key`` is a column to find rows by, with unique values and possibly missing ones.
    """

    name: Name
    columns: tuple[tuple[str, Type], ...]
    rows: Statement
    key: str | None = None


def whole_of(relation: Name, shape: Sequence[tuple[str, Type]]) -> Table:
    """A whole relation as a table."""
    return Table(
        relation,
        tuple(shape),
        Statement("store/relation#columns", columns=columns(Name(name) for name, _ in shape), relation=relation),
    )
