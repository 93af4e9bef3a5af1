"""Resolution of a job: settings left open are taken from the last release in its output place, and from its source.

All commands resolve a job here, so that its hash, by which a release is recognized, is the same in every command.
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
    """A job with its open settings decided, and the target of its release (``goal``).

    If the job file names no objective, ``job`` has the objective of the last release in its place. Column patterns are
    expanded only once the source is open. ``warnings`` report a manifest of the last release that cannot be read.
    """

    job: Job
    goal: Target
    warnings: tuple[str, ...] = ()

    @cached_property
    def hash(self) -> str:
        """Hash of the job, as kept in manifests. Column patterns are hashed as written, not as expanded."""
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
        """The job with column patterns, and the role for all other columns, replaced by the source's column names."""
        return self.job.with_roles(opened.roles)

    def released(self) -> Result | None:
        """The result of the last release in the job's output place, if made by a job with the same hash; else None.

        Raises :class:`~starcloak.base.errors.SourceError` if the manifest of that place cannot be read.
        """
        result = None if self.job.output is None else manifest.last_result(self.goal)
        return None if result is None or result.hashes.job != self.hash else result


def resolve(job: Job, target: Target | None = None) -> ResolvedJob:
    """Decide the open settings of a job by the last release in its place: ``target``, or else the job's output.

    Raises :class:`~starcloak.base.errors.JobError` if the objective of that release does not go with the job.
    """
    target = target or registry.target(job)
    warnings: list[str] = []
    published = manifest.known_result(target, warnings)
    return ResolvedJob(companion.resolved(job, published), target, tuple(warnings))
