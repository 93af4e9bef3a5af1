"""What a run may use, and whom it tells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from starcloak.base.interrupts import Ending


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
