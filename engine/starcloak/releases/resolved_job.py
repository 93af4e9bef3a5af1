"""A job as every command takes it: open choices are settled by the release in its place and by its source.

Commands that run a job, look up its release or show it without a run resolve it here, so that they mean the same job.
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

    ``job`` has an objective: if it names none, that of the release in its place. Patterns of columns stay until the
    source is open. ``warnings`` name facts about the release in its place that cannot be read.
    """

    job: Job
    goal: Target
    warnings: tuple[str, ...] = ()

    @cached_property
    def hash(self) -> str:
        """Hash of the job in a manifest. It is independent of the columns that match its patterns."""
        return fingerprint.job(self.job)

    @property
    def unpublished(self) -> Job:
        """The job without an output: its release is not published."""
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
        """The job with the columns of its source that match its patterns and its role for all other columns."""
        return self.job.with_roles(opened.roles)

    def released(self) -> Result | None:
        """The result of the last release in the job's place, if that release is of this very job; else None.

        Raises :class:`~starcloak.base.errors.SourceError` if the manifest of that place cannot be read.
        """
        result = None if self.job.output is None else manifest.last_result(self.goal)
        return None if result is None or result.hashes.job != self.hash else result


def resolve(job: Job, target: Target | None = None) -> ResolvedJob:
    """Resolve a job by the release in its place. The place is ``target`` or, without one, the job's output.

    Raises :class:`~starcloak.base.errors.JobError` if the objective of that release does not go with the job.
    """
    target = target or registry.target(job)
    warnings: list[str] = []
    published = manifest.known_result(target, warnings)
    return ResolvedJob(companion.resolved(job, published), target, tuple(warnings))
