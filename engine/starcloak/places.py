"""Where rows are and where a release goes, by what a job says of them: a file, a frame, or a database of any kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from starcloak import fingerprint, source
from starcloak.database import release as remote
from starcloak.database import source as databases
from starcloak.database.release import DatabaseTable
from starcloak.errors import OutputError
from starcloak.job import Job, Output
from starcloak.job import Source as Place
from starcloak.release import File, Memory, Table, Target
from starcloak.session import Session
from starcloak.source import Source

if TYPE_CHECKING:
    import pandas


def open_source(
    session: Session,
    place: Place | None,
    roles: Mapping[str, Sequence[str]],
    *,
    frame: pandas.DataFrame | None = None,
    closed: bool = True,
) -> Source:
    """Open a source, or a frame in its stead, and check the roles against its columns.

    ``roles`` maps a role's name to columns; with ``closed``, a column without a role is an error. Raises
    :class:`SourceError` or :class:`JobError`: a file that cannot be read, a column that the source lacks or that has no
    role, a quasi-identifier whose type or values cannot be generalized.
    """
    if frame is None and place is not None and place.url is not None and source.is_remote(place.url):
        return databases.open_source(session, place, roles, closed=closed)
    return source.open_source(session, place, roles, frame=frame, closed=closed)


def target(job: Job, *, framed: bool = False) -> Target:
    """The target of a job, whose source may be a data frame; without an output the release stays in memory."""
    goal = _place(job)
    goal.origin = fingerprint.origin(None if framed else job.source)
    return goal


def _place(job: Job) -> Target:
    match job.output:
        case None:
            return Memory()
        case Output(path=Path() as path):
            return File(path.absolute())
        case Output(table=str() as table, url=url):
            origin = source.databases(job.source)
            here = job.source.url if job.source is not None else None
            place = url or here
            if place is not None and source.is_remote(place):
                return remote.target(place, table, at_source=place == here)
            if url is None and not origin:
                raise OutputError("output.table needs output.url, since the source is not in a database")
            database = source.database_path(url) if url is not None else origin[0]
            return Table(database, table, is_source=database in origin)
    raise OutputError("give output.path or output.table")


def refuse_source(job: Job, goal: Target) -> None:
    """Refuse to write a release over its own source table, and to keep dimension tables where there are none."""
    same = (
        isinstance(goal, Table) and goal.is_source and job.source is not None and goal.is_named(job.source.table or "")
    )
    if isinstance(goal, DatabaseTable) and job.source is not None and job.source.table is not None:
        same = goal.may_be(job.source.url, job.source.table)
        kept = list(job.quasi_identifiers) if job.keep_dimensions else []
        if any(goal.may_be(job.source.url, job.source.table, dimension=attribute) for attribute in kept):
            raise OutputError(
                f"{job.source.table}, the source, has the name of a dimension table of {goal.label}: leave "
                "keep_dimensions out, or choose another name for the release"
            )
    if same:
        raise OutputError(f"{goal.label} is the source: release to another place")
    if job.keep_dimensions and not isinstance(goal, DatabaseTable):
        raise OutputError(f"{goal.label} is not in a database that keeps dimension tables: leave keep_dimensions out")
