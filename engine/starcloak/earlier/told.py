"""Earlier releases that a run looks at before it publishes: those that its job names, and all others of its source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from starcloak import few
from starcloak.earlier import joint, kept
from starcloak.earlier.kept import About, Recoded
from starcloak.earlier.recoded import Relations, recode
from starcloak.errors import OutputError, RequirementError
from starcloak.job import Job
from starcloak.release import manifest
from starcloak.release.propose import Proposal
from starcloak.release.unchanged import Inputs
from starcloak.result import Joint, Result
from starcloak.session import Session
from starcloak.star import sensitive_columns
from starcloak.targets.target import Target
from starcloak.verify.reading import VALUES, Reading

#: Earlier releases that are measured beside those that the job names: the last ones, as many as have so many tuples
#: together (rows, where these are persons'), and one of whatever size.
MEASURED, TUPLES = 20, 1_000_000


@dataclass(frozen=True)
class Told:
    """What is kept of a release that is not out yet, and what earlier ones tell together with it.

    It is a note alone, and no recoding, where the combinations of the source did not come home.
    """

    kept: Recoded
    joint: tuple[Joint, ...]
    warnings: tuple[str, ...]

    def with_digest(self, digest: str | None) -> Recoded:
        """What is kept, with what tells the release from any other."""
        return replace(self.kept, about=self.kept.about.model_copy(update={"digest": digest}))

    @property
    def recoded(self) -> Recoded | None:
        """The recoding, if it is at hand."""
        return self.kept if self.kept.about.is_known else None


_NOTHING_SHARED = "no combination of quasi-identifiers is in both, which may be told otherwise there (01234 as 1234)"
_STAYED = "its source has more combinations than come home"


def look(
    store: Session, job: Job, proposal: Proposal, reading: Reading, inputs: Inputs, goal: Target,
    named: Sequence[Recoded], *, measured: bool,
) -> Told:  # fmt: skip
    """Measure a verified release against those that the job names (``named``) and, if ``measured``, all others.

    Raises :class:`RequirementError` where joint k with one that is named is smaller than the job accepts.
    """
    if proposal.source.combinations is not None:
        return _unknown(store, reading, inputs, goal)
    recoding, shown, holding = proposal.recoding, proposal.shown, proposal.holding
    sensitive = [name for name in job.required.reads if name not in job.persons]
    made = recode(
        store, recoding, staged=VALUES if sensitive else None, columns_of=reading.valued_columns, sensitive=sensitive
    )
    persons: dict[str, str] = {}
    if job.persons:
        from starcloak.earlier.whose import with_persons

        made, persons = with_persons(store, job, made, run=store.run_id)
    about = _about_release(store, reading, inputs, goal).model_copy(
        update={
            "attributes": made.attributes,
            "sensitive": made.sensitive,
            "split": made.split,
            "source": None if holding is not None and holding.rows else inputs.source,  # it has others, too
            "refreshable": shown is not None,
            "columns": holding.columns if holding is not None else {},
            "persons": persons,
        }
    )
    found = [_measure(store, job, each, made, about, required=True) for each in named]
    warnings: list[str] = []
    if measured and goal.lasts and goal.tells_origin:
        runs = {each.about.run for each in named}
        every = [each for each in _of_source(about.origin, warnings) if each.run not in runs]
        others = [each for each in every if each.is_known]
        size = recoding.star.rows if job.persons else recoding.star.combinations
        most = max(1, min(MEASURED, TUPLES // size))
        for each in others[:most]:
            recoded = kept.read(each)
            found.append(
                joint.unknown(each, kept.UNREADABLE)
                if recoded is None
                else _measure(store, job, recoded, made, about, required=False)
            )
        if len(others) > most:
            warnings.append(
                f"joint k is known with the last {most} of {len(others)} earlier releases alone: "
                "name others under against"
            )
        warnings += _not_known([each for each in every if not each.is_known])
        warnings += [
            f"the run that made {each.release} on {each.released_at[:10]} was ended while it published: whether it is "
            "out is known when its job has run again"
            for each in others
            if each.form == kept.PUBLISHING
        ]
        if not _is_known(store, goal, {*runs, *(each.run for each in every)}, warnings):
            warnings.append(f"joint k with the release before in {goal.label} is not known: its recoding is not kept")
    warnings += [warning for each in found for warning in _warnings(each, job.k)]
    told = Told(Recoded.of(store, made, about, shown), tuple(found), tuple(warnings))
    for said in found:
        _refuse(said, job)
    return told


def since(found: Result, goal: Target, *, measured: bool) -> list[str]:
    """What is to be said of an unchanged release: of others that it was not measured with, and what is lost."""
    warnings: list[str] = []
    known = _of_source(goal.origin, warnings)
    there = {found.run, *(each.run for each in found.joint)}
    others = [each for each in known if each.run not in there]
    if others and measured and goal.tells_origin:
        warnings.append(
            f"the source has {len(others)} other releases with which this one was not measured, such as "
            f"{others[0].release} of {others[0].released_at[:10]}: --force measures them"
        )
    if not any(each.run == found.run and each.is_known for each in known):
        warnings.append(
            "later runs of this source cannot tell what they tell together with this release: its recoding is not kept "
            "as one of it; --force keeps it again"
        )
    return warnings


def _about_release(store: Session, reading: Reading, inputs: Inputs, goal: Target) -> About:
    """What tells a release from others, without its recoding."""
    return About(
        run=store.run_id,
        released_at=datetime.now(UTC).isoformat(),
        release=goal.label,
        place=kept.place_of(goal),
        origin=goal.origin,
        attributes=(),
        sensitive=(),
        split=False,
        k=reading.smallest,
        job=inputs.job,
        source=inputs.source,
        hierarchies=inputs.hierarchies,
    )


def _unknown(store: Session, reading: Reading, inputs: Inputs, goal: Target) -> Told:
    """What is told where the combinations of the source did not come home."""
    warning = (
        "the source has more combinations than come home: what this release tells together with others of its source "
        "is not known"
    )
    return Told(kept.note(_about_release(store, reading, inputs, goal), _STAYED), (), (warning,))


def _of_source(origin: str, warnings: list[str]) -> list[About]:
    """What is kept of a source's releases; where that cannot be known, a warning says so."""
    try:
        return kept.of_origin(origin)
    except OutputError as error:
        warnings.append(str(error))
        return []


