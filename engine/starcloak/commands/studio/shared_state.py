"""State shared by all windows of one studio: the job, and the computed results."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from starcloak.base.drawing.scale import segments
from starcloak.base.errors import JobError
from starcloak.commands import find_result
from starcloak.commands import lattice as counting
from starcloak.commands.comparison import compare as comparing
from starcloak.commands.hierarchies import CountedHierarchy, hierarchies
from starcloak.commands.preview.preview import preview
from starcloak.commands.profile import init as profiling
from starcloak.commands.profile.cleaning import CleaningProposal
from starcloak.commands.profile.draft import Draft, flow
from starcloak.commands.studio.job_file import JobFile
from starcloak.commands.studio.work import RunProcess, Work
from starcloak.exports.report.page import page
from starcloak.insight.counted_lattice import CountedLattice, TradeOff
from starcloak.job import Job
from starcloak.job.algorithms import SIDE_BY_SIDE
from starcloak.store.resources import Resources

_BAR = 150  # pixels of all rows of a column
_NOTHING = CleaningProposal({}, "")
_KS = (2, 3, 5, 10, 20, 50)


@dataclass(frozen=True)
class ColumnShown:
    """A column on the screen Table: its role in the job, its content, and the proposal of ``init``.

    ``bars`` are the rows of its most frequent values, as drawn.
    """

    name: str
    type: str
    distinct: int
    missing: int
    bars: list[dict[str, Any]]
    role: str | None
    proposed: str
    evidence: str
    alone: float | None
    hierarchy: str


@dataclass(frozen=True)
class CleaningShown:
    """Cleaning of a column: as in the job, and as ``proposed``; each is empty if there is none.

    ``why`` is the reason of the proposal; ``undecided`` is a question for a person.
    """

    name: str
    given: str
    proposed: str
    is_accepted: bool
    why: str
    undecided: str | None


class SharedState:
    """A job in a file and the work done for it. Windows share it; one changes it at a time."""

    def __init__(self, path: Path) -> None:
        self.file = JobFile(path)
        self.lock = threading.Lock()
        self._works: dict[str, Work] = {}
        self.start("table")

    # ------------------------------------------------------------------------------------------------------------ work

    def start(self, name: str) -> None:
        """Begin a piece of work, unless it is under way; a run of whatever job. A run saves the job first."""
        known = self._works.get(name)
        if known is not None and known.state == "running":
            if name == "run" or not self.is_stale(name):
                return
            known.cancel()
        if name == "run":
            self.file.save()
            self._works[name] = RunProcess(self.file.path, self.file.text)
            return
        if name not in _WORKS:
            raise JobError(f"{name!r} is no work: take one of {', '.join(_WORKS)}")
        self._works[name] = Work(self._text_for(name), partial(_WORKS[name], self.file.job, self.file.path))

    def keep(self, name: str) -> None:
        """Begin a piece of work never begun, or begun for an outdated job."""
        if name not in self._works or self.is_stale(name):
            self.start(name)

    def cancel(self, name: str) -> None:
        """End a piece of work."""
        if name in self._works:
            self._works[name].cancel()

    def work(self, name: str) -> Work | None:
        """A piece of work that was begun, or None."""
        return self._works.get(name)

    def is_stale(self, name: str) -> bool:
        """True if the parts of the job used by a piece of work have changed since it began."""
        work = self._works.get(name)
        return work is not None and work.text != self._text_for(name)

    def result(self, name: str) -> Any:
        """The result of a piece of work; None if there is none, or it is of an outdated job."""
        work = self._works.get(name)
        return None if work is None or work.state != "done" or self.is_stale(name) else work.result

    def _text_for(self, name: str) -> str:
        """The parts of the job used by a piece of work."""
        if name == "table":
            return repr(self.file.job.source)
        if name == "levels":
            return repr((self.file.job.source, self.file.job.clean, self.file.job.quasi_identifiers))
        if name == "lattice":  # any k and suppression is answered from it
            job = self.file.job
            most = job.requirement.k if job.persons else None  # persons are counted up to k
            return repr(
                (job.source, job.clean, job.quasi_identifiers, job.objective, job.requirement.models, job.roles, most)
            )
        return self.file.text

    # --------------------------------------------------------------------------------------------------------- screens

    @property
    def columns(self) -> list[ColumnShown]:
        """The columns of the source, once it is profiled."""
        drafted: Draft | None = self.result("table")
        if drafted is None:
            return []
        return [
            ColumnShown(
                name=decided.profile.name,
                type=decided.profile.column.type,
                distinct=decided.profile.distinct,
                missing=decided.profile.rows - decided.profile.present,
                bars=segments(decided.profile.frequent, decided.profile.rows, _BAR),
                role=self.file.role(decided.profile.name),
                proposed=decided.role,
                evidence=decided.evidence,
                alone=drafted.tellings.singles.get(decided.profile.name),
                hierarchy=_fitted(drafted, decided.profile.name),
            )
            for decided in drafted.decided
        ]

    @property
    def cleaning(self) -> dict[str, CleaningShown]:
        """Current and proposed cleaning of the source's columns, once it is profiled."""
        drafted: Draft | None = self.result("table")
        if drafted is None:
            return {}
        given, proposed = self.file.job.clean, drafted.cleaning
        names = [decided.name for decided in drafted.decided if {decided.name} & {*given, *proposed}]
        return {name: self._cleaning_of(name, proposed.get(name, _NOTHING)) for name in names}

    def _cleaning_of(self, name: str, proposal: CleaningProposal) -> CleaningShown:
        return CleaningShown(
            name=name,
            given=self.file.cleaning(name),
            proposed=flow(proposal.rules) if proposal.rules else "",
            is_accepted=proposal.settings is not None and proposal.settings == self.file.job.clean.get(name),
            why=proposal.why,
            undecided=proposal.open,
        )

    def set_cleaning(self, column: str, *, accept: bool) -> None:
        """Clean a column as proposed, or not at all. Raises :class:`JobError` without a proposal or a cleaning."""
        shown = self.cleaning.get(column)
        if shown is None or not (shown.proposed if accept else shown.given):
            raise JobError(f"{column!r} has no cleaning to {'accept' if accept else 'reject'}")
        self.file.set_cleaning(column, shown.proposed if accept else None, shown.why)

    @property
    def hierarchies(self) -> dict[str, CountedHierarchy]:
        """The hierarchies of the job by their columns, once they are counted."""
        return {counted.attribute: counted for counted in self.result("levels") or ()}

    def answer(self, k: int, suppression: str) -> tuple[CountedLattice, TradeOff] | None:
        """The lattice, and its answer for a k and a suppression; None before it is counted."""
        counted: CountedLattice | None = self.result("lattice")
        return None if counted is None else (counted, counted.at(k, suppression))

    def report(self) -> str:
        """The report on the release of the job as it is in its file."""
        result, published = find_result.of_job(self.file.path, self.file.path.with_suffix(".report.html"))
        return page(result, published=published)


def _fitted(drafted: Draft, name: str) -> str:
    """The hierarchy proposed for a column, unless it needs a file."""
    fitted = drafted.fitted.get(name)
    return "suppress" if fitted is None or fitted.file is not None else flow(fitted.given)


def _draft(job: Job, path: Path, resources: Resources) -> Draft:
    if job.source is None:
        raise JobError("the job has no source: name its file or its table")
    return profiling.draft(job.source, into=path, clean=job.clean, resources=resources)


def _levels(job: Job, path: Path, resources: Resources) -> list[CountedHierarchy]:
    return hierarchies(job, resources=resources)


def _lattice(job: Job, path: Path, resources: Resources) -> CountedLattice:
    return counting.lattice(job, resources=resources)


def _preview(job: Job, path: Path, resources: Resources) -> Any:
    return preview(job, resources=resources)


def _curve(job: Job, path: Path, resources: Resources) -> Any:
    return comparing.compare(job, comparing.ComparisonRequest(_KS, SIDE_BY_SIDE), resources=resources)


_WORKS: dict[str, Callable[[Job, Path, Resources], Any]] = {
    "table": _draft,
    "levels": _levels,
    "lattice": _lattice,
    "preview": _preview,
    "curve": _curve,
}
