"""A release that was made before, with what its custodian keeps of it: by its place, or by the job that made it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from starcloak.base.errors import JobError, OutputError
from starcloak.commands.find_result import refuse_altered
from starcloak.job import Job, Place, load
from starcloak.releases import manifest
from starcloak.releases.earlier import apply_recoding, saved_recodings
from starcloak.releases.earlier.masked_release import Outlet
from starcloak.releases.earlier.saved_recodings import Recoded
from starcloak.releases.targets import registry
from starcloak.sources.open_source import open_source, open_store
from starcloak.sources.roles import is_pattern
from starcloak.star import fingerprint
from starcloak.store.resources import Resources

if TYPE_CHECKING:
    import pyarrow


def recoding_of(place: Place) -> Recoded:
    """The recoding of the last release in a place. Raises :class:`OutputError` where it is not kept here."""
    goal = registry.place(place)
    about = saved_recodings.of_place(saved_recodings.place_of(goal))
    found = None if about is None else saved_recodings.read(about)
    if found is None:
        raise OutputError(
            f"{goal.label}: the recoding of this release is not kept here ($XDG_STATE_HOME/starcloak of the user who "
            "ran its job): run the job again with --force"
        )
    return found


def masked(path: Path, changes: Sequence[str], source: Place, *, into: Path, k: int | None) -> pyarrow.Table:
    """Rows of a source, masked as the release of a job is, which still stands in its place: an Arrow table, shuffled.

    They are written to the new file ``into``. ``k`` is that of the job unless given. Raises :class:`JobError` where no
    release of this very job is known, and as :meth:`~starcloak.releases.release.Release.apply` does.
    """
    job = _with_columns_of(source, load(path, changes=changes))
    goal = registry.target(job)
    result = None if job.output is None else manifest.last_result(goal)
    if job.output is None or result is None or result.hashes.job != fingerprint.job(job):
        raise JobError(f"{path}: no release of this job is known here: run it first, by starcloak run")
    url = job.output.url or (job.source.url if job.source is not None else None)
    place = Place(path=job.output.path) if job.output.path else Place(url=url, table=job.output.table)
    refuse_altered(goal, place, result, Resources())
    rows: pyarrow.Table = apply_recoding.apply(
        job, recoding_of(place), source, hierarchies=result.hashes.hierarchies, k=k, outlet=Outlet(goal, into)
    )
    return rows


def _with_columns_of(source: Place, job: Job) -> Job:
    """The job with the columns that its patterns, and its word on all others, mean in a source."""
    if job.others is None and not any(is_pattern(name) for names in job.roles.values() for name in names):
        return job
    with open_store(source, Resources()) as store:
        opened = open_source(store, source, job.roles, others=job.others, clean=job.clean)
        return job.with_roles(opened.roles)
