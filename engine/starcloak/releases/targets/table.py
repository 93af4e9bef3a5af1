"""Base of all targets that are tables of a database, with a ledger and optional dimension tables.

The ledger is a table in the same schema with an entry per release.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from starcloak.base.errors import InputError, OutputError, StatementError
from starcloak.job import Place
from starcloak.releases.targets.target import Target
from starcloak.statements.statement import Name
from starcloak.store.databases.ledger import LEDGER, RUN, Entry, Ledger
from starcloak.store.databases.tables import Tables
from starcloak.store.databases.url import Url
from starcloak.store.session import Session
from starcloak.store.source import Source

OWN = "starcloak_"  # prefix of starcloak's own names


class TableTarget(Target):
    """A table of a database of any kind.

    The ledger lists releases and their dimension tables; only listed tables may be replaced by a later release. A
    dimension table has the name of the release and of its attribute.
    """

    keeps_dimensions = True
    database: Tables
    before: Entry | None = None
    _entered: tuple[str, ...] = ()

    def __init__(self, url: Url, table: str) -> None:
        self.url = url
        self.given = table
        self.dimensions: dict[str, tuple[Name, bool]] = {}
        self.dimension_columns: dict[str, str] = {}

    @property
    def place(self) -> str:
        return f"{self.identity} {self.given}"

    @property
    def against(self) -> str:
        # The text of a URL's parts has no password.
        return f"{{table: {json.dumps(self.given, ensure_ascii=False)}, url: {json.dumps(str(self.url.parts))}}}"

    def may_be(self, place: Place | None, *, dimension: str | None = None) -> bool:
        if place is None or place.table is None or place.url is None:
            return False
        here = self.url.kind
        if here is not place.url.kind or _database(self.url) != _database(place.url):
            return False
        *schema, name = self.given.split(".")
        own = [*schema, name if dimension is None else dimension_of(name, dimension)]
        # A schema that is left out on one side may be that of the other.
        parts = zip(reversed(here.parts(place.table)), reversed(here.parts(".".join(own))), strict=False)
        return all(first == second for first, second in parts)

    def origin_before(self, session: Session) -> str | None:
        return None if self.before is None else self.before.origin

    def run_before(self) -> str | None:
        return None if self.before is None else self.before.run

    def runs_known(self) -> tuple[str, ...]:
        return self._entered

    @abstractmethod
    def digests(self, session: Session, opened: Source) -> Iterator[str | None]:
        """Digests of the published table as it stands, ``opened`` as a source: one for each way to publish it."""

    def _settle(self) -> None:
        """Set ``schema``, ``table`` and ``ledger``. Raises :class:`OutputError` for a name that cannot be used."""
        schema, _, self.name = self.given.rpartition(".")
        self.schema = schema or self.database.current_schema()
        self.table = self.database.table(self.schema, self.name)
        self.ledger = Ledger(self.database, self.schema)
        self._refuse_name(self.name)

    def _refuse_name(self, name: str) -> None:
        if self.schema in self.database.system:
            raise OutputError(f"{self.schema} is a system schema of {self.database.names[0]}: give another schema")
        if name.lower().startswith(OWN):
            raise OutputError(
                f"{name!r} begins with {OWN}, which is reserved for starcloak's own tables: choose another name"
            )
        if (problem := self.database.name_problem(name)) is not None:
            raise OutputError(
                f"{self.database.name} does not allow the table name {name!r}, {problem}: choose another name"
            )

    def _release_before(self) -> Entry | None:
        """The ledger's entry of the release that the new one replaces; None if there is no release.

        Raises :class:`OutputError` if there is any other table of this name.
        """
        there, (*entries, _) = self._stands(self.name)
        self._entered = tuple(entry.run for entry in entries if entry is not None)
        entry = entries[0] if entries else None
        if not there or entry is None:
            return None
        if not entry.is_release:
            raise OutputError(
                f"{self.name} in {self.database.name} is a dimension table of a release: choose another name"
            )
        return entry

    def _stands(self, name: str) -> tuple[bool, list[Entry | None]]:
        """True if a table of this name exists, and the ledger's entries of the name, the last one first, then a None.

        Raises :class:`OutputError` for a table that no run made, or if the schema does not exist.
        """
        schemas, tables, other_tables, ledgers, strange = self.database.what_stands(self.schema, name, LEDGER)
        if not schemas:
            raise OutputError(f"{self.database.name} has no schema {self.schema!r}: create it, or give another schema")
        self.ledger.open(there=bool(ledgers), strange=bool(strange))
        entries = [entry for entry in self.ledger.entries(name) if entry.run not in self._unpublished_runs()]
        entries = entries or self._entries_otherwise(name)
        if tables and not self._is_own(name):
            entries = []
        if other_tables or (tables and not entries):
            label = f"{name} in {self.database.name}"
            raise OutputError(f"{label} is there already and is not a release of starcloak: choose another name")
        if tables:
            self._refuse_other_columns(name, entries)
        return bool(tables), [*entries, None]

    def _unpublished_runs(self) -> set[str]:
        """Runs with entries in the ledger that published nothing, because they were killed.

        The set is empty if entries are written in the same transaction as the release.
        """
        return set()

    def _is_own(self, name: str) -> bool:
        """True if the existing table of this name can be the one listed in the ledger."""
        return True

    def _refuse_other_columns(self, name: str, entries: Sequence[Entry]) -> None:
        """Raise :class:`OutputError` if the existing table of this name has other columns than every listed one."""
        return None

    def _entries_otherwise(self, name: str) -> list[Entry]:
        """Entries, from another source than the ledger, for a table that is not listed there."""
        return []

    def _refuse_dimensions(self, attributes: Sequence[str]) -> None:
        """Raise :class:`OutputError` if the name of a dimension table is not allowed, or taken by another table."""
        for attribute in attributes:
            self._dimension_before(self._dimension(attribute))

    def _dimension(self, attribute: str) -> str:
        """The name of an attribute's dimension table. Raises :class:`OutputError` for a name that is not allowed."""
        name = dimension_of(self.name, attribute)
        if (problem := self.database.name_problem(name)) is not None:
            raise OutputError(f"the name {name!r} of a dimension table is {problem}: leave keep_dimensions out")
        return name

    def _dimension_before(self, name: str) -> bool:
        """True if an older dimension table of this release exists under the name.

        Raises :class:`OutputError` if there is a table that no run made or a dimension table of another release. Also
        if a release ever had the name: grants on this name would let the release's readers read the values of the
        source in a dimension table.
        """
        replaces, (*entries, _) = self._stands(name)
        if any(entry is not None and entry.is_release for entry in entries):
            raise OutputError(
                f"a dimension table would replace {name} in {self.database.name}, which is a release with readers: "
                "leave keep_dimensions out, or choose another name for this release"
            )
        if replaces and entries[0] is not None and self.database.fold(entries[0].of) != self.database.fold(self.name):
            raise OutputError(
                f"a dimension table would replace {name} in {self.database.name}, a dimension table of another "
                "release: choose another name for this release, or leave keep_dimensions out"
            )
        return replaces

    @contextmanager
    def _publishing(self, run: str) -> Iterator[None]:
        """Context of the last step of a publication, with ``may_be_out`` set to True.

        This step may succeed although it raises an error, such as a lost connection. After an error, the database is
        asked if the release was published; ``may_be_out`` is set to the answer, if there is one.
        """
        self.may_be_out = True
        try:
            yield
        except (InputError, StatementError):
            with suppress(InputError, StatementError):  # without an answer it stays in doubt
                self.may_be_out = self._was_done(run)
            raise

    def _was_done(self, run: str) -> bool:
        """True if the ledger has an entry of the run, after the last step of its publication raised an error."""
        with suppress(StatementError):  # the database has done it
            self._roll_back()
        self._release_before()
        return run[:RUN] in self._entered

    def _roll_back(self) -> None:
        """Undo the run's unpublished changes in the database."""
        return None

    def _enter(self, summary: dict[str, Any]) -> None:
        """Write entries for the release and its dimension tables to the ledger; ``summary`` is the release's entry."""
        dimensions = {name: self.dimension_columns.get(name) for name in self.dimensions}
        self.ledger.enter({**summary, "release": self.name, "released_rows": summary["rows"]}, dimensions)


def dimension_of(release: str, attribute: str) -> str:
    """The name of an attribute's dimension table kept with a release."""
    return f"{release}_dim_{attribute}"


def _database(url: Url) -> object:
    """The file or the name of a database, for comparison; without its server, because servers have several names."""
    file = url.file
    return url.parts.database if file is None else file.resolve()
