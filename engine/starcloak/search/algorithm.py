"""The interface of all searches for a recoding: arguments, answer, and the call of the algorithm chosen by a job."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from starcloak.base.errors import JobError
from starcloak.job.algorithms import DEFAULT, Algorithm, Objective, search_of
from starcloak.job.result import Search
from starcloak.privacy.requirement import Requirement
from starcloak.star.recoding.recoding import Recoding
from starcloak.star.star import Star

# A search of at least this number of seconds is announced.
_LONG = 600
# Arrays of more bytes are announced, and those of more than a quarter of the memory that the run has.
_LARGE = 1_000_000_000


@dataclass(frozen=True)
class SearchContext:
    """Arguments common to all searches: settings of the run, and functions a search may call.

    ``seed`` decides random choices. ``objective`` is the cost to minimize. ``label`` names the source in error
    messages. ``keep`` allows files beyond the end of the run. ``stop`` returns True if the search should end early.
    ``stage`` returns a context manager: the time spent in it is reported under the given name. With ``whole``, all
    rows with the same values (one tuple) must go to the same equivalence class.
    """

    seed: int
    objective: Objective
    label: str
    keep: bool = True
    stop: Callable[[], bool] = lambda: False
    stage: Callable[[str], AbstractContextManager[None]] = lambda _: nullcontext()
    whole: bool = False


@dataclass(frozen=True)
class Answer:
    """Answer of a search: the recoding, its star, and ``told``, the details of the search for the job's result.

    The star differs from the searched one if the search added levels to hierarchies, or loaded rows of a database.
    """

    star: Star
    recoding: Recoding
    told: Search


def search(star: Star, requirement: Requirement, settings: Algorithm, run: SearchContext) -> Answer:
    """Find a recoding of a star that satisfies the requirement, by the algorithm of the settings.

    A search expected to take at least ten minutes is announced first. Raises
    :class:`~starcloak.base.errors.RequirementError` if no recoding satisfies the requirement, and
    :class:`~starcloak.base.errors.JobError` if the run has too little memory for the search.
    """
    _announce_memory(star, settings)
    lasting = settings.lasting(tuples=star.combinations, nodes=star.lattice_nodes)
    if lasting is not None and lasting.seconds >= _LONG:
        star.session.notify(
            f"search: {settings.name} takes about {_duration(lasting.seconds)} for {star.combinations:,} "
            f"combinations and {star.lattice_nodes:,} nodes; a quicker choice is {lasting.quicker}"
        )
    answer: Answer = search_of(settings)(star, requirement, settings, run)
    return answer


def _announce_memory(star: Star, settings: Algorithm) -> None:
    """Notify the user of a search with arrays of more than 1 GB, or more than a quarter of the run's memory.

    Raises :class:`~starcloak.base.errors.JobError` if the arrays need more memory than the run has: the system would
    kill the process. A star with rows in a distant database is not checked: only combinations within the memory are
    loaded from there.
    """
    needed = settings.memory(tuples=star.combinations, columns=len(star.dimensions), nodes=star.lattice_nodes)
    if not needed or star.distant is not None:
        return
    session, combinations = star.session, star.combinations
    expected = (
        f"algorithm: {settings.name} takes about {needed / 1e6:,.0f} MB of memory for {combinations:,} combinations"
    )
    if needed > (memory := session.array_bytes):
        limits, remedy = (
            ("of the run", "give the run more (--memory-limit)")
            if session.has_given_limit
            else ("free on this machine", "free memory, run it on a machine with more memory")
        )
        raise JobError(
            f"{expected}, more than the {memory / 1e6:,.0f} MB {limits}: {remedy}, or write algorithm: {DEFAULT}, a "
            "full-domain search"
        )
    if needed > min(_LARGE, memory // 4):
        session.notify(f"{expected}, beside the working store with up to {session.memory_bytes / 1e6:,.0f} MB")


def _duration(seconds: float) -> str:
    """Text of a duration in seconds, in the largest unit (minutes, hours, days) with a count of two or more.

    >>> [_duration(seconds) for seconds in (600, 9000, 400000)]
    ['10 minutes', '2 hours', '5 days']
    """
    units = {86400: "days", 3600: "hours"}
    unit = next((unit for unit in units if seconds >= 2 * unit), 60)
    return f"{seconds / unit:,.0f} {units.get(unit, 'minutes')}"
