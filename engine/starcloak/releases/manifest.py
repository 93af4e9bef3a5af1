"""Manifests: the result of the last release per output place, with hashes of its inputs.

A place is the file or table of a release. If a run would have the same inputs as the last release in its place, it is
skipped and the release stays. Manifests contain unreduced results, so they lie in the custodian's own folder
(:mod:`~starcloak.releases.state`), never beside the release. A release of another source is replaced only if the job
has ``output.replace``.
"""

from __future__ import annotations

import json
import platform
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import duckdb

from starcloak.base.errors import InputError, OutputError, SourceError
from starcloak.job import Job
from starcloak.job.result import Result, Versions
from starcloak.releases import state
from starcloak.releases.targets.target import Target
from starcloak.star import fingerprint
from starcloak.store import staging
from starcloak.store.session import Session
from starcloak.store.source import Source

_NAME = 32  # characters of a manifest's name


def last_result(target: Target) -> Result | None:
    """The result of the last release in a place, read from its manifest; None if there is no manifest.

    Raises :class:`SourceError` if the manifest cannot be read, and :class:`OutputError` if the folder cannot be used.
    """
    path = _path(target)
    try:
        return Result.model_validate(json.loads(path.read_text(encoding="utf-8"))["result"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise SourceError(
            f"the manifest of the last release in {target.label} cannot be read ({type(error).__name__}), as it is "
            "incomplete or of another version: run its job again with --force"
        ) from None


def released_at(target: Target) -> str:
    """Time of the last release in a place, in ISO format: the modification time of its manifest; empty if unknown."""
    try:
        return datetime.fromtimestamp(_path(target).stat().st_mtime, UTC).isoformat()
    except (OSError, OutputError):
        return ""


def known_result(target: Target, warnings: list[str]) -> Result | None:
    """The result of the last release in a place, or None if there is no manifest or if it cannot be read.

    In the last case, a warning is appended to ``warnings``.
    """
    try:
        return last_result(target) if target.lasts else None
    except InputError as error:
        warnings.append(str(error))
        return None


def write(target: Target, result: Result) -> None:
    """Write the manifest of the release just published in a place, and delete manifests of files that are gone.

    Raises :class:`OutputError` if the manifest cannot be written; the older manifest of the place is then deleted.
    """
    try:
        path = _path(target)
        content = {"place": target.identity, "result": result.model_dump(mode="json")}
        try:
            staging.write(path, json.dumps(content) + "\n", result.run, private=True)
        except OSError:
            path.unlink(missing_ok=True)
            raise
        staging.sweep(path)
        for file in path.parent.glob(f"{'[0-9a-f]' * _NAME}.json"):
            if not _is_there(file):
                file.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(
            f"{target.label} is published, but its manifest cannot be saved ({state.reason(error)}), so the next run "
            "does not know this release and no report can describe it: free space there, then run again with --force"
        ) from None


def is_repeatable(result: Result) -> bool:
    """True if a run with the same inputs would make the same release again.

    It is False if an input changed during the run, or if a time limit or an interrupt ended the search.
    """
    summary, hashes = result.search.told, result.hashes
    return (summary is None or summary.is_repeatable) and None not in (
        hashes.source,
        hashes.release,
        *hashes.hierarchies.values(),
    )


def _path(target: Target) -> Path:
    return state.folder() / f"{fingerprint.text(target.identity + target.label)[:_NAME]}.json"


def _is_there(kept: Path) -> bool:
    try:
        place = json.loads(kept.read_text(encoding="utf-8"))["place"]
        return "://" in place or Path(place).exists()  # whether a table is there is not known from here
    except (OSError, ValueError, TypeError, KeyError):
        return False


@dataclass(frozen=True)
class Inputs:
    """Inputs that decide a release, to be compared with those of the last one.

    They are hashes of the job, each hierarchy, the program, the source and its population (None if unknown or absent),
    and also the columns of each role and the versions of the software.
    """

    job: str
    hierarchies: dict[str, str | None]
    program: str
    source: str | None
    versions: Versions
    roles: dict[str, list[str]]
    population: str | None = None

    @classmethod
    def of(cls, store: Session, job: Job, opened: Source) -> Inputs:
        """The inputs of a job with an opened source. The job's hash covers column patterns as written, unexpanded."""
        hierarchies = fingerprint.hierarchies(store, opened.host, job, opened)
        rows = fingerprint.source(store, opened) if opened.combinations is None else None
        people = None if opened.population is None else opened.population.fingerprint
        roles = job.with_roles(opened.roles).roles
        return cls(fingerprint.job(job), hierarchies, fingerprint.program(), rows, versions(), roles, people)

    @classmethod
    def of_result(cls, result: Result) -> Inputs:
        hashes = result.hashes
        people = None if result.population is None else result.population.fingerprint
        return cls(hashes.job, hashes.hierarchies, hashes.program, hashes.source, result.versions, result.roles, people)


def refuse_another_source(store: Session, job: Job, target: Target) -> str | None:
    """Raise :class:`OutputError` if the place has a release of another source and the job has no ``output.replace``.

    Returns a warning if there is a release of an unknown source, else None. Call it after the target was prepared.
    """
    before = target.origin_before(store)
    same = None if before is None else target.is_of_source(before)
    if before is not None and same is None:
        return (
            f"the previous release in {target.label} was replaced, and it is not known if it was a release of the "
            "same source"
        )
    if same is False and not (job.output and job.output.replace):
        raise OutputError(
            f"{target.label} is a release of another source: give output.replace: true, or choose another name"
        )
    return None


@cache
def versions() -> Versions:
    """Versions of starcloak, DuckDB and Python in this process."""
    from importlib.metadata import version

    return Versions(starcloak=version("starcloak"), duckdb=duckdb.__version__, python=platform.python_version())
