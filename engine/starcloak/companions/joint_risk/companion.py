"""Joint k: the smallest number of rows with the same classes in a release and in the earlier releases.

A run measures joint k with the releases named by the job under ``against``, and with all other known releases of the
source. It refuses to publish if joint k with the named releases is below the job's limit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from starcloak.base.errors import OutputError, RefusedRelease
from starcloak.job import Job
from starcloak.job.result import Result
from starcloak.releases import manifest
from starcloak.releases.companion import Needs, register
from starcloak.releases.recodings import registration, saved_recodings
from starcloak.releases.recodings.recoded_tuples import STAYED, Relations
from starcloak.releases.recodings.saved_recodings import About, Recoded
from starcloak.releases.run import Addition, Companion, Run
from starcloak.releases.targets.target import Target
from starcloak.store.session import Session

if TYPE_CHECKING:
    from starcloak.companions.joint_risk.joint_risk import JointRisk
    from starcloak.verify.recount import Reading

_MOST_NAMED = 5  # releases that are named under ``against``


@register
class JointRiskCompanion(Companion):
    """Measures joint k with earlier releases. Job keys: ``against`` (releases) and ``accept`` (smallest joint k).

    With the option ``joint`` false, only the releases under ``against`` are measured.
    """

    name = "joint_risk"
    order = 50
    keys = ("against", "accept")

    def __init__(self, job: Job, options: Mapping[str, Any]) -> None:
        super().__init__(job, options)
        self._named: Sequence[Recoded] = ()
        self._runs_named: list[tuple[str, str]] = []
        self._risk: JointRisk | None = None

    @classmethod
    def is_active(cls, job: Job, options: Mapping[str, Any]) -> bool:
        return True

    @classmethod
    def needs(cls, job: Job) -> Needs:
        """With ``against``, tuples are needed in the working store, with all rows of a tuple in one class."""
        return Needs(combinations=bool(job.against), whole_tuples=bool(job.against))

    @contextmanager
    def around(self, run: Run) -> Iterator[None]:
        """Context of the whole run.

        On entry, reads the recodings of the releases under ``against``, before the output is locked.
        """
        saved_recodings.space()  # a wrong setting is refused before the search
        if run.job.against:
            from starcloak.companions.joint_risk.named_releases import recodings_named, runs_named

            self._runs_named = runs_named(run.job)
            self._named = recodings_named(run.job, run.resources)
        yield

    def keeps_running(self, run: Run) -> bool:
        return bool(run.job.against)

    def notes(self, run: Run, result: Result) -> Sequence[str]:
        return _since(result, run.goal, measured=self._is_measured)

    def before_publish(self, run: Run, reading: Reading) -> Addition:
        if run.job.against:
            from starcloak.companions.joint_risk.named_releases import refuse_replaced

            refuse_replaced(run.job, self._runs_named)
        warnings: list[str] = []
        risk = self._risk = _look(run, self._named, measured=self._is_measured, warnings=warnings)
        fields: dict[str, Any] = {} if risk is None else {"joint": risk.pairs, "joint_together": risk.together}
        if self._is_measured:
            fields["never_given"] = sum(not older.was_given for older in run.published)
        return Addition(fields=fields, warnings=warnings)

    @contextmanager
    def publishing(self, run: Run) -> Iterator[None]:
        """Save the joint partition of all releases of the source after the release is published."""
        yield
        if self._risk is not None:
            from starcloak.companions.joint_risk import partition_file

            run.warnings.extend(partition_file.keep(self._risk.partitions, run.id))

    @property
    def _is_measured(self) -> bool:
        return bool(self.options.get("joint", True))


def _look(run: Run, named: Sequence[Recoded], *, measured: bool, warnings: list[str]) -> JointRisk | None:
    """Measure joint k of a verified release with releases ``named`` by the job and, if ``measured``, with all others.

    Appends to ``warnings``. Returns None if no earlier release is known. Raises
    :class:`~starcloak.base.errors.RefusedRelease` if joint k with a named release is smaller than the job accepts.
    """
    if run.made is None:
        if named:
            raise RefusedRelease(
                f"joint k with {named[0].about.release} cannot be counted ({STAYED})",
                "leave that release out under against",
            )
        warnings.append(f"joint k of this release with earlier releases of its source is not known: {STAYED}")
        return None
    runs = {older.about.run for older in named}
    every = [older for older in run.published if older.run not in runs]
    # Releases of one chain of refreshes are measured by the histories of their persons.
    unchained = [older for older in every if not older.chain or older.chain != run.about.chain]
    risk, joint_warnings = _measure(run, run.made, named, unchained, measured=measured)
    if measured and run.goal.lasts:
        covered = set() if risk is None else risk.covered
        warnings += _unmeasured(run, {*runs, *(older.run for older in every)}, unchained, covered, warnings)
    warnings += joint_warnings
    return risk


def _measure(
    run: Run, made: Relations, named: Sequence[Recoded], others: Sequence[About], *, measured: bool
) -> tuple[JointRisk | None, list[str]]:
    """Joint k of a release ``made`` with the releases ``named`` and ``others``, and warnings on it.

    None without an earlier release. Raises the same errors as :func:`_look`.
    """
    if not named and not others:
        return None, []
    from starcloak.companions.joint_risk import joint_risk, refusal  # which a first release does not need

    known = [older for older in others if older.is_known]  # a partition may have more of them
    of_source = run.goal.lasts and run.goal.tells_origin
    risk = joint_risk.assess(run.store, run.job, made, run.about, named, known, measured=measured, of_source=of_source)
    missed = {older.run for older in (*others, *(older.about for older in named)) if older.is_missed}
    risk.together[:] = [  # a reader may also have a missed release
        figures if figures.required or missed <= {*figures.runs} else figures.model_copy(update={"exact": False})
        for figures in risk.together
    ]
    refusal.refuse(risk, run.job)
    return risk, [*risk.notes, *refusal.warnings(risk, run.job)]


def _unmeasured(run: Run, runs: set[str], others: Sequence[About], covered: set[str], problems: list[str]) -> list[str]:
    """Warnings on the releases without joint k: those of ``others`` not ``covered``, and those outside ``runs``.

    ``problems`` gains a warning if the manifest cannot be read.
    """
    warnings = _by_other_names(run.about, runs)
    if not run.goal.tells_origin:
        return warnings
    warnings += _not_known([older for older in others if older.run not in covered])
    warnings += [
        f"the run that made {older.release} on {older.released_at[:10]} was ended while it published, so it is "
        "not known if this release is published: run its job again"
        for older in others
        if older.is_known and older.form == saved_recodings.PUBLISHING
    ]
    if not _is_known(run.store, run.goal, runs, problems):
        warnings.append(
            f"joint k with the previous release in {run.goal.label} is not known, as its recoding was not saved"
        )
    return warnings


def _since(result: Result, target: Target, *, measured: bool) -> list[str]:
    """Warnings on an unchanged release: earlier releases not included in the joint k, releases included that nobody
    received, or a recoding no longer saved.
    """
    warnings: list[str] = []
    abouts = registration.known_of(target.origin, warnings)
    there = {result.run, *(about.run for about in result.joint)}
    there.update(run for about in result.joint_together for run in about.runs)
    own = next((about.number for about in abouts if about.run == result.run), None)
    # Those that came later were measured with this one by their own runs.
    earlier = [about for about in abouts if about.was_given and (own is None or about.number < own)]
    further = [about for about in earlier if about.run not in there]
    if further and measured and target.tells_origin:
        warnings.append(
            f"joint k was not counted with {len(further)} earlier releases of the source, such as "
            f"{further[0].release} of {further[0].released_at[:10]}: run with --force to count it"
        )
    if never_given := [about for about in abouts if not about.was_given and about.run in there - {result.run}]:
        more = f" and {len(never_given) - 1} more" if len(never_given) > 1 else ""
        warnings.append(
            f"the figures of joint k still include {never_given[0].release}{more}, which nobody received: run with "
            "--force to count joint k again"
        )
    if not any(about.run == result.run and about.is_known for about in abouts):
        warnings.append(
            "later runs of this source cannot count joint k with this release, as its recoding is not saved: run "
            "with --force to save it"
        )
    return warnings


def _by_other_names(about: About, measured: set[str]) -> list[str]:
    """Warnings on unmeasured releases (runs not in ``measured``) possibly of the same source under another name."""
    with suppress(OutputError):  # which is said already
        further = [
            older for older in saved_recodings.all_but({*measured, about.run}) if _may_be_of_one_source(about, older)
        ]
        known_abouts = [older for older in further if older.is_known]
        return [*_not_known(further), *([_not_looked_for(known_abouts)] if known_abouts else [])]
    return []


def _may_be_of_one_source(about: About, other_about: About) -> bool:
    """True if two releases have sources with equal rows, or with names that may refer to the same table or file."""
    same = about.source is not None and about.source == other_about.source
    same = same or (about.content is not None and about.content == other_about.content)
    return same or about.source_name.may_be(other_about.source_name)


def _not_looked_for(abouts: Sequence[About]) -> str:
    """Warning on releases not measured.

    It names the last release at each output, in the syntax of the key ``against``.
    """
    last = list({about.place: about for about in reversed(abouts)}.values())[::-1]
    more = f" and {len(abouts) - 1} more" if len(abouts) > 1 else ""
    named = ", ".join(about.against for about in last[:_MOST_NAMED] if about.against)
    mend = (
        f"add against: [{named}]" if named else ("add the place of the release to against")
    )  # older versions kept no place
    return (
        f"{abouts[0].release} of {abouts[0].released_at[:10]}{more} may be a release of the same source under "
        f"another name, or of a copy of the source, and joint k with it was not counted: if so, {mend}"
    )


def _not_known(abouts: Sequence[About]) -> list[str]:
    """Warnings on earlier releases with unsaved recodings, one per reason.

    Releases that nobody received are ignored.
    """
    lost = [about for about in abouts if about.is_missed]
    sentences = []
    for why in dict.fromkeys(about.lost for about in lost):
        of = [about for about in lost if about.lost == why]
        more = f" and {len(of) - 1} more" if len(of) > 1 else ""
        sentences.append(f"joint k with {of[0].release} of {of[0].released_at[:10]}{more} is not known: {why}")
    return sentences


def _is_known(store: Session, target: Target, runs: set[str], warnings: list[str]) -> bool:
    """True if the last release at an output was made by one of ``runs``, according to manifest and ledger there.

    The ledger also lists releases by older program versions and by other users. A release of another source is
    ignored.
    """
    manifested, ledgered = manifest.known_result(target, warnings), target.run_before()
    if manifested is not None and manifested.run not in runs:
        return False
    before = target.origin_before(store)
    if ledgered is None or (before and target.is_of_source(before) is False):
        return True
    return ledgered != "" and any(run.startswith(ledgered) for run in runs)
