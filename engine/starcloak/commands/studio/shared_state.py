"""State shared by all windows of one studio: the job, and the computed results."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from starcloak.base.drawing.scale import segments
from starcloak.base.errors import JobError
from starcloak.commands import find_result
from starcloak.commands import lattice as counting
from starcloak.commands.comparison import compare as comparing
from starcloak.commands.counted_lattice import CountedLattice, TradeOff
from starcloak.commands.hierarchies import CountedHierarchy, hierarchies
from starcloak.commands.preview.preview import preview
from starcloak.commands.profile import init as profiling
from starcloak.commands.profile.cleaning import CleaningProposal
from starcloak.commands.profile.draft import Draft, flow
from starcloak.commands.studio.job_file import JobFile
from starcloak.commands.studio.open_decisions import is_of_comma
from starcloak.commands.studio.release_trade_off import KS, ReleaseTradeOff, trade_off
from starcloak.commands.studio.work import RunProcess, Work, WorkContext
from starcloak.exports.report.page import page
from starcloak.job import Job
from starcloak.job.algorithms import SIDE_BY_SIDE
from starcloak.sources.file_formats import files_of

_BAR = 150  # pixels of all rows of a column
_NOTHING = CleaningProposal({}, "")
_REMEMBERED = 12


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
class DecisionShown:
    """An open decision: column, role in the job, doubt; ``is_of_comma`` is true for a doubt on commas in numbers."""

    name: str
    role: str | None
    doubt: str
    is_of_comma: bool


@dataclass(frozen=True)
class CleaningShown:
    """Cleaning rules of a column: in the job (``given``), and ``proposed``; empty without rules.

    ``why`` is the reason of the proposal; ``undecided`` is a question that only the user can answer, or None.
    """

    name: str
    given: str
    proposed: str
    is_accepted: bool
    why: str
    undecided: str | None

    @property
    def is_of_comma(self) -> bool:
        """True if the question is the meaning of commas in numbers."""
        return self.undecided is not None and is_of_comma(self.undecided)


class SharedState:
    """State shared by all browser windows of the studio: the job's file, and computations by their names.

    ``lock`` serializes changes.
    """

    def __init__(self, path: Path, draft: Draft | None = None) -> None:
        self.file = JobFile(path)
        self.lock = threading.Lock()
        self._works: dict[str, Work] = {}
        #: Finished computations by name and text of the job: after an undo, the job is not computed again.
        self._done: dict[tuple[str, str], Work] = {}
        #: Seconds of the last finished computation, by name.
        self.usual: dict[str, float] = {}
        if draft is None:
            self.start("table")
        else:  # just made for this job
            self._works["table"] = Work(self._text_for("table"), lambda _: draft)

    # ------------------------------------------------------------------------------------------------------------ work

    def start(self, name: str) -> None:
        """Start a computation, unless it is running for the current job; no run starts beside another run.

        A run saves the job first.
        """
        work = self._works.get(name)
        if work is not None and work.state == "running":
            if name == "run" or not self.is_stale(name):
                return
            work.cancel()
        if name == "run":
            self.file.save()
            self._remember(name)
            self._works[name] = RunProcess(self.file.path, self.file.text)
            return
        if name not in _WORKS:
            raise JobError(f"{name!r} is not a task of the studio: choose one of {', '.join(_WORKS)}")
        self._remember(name)
        self._works[name] = Work(self._text_for(name), partial(_WORKS[name], self.file.job, self.file.path))

    def _remember(self, name: str) -> None:
        """Store a finished computation for later use, before a new one of the same name replaces it."""
        work = self._works.get(name)
        if work is not None and work.state == "done":
            self._done[name, work.text] = work
            self.usual[name] = work.seconds
            while len(self._done) > _REMEMBERED:
                self._done.pop(next(iter(self._done)))

    def keep(self, name: str) -> None:
        """Start a computation unless it was started for the current job; a stored result is used again."""
        if name in self._works and not self.is_stale(name):
            return
        done = self._done.get((name, self._text_for(name)))
        if done is None:
            self.start(name)
            return
        self.cancel(name)
        self._remember(name)
        self._works[name] = done

    def cancel(self, name: str) -> None:
        """Cancel a computation, if it was started."""
        if name in self._works:
            self._works[name].cancel()

    def work(self, name: str) -> Work | None:
        """The computation with a name; None if it was not started."""
        return self._works.get(name)

    def is_stale(self, name: str) -> bool:
        """True if the parts of the job used by a computation, or files read by it, have changed since its start."""
        work = self._works.get(name)
        return work is not None and work.text != self._text_for(name)

    def result(self, name: str) -> Any:
        """The result of a computation, or its partial result so far; None without one, or if the job has changed."""
        work = self._works.get(name)
        return None if work is None or self.is_stale(name) else work.result

    def _text_for(self, name: str) -> str:
        """The parts of the job used by a computation and the state of the files it reads, as a text for comparison.

        A run is of the job alone: its release stays verified if the source changes later.
        """
        return self.file.text if name == "run" else f"{self._part_for(name)}\n{_states_of_files(self.file.job)}"

    def _part_for(self, name: str) -> str:
        if name == "table":
            return repr(self.file.job.source)
        if name == "levels":
            return repr((self.file.job.source, self.file.job.clean, self.file.job.quasi_identifiers))
        job = self.file.job
        counted = (job.source, job.clean, job.quasi_identifiers, job.objective, job.requirement.models, job.roles)
        if name == "lattice":  # any k and suppression is answered from it
            return repr((*counted, job.persons))
        if name == "releases":  # some k are answered from it
            return repr((*counted, job.persons, job.algorithm, job.requirement.suppression))
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
    def decisions(self) -> list[DecisionShown]:
        """The open decisions in the job's file; the table need not be profiled."""
        return [
            DecisionShown(name, self.file.role(name), doubt, is_of_comma(doubt))
            for name, doubt in self.file.open_decisions.items()
        ]

    def proposed_hierarchy(self, column: str) -> str:
        """The proposed hierarchy, as YAML, for a column of the source that becomes a quasi-identifier.

        Raises :class:`JobError` for any other column.
        """
        drafted: Draft | None = self.result("table")
        if drafted is not None and column in {decided.profile.name for decided in drafted.decided}:
            return _fitted(drafted, column)
        if drafted is None and self.file.role(column) is not None:
            return "suppress"
        raise JobError(f"{column!r} is not a column of the source: reload the page")

    def labels(self, heights: Mapping[str, int]) -> dict[str, list[str]]:
        """The names of the levels of each quasi-identifier, by the height of its hierarchy."""
        hierarchies = self.file.job.quasi_identifiers
        return {name: hierarchies[name].labels(height) for name, height in heights.items() if name in hierarchies}

    @property
    def cleaning(self) -> dict[str, CleaningShown]:
        """Current and proposed cleaning of the source's columns, once it is profiled."""
        drafted: Draft | None = self.result("table")
        if drafted is None:
            return {}
        rules, proposed = self.file.job.clean, drafted.cleaning
        names = [decided.name for decided in drafted.decided if {decided.name} & {*rules, *proposed}]
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
        """Set the cleaning of a column to the proposal if ``accept``, else remove it.

        Raises :class:`JobError` if there is no proposal, or nothing to remove.
        """
        current = self.cleaning.get(column)
        if current is None or not (current.proposed if accept else current.given):
            raise JobError(
                f"the job has no cleaning of {column!r} to {'accept' if accept else 'reject'}: reload the page"
            )
        self.file.set_cleaning(column, current.proposed if accept else None, current.why)

    @property
    def hierarchies(self) -> dict[str, CountedHierarchy]:
        """The counted hierarchies of the job by column; empty before they are counted."""
        return {counted.attribute: counted for counted in self.result("levels") or ()}

    def answer(self, k: int, suppression: str) -> tuple[CountedLattice, TradeOff] | None:
        """The lattice, and its answer for a k and a suppression; None before it is counted."""
        counted: CountedLattice | None = self.result("lattice")
        return None if counted is None else (counted, counted.at(k, suppression))

    @property
    def is_local(self) -> bool:
        """True if the job's algorithm recodes a column's cells to different levels: no node has the figures of a
        release.
        """
        return not self.file.job.algorithm.looks_at_nodes

    @property
    def releases(self) -> ReleaseTradeOff | None:
        """The releases of the job for several k, those made so far; None before the first one."""
        found: ReleaseTradeOff | None = self.result("releases")
        return found

    def report(self) -> str:
        """The report on the release of the job in its file (without unsaved changes), as HTML."""
        result, published = find_result.of_job(self.file.path, self.file.path.with_suffix(".report.html"))
        return page(result, published=published)


