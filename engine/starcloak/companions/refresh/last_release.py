"""The last release at an output, to be continued by a refresh, and the refusals if it cannot be continued."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from starcloak.base.errors import HierarchyError, JobError
from starcloak.job import Job
from starcloak.releases import manifest, state
from starcloak.releases.manifest import Inputs
from starcloak.releases.recodings import saved_recodings
from starcloak.releases.recodings.saved_recodings import About, Recoded
from starcloak.releases.run import Run
from starcloak.releases.targets.target import Target
from starcloak.star import fingerprint
from starcloak.store import staging
from starcloak.store.session import Session
from starcloak.store.source import Source

_AFRESH = "start again with refresh: first"
_WITHOUT = "it was released without refresh"
_NOT_HELD = f"departures: hold is not possible after a release without it: {_AFRESH}"


@dataclass
class LastRelease:
    """The last release at the output of a run. Its saved description is read at most once."""

    run: Run

    @cached_property
    def _about(self) -> About | None:
        """The saved description of the last release, or None for a first release.

        Raises as :func:`_about_before` does.
        """
        return None if self.run.job.refresh == "first" else _about_before(self.run.store, self.run.goal)

    def refuse_early(self) -> None:
        """Refuse an impossible refresh before any row is read, by the job, the last release and its saved description.

        Also creates the folder for the data of this release. Raises :class:`JobError`.
        """
        job, target = self.run.job, self.run.goal
        if not target.lasts:
            raise JobError(
                "refresh: a release in memory cannot be refreshed by later runs: give output.path or output.table"
            )
        if job.departures == "hold":
            _refuse_job_of_held(job, framed=target.source is None)
        state.folder()  # a refresh is published only if its rows can be kept
        try:
            about = self._about
        except JobError:
            if self.run.may_be_unchanged:
                return  # without a change nothing is refreshed
            raise
        if about is None:
            return
        _refuse_other_job(about, job)
        if job.departures == "hold" and not about.holds:
            raise JobError(_NOT_HELD)

    def continued(self) -> Recoded | None:
        """The saved recoding of the last release, or None for a first release.

        Raises :class:`JobError` if the last release cannot be continued by this job.
        """
        if self._about is None:
            return None
        before = _shown(self._about, self.run.store, self.run.goal)
        _refuse_other(before, self.run.job, self.run.source, self.run.inputs)
        return before


def refuse_unheld(before: Recoded | None, job: Job, opened: Source) -> None:
    """Refuse a source with rows that could not be held, or with other released columns than the last release.

    Names of columns are compared, and types if rows are held or k counts persons. Raises :class:`JobError`.
    """
    holds = job.departures == "hold"
    if holds:
        _refuse_lost(opened)
    if before is None:
        return
    if holds and not before.about.holds:
        raise JobError(_NOT_HELD)
    earlier, now = before.about.columns, types_of(opened)
    if earlier.keys() != now.keys() or (earlier != now and (holds or job.persons)):
        raise JobError(
            f"refresh: the last release has other columns than this job: name the same columns, or {_AFRESH}"
        )


def types_of(opened: Source) -> dict[str, str]:
    """Types of the released columns, by column name."""
    return {column.name: column.type for column in opened.released}


def _refuse_job_of_held(job: Job, *, framed: bool) -> None:
    """Refuse a job that could not release deleted rows again: with a data frame as source (``framed``), or with a
    hierarchy over several columns.
    """
    if framed:
        raise JobError(
            "departures: hold does not support a data frame as source: write the table to a file, or write "
            "departures: tell"
        )
    if job.columns_beside:
        raise JobError(
            "departures: a hierarchy reads further columns of the source, which has no held rows any longer: give "
            "this hierarchy as a file, a table or ranges, or write departures: tell"
        )


def _refuse_lost(opened: Source) -> None:
    """Refuse column types with cells that cannot be stored as text and restored unchanged."""
    for column in (*opened.released, *opened.persons):
        if not (column.is_text or column.is_plain or column.is_float):
            raise JobError(
                f"departures: cells of column {column.name!r} of type {column.kind} cannot be saved as texts to hold "
                f"them: cast the column in {opened.mended_in}, or write departures: tell"
            )


def _about_before(store: Session, target: Target) -> About | None:
    """The saved description of the last release at an output, or None if no release was ever published there.

    Raises :class:`JobError` if a release exists or existed there, but its rows are not saved: recipients may have it.
    """
    about, runs = saved_recodings.of_place(saved_recodings.place_of(target)), target.runs_known()
    before = manifest.known_result(target, [])
    if about is None and before is None and not runs and target.origin_before(store) is None:
        return None
    if about is None or not about.refreshable:
        raise _unknown(target, "its rows are not saved on this machine" if about is None else _why(about))
    if about.origin != target.origin:
        raise _unknown(target, "it is of another source")
    last_run = target.run_before() or next(iter(runs), "") or ("" if before is None else before.run)
    if not last_run:
        raise _unknown(target, "the release is missing in its place, and no ledger or manifest names it")
    if not about.run.startswith(last_run[: staging.RUN]):
        raise _unknown(target, "only the rows of an older release are saved on this machine")
    return about


def _shown(about: About, store: Session, target: Target) -> Recoded:
    """The saved recoding of the last release, with its rows.

    Raises :class:`JobError` if it is missing or unreadable, or if the output differs from the release published there.
    """
    before = manifest.known_result(target, store.warnings)
    recoding = saved_recodings.read(about)
    if recoding is None or not _is_readable(recoding):
        raise _unknown(target, _why(about))
    digest = about.digest or (before.hashes.release if before else None)
    if target.origin_before(store) is not None and (digest is None or target.digest(store, staged=False) != digest):
        raise _unknown(target, "the release was changed after its run, or is of another machine")
    return recoding


def _is_readable(recoding: Recoded) -> bool:
    """True if the saved rows have the columns required by this version of the program."""
    return recoding.shown is not None and "until" in recoding.shown.reader().schema.names


def _why(about: About) -> str:
    """The reason, in words, why the rows of the last release are not saved."""
    return about.lost or (saved_recodings.UNREADABLE if about.refreshable else _WITHOUT)


def _unknown(target: Target, why: str) -> JobError:
    elsewhere = "" if why == _WITHOUT else "run with the $XDG_STATE_HOME of that release, or "
    return JobError(
        f"refresh: the rows of the last release in {target.label} are not known ({why}): {elsewhere}{_AFRESH}"
    )


def _refuse_other_job(about: About, job: Job) -> None:
    """Refuse a last release with other quasi-identifiers than the job, or with another unit of k (rows or persons)."""
    if bool(about.chain) != bool(job.persons):
        counted = "persons, and this job has no person" if about.chain else "rows, and this job has person"
        raise JobError(f"refresh: the last release counts {counted}: give person as in that release, or {_AFRESH}")
    if about.attributes != tuple(job.quasi_identifiers):
        raise JobError(
            "refresh: the last release has other quasi-identifiers than this job: name the same quasi-identifiers, "
            f"or {_AFRESH}"
        )


def _refuse_other(before: Recoded, job: Job, opened: Source, inputs: Inputs) -> None:
    """Refuse a last release not comparable with the new one: by unit of k, quasi-identifiers, cleaning, column types or
    hierarchies.
    """
    _refuse_other_job(before.about, job)
    _refuse_other_readings(before, job, opened)
    if before.about.hierarchies != inputs.hierarchies or None in inputs.hierarchies.values():
        raise HierarchyError(
            f"refresh: a hierarchy has changed since the last release: give the same hierarchy, or {_AFRESH}"
        )


def _refuse_other_readings(before: Recoded, job: Job, opened: Source) -> None:
    """Refuse a last release with a column cleaned or typed differently from the source now.

    Its rows could not be recognized.
    """
    readings = fingerprint.readings(job, opened.released)
    for name, before_ in before.about.readings.items():
        now = readings.get(name)
        if now is None or now == before_:
            continue
        otherwise = "of another type" if now.cleaning == before_.cleaning else "cleaned differently"
        raise JobError(
            f"refresh: column {name!r} is {otherwise} than in the last release, so its rows would not be recognized: "
            f"give the column its former type and cleaning, or {_AFRESH}"
        )
