"""Places of rows: the working store, or a database with rows of the source; the rows never leave it."""

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
    """A database's own totals of the classes it sends: number of classes, smallest size, and rows of all."""

    classes: int
    smallest: int | None
    rows: int


class Host(ABC):
    """Base of places with rows, such as a :class:`~starcloak.store.session.Session` or a database.

    A host runs statements at the rows. General attributes:

    - ``dialect`` is the dialect of its statements, empty for the working store.
    - ``types`` has its types for those of the working store, if they differ.
    - ``settings`` are commands required before its statements, also in a script.
    - ``warnings`` are for the user.
    - ``typed_cells`` is true if each cell has a type and the column has none.
    - ``largest_product`` is the largest exact product of whole numbers, or None without a limit.
    - ``transactional`` is false if new tables survive the end of a transaction by an error.

    Attributes of a script for its client:

    - ``script_begins`` has the first commands of the script.
    - ``script_tables`` is the schema of the script's tables, if the schema has a name.
    - ``source_read`` has the commands after the source is read.
    - ``goes_on`` is true if the client continues after an error, by default or by an option, and not everything is
      undone.
      The script then publishes only after all of its recounts, and first drops remains of an earlier script.
    - ``tables_end`` is true if tables end with their transaction; there are no remains then.
    - ``keeps_line_ends`` is false if the client alters a carriage return before a line's end, and a NUL.
    - ``client_needs`` has statements for an exact reading of later ones by the client.
    - ``fills_by_views`` is true if tables of a script are views of constants.
    - ``recounts_again`` is true if a client with ``goes_on`` undoes nothing; the publishing statement then recounts,
      too.
    - ``has_macros`` is true if macros can replace built-in functions; a script first checks for such macros.
    """

    dialect: ClassVar[str]
    types: ClassVar[Mapping[str, str]] = {}
    settings: ClassVar[Sequence[str]] = ()
    typed_cells: ClassVar[bool] = False
    largest_product: ClassVar[int | None] = None
    transactional: ClassVar[bool] = True
    script_begins: ClassVar[Sequence[str]] = ()
    script_tables: ClassVar[Sequence[str]] = ()
    source_read: ClassVar[Sequence[str]] = ()
    tables_end: ClassVar[bool] = False
    goes_on: ClassVar[bool] = False
    keeps_line_ends: ClassVar[bool] = True
    client_needs: ClassVar[Sequence[str]] = ()
    fills_by_views: ClassVar[bool] = False
    recounts_again: ClassVar[bool] = False
    has_macros: ClassVar[bool] = False
    warnings: list[str]

    def type(self, kind: str) -> Type:
        """The database's type for a type of the working store."""
        return Type(self.types.get(kind, kind))

    def key(self, kind: str) -> Type:
        """The database's type for a column with unique values, used to find rows."""
        return self.type(kind)

    def same(self, first: Name, second: Name, column: Column) -> Statement:
        """Condition for equality of a key and a column's cell; two missing values are equal."""
        return Statement("store/same", one=first, other=second)

    @abstractmethod
    def dimension(self, table: str) -> Name:
        """A table in the database of the source, under a name readable by the working store."""

    @abstractmethod
    def close(self) -> None:
        """Close all open resources; uncommitted work of the run is rolled back."""

    @abstractmethod
    def interrupt(self) -> None:
        """End the running statement. Any thread may call this method."""

    @abstractmethod
    def describe(self, rows: Statement) -> list[Column]:
        """The columns of a statement, in order."""

    @abstractmethod
    def exact(self, cell: Hole, column: Column) -> Hole:
        """A cell of a column as a value with exact equality; a NULL stays NULL.

        Two distinguishable cells are never equal.
        """

    def code(self, cell: Hole, column: Column) -> Hole:
        """The exact value in a form for transfer: a text unchanged, any other cell as a text made by the database."""
        return cell if column.is_text else Statement("store/cell/code", exact=self.exact(cell, column))

    def distinct(self, cell: Hole, column: Column) -> Hole:
        """A cell for a count of distinct values: a text as read, without its collation; else the exact value."""
        return cell if column.is_text else self.exact(cell, column)

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
        """Copy a statement's rows, with these ``columns``, into a table of the working store."""

    @abstractmethod
    def gather_classes(self, into: Name, statement: Statement, columns: Sequence[Column], *, size: Name) -> ClassTotals:
        """Copy classes into a table of the working store; return their totals as counted by the database.

        ``size`` is the column of their sizes. One statement yields both, so a recount of the table reveals any loss,
        duplication or merge during the transfer.
        """

    @abstractmethod
    def keep(self, name: Name, rows: Statement) -> Name:
        """Store a statement's rows in their database for this run alone; return the name of the new table."""

    @abstractmethod
    def carry(self, tables: Sequence[Table]) -> Mapping[Name, Name]:
        """Copy tables of the working store to the database of the rows; return the names changed there."""


def columns_of(table: Table, host: Host) -> Joined:
    """The columns of a working-store table with the types of a host."""
    types = ((name, host.key(kind.text) if name == table.key else host.type(kind.text)) for name, kind in table.columns)
    return columns(Statement("store/column", column=Name(name), type=kind) for name, kind in types)
