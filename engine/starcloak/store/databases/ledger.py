"""The ledger of a schema: a table with an entry for each release, and for each dimension table of a release."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starcloak.base.errors import OutputError, StatementError
from starcloak.statements.statement import Bind, Hole, Joined, Name, Statement, columns
from starcloak.store.databases.tables import Tables

LEDGER = "starcloak_releases"
_COLUMNS = {
    "run": "VARCHAR",
    "released_at": "VARCHAR",
    "release": "VARCHAR",
    "source": "VARCHAR",
    "job": "VARCHAR",
    "requirement": "VARCHAR",
    "k": "BIGINT",
    "released_rows": "BIGINT",
    "suppressed_rows": "BIGINT",
    "starcloak": "VARCHAR",
    "origin": "VARCHAR",
    "dimension_of": "VARCHAR",
    "column_names": "VARCHAR",
    "number": "BIGINT",
}
RUN = 12  # digits of a run's number in names of tables


@dataclass(frozen=True)
class Entry:
    """An entry of the ledger for a table: a release, or a dimension table of the release ``of``.

    ``run`` is the beginning of the run's number. ``origin`` is the hash of the source's place, empty for a dimension
    table; ``of`` is empty for a release. ``k`` is the k of the release; None without released rows. ``columns`` lists
    the table's columns, see :func:`listed`; empty if the table itself has a mark of the release.
    """

    run: str
    is_release: bool
    origin: str
    of: str
    k: int | None = None
    columns: str = ""


class Ledger:
    """The ledger of a schema, read and written in the run's own transaction if the database has transactions.

    Entries are numbered in the order of their insertion, as the clock of a machine may be wrong.
    """

    def __init__(self, database: Tables, schema: str) -> None:
        self.database = database
        self.schema = schema
        self.name = database.table(schema, LEDGER)
        self._is_there = False

    def open(self, *, there: bool, strange: bool) -> None:
        """Find out if there is a ledger.

        ``there`` is true if a table with the ledger's name exists, ``strange`` if another object has this name. Raises
        :class:`OutputError` for another object, and for a table with other columns.
        """
        described = self.database.describe(Statement("store/relation", relation=self.name)) if there else []
        self._is_there = there
        if strange or (there and set(_COLUMNS) - {column.name for column in described}):
            raise OutputError(
                f"{LEDGER} in {self.schema} of {self.database.name} is not the list of releases that starcloak keeps "
                "under this name: rename the table, or release into another schema"
            )

    def entries(self, release: str) -> list[Entry]:
        """The entries for a table's name, the newest one first."""
        if not self._is_there:
            return []
        rows = self.database.run(Statement("store/ledger#known", ledger=self.name), {"release": release})
        return [
            Entry(str(run)[:RUN], of is None, origin or "", of or "", k, named or "")
            for run, origin, of, k, named in rows
        ]

    def enter(self, entry: Mapping[str, Any], dimensions: Mapping[str, str | None]) -> None:
        """Insert the entries of a release and of its dimension tables; warn of earlier releases of the same source.

        ``entry`` maps the ledger's columns to values; ``dimensions`` are the names of the dimension tables, with their
        columns as :func:`listed`. Raises :class:`OutputError` if the ledger does not keep the entries.
        """
        if not self._is_there:
            self.database.perform(Statement("store/ledger", ledger=self.name, columns=self.shape))
        self._is_there = True
        elsewhere, unknown = self._of_other_schemas(entry)
        names = Joined(tuple(map(Name, _COLUMNS)), ", ")
        values = Joined(tuple(Bind(name) for name in _COLUMNS if name != "number"), ", ")
        holes: dict[str, Hole] = {"ledger": self.name, "columns": names, "values": values}
        shown_fields = {name: entry[name] for name in ("run", "released_at", "job", "starcloak")}
        kept = [
            {**shown_fields, "release": name, "dimension_of": entry["release"], "column_names": named}
            for name, named in dimensions.items()
        ]
        for row in (entry, *kept):
            binds = {name: row.get(name) for name in _COLUMNS if name != "number"}
            self.database.perform(Statement("store/ledger#entry", **holes), binds)
        entry_binds = {name: entry[name] for name in ("run", "origin", "release", "job")}
        entered, further = self.database.row(Statement("store/ledger#entered", ledger=self.name), entry_binds)
        if entered != 1 + len(kept):
            raise OutputError(
                f"{LEDGER} in {self.schema} of {self.database.name} (the list of releases) loses new entries: look "
                "for triggers, rules and policies on this table"
            )
        self._warn(entry, max(further, elsewhere), unknown)

    def forget(self, run: str) -> None:
        """Remove the entries of a run that did not publish its release."""
        if not self._is_there:
            return
        self.database.forget(self.name, run[:RUN])

    @property
    def shape(self) -> Joined:
        """Column definitions of a new ledger, for CREATE TABLE."""
        return columns(
            Statement("store/column", column=Name(name), type=self.database.type(kind))
            for name, kind in _COLUMNS.items()
        )

    def _of_other_schemas(self, entry: Mapping[str, Any]) -> tuple[int, list[str]]:
        """Number of releases of the entry's source in other schemas; and names of schemas with an unreadable ledger."""
        counts = {
            schema: self._elsewhere(self.database.table(schema, LEDGER), entry["origin"]) if readable else None
            for schema, readable in self.database.ledgers(self.schema, LEDGER)
        }
        return sum(count or 0 for count in counts.values()), [
            schema for schema, count in counts.items() if count is None
        ]

    def _warn(self, entry: Mapping[str, Any], further: int, unknown: Sequence[str]) -> None:
        if further:
            self.database.warnings.append(
                f"{entry['source']} was released before, by another job or to another table: a reader of both "
                "releases may learn more than from one of them"
            )
        if unknown:
            self.database.warnings.append(
                f"earlier releases of {entry['source']} in the schemas {', '.join(unknown)} are not known, as "
                f"{LEDGER} there may not be read, or is the table of another program"
            )

    def _elsewhere(self, ledger: Name, origin: str) -> int | None:
        """Number of releases of a source in the ledger of another schema; None for an unreadable ledger."""
        try:
            (releases,) = self.database.row(Statement("store/ledger#elsewhere", ledger=ledger), {"origin": origin})
        except StatementError:
            return None
        return int(releases)


def listed(names: Iterable[str]) -> str:
    """The text by which an entry lists the names of a table's columns, as MariaDB's json_arrayagg writes it."""
    return json.dumps([*names], ensure_ascii=False, separators=(",", ":"))


def unpublished_runs(tables: Sequence[str], prefix: str, mark: str) -> set[str]:
    """Numbers (first digits) of runs with a staged table among ``tables``.

    The name of a staged table consists of ``prefix``, the run's number and ``mark``, in this order.
    """
    return {rest[:RUN] for rest in (table[len(prefix) :] for table in tables) if rest[RUN:].startswith(mark)}
