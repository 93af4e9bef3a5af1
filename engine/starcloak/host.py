"""Where rows are: in the working store, or in a database that they never leave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from starcloak.column import Column
    from starcloak.statement import Joined, Name, Statement


class Host(Protocol):
    """Runs statements where the rows are. A :class:`~starcloak.session.Session` is one, and so is a database."""

    def describe(self, rows: Statement) -> list[Column]:
        """The columns of a statement, in order."""

    def row(self, statement: Statement | Joined, binds: Mapping[str, Any] | None = None) -> tuple[Any, ...]:
        """Run a statement that yields exactly one row."""

    def gather(self, into: Name, statement: Statement, columns: Sequence[Column]) -> None:
        """Bring a statement's rows into a table of the working store.

        ``columns`` are those of the statement, with their types there.
        """
