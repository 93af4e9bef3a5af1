"""A release in a database: a table beside its source, or of rows from elsewhere."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from starcloak import fingerprint, verify
from starcloak.database.connection import Database, received
from starcloak.database.source import connect
from starcloak.errors import InputError, OutputError, StatementError
from starcloak.host import Host
from starcloak.recoding import Table
from starcloak.release import Target
from starcloak.session import Session
from starcloak.source import Source, parsed
from starcloak.statement import As, Bind, Hole, Joined, Name, Statement, Type, columns

if TYPE_CHECKING:
    import pyarrow

LEDGER = "starcloak_releases"
_LEDGER = {
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
}


# Types whose values any database holds.
_SENT = (
    "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER",
    "VARCHAR", "DOUBLE", "BOOLEAN", "DATE", "TIMESTAMP",
)  # fmt: skip
_RELEASE, _READ_BACK = Name("release"), Name("read_back")
_LONGEST = 63  # bytes of a name


def target(url: str, table: str, *, at_source: bool) -> DatabaseTable:
    """The place of a release in the database of a URL, which may be that of the source."""
    swaps = parsed(url).get_backend_name() in ("mariadb", "mysql")
    return (SwappedTable if swaps else DatabaseTable)(url, table, at_source=at_source)


class DatabaseTable(Target):
    """A table of a database, in one transaction with all that leads to it: made there of the source's rows or, where
    the source is elsewhere, of rows that the working store sends to the staging area.

    A ledger beside it tells which tables are releases, whose rows are replaced by the next one. Where the columns stay,
    so does the table, with its grants and with what depends on it.
    """

    database: Database

    def __init__(self, url: str, table: str, *, at_source: bool) -> None:
        parts = parsed(url)
        self.at_source = at_source
        self.url = url
        self.given = table
        self.label = f"{table} in {parts.database or parts.get_backend_name()}"
        self.identity = f"{parts} {table}"  # whose text has no password

    def may_hold(self, url: str | None) -> bool:
        """Whether the database may be that of a URL."""
        here = parsed(self.url)
        there = parsed(url or self.url)
        return (here.get_backend_name(), here.database) == (there.get_backend_name(), there.database)

    def is_written_by(self, host: Host) -> bool:
        return self.at_source

    def prepare(self, session: Session) -> None:
        if not self.at_source:
            self.database = connect(self.url, session)
            self.warnings = self.database.warnings

    def accept(self, opened: Source) -> None:
        self.opened = opened
        if isinstance(opened.host, Database) and self.at_source:
            self.database = opened.host
        for column in opened.released:
            if not self.at_source and not (column.type in _SENT or column.type.startswith("DECIMAL")):
                raise OutputError(
                    f"column {column.name!r} is of type {column.kind}, which does not go to {self.database.name} as it "
                    "is: cast it in a query"
                )
        schema, _, name = self.given.rpartition(".")
        self.database.schema = self.schema = schema or self.database.current_schema()
        self.name = name
        self.table = self.staged = Name(self.schema, name)
        self.ledger = Name(self.schema, LEDGER)
        if not self.database.lock(f"{self.schema}.{name}"):
            raise OutputError(f"another run is writing {self.label}: wait until it is done")
        self.database.begin()
        self.replaces, self.has_ledger = self._refuse_other(name)
        self.dimensions: dict[str, tuple[Name, bool]] = {}

    def _refuse_other(self, name: str) -> tuple[bool, bool]:
        """Whether a table of that name is there, and a ledger; it is refused unless it is of starcloak's own."""
        schemas, tables, others, ledgers = self.database.row(
            Statement("release/existing"), {"schema": self.schema, "table": name, "ledger": LEDGER}
        )
        if not schemas:
            raise OutputError(f"{self.database.name} has no schema {self.schema!r}: create it, or name another")
        known = 0
        if ledgers:
            (known,) = self.database.row(Statement("database/known", {"ledger": self.ledger}), {"release": name})
        if others or (tables and not known):
            label = f"{name} in {self.database.name}"
            raise OutputError(f"{label} is there already and is not a release of starcloak: choose another name")
        return bool(tables), bool(ledgers)

    def keep(self, dimensions: Mapping[str, Table]) -> None:
        """Have dimension tables published with the release, named after it and their attributes.

        The ledger has them with no source, so that the next run may replace them. Raises :class:`OutputError` for a
        name that is too long, or that something else has.
        """
        there = self.database.carry(list(dimensions.values()))
        for attribute, table in dimensions.items():
            name = f"{self.name}_dim_{attribute}"
            if len(name.encode()) > _LONGEST:
                raise OutputError(f"{name!r} is too long for the name of a table: leave keep_dimensions out")
            replaces, _ = self._refuse_other(name)
            self.dimensions[name] = (there[table.name], replaces)

    def stage(self, session: Session, release: Statement) -> None:
        if not self.at_source:
            self.columns = session.describe(release)
            release = self._sent(release)
        self._stage(release)

    def read_back(self, session: Session) -> Statement:
        rows = Statement("source/relation", {"relation": self.staged})
        if self.at_source:
            return rows
        described = self.database.describe(rows)
        if [column.name for column in described] != [column.name for column in self.columns]:
            raise OutputError(f"{self.label} would have other columns than the release: shorten their names")
        self.database.gather(_READ_BACK, rows, described)
        return received(_READ_BACK, self.columns)

    def digest(self, session: Session, *, staged: bool) -> str | None:
        if not (staged or self.replaces):
            return None
        told = verify.STAGED if self.at_source else _READ_BACK
        if not staged:
            rows = Statement("source/relation", {"relation": self.table})
            described = self.database.describe(rows)
            if not self.at_source:
                self.database.gather(told, rows, described)
            elif [column.name for column in described] == [column.name for column in self.opened.released]:
                verify.gather(rows, self.opened, described)
            else:
                return None
        return fingerprint.relation(session, Statement("source/relation", {"relation": told}))

    def _sent(self, release: Statement) -> Statement:
        """The release in the staging area. What is no number or text goes as one."""
        shape = [(column.name, Type("BIGINT" if column.is_whole else column.type)) for column in self.columns]
        cells = columns(
            As(Statement("source/text", {"column": Name(column.name)}), Name(column.name))
            if column.type.startswith(("DATE", "TIMESTAMP", "DECIMAL"))
            else Name(column.name)
            for column in self.columns
        )
        rows = Statement("source/source", {"columns": cells, "origin": release})
        there = self.database.carry([Table(_RELEASE, tuple(shape), rows)])
        return Statement("source/relation", {"relation": there[_RELEASE]})

    def _stage(self, release: Statement) -> None:
        old = Statement("source/relation", {"relation": self.table})
        if self.replaces and self.database.same_columns(old, release):
            self.database.perform(Statement("database/empty", {"table": self.table}))
            self.database.perform(Statement("database/insert", {"table": self.table, "release": release}))
            return
        rights = self.database.rights(self.schema, self.name)
        if self.replaces:
            self.database.perform(Statement("database/drop", {"table": self.table}))
        self.database.perform(Statement("release/publish_table", {"table": self.table, "rows": release}))
        if self.replaces and self.database.rights(self.schema, self.name) != rights:
            self.database.warnings.append(
                f"the columns of {self.label} are not those of the release before: it is a new table, without the "
                "grants and policies of the old one: give them again"
            )

    def publish(self, session: Session, summary: dict[str, Any]) -> None:
        self._enter(summary)
        self._publish_dimensions()
        self.database.drop_carried()
        self.database.commit()

    def _publish_dimensions(self) -> None:
        for name, (staged, replaces) in self.dimensions.items():
            table = Name(self.schema, name)
            if replaces:
                self.database.perform(Statement("database/drop", {"table": table}))
            rows = Statement("source/relation", {"relation": staged})
            self.database.perform(Statement("release/publish_table", {"table": table, "rows": rows}))

    def _enter(self, summary: dict[str, Any]) -> None:
        """Write the ledger."""
        entry = {**summary, "release": self.name, "released_rows": summary["rows"]}
        if self.has_ledger:
            known = {name: entry[name] for name in ("source", "release", "job")}
            (others,) = self.database.row(Statement("database/others", {"ledger": self.ledger}), known)
            if others:
                self.database.warnings.append(
                    f"{entry['source']} was released before, by another job or to another table: whoever has both "
                    "releases may tell more from them than from either"
                )
        if not self.has_ledger:
            shape = columns(
                Statement("release/column", {"column": Name(name), "type": self.database.type(kind)})
                for name, kind in _LEDGER.items()
            )
            self.database.perform(Statement("database/ledger", {"ledger": self.ledger, "columns": shape}))
        names = Joined(tuple(map(Name, _LEDGER)), ", ")
        values = Joined(tuple(map(Bind, _LEDGER)), ", ")
        holes: dict[str, Hole] = {"ledger": self.ledger, "columns": names, "values": values}
        told = ("run", "released_at", "job", "starcloak")
        kept = ({"release": dimension, **{name: entry[name] for name in told}} for dimension in self.dimensions)
        for each in (entry, *kept):
            self.database.perform(Statement("database/entry", holes), {name: each.get(name) for name in _LEDGER})

    def discard(self, session: Session) -> None:
        self.database.close()

    def script(self, release: Statement) -> list[Statement]:
        return [Statement("release/publish_table", {"table": self.table, "rows": release})]

    def content(self) -> pyarrow.Table:
        with Session() as session:
            database = connect(self.url, session)
            here = Name("release")
            rows = Statement("source/relation", {"relation": self.table})
            database.gather(here, rows, database.describe(rows))
            return session.arrow(Statement("source/relation", {"relation": here}))


