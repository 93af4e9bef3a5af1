"""Where rows are: in the working store, or in a database that they never leave."""

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
    """What a database says of the classes that it sends: how many there are, the smallest size, the rows of all."""

    classes: int
    smallest: int | None
    rows: int


class Host(ABC):
    """Runs statements where the rows are. A :class:`~starcloak.store.session.Session` is one, and so is a database.

    ``dialect`` is that of its statements, empty for the working store's own, of whose ``types`` it may have others;
    ``settings`` are the commands that its statements need before them, in a script as well; ``warnings`` are for the
    user. With ``typed_cells`` a column has
    no type, but each of its cells. A product of whole numbers that is larger than ``largest_product``, if that is not
    None, is rounded. Where it is not ``transactional``, tables that are made stay when a transaction ends
    in an error.

    A script for its client begins with ``script_begins``; its tables are in the schema ``script_tables``, where that
    has a name, and ``source_read`` are the commands once it has read its source. Where the client ``goes_on`` after an
    error, or may be told to, and not all is undone, a script publishes only after all its recounts and first drops
    what another one has left, unless ``tables_end`` with their transaction.
    Unless it ``keeps_line_ends``, the client changes a carriage return before a line's end, and a NUL. To read a
    statement as it is meant, it ``client_needs`` some others first. Where it ``fills_by_views``, tables of a script are
    views of constants. Where it ``recounts_again``, a client that goes on after an error has nothing undone, so that
    the statement that publishes recounts as well. Where it ``has_macros``, these may take the place of its own
    functions, so that a script first looks for such.
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
        """The type there that holds a type of the working store."""
        return Type(self.types.get(kind, kind))

    def key(self, kind: str) -> Type:
        """The type there of a column by which rows are found, of which no two have one value."""
        return self.type(kind)

    def same(self, one: Name, other: Name, column: Column) -> Statement:
        """That a key is equal to the cell of a column, both of which may be missing."""
        return Statement("star/recoding/recode#same", one=one, other=other)

    @abstractmethod
    def dimension(self, table: str) -> Name:
        """A table beside the source, where the working store can read it."""

    @abstractmethod
    def close(self) -> None:
        """End what is open there; what is not committed of the run is rolled back."""

    @abstractmethod
    def interrupt(self) -> None:
        """End the statement under way. Any thread may ask for it."""

    @abstractmethod
    def describe(self, rows: Statement) -> list[Column]:
        """The columns of a statement, in order."""

    @abstractmethod
    def exact(self, cell: Hole, column: Column) -> Hole:
        """A cell of a column as a value of which no two are equal that somebody can tell apart; NULL where it is."""

    def code(self, cell: Hole, column: Column) -> Hole:
        """The same value in a form that leaves a database: a text as it is, any other cell as a text there."""
        return cell if column.is_text else Statement("store/cell/code", exact=self.exact(cell, column))

    def distinct(self, cell: Hole, column: Column) -> Hole:
        """A cell whose distinct values are counted: a text as it was read, without its collation; any other exactly."""
        return cell if column.is_text else self.exact(cell, column)

    @abstractmethod
    def run(self, statement: Rows, binds: Mapping[str, Any] | None = None) -> list[Row]:
        """Run a statement and fetch all of its rows."""

    def row(self, statement: Rows, binds: Mapping[str, Any] | None = None) -> Row:
        """Run a statement that yields exactly one row."""
        (row,) = self.run(statement, binds)
        return row

    def attempt(self, statement: Statement) -> Row | None:
        """Run a statement that yields exactly one row, and of which nothing depends; None where it fails."""
        try:
            return self.row(statement)
        except StatementError:
            return None

    @abstractmethod
    def gather(self, into: Name, statement: Statement, columns: Sequence[Column]) -> None:
        """Bring a statement's rows into a table of the working store. ``columns`` are those of the statement."""

    @abstractmethod
    def gather_classes(self, into: Name, statement: Statement, columns: Sequence[Column], *, size: Name) -> ClassTotals:
        """Bring classes into a table of the working store, and say what they are where the rows are.

        ``size`` is the column of their sizes. Both come of one statement, so that what was lost, doubled or merged on
        the way is seen by whoever counts the table.
        """

    @abstractmethod
    def keep(self, name: Name, rows: Statement) -> Name:
        """Keep a statement's rows where they are for this run alone; returns what the table is called there."""

    @abstractmethod
    def carry(self, tables: Sequence[Table]) -> Mapping[Name, Name]:
        """Have tables of the working store at hand where the rows are; returns the names that differ there."""


def columns_of(table: Table, host: Host) -> Joined:
    """The columns of a table of the working store, as a host makes them."""
    types = ((name, host.key(kind.text) if name == table.key else host.type(kind.text)) for name, kind in table.columns)
    return columns(Statement("store/column", column=Name(name), type=kind) for name, kind in types)
