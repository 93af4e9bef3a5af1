"""The star of a job, at hand for a benchmark of what comes after it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from starcloak.job import Job
from starcloak.sources.file_formats import databases_of, files_of
from starcloak.sources.open_source import open_source
from starcloak.star import frequency_sets, star, star_builder
from starcloak.store.session import Session


@contextmanager
def built(job: Job) -> Iterator[star.Star]:
    """Open, compress and build it, in a working store that closes afterwards."""
    with Session(files=files_of(job.source), databases=databases_of(job.source)) as session:
        opened = open_source(session, job.source, job.roles)
        session.lock_down()
        frequency_sets.compress(session, opened)
        yield star_builder.build(session, opened, job)
