"""Kinds of companions, that is, of optional features of a run: their names, job keys and data needs.

Every command uses this part of a companion. The methods called during a run are in ``run``.
"""

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
    """Data of the source's database that a companion needs in the local working store.

    ``rows`` are all rows; ``combinations`` is the base frequency set alone. With ``whole_tuples``, the search must put
    all rows with equal quasi-identifiers into one class.
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
    """A companion (an optional feature of a run) as a class, before any run.

    ``order`` sorts companions: a run calls them in ascending order. ``keys`` are the keys of a job that belong to the
    companion. ``settings`` is the type of its settings under ``companions`` in a job, used by companions from other
    packages.
    """

    name: ClassVar[str]
    order: ClassVar[int] = 100
    keys: ClassVar[tuple[str, ...]] = ()
    settings: ClassVar[type[Settings] | None] = None

    @classmethod
    def is_active(cls, job: Job, options: Mapping[str, Any]) -> bool:
        """True if the companion takes part in the run of a job with the ``options`` of the call.

        By default it does if the job has the key with the companion's name, or settings for the companion, or if an
        option has the companion's name.
        """
        has_key = cls.name in cls.keys and bool(getattr(job, cls.name))
        return has_key or cls.name in job.companions or options.get(cls.name) is not None

    @classmethod
    def resolve(cls, job: Job, published: Result | None) -> Job:
        """The job with settings taken from the previous release in the same output place; by default unchanged.

        ``published`` is the result of this release, None if there is none. Every command resolves its job like this.
        """
        return job

    @classmethod
    def needs(cls, job: Job) -> Needs:
        """Data that the companion needs from the source's database."""
        return Needs()

    @classmethod
    def disclosed(cls, part: Any, k: int) -> Any:
        """The companion's ``part`` of a result, reduced to content for recipients of the release; None for nothing.

        ``k`` is the largest required k: counts from 1 to k - 1 must not appear.
        """
        return None


_REGISTERED: dict[str, type[CompanionKind]] = {}
_Kind = TypeVar("_Kind", bound=type[CompanionKind])


def register(kind: _Kind) -> _Kind:
    """Register a companion, as a decorator of its class. Raises :class:`ValueError` if the name or a key is taken."""
    taken = {key for registered in _REGISTERED.values() for key in registered.keys}
    if kind.name in _REGISTERED or taken & {*kind.keys}:
        raise ValueError(
            f"a companion with the name {kind.name} or with one of its keys is registered already: rename the "
            "companion or the key"
        )
    _REGISTERED[kind.name] = kind
    return kind


def installed() -> list[type[CompanionKind]]:
    """All installed companions, sorted by ``order`` and name."""
    installation.load("starcloak.companions", kind="companions", part="companion")
    return sorted(_REGISTERED.values(), key=lambda kind: (kind.order, kind.name))


def resolved(job: Job, published: Result | None) -> Job:
    """The job after every companion's :meth:`~CompanionKind.resolve`; ``published`` is None if there is no release."""
    for kind in installed():
        job = kind.resolve(job, published)
    return job


def needs_of(job: Job) -> Needs:
    """Data of the source's database needed by any companion that the job's keys make active."""
    needs = Needs()
    for kind in installed():
        if kind.is_active(job, {}):
            needs |= kind.needs(job)
    return needs


def disclosed(parts: Mapping[str, Any], k: int) -> dict[str, Any]:
    """The companions' parts of a result, by name, reduced to content for recipients; ``k`` is the largest required k.

    Parts of companions that are not installed are omitted.
    """
    kinds = {kind.name: kind for kind in installed()}
    parts_shown = {name: kinds[name].disclosed(part, k) for name, part in parts.items() if name in kinds}
    return {name: part for name, part in parts_shown.items() if part is not None}
