"""The points of a comparison: the source is compressed once, then each release is searched, staged and verified."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from starcloak.base import frames, settings
from starcloak.base.errors import HierarchyError, JobError, RequirementError, SourceError, hint
from starcloak.commands.comparison.result import Comparison, Point, Released
from starcloak.job import Job, load
from starcloak.job.algorithms import Algorithm, algorithms, default_name
from starcloak.releases import release_measures
from starcloak.releases.proposal import (
    Clock,
    Proposal,
    ResolvedJob,
    compress,
    open_for,
    propose,
    resolve,
)
from starcloak.releases.run import propose_as_run
from starcloak.releases.stage import prove
from starcloak.releases.targets.memory import Memory
from starcloak.releases.targets.target import Target
from starcloak.star import frequency_sets
from starcloak.star.working_tables import BASE
from starcloak.statements.statement import Name, Statement
from starcloak.store.resources import Resources
from starcloak.store.session import Session
from starcloak.store.source import Source
from starcloak.store.staging import Written

if TYPE_CHECKING:
    from starcloak.verify.population import PopulationSource

KS = (2, 5, 10, 20, 50)
_AFRESH = (
    "refresh: every point is a new release, without the rows of the last one: see starcloak explain for the release "
    "that continues the last one"
)
_ALONE = "against: only a run counts joint k with earlier releases, so a run may refuse a point of the comparison"


@dataclass(frozen=True)
class ComparisonRequest:
    """Points to compare: each algorithm with each k and each suppression. An empty list means the job's own."""

    ks: tuple[int, ...] = KS
    algorithms: tuple[str, ...] = ()
    suppressions: tuple[Decimal, ...] = ()

    def __post_init__(self) -> None:
        if not self.ks or not all(type(k) is int and 1 <= k < 2**63 for k in self.ks):
            raise JobError("compare: k must be a list of whole numbers from 1 on: give numbers such as 2,5,10")
        for suppression in self.suppressions:
            if not 0 <= suppression <= 1:
                raise JobError(
                    "compare: suppression must be a share of the rows from 0 to 1: give numbers such as 0,0.01"
                )
        settings_by_name = algorithms()
        for name in self.algorithms:
            if name not in settings_by_name:
                raise JobError(
                    f"compare: unknown algorithm {name!r}: give one of "
                    f"{', '.join(settings_by_name)}.{hint(name, settings_by_name)}"
                )


def parse_points(ks: str, names: Sequence[str] = (), suppressions: str | None = None) -> ComparisonRequest:
    """Parse the points from the command line: numbers and names, separated by commas."""
    try:
        numbers = tuple(int(k) for k in ks.split(","))
        shares = tuple(Decimal(share.strip()) for share in suppressions.split(",")) if suppressions else ()
        if not all(share.is_finite() for share in shares):
            raise ValueError
    except (ValueError, ArithmeticError):
        raise JobError(
            "compare: a list has a text that is not a number: give numbers with commas between them, such as --k "
            "2,5,10 --suppression 0,0.01"
        ) from None
    return ComparisonRequest(numbers, tuple(name.strip() for text in names for name in text.split(",")), shares)


def compare(
    job: Job | Mapping[str, Any] | str | Path,
    request: ComparisonRequest = ComparisonRequest(),
    *,
    frame: frames.Frame | None = None,
    resources: Resources = Resources(),
    beside: Sequence[Written] = (),
) -> Comparison:
    """Compare releases of a job in cost and risk, each verified and none published.

    ``beside`` are files to be written by the caller; they may not replace a file of the job. A point without a release
    has the reason as its ``problem``. Raises an
    :class:`~starcloak.base.errors.InputError` for a job that cannot be used, or that is about several QIDs.
    """
    loaded = resolve(load(job)).unpublished(*beside)
    if loaded.requirement.qids is not None:
        raise JobError(
            "compare: the job has several QIDs (requirement.qids), and compare supports one k: give requirement.k "
            "in place of qids"
        )
    chosen = _algorithms(loaded, request)
    combined = list(product(chosen, request.suppressions or (loaded.requirement.suppression,), sorted(set(request.ks))))
    with Variants(loaded, frame, resources) as variants:
        points = []
        for number, (algorithm, suppression, k) in enumerate(combined, 1):
            variants.store.report(f"point {number} of {len(combined)}: {algorithm.name}, k = {k}")
            points.append(variants.point(algorithm, k, suppression))
        return Comparison(
            source=variants.opened.label,
            rows=variants.rows,
            domain=loaded.objective.domain,
            points=points,
            notes=[*([_AFRESH] if loaded.refresh else []), *([_ALONE] if loaded.against else [])],
        )