def _not_known(lost: Sequence[About]) -> list[str]:
    """What is said of earlier releases whose recodings are not known, by why that is so."""
    said = []
    for why in dict.fromkeys(each.lost for each in lost):
        of = [each for each in lost if each.lost == why]
        more = f" and {len(of) - 1} more" if len(of) > 1 else ""
        said.append(f"joint k with {of[0].release} of {of[0].released_at[:10]}{more} is not known: {why}")
    return said


def _is_known(store: Session, goal: Target, runs: set[str], warnings: list[str]) -> bool:
    """Whether the release before in a place is of one of the runs, as the custodian's manifest and the ledger tell it.

    A ledger knows releases of older versions and of other users, too. Of another source, they are not looked for.
    """
    manifested, ledgered = manifest.known_result(goal, warnings), goal.run_before()
    if manifested is not None and manifested.run not in runs:
        return False
    if ledgered is None or goal.origin_before(store) not in ("", goal.origin):
        return True
    return ledgered != "" and any(run.startswith(ledgered) for run in runs)


def _measure(store: Session, job: Job, earlier: Recoded, made: Relations, about: About, *, required: bool) -> Joint:
    if job.as_set:
        return joint.unknown(earlier.about, "it counts persons in classes, and not their histories", required=required)
    least = {
        attribute: max(
            model.least_rows for demand in job.required.demands for model in demand.models if attribute in model.reads
        )
        for attribute in made.sensitive
    }
    there = earlier.into(store, "earlier")
    return joint.measure(
        store, there, made, earlier.about, k=job.k, least=least, source=about.source, required=required,
        persons=about.persons,
        whose=sensitive_columns(job.required.reads, job.persons),
    )  # fmt: skip


def _refuse(found: Joint, job: Job) -> None:
    """Refuse a release that tells more together with one that the job names than it accepts."""
    if not found.required:
        return
    if found.unknown is not None:
        raise RequirementError(f"joint k with {found.release} is not known: {found.unknown}: nothing was published")
    if found.shares_nothing and job.accept is None:
        raise RequirementError(
            f"joint k with {found.release} is not known: {_NOTHING_SHARED}: nothing was published; where it is of "
            f"other people, say accept: {{joint_k: {job.k}}}"
        )
    accepted = job.accept.joint_k if job.accept is not None else job.k
    if found.k is not None and found.k < accepted:
        raise RequirementError(
            f"joint k with {found.release} is {_about(found)}less than {accepted}: "
            f"{few.words(few.mask(found.rows_below or 0, job.k), job.k)} of {found.rows:,} rows are in groups of "
            f"fewer than {job.k} for whoever has both: nothing was published; generalize as that release does, or say "
            "accept: {joint_k: 1} to publish all the same"
        )
    for each in found.shared:
        if each.least is not None and each.least < each.required and job.accept is None:
            raise RequirementError(
                f"the two classes of a row here and in {found.release} share {each.least} values of "
                f"{each.attribute!r}, fewer than {each.required}: nothing was published; say accept: {{joint_k: "
                f"{job.k}}} to publish all the same"
            )


def _warnings(found: Joint, k: int) -> list[str]:
    if found.required:
        return []
    when = f"{found.release} of {found.released_at[:10]}"
    if found.unknown is not None:
        return [f"joint k with {when} is not known: {found.unknown}"]
    if found.shares_nothing:
        return [f"joint k with {when} is known only if these are other people: {_NOTHING_SHARED}"]
    said = []
    if found.k is not None and found.k < k:
        said.append(
            f"whoever has {when}, too, finds {few.words(few.mask(found.rows_below or 0, k), k)} of {found.rows:,} "
            f"rows in groups of fewer than k = {k}{'' if found.exact else ', by estimate'}"
        )
    said += [
        f"whoever has {when}, too, has {each.least} values of {each.attribute!r} to choose from for a row, not "
        f"{each.required}"
        for each in found.shared
        if each.least is not None and each.least < each.required
    ]
    return said


def _about(found: Joint) -> str:
    return "" if found.exact else "by estimate "
