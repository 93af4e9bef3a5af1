"""Refusals of a refresh that need no row of the source: by the job, the release in its place and the kept data."""

from __future__ import annotations

from starcloak.base.errors import JobError
from starcloak.companions.refresh import refresh, refreshed_persons, retained_rows
from starcloak.releases import state
from starcloak.releases.run import Run


def refuse(run: Run) -> None:
    """Raise :class:`JobError` if the job's release cannot be refreshed. The place is prepared."""
    job, target = run.job, run.goal
    refresh.refuse_memory(target)
    if job.departures == "hold":
        retained_rows.refuse_job(job, framed=target.source is None)
    state.folder()  # a refresh is published only if its rows can be kept
    if job.refresh == "first":
        return
    try:
        about = refresh.about_before(run.store, target)
    except JobError:
        if run.may_be_unchanged:
            return  # without a change nothing is refreshed
        raise
    if about is None:
        return
    refresh.refuse_other_job(about, job)
    if job.departures == "hold" and not job.persons:
        retained_rows.refuse_other_k(about, job)
    if job.departures == "hold" and job.persons and not about.holds:
        raise JobError(refreshed_persons.NOT_HELD)
