"""Tables of the working store that a release needs, wherever it is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from starcloak.statements.statement import Name, Statement, Type, columns

# The types of columns of our own, as the working store names them.
TEXT, WHOLE, TRUTH = Type("VARCHAR"), Type("BIGINT"), Type("BOOLEAN")


@dataclass(frozen=True)
class Table:
    """A table of the working store that a release needs, wherever it is made.

    ``columns`` are names and types; ``rows`` yields its rows here, values of the source as texts. A ``key`` is a column
    by which rows are found, of which no two have one value, though some may have none.
    """

    name: Name
    columns: tuple[tuple[str, Type], ...]
    rows: Statement
    key: str | None = None


def whole_of(relation: Name, shape: Sequence[tuple[str, Type]]) -> Table:
    """A relation as a table, all of it."""
    return Table(
        relation,
        tuple(shape),
        Statement("star/recoding/present#whole", columns=columns(Name(name) for name, _ in shape), relation=relation),
    )
