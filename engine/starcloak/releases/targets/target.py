"""Targets of a release: staged, read back for the verifier, then published whole or not at all.

The old release stays unchanged until the last step: one rename or one commit. Files are locked, and staged under the
run's own name beside their place. The published file has the bytes that the verifier read. The next run on the same
target removes the staging of a killed run.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starcloak.job import Place
from starcloak.releases import state
from starcloak.statements.statement import Statement
from starcloak.store import locks, staging
from starcloak.store.databases.host import Host
from starcloak.store.session import Session, private_root
from starcloak.store.source import Source
from starcloak.store.staging import Written

if TYPE_CHECKING:
    from starcloak.base.column import Column
    from starcloak.store.tables import Table

_QUERY = "query-"  # the beginning of a query's origin in ledgers
_KEYED_BY = len(_QUERY) + state.KEYED_BY


class Target(ABC):
    """A place for a release.

    The order of calls is ``lock_place``, ``prepare``, ``accept``, ``keep``, ``stage``, ``read_back`` and then
    ``publish`` or ``discard``. Files are staged beside ``stages``. ``origin`` identifies the source of the new release,
    as :func:`~starcloak.star.fingerprint.origin` does. The files ``written`` are checked against all others when the
    place is held.
    """

    label: str
    identity: str
    origin: str = ""
    source: Place | None = None  # where the rows come from, unless from a data frame
    tells_origin: bool  # whether sources of one origin are one source: not data frames
    files: tuple[Path, ...] = ()
    stages: tuple[Path, ...] = ()
    written: tuple[Written, ...] = ()
    at_source = False  # whether it is made where the rows are; others take them from the working store
    takes_rows = False  # whether a release of a data frame has its very rows
    lasts = True  # whether a release is there for the next run
    keeps_dimensions = False  # whether dimension tables may be published with a release
    warnings: Sequence[str] = ()
    may_be_out = False  # whether the last step of publishing has begun, which may be done though it fails

    @property
    def place(self) -> str:
        """Identity of the place, without a password."""
        return self.identity

    @property
    def against(self) -> str:
        """The text under ``against`` in a job that measures with this release, without a password."""
        return self.label

    @cached_property
    def origin_told(self) -> str:
        """The origin as written in ledgers. Readers of a ledger could try out queries on it, so a query's origin is
        keyed.

        It is empty if the custodian has no secret.
        """
        if self.source is None or self.source.query is None:
            return self.origin
        hashed = state.keyed(self.origin)
        return f"{_QUERY}{hashed}" if hashed else ""

    def is_of_source(self, before: str) -> bool | None:
        """True if a release is of the source of the new one, judged by its origin in a ledger.

        None if that is unknown: without an origin, or for a query keyed with another custodian's secret.
        """
        own = self.origin_told
        if not before or not own:
            return None
        if before.startswith(_QUERY) and own.startswith(_QUERY) and before[:_KEYED_BY] != own[:_KEYED_BY]:
            return None
        return before == own

    def may_be(self, place: Place | None, *, dimension: str | None = None) -> bool:
        """True if the release, or the dimension table of an attribute, may be the table of a place."""
        return False

    def lock_place(self) -> AbstractContextManager[None]:
        """Lock the place for one run: a second run on it fails at once."""
        name = hashlib.sha256(self.identity.encode()).hexdigest()[:32]
        return locks.lock(private_root() / name, self.label, "set TMPDIR")

    @abstractmethod
    def prepare(self, session: Session, host: Host, dimensions: Sequence[str] = ()) -> None:
        """Refuse, before a row of the source is read, a place that is not writable or has other content.

        ``host`` has the rows. ``dimensions`` are the attributes whose dimension tables are to be kept.
        """

    def accept(self, opened: Source) -> None:
        """Refuse columns of types unknown to the place."""
        return None

    def type_kept(self, column: Column) -> str:
        """The type that keeps a column's values unchanged in the place."""
        return column.type

    def origin_before(self, session: Session) -> str | None:
        """The origin of the release in the place; empty if it is unknown, None without a release.

        The place is prepared.
        """
        return None

    def run_before(self) -> str | None:
        """First characters of the run of the release in the place. As with :meth:`origin_before`, it may be empty or
        None.
        """
        return None

    def runs_known(self) -> tuple[str, ...]:
        """First characters of the runs that released into the place, the last one first.

        The place itself lists them; their releases may be gone by now. The place is prepared.
        """
        return ()

    def runs_staged(self) -> Collection[str]:
        """First characters of killed runs whose staged release still exists, so that it was not published.

        The place is prepared.
        """
        return ()

    def was_published(self, run: str, *, before: str) -> bool | None:
        """True if the place has or had the release of a run that ended while it published.

        ``before`` is the last run in the place's list when the ended run registered its release. If the list still has
        ``before``, it was never started anew; then a run missing from it published nothing. The answer is None if the
        list has neither: the release may have been moved or dropped together with the list. The place is prepared.
        """
        if run[: staging.RUN] in self.runs_staged():
            return False
        runs = self.runs_known()
        if run[: staging.RUN] in runs:
            return True
        return False if before and before in runs else None

    def keep(self, dimensions: Mapping[str, Table]) -> None:
        """Have dimension tables published with the release, by attribute. Nothing is staged yet."""
        return None

    @abstractmethod
    def stage(self, session: Session, release: Statement) -> None:
        """Write the release to the staging place, unseen by readers."""

    @abstractmethod
    def read_back(self, session: Session) -> Statement:
        """The statement that reads the staged release."""

    def is_as_sent(self, session: Session) -> bool:
        """True if the cells read back are the sent cells themselves, not merely equal ones."""
        return True

    def digest(self, session: Session, *, staged: bool) -> str | None:
        """Digest of the staged release, or of the content of its place; None if there is no digest.

        The place is prepared.
        """
        return None

    @abstractmethod
    def publish(self, session: Session, summary: dict[str, Any]) -> None:
        """Put the staged release in the place of the old one, in one step. ``summary`` goes with it."""

    def discard(self, session: Session) -> None:
        """Remove staged data that would outlive the run. Files are swept when their place is unlocked; other data ends
        with its connection.
        """
        return None

    def sweep(self) -> None:
        """Remove the staging of a killed run."""
        return None

    @abstractmethod
    def script(self, release: Statement, *, recounts: int, k: int) -> list[Statement]:
        """The statements that publish checked rows from the database's own client.

        They replace a release of the same source, whole or not at all, after ``recounts`` recounts were made. ``k`` is
        the requirement's.
        """

    def refusals(self) -> list[Statement]:
        """The statements of a script that refuse content of the place other than such a release."""
        return []

    def is_written_by(self, host: Host) -> bool:
        """True if the client of a host can write to the place."""
        return isinstance(host, Session)

    def opening(self) -> list[Statement]:
        """The statements at the beginning of a script, before its transaction."""
        return []

    @abstractmethod
    def frame(self) -> Any:
        """The rows of the published release: a data frame of the source's kind in memory, or an Arrow table.

        Raises :class:`~starcloak.base.errors.OutputError` for values that the frame would change.
        """
