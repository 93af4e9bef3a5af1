"""The places of a run: what it writes never takes the place of what it reads, of another file that it writes, or of a
file of another kind.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from starcloak.base.errors import OutputError
from starcloak.job import Job
from starcloak.sources.place import database_files_of, files_of, takes
from starcloak.store import staging
from starcloak.store.session import database_files
from starcloak.store.staging import Written

if TYPE_CHECKING:
    from starcloak.releases.targets.target import Target


def refuse_source(job: Job, goal: Target) -> None:
    """Refuse to write a release over its own source table, and to keep dimension tables where there are none."""
    if goal.may_be(job.source):
        raise OutputError(f"{goal.label} is the source: release to another place")
    if job.requirement.population is not None and goal.may_be(job.requirement.population):
        raise OutputError(f"{goal.label} is the population: release to another place")
    if not job.keep_dimensions:
        return
    if not goal.keeps_dimensions:
        raise OutputError(f"{goal.label} is not in a database that keeps dimension tables: leave keep_dimensions out")
    if any(goal.may_be(job.source, dimension=attribute) for attribute in job.quasi_identifiers):
        assert job.source is not None
        raise OutputError(
            f"{job.source.table}, the source, has the name of a dimension table of {goal.label}: leave "
            "keep_dimensions out, or choose another name for the release"
        )


def refuse(job: Job, written: Sequence[Written]) -> None:
    """Refuse, before any work, files that cannot be written or that would take another one's place.

    Paths are compared with links followed, and as files: two names of one file are the same. Raises
    :class:`OutputError`.
    """
    read = [("the source", job.source), ("the population", job.requirement.population)]
    databases = [
        (name, file) for name, place in read for path in database_files_of(place) for file in _with_its_own(path)
    ]
    others = [*((f"{name} of the job", path) for name, path in _descriptions(job)), *databases]
    others += [(name, path) for name, place in read for path in files_of(place)]
    for output in written:
        for name, place in read:
            if takes(place, output.path):
                raise OutputError(f"{output.name} would be of the files of {name}, {output.path}: check {output.key}")
        try:
            _refuse(output, [other for other in others if not (output.may_be_source and other in databases)])
        except (OSError, RuntimeError, ValueError) as error:
            raise OutputError(f"{output.name} cannot be written ({type(error).__name__}): check {output.key}") from None
        others += [(output.name, file) for file in _with_its_own(output.path)]


def _refuse(output: Written, others: Sequence[tuple[str, Path]]) -> None:
    for name, path in others:
        if _is_same(output.path, path):
            raise OutputError(f"{output.name} would take the place of {name}, {path}: check {output.key}")
    folder = output.path.resolve().parent
    if not output.makes_folder and not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise OutputError(f"{folder} is not a folder that can be written: check {output.key}")
    with suppress(FileNotFoundError):  # it is not there, as it should be
        staging.of(output.path.resolve(), "0" * 32).lstat()  # fails where its name is too long
    if (
        output.is_own is not None
        and output.path.exists()
        and not (output.path.is_file() and output.is_own(output.path))
    ):
        raise OutputError(
            f"{output.name} would replace {output.path}, which is something else: move it, or check {output.key}"
        )


def _with_its_own(path: Path) -> list[Path]:
    """A file with those that a database, if it is one, may have beside it and reads when it is opened."""
    return [*database_files(path), *(path.with_name(f"{path.name}-{kind}") for kind in ("journal", "wal", "shm"))]


def _descriptions(job: Job) -> list[tuple[str, Path]]:
    """The files that say what to do."""
    hierarchies = [path for kind in job.quasi_identifiers.values() for path in kind.files]
    return [*(("a file", path) for path in job.files), *(("a hierarchy", path) for path in hierarchies)]


def _is_same(one: Path, other: Path) -> bool:
    if one.resolve() == other.resolve():
        return True
    try:
        return one.samefile(other)
    except OSError:
        return False
