"""Joint risk of a release with earlier ones: those named by its job, and others of its source."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from starcloak.base.errors import OutputError, RequirementError
from starcloak.job.result import Result
from starcloak.releases import manifest
from starcloak.releases.recodings import record, saved_recodings
from starcloak.releases.recodings.saved_recodings import About, Recoded
from starcloak.releases.run import Run
from starcloak.releases.targets.target import Target
from starcloak.store.session import Session

if TYPE_CHECKING:
    from starcloak.companions.joint_risk.joint_risk import JointRisk

_MOST_NAMED = 5  # releases that are named under ``against``


def look(run: Run, named: Sequence[Recoded], *, measured: bool, warnings: list[str]) -> JointRisk | None:
    """Measure a verified release with those ``named`` by the job and, if ``measured``, with all others.

    None if no earlier release is known. Raises :class:`~starcloak.base.errors.RequirementError` if joint k with a named
    release is smaller than the job accepts.
    """
    store, job, goal, about = run.store, run.job, run.goal, run.about
    if run.made is None:
        if named:
            raise RequirementError(
                f"joint k with {named[0].about.release} is not known: {record.STAYED}: nothing was published; leave it "
                "out under against"
            )
        warnings.append(f"what this release tells together with others of its source is not known: {record.STAYED}")
        return None
    runs = {each.about.run for each in named}
    of_source = goal.lasts and goal.tells_origin
    every = [each for each in run.published if each.run not in runs]
    # Releases of one chain of refreshes are measured by the histories of their persons.
    chained = {each.run for each in every if each.chain and each.chain == about.chain}
    others = [each for each in every if each.is_known and each.run not in chained]
    risk = None
    if named or others:
        from starcloak.companions.joint_risk import joint_risk  # which a first release does not need

        risk = joint_risk.assess(store, job, run.made, about, named, others, measured=measured, of_source=of_source)
    together = {*chained, *(() if risk is None else risk.runs)}
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
        from starcloak.companions.joint_risk import joint_risk

        warnings += [*risk.notes, *joint_risk.warnings(risk, job)]
        joint_risk.refuse(risk, job)
    return risk


def since(found: Result, goal: Target, *, measured: bool) -> list[str]:
    """Warnings on an unchanged release: releases missing from its measurement, and a lost recoding."""
    warnings: list[str] = []
    known = record.known_of(goal.origin, warnings)
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


def _by_other_names(about: About, measured: set[str]) -> list[str]:
    """Warnings on releases that may be of the same source under another name, and are not measured."""
    with suppress(OutputError):  # which is said already
        others = [
            each for each in saved_recodings.all_but({*measured, about.run}) if _may_be_of_one_source(about, each)
        ]
        lost, known = [each for each in others if not each.is_known], [each for each in others if each.is_known]
        return [*_not_known(lost), *([_not_looked_for(known)] if known else [])]
    return []


def _may_be_of_one_source(about: About, other: About) -> bool:
    """True if two releases are of the same rows, or if the names of their sources may mean one place."""
    same = about.source is not None and about.source == other.source
    same = same or (about.content is not None and about.content == other.content)
    return same or about.source_name.may_be(other.source_name)


def _not_looked_for(others: Sequence[About]) -> str:
    """Warning with the last release of each place, in the form for ``against`` in a job."""
    last = list({each.place: each for each in reversed(others)}.values())[::-1]
    more = f" and {len(others) - 1} more" if len(others) > 1 else ""
    named = ", ".join(each.against for each in last[:_MOST_NAMED] if each.against)
    mend = f"add against: [{named}]" if named else "name its place under against"  # older versions kept no place
    return (
        f"{others[0].release} of {others[0].released_at[:10]}{more} may be of the same source by another name, or of "
        f"a copy of it: joint k was not looked for with it; to have that done, {mend}"
    )


def _not_known(lost: Sequence[About]) -> list[str]:
    """Warnings on earlier releases with unknown recodings, one for each reason."""
    said = []
    for why in dict.fromkeys(each.lost for each in lost):
        of = [each for each in lost if each.lost == why]
        more = f" and {len(of) - 1} more" if len(of) > 1 else ""
        said.append(f"joint k with {of[0].release} of {of[0].released_at[:10]}{more} is not known: {why}")
    return said


def _is_known(store: Session, goal: Target, runs: set[str], warnings: list[str]) -> bool:
    """True if the last release in a place is of one of the runs, by the custodian's manifest and the ledger.

    A ledger knows releases of older versions and of other users, too. Of another source, they are not looked for.
    """
    manifested, ledgered = manifest.known_result(goal, warnings), goal.run_before()
    if manifested is not None and manifested.run not in runs:
        return False
    before = goal.origin_before(store)
    if ledgered is None or (before and goal.is_of_source(before) is False):
        return True
    return ledgered != "" and any(run.startswith(ledgered) for run in runs)
