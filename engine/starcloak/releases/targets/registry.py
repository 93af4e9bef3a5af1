"""Where a release goes, by what a job says of it: a file, memory, or a table of a database of any kind."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from starcloak.base.errors import OutputError
from starcloak.job import Job, Output, Place
from starcloak.releases.targets.file import File
from starcloak.releases.targets.memory import Memory
from starcloak.star import fingerprint

if TYPE_CHECKING:
    from starcloak.releases.targets.table import TableTarget
    from starcloak.releases.targets.target import Target
    from starcloak.store.hosts.url import Url


def target(job: Job, *, framed: bool = False) -> Target:
    """The target of a job, whose source may be a data frame; without an output the release stays in memory."""
    goal = _place(job)
    goal.source = None if framed else job.source
    goal.origin = fingerprint.origin(goal.source)
    here = None if goal.source is None else goal.source.url
    goal.tells_origin = not framed and not (here is not None and here.in_memory)
    return goal


def _place(job: Job) -> Target:
    match job.output:
        case None:
            return Memory()
        case Output(path=Path() as path, delimiter=delimiter, encoding=encoding):
            return File(path.absolute(), delimiter, is_marked=encoding == "utf-8-sig")
        case Output(table=str() as table, url=url):
            here = job.source.url if job.source is not None else None
            place = url or here
            if place is None:
                raise OutputError("output.table needs output.url, since the source is not in a database")
            # A refresh knows rows again in the working store: there it makes its release, and sends it.
            return table_of(place, table, source=None if job.refresh and not place.kind.embedded else here)
    raise OutputError("give output.path or output.table")


def table_of(url: Url, table: str, *, source: Url | None = None) -> TableTarget:
    """A table of the database of a URL as a target, for rows of the database of a ``source`` or of elsewhere."""
    if url.kind.embedded:
        from starcloak.releases.targets.duckdb_table import DuckDBTable

        return DuckDBTable(url, table, is_source=source is not None and source.embedded_file == url.embedded_file)
    if url.kind.transactional:
        from starcloak.releases.targets.database_table import DatabaseTable

        return DatabaseTable(url, table, at_source=url.is_same(source))
    if url.kind.views_alone:
        from starcloak.releases.targets.shown_table import ShownTable

        return ShownTable(url, table, at_source=url.is_same(source))
    from starcloak.releases.targets.swapped_table import SwappedTable

    return SwappedTable(url, table, at_source=url.is_same(source))


def place(of: Place) -> Target:
    """The place of a release that a user names as a source: a file, or a table of a database."""
    if of.path is not None:
        return File(of.path.absolute())
    assert of.url is not None
    assert of.table is not None
    return table_of(of.url, of.table, source=of.url)
