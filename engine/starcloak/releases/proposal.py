"""The proposal of a run, that is, a recoding not yet applied: resolves the job, opens and counts the source, searches.

Settings left open in a job are taken from the last release in its output place, and from its source. All commands
resolve a job here, so that its hash, by which a release is recognized, is the same in every command.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from starcloak.base.errors import OutputError
from starcloak.hierarchy import members
from starcloak.job import Job, Place
from starcloak.job.result import Result, Search, Seconds
from starcloak.releases import companion, manifest
from starcloak.releases.companion import Needs, needs_of
from starcloak.releases.targets import registry
from starcloak.releases.targets.memory import Memory
from starcloak.releases.targets.target import Target
from starcloak.search.algorithm import SearchContext, search
from starcloak.sources.open_source import open_source, open_store
from starcloak.star import fingerprint, frequency_sets, star_builder
from starcloak.star.recoding.recoding import Recoding
from starcloak.star.star import Star
from starcloak.store.databases.host import Host
from starcloak.store.resources import Resources
from starcloak.store.session import Session
from starcloak.store.source import Source
from starcloak.store.staging import Written

if TYPE_CHECKING:
    from starcloak.base.frames import Frame
    from starcloak.verify.population import PopulationClasses, PopulationSource

log = logging.getLogger("starcloak")


@dataclass(frozen=True)
class ResolvedJob:
    """A job with its open settings decided, and the target of its release (``goal``).

    If the job file names no objective, ``job`` has the objective of the last release in its place. Column patterns are
    expanded only once the source is open. ``warnings`` report a manifest of the last release that cannot be read.
    """

    job: Job
    goal: Target
    warnings: tuple[str, ...] = ()

    @cached_property
    def hash(self) -> str:
        """Hash of the job, as kept in manifests. Column patterns are hashed as written, not as expanded."""
        return fingerprint.job(self.job)

    def unpublished(self, *files: Written) -> Job:
        """The job without an output, for releases in memory. Refuses its places, with ``files`` to be written."""
        job = self.job.model_copy(update={"output": None, "keep_dimensions": False})
        refuse_places(job, Memory(), *files)
        return job

    @property
    def place(self) -> Place | None:
        """Place of the release; None if the job has no output."""
        if (output := self.job.output) is None:
            return None
        if output.path is not None:
            return Place(path=output.path)
        here = None if self.job.source is None else self.job.source.url
        return Place(url=output.url or here, table=output.table)

    def of_source(self, opened: Source) -> Job:
        """The job with column patterns, and the role for all other columns, replaced by the source's column names."""
        return self.job.with_roles(opened.roles)

    def released(self) -> Result | None:
        """The result of the last release in the job's output place, if made by a job with the same hash; else None.

        Raises :class:`~starcloak.base.errors.SourceError` if the manifest of that place cannot be read.
        """
        result = None if self.job.output is None else manifest.last_result(self.goal)
        return None if result is None or result.hashes.job != self.hash else result


def resolve(job: Job, target: Target | None = None) -> ResolvedJob:
    """Decide the open settings of a job by the last release in its place: ``target``, or else the job's output.

    Raises :class:`~starcloak.base.errors.JobError` if the objective of that release does not go with the job.
    """
    target = target or registry.target(job)
    warnings: list[str] = []
    published = manifest.known_result(target, warnings)
    return ResolvedJob(companion.resolved(job, published), target, tuple(warnings))


@dataclass
class Clock:
    """Seconds per stage of a run. If a stage is entered several times, its seconds are added up."""

    seconds: dict[str, float] = field(default_factory=dict)
    started: float = field(default_factory=time.perf_counter)

    @contextmanager
    def stage(self, store: Session, name: str) -> Iterator[None]:
        store.report(name)
        began = time.perf_counter()
        yield
        seconds = time.perf_counter() - began
        self.seconds[name] = self.seconds.get(name, 0.0) + seconds
        log.info("%s: %.3f s", name, seconds)

    def total(self) -> Seconds:
        """Seconds of each stage, and the seconds since the clock was started as ``total``; both with four decimals."""
        total = time.perf_counter() - self.started
        return Seconds(**{name: round(value, 4) for name, value in self.seconds.items()}, total=round(total, 4))


def refuse_places(job: Job, target: Target, *files: Written) -> None:
    """Raise an error if the run would overwrite its source, or one of its own files, or cannot write one.

    ``files`` are further files written by the run.
    """
    registry.refuse_source(job, target)
    kept = [Written(path, "the cube", "algorithm.cube") for path in job.algorithm.kept]
    values = [] if job.without_leaf is None else [members.file_of_values(job.without_leaf)]
    registry.refuse_conflicts(job, [*target.written, *kept, *values, *files])


