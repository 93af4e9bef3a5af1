"""The full-domain lattice of a job, counted once: every k and suppression is answered from it without the data."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starcloak.base import frames
from starcloak.commands.comparison.compare import Variants
from starcloak.insight import counted_lattice
from starcloak.insight.counted_lattice import CountedLattice
from starcloak.insight.release_summary import risk_before
from starcloak.job import Job, load
from starcloak.releases.proposal import refuse_places
from starcloak.releases.resolved_job import resolve
from starcloak.releases.targets.memory import Memory
from starcloak.star import star_builder
from starcloak.store.relations import sensitive_columns
from starcloak.store.resources import Resources

if TYPE_CHECKING:
    from starcloak.verify.population import PopulationSource


def lattice(
    job: Job | Mapping[str, Any] | str | Path,
    *,
    frame: frames.Frame | None = None,
    people: PopulationSource | None = None,
    resources: Resources = Resources(),
) -> CountedLattice:
    """Count the lattice of a job, within the population ``people`` if there is one. Reads the source, writes nothing.

    Raises an :class:`~starcloak.base.errors.InputError` for a job that cannot be used.
    """
    loaded = resolve(load(job)).unpublished
    refuse_places(loaded, Memory())
    with Variants(loaded, frame, resources, people) as variants:
        star = star_builder.build(variants.store, variants.opened, loaded)
        persons = sensitive_columns(loaded.required.reads, loaded.persons)
        before = risk_before(star, k=1, whole=True, persons=persons)
        return counted_lattice.count(star, loaded.required.over(star.domains), loaded.objective, before=before)
