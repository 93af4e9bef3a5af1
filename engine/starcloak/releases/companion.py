"""Companions: optional features of a run, each in a folder of its own or in another package.

The core names none of them. It makes these calls, in this order; each is optional:

=================  ===================================================================================================
``is_active``      whether the companion takes part in the run of a job
``places``         files that it writes: they must not be the run's own
``needs``          what must come home from the source's database
``around``         a context from before the place is locked to the end; sees success and failure
``resolve``        the job as every command understands it, beside the release in its place
``keeps_running``  a veto: the release must be made again
``settled``        the result of a release that stays as it is; the run ends there
``propose``        a proposal in the place of the search; of one companion at most
``claims``         columns for the verifier's one reading, and clauses of its own
``examine``        what a verified release is like: a part of the result, warnings
``kept``           what is kept with the recoding for later runs
``before_publish`` the same as ``examine`` while the source is locked, or a refusal
``publishing``     a context around the publication, while the source is locked; rolls back on failure
``after_publish``  what follows on a result, also on that of a release that stays
``disclosed``      what readers may see of its part of the result
=================  ===================================================================================================

Another package names the module of its companion by the entry point ``starcloak.companions``; a job then names the
companion under ``companions``, with its settings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from starcloak.base import installation
from starcloak.base.errors import JobError, hint
from starcloak.base.settings import Settings, check

if TYPE_CHECKING:
    from starcloak.job import Job
    from starcloak.job.result import Result
    from starcloak.releases.proposal import Proposal
    from starcloak.releases.run import Run
    from starcloak.statements.statement import Name
    from starcloak.store.source import Source
    from starcloak.store.staging import Written
    from starcloak.verify.claim import Clause
    from starcloak.verify.recount import Reading


@dataclass(frozen=True)
class Needs:
    """What must come home from the source's database: its ``rows``, or at least its ``combinations``.

    With ``whole_tuples``, all rows of a tuple must go to one class.
    """

    rows: bool = False
    combinations: bool = False
    whole_tuples: bool = False

    def __or__(self, other: Needs) -> Needs:
        return Needs(
            self.rows or other.rows, self.combinations or other.combinations, self.whole_tuples or other.whole_tuples
        )


@dataclass(frozen=True)
class Claims:
    """What a companion adds to the claim of a staged release.

    The verifier's one reading counts the values of the kept columns ``looked_at``; the ``clauses`` must hold.
    """

    looked_at: tuple[str, ...] = ()
    clauses: tuple[Clause, ...] = ()


@dataclass(frozen=True)
class Addition:
    """What a companion adds to a result: its own ``part``, values of ``fields`` that results have, ``warnings``."""

    part: Any = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    warnings: Sequence[str] = ()


@dataclass(frozen=True)
class Kept:
    """What a companion keeps with a recoding: values of ``about``, and the relation that is ``shown``.

    If it is ``required``, nothing is published unless it is kept.
    """

    about: Mapping[str, Any] = field(default_factory=dict)
    shown: Name | None = None
    required: bool = False


class Companion:
    """An optional feature of a run; one object for each run.

    ``order`` is its place among the companions, ``keys`` are the keys of a job that are its own. ``settings`` is the
    type of its settings under ``companions``, of a companion from another package.
    """

    name: ClassVar[str]
    order: ClassVar[int] = 100
    keys: ClassVar[tuple[str, ...]] = ()
    settings: ClassVar[type[Settings] | None] = None

    @classmethod
    def is_active(cls, job: Job, options: Mapping[str, Any]) -> bool:
        """Whether it takes part in the run of a job, with the ``options`` of the call."""
        return cls.name in job.companions

    @classmethod
    def resolve(cls, job: Job, published: Result | None) -> Job:
        """The job beside the release that is published in its place, as every command understands it."""
        return job

    @classmethod
    def needs(cls, job: Job) -> Needs:
        """What must come home from the source's database."""
        return Needs()

    @classmethod
    def disclosed(cls, part: Any, k: int) -> Any:
        """What readers may see of its part of a result; None: nothing. ``k`` is the largest that was required."""
        return None

    def __init__(self, job: Job, options: Mapping[str, Any]) -> None:
        self.options = options

    def own_settings(self, job: Job) -> Any:
        """Its settings in a job. Raises :class:`~starcloak.base.errors.JobError` for others than it has."""
        given = job.companions.get(self.name)
        return given if self.settings is None else check(self.settings, given or {}, where=f"companions.{self.name}")

    def places(self, job: Job) -> Sequence[Written]:
        """Files that it writes."""
        return ()

    def around(self, run: Run) -> AbstractContextManager[None]:
        """A context from before the place is locked to the end of the run."""
        return nullcontext()

    def keeps_running(self, run: Run) -> bool:
        """Whether the release must be made again, though nothing has changed."""
        return False

    def settled(self, run: Run) -> Result | None:
        """The result of a release that stays as it is; None if the run must go on."""
        return None

    def propose(self, run: Run) -> Proposal | None:
        """A proposal in the place of the search."""
        return None

    def claims(self, run: Run, source: Source) -> Claims:
        """What it adds to the claim of the release that is staged from the rows of ``source``."""
        return Claims()

    def examine(self, run: Run, reading: Reading) -> Addition:
        """What it adds to the result of a verified release, before the source is locked."""
        return Addition()

    def kept(self, run: Run) -> Kept:
        """What it keeps with the recoding."""
        return Kept()

    def before_publish(self, run: Run, reading: Reading) -> Addition:
        """What it adds to the result while the source is locked. Raises an error to refuse the release."""
        return Addition()

    def publishing(self, run: Run) -> AbstractContextManager[None]:
        """A context around the publication."""
        return nullcontext()

    def after_publish(self, run: Run, result: Result) -> None:
        """Whatever follows on a result: the release is out, or stays as it is."""

    def notes(self, run: Run, result: Result) -> Sequence[str]:
        """Warnings on a release that stays as it is."""
        return ()


