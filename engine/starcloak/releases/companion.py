"""Kinds of companions: optional features of a run, as far as every command knows them. Their calls are in ``run``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from starcloak.base import installation
from starcloak.base.settings import Settings
from starcloak.job import Job
from starcloak.job.result import Result


@dataclass(frozen=True)
class Needs:
    """Data that must come to the working store from the source's database: its ``rows``, or at least its
    ``combinations``.

    With ``whole_tuples``, all rows of a tuple must go to one class.
    """

    rows: bool = False
    combinations: bool = False
    whole_tuples: bool = False

    def __or__(self, other_needs: Needs) -> Needs:
        return Needs(
            self.rows or other_needs.rows,
            self.combinations or other_needs.combinations,
            self.whole_tuples or other_needs.whole_tuples,
        )


class CompanionKind:
    """A companion before any run.

    ``order`` is its place among the companions. ``keys`` are its own keys of a job. ``settings`` is the type of its
    settings under ``companions``, if the companion is from another package.
    """

    name: ClassVar[str]
    order: ClassVar[int] = 100
    keys: ClassVar[tuple[str, ...]] = ()
    settings: ClassVar[type[Settings] | None] = None

    @classmethod
    def is_active(cls, job: Job, options: Mapping[str, Any]) -> bool:
        """True if it takes part in the run of a job with the ``options`` of the call.

        By default, if the job has settings for it or the key with its name, or if an option has its name.
        """
        has_key = cls.name in cls.keys and bool(getattr(job, cls.name))
        return has_key or cls.name in job.companions or options.get(cls.name) is not None

    @classmethod
    def resolve(cls, job: Job, published: Result | None) -> Job:
        """Resolve a job by the result of the release published in its place, so that every command understands the same
        job.
        """
        return job

    @classmethod
    def needs(cls, job: Job) -> Needs:
        """Data that the companion needs from the source's database."""
        return Needs()

    @classmethod
    def disclosed(cls, part: Any, k: int) -> Any:
        """The part of a result that readers may see, or None. ``k`` is the largest required k."""
        return None


_REGISTERED: dict[str, type[CompanionKind]] = {}
_Kind = TypeVar("_Kind", bound=type[CompanionKind])


def register(kind: _Kind) -> _Kind:
    """Register a companion, as a decorator of its class. Raises :class:`ValueError` if the name or a key is taken."""
    taken = {key for registered in _REGISTERED.values() for key in registered.keys}
    if kind.name in _REGISTERED or taken & {*kind.keys}:
        raise ValueError(f"the companion {kind.name}, or one of its keys, is there already")
    _REGISTERED[kind.name] = kind
    return kind


def installed() -> list[type[CompanionKind]]:
    """All installed companions, in their order."""
    installation.load("starcloak.companions", kind="companions", part="companion")
    return sorted(_REGISTERED.values(), key=lambda kind: (kind.order, kind.name))


def resolved(job: Job, published: Result | None) -> Job:
    """Resolve a job by the result of the release published in its place, as all companions understand it."""
    for kind in installed():
        job = kind.resolve(job, published)
    return job


def needs_of(job: Job) -> Needs:
    """Needs of all companions of a job."""
    needs = Needs()
    for kind in installed():
        if kind.is_active(job, {}):
            needs |= kind.needs(job)
    return needs


def disclosed(parts: Mapping[str, Any], k: int) -> dict[str, Any]:
    """The companions' parts of a result, reduced to the content for readers."""
    kinds = {kind.name: kind for kind in installed()}
    parts_shown = {name: kinds[name].disclosed(part, k) for name, part in parts.items() if name in kinds}
    return {name: part for name, part in parts_shown.items() if part is not None}
