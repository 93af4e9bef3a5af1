"""A job as every command takes it: what it leaves open is settled by the release in its place and by its source.

A command that runs a job, one that looks its release up and one that shows it without a run resolve it here, so that
they mean the same job.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from starcloak.job import Job, Place
from starcloak.job.result import Result
from starcloak.releases import companion, manifest
from starcloak.releases.targets import registry
from starcloak.releases.targets.target import Target
from starcloak.star import fingerprint
from starcloak.store.source import Source


@dataclass(frozen=True)
class ResolvedJob:
    """A job and the ``goal`` of its release.

    ``job`` has an objective, that of the release in its place if it names none. Its patterns stay: their columns are
    those of a source, once that is open. ``warnings`` say what cannot be known here of the release in its place.
    """

    job: Job
    goal: Target
    warnings: tuple[str, ...] = ()

    @cached_property
    def hash(self) -> str:
        """Hash of the job in a manifest; it does not depend on the columns that match its patterns."""
        return fingerprint.job(self.job)

    @property
    def unpublished(self) -> Job:
        """The job of a release that goes nowhere."""
        return self.job.model_copy(update={"output": None, "keep_dimensions": False})

    @property
    def place(self) -> Place | None:
        """Place of the release; None if the job has no output."""
        if (output := self.job.output) is None:
            return None
        if output.path is not None:
            return Place(path=output.path)
        here = None if self.job.source is None else self.job.source.url
        return Place(url=output.url or here, table=output.table)

    def of_source(self, opened: Source) -> Job:
        """The job with the columns that its patterns, and its word on all others, mean in its source."""
        return self.job.with_roles(opened.roles)

    def released(self) -> Result | None:
        """The result of the release of this very job that was the last one in its place.

        Raises :class:`~starcloak.base.errors.SourceError` if the manifest of that place cannot be read.
        """
        result = None if self.job.output is None else manifest.last_result(self.goal)
        return None if result is None or result.hashes.job != self.hash else result


def resolve(job: Job, goal: Target | None = None) -> ResolvedJob:
    """A job with what it leaves to the release in its place, which is ``goal`` unless its output says the place.

    Raises :class:`~starcloak.base.errors.JobError` if the objective of that release does not go with the job.
    """
    goal = goal or registry.target(job)
    warnings: list[str] = []
    published = manifest.known_result(goal, warnings)
    return ResolvedJob(companion.resolved(job, published), goal, tuple(warnings))
