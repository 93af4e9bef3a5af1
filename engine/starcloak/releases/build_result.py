"""Records of a verified release: the result of its run, its entry in the ledger, its recoding kept for later runs.

The ledger belongs to the output place (the file or table of the release). Later runs use the recoding to count joint k,
to refresh the release, and to mask further rows.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from pydantic_core import to_jsonable_python

from starcloak.base import small_counts
from starcloak.job import Job
from starcloak.job.changed_cells import CellsCleaned
from starcloak.job.persons_result import ByIdentifier, JoinedRows
from starcloak.job.result import (
    AlgorithmUsed,
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
    Search,
    SizesSeen,
)
from starcloak.privacy.k_anonymity.model import KAnonymity
from starcloak.privacy.model import compares_with_source, settings_of
from starcloak.privacy.persons.model import HISTORIES
from starcloak.privacy.persons.model import DistinctPersons as PersonsModel
from starcloak.privacy.requirement import Demand
from starcloak.releases import release_measures, state
from starcloak.releases.disclosure import rows_left_out, smallest_shown
from starcloak.releases.manifest import versions
from starcloak.releases.proposal import Proposal
from starcloak.releases.recodings import saved_recodings
from starcloak.releases.recodings.recoded_tuples import STAYED, Relations, recode
from starcloak.releases.recodings.saved_recodings import About, Recoded, name_of
from starcloak.releases.run import Addition, Remembered, Run
from starcloak.star import fingerprint, frequency_sets
from starcloak.star.fingerprint import decisions
from starcloak.star.person_identity import identity_of
from starcloak.star.recoding.recoding import ambiguous
from starcloak.star.star import Star
from starcloak.store.source import Populated
from starcloak.verify.classes import Sizes
from starcloak.verify.recount import VALUES, Reading


@dataclass
class Findings:
    """Findings on a release in addition to the verifier's recount.

    ``measures`` are figures computed from the recoding alone. ``identified`` has counts of classes by identifiers with
    repeating values, ``joined`` has k of joined rows. Companions (optional features of a run) add ``parts`` (by the
    companion's name), ``fields`` of the result and ``warnings``.
    """

    measures: dict[str, Any]
    identified: list[ByIdentifier] = field(default_factory=list)
    joined: list[JoinedRows] = field(default_factory=list)
    parts: dict[str, Any] = field(default_factory=dict)
    fields: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, proposal: Proposal) -> Findings:
        """Measures of a proposed recoding, and warnings on it, before its release is written."""
        measured = release_measures.measure_recoding(proposal.star, ranged=proposal.recoding.ranged)
        return cls(measured, warnings=ambiguous(proposal.recoding))

    def add(self, run: Run, additions: Sequence[Addition]) -> None:
        """Add the ``additions`` of a run's companions: one per companion, in the order of the run's companions.

        If several companions add a list to the same field, the lists are concatenated. Raises :class:`ValueError` if
        several companions add another value to the same field.
        """
        for companion, addition in zip(run.companions, additions, strict=True):
            if addition.part is not None:
                # A part that JSON cannot hold fails before the release is out.
                self.parts[companion.name] = to_jsonable_python(addition.part)
            for key, value in addition.fields.items():
                field_before = self.fields.get(key)
                if field_before is not None and not isinstance(field_before, list):
                    raise ValueError(
                        f"two companions (optional features of a run) add the key {key} to the result: uninstall one "
                        "of the two"
                    )
                self.fields[key] = [*(field_before or []), *value] if isinstance(value, list) else value
            self.warnings += addition.warnings


def build_result(run: Run, reading: Reading, findings: Findings, hashes: Hashes) -> Result:
    """The result of a run, from the verifier's counts (``reading``), other findings on the release, and its hashes."""
    job, proposal, classes = run.job, run.proposal, reading.counts.classes
    built, chosen = proposal.star, proposal.recoding
    measured = release_measures.complete_measures(
        findings.measures, classes, k=job.k, rows=built.rows, suppressed=chosen.suppressed
    )
    return Result(
        run=run.id,
        source=proposal.source.label,
        output=run.goal.label,
        rows=built.rows,
        released_rows=classes.rows,
        suppressed_rows=chosen.suppressed,
        k=reading.smallest,
        persons=_persons(job, proposal, reading),
        by_identifier=findings.identified,
        joined_rows=findings.joined,
        roles=job.roles,
        decided=decisions(job),
        requirement=_achieved(job, reading),
        population=_population(proposal.source.population),
        algorithm=_algorithm(job),
        objective=job.objective.minimize,
        domain=job.objective.domain,
        importance={name: float(times) for name, times in job.importance.items()},
        seed=job.seed,
        recoding=RecodingSummary(
            model=chosen.model,
            levels=chosen.hierarchy_levels,
            heights=built.hierarchy_heights,
            bounds={dimension.attribute: dimension.bounds for dimension in built.dimensions},
            labels=release_measures.level_labels(job, built.dimensions, suppressed=chosen.suppressed),
            classifications={name: kind.edition for name, kind in job.quasi_identifiers.items() if kind.edition},
        ),
        measures=Measures(**measured),
        search=_by_hierarchies(proposal.search, built),
        class_sizes=_size_bins(run.sizes, job.required.largest_k),
        cleaned=[CellsCleaned.model_validate(rule._asdict()) for rule in proposal.source.cleaned],
        nonconforming=release_measures.nonconforming_cells(job, built.dimensions, rows=built.rows),
        companions=findings.parts,
        seconds=run.clock.total(),
        memory_limit=built.session.memory_limit,
        versions=versions(),
        hashes=hashes,
        kept_by_patterns=list(job.kept_by_patterns),
        warnings=warnings(run, findings),
        **findings.fields,
    )


def warnings(run: Run, findings: Findings) -> list[str]:
    """Warnings of a run without duplicates, in a fixed order.

    First come warnings on the database, time zones, leaves without a row, cells without a leaf and the output place;
    then warnings on ambiguous labels and those of companions. Last come warnings on identifiers with repeating values
    (rows are then not persons) and on columns by which a reader can join several rows of one person.
    """
    job, proposal = run.job, run.proposal
    few_persons = [
        identifier.sentence(several=len(findings.identified) > 1)
        for identifier in findings.identified
        if not identifier.holds
    ]
    linked = [
        f"{rows.sentence(several=len(findings.joined) > 1)}; put these columns under identifiers or quasi_identifiers"
        for rows in findings.joined
        if rows.is_warned
    ]
    zoned = [
        f"column {column.name!r} has a time zone, and its days are counted in UTC: for days of another time zone, "
        "convert it in a query to a timestamp without time zone"
        for column in proposal.source.quasi_identifiers
        if column.holds(r"\b(WITH TIME ZONE|TIMESTAMPTZ_NS)\b")
    ]
    sparse = [
        f"more than half of the leaves in the hierarchy of {dimension.attribute!r} occur in no row, and loss counts "
        "these leaves: to count only leaves that occur, write objective: {domain: occurring}"
        for dimension in proposal.star.dimensions
        if dimension.is_sparse
    ]
    lost = release_measures.nonconforming_warnings(job, proposal.star.dimensions, proposal.recoding.levels_in_use)
    of_run = [*run.warnings, *zoned, *sparse, *lost, *run.goal.warnings]
    return list(dict.fromkeys([*of_run, *findings.warnings, *few_persons, *linked]))


def _by_hierarchies(search: Search, star: Star) -> Search:
    """The search with levels counted from the leaves of each hierarchy.

    The search itself counts from the lowest level in the base frequency set.
    """

    def named(nodes: Sequence[Mapping[str, int]]) -> list[dict[str, int]]:
        return [dict(zip(node, star.hierarchy_levels(list(node.values())), strict=True)) for node in nodes]

    return search.model_copy(
        update={
            "minimal": [list(star.hierarchy_levels(node)) for node in search.minimal],
            "minimal_levels": named(search.minimal_levels),
            "anonymous_levels": named(search.anonymous_levels),
        }
    )


def _persons(job: Job, proposal: Proposal, reading: Reading) -> PersonsReleased | None:
    """Numbers of persons in the source and in the release, or None if rows are not counted by persons."""
    if reading.persons is None:
        return None
    (everybody,) = proposal.star.domains[job.persons[0]].totals
    return PersonsReleased(
        told_by=list(job.persons), as_set=job.as_set, persons=everybody, released=reading.persons.persons
    )


def _population(population: Populated | None) -> PopulationUsed | None:
    """The population in which the verifier counted people, or None if the requirement has no population."""
    if population is None:
        return None
    return PopulationUsed(
        source=population.label, people=population.people, tuples=population.tuples, fingerprint=population.fingerprint
    )


def _smallest(reading: Reading, demand: Demand, rows: int | None) -> int | None:
    """The achieved k of one quasi-identifier: the size of its smallest class, or None.

    The unit is persons with equal sets of rows or else persons, if the demand has such a model, else rows (``rows``).
    """
    of_persons = {model.key: judged.achieved for of, model, judged in reading.judged if of == demand}
    for key in (HISTORIES, PersonsModel.key):
        if key in of_persons:
            achieved = of_persons[key]
            return None if achieved is None else int(achieved)
    return rows


def _achieved(job: Job, reading: Reading) -> RequirementReleased:
    return RequirementReleased(
        k=job.k if job.required.single else None,
        qids=[
            QidReleased(
                attributes=list(demand.attributes),
                k=demand.k,
                achieved_k=_smallest(reading, demand, anonymity),
                models=[
                    ModelReleased(
                        model=model.key,
                        required=settings_of(model),
                        achieved=judged.achieved,
                        of_source=compares_with_source(model),
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
        joined_rows=job.requirement.joined_rows,
    )


def _algorithm(job: Job) -> AlgorithmUsed:
    settings = job.algorithm.model_dump(mode="json", by_alias=True)
    return AlgorithmUsed(name=settings.pop("name"), variant=settings.pop("variant", None), settings=settings)


def _size_bins(sizes: Sizes, k: int) -> list[SizesSeen]:
    """A histogram of class sizes: the numbers of classes and of rows per range of sizes.

    The first range starts at the smallest size; each range starts after the one before and is twice as wide. A number
    of classes from 1 to k - 1 is masked.
    """
    bins: list[SizesSeen] = []
    least = sizes.smallest if sizes.counted else 1
    most = 2 * least - 1
    while sizes.counted and least <= sizes.counted[-1][0]:
        inside = [(size, classes) for size, classes in sizes.counted if least <= size <= most]
        if inside:
            classes = sum(count for _, count in inside)
            bins.append(
                SizesSeen(
                    least=least,
                    most=most,
                    classes=small_counts.mask(classes, k),
                    rows=sum(size * count for size, count in inside),
                )
            )
        least, most = most + 1, 2 * most + 1
    return bins


def entry_of(run: Run, reading: Reading) -> dict[str, Any]:
    """Entry of a release, by column name, in the ledger: the list of releases stored beside the release."""
    job, proposal = run.job, run.proposal
    classes, suppressed = reading.counts.classes, proposal.recoding.suppressed
    persons: int | None = None
    if reading.persons is not None:
        (everybody,) = proposal.star.domains[job.persons[0]].totals
        persons = everybody - reading.persons.persons
    return {
        "run": run.id,
        "released_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "source": proposal.source.label,
        "origin": run.goal.origin_told,
        "job": state.keyed(run.inputs.job),  # an order of values, and cleaning rules, contain values of rows
        "requirement": json.dumps(job.requirement.told, separators=(",", ":")),
        "k": smallest_shown(reading.smallest, job.required.largest_k, of_persons=reading.persons is not None),
        "rows": classes.rows,
        # Readers of the release may read the ledger, too.
        "suppressed_rows": rows_left_out(suppressed, job.required.largest_k, persons=persons),
        "starcloak": run.inputs.versions.starcloak,
    }


def relations_of(run: Run, reading: Reading) -> Relations:
    """The recoding of a verified release as relations in the working store."""
    store, job, sensitive = run.store, run.job, [name for name in run.job.required.reads if name not in run.job.persons]
    relations = recode(
        store,
        run.proposal.recoding,
        staged=VALUES if sensitive else None,
        columns_of=reading.valued_columns,
        sensitive=sensitive,
    )
    if job.persons:
        from starcloak.releases.recodings.person_links import with_persons

        relations = with_persons(store, job, relations, run=store.run_id)
    return relations


def about_release(run: Run, reading: Reading, relations: Relations | None, kept: Remembered) -> About:
    """Description of the release of a run; ``relations`` is None if its recoding is unknown.

    ``kept`` has the fields added by companions.
    """
    store, job, target, inputs = run.store, run.job, run.goal, run.inputs
    about = About(
        run=store.run_id,
        released_at=datetime.now(UTC).isoformat(),
        release=target.label,
        place=saved_recodings.place_of(target),
        origin=target.origin,
        source_name=name_of(target.source),
        against=target.against,
        attributes=(),
        sensitive=(),
        split=False,
        k=reading.smallest,
        job=inputs.job,
        source=inputs.source,
        hierarchies=inputs.hierarchies,
        joint=bool(run.options.get("joint", True)),
    )
    if relations is None:
        return about
    proposal = run.proposal
    has_other_rows = proposal.source is not proposal.read
    fields: dict[str, Any] = {
        **relations.described(job, proposal.source),
        "source": None if has_other_rows else inputs.source,
        "refreshable": kept.shown is not None,
        "content": None if has_other_rows else fingerprint.combinations(store, proposal.source.quasi_identifiers),
        **kept.about,
    }
    if "identity" not in fields:
        fields["identity"] = identity_of(store, job)
    return about.model_copy(update=fields)


def recoded_of(run: Run, relations: Relations | None, about: About, kept: Remembered) -> Recoded:
    """The recoding of a release, to be saved; a note without tables if ``relations`` is None (unknown recoding)."""
    if relations is None:
        return saved_recodings.note(about, STAYED)
    return Recoded.of(run.store, relations, about, kept.shown)


def hashes_of(run: Run) -> Hashes:
    """Hashes of a staged release and of the run's inputs; None for an input that changed during the run."""
    store, job, inputs, source = run.store, run.job, run.inputs, run.proposal.source
    now = fingerprint.hierarchies(store, source.host, job, source)
    rows: str | None = inputs.source
    if not run.proposal.recoding.has_checksums and source.host is store:  # a file may have changed, unseen so far
        read = run.proposal.read
        frequency_sets.compress(store, read, classes=job.class_column, sensitive=job.required.reads)
        rows = rows if rows == fingerprint.source(store, read) else None
    return Hashes(
        job=inputs.job,
        hierarchies={name: digest if digest == now[name] else None for name, digest in inputs.hierarchies.items()},
        program=inputs.program,
        statements=run.statements,
        source=rows,
        release=run.goal.digest(store, staged=True),
    )
