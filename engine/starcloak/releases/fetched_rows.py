"""Copying the rows of a database to the local working store, for a refresh.

A refresh repeats the recoding of an earlier release for changed rows; it compares rows with their kept cells.
"""

from __future__ import annotations

from starcloak.base.errors import JobError
from starcloak.job import Job
from starcloak.releases.targets.target import Target
from starcloak.store.databases.database import Database
from starcloak.store.databases.host import Host
from starcloak.store.session import Session
from starcloak.store.source import Source


def refuse(job: Job, database: Host) -> None:
    """Raise :class:`JobError` if a refresh cannot copy the rows from this database; called before any row is read.

    It cannot if the database publishes by views (``views_alone``, as Spark), or if it has a hierarchy as a table.
    """
    if not isinstance(database, Database):
        return
    if database.views_alone:
        raise JobError(
            f"refresh does not support a source in {database.name}: leave refresh out, and name earlier releases "
            "under against"
        )
    for name, hierarchy in job.quasi_identifiers.items():
        if hierarchy.table_read is not None:
            raise JobError(
                f"refresh does not support the hierarchy of {name!r}, which is a table of the database: write the "
                "hierarchy to a file, and give this file as csv"
            )


def bring(store: Session, opened: Source, target: Target) -> Source:
    """The source with a copy of its rows in the working store. Ends the database's reading transaction.

    Raises :class:`SourceError` for a column of a type that the working store cannot keep unchanged.
    """
    database = opened.host
    assert isinstance(database, Database)
    here = opened.home(store, target.type_kept)
    database.end_reading()
    store.warnings += database.warnings
    return here