_REGISTERED: dict[str, type[Companion]] = {}
_Kind = TypeVar("_Kind", bound=type[Companion])


def register(kind: _Kind) -> _Kind:
    """Register a companion, as a decorator of its class."""
    _REGISTERED[kind.name] = kind
    return kind


def installed() -> list[type[Companion]]:
    """All companions that are installed, in their order."""
    installation.load("starcloak.companions", kind="companions", part="companion")
    return sorted(_REGISTERED.values(), key=lambda kind: (kind.order, kind.name))


def active(job: Job, options: Mapping[str, Any]) -> list[Companion]:
    """The companions of a run, in their order.

    Raises :class:`~starcloak.base.errors.JobError` for a key or a companion of a job that no installed companion has.
    """
    kinds = installed()
    known = {key for kind in kinds for key in kind.keys}
    for key in job.optional_keys:
        if key in job.model_fields_set and key not in known:
            raise JobError(f"{key}: no installed companion has this key: leave it out")
    for name in job.companions:
        if name not in {kind.name for kind in kinds}:
            raise JobError(
                f"companions.{name}: no companion of that name is installed.{hint(name, [k.name for k in kinds])}"
            )
    companions = [kind(job, options) for kind in kinds if kind.is_active(job, options)]
    for companion in companions:
        companion.own_settings(job)
    return companions


def resolved(job: Job, published: Result | None) -> Job:
    """The job beside the release that is published in its place, as all companions understand it."""
    for kind in installed():
        job = kind.resolve(job, published)
    return job


def needs_of(job: Job) -> Needs:
    """What the companions of a job need."""
    found = Needs()
    for kind in installed():
        if kind.is_active(job, {}):
            found |= kind.needs(job)
    return found


def disclosed(parts: Mapping[str, Any], k: int) -> dict[str, Any]:
    """What readers may see of the parts of a result that companions added."""
    kinds = {kind.name: kind for kind in installed()}
    shown = {name: kinds[name].disclosed(part, k) for name, part in parts.items() if name in kinds}
    return {name: part for name, part in shown.items() if part is not None}


def kept(run: Run) -> Kept:
    """What all companions of a run keep with its recoding."""
    about: dict[str, Any] = {}
    shown, required = None, False
    for each in run.companions:
        found = each.kept(run)
        about |= found.about
        shown, required = found.shown or shown, required or found.required
    return Kept(about, shown, required)


_Value = TypeVar("_Value")


def first(companions: Iterable[Companion], call: Callable[[Companion], _Value | None]) -> _Value | None:
    """The first answer of a companion to a call."""
    return next((found for companion in companions if (found := call(companion)) is not None), None)
