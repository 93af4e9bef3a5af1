"""Resources and messages of a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from starcloak.base.interrupts import Ending


@dataclass(frozen=True)
class Resources:
    """Resources and messages of a run.

    Args:
        memory_limit: The memory limit of DuckDB, such as ``"1GB"``.
        threads: Number of threads of DuckDB.
        ending: Handle for stopping a run from another thread or a signal handler. After ``ending.stop()``, a search
            with support for a stop at any time (tdr) releases its current result.
        progress: Function called with a line of text from time to time.
        notice: Function called with important messages to the waiting user, such as an expected search of hours.
        trace: Function called with the text of every SQL statement before it runs, in the form for the database's own
            client: with the statement's name and the values of its binds. The values come from the job, from counts, or
            from an applied masking. Transferred rows are not in the text.
    """

    memory_limit: str | None = None
    threads: int | None = None
    ending: Ending | None = None
    progress: Callable[[str], None] | None = None
    notice: Callable[[str], None] | None = None
    trace: Callable[[str], None] | None = None
