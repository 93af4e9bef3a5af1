"""What a run tells of its release."""

from __future__ import annotations

import platform
from typing import Any

import duckdb

from starcloak.insight.result import Insight
from starcloak.job import Job
from starcloak.measures import counting
from starcloak.release.clock import Clock
from starcloak.release.propose import Proposal
from starcloak.result import (
    AlgorithmUsed,
    Hashes,
    Measures,
    ModelReleased,
    QidReleased,
    QidRequired,
    Recoding,
    Requirement,
    Result,
    Versions,
)
from starcloak.targets.target import Target
from starcloak.verify.reading import Reading


def tell(
    job: Job,
    proposal: Proposal,
    reading: Reading,
    *,
    measures: dict[str, Any],
    looks: Insight | None,
    hashes: Hashes,
    clock: Clock,
    goal: Target,
) -> Result:
    """The result of a run whose release is out, with what was counted on it."""
    built, chosen, classes = proposal.star, proposal.recoding, reading.counts.classes
    measured = counting.complete(measures, classes, k=job.k, rows=built.rows, suppressed=chosen.suppressed)
    return Result(
        run=built.session.run_id,
        source=proposal.source.label,
        output=goal.label,
        rows=built.rows,
        released_rows=classes.rows,
        suppressed_rows=chosen.suppressed,
        k=classes.smallest,
        requirement=_required(job, reading),
        algorithm=_algorithm(job),
        objective=job.objective.minimize or "weights",
        seed=job.seed,
        recoding=Recoding(
            model=chosen.model,
            levels=chosen.levels,
            heights={dimension.attribute: dimension.height for dimension in built.dimensions},
        ),
        measures=Measures(**measured),
        search=proposal.search,
        insight=looks,
        seconds=clock.told(),
        versions=versions(),
        hashes=hashes,
        kept_by_patterns=list(job.kept_by_patterns),
        warnings=list(dict.fromkeys([*proposal.source.host.warnings, *goal.warnings])),
    )


def _required(job: Job, reading: Reading) -> Requirement:
    return Requirement(
        k=job.k if job.required.single else None,
        qids=[
            QidReleased(
                attributes=list(demand.attributes),
                k=demand.k,
                achieved_k=anonymity,
                models=[
                    ModelReleased(model=model.key, required=model.given, achieved=judged.achieved)
                    for of, model, judged in reading.judged
                    if of == demand
                ],
            )
            for demand, anonymity in zip(job.required.demands, reading.counts.classes.anonymity, strict=True)
        ],
        redundant_qids=[
            QidRequired(attributes=list(demand.attributes), k=demand.k) for demand in job.required.redundant
        ],
        suppression=float(job.requirement.suppression),
    )


def _algorithm(job: Job) -> AlgorithmUsed:
    settings = job.algorithm.model_dump(mode="json", by_alias=True)
    return AlgorithmUsed(name=settings.pop("name"), variant=settings.pop("variant", None), settings=settings)


def versions() -> Versions:
    from importlib.metadata import version

    return Versions(starcloak=version("starcloak"), duckdb=duckdb.__version__, python=platform.python_version())
