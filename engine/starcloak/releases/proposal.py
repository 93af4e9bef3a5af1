"""The proposal of a run, that is, a recoding not yet applied: opens the source, counts its tuples, searches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from starcloak.base.errors import OutputError
from starcloak.hierarchy import members
from starcloak.job import Job
from starcloak.job.result import Search
from starcloak.releases.clock import Clock
from starcloak.releases.companion import Needs, needs_of
from starcloak.releases.targets import registry
from starcloak.releases.targets.target import Target
from starcloak.search.algorithm import SearchContext, search
from starcloak.sources.open_source import open_source, open_store
from starcloak.star import frequency_sets, star_builder
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
        store.lock_down()
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
                return replace(opened, combinations=combinations)
        frequency_sets.compress(store, opened, classes=job.class_column, sensitive=job.required.reads)
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
