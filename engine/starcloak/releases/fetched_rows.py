"""Rows of a database, brought to the working store for a refresh, which recognizes rows by their kept cells."""

from __future__ import annotations

from starcloak.base.errors import JobError
from starcloak.job import Job
from starcloak.releases.targets.target import Target
from starcloak.store.databases.database import Database
from starcloak.store.session import Session
from starcloak.store.source import Source


def bring(store: Session, job: Job, opened: Source, target: Target) -> Source:
    """The source with its rows in the working store. The database's reading transaction is ended.

    Raises :class:`JobError` if a refresh would need more of the database than its rows, and :class:`SourceError` for a
    column of a type that the working store cannot keep unchanged.
    """
    database = opened.host
    if not isinstance(database, Database) or database.views_alone:
        raise JobError(
            f"refresh: rows are known again in the working store, to which those of {opened.label} do not come: leave "
            "it out, and hold each release against those before by against"
        )
    for name, hierarchy in job.quasi_identifiers.items():
        if hierarchy.table_read is not None:
            raise JobError(
                f"refresh: the hierarchy of {name!r} is a table of the database, which is left before it is read: "
                "write it to a file, and give that as csv"
            )
    here = opened.home(store, target.type_kept)
    database.end_reading()
    store.warnings += database.warnings
    return here
