"""Joint k of a new release with the earlier releases, all together and one by one, per quasi-identifier (QID).

``refusal`` decides on a release with a small joint k.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from starcloak.companions.joint_risk import partition_file
from starcloak.companions.joint_risk.joint_k import JointRequest, measure_pairs, measure_together, unknown
from starcloak.companions.joint_risk.joint_partition import (
    Partition,
    Whose,
    has_other_texts,
    have_several_rows,
    of_release,
    of_some,
    overlaps,
    side_by_side,
    together,
)
from starcloak.companions.joint_risk.partition_file import Kept
from starcloak.job import Job
from starcloak.job.result import Joint, JointTogether
from starcloak.privacy.requirement import Demand
from starcloak.releases.recodings import saved_recodings
from starcloak.releases.recodings.recoded_tuples import Relations
from starcloak.releases.recodings.saved_recodings import About, Recoded
from starcloak.star import fingerprint
from starcloak.star.person_identity import difference, places_of
from starcloak.statements.statement import Statement
from starcloak.store.session import Session

OTHER_ATTRIBUTES = "it has other quasi-identifiers"
OTHER_TYPE = (
    "the quasi-identifier {!r} had another type for the earlier release, so equal values may have different texts "
    "(5 and 5.0)"
)
_HISTORIES = "person has as: set, and joint k is counted only for releases that compare single rows"


@dataclass
class JointRisk:
    """Joint figures of a new release.

    ``pairs`` has the figures with each earlier release; ``together`` those with several at once. ``partitions`` are
    saved for later releases. ``notes`` are warnings on saved data that could not be read. ``covered`` has the runs of
    the releases measured together over every quasi-identifier.
    """

    pairs: list[Joint] = field(default_factory=list)
    together: list[JointTogether] = field(default_factory=list)
    partitions: list[Kept] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    covered: set[str] = field(default_factory=set)


@dataclass
class _Earlier:
    """Earlier releases: those named by the job, others of the source, and reasons for unknown ones by run."""

    named: Sequence[Recoded]
    others: Sequence[About]
    unknown: dict[str, str] = field(default_factory=dict)

    @property
    def abouts(self) -> list[About]:
        return [*(earlier.about for earlier in self.named), *self.others]

    @property
    def runs_named(self) -> set[str]:
        return {earlier.about.run for earlier in self.named}

    @property
    def first_run(self) -> str:
        """The run of the first release with saved persons, or of the first release.

        Its hashes of persons serve all releases: later ones are hashed again, which a person who left cannot be.
        """
        return min(self.abouts, key=lambda about: (not about.rows_of_persons, about.number)).run


def assess(
    store: Session, job: Job, relations: Relations, about: About, named: Sequence[Recoded], further: Sequence[About],
    *, measured: bool, of_source: bool,
) -> JointRisk:  # fmt: skip
    """Measure joint k of a new release, given by ``relations`` and ``about``, with earlier releases.

    ``named`` are the releases named by the job; ``further`` are others of the source, included if ``measured``. With
    ``of_source``, the saved partition of the source's releases is read, and an extended partition is returned in the
    result to be saved.
    """
    risk, earlier = JointRisk(), _Earlier(named, further)
    whole = measured or bool(job.persons)  # persons who leave cannot be measured later
    if not (named or whole):
        return risk
    earlier.unknown = {
        earlier_about.run: earlier_about.lost for earlier_about in earlier.abouts if not earlier_about.is_known
    }
    if job.as_set:
        earlier.unknown = dict.fromkeys((earlier_about.run for earlier_about in earlier.abouts), _HISTORIES)
    pairs: list[dict[str, Joint]] = []
    covered: list[set[str]] = []
    for demand in job.required.demands if not job.as_set else ():
        qid, of_others = _Assessment(store, job, relations, about, earlier, demand), len(risk.together)
        pairs.append(qid.assess(risk, measured=measured, of_source=of_source))
        covered.append({run for joint in risk.together[of_others:] for run in joint.runs})
    risk.covered = set.intersection(*covered) if covered else set()
    for earlier_about in earlier.abouts if measured else (recoded.about for recoded in named):
        required = earlier_about.run in earlier.runs_named
        if why := earlier_about.lost or earlier.unknown.get(earlier_about.run):
            risk.pairs.append(unknown(earlier_about, why, required=required))
        else:
            risk.pairs += [of_qid[earlier_about.run] for of_qid in pairs if earlier_about.run in of_qid]
    return risk


class _Assessment:
    """Measurement of joint k over one quasi-identifier (QID), given by ``demand``."""

    def __init__(
        self, store: Session, job: Job, relations: Relations, about: About, earlier: _Earlier, demand: Demand
    ) -> None:
        self.store, self.made, self.about, self.earlier, self.demand = store, relations, about, earlier, demand
        self.whose = None
        if job.persons:
            self.whose = Whose(relations.attributes, tuple(places_of(job)))
        least = {
            attribute: max(model.least_rows for model in demand.models if attribute in model.reads)
            for attribute in relations.sensitive
            if any(attribute in model.reads for model in demand.models)
        }
        self.asked = JointRequest(demand.k, least, about.source)
        self.place = partition_file.place_of(about, relations.attributes, demand.attributes)
        self.made_so_far = 0

    def assess(self, risk: JointRisk, *, measured: bool, of_source: bool) -> dict[str, Joint]:
        """Add the joint figures with several releases to ``risk``; return the figures with single releases by their
        runs.
        """
        store, earlier = self.store, self.earlier
        before = partition_file.read(self.place, risk.notes) if of_source else None
        if before is None and not earlier.abouts:
            return {}
        now = self._now(before)
        if isinstance(now, str):
            earlier.unknown |= dict.fromkeys((about.run for about in earlier.abouts), now)
            return {}
        every = self._of_source(before, now)
        whole = self._with_named(every, now)
        if whole is None:
            return {}
        side = side_by_side(store, whole, now)
        runs = {member.run for member in whole.members}
        named = earlier.runs_named & runs
        if measured or named == runs:
            risk.together.append(measure_together(store, side, self.asked, required=named == runs))
        pairs = measure_pairs(store, side, self.asked, earlier.runs_named)
        if of_source and whole is every:
            self._keep(risk, together(store, side, name="joint_next"))
        if named and named != runs:
            named_parts = of_some(store, whole, named, name="joint_named")
            side = side_by_side(store, named_parts, now)
            risk.together.append(measure_together(store, side, self.asked, required=True))
            store.drop(*named_parts.relations)
        if of_source and every is not None and whole is not every:
            side = side_by_side(store, every, now)
            self._keep(risk, together(store, side, name="joint_next"))
        parts = {id(part): part for part in (every, whole, now) if part is not None}.values()
        store.drop(*side.relations, *(name for part in parts for name in part.relations))
        return pairs

    def _now(self, before: Kept | None) -> Partition | str:
        """The partition of the new release, or the reason in words why it is unknown."""
        salt = None
        if self.whose is not None:
            salt = self.earlier.first_run if before is None else before.about.salt
        return of_release(
            self.store, self.made, self.about, self.demand.attributes, name="joint_now", whose=self.whose, salt=salt
        )

    def _of_source(self, before: Kept | None, now: Partition) -> Partition | None:
        """The joint partition of all earlier releases of the source: the saved one, extended by later releases.

        None if empty.
        """
        partition = None if before is None else before.into(self.store, "joint_before")
        if partition is not None and self._rows_difference(partition, now) is not None:
            self.store.drop(*partition.relations)  # it is made again from the releases that can be compared
            partition = None
        runs = set() if partition is None else {member.run for member in partition.members}
        of_source = [*self.earlier.others, *(recoding.about for recoding in self.earlier.named)]
        for about in sorted(of_source, key=lambda recoding: recoding.number):
            settled = about.form == saved_recodings.PUBLISHED  # a release possibly not out is not kept
            if about.run not in runs and about.origin == self.about.origin and settled:
                partition = self._add(partition, about, now)
        return partition

    def _with_named(self, partition: Partition | None, now: Partition) -> Partition | None:
        """Return ``partition`` extended by possibly published releases, and by missing releases named by the job.

        Returns None if no release is known.
        """
        unsettled = [about for about in self.earlier.others if about.form != saved_recodings.PUBLISHED]
        more = [*(recoding.about for recoding in self.earlier.named), *unsettled]
        of_source, paired = partition, set()
        if partition is not None and more:
            numbers = Statement("companions/joint_risk/joint_partition#numbers", parts=partition.relation("parts"))
            joined_numbers = {number for (number,) in self.store.run(numbers)}
            paired = {member.run for member in partition.members if member.number in joined_numbers}
        for about in more:
            if about.run not in {*paired, *self.earlier.unknown}:
                partition = self._add(partition, about, now, keep=of_source)
        return partition

    def _add(
        self, partition: Partition | None, about: About, now: Partition, *, keep: Partition | None = None
    ) -> Partition | None:
        """Return a partition refined by one more release, and drop the relations of the old one unless it is ``keep``.

        A release with unknown rows is skipped: the reason is noted, and ``partition`` is returned.
        """
        partition_of_one = self._one(about, now)
        if isinstance(partition_of_one, str):
            self.earlier.unknown[about.run] = partition_of_one
            return partition
        if partition is None:
            return partition_of_one
        side = side_by_side(self.store, partition, partition_of_one)
        self.made_so_far += 1
        both = together(self.store, side, name=f"joint_{self.made_so_far}")
        self.store.drop(
            *side.relations, *partition_of_one.relations, *([] if partition is keep else partition.relations)
        )
        return both

    def _one(self, about: About, now: Partition) -> Partition | str:
        """The partition of one earlier release, or the reason in words why it is unknown."""
        if set(about.attributes) != set(self.made.attributes):
            return OTHER_ATTRIBUTES
        if (why := self._difference(about)) is not None:
            return why
        recoded = next((earlier for earlier in self.earlier.named if earlier.about.run == about.run), None)
        recoded = saved_recodings.read(about) if recoded is None else recoded
        if recoded is None:
            return saved_recodings.UNREADABLE
        self.made_so_far += 1
        there = recoded.into(self.store, "earlier")
        partition_found = of_release(
            self.store, there, about, self.demand.attributes, name=f"joint_{self.made_so_far}", whose=self.whose,
            salt=now.salt, source=self.about.source, now=now,
        )  # fmt: skip
        self.store.drop(there.tuples, there.classes, there.held)
        if isinstance(partition_found, Partition) and (why := self._rows_difference(partition_found, now)) is not None:
            self.store.drop(*partition_found.relations)
            return why
        return partition_found

    def _difference(self, about: About) -> str | None:
        """Reason why an earlier release identified persons or cleaned values differently. None if it did not."""
        why = difference(about.identity, self.about.identity)
        if why is None:
            cleaned = fingerprint.cleaned_otherwise(about.readings, self.about.readings, self.made.attributes)
            why = (
                None
                if cleaned is None
                else f"the quasi-identifier {cleaned!r} was cleaned differently for the earlier release"
            )
        return why

    def _rows_difference(self, earlier: Partition, now: Partition) -> str | None:
        """Reason why rows of ``earlier`` releases cannot be matched with those of the new one. None if they can."""
        why = self._overlap_difference(earlier, now)
        return self._type_difference(earlier, now) if why is None else why

    def _type_difference(self, earlier: Partition, now: Partition) -> str | None:
        """Reason why equal values of ``earlier`` releases and of the new one may have different texts.

        None if the texts are the same, or if rows are matched by persons with a single row each.
        """
        readings = self.about.readings
        for member in earlier.members:
            for name in fingerprint.typed_otherwise(member.readings, readings, self.made.attributes):
                kind = fingerprint.type_beside_text(member.readings[name], readings[name])
                if kind is not None and not has_other_texts(self.store, (earlier, now), name, kind):
                    continue
                if self.whose is None or have_several_rows(self.store, earlier, now):
                    return OTHER_TYPE.format(name)
        return None

    def _overlap_difference(self, earlier: Partition, now: Partition) -> str | None:
        """Reason why ``earlier`` releases seem to write the same persons differently from the new one.

        None otherwise.
        """
        if self.whose is None:
            return None
        before = {member.number: member.readings for member in earlier.members}
        for number, overlap in overlaps(self.store, earlier, now).items():
            typed = fingerprint.typed_otherwise(before[number], self.about.readings, self.made.attributes)
            if (why := overlap.difference(comparable=not typed)) is not None:
                return why
        return None

    def _keep(self, risk: JointRisk, partition: Partition) -> None:
        risk.partitions.append(Kept.of(self.store, partition, self.place))
        self.store.drop(*partition.relations)
