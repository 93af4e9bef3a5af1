"""The full-domain lattice of a job, opened and counted once; see :mod:`starcloak.commands.counted_lattice`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starcloak.base import frames
from starcloak.base.errors import JobError
from starcloak.commands import counted_lattice
from starcloak.commands.comparison.compare import Variants
from starcloak.commands.counted_lattice import CountedLattice
from starcloak.job import Job, load
from starcloak.privacy.persons.model import DistinctPersons
from starcloak.privacy.requirement import Requirement
from starcloak.releases.proposal import resolve
from starcloak.releases.release_measures import risk_before
from starcloak.star import star_builder
from starcloak.star.working_tables import sensitive_columns
from starcloak.store.resources import Resources

if TYPE_CHECKING:
    from starcloak.verify.population import PopulationSource

#: More persons than any table has.
_ALL = 1 << 53


def lattice(
    job: Job | Mapping[str, Any] | str | Path,
    *,
    frame: frames.Frame | None = None,
    people: PopulationSource | None = None,
    resources: Resources = Resources(),
    report: Callable[[CountedLattice], None] | None = None,
) -> CountedLattice:
    """Count the equivalence classes of every node of a job's lattice. Reads the source, writes nothing.

    ``people`` is the population for models such as k-map. ``report`` is called early with an incomplete lattice, the
    frontier for the job's own k, before the whole lattice is counted. The releases under ``against`` are not counted:
    only a run measures joint k with them.

    Raises an :class:`~starcloak.base.errors.InputError` for a job that cannot be used.
    """
    loaded = _with_all_persons(resolve(load(job)).unpublished())
    if loaded.verified_alone:
        raise JobError(
            f"lattice: {' and '.join(loaded.verified_alone)}: only the verifier of a run counts this, so no answer "
            "would be that of a run: leave it out for the lattice, or run the job"
        )
    with Variants(loaded, frame, resources, people) as variants:
        star = star_builder.build(variants.store, variants.opened, loaded)
        persons = sensitive_columns(loaded.required.reads, loaded.persons)
        before = risk_before(star, k=1, persons=persons)
        requirement = loaded.required.over(star.domains)
        return counted_lattice.count(star, requirement, loaded.objective, before=before, report=report)


def _with_all_persons(job: Job) -> Job:
    """The job with a requirement that counts all persons of a class, not only up to k, for an answer to any k."""
    if not job.persons or job.as_set:
        return job
    required = job.required
    demands = [
        replace(
            demand,
            models=tuple(
                model.model_copy(update={"most": _ALL}) if isinstance(model, DistinctPersons) else model
                for model in demand.models
            ),
        )
        for demand in required.demands
    ]
    counted = job.model_copy()
    counted.__dict__["required"] = Requirement.of(demands, required.suppression)
    return counted
