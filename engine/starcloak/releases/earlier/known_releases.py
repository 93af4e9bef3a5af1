"""Earlier releases that a run looks at before it publishes: those that its job names, and all others of its source.

A release is registered before it is out, and known to be out afterwards, while its source is locked for its run.
So two runs of one source at once know of each other: the second one measures when the first one has published. What a
run that was ended in between leaves is decided by the place of its release, as soon as another run has that; until then
it counts as a release that may be out.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from starcloak.base.errors import OutputError
from starcloak.job import Job
from starcloak.job.result import Result
from starcloak.releases import manifest, state
from starcloak.releases.earlier import saved_recodings
from starcloak.releases.earlier.recoded_tuples import recode
from starcloak.releases.earlier.saved_recodings import About, Recoded, name_of
from starcloak.releases.manifest import Inputs
from starcloak.releases.run_search import Proposal
from starcloak.releases.targets.target import Target
from starcloak.star import column_reading, fingerprint
from starcloak.star.person_identity import identity_of
from starcloak.store import staging
from starcloak.store.session import Session
from starcloak.verify.recount import VALUES, Reading

if TYPE_CHECKING:
    from starcloak.releases.earlier.joint_risk import JointRisk


@dataclass(frozen=True)
class KnownReleases:
    """What is kept of a release that is not out yet, and what earlier ones tell together with it.

    There is no ``risk`` where no earlier ones are known. It is a note alone, and no recoding, where the combinations of
    the source did not come home.
    """

    kept: Recoded
    warnings: tuple[str, ...]
    risk: JointRisk | None = None

    def with_digest(self, digest: str | None) -> Recoded:
        """What is kept, with what tells the release from any other."""
        return replace(self.kept, about=self.kept.about.model_copy(update={"digest": digest}))

    @property
    def recoded(self) -> Recoded | None:
        """The recoding, if it is at hand."""
        return self.kept if self.kept.about.is_known else None


_MOST_NAMED = 5  # releases that are named under ``against``
_STAYED = "its source has more combinations than come home"


def look(
    store: Session, job: Job, proposal: Proposal, reading: Reading, inputs: Inputs, goal: Target,
    named: Sequence[Recoded], *, measured: bool,
) -> KnownReleases:  # fmt: skip
    """Measure a verified release against those that the job names (``named``) and, if ``measured``, all others.

    Raises :class:`RequirementError` where joint k with one that is named is smaller than the job accepts.
    """
    if proposal.source.combinations is not None:
        return _unknown(store, reading, inputs, goal, _STAYED)
    recoding, shown, holding = proposal.recoding, proposal.shown, proposal.holding
    sensitive = [name for name in job.required.reads if name not in job.persons]
    made = recode(
        store, recoding, staged=VALUES if sensitive else None, columns_of=reading.valued_columns, sensitive=sensitive
    )
    if job.persons:
        from starcloak.releases.earlier.person_links import with_persons

        made = with_persons(store, job, made, run=store.run_id)
    chain = proposal.chain
    about = _about_release(store, reading, inputs, goal).model_copy(
        update={
            "attributes": made.attributes,
            "sensitive": made.sensitive,
            "split": made.split,
            "source": None if proposal.read is not None else inputs.source,  # it has others, too
            "refreshable": shown is not None,
            "columns": holding.columns if holding is not None else {},
            **_of_chain(proposal),
            "identity": identity_of(store, job) if chain is None else chain.identity,
            "rows_of_persons": made.persons is not None,
            "readings": column_reading.of(job, proposal.source.released),
            "as_they_are": tuple(column.name for column in proposal.source.kept),
            "content": None
            if proposal.read is not None
            else fingerprint.combinations(store, proposal.source.quasi_identifiers),
        }
    )
    warnings: list[str] = []
    runs = {each.about.run for each in named}
    of_source = goal.lasts and goal.tells_origin
    every = [each for each in _of_source(about.origin, warnings) if each.run not in runs] if of_source else []
    chained = [each for each in every if each.chain and each.chain == about.chain]
    others = [each for each in every if each.is_known and each not in chained]
    risk = None
    if named or others or chained:
        from starcloak.releases.earlier import joint_risk  # which a first release does not need

        risk = joint_risk.assess(store, job, made, about, named, others, measured=measured, of_source=of_source)
        if measured and chained and reading.histories is not None:
            nights = [each.run for each in reversed(chained)]
            risk.together.append(joint_risk.of_histories(job, reading.histories, nights))
    together = set() if risk is None else risk.runs
    if measured and goal.lasts:
        warnings += _by_other_names(about, {*runs, *(each.run for each in every)})
    if measured and of_source:
        warnings += _not_known([each for each in every if not each.is_known and each.run not in together])
        warnings += [
            f"the run that made {each.release} on {each.released_at[:10]} was ended while it published: whether it is "
            "out is known when its job has run again"
            for each in others
            if each.form == saved_recodings.PUBLISHING
        ]
        if not _is_known(store, goal, {*runs, *(each.run for each in every)}, warnings):
            warnings.append(f"joint k with the release before in {goal.label} is not known: its recoding is not kept")
    if risk is not None:
        warnings += [*risk.notes, *joint_risk.warnings(risk, job)]
        joint_risk.refuse(risk, job)
    return KnownReleases(Recoded.of(store, made, about, shown), tuple(warnings), risk)


def _of_chain(proposal: Proposal) -> dict[str, Any]:
    """By what the next refresh knows the persons of this one again, where it is one of persons."""
    chain = proposal.chain
    if chain is None:
        return {}
    released = {column.name: column.type for column in proposal.source.released}
    return {
        "chain": chain.first,
        "holds": chain.holds,
        "columns": released,
    }


def since(found: Result, goal: Target, *, measured: bool) -> list[str]:
    """What is to be said of an unchanged release: of others that it was not measured with, and what is lost."""
    warnings: list[str] = []
    known = _of_source(goal.origin, warnings)
    there = {found.run, *(each.run for each in found.joint)}
    there.update(run for each in found.joint_together for run in each.runs)
    own = next((each.number for each in known if each.run == found.run), None)
    # Those that came later were measured with this one by their own runs.
    others = [each for each in known if each.run not in there and (own is None or each.number < own)]
    if others and measured and goal.tells_origin:
        warnings.append(
            f"the source has {len(others)} earlier releases with which this one was not measured, such as "
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
        place=saved_recodings.place_of(goal),
        origin=goal.origin,
        source_name=name_of(goal.source),
        against=goal.against,
        attributes=(),
        sensitive=(),
        split=False,
        k=reading.smallest,
        job=inputs.job,
        source=inputs.source,
        hierarchies=inputs.hierarchies,
    )


def _unknown(store: Session, reading: Reading, inputs: Inputs, goal: Target, why: str) -> KnownReleases:
    """What is told where the tuples of the release cannot be compared with those of others."""
    warning = f"what this release tells together with others of its source is not known: {why}"
    return KnownReleases(saved_recodings.note(_about_release(store, reading, inputs, goal), why), (warning,))


def _of_source(origin: str, warnings: list[str]) -> list[About]:
    """What is kept of a source's releases; where that cannot be known, a warning says so."""
    try:
        return saved_recodings.of_origin(origin)
    except OutputError as error:
        warnings.append(str(error))
        return []


