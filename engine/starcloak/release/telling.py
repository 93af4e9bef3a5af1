"""What a run tells of its release."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import duckdb

from starcloak.insight.result import ByIdentifier, Insight, SizesSeen
from starcloak.job import WEIGHTS, Job
from starcloak.measures import counting
from starcloak.privacy.k_anonymity.model import KAnonymity
from starcloak.privacy.persons.model import HISTORIES
from starcloak.privacy.persons.model import Persons as PersonsModel
from starcloak.privacy.requirement import Demand
from starcloak.release.clock import Clock
from starcloak.release.propose import Proposal
from starcloak.result import (
    AlgorithmUsed,
    Hashes,
    Measures,
    ModelReleased,
    Persons,
    Population,
    QidReleased,
    QidRequired,
    Recoding,
    Requirement,
    Result,
    Versions,
)
from starcloak.source.source import Populated
from starcloak.targets.target import Target
from starcloak.verify.reading import Reading

if TYPE_CHECKING:
    from starcloak.earlier.told import Told


def tell(
    job: Job,
    proposal: Proposal,
    reading: Reading,
    *,
    measures: dict[str, Any],
    sizes: list[SizesSeen],
    looks: Insight | None,
    identified: list[ByIdentifier],
    spelled: list[str],
    told: Told,
    hashes: Hashes,
    clock: Clock,
    goal: Target,
) -> Result:
    """The result of a run whose release is verified, with what was counted on it."""
    built, chosen, classes = proposal.star, proposal.recoding, reading.counts.classes
    measured = counting.complete(measures, classes, k=job.k, rows=built.rows, suppressed=chosen.suppressed)
    return Result(
        run=built.session.run_id,
        source=proposal.source.label,
        output=goal.label,
        rows=built.rows,
        released_rows=classes.rows,
        suppressed_rows=chosen.suppressed,
        k=reading.smallest,
        persons=_persons(job, proposal, reading),
        by_identifier=identified,
        requirement=_requirement(job, reading),
        population=_population(proposal.source.population),
        algorithm=_algorithm(job),
        objective=job.objective.minimize or WEIGHTS,
        seed=job.seed,
        recoding=Recoding(
            model=chosen.model,
            levels=chosen.levels,
            heights={dimension.attribute: dimension.height for dimension in built.dimensions},
        ),
        measures=Measures(**measured),
        search=proposal.search,
        class_sizes=sizes,
        insight=looks,
        joint=told.risk.pairs,
        joint_together=told.risk.together,
        seconds=clock.tell(),
        memory_limit=built.session.memory_limit,
        versions=versions(),
        hashes=hashes,
        kept_by_patterns=list(job.kept_by_patterns),
        warnings=warnings(proposal, told, goal, identified, spelled),
    )


def warnings(
    proposal: Proposal, told: Told, goal: Target, identified: Sequence[ByIdentifier], spelled: Sequence[str]
) -> list[str]:
    """What the user is warned of, each once: by where the rows are, by where they go, by earlier releases, by how
    sensitive values are ``spelled``, and last where rows are not persons.
    """
    few_persons = [found.sentence(several=len(identified) > 1) for found in identified if not found.holds]
    return list(dict.fromkeys([*proposal.source.host.warnings, *goal.warnings, *told.warnings, *spelled, *few_persons]))


def _persons(job: Job, proposal: Proposal, reading: Reading) -> Persons | None:
    """Whose rows the source and the release have."""
    if reading.persons is None:
        return None
    (everybody,) = proposal.star.domains[job.persons[0]].totals
    return Persons(told_by=list(job.persons), as_set=job.as_set, persons=everybody, released=reading.persons.persons)


def _population(found: Populated | None) -> Population | None:
    """Of what population the verifier counted the people."""
    if found is None:
        return None
    return Population(source=found.label, people=found.people, tuples=found.tuples, fingerprint=found.fingerprint)


def _smallest(reading: Reading, demand: Demand, rows: int | None) -> int | None:
    """The smallest class of a demand: of rows or, where these are told apart, of persons, or of their histories."""
    of_persons = {model.key: judged.achieved for of, model, judged in reading.judged if of == demand}
    for key in (HISTORIES, PersonsModel.key):
        if key in of_persons:
            achieved = of_persons[key]
            return None if achieved is None else int(achieved)
    return rows


def _requirement(job: Job, reading: Reading) -> Requirement:
    return Requirement(
        k=job.k if job.required.single else None,
        qids=[
            QidReleased(
                attributes=list(demand.attributes),
                k=demand.k,
                achieved_k=_smallest(reading, demand, anonymity),
                models=[
                    ModelReleased(model=model.key, required=model.given, achieved=judged.achieved)
                    for of, model, judged in reading.judged
                    if of == demand and model.key not in (KAnonymity.key, PersonsModel.key, HISTORIES)
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
