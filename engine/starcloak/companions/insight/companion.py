"""Insight: comparison of a release with its source, with remarks on points to review."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from starcloak.job import Job
from starcloak.releases.companion import register
from starcloak.releases.run import Addition, Claims, Companion
from starcloak.store.source import Source

if TYPE_CHECKING:
    from starcloak.releases.run import Run
    from starcloak.verify.recount import Reading


@register
class InsightCompanion(Companion):
    """Adds remarks on the release to the result of a run. The job's key ``insight: off`` disables this companion."""

    name = "insight"
    order = 30
    keys = ("insight",)

    @classmethod
    def is_active(cls, job: Job, options: Mapping[str, Any]) -> bool:
        return job.insight == "auto"

    def claims(self, run: Run, source: Source) -> Claims:
        """Sensitive columns to count per class: the verifier then finds classes with a single value in its
        one reading.
        """
        if not run.job.sensitive or source.combinations is not None:
            return Claims()
        from starcloak.companions.insight import kept_columns

        rows = run.proposal.star.rows - run.proposal.recoding.suppressed
        return Claims(looked_at=kept_columns.looked_at(source, run.job.sensitive, rows))

    def examine(self, run: Run, reading: Reading) -> Addition:
        if run.proposal.source.combinations is not None:
            return Addition()
        from starcloak.companions.insight.release_insight import insight

        return Addition(fields={"insight": insight(run, reading)})