@dataclass(frozen=True)
class RecodedPoint:
    """Figures of a quasi-identifier's cells in the release of a variant, from 0 to 1.

    ``loss`` is their mean loss, ``top`` the share of cells at the top of the hierarchy, such as `*`. A suppressed row's
    cell is at the top.
    """

    loss: float
    top: float


class Variants:
    """Variants of a job with other algorithms and requirements: its source is opened and compressed once.

    The source is compressed again only if a variant needs the values of another column. ``job`` is the job with the
    source's columns in place of patterns. Releases are staged in memory (``goal``). A job with ``refresh`` is
    ``refreshed``: its own release continues the last one in its output place.
    """

    job: Job

    def __init__(
        self,
        job: Job,
        frame: frames.Frame | None,
        resources: Resources,
        people: PopulationSource | None = None,
        *,
        refreshed: ResolvedJob | None = None,
    ) -> None:
        self._job, self._frame, self._people, self._refreshed = job, frame, people, refreshed
        self.goal = Memory()
        # A refresh reads the last release in its place.
        self._place: Target = self.goal if refreshed is None else refreshed.goal
        self.store = open_for(job, resources, self._place)

    @classmethod
    def of_run(
        cls, job: Job | Mapping[str, Any] | str | Path, frame: frames.Frame | None, resources: Resources
    ) -> Variants:
        """Variants of a job for its own release, as the next run would make it. Refuses the places of the job."""
        resolved = resolve(load(job))
        return cls(resolved.unpublished(), frame, resources, refreshed=resolved if resolved.job.refresh else None)

    def __enter__(self) -> Variants:
        try:
            self.opened = compress(self.store, self._job, self._frame, Clock(), self._place, people=self._people)
            self.job = self._job.with_roles(self.opened.roles)
            self._columns_apart = _columns_apart(self.job)
            (self.rows, _, _) = self.store.row(Statement("star/frequency/size", frequency=BASE))
            self.opened.refuse_lost(self.rows)
            if not self.rows:
                raise SourceError(
                    f"{self.opened.label} has no rows, so there is nothing to release: give a table with rows"
                )
        except BaseException:
            self.store.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.store.close()

    def propose(self) -> Proposal:
        """The recoding that a run of the job would propose: by a refresh of its last release, or by a search."""
        if self._refreshed is not None:
            proposal = propose_as_run(self.store, self._refreshed, self.opened)
            # A refresh is no release to a data frame, so its rows are staged with all columns.
            return replace(proposal, source=replace(proposal.source, frame=None))
        return propose(self.store, self.job, self.opened, Clock(), keep=False)

    def point(self, algorithm: Algorithm, k: int, suppression: Decimal) -> Point:
        """Make and verify the release of one variant, without publishing; ``suppression`` is a share of the rows."""
        began, released = time.perf_counter(), None
        problem = self._refusal(algorithm, k, suppression)
        if problem is None:
            try:
                released = self._released(_with(self.job, algorithm, k, suppression))
            except (RequirementError, HierarchyError, JobError) as error:
                problem = str(error)
        return Point(
            algorithm=algorithm.name,
            k=k,
            suppression=float(suppression),
            released=released,
            problem=problem,
            seconds=round(time.perf_counter() - began, 4),
        )

    def _refusal(self, algorithm: Algorithm, k: int, suppression: Decimal) -> str | None:
        """Message if a job file with this algorithm and this requirement would be refused; otherwise None."""
        variant = _with(self._job, algorithm, k, suppression)  # with patterns, as in the file
        try:
            settings.check_together(variant.requirement)
            settings.check_together(variant)
        except JobError as error:
            return str(error)
        return None

    def _released(self, variant: Job) -> Released:
        if _columns_apart(variant) != self._columns_apart:
            frequency_sets.compress(
                self.store, self.opened, classes=variant.class_column, sensitive=variant.required.reads
            )
            self._columns_apart = _columns_apart(variant)
        with self.undone():
            return _release_of(self.store, variant, self.opened, self.goal)

    def recoded(self, algorithm: Algorithm, k: int, suppression: Decimal) -> Mapping[str, RecodedPoint] | None:
        """Levels and loss of one variant's release, not verified, by quasi-identifier; None without a release."""
        if self._refusal(algorithm, k, suppression) is not None:
            return None
        variant = _with(self.job, algorithm, k, suppression)
        with self.undone():
            try:
                proposal = propose(self.store, variant, self.opened, Clock(), keep=False)
            except RequirementError:
                return None
            measured = release_measures.measure_recoding(proposal.star, ranged=proposal.recoding.ranged)
            heights = {dimension.attribute: dimension.hierarchy_height for dimension in proposal.star.dimensions}
        return {
            name: RecodedPoint(
                sums["lost"] / self.rows, 1 - self._below(measured["levels"][name], heights[name]) / self.rows
            )
            for name, sums in measured["sums_of"].items()
        }

    @staticmethod
    def _below(rows: Mapping[int, int], height: int) -> int:
        """The number of cells below the top of a hierarchy, by the numbers of ``rows`` at each level."""
        return sum(count for level, count in rows.items() if level < height)

    @contextmanager
    def undone(self) -> Iterator[None]:
        """Context that drops the relations of a search at its end, because another search uses the same names."""
        before = _relations(self.store)
        try:
            yield
        finally:
            self._drop(_relations(self.store) - before)

    def drop(self, relation: Name) -> None:
        """Drop a relation of the working store, whether it is a table or a view, if it is there."""
        self._drop({(name, is_view) for name, is_view in _relations(self.store) if Name(name) == relation})

    def _drop(self, relations: set[tuple[str, bool]]) -> None:
        for name, is_view in relations:
            (self.store.drop_view if is_view else self.store.drop)(Name(name))


