"""Target: a table of a database in which creating a table is not transactional; it is published by renames."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any

from starcloak.base.errors import InputError, OutputError, StatementError
from starcloak.releases.targets.database_table import DatabaseTable
from starcloak.releases.targets.table import OWN
from starcloak.statements.statement import Literal, Name, Number, Statement, columns, lines
from starcloak.store.databases.host import Host
from starcloak.store.databases.ledger import RUN, unpublished_runs
from starcloak.store.session import Session
from starcloak.store.tables import Table as Needed


class SwappedTable(DatabaseTable):
    """A table staged beside the old release, then renamed, for databases in which table creation is not transactional.

    Staged tables have the target and the run in their names. Other sessions could write to them, so the renamed table
    is read again, and the renaming is undone unless its rows are the verified ones. The ledger gets the entry of the
    release before the renaming: if the run is killed in between, either release is still recognized. The next run drops
    the staged tables of a killed run.
    """

    _is_entered = False
    _left: tuple[str, ...] | None = None

    def prepare(self, session: Session, host: Host, dimensions: Sequence[str] = ()) -> None:
        super().prepare(session, host, dimensions)
        self.staged = self._own("new")
        if self.before is not None and (referring := self.database.referring(self.schema, self.name)):
            raise OutputError(
                f"{self.label} cannot be replaced, as a foreign key of {', '.join(referring)} refers to it: drop the "
                "foreign key"
            )

    def keep(self, dimensions: Mapping[str, Needed]) -> None:
        self.sweep()  # while tables with its own names are leftovers of killed runs
        super().keep(dimensions)
        for number, (name, (carried, replaces)) in enumerate(self.dimensions.items()):
            staged = self._own(f"new_{number}")
            rows = Statement("store/relation", relation=carried)
            self.dimensions[name] = (staged, replaces)  # to be dropped, also if the run ends while the table is made
            self.database.perform(Statement("releases/script#publish", table=staged, rows=rows))

    def _stage(self, release: Statement) -> None:
        self.sweep()
        self.database.perform(Statement("releases/script#publish", table=self.staged, rows=release))

    def publish(self, session: Session, summary: dict[str, Any]) -> None:
        with self._writing():
            self.before = self._release_before()
            for name, (staged, _) in self.dimensions.items():
                self.dimensions[name] = (staged, self._dimension_before(name))
            verified = self.digest(session, staged=True)
            self._is_entered = True
            self._enter(summary)
            there, back, old = self._renames()
            try:
                with self._publishing(summary["run"]):
                    self._rename(there)
            finally:
                self._is_entered = not self.may_be_out  # the entry of a release that may be out stays
            try:
                is_verified = self._digest_of_table(session) == verified
            except BaseException:
                with suppress(InputError, StatementError):  # the first error is raised; the next run looks again
                    self._take_back(back)
                raise
            if not is_verified:
                self._refuse_changed(back)
        for table in old:
            self._drop(table)

    def _renames(self) -> tuple[list[tuple[Name, Name]], list[tuple[Name, Name]], list[Name]]:
        """Renamings that publish the release, renamings that undo these, and the names of the old tables afterwards.

        A renaming is a pair of the old and the new name.
        """
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
        pieces = (Statement("releases/targets/swap#renamed", table=table, name=name) for table, name in renames)
        self.database.perform(Statement("releases/targets/swap", renames=columns(pieces)))

    def _take_back(self, renames: list[tuple[Name, Name]]) -> None:
        self._rename(renames)
        self._is_entered = True

    def _refuse_changed(self, renames: list[tuple[Name, Name]]) -> None:
        """Undo the publication of a release that another session changed after verification, and raise an error."""
        changed = f"another session changed {self.label} while it was published"
        try:
            self._take_back(renames)
        except (InputError, StatementError):
            raise OutputError(
                f"{changed}, and the release could not be withdrawn: drop the table, then run again"
            ) from None
        raise OutputError(
            f"{changed}, so the release was withdrawn: stop the program that uses tables with names that begin with "
            f"{OWN}, then run again"
        )

    def _replaced_by_script(self, release: Statement, *, recounts: int, k: int) -> list[Statement]:
        return [
            Statement(
                "releases/replace",
                table=self.table,
                new=Name(self.schema, f"{self._prefix}script_new"),
                old=Name(self.schema, f"{self._prefix}script_old"),
                schema=Literal(self.schema),
                name=Literal(self.name),
                origin=Literal(self.origin_told),
                ledger=self.ledger.name,
                shape=self.ledger.shape,
                recounts=Number(recounts),
                rows=release,
                entry=self._entry_of_script(k, lines([])),
                lock=Literal(self.database.lock_name(self.lock_key)),
            )
        ]

    def refusals(self) -> list[Statement]:
        return []  # the statement that publishes does it

    def discard(self, session: Session) -> None:
        if self._is_entered:
            with suppress(InputError, StatementError):  # the next run decides by the tables it finds
                self.ledger.forget(session.run_id)
        for staged in (self.staged, *(staged for staged, _ in self.dimensions.values())):
            self._drop(staged)

    def sweep(self) -> None:
        left = self._leftovers()
        if not left:
            return
        with self._writing():
            self.database.hurry()
            for run in unpublished_runs(left, self._prefix, "_new"):
                self.ledger.forget(run)
            for table in left:
                self.database.perform(Statement("store/table#drop", table=Name(self.schema, table)))
        self._left = ()

    @property
    def _prefix(self) -> str:
        """Prefix of the names of all tables staged for this target, from a hash of its name in lower case."""
        return f"{OWN}{hashlib.sha256(self.name.lower().encode()).hexdigest()[:12]}_"

    def _own(self, kind: str) -> Name:
        """The name of a staged table of this run; ``kind`` is its ending, such as ``new``."""
        return Name(self.schema, f"{self._prefix}{self.database.session.run_id[:RUN]}_{kind}")

    def _leftovers(self) -> tuple[str, ...]:
        """Tables left over from killed runs on this target. No such run is still active, as the target is locked."""
        if self._left is None:
            binds = {"schema": self.schema, "prefix": self._prefix}
            self._left = tuple(name for (name,) in self.database.run(Statement("store/table#leftovers"), binds))
        return self._left

    def runs_staged(self) -> Collection[str]:
        return self._unpublished_runs()

    def _was_done(self, run: str) -> bool:
        self._left = None  # the tables that are there now
        if run[:RUN] in self._unpublished_runs():
            return False
        # The staged table has the name of the release, or another session dropped it before the rename.
        return self.before is None or self._own("old_0").parts[-1] in self._leftovers()

    def _unpublished_runs(self) -> set[str]:
        return unpublished_runs(self._leftovers(), self._prefix, "_new")

    def _drop(self, table: Name) -> None:
        """Drop a table; if that fails, the next run drops it."""
        with suppress(InputError, StatementError):  # the next run drops it
            self.database.perform(Statement("store/table#drop", table=table))