class SwappedTable(DatabaseTable):
    """A table of a database whose transactions hold no tables to be made: staged beside the old one, then renamed.

    What a killed run leaves is removed by the next one.
    """

    def accept(self, opened: Source) -> None:
        super().accept(opened)
        number = hashlib.sha256(self.name.encode()).hexdigest()[:12]
        self.staged, self.old = (Name(self.schema, f"starcloak_{kind}_{number}") for kind in ("staged", "old"))

    def _stage(self, release: Statement) -> None:
        self.sweep()
        self.database.perform(Statement("release/publish_table", {"table": self.staged, "rows": release}))

    def publish(self, session: Session, summary: dict[str, Any]) -> None:
        self.replaces, self.has_ledger = self._refuse_other(self.name)
        # The ledger knows the new release before it is there, so that a kill between leaves either one known.
        self._enter(summary)
        self._publish_dimensions()
        self.database.drop_carried()
        holes: dict[str, Hole] = {"staged": self.staged, "table": self.table}
        if not self.replaces:
            self.database.perform(Statement("database/rename", holes))
            return
        self.database.perform(Statement("database/swap", {**holes, "old": self.old}))
        self.database.perform(Statement("database/drop", {"table": self.old}))

    def discard(self, session: Session) -> None:
        with suppress(InputError, StatementError):
            self.database.perform(Statement("database/drop", {"table": self.staged}))
        super().discard(session)

    def sweep(self) -> None:
        for name in (self.staged, self.old):
            self.database.perform(Statement("database/drop", {"table": name}))

    def script(self, release: Statement) -> list[Statement]:
        if not self.at_source:
            return super().script(release)
        return [Statement("release/publish_staged", {"table": self.table, "staged": self.staged, "rows": release})]
