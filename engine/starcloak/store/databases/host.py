"""Hosts: the working store, or a database with the source's rows. Statements run at the host; rows stay there."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from starcloak.base.errors import StatementError
from starcloak.statements.statement import Joined, Name, Statement, Type, columns

if TYPE_CHECKING:
    from starcloak.base.column import Column
    from starcloak.statements.statement import Hole, Row, Rows
    from starcloak.store.tables import Table


@dataclass(frozen=True)
class ClassTotals:
    """Totals of classes, counted before their transfer: number of classes, smallest size, number of all rows.

    ``smallest`` is None without classes.
    """

    classes: int
    smallest: int | None
    rows: int


class Host(ABC):
    """Base class of hosts: a host has the source's rows and runs statements on them.

    A host is the working store (:class:`~starcloak.store.session.Session`) or a database. General attributes:

    - ``dialect`` is the name of the SQL dialect, empty for the working store.
    - ``types`` maps the working store's type names to those of the host, if they differ.
    - ``settings`` are SQL commands to run before all other statements, also in a script.
    - ``warnings`` are messages for the user.
    - ``typed_cells`` is true if types belong to cells, not to columns (SQLite).
    - ``largest_product`` is the largest exact product of whole numbers, or None without a limit.
    - ``keeps_rows`` is false if rows cannot be stored there for the run alone, as by :meth:`keep`.
    - ``transactional`` is false if new tables survive the end of a transaction by an error.

    Attributes of a script for its client:

    - ``script_begins`` has the first commands of the script.
    - ``script_tables`` is the schema of the script's tables, if the schema has a name.
    - ``source_read`` has the commands after the source is read.
    - ``goes_on`` is true if the client continues after an error, by default or by an option, and not everything is
      undone. The script then publishes only after all of its recounts, and first drops remains of an earlier script.
    - ``tables_end`` is true if tables end with their transaction; there are no remains then.
    - ``keeps_line_ends`` is false if the client alters a carriage return before a line's end, and a NUL.
    - ``client_needs`` has statements for an exact reading of later ones by the client.
    - ``fills_by_views`` is true if tables of a script are views of constants.
    - ``fingerprints`` is true if the client has a hash function with the same results in later versions; a script then
      recognizes any changed cell of its source.
    - ``recounts_again`` is true if a client with ``goes_on`` undoes nothing; the publishing statement then recounts,
      too.
    - ``replaces_in_steps`` is true if a script deletes the rows of a release by one statement and inserts the new rows
      by another; the script then checks that both are done.
    - ``has_macros`` is true if macros can replace built-in functions; a script first checks for such macros.
    """

    dialect: ClassVar[str]
    types: ClassVar[Mapping[str, str]] = {}
    settings: ClassVar[Sequence[str]] = ()
    typed_cells: ClassVar[bool] = False
    largest_product: ClassVar[int | None] = None
    keeps_rows: ClassVar[bool] = True
    transactional: ClassVar[bool] = True
    script_begins: ClassVar[Sequence[str]] = ()
    script_tables: ClassVar[Sequence[str]] = ()
    source_read: ClassVar[Sequence[str]] = ()
    tables_end: ClassVar[bool] = False
    goes_on: ClassVar[bool] = False
    keeps_line_ends: ClassVar[bool] = True
    client_needs: ClassVar[Sequence[str]] = ()
    fills_by_views: ClassVar[bool] = False
    fingerprints: ClassVar[bool] = False
    recounts_again: ClassVar[bool] = False
    replaces_in_steps: ClassVar[bool] = False
    has_macros: ClassVar[bool] = False
    warnings: list[str]

    def type(self, kind: str) -> Type:
        """The host's type for a type of the working store."""
        return Type(self.types.get(kind, kind))

    def key(self, kind: str) -> Type:
        """The host's type for a join column with unique values; ``kind`` is its type in the working store."""
        return self.type(kind)

    def same(self, first: Name, second: Name, column: Column) -> Statement:
        """Condition for equality of two cells; two missing values are equal. ``column`` describes the second cell."""
        return Statement("store/same", one=first, other=second)

    @abstractmethod
    def dimension(self, table: str) -> Name:
        """Name in the working store for a table of the source's database, such as a hierarchy; copied if necessary."""

    @abstractmethod
    def close(self) -> None:
        """Close all open resources; uncommitted work of the run is rolled back."""

    @abstractmethod
    def interrupt(self) -> None:
        """End the running statement. Any thread may call this method."""

    @abstractmethod
    def describe(self, rows: Statement) -> list[Column]:
        """The columns of a statement with their types, in order."""

    @abstractmethod
    def exact(self, cell: Hole, column: Column) -> Hole:
        """Expression for a cell as a value with exact equality; a NULL stays NULL.

        Two distinguishable cells are never equal.
        """

    def code(self, cell: Hole, column: Column) -> Hole:
        """Expression for a cell's exact value in a transfer: a text unchanged, any other value as text."""
        return cell if column.is_text else Statement("store/cell/code", exact=self.exact(cell, column))

    def distinct(self, cell: Hole, column: Column) -> Hole:
        """Expression for a cell in a count of distinct values."""
        return Statement("store/cell/distinct", cell=cell if column.is_text else self.exact(cell, column))

    @abstractmethod
    def run(self, statement: Rows, binds: Mapping[str, Any] | None = None) -> list[Row]:
        """Run a statement and fetch all of its rows."""

    def row(self, statement: Rows, binds: Mapping[str, Any] | None = None) -> Row:
        """Run a statement with exactly one result row."""
        (row,) = self.run(statement, binds)
        return row

    def attempt(self, statement: Statement) -> Row | None:
        """Run an optional statement with exactly one result row; None if it fails."""
        try:
            return self.row(statement)
        except StatementError:
            return None

    @abstractmethod
    def gather(self, into: Name, statement: Statement, columns: Sequence[Column]) -> None:
        """Copy a statement's rows into the table ``into`` of the working store; ``columns`` are their columns."""

    @abstractmethod
    def gather_classes(self, into: Name, statement: Statement, columns: Sequence[Column], *, size: Name) -> ClassTotals:
        """Copy classes (rows of a GROUP BY) into the table ``into``; returns totals counted by the host.

        ``size`` is the column with the number of rows in a class. One statement yields classes and totals, so a recount
        of the table reveals any loss, duplication or merge during the transfer.
        """

    @abstractmethod
    def keep(self, name: Name, rows: Statement) -> Name:
        """Store a statement's rows on the host for this run alone; returns the name of the new table.

        ``name`` is the table's name in the working store.
        """

    @abstractmethod
    def carry(self, tables: Sequence[Table]) -> Mapping[Name, Name]:
        """Copy tables of the working store to the host; returns the new names of tables renamed by the copy."""


def columns_of(table: Table, host: Host) -> Joined:
    """Column definitions for a copy of a working-store table on a host, for CREATE TABLE."""
    types = ((name, host.key(kind.text) if name == table.key else host.type(kind.text)) for name, kind in table.columns)
    return columns(Statement("store/column", column=Name(name), type=kind) for name, kind in types)
