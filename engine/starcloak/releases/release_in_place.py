"""Whether the release that a run would make is in its place already, and whether what is there may be replaced."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from functools import cache

import duckdb

from starcloak.base.errors import OutputError
from starcloak.job import WEIGHTS, Job, Objective
from starcloak.job.result import Result, Versions
from starcloak.releases import manifest
from starcloak.releases.targets.target import Target
from starcloak.star import fingerprint
from starcloak.store.session import Session
from starcloak.store.source import Source


@dataclass(frozen=True)
class Inputs:
    """What decides a release: hashes of the job, its hierarchies, the program, the source and its population, and the
    versions.
    """

    job: str
    hierarchies: dict[str, str | None]
    program: str
    source: str | None
    versions: Versions
    population: str | None = None

    @classmethod
    def of(cls, store: Session, job: Job, opened: Source) -> Inputs:
        hierarchies = fingerprint.hierarchies(store, opened.host, job, opened)
        rows = fingerprint.source(store, opened) if opened.combinations is None else None
        people = None if opened.population is None else opened.population.fingerprint
        return cls(fingerprint.job(job), hierarchies, fingerprint.program(), rows, versions(), people)

    @classmethod
    def of_result(cls, known: Result) -> Inputs:
        hashes = known.hashes
        people = None if known.population is None else known.population.fingerprint
        return cls(hashes.job, hashes.hierarchies, hashes.program, hashes.source, known.versions, people)


def as_before(job: Job, goal: Target, warnings: list[str]) -> Job:
    """The job with the objective of the release in its place, where it names none and has the same algorithm.

    Defaults change with versions, and the same rows released by another objective would be a second release of them.
    """
    before = manifest.known_result(goal, warnings)
    if before is None or "objective" in job.model_fields_set or before.algorithm.name != job.algorithm.name:
        return job
    if before.objective in (job.objective.minimize, WEIGHTS):
        return job
    return job.model_copy(update={"objective": Objective.model_validate({"minimize": before.objective})})


def last_result(store: Session, inputs: Inputs, goal: Target, warnings: list[str]) -> Result | None:
    """The result of the release that is in its place, if a run would only make it again; in doubt, none."""
    known = manifest.known_result(goal, warnings)
    if known is None or not manifest.is_repeatable(known) or inputs.source is None or inputs != Inputs.of_result(known):
        return None
    if known.by_identifier:  # it repeats no more
        return None
    return known if known.hashes.release == goal.digest(store, staged=False) else None


def refuse_another_source(store: Session, job: Job, opened: Source, goal: Target) -> None:
    """Refuse to replace a release of another source, unless the job says so."""
    before = goal.origin_before(store)
    same = None if before is None else goal.is_of_source(before)
    if before is not None and same is None:
        opened.host.warnings.append(
            f"the release before in {goal.label} does not tell its source here: it was replaced, whatever it was of"
        )
    elif same is False and not (job.output and job.output.replace):
        raise OutputError(
            f"{goal.label} is a release of another source: give output.replace: true, or choose another name"
        )


@cache
def versions() -> Versions:
    """What this process runs with."""
    from importlib.metadata import version

    return Versions(starcloak=version("starcloak"), duckdb=duckdb.__version__, python=platform.python_version())
