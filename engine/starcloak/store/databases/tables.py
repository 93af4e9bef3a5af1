"""Tables beside others, in a database: where a release is staged and published, with its ledger.

What databases can do differs; it is said by capabilities, so that nobody asks for the name of one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from starcloak.base.column import Column
from starcloak.statements.statement import Name, Statement, Type

if TYPE_CHECKING:
    from sqlalchemy.engine import URL

    from starcloak.statements.statement import Row, Rows
    from starcloak.store.session import Session
    from starcloak.store.tables import Table


class Tables(ABC):
    """Tables of a database, for one run. A kind of database is registered by its class.

    ``names`` are those that its URLs begin with, ``example`` is such a URL. An ``embedded`` one is a file that the
    working store itself opens. Where it is not ``transactional``, a table that was made is not taken back with the
    transaction: what is new is swapped with what is old by renames or, where it has ``views_alone``, by a view that
    shows another table from then on, and dimension tables have no moment in common with it. With ``folds_names``,
    tables whose names differ in case are one. ``state`` and ``published`` say for the documentation by what a run
    sees one state of the source, and what publishes. ``default_schema`` is that of tables that are named without
    one, where it is always the same; ``system`` are schemas of its own.
    """

    names: ClassVar[tuple[str, ...]]
    example: ClassVar[str]
    state: ClassVar[str]
    published: ClassVar[str]
    embedded: ClassVar[bool] = False
    transactional: ClassVar[bool] = True
    views_alone: ClassVar[bool] = False
    folds_names: ClassVar[bool] = False
    default_schema: ClassVar[str | None] = None
    dialect: ClassVar[str]
    system: ClassVar[Sequence[str]] = ()
    types: ClassVar[Mapping[str, str]] = {}

    session: Session
    name: str
    warnings: list[str]

    @classmethod
    def file(cls, url: URL) -> Path | None:
        """The file of a database that is one; a :class:`~starcloak.base.errors.SourceError` where it must be one."""
        return None

    @classmethod
    def in_memory(cls, url: URL) -> bool:
        """Whether a database is in the memory of this process, and ends with its last connection."""
        return False

    @abstractmethod
    def run(self, statement: Rows, binds: Mapping[str, Any] | None = None) -> list[Row]:
        """Run a statement and fetch all of its rows."""

    def row(self, statement: Rows, binds: Mapping[str, Any] | None = None) -> Row:
        """Run a statement that yields exactly one row."""
        (row,) = self.run(statement, binds)
        return row

    @abstractmethod
    def perform(self, statement: Rows, binds: Mapping[str, Any] | None = None) -> None:
        """Run a statement that yields no rows."""

    @abstractmethod
    def describe(self, rows: Statement) -> list[Column]:
        """The columns of a statement, in order, with their types in the working store.

        A type that the working store lacks goes by its own name, in capitals.
        """

    @abstractmethod
    def carry(self, tables: Sequence[Table]) -> Mapping[Name, Name]:
        """Have tables of the working store at hand where the rows are; returns the names that differ there."""

    @abstractmethod
    def current_schema(self) -> str:
        """The schema of tables that are named without one."""

    @classmethod
    def parts(cls, table: str) -> list[str]:
        """The schema, where it is known, and the name of a table, as they tell it from others."""
        schema, _, name = table.rpartition(".")
        return [*map(cls.fold, filter(None, [schema or cls.default_schema])), cls.fold(name)]

    @classmethod
    def fold(cls, name: str) -> str:
        """What tells a name from others."""
        return name.casefold() if cls.folds_names else name

    def table(self, schema: str, name: str) -> Name:
        """What a statement calls a table."""
        return Name(schema, name)

    def what_stands(self, schema: str, table: str, ledger: str) -> Row:
        """What stands in the place of a table and of a ledger, as ``store/existing`` tells it."""
        return self.row(Statement("store/existing"), {"schema": schema, "table": table, "ledger": ledger})

    def type(self, kind: str) -> Type:
        """The type in this database that holds a type of the working store."""
        return Type(self.types.get(kind, kind))

    def name_problem(self, table: str) -> str | None:
        """Why a new table cannot have a name; None where it can."""
        return None

    def table_shown(self, schema: str, view: str) -> str | None:
        """The table of starcloak's own that a view shows; None where it is another view, or none."""
        return None

    def forget(self, ledger: Name, run: str) -> None:
        """Take the entries of a run, which is told by how it begins, out of a ledger."""
        self.perform(Statement("store/ledger#forget", ledger=ledger), {"run": run})

    def mark(self, schema: str, table: str) -> str | None:
        """The comment of a table, where a release is known by it; None without one."""
        return None

    def ledgers(self, schema: str, ledger: str) -> list[Row]:
        """The ledgers of other schemas, each with whether it can be read."""
        return []
