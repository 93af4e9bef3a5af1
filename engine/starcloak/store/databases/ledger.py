"""The ledger of a schema: releases in the schema, their sources, and the tables belonging to a release."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    "number": "BIGINT",
}
_LATER = ("origin", "dimension_of", "number")  # possibly absent from a ledger until the next entry
RUN = 12  # digits of a run's number in names of tables


@dataclass(frozen=True)
class Entry:
    """The ledger's entry on a table: a release with its origin and k, or a dimension table of the release ``of``.

    Origin and release are empty in an older ledger without them; k is None without released rows.
    """

    run: str
    is_release: bool
    origin: str
    of: str
    k: int | None = None


class Ledger:
    """The ledger of a schema, read and written in the run's own transaction if the database has transactions.

    Entries have numbers, as the clock may be changed.
    """

    def __init__(self, database: Tables, schema: str) -> None:
        self.database = database
        self.schema = schema
        self.name = database.table(schema, LEDGER)
        self._names: list[str] = []

    def open(self, *, there: bool, strange: bool) -> None:
        """Read the ledger's columns, if it exists. Raises :class:`OutputError` for another object with its name."""
        self._names = []
        if there:
            self._names = [
                column.name for column in self.database.describe(Statement("store/relation", relation=self.name))
            ]
        if strange or (there and set(_COLUMNS) - set(_LATER) - set(self._names)):
            raise OutputError(
                f"{LEDGER} in {self.schema} of {self.database.name} is not the ledger of starcloak: rename it, or "
                "release into another schema"
            )

    def entries(self, release: str) -> list[Entry]:
        """Entries on a table's name, the last entry first."""
        if not self._names:
            return []
        rows = self.database.run(Statement("store/ledger#known", ledger=self.name), {"release": release})
        entries = [dict(zip(self._names, row, strict=True)) for row in rows]
        entries.sort(key=lambda row: (_number(row.get("number")), str(row["released_at"])), reverse=True)
        return [
            Entry(
                str(row["run"])[:RUN],
                row["source"] is not None,
                _text(row, "origin"),
                _text(row, "dimension_of"),
                row["k"],
            )
            for row in entries
        ]

    def enter(self, entry: Mapping[str, Any], dimensions: Iterable[str]) -> None:
        """Write the entries of a release and of its dimension tables; warn of earlier releases of its source."""
        self._make()
        elsewhere, unknown = self._of_other_schemas(entry)
        names = Joined(tuple(map(Name, _COLUMNS)), ", ")
        values = Joined(tuple(Bind(name) for name in _COLUMNS if name != "number"), ", ")
        holes: dict[str, Hole] = {"ledger": self.name, "columns": names, "values": values}
        shown_fields = {name: entry[name] for name in ("run", "released_at", "job", "starcloak")}
        kept = [{**shown_fields, "release": name, "dimension_of": entry["release"]} for name in dimensions]
        for row in (entry, *kept):
            binds = {name: row.get(name) for name in _COLUMNS if name != "number"}
            self.database.perform(Statement("store/ledger#entry", **holes), binds)
        entry_binds = {name: entry[name] for name in ("run", "source", "origin", "release", "job")}
        entered, further = self.database.row(Statement("store/ledger#entered", ledger=self.name), entry_binds)
        if entered != 1 + len(kept):
            raise OutputError(
                f"{LEDGER} in {self.schema} of {self.database.name} does not keep its entries: look for triggers, "
                "rules and policies on it"
            )
        self._warn(entry, max(further, elsewhere), unknown)

    def forget(self, run: str) -> None:
        """Remove the entries of a run without a published release."""
        if not self._names:
            return
        self.database.forget(self.name, run[:RUN])

    @property
    def shape(self) -> Joined:
        """The columns of a new ledger."""
        return columns(self._columns(_COLUMNS))

    def _columns(self, names: Iterable[str]) -> Iterator[Statement]:
        for name in names:
            yield Statement("store/column", column=Name(name), type=self.database.type(_COLUMNS[name]))

    def _make(self) -> None:
        missing = [name for name in _COLUMNS if name not in self._names]
        if not self._names:
            self.database.perform(Statement("store/ledger", ledger=self.name, columns=self.shape))
        else:
            for column in self._columns(missing):
                self.database.perform(Statement("store/ledger#column", ledger=self.name, column=column))
        self._names = [*self._names, *missing]

    def _of_other_schemas(self, entry: Mapping[str, Any]) -> tuple[int, list[str]]:
        """Number of releases of a source in other schemas, and the schemas with an unreadable ledger."""
        counts = {
            schema: self._elsewhere(self.database.table(schema, LEDGER), entry) if readable else None
            for schema, readable in self.database.ledgers(self.schema, LEDGER)
        }
        return sum(count or 0 for count in counts.values()), [
            schema for schema, count in counts.items() if count is None
        ]

    def _warn(self, entry: Mapping[str, Any], further: int, unknown: Sequence[str]) -> None:
        if further:
            self.database.warnings.append(
                f"{entry['source']} was released before, by another job or to another table: whoever has both "
                "releases may tell more from them than from either"
            )
        if unknown:
            self.database.warnings.append(
                f"whether {entry['source']} was released before is not known for the schemas {', '.join(unknown)}, "
                f"whose {LEDGER} may not be read or is of an older starcloak"
            )

    def _elsewhere(self, ledger: Name, entry_binds: Mapping[str, Any]) -> int | None:
        """Number of releases of a source in another schema; None for an unreadable ledger."""
        binds = {name: entry_binds[name] for name in ("source", "origin")}
        try:
            (releases,) = self.database.row(Statement("store/ledger#elsewhere", ledger=ledger), binds)
        except StatementError:
            return None
        return int(releases)


def unpublished_runs(tables: Sequence[str], prefix: str, mark: str) -> set[str]:
    """The runs with staged tables among ``tables``: names with a prefix, the run and a mark, in this order."""
    return {rest[:RUN] for rest in (table[len(prefix) :] for table in tables) if rest[RUN:].startswith(mark)}


def _number(value: object) -> int:
    """The number of an entry; 0 for entries of older ledgers."""
    return value if isinstance(value, int) else 0


def _text(row: Mapping[str, Any], name: str) -> str:
    return "" if row.get(name) is None else str(row[name])
