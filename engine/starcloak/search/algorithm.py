"""A search for a recoding: its context, its answer, and the call of a job's algorithm."""

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
    """Context of a search beside its star: settings of the run, and functions it may call. Settings that decide the
    recoding are in the job.

    ``label`` names the source, for errors. ``keep`` allows files that outlive the run. ``stop`` returns True if a
    search should end early; ``stage`` times a part of the search by itself. With ``whole``, all rows of a tuple must go
    to one class.
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
    """Answer of a search: the recoding, the star with hierarchies grown by the search, and details for the result."""

    star: Star
    recoding: Recoding
    told: Search


def search(star: Star, requirement: Requirement, settings: Algorithm, run: SearchContext) -> Answer:
    """Search a recoding of a star that satisfies the requirement, by the algorithm of the settings.

    Raises :class:`~starcloak.base.errors.RequirementError` if no recoding satisfies it, and
    :class:`~starcloak.base.errors.JobError` if the run has too little memory for the search.
    """
    _announce_memory(star, settings)
    lasting = settings.lasting(tuples=star.combinations, nodes=star.lattice_nodes)
    if lasting is not None and lasting.seconds >= _LONG:
        star.session.notify(
            f"search: {settings.name} takes about {_duration(lasting.seconds)} for {star.combinations:,} combinations "
            f"and {star.lattice_nodes:,} nodes; quicker: {lasting.quicker}"
        )
    answer: Answer = search_of(settings)(star, requirement, settings, run)
    return answer


def _announce_memory(star: Star, settings: Algorithm) -> None:
    """Announce a search with large arrays.

    Raises :class:`~starcloak.base.errors.JobError` if they need more memory than the run has: the system would kill the
    process. If rows stay in their database, no more combinations come to the working store than memory allows.
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
            ("the run has", "give the run more (--memory-limit)")
            if session.has_given_limit
            else ("are free for it here", "free memory, run it on a machine with more")
        )
        raise JobError(
            f"{expected}, of {memory / 1e6:,.0f} MB that {limits}: {remedy}, or choose "
            f"algorithm: {DEFAULT}, which is full-domain"
        )
    if needed > min(_LARGE, memory // 4):
        session.notify(f"{expected}, beside the working store with up to {session.memory_bytes / 1e6:,.0f} MB")


def _duration(seconds: float) -> str:
    """A duration of at least some minutes, in the largest unit with a count of two or more.

    >>> [_duration(seconds) for seconds in (600, 9000, 400000)]
    ['10 minutes', '2 hours', '5 days']
    """
    units = {86400: "days", 3600: "hours"}
    unit = next((unit for unit in units if seconds >= 2 * unit), 60)
    return f"{seconds / unit:,.0f} {units.get(unit, 'minutes')}"
