"""Where a release goes, by what a job says of it: a file, memory, or a table of a database of any kind."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from starcloak import fingerprint
from starcloak.errors import OutputError
from starcloak.hosts.url import database_path, is_remote
from starcloak.job import Job, Output
from starcloak.source.place import databases_of
from starcloak.targets import database_table
from starcloak.targets.database_table import DatabaseTable
from starcloak.targets.duckdb_table import Table
from starcloak.targets.file import File
from starcloak.targets.memory import Memory
from starcloak.targets.target import Target

if TYPE_CHECKING:
    pass


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
            origin = databases_of(job.source)
            here = job.source.url if job.source is not None else None
            place = url or here
            if place is not None and is_remote(place):
                return database_table.target(place, table, at_source=place == here)
            if url is None and not origin:
                raise OutputError("output.table needs output.url, since the source is not in a database")
            database = database_path(url) if url is not None else origin[0]
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
