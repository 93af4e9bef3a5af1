"""The release that a report is asked for: by its place, or by the job that made it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from starcloak import fingerprint
from starcloak.errors import SourceError
from starcloak.job import Source as Place
from starcloak.job import load
from starcloak.pipeline import run
from starcloak.release import manifest
from starcloak.release.opening import refuse_places
from starcloak.release.resources import Resources
from starcloak.report import write
from starcloak.targets import registry
from starcloak.targets.file import File
from starcloak.targets.registry import target

if TYPE_CHECKING:
    from starcloak.result import Result


def of_place(place: Place) -> Result:
    """The result of the run that released into a place, from its manifest. Raises :class:`SourceError`."""
    goal = None if place.path is None and (place.url is None or place.table is None) else registry.place(place)
    found = None if goal is None else manifest.last_result(goal)
    if goal is None or found is None:
        label = "the query" if goal is None else goal.label
        if isinstance(goal, File) and not goal.path.is_file():
            raise SourceError(f"{goal.label} is not a file: name a release, or its job")
        raise SourceError(
            f"{label} has no manifest here, which every run keeps beside it in $XDG_STATE_HOME/starcloak: run its job "
            "again with --force, or give the job instead"
        )
    if isinstance(goal, File) and (not goal.path.is_file() or fingerprint.file(goal.path) != found.hashes.release):
        raise SourceError(f"{goal.label} is not what its run released: run its job again with --force")
    return found


def of_job(path: Path, into: Path, *, resources: Resources = Resources()) -> tuple[Result, bool]:
    """The result of the release that a job has made, and whether there is one.

    Where no manifest of it is kept, or the job is another one by now, it is of a run whose release stays in memory.
    """
    job = load(path)
    goal = target(job)
    refuse_places(job, goal, write.file_to_write(into))
    found = None if job.output is None else manifest.last_result(goal)
    if found is not None and found.hashes.job == fingerprint.job(job):
        return found, True
    alone = job.model_copy(update={"output": None, "keep_dimensions": False, "refresh": False})
    return run(alone, resources=resources).result, False
