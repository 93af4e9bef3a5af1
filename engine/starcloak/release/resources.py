"""What a run may use, whom it tells, and the working store that it opens with that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from starcloak.ending import Ending
from starcloak.job import Source as Place
from starcloak.session import Session
from starcloak.source.place import databases_of, files_of


@dataclass(frozen=True)
class Resources:
    """What a run may use, and whom it tells.

    ``memory_limit`` is DuckDB's, such as ``"1GB"``; ``progress`` is called with a line of text now and then,
    ``notice`` with what whoever waits should know, such as that a search takes hours; ``trace``
    with every statement before it runs, as the database's own client would run it: under its name, and with the values
    of its binds, which are of the job, counted, or of a masking that is applied. Rows that go somewhere are not shown.
    By an ``ending``, another thread or a handler of signals has a search that can stop at any time (tdr) release what
    it has: ``ending.stop()``.
    """

    memory_limit: str | None = None
    threads: int | None = None
    ending: Ending | None = None
    progress: Callable[[str], None] | None = None
    notice: Callable[[str], None] | None = None
    trace: Callable[[str], None] | None = None


def open_store(
    place: Place | None,
    resources: Resources,
    *,
    files: tuple[Path, ...] = (),
    databases: tuple[Path, ...] = (),
    stages: tuple[Path, ...] = (),
) -> Session:
    """The working store that reads a place. It reaches no other files than those named."""
    store = Session(
        files=[*files_of(place), *files],
        databases=[*databases_of(place), *databases],
        stages=stages,
        memory_limit=resources.memory_limit,
        threads=resources.threads,
        progress=resources.progress,
        notice=resources.notice,
        ending=resources.ending,
    )
    if resources.trace:
        store.trace(resources.trace)
    return store
