"""The interface of a target: a file, a table or memory, to which a run publishes its release.

A release is staged (written where readers do not see it), read back for the verifier, and then published as a whole.
An older release stays unchanged until the last step, which is one rename or one commit. A file is staged beside its
place under a name with the run's identifier. The published file has the bytes that the verifier read. The next run on
the same target removes the staged data of a killed run.
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
from starcloak.store import staging
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
    """A place to which one run publishes its release.

    The order of calls is ``lock_place``, ``prepare``, ``accept``, ``keep``, ``stage``, ``read_back`` and then
    ``publish`` or ``discard``. ``label`` names the place in messages, ``identity`` identifies it for locks and
    manifests. ``origin`` is a hash of the source of the new release (:func:`~starcloak.star.fingerprint.origin`).
    ``files`` are files that the run may access, ``stages`` those beside which it stages files, and ``written`` those
    that it writes; the latter are compared with all other files of the run, to prevent overwriting.
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
    runs_left: Collection[str] = ()  # first characters of killed runs with a staged file when the place was locked
    may_be_out = False  # whether the last step of publishing has begun, which may be done though it fails

    @property
    def place(self) -> str:
        """Text that identifies the place across runs, without a password."""
        return self.identity

    @property
    def against(self) -> str:
        """The text to write under ``against`` in a job that counts joint k with this release; without a password."""
        return self.label

    @cached_property
    def origin_told(self) -> str:
        """The origin (hash of the source) as written in ledgers.

        For a query it is a keyed hash: readers of a ledger could otherwise test guesses of the query. It is then empty
        if no secret can be kept.
        """
        if self.source is None or self.source.query is None:
            return self.origin
        hashed = state.keyed(self.origin)
        return f"{_QUERY}{hashed}" if hashed else ""

    def is_of_source(self, before: str) -> bool | None:
        """True if an earlier release, with the origin ``before`` in a ledger, has the same source as the new one.

        None if that is unknown: an origin is empty, or both are of queries and keyed with different secrets.
        """
        own = self.origin_told
        if not before or not own:
            return None
        if before.startswith(_QUERY) and own.startswith(_QUERY) and before[:_KEYED_BY] != own[:_KEYED_BY]:
            return None
        return before == own

    def may_be(self, place: Place | None, *, dimension: str | None = None) -> bool:
        """True if ``place`` may be the same table as the release, or as its dimension table of the attribute given."""
        return False

    def lock_place(self) -> AbstractContextManager[None]:
        """Context with an exclusive lock on the place; a second run on the same place fails at once."""
        name = hashlib.sha256(self.identity.encode()).hexdigest()[:32]
        return staging.lock(private_root() / name, self.label, "set TMPDIR")

    @abstractmethod
    def prepare(self, session: Session, host: Host, dimensions: Sequence[str] = ()) -> None:
        """Raise an error if the place is not writable, or has content that is no release of starcloak.

        It is called before a row of the source is read. ``host`` is the database with the rows of the source,
        ``dimensions`` are the attributes with a dimension table to be published.
        """

    def accept(self, opened: Source) -> None:
        """Raise an error if the place cannot store a column of the source unchanged."""
        return None

    def type_kept(self, column: Column) -> str:
        """The type of the column in the place. It stores all values of the source's column unchanged."""
        return column.type

    def origin_before(self, session: Session) -> str | None:
        """The origin (hash of the source) of the existing release; empty if unknown, None if there is no release.

        Call it after :meth:`prepare`.
        """
        return None

    def run_before(self) -> str | None:
        """First characters of the run that made the existing release; empty if unknown, None if there is no release."""
        return None

    def runs_known(self) -> tuple[str, ...]:
        """First characters of all runs listed in the place's own ledger, the last one first.

        Their releases may have been replaced since. Call it after :meth:`prepare`.
        """
        return ()

    def runs_staged(self) -> Collection[str]:
        """First characters of killed runs with staged data still there: these runs published nothing.

        Call it after :meth:`prepare`.
        """
        return self.runs_left

    def was_published(self, run: str, *, before: str) -> bool | None:
        """True if a run that ended during publication did publish, False if it did not, None if that is unknown.

        ``before`` is the last run in the place's ledger when ``run`` registered its release. If the ledger still has
        ``before``, it is the same ledger, and a run missing from it published nothing. If the ledger has neither run,
        the result is None: the release may have been moved or dropped together with its ledger. Call it after
        :meth:`prepare`.
        """
        if run[: staging.RUN] in self.runs_staged():
            return False
        runs = self.runs_known()
        if run[: staging.RUN] in runs:
            return True
        return False if before and before in runs else None

    def keep(self, dimensions: Mapping[str, Table]) -> None:
        """Register dimension tables, by attribute, to be published with the release. Call it before :meth:`stage`."""
        return None

    @abstractmethod
    def stage(self, session: Session, release: Statement) -> None:
        """Write the release where readers do not see it yet. ``release`` is the statement with its rows."""

    @abstractmethod
    def read_back(self, session: Session) -> Statement:
        """The statement that reads the staged release."""

    def is_as_sent(self, session: Session) -> bool:
        """True if the cells read back are identical to the written ones, not merely equal, as 0.0 is to -0.0."""
        return True

    def digest(self, session: Session, *, staged: bool) -> str | None:
        """Digest of the staged release or, if not ``staged``, of the existing release; None if there is none.

        Call it after :meth:`prepare`.
        """
        return None

    @abstractmethod
    def publish(self, session: Session, summary: dict[str, Any]) -> None:
        """Replace the old release by the staged one, in one step. ``summary`` is the release's entry in the ledger."""

    def discard(self, session: Session) -> None:
        """Remove staged data that would outlive a failed run.

        Staged files are removed when the place is unlocked, and some databases drop staged tables with the connection;
        both need nothing here.
        """
        return None

    def sweep(self) -> None:
        """Remove the staged data of killed runs from the place."""
        return None

    @abstractmethod
    def script(self, release: Statement, *, recounts: int, k: int) -> list[Statement]:
        """The statements of an SQL script that publish ``release`` when the database's own client runs them.

        They replace a release of the same source as a whole, and only after ``recounts`` checks by earlier statements
        of the script have succeeded. ``k`` is the required k.
        """

    def refusals(self) -> list[Statement]:
        """The statements of a script that raise an error if the place has anything but a release of the same source."""
        return []

    def is_written_by(self, host: Host) -> bool:
        """True if a script run by the client of the database ``host`` can write to the place."""
        return isinstance(host, Session)

    def opening(self) -> list[Statement]:
        """The statements at the beginning of a script, before its transaction."""
        return []

    @abstractmethod
    def frame(self) -> Any:
        """The rows of the published release, as an Arrow table.

        A release in memory is a data frame of the source's kind. Raises :class:`~starcloak.base.errors.OutputError` for
        values that the result would change.
        """
