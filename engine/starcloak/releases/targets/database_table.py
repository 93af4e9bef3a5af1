"""Target: a table of a database with transactions, for a source in the same database or elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

from starcloak.base.errors import OutputError, StatementError
from starcloak.releases.targets.data_frame import arrow_rows
from starcloak.releases.targets.table import TableTarget
from starcloak.star import fingerprint
from starcloak.statements.statement import As, Hole, Joined, Literal, Name, Number, Statement, Type, columns, conditions
from starcloak.store.databases.database import NUMBERS, Database, Lost, rows_received
from starcloak.store.databases.host import Host
from starcloak.store.databases.ledger import Entry, listed
from starcloak.store.databases.url import Url
from starcloak.store.session import Session
from starcloak.store.source import Source
from starcloak.store.staging import Written
from starcloak.store.tables import Table as Needed
from starcloak.verify import classes

# Types with values that any database keeps.
_SENT = (
    "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER",
    "VARCHAR", "DOUBLE", "BOOLEAN", "DATE", "TIMESTAMP",
)  # fmt: skip
_RELEASE, _READ_BACK = Name("release"), Name("read_back")


class DatabaseTable(TableTarget):
    """A table of a database, published in one transaction with its dimension tables and its ledger.

    If the source is in the same database (``at_source``), the database makes the release from the source's rows.
    Otherwise the working store sends the recoded rows to temporary tables there. If the columns are those of the old
    release, its table is emptied and filled again, so grants and dependent objects stay. Otherwise a new table is made
    under a temporary name and renamed.
    """

    database: Database

    def __init__(self, url: Url, table: str, *, at_source: bool) -> None:
        super().__init__(url, table)
        self.at_source = at_source
        self.label = f"{table} in {url.parts.database or url.parts.get_backend_name()}"
        self.identity = f"{url.parts} {table}"  # whose text has no password
        self.lasts = not url.in_memory
        if (file := url.file) is not None:
            self.written = (Written(file, "the release", "output.url", may_be_source=True),)

    def is_written_by(self, host: Host) -> bool:
        return self.at_source

    def prepare(self, session: Session, host: Host, dimensions: Sequence[str] = ()) -> None:
        if self.at_source:
            assert isinstance(host, Database)
            self.database = host
        else:
            self.database = self.url.connect(session)
            self.warnings = self.database.warnings
        if self.database.loan is not None and self.database.loan.within:
            raise self.database.unpublishable(self.label)
        with self._writing():
            self._settle()
            self.database.schema = self.schema
            self.staged = self.database.staged_name(0)
            if not self.database.lock(self.lock_key):
                raise OutputError(f"another run is writing {self.label}: wait until it is done")
            self.before = self._release_before()
            if not self.database.may_create(self.schema):
                raise OutputError(
                    f"the user of {self.database.name} may not create a table in {self.schema}: grant this user "
                    f"{self.database.writes}"
                )
            self._refuse_dimensions(dimensions)

    @property
    def lock_key(self) -> str:
        """Key of the lock of the place in the database, for runs and scripts."""
        return f"{self.schema}.{self.name}".lower()

    def _refuse_other_columns(self, name: str, entries: Sequence[Entry]) -> None:
        """Refuse a table with other columns than every listed one.

        Another program may have made it after a release or a dimension table was dropped.
        """
        table = self.database.table(self.schema, name)
        described = self.database.describe(Statement("store/relation", relation=table))
        fold = self.database.fold
        if fold(listed(column.name for column in described)) not in {fold(entry.columns) for entry in entries}:
            raise OutputError(
                f"{name} in {self.database.name} has other columns than the releases and dimension tables that were "
                "published under this name, so it may be the table of another program: rename or drop it, or choose "
                "another name"
            )

    def accept(self, opened: Source) -> None:
        self.opened = opened
        for column in opened.released:
            if not self.at_source and not (column.type in _SENT or column.type.startswith("DECIMAL")):
                raise OutputError(
                    f"{self.database.name} cannot store column {column.name!r} of type {column.kind} unchanged: cast "
                    f"the column in {opened.mended_in}"
                )
        with self._writing():
            self._refuse_numbers(opened)
            self.database.begin(None if self.before is None else self.table)

    def _refuse_numbers(self, opened: Source) -> None:
        """Raise an error for numbers in unchanged columns that the database cannot store, such as NaN."""
        if self.at_source or not set(NUMBERS) & set(self.database.lacks):
            return
        for column in opened.kept:
            if column.is_float:
                counted = zip(
                    NUMBERS,
                    opened.host.row(Statement("store/unusable", column=Name(column.name), source=opened.relation)),
                    strict=True,
                )
                for value in (value for value, count in counted if count and value in self.database.lacks):
                    raise self.database.refusal(column.name, value)

    def keep(self, dimensions: Mapping[str, Needed]) -> None:
        there = self.database.carry(list(dimensions.values()))
        for attribute, table in dimensions.items():
            name = self._dimension(attribute)
            self.dimensions[name] = (there[table.name], self._dimension_before(name))
            self.dimension_columns[name] = listed(column for column, _ in table.columns)

    def stage(self, session: Session, release: Statement) -> None:
        if not self.at_source:
            self.columns = session.describe(release)
            release = self.sent = self._send(release)
        self.database.hurry()
        self._stage(release)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Context that converts a failed statement into :class:`OutputError` with a remedy."""
        try:
            yield
        except StatementError as error:
            raise OutputError(
                f"{self.label} cannot be written: {self.database.name} refused {error.statement} ({error.kind}): "
                "check the rights of the user there, and the table's name"
            ) from None

    def read_back(self, session: Session) -> Statement:
        rows = Statement("store/relation", relation=self.staged)
        if self.at_source:
            return rows
        described = self.database.describe(rows)
        if [column.name for column in described] != [column.name for column in self.columns]:
            raise OutputError(
                f"{self.label} would change the names of the columns, as some are too long: shorten the names"
            )
        self.database.gather(_READ_BACK, rows, described)
        self.read = described
        return rows_received(_READ_BACK, self.columns)

    def is_as_sent(self, session: Session) -> bool:
        """True if the rows read back are identical to the sent rows, also where types treat different values as equal.

        The columns of the release must have the same types as the temporary table of sent rows. If a column has another
        type than in the working store, its cells must stay the same when they are cast to that type and back.
        """
        if self.at_source:
            return True
        if self.read != self.database.describe(self.sent):
            return False
        same = conditions(
            Statement(
                "releases/targets/altered#same",
                cell=Name(column.name),
                type=Type(column.type),
                read=Type(there.type if there.is_groupable else "VARCHAR"),
            )
            for column, there in zip(self.columns, self.read, strict=True)
            if column.type != there.type
        )
        if not same.pieces:
            return True
        (altered,) = session.row(Statement("releases/targets/altered", same=same, rows=_READ_BACK))
        return not altered

    def digest(self, session: Session, *, staged: bool) -> str | None:
        if staged:
            return self._fingerprint(session, self.staged)
        return None if self.before is None else self._digest_of_table(session)

    def digests(self, session: Session, opened: Source) -> Iterator[str | None]:
        assert isinstance(opened.host, Database)
        self.database, self.opened = opened.host, opened
        self._settle()
        for self.at_source in (True, False):
            yield self._digest_of_table(session)

    def _digest_of_table(self, session: Session) -> str | None:
        """Digest of the rows of the published table; None if its columns are not those of the release."""
        rows = Statement("store/relation", relation=self.table)
        described = self.database.describe(rows)
        if not self.at_source:
            self.database.gather(_READ_BACK, rows, described)
        elif [column.name for column in described] == [column.name for column in self.opened.released]:
            classes.gather(rows, self.opened, described)
        else:
            return None
        return self._fingerprint(session, self.table)

    def _fingerprint(self, session: Session, table: Name) -> str:
        """Digest of the rows gathered last; ``table`` is their table, used for its column types."""
        there = Statement("store/relation", relation=_READ_BACK)
        digest = fingerprint.rows_of(session, classes.last_gathered(self.opened) if self.at_source else there)
        if self.database.typed_cells:
            return digest
        # The fetched rows lack the types of the columns there: kept cells are a sum.
        return fingerprint.columns(digest, self.database.describe(Statement("store/relation", relation=table)))

    def _send(self, release: Statement) -> Statement:
        """Send the rows of a release to a temporary table of the database; returns the statement that reads them there.

        Dates, times and decimals are sent as texts.
        """
        shape = [(column.name, Type("BIGINT" if column.is_whole else column.type)) for column in self.columns]
        cells = columns(
            As(Statement("store/text", column=Name(column.name)), Name(column.name))
            if column.type.startswith(("DATE", "TIMESTAMP", "DECIMAL"))
            else Name(column.name)
            for column in self.columns
        )
        rows = Statement("store/source", columns=cells, origin=release)
        there = self.database.carry([Needed(_RELEASE, tuple(shape), rows)])
        return Statement("store/relation", relation=there[_RELEASE])

    def _stage(self, release: Statement) -> None:
        # Whether the old release's table takes the new rows.
        self.stays = self.before is not None and self.database.fits(self.schema, self.name, release)
        if self.stays:
            self.staged = self.table
            self.database.perform(Statement("store/table#empty", table=self.table))
            self.database.perform(Statement("store/table#insert", table=self.table, release=release))
        else:
            self.database.perform(Statement("releases/script#publish", table=self.staged, rows=release))

    def publish(self, session: Session, summary: dict[str, Any]) -> None:
        with self._writing():
            self._enter(summary)
            self._publish_dimensions()
            self._publish_release()
            self.database.drop_carried()
            with self._publishing(summary["run"]):
                self.database.commit()

    @contextmanager
    def _publishing(self, run: str) -> Iterator[None]:
        try:
            with super()._publishing(run):
                yield
        except Lost as error:
            if not self.may_be_out:
                raise
            raise Lost(f"{self.label} may be published already: {error}") from None

    def _enter(self, summary: dict[str, Any]) -> None:
        super()._enter({**summary, "column_names": self._listed})

    @property
    def _listed(self) -> str:
        """The columns of the release as the ledger lists them."""
        return listed(column.name for column in self.opened.released)

    def _roll_back(self) -> None:
        self.database.command("rollback")

    def _publish_release(self) -> None:
        if self.stays:
            return
        with self._warning_of_rights(self.name, self.label, "has other columns than the previous release, so it is"):
            if self.before is not None:
                self.database.perform(Statement("store/table#drop", table=self.table))
            self.database.perform(Statement("store/table#rename", staged=self.staged, name=Name(self.name)))

    def _publish_dimensions(self) -> None:
        for name, (staged, replaces) in self.dimensions.items():
            table = self.database.table(self.schema, name)
            rows = Statement("store/relation", relation=staged)
            with self._warning_of_rights(name, name, "is a dimension table, so each run makes"):
                if replaces:
                    self.database.perform(Statement("store/table#drop", table=table))
                self.database.perform(Statement("releases/script#publish", table=table, rows=rows))

    @contextmanager
    def _warning_of_rights(self, name: str, label: str, why: str) -> Iterator[None]:
        """Context in which a table may be replaced by a new one: warns of lost grants, with the reason ``why``."""
        rights = self.database.rights(self.schema, name)
        yield
        if any(rights) and self.database.rights(self.schema, name) != rights:
            self.database.warnings.append(
                f"{label} {why} a new table without the old grants and policies: grant them again"
            )

    def script(self, release: Statement, *, recounts: int, k: int) -> list[Statement]:
        if not self.at_source:  # no client does both halves
            return [Statement("releases/script#publish", table=self.table, rows=release)]
        return self._replaced_by_script(release, recounts=recounts, k=k)

    def _replaced_by_script(self, release: Statement, *, recounts: int, k: int) -> list[Statement]:
        all_made = Number(recounts + len(self.refusals()) - 1)  # the ledger leaves no row
        rows = Statement("releases/recount#guarded", release=release, recounts=all_made)
        names = Joined(tuple(Name(column.name) for column in self.opened.released), ", ")
        emptied = Statement("releases/replace#emptied", table=self.table)
        written = Statement("releases/replace#written", table=self.table, release=release)
        in_steps = self.database.replaces_in_steps
        return [
            Statement("releases/replace#first", table=self.table, rows=rows),
            Statement("releases/replace#ready", table=self.table, recounts=all_made),
            *([emptied] if in_steps else []),
            Statement("releases/replace", table=self.table, columns=names, rows=rows),
            self._entry_of_script(k, Statement("releases/replace#made", recounts=all_made)),
            *([written] if in_steps else []),
        ]

    def refusals(self) -> list[Statement]:
        if not self.at_source:
            return []
        return [
            Statement("releases/replace#ledger", ledger=self.ledger.name, shape=self.ledger.shape),
            Statement(
                "releases/replace#other",
                ledger=self.ledger.name,
                place=Literal(self.table.sql()),
                name=Literal(self.name),
                origin=Literal(self.origin_told),
                width=Number(len(self.opened.released)),
            ),
        ]

    def _entry_of_script(self, k: int, release: Hole) -> Statement:
        return Statement(
            "releases/replace#entry",
            ledger=self.ledger.name,
            now=Statement("releases/replace#now"),
            name=Literal(self.name),
            named=Literal(self._listed),
            source=Literal(self.opened.label),
            origin=Literal(self.origin_told),
            k=Number(k),
            version=Literal(version("starcloak")),
            made=release,
        )

    def frame(self) -> Any:
        with Session() as session:
            database = self.url.connect(session)
            here = Name("release")
            rows = Statement("store/relation", relation=self.table)
            database.gather(here, rows, database.describe(rows))
            return arrow_rows(session, Statement("store/relation", relation=here))
