"""Spelling: a warning on sensitive values that differ only in spelling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from starcloak.job import Job
from starcloak.releases.companion import register
from starcloak.releases.run import Addition, Companion

if TYPE_CHECKING:
    from starcloak.releases.run import Run
    from starcloak.verify.recount import Reading


@register
class SpellingCompanion(Companion):
    """Warns of values of a sensitive text column that differ only in spelling: privacy models count these as
    different.
    """

    name = "spelling"
    order = 40

    @classmethod
    def is_active(cls, job: Job, options: Mapping[str, Any]) -> bool:
        return bool(job.required.reads)

    def examine(self, run: Run, reading: Reading) -> Addition:
        from starcloak.verify.recount import VALUES

        job, names = run.job, reading.valued_columns
        sensitive = {*names} - {*job.quasi_identifiers}
        texts = [
            column.name for column in reading.claim.source.released if column.name in sensitive and column.has_spellings
        ]
        if not texts:
            return Addition()
        from starcloak.sources import spelling

        attributes = [demand.attributes for demand in job.required.demands]
        return Addition(warnings=spelling.notes(run.store, VALUES, names, texts, attributes, persons=job.persons))
