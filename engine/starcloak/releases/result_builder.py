"""What a run tells of its release."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from starcloak.insight import measurement
from starcloak.job import WEIGHTS, Job
from starcloak.job.release_insight import ByIdentifier, Insight, SizesSeen
from starcloak.job.result import (
    AlgorithmUsed,
    CellsCleaned,
    Hashes,
    Measures,
    ModelReleased,
    PersonsReleased,
    PopulationUsed,
    QidReleased,
    QidRequired,
    RecodingSummary,
    RequirementReleased,
    Result,
)
from starcloak.privacy.k_anonymity.model import KAnonymity
from starcloak.privacy.persons.model import HISTORIES
from starcloak.privacy.persons.model import DistinctPersons as PersonsModel
from starcloak.privacy.requirement import Demand
from starcloak.releases.clock import Clock
from starcloak.releases.release_in_place import versions
from starcloak.releases.run_search import Proposal
from starcloak.releases.targets.target import Target
from starcloak.store.source import Populated
from starcloak.verify.recount import Reading

if TYPE_CHECKING:
    from starcloak.releases.earlier.known_releases import KnownReleases


def build_result(
    job: Job,
    proposal: Proposal,
    reading: Reading,
    *,
    measures: dict[str, Any],
    sizes: list[SizesSeen],
    insight: Insight | None,
    identified: list[ByIdentifier],
    spelled: list[str],
    known: KnownReleases,
    hashes: Hashes,
    clock: Clock,
    goal: Target,
) -> Result:
    """The result of a run whose release is verified, with what was counted on it."""
    built, chosen, classes = proposal.star, proposal.recoding, reading.counts.classes
    heights = {dimension.attribute: dimension.height for dimension in built.dimensions}
    measured = measurement.complete(measures, classes, k=job.k, rows=built.rows, suppressed=chosen.suppressed)
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
        roles=job.roles,
        requirement=_requirement(job, reading),
        population=_population(proposal.source.population),
        algorithm=_algorithm(job),
        objective=job.objective.minimize or WEIGHTS,
        seed=job.seed,
        recoding=RecodingSummary(
            model=chosen.model,
            levels=chosen.levels,
            heights=heights,
            labels=job.labels(heights),
        ),
        measures=Measures(**measured),
        search=proposal.search,
        class_sizes=sizes,
        insight=insight,
        cleaned=[CellsCleaned.model_validate(rule._asdict()) for rule in proposal.source.cleaned],
        joint=known.risk.pairs,
        joint_together=known.risk.together,
        seconds=clock.total(),
        memory_limit=built.session.memory_limit,
        versions=versions(),
        hashes=hashes,
        kept_by_patterns=list(job.kept_by_patterns),
        warnings=warnings(proposal, known, goal, identified, spelled),
    )


def warnings(
    proposal: Proposal, known: KnownReleases, goal: Target, identified: Sequence[ByIdentifier], spelled: Sequence[str]
) -> list[str]:
    """What the user is warned of, each once: by where the rows are, by time zones, by where they go, by earlier
    releases, by how sensitive values are ``spelled``, and last where rows are not persons.
    """
    few_persons = [
        identifier.sentence(several=len(identified) > 1) for identifier in identified if not identifier.holds
    ]
    zoned = [
        f"column {column.name!r} has a time zone: its days are those of UTC; for those of another zone, take it there "
        "in a query, as a timestamp without one"
        for column in proposal.source.quasi_identifiers
        if column.holds(r"\bWITH TIME ZONE\b")
    ]
    return list(
        dict.fromkeys([*proposal.source.host.warnings, *zoned, *goal.warnings, *known.warnings, *spelled, *few_persons])
    )


def _persons(job: Job, proposal: Proposal, reading: Reading) -> PersonsReleased | None:
    """Whose rows the source and the release have."""
    if reading.persons is None:
        return None
    (everybody,) = proposal.star.domains[job.persons[0]].totals
    return PersonsReleased(
        told_by=list(job.persons), as_set=job.as_set, persons=everybody, released=reading.persons.persons
    )


def _population(population: Populated | None) -> PopulationUsed | None:
    """Of what population the verifier counted the people."""
    if population is None:
        return None
    return PopulationUsed(
        source=population.label, people=population.people, tuples=population.tuples, fingerprint=population.fingerprint
    )


def _smallest(reading: Reading, demand: Demand, rows: int | None) -> int | None:
    """The smallest class of a demand: of rows or, where these are told apart, of persons, or of their histories."""
    of_persons = {model.key: judged.achieved for of, model, judged in reading.judged if of == demand}
    for key in (HISTORIES, PersonsModel.key):
        if key in of_persons:
            achieved = of_persons[key]
            return None if achieved is None else int(achieved)
    return rows


def _requirement(job: Job, reading: Reading) -> RequirementReleased:
    return RequirementReleased(
        k=job.k if job.required.single else None,
        qids=[
            QidReleased(
                attributes=list(demand.attributes),
                k=demand.k,
                achieved_k=_smallest(reading, demand, anonymity),
                models=[
                    ModelReleased(
                        model=model.key, required=model.given, achieved=judged.achieved, of_source=model.of_source
                    )
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