def _by_other_names(about: About, measured: set[str]) -> list[str]:
    """What is said of releases that may be of the same source by another name, with which this one is not measured."""
    with suppress(OutputError):  # which is said already
        others = [
            each for each in saved_recodings.all_but({*measured, about.run}) if _may_be_of_one_source(about, each)
        ]
        lost, known = [each for each in others if not each.is_known], [each for each in others if each.is_known]
        return [*_not_known(lost), *([_not_looked_for(known)] if known else [])]
    return []


def _may_be_of_one_source(about: About, other: About) -> bool:
    """Whether two releases are of the same rows, or of places that are one by their names."""
    same = about.source is not None and about.source == other.source
    same = same or (about.content is not None and about.content == other.content)
    return same or about.source_name.may_be(other.source_name)


def _not_looked_for(others: Sequence[About]) -> str:
    """What to say under ``against``, which a job can of what is in its place still: the last one of each place."""
    last = list({each.place: each for each in reversed(others)}.values())[::-1]
    more = f" and {len(others) - 1} more" if len(others) > 1 else ""
    named = ", ".join(each.against for each in last[:_MOST_NAMED] if each.against)
    mend = f"add against: [{named}]" if named else "name its place under against"  # older versions kept no place
    return (
        f"{others[0].release} of {others[0].released_at[:10]}{more} may be of the same source by another name, or of "
        f"a copy of it: joint k was not looked for with it; to have that done, {mend}"
    )


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
    before = goal.origin_before(store)
    if ledgered is None or (before and goal.is_of_source(before) is False):
        return True
    return ledgered != "" and any(run.startswith(ledgered) for run in runs)


