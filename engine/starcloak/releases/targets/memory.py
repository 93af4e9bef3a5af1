"""Target: a data frame in memory."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from starcloak.base.frames import is_pandas, is_polars
from starcloak.releases.targets.data_frame import arrow_rows
from starcloak.releases.targets.target import Target
from starcloak.statements.statement import Name, Statement
from starcloak.store.databases.host import Host
from starcloak.store.session import Session
from starcloak.store.source import Source, rejoin


class Memory(Target):
    """A release in memory, returned as a data frame.

    If the source is a data frame, unchanged columns are taken from this frame itself: the staged rows have positions of
    the frame's rows in their place, and are joined with the frame when they are read back.
    """

    takes_rows = True
    lasts = False

    def __init__(self) -> None:
        self.label = self.identity = "memory"
        self.table = Name("release")
        self._source: Source | None = None
        self._frame: Any = None

    def is_written_by(self, host: Host) -> bool:
        return True

    def lock_place(self) -> AbstractContextManager[None]:
        return nullcontext()

    def prepare(self, session: Session, host: Host, dimensions: Sequence[str] = ()) -> None:
        pass

    def accept(self, opened: Source) -> None:
        self._source = opened

    def stage(self, session: Session, release: Statement) -> None:
        session.create(self.table, release)

    def read_back(self, session: Session) -> Statement:
        if self._source is None:
            return Statement("store/relation", relation=self.table)
        return rejoin(self._source, self.table)

    def publish(self, session: Session, summary: dict[str, Any]) -> None:
        self._frame = arrow_rows(session, Statement("store/relation", relation=self.table))
        if self._source is not None and self._source.frame is not None:
            self._frame = self._source.frame.release(self._frame, self._source.released)

    def script(self, release: Statement, *, recounts: int, k: int) -> list[Statement]:
        return [release]

    def frame(self) -> Any:
        if is_polars(self._frame):
            return self._frame.clone()
        return self._frame.copy() if is_pandas(self._frame) else self._frame
