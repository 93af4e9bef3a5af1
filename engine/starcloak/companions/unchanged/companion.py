"""Unchanged: a run does no work if it would only repeat the release already at its output."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from starcloak.base import settings
from starcloak.base.errors import JobError
from starcloak.job import Job, Objective
from starcloak.job.result import Result
from starcloak.releases import manifest
from starcloak.releases.companion import register
from starcloak.releases.manifest import Inputs
from starcloak.releases.run import Companion

if TYPE_CHECKING:
    from starcloak.releases.run import Run


@register
class UnchangedCompanion(Companion):
    """Ends a run early if the release at its output is up to date. The option ``force`` makes the release again."""

    name = "unchanged"
    order = 10

    @classmethod
    def is_active(cls, job: Job, options: Mapping[str, Any]) -> bool:
        return True

    @classmethod
    def resolve(cls, job: Job, published: Result | None) -> Job:
        """Return the job with the objective of the release at its output (``published``), unless the job sets one.

        The objective is taken over only from a release by the same algorithm. Default objectives change with versions,
        and another objective would release the same rows a second time, differently. Raises
        :class:`~starcloak.base.errors.JobError` if the old objective is incompatible with the job.
        """
        if published is None or "objective" in job.model_fields_set or published.algorithm.name != job.algorithm.name:
            return job
        objective = Objective(minimize=published.objective, domain=published.domain)
        if objective == job.objective:
            return job
        job_with_objective = job.model_copy(update={"objective": objective})
        try:
            settings.check_together(job_with_objective)
        except JobError as error:
            raise JobError(
                f"{error}; the job has no objective and takes the objective of the previous release: give the job "
                "an objective"
            ) from None
        return job_with_objective

    def settled(self, run: Run) -> Result | None:
        job, target = run.job, run.goal
        if self.options.get("force") or job.keep_dimensions or not target.lasts:
            return None
        # No hash is kept of identifiers, and classes are counted by those that repeat.
        if run.source.identifiers or any(companion.keeps_running(run) for companion in run.companions):
            return None
        result = self._known(run)
        if result is None:
            return None
        target.sweep()
        notes = [note for companion in run.companions for note in companion.notes(run, result)]
        changed = {
            "unchanged": True,
            "source": run.source.label,
            "output": target.label,
            "seconds": run.clock.total(),
            "warnings": list(dict.fromkeys([*result.warnings, *run.warnings, *notes])),
        }
        return result.model_copy(update=changed)

    def _known(self, run: Run) -> Result | None:
        """The result of the release at the output if a run would repeat this release exactly.

        None otherwise, or in doubt.
        """
        inputs, target = run.inputs, run.goal
        result = manifest.known_result(target, run.warnings)
        if result is None or not manifest.is_repeatable(result) or inputs.source is None:
            return None
        if inputs != Inputs.of_result(result) or result.by_identifier:  # an identifier that repeats no more
            return None
        return result if result.hashes.release == target.digest(run.store, staged=False) else None
