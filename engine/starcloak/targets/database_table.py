"""A release in a database: a table beside its source, or of rows from elsewhere."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from starcloak import fingerprint
from starcloak.errors import InputError, OutputError, StatementError
from starcloak.hosts.database import NUMBERS, Database, received
from starcloak.hosts.host import Host
from starcloak.hosts.ledger import LEDGER, RUN, Entry, Ledger, unpublished
from starcloak.hosts.registry import connect
from starcloak.hosts.url import database_file, parsed
from starcloak.recoding import Table
from starcloak.session import Session
from starcloak.source.source import Source
from starcloak.statement import As, Hole, Name, Statement, Type, columns, conditions
from starcloak.targets.data_frame import arrow_rows
from starcloak.targets.footprint import Written
from starcloak.targets.target import Target
from starcloak.verify import classes

if TYPE_CHECKING:
    pass


# Types whose values any database holds.
_SENT = (
    "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER",
    "VARCHAR", "DOUBLE", "BOOLEAN", "DATE", "TIMESTAMP",
)  # fmt: skip
_RELEASE, _READ_BACK = Name("release"), Name("read_back")
_OWN = "starcloak_"  # what names of starcloak's own begin with


def target(url: str, table: str, *, at_source: bool) -> DatabaseTable:
    """The place of a release in the database of a URL, which may be that of the source."""
    swaps = parsed(url).get_backend_name() in ("mariadb", "mysql")
    return (SwappedTable if swaps else DatabaseTable)(url, table, at_source=at_source)


class DatabaseTable(Target):
    """A table of a database, in one transaction with all that leads to it: made there of the source's rows or, where
    the source is elsewhere, of rows that the working store sends to the staging area.

    A ledger beside it tells which tables are releases, whose rows are replaced by the next one, and which are
    dimension tables that go with one. Where the columns stay, so may the table, with its grants and with what depends
    on it; else it is staged under a name of the run's own.
    """

    database: Database

    def __init__(self, url: str, table: str, *, at_source: bool) -> None:
        parts = parsed(url)
        self.at_source = at_source
        self.url = url
        self.given = table
        self.label = f"{table} in {parts.database or parts.get_backend_name()}"
        self.identity = f"{parts} {table}"  # whose text has no password
        if (file := database_file(url)) is not None:
            self.written = (Written(file, "the release", "output.url", may_be_source=True),)

    def may_be(self, url: str | None, table: str, *, dimension: str | None = None) -> bool:
        """Whether a table of the database of a URL may be the release, or the dimension table of an attribute."""
        here, there = parsed(self.url), parsed(url or self.url)
        if (here.get_backend_name(), here.database) != (there.get_backend_name(), there.database):
            return False
        fold = str.lower if here.get_backend_name() == "sqlite" else str
        # A schema that is left out on one side may be that of the other.
        *schema, name = self.given.split(".")
        place = [*schema, name if dimension is None else _dimension(name, dimension)]
        parts = zip(reversed(table.split(".")), reversed(place), strict=False)
        return all(fold(one) == fold(other) for one, other in parts)

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
                    f"is: cast it in {opened.mended_in}"
                )
        with self._writing():
            schema, _, self.name = self.given.rpartition(".")
            self.database.schema = self.schema = schema or self.database.current_schema()
            self.table = Name(self.schema, self.name)
            self.staged = self.database.staged_name(0)
            self.ledger = Ledger(self.database, self.schema)
            self.dimensions: dict[str, tuple[Name, bool]] = {}
            self._refuse_name(self.name)
            self._refuse_numbers(opened)
            if not self.database.lock(f"{self.schema}.{self.name}".lower()):
                raise OutputError(f"another run is writing {self.label}: wait until it is done")
            self.database.begin()
            self.before = self._release_before()
            self.stays = False  # whether the old release's table takes the new rows

    def replaced(self, session: Session) -> str | None:
        return None if self.before is None else self.before.origin

    def _refuse_name(self, name: str) -> None:
        if self.schema in self.database.system:
            raise OutputError(f"{self.schema} is a schema of {self.database.dialect} itself: name another")
        if name.lower().startswith(_OWN):
            raise OutputError(f"{name!r} begins with {_OWN}, as names of starcloak's own do: choose another name")
        if (problem := self.database.misnamed(name)) is not None:
            raise OutputError(f"no table of {self.database.name} can have the name {name!r}, {problem}: choose another")

    def _refuse_numbers(self, opened: Source) -> None:
        """Refuse numbers that would change on the way to a database that does not keep them."""
        if self.at_source or not set(NUMBERS) & set(self.database.lacks):
            return
        for column in opened.kept:
            if column.is_float:
                holes: dict[str, Hole] = {"column": Name(column.name), "source": opened.relation}
                counted = zip(NUMBERS, opened.host.row(Statement("source/unusable", holes)), strict=True)
                for value in (value for value, count in counted if count and value in self.database.lacks):
                    raise self.database.lost(column.name, value)

    def _release_before(self) -> Entry | None:
        """The release that stands where the new one goes. Raises :class:`OutputError` for anything else."""
        there, (entry, *_) = self._stands(self.name)
        if not there or entry is None:
            return None
        if not entry.is_release:
            raise OutputError(
                f"{self.name} in {self.database.name} is a dimension table of a release: choose another name"
            )
        return entry

    def _stands(self, name: str) -> tuple[bool, list[Entry | None]]:
        """Whether a table of that name is there, and what the ledger knows of the name, the last entry first.

        What no run made is refused.
        """
        schemas, tables, others, ledgers, strange = self.database.row(
            Statement("release/existing"), {"schema": self.schema, "table": name, "ledger": LEDGER}
        )
        if not schemas:
            raise OutputError(f"{self.database.name} has no schema {self.schema!r}: create it, or name another")
        self.ledger.open(there=bool(ledgers), strange=bool(strange))
        known = [entry for entry in self.ledger.entries(name) if entry.run not in self._unpublished()]
        if others or (tables and not known):
            label = f"{name} in {self.database.name}"
            raise OutputError(f"{label} is there already and is not a release of starcloak: choose another name")
        return bool(tables), [*known, None]

    def _unpublished(self) -> set[str]:
        """Runs with entries in the ledger that published nothing: none where these are undone with the run."""
        return set()

    def keep(self, dimensions: Mapping[str, Table]) -> None:
        """Have dimension tables published with the release, named after it and their attributes.

        Raises :class:`OutputError` for a name that is too long, that something else has, or that a release ever had:
        whoever may read that, by grants that go by the name, is not to read the source's values.
        """
        there = self.database.carry(list(dimensions.values()))
        for attribute, table in dimensions.items():
            name = _dimension(self.name, attribute)
            if (problem := self.database.misnamed(name)) is not None:
                raise OutputError(f"{name!r} is {problem}: leave keep_dimensions out")
            self.dimensions[name] = (there[table.name], self._dimension_before(name))

    def _dimension_before(self, name: str) -> bool:
        """Whether a dimension table of this release stands there. Raises :class:`OutputError` for anything else."""
        replaces, (*known, _) = self._stands(name)
        if any(entry is not None and entry.is_release for entry in known):
            raise OutputError(
                f"{name} in {self.database.name} is the name of a release, whose readers are not for a dimension "
                "table: leave keep_dimensions out, or choose another name for this release"
            )
        if replaces and known[0] is not None and known[0].of not in ("", self.name):
            raise OutputError(
                f"{name} in {self.database.name} is a dimension table of another release: choose another name for this "
                "one, or leave keep_dimensions out"
            )
        return replaces

    def stage(self, session: Session, release: Statement) -> None:
        self.database.write()
        self.database.hurry()
        if not self.at_source:
            self.columns = session.describe(release)
            release = self.sent = self._sent(release)
        self._stage(release)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """What the database refuses is for the user to mend."""
        try:
            yield
        except StatementError as error:
            raise OutputError(
                f"{self.label} cannot be written: {self.database.name} refused {error.statement} ({error.kind}): check "
                "the rights there and the table's name"
            ) from None

    def read_back(self, session: Session) -> Statement:
        rows = Statement("source/relation", {"relation": self.staged})
        if self.at_source:
            return rows
        described = self.database.describe(rows)
        if [column.name for column in described] != [column.name for column in self.columns]:
            raise OutputError(f"{self.label} would have other columns than the release: shorten their names")
        self.database.gather(_READ_BACK, rows, described)
        self.read = described
        return received(_READ_BACK, self.columns)

    def is_as_sent(self, session: Session) -> bool:
        """Whether what was read back is what was sent, also where the release's types take other cells for equal.

        What was sent is still in the staging area, where its columns have the types that the database has for them.
        """
        if self.at_source:
            return True
        if self.read != self.database.describe(self.sent):
            return False
        same = conditions(
            Statement(
                "verify/altered#same",
                {
                    "cell": Name(column.name),
                    "type": Type(column.type),
                    "read": Type(there.type if there.is_groupable else "VARCHAR"),
                },
            )
            for column, there in zip(self.columns, self.read, strict=True)
            if column.type != there.type
        )
        if not same.pieces:
            return True
        (altered,) = session.row(Statement("verify/altered", {"same": same, "rows": _READ_BACK}))
        return not altered

    def digest(self, session: Session, *, staged: bool) -> str | None:
        if staged:
            return self._told(session, self.staged)
        return None if self.before is None else self._digest_of_table(session)

    def _digest_of_table(self, session: Session) -> str | None:
        """What tells the rows that stand in the place of the release from any other."""
        rows = Statement("source/relation", {"relation": self.table})
        described = self.database.describe(rows)
        if not self.at_source:
            self.database.gather(_READ_BACK, rows, described)
        elif [column.name for column in described] == [column.name for column in self.opened.released]:
            classes.gather(rows, self.opened, described)
        else:
            return None
        return self._told(session, self.table)

    def _told(self, session: Session, table: Name) -> str | None:
        """What tells the rows that were read last, which are those of a table, from any other."""
        there = Statement("source/relation", {"relation": _READ_BACK})
        found = fingerprint.relation(session, classes.gathered(self.opened) if self.at_source else there)
        if found is None or not self.at_source or self.database.typed_cells:
            return found
        # Kept cells came home as a sum, without the types of their columns.
        return fingerprint.columns(found, self.database.describe(Statement("source/relation", {"relation": table})))

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
        self.stays = self.before is not None and self.database.fits(self.schema, self.name, release)
        if self.stays:
            self.staged = self.table
            self.database.perform(Statement("database/empty", {"table": self.table}))
            self.database.perform(Statement("database/insert", {"table": self.table, "release": release}))
        else:
            self.database.perform(Statement("release/publish_table", {"table": self.staged, "rows": release}))

    def publish(self, session: Session, summary: dict[str, Any]) -> None:
        with self._writing():
            self._enter(summary)
            self._publish_dimensions()
            self._publish_release()
            self.database.drop_carried()
            self.database.commit()

    def _publish_release(self) -> None:
        if self.stays:
            return
        rights = self.database.rights(self.schema, self.name)
        if self.before is not None:
            self.database.perform(Statement("database/drop", {"table": self.table}))
        self.database.perform(Statement("database/rename", {"staged": self.staged, "name": Name(self.name)}))
        if self.before is not None and self.database.rights(self.schema, self.name) != rights:
            self.database.warnings.append(
                f"the columns of {self.label} are not those of the release before: it is a new table, without the "
                "grants and policies of the old one: give them again"
            )

    def _publish_dimensions(self) -> None:
        for name, (staged, replaces) in self.dimensions.items():
            table = Name(self.schema, name)
            if replaces:
                self.database.perform(Statement("database/drop", {"table": table}))
            rows = Statement("source/relation", {"relation": staged})
            self.database.perform(Statement("release/publish_table", {"table": table, "rows": rows}))

    def _enter(self, summary: dict[str, Any]) -> None:
        """Write the ledger."""
        self.ledger.enter({**summary, "release": self.name, "released_rows": summary["rows"]}, self.dimensions)

    def discard(self, session: Session) -> None:
        self.database.close()

    def script(self, release: Statement) -> list[Statement]:
        return [Statement("release/publish_table", {"table": self.table, "rows": release})]

    def frame(self) -> Any:
        with Session() as session:
            database = connect(self.url, session)
            here = Name("release")
            rows = Statement("source/relation", {"relation": self.table})
            database.gather(here, rows, database.describe(rows))
            return arrow_rows(session, Statement("source/relation", {"relation": here}))


def _dimension(release: str, attribute: str) -> str:
    """The name of the dimension table of an attribute that is kept with a release."""
    return f"{release}_dim_{attribute}"


class SwappedTable(DatabaseTable):
    """A table of a database whose transactions hold no tables to be made: staged beside the old one, then renamed.

    What is staged has names of the target and of the run's own. Others could write there all the same, so that what
    was renamed is read again, and taken back unless it is what was verified. The ledger knows a release before it is
    there, so that a kill between leaves either one known; what a killed run leaves is removed by the next one.
    """

    _entered = False
    _left: tuple[str, ...] | None = None

    def accept(self, opened: Source) -> None:
        super().accept(opened)
        self.staged = self._own("new")

    def keep(self, dimensions: Mapping[str, Table]) -> None:
        super().keep(dimensions)
        for number, (name, (carried, replaces)) in enumerate(self.dimensions.items(), 1):
            staged = self._own(f"new_{number}")
            rows = Statement("source/relation", {"relation": carried})
            self.database.perform(Statement("release/publish_table", {"table": staged, "rows": rows}))
            self.dimensions[name] = (staged, replaces)

    def _stage(self, release: Statement) -> None:
        self.sweep()
        self.database.perform(Statement("release/publish_table", {"table": self.staged, "rows": release}))

    def publish(self, session: Session, summary: dict[str, Any]) -> None:
        with self._writing():
            self.before = self._release_before()
            for name, (staged, _) in self.dimensions.items():
                self.dimensions[name] = (staged, self._dimension_before(name))
            verified = self.digest(session, staged=True)
            self._entered = True
            self._enter(summary)
            there, back, old = self._renames()
            self._rename(there)
            self._entered = False
            try:
                is_verified = self._digest_of_table(session) == verified
            except BaseException:
                with suppress(InputError, StatementError):
                    self._take_back(back)
                raise
            if not is_verified:
                self._refuse_changed(back)
        for table in old:
            self._drop(table)

    def _renames(self) -> tuple[list[tuple[Name, Name]], list[tuple[Name, Name]], list[Name]]:
        """What is renamed to publish, what to take that back, and the tables that are old then."""
        there: list[tuple[Name, Name]] = []
        places = {self.name: (self.staged, self.before is not None), **self.dimensions}
        old = []
        for number, (name, (staged, replaces)) in enumerate(places.items()):
            table = Name(self.schema, name)
            if replaces:
                old.append(self._own(f"old_{number}"))
                there.append((table, old[-1]))
            there.append((staged, table))
        return there, [(new, former) for former, new in reversed(there)], old

    def _rename(self, renames: list[tuple[Name, Name]]) -> None:
        pieces = (Statement("database/swap#renamed", {"table": table, "name": name}) for table, name in renames)
        self.database.perform(Statement("database/swap", {"renames": columns(pieces)}))

    def _take_back(self, renames: list[tuple[Name, Name]]) -> None:
        self._rename(renames)
        self._entered = True

    def _refuse_changed(self, renames: list[tuple[Name, Name]]) -> None:
        """Take a release back that is not what was verified."""
        changed = f"another session changed {self.label} while it was published"
        try:
            self._take_back(renames)
        except (InputError, StatementError):
            raise OutputError(f"{changed}, and it could not be taken back: drop it") from None
        raise OutputError(
            f"{changed}: it was taken back; see who writes to tables that begin with {_OWN}, then run again"
        )

    def discard(self, session: Session) -> None:
        if self._entered:
            with suppress(InputError, StatementError):
                self.ledger.forget(session.run_id)
        for staged in (self.staged, *(staged for staged, _ in self.dimensions.values())):
            self._drop(staged)
        super().discard(session)

    def sweep(self) -> None:
        left = self._leftovers()
        if not left:
            return
        with self._writing():
            self.database.hurry()
            for run in unpublished(left, self._prefix, "_new"):
                self.ledger.forget(run)
            for table in left:
                self.database.perform(Statement("database/drop", {"table": Name(self.schema, table)}))
        self._left = ()

    @property
    def _prefix(self) -> str:
        """What the names begin with that runs on this target give to what they stage, whatever the name's case."""
        return f"{_OWN}{hashlib.sha256(self.name.lower().encode()).hexdigest()[:12]}_"

    def _own(self, kind: str) -> Name:
        """A name of this run."""
        return Name(self.schema, f"{self._prefix}{self.database.session.run_id[:RUN]}_{kind}")

    def _leftovers(self) -> tuple[str, ...]:
        """The tables that runs on this target left that were killed: none that still runs, as the target is locked."""
        if self._left is None:
            binds = {"schema": self.schema, "prefix": self._prefix}
            self._left = tuple(name for (name,) in self.database.run(Statement("database/leftovers"), binds))
        return self._left

    def _unpublished(self) -> set[str]:
        return unpublished(self._leftovers(), self._prefix, "_new")

    def _drop(self, table: Name) -> None:
        """Drop a table that the next run drops if this one cannot."""
        with suppress(InputError, StatementError):
            self.database.perform(Statement("database/drop", {"table": table}))