@contextmanager
def source_locked(goal: Target, warnings: list[str]) -> Iterator[None]:
    """Hold the source of a release that lasts; where nothing can be kept of it, that is a warning."""
    with ExitStack() as held:
        try:
            if goal.lasts:
                held.enter_context(state.lock(goal.origin))
        except state.Unusable as error:
            warnings.append(str(error))
        yield


@contextmanager
def registered(recoded: Recoded, goal: Target, warnings: list[str], *, required: bool) -> Iterator[None]:
    """Register a release whose source is locked; it is published within, and known to be out afterwards.

    What cannot be kept is a warning; where it is ``required``, as the next run goes by it, nothing is published, and
    :class:`OutputError` is raised.
    """
    about = None
    try:
        about = _register(recoded, before=next(iter(goal.runs_known()), ""))
    except (OSError, OutputError) as error:
        if required:
            raise OutputError(f"refresh: {_lost(error)}: nothing was published") from None
        warnings.append(_lost(error))
    try:
        yield
    except BaseException:
        if about is not None and not goal.may_be_out:
            with suppress(OSError, OutputError):  # what stays is decided by the next run on the place
                _withdraw(about)
        raise
    if about is not None:
        try:
            _confirm(about)
        except (OSError, OutputError) as error:
            warnings.append(_lost(error))


def settle(goal: Target, warnings: list[str]) -> None:
    """Decide whether releases are out whose runs were ended while they published in a place, which is held now.

    A release counts as published unless the place shows that it was not.
    """
    try:
        for about in saved_recodings.unsettled(saved_recodings.place_of(goal)):
            with state.lock(about.origin):
                was_published = goal.was_published(about.run, before=about.before)
                if was_published is False:
                    _withdraw(about)
                    continue
                _confirm(about)
                if was_published is None:
                    warnings.append(
                        f"the run that made {about.release} on {about.released_at[:10]} was ended while it published, "
                        "and nothing there shows whether its release was published: it counts as published"
                    )
    except OSError as error:
        warnings.append(_lost(error))
    except state.Unusable as error:
        warnings.append(str(error))


def erase(about: About) -> None:
    """Erase a recoding while its source is locked: a run that publishes meanwhile would keep it again with its own.

    Raises :class:`OutputError` where that cannot be, or where another run has the source for too long.
    """
    with state.lock(about.origin):
        for there in saved_recodings.every():  # it may be known to be out since it was listed
            if (there.origin, there.run) == (about.origin, about.run):
                saved_recodings.forget(there)


def erase_all() -> None:
    """Erase what is kept of every source that is no recoding of a release: partitions, and what killed runs left.

    Raises as :func:`erase`.
    """
    for origin in saved_recodings.origins():
        with state.lock(origin):
            try:
                saved_recodings.sweep(origin, partitions=True)
            except OSError as error:
                raise OutputError(
                    f"what killed runs left cannot be erased in {state.folder()} ({state.reason(error)}): check the "
                    "folder's permissions"
                ) from None


def _register(recoded: Recoded, *, before: str) -> About:
    own = state.folder()
    saved_recodings.sweep(recoded.about.origin)
    number = 1 + max((each.number for each in saved_recodings.every()), default=0)
    about = recoded.about.model_copy(update={"number": number, "before": before, "form": saved_recodings.PUBLISHING})
    saved_recodings.write(own, replace(recoded, about=about))
    return about


def _confirm(about: About) -> None:
    """Keep what was registered as that of a release that is out; older ones go when there are too many."""
    own = state.folder()
    out = about.model_copy(update={"form": saved_recodings.NOTE if about.lost else saved_recodings.PUBLISHED})
    os.replace(saved_recodings.file_of(own, about), saved_recodings.file_of(own, out))
    staging.flush(own)
    for old in [each for each in saved_recodings.of_origin(about.origin) if each.form == saved_recodings.PUBLISHED][
        saved_recodings.MOST :
    ]:
        saved_recodings.forget(old, saved_recodings.TOO_MANY)


def _withdraw(about: About) -> None:
    saved_recodings.file_of(state.folder(), about).unlink(missing_ok=True)


def _lost(error: OSError | OutputError) -> str:
    """What is said where something of a release cannot be kept."""
    if isinstance(error, OutputError):
        return str(error)
    return (
        f"what was done to whom cannot be kept ({state.reason(error)}): later runs do not know what this release tells "
        "together with theirs; mend the folder starcloak in $XDG_STATE_HOME (~/.local/state), then run with --force"
    )