def _states_of_files(job: Job) -> list[tuple[str, int, int]]:
    """Path, time of the last change, and size of each file of the source and of the hierarchies."""
    states = []
    for path in (*files_of(job.source), *(path for kind in job.quasi_identifiers.values() for path in kind.files)):
        with suppress(OSError):  # a computation reports a missing file
            status = path.stat()
            states.append((str(path), status.st_mtime_ns, status.st_size))
    return states


def _fitted(drafted: Draft, name: str) -> str:
    """The hierarchy proposed for a column, as YAML; ``suppress`` if the hierarchy needs a file."""
    fitted = drafted.fitted.get(name)
    return "suppress" if fitted is None or fitted.file is not None else flow(fitted.given)


def _draft(job: Job, path: Path, context: WorkContext) -> Draft:
    if job.source is None:
        raise JobError("the job has no source: give source.path for a file, or source.url and source.table for a table")
    return profiling.draft(job.source, into=path, clean=job.clean, resources=context.resources)


def _levels(job: Job, path: Path, context: WorkContext) -> list[CountedHierarchy]:
    return hierarchies(job, resources=context.resources)


def _lattice(job: Job, path: Path, context: WorkContext) -> CountedLattice:
    return counting.lattice(job, resources=context.resources, report=context.report)


def _releases(job: Job, path: Path, context: WorkContext) -> ReleaseTradeOff:
    return trade_off(job, resources=context.resources, report=context.report)


def _preview(job: Job, path: Path, context: WorkContext) -> Any:
    return preview(job, resources=context.resources)


def _curve(job: Job, path: Path, context: WorkContext) -> Any:
    return comparing.compare(job, comparing.ComparisonRequest(KS, SIDE_BY_SIDE), resources=context.resources)


_WORKS: dict[str, Callable[[Job, Path, WorkContext], Any]] = {
    "table": _draft,
    "levels": _levels,
    "lattice": _lattice,
    "releases": _releases,
    "preview": _preview,
    "curve": _curve,
}
#: The names of all pieces of work.
WORKS = (*_WORKS, "run")
