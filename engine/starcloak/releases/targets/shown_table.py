"""Target in a database without transactions or atomic renames of tables (Spark): a view on the last run's table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, cast

from starcloak.base.errors import InputError, OutputError, StatementError
from starcloak.releases.targets.swapped_table import SwappedTable
from starcloak.statements.statement import Name, Statement
from starcloak.store.databases.host import Host
from starcloak.store.databases.ledger import RUN
from starcloak.store.databases.spark.database import Spark
from starcloak.store.databases.url import Url
from starcloak.store.session import Session
from starcloak.store.tables import Table as Needed


class ShownTable(SwappedTable):
    """A view with the release's name, on the table made by the last run.

    Each run makes a new table with the target and the run in its name, and publishes it by one change of the view.
    Running queries go on reading the old table, because it stays until the next run. After the change, the publication
    is noted in a property of the new table. A table without this property, and not used by the view, is left over from
    a killed run. Dimension tables are not supported: they could not change at the same moment.
    """

    keeps_dimensions = False
    _unnoted: frozenset[str] | None = None

    def __init__(self, url: Url, table: str, *, at_source: bool) -> None:
        super().__init__(url, table, at_source=at_source)
        if "/" in table:
            raise OutputError(
                "output.table is a path, and its files cannot be replaced in one step: give a table in an existing "
                "schema (create schema … location …), or a file of this machine in output.path"
            )

    def prepare(self, session: Session, host: Host, dimensions: Sequence[str] = ()) -> None:
        super().prepare(session, host, dimensions)
        cast(Spark, self.database).refuse_lost(self.label)

    def keep(self, dimensions: Mapping[str, Needed]) -> None:
        raise NotImplementedError("Spark has no dimension tables: a job with keep_dimensions is refused earlier")

    def publish(self, session: Session, summary: dict[str, Any]) -> None:
        with self._writing():
            self._is_entered = True
            self._enter(summary)
            self._note_shown()
            path = "store/shown#show_another" if self.before is not None else "store/shown#show"
            with self._publishing(summary["run"]):
                self.database.perform(Statement(path, view=self.table, table=self.staged))
            self._is_entered = False
            with suppress(InputError, StatementError):  # the view shows it, too
                self.database.perform(Statement("store/shown#note", table=self.staged))

    def _note_shown(self) -> None:
        """Note the publication of the table used by the view now, if its own run failed to do so.

        Once the view uses another table, nothing else proves this publication.
        """
        shown_table = None if self.before is None else self.database.table_shown(self.schema, self.name)
        if shown_table is not None and not self._is_noted(shown_table):
            self.database.perform(Statement("store/shown#note", table=Name(self.schema, shown_table)))

    def _replaced_by_script(self, release: Statement, *, recounts: int, k: int) -> list[Statement]:
        return [Statement("releases/script#publish", table=self.table, rows=release)]  # a table that is there stays

    def discard(self, session: Session) -> None:
        if self._is_entered and self._may_be_shown():
            self._is_entered = (
                False  # the connection was lost, perhaps after the release was out: the next run will know
            )
            self.database.close()
            return
        super().discard(session)

    def _was_done(self, run: str) -> bool:
        return self._may_be_shown()

    def _may_be_shown(self) -> bool:
        """True if the view uses the staged table, or if this cannot be found out."""
        try:
            return self.database.table_shown(self.schema, self.name) == self.staged.parts[-1]
        except (InputError, StatementError):
            return True

    def sweep(self) -> None:
        """Drop the tables that the view does not use: that of the last release but one, and those of killed runs."""
        left = self._leftovers()
        if not left:
            return
        with self._writing():
            shown_table = self.database.table_shown(self.schema, self.name)
            for run in self._unpublished_runs():
                self.ledger.forget(run)
            for table in left:
                if table == shown_table:
                    continue
                self.database.perform(Statement("store/table#drop", table=Name(self.schema, table)))
        self._left = ()

    def _leftovers(self) -> tuple[str, ...]:
        if self._left is None:
            self._left = tuple(cast(Spark, self.database).leftovers(self.schema, self._prefix))
        return self._left

    def _unpublished_runs(self) -> set[str]:
        if self._unnoted is None:
            shown_table = self.database.table_shown(self.schema, self.name) if self._leftovers() else None
            # Without a view, any of the tables may have been shown by one that was dropped since.
            tables = () if shown_table is None else self._leftovers()
            left = (table for table in tables if table != shown_table and not self._is_noted(table))
            self._unnoted = frozenset(table.removeprefix(self._prefix)[:RUN] for table in left)
        return set(self._unnoted)

    def _is_noted(self, table: str) -> bool:
        """True if the publication of a table is noted in the table's properties."""
        properties = self.database.run(Statement("store/shown#noted", table=Name(self.schema, table)))
        return any(name == "starcloak.published" for name, *_ in properties)