def _relations(store: Session) -> set[tuple[str, bool]]:
    return {(name, is_view) for name, is_view in store.run(Statement("commands/comparison/relations"))}


def _algorithms(job: Job, request: ComparisonRequest) -> list[Algorithm]:
    """The requested algorithms: the job's own with its settings, others with their defaults."""
    settings_by_name, own = algorithms(), job.algorithm
    names = list(dict.fromkeys(request.algorithms)) or [own.name]
    return [own if name == own.name else _settings(settings_by_name[name]) for name in names]


def _with(job: Job, algorithm: Algorithm, k: int, suppression: Decimal) -> Job:
    """The job with another algorithm and requirement, and without cached results."""
    requirement = job.requirement.model_copy(update={"k": k, "suppression": suppression})
    variant = job.model_copy(update={"requirement": requirement, "algorithm": algorithm})
    variant.__dict__.pop("required", None)
    return variant


def _settings(kind: type[Algorithm]) -> Algorithm:
    """An algorithm with its default settings. Raises :class:`JobError` if a setting has no default."""
    try:
        return kind.model_validate({})
    except ValidationError:
        name = default_name(kind)
        raise JobError(
            f"compare: algorithm {name} has settings without defaults: give it with its settings under algorithm in "
            "the job"
        ) from None


def _columns_apart(job: Job) -> tuple[str | None, tuple[str, ...]]:
    """Columns distinguished by the base frequency set beside the quasi-identifiers."""
    return job.class_column, job.required.reads


def _release_of(store: Session, job: Job, opened: Source, target: Memory) -> Released:
    clock = Clock()
    proposal = propose(store, job, opened, clock, keep=False)
    measured = release_measures.measure_recoding(proposal.star, ranged=proposal.recoding.ranged)
    reading = prove(store, job, proposal, clock, target)
    classes, smallest, suppressed = reading.counts.classes, reading.smallest, proposal.recoding.suppressed
    measures = release_measures.complete_measures(
        measured, classes, k=job.k, rows=proposal.star.rows, suppressed=suppressed
    )
    return Released(
        k=smallest,
        released_rows=classes.rows,
        suppressed_rows=suppressed,
        classes=classes.classes,
        highest_risk=1 / smallest if smallest else None,
        average_risk=reading.average_risk,
        loss=measures["loss"],
        precision=measures["precision"],
        discernibility=measures["discernibility"],
        levels=proposal.recoding.hierarchy_levels,
    )
