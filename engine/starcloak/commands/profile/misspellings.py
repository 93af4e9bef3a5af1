"""Rare texts that look like misspellings of frequent ones, such as Sprngfield beside Springfield."""

from __future__ import annotations

from dataclasses import dataclass

from starcloak.base.column import Column
from starcloak.statements.statement import Name, Statement
from starcloak.store.session import Session

_RARE, _TIMES = 5, 20


@dataclass(frozen=True)
class Misspelling:
    """A rare ``text`` in a number of ``rows``, and the frequent text ``likely`` meant, in ``likely_rows`` rows."""

    text: str
    likely: str
    rows: int
    likely_rows: int


def misspellings(store: Session, rows: Name, column: Column) -> list[Misspelling]:
    """The texts of a column that are probably misspelled, at most twenty. A person decides: they may be right."""
    if not column.is_text:
        return []
    name = Name(column.name)
    statement = Statement(
        "commands/profile/misspelled", column=name, text=Statement("store/text", column=name), rows=rows
    )
    return [Misspelling(*row) for row in store.run(statement, {"rare": _RARE, "times": _TIMES})]
