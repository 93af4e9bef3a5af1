"""Tables of a database: the interface for staging and publishing a release, and for its ledger.

Differences between databases are capabilities of their classes; no code checks the name of a database.
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

    - ``names`` are the first parts of URLs of this kind of database, and ``example`` is such a URL.
    - ``embedded`` is true for a file opened by the working store itself.
    - ``transactional`` is false if a rollback does not remove new tables. New and old tables are then swapped by
      renames or, with ``views_alone``, by a view with a new target; dimension tables change at a different moment.
    - ``folds_names`` is true if table names are case-insensitive.
    - ``state`` and ``published`` are texts for the documentation: the mechanism for one state of the source in a run,
      and the mechanism of publication.
    - ``default_schema`` is the schema of unqualified table names, if it is constant.
    - ``system`` are the database's own schemas.
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
        """The file of a file database; None for other databases.

        Raises :class:`~starcloak.base.errors.SourceError` if the URL lacks a required file.
        """
        return None

    @classmethod
    def in_memory(cls, url: URL) -> bool:
        """True if the URL leads to a database in the memory of this process, which ends with its last connection."""
        return False

    @abstractmethod
    def run(self, statement: Rows, binds: Mapping[str, Any] | None = None) -> list[Row]:
        """Run a statement and fetch all of its rows."""

    def row(self, statement: Rows, binds: Mapping[str, Any] | None = None) -> Row:
        """Run a statement with exactly one result row."""
        (row,) = self.run(statement, binds)
        return row

    @abstractmethod
    def perform(self, statement: Rows, binds: Mapping[str, Any] | None = None) -> None:
        """Run a statement without result rows."""

    @abstractmethod
    def describe(self, rows: Statement) -> list[Column]:
        """The columns of a statement, in order, with their types in the working store.

        A type unknown to the working store has its own name, in capitals.
        """

    @abstractmethod
    def carry(self, tables: Sequence[Table]) -> Mapping[Name, Name]:
        """Copy tables of the working store to the database; returns the new names of tables renamed by the copy."""

    @abstractmethod
    def current_schema(self) -> str:
        """Name of the schema for unqualified table names."""

    @classmethod
    def parts(cls, table: str) -> list[str]:
        """Split a table's name into its schema, if it is known, and its own name, both folded for comparison."""
        schema, _, name = table.rpartition(".")
        return [*map(cls.fold, filter(None, [schema or cls.default_schema])), cls.fold(name)]

    @classmethod
    def fold(cls, name: str) -> str:
        """A name in the form for comparison: in small letters, if names of the database are case-insensitive."""
        return name.casefold() if cls.folds_names else name

    def table(self, schema: str, name: str) -> Name:
        """The name of a table in a statement."""
        return Name(schema, name)

    def what_stands(self, schema: str, table: str, ledger: str) -> Row:
        """Counts of existing objects with the names of a table and of a ledger: the row of ``store/existing``."""
        return self.row(Statement("store/existing"), {"schema": schema, "table": table, "ledger": ledger})

    def type(self, kind: str) -> Type:
        """The database's type for a type of the working store."""
        return Type(self.types.get(kind, kind))

    def name_problem(self, table: str) -> str | None:
        """Reason against a name for a new table; None for a usable name."""
        return None

    def may_create(self, schema: str) -> bool:
        """False if the user certainly has no right to make a table in a schema."""
        return True

    def referring(self, schema: str, table: str) -> Sequence[str]:
        """Tables with a foreign key to a table, if the key would keep the old table from being dropped."""
        return ()

    def schema_of(self, table: str) -> str:
        """Name of the schema with a table that is named without its schema."""
        return self.current_schema()

    def table_shown(self, schema: str, view: str) -> str | None:
        """The table of starcloak shown by a view; None for another view, or no view."""
        return None

    def forget(self, ledger: Name, run: str) -> None:
        """Remove the entries of a run from a ledger; ``run`` is the beginning of the run's number."""
        self.perform(Statement("store/ledger#forget", ledger=ledger), {"run": run})

    def mark(self, schema: str, table: str) -> str | None:
        """The comment of a table, if the database marks releases by comments; None without a comment."""
        return None

    def ledgers(self, schema: str, ledger: str) -> list[Row]:
        """Ledgers of other schemas: rows with the schema's name, and true for a readable ledger.

        ``schema`` is the schema of the release, ``ledger`` the ledgers' common name.
        """
        return []
