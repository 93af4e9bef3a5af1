"""Where a release goes: staged, read back for the verifier, then published whole, or not at all.

Each target writes its staging so that the old release stays as it is until the last step, which is one rename or one
commit. Files are locked and staged under the run's own name beside their place, and what is published has the bytes
that the verifier read. A staging left by a killed run is removed by the next run on the same target.
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

_QUERY = "query-"  # how the origin of a query begins, as ledgers tell it
_KEYED_BY = len(_QUERY) + state.KEYED_BY


class Target(ABC):
    """A place for a release.

    The order of calls is ``hold``, ``prepare``, ``accept``, ``keep``, ``stage``, ``read_back`` and then ``publish`` or
    ``discard``. It stages files beside ``stages``; ``origin`` tells the source of the new release from others, as
    :func:`~starcloak.star.fingerprint.origin` does. The files ``written`` are known to be no others when it is held.
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
        """What tells the place from others, without a password."""
        return self.identity

    @property
    def against(self) -> str:
        """What a job has under ``against`` to be measured with the release, without a password."""
        return self.label

    @cached_property
    def origin_told(self) -> str:
        """The origin as ledgers tell it, whose readers could try out queries on it: that of one is keyed.

        It is empty where the custodian has no secret.
        """
        if self.source is None or self.source.query is None:
            return self.origin
        hashed = state.keyed(self.origin)
        return f"{_QUERY}{hashed}" if hashed else ""

    def is_of_source(self, before: str) -> bool | None:
        """Whether a release is of the source of the new one, by its origin as a ledger tells it.

        None where nobody can tell here: of none, and of a query that somebody else's secret is in.
        """
        own = self.origin_told
        if not before or not own:
            return None
        if before.startswith(_QUERY) and own.startswith(_QUERY) and before[:_KEYED_BY] != own[:_KEYED_BY]:
            return None
        return before == own

    def may_be(self, place: Place | None, *, dimension: str | None = None) -> bool:
        """Whether the release, or the dimension table of an attribute, may be the table of a place."""
        return False

    def lock_place(self) -> AbstractContextManager[None]:
        """Lock the place for one run: a second run on it fails at once."""
        name = hashlib.sha256(self.identity.encode()).hexdigest()[:32]
        return locks.lock(private_root() / name, self.label, "set TMPDIR")

    @abstractmethod
    def prepare(self, session: Session) -> None:
        """Refuse, before any long work, a place that cannot be written or that holds something else."""

    def accept(self, opened: Source) -> None:
        """Refuse columns that the place cannot hold."""
        return None

    def type_kept(self, column: Column) -> str:
        """The type that a column has there which leaves as it is."""
        return column.type

    def origin_before(self, session: Session) -> str | None:
        """The origin of the release that stands in the place; empty where nothing tells it, None without a release.

        The place is prepared.
        """
        return None

    def run_before(self) -> str | None:
        """How the run's number begins whose release stands in the place; as :meth:`origin_before`, it may be empty."""
        return None

    def runs_known(self) -> tuple[str, ...]:
        """First characters of the numbers of the runs that released into the place, the last one first.

        The place itself names them; their releases may be gone by now. The place is prepared.
        """
        return ()

    def runs_staged(self) -> Collection[str]:
        """First characters of the numbers of killed runs whose staged release is still there: it was not published.

        The place is prepared.
        """
        return ()

    def was_published(self, run: str, *, before: str) -> bool | None:
        """True if the place has or had the release of a run that ended while it published.

        ``before`` is the run that the place named as its last one when the ended run registered its release. A list of
        runs that still has it was not begun anew, so that a run which it lacks published nothing. The answer is None if
        the place shows neither: the release may have been moved or dropped with the list. The place is prepared.
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
        """Write the release where nobody looks for it yet."""

    @abstractmethod
    def read_back(self, session: Session) -> Statement:
        """The statement that reads the staged release."""

    def is_as_sent(self, session: Session) -> bool:
        """Whether the cells that were read back are those that were sent there, not only equal ones."""
        return True

    def digest(self, session: Session, *, staged: bool) -> str | None:
        """What tells the staged release, or what stands in its place, from any other; None where that cannot be told.

        The place is prepared.
        """
        return None

    @abstractmethod
    def publish(self, session: Session, summary: dict[str, Any]) -> None:
        """Put the staged release in the place of the old one, in one step. ``summary`` goes with it."""

    def discard(self, session: Session) -> None:
        """Remove what is staged and would outlive the run: not files, which are swept when their place is let go, nor
        what ends with its connection.
        """
        return None

    def sweep(self) -> None:
        """Remove a staging that a killed run left."""
        return None

    @abstractmethod
    def script(self, release: Statement, *, recounts: int, k: int) -> list[Statement]:
        """The statements that put checked rows in place in the database's own client.

        They take the place of a release of the same source, whole or not at all, once so many ``recounts`` have been
        made; k is the requirement's.
        """

    def refusals(self) -> list[Statement]:
        """The statements by which a script refuses what stands in the place and is no such release."""
        return []

    def is_written_by(self, host: Host) -> bool:
        """Whether the client of a host can write to it."""
        return isinstance(host, Session)

    def opening(self) -> list[Statement]:
        """The statements that a script begins with, before its transaction."""
        return []

    @abstractmethod
    def frame(self) -> Any:
        """The rows of the published release: a data frame of the source's kind that stays in memory, or an Arrow table.

        Raises :class:`~starcloak.base.errors.OutputError` for what it would not keep as it is.
        """