def open_for(job: Job, resources: Resources, target: Target, run_id: str | None = None) -> Session:
    """Open the working store of a run: a DuckDB session with access to the files of its source and target."""
    kept = job.algorithm.kept
    return open_store(
        job.source,
        resources,
        files=target.files,
        databases=kept,
        stages=(*target.stages, *kept),
        run_id=run_id,
    )


def compress(
    store: Session, job: Job, frame: Frame | None, clock: Clock, target: Target, *, people: PopulationSource | None =
    None, whole: bool = True, refuse: Callable[[Host], None] = lambda host: None,
) -> Source:  # fmt: skip
    """Open the source, count its distinct tuples (the base frequency set), read its population, prepare the target.

    Before the first row is read, the target is prepared and ``refuse`` is called, which may raise an error. ``people``,
    if not None, replaces the requirement's population. If the base frequency set is too large to fetch, it stays in the
    source's database, unless ``whole`` is True or a companion needs the set. Returns the opened source.
    """
    peopled: PopulationClasses | None = None
    needs = needs_of(job)

    def read_people() -> None:
        nonlocal peopled
        if job.required.of_population and peopled is None:
            from starcloak.releases import population

            peopled = population.read(store, job, people)

    def ready(host: Host) -> None:
        target.prepare(store, host, list(job.quasi_identifiers) if job.keep_dimensions else ())
        _refuse_host(job, needs, host, target)
        refuse(host)
        read_people()

    places = (job.source, job.requirement.population)
    urls = [place.url for place in places if place is not None and place.url is not None]
    if any(url.kind.embedded or url.engine is not None for url in urls):
        read_people()  # one file, or one connection of the caller, may have both: before the source takes it
    with clock.stage(store, "open"):
        opened = open_source(
            store, job.source, job.roles,
            frame=frame, others=job.others, beside=job.columns_beside, clean=job.clean, ready=ready,
        )  # fmt: skip
        target.accept(opened)
        if opened.frame is not None and not target.takes_rows:
            opened.frame.refuse_elsewhere(opened.released, target.label)
        if opened.host is store:
            opened = opened.as_held(target.type_kept)
        elif needs.rows:
            from starcloak.releases import fetched_rows

            opened = fetched_rows.bring(store, opened, target)
    with clock.stage(store, "compress"):
        whole = whole or needs.rows or needs.combinations
        floored = any(kind.from_ is not None for kind in job.quasi_identifiers.values())
        if not (whole or floored) and opened.host is not store:
            from starcloak.star import remote_star

            if (combinations := remote_star.compress(store, opened, job)) is not None:
                store.lock_down()
                return replace(opened, combinations=combinations)
        rows = frequency_sets.compress(store, opened, classes=job.class_column, sensitive=job.required.reads)
        store.lock_down(rows if peopled is None else None)
        if peopled is None:
            return opened
        from starcloak.releases import population

        return population.bring_home(store, peopled, opened)


def _refuse_host(job: Job, needs: Needs, host: Host, target: Target) -> None:
    """Raise an error if a job needs something that the database with its rows (the ``host``) cannot do."""
    if job.persons and target.at_source and not host.keeps_rows:
        raise OutputError(
            "person: in Spark, persons with several rows cannot be counted: make a table with one row per person, "
            "or release to a file"
        )
    if needs.rows:
        from starcloak.releases import fetched_rows

        fetched_rows.refuse(job, host)


@dataclass(frozen=True)
class Proposal:
    """A recoding proposed for the rows of a source, before it is applied and verified.

    ``star`` is the base frequency set with its hierarchies, ``search`` the details of the search, ``allowed`` the
    highest number of suppressed rows. ``read`` is the source as it was read; ``source`` has the rows to release, which
    may include rows deleted since an earlier release.
    """

    source: Source
    star: Star
    search: Search
    recoding: Recoding
    allowed: int
    read: Source


def propose(store: Session, job: Job, opened: Source, clock: Clock, *, keep: bool = True) -> Proposal:
    """Build the star (base frequency set and hierarchies) of an opened source, and search a recoding.

    With ``keep``, the algorithm may write data for the next run to a file.
    """
    with clock.stage(store, "star"):
        built = star_builder.build(store, opened, _with_hierarchies(job))
        if opened.combinations is not None:
            from starcloak.star import remote_star

            built = remote_star.send(built, opened)
    with clock.stage(store, "search"), store.ending.searching() as stop:
        whole = needs_of(job).whole_tuples
        context = SearchContext(job.seed, job.objective, opened.label, keep, stop, partial(clock.stage, store), whole)
        answer = search(built, job.required.over(built.domains), job.algorithm, context)
    return Proposal(opened, answer.star, answer.told, answer.recoding, job.required.allowance(built.rows), opened)


def _with_hierarchies(job: Job) -> Job:
    """The job with one-step hierarchies, if its algorithm suppresses values."""
    return job.model_copy(update={"quasi_identifiers": job.hierarchies}) if job.algorithm.one_step else job
