"""A run opens its working store, its source and its goal, and compresses the rows to their base frequency set."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from starcloak.hierarchy import misfits
from starcloak.job import Job
from starcloak.releases.clock import Clock
from starcloak.releases.targets import path_conflicts
from starcloak.releases.targets.target import Target
from starcloak.sources.open_source import open_source, open_store
from starcloak.star import base_frequency_set
from starcloak.store.resources import Resources
from starcloak.store.session import Session
from starcloak.store.source import Source
from starcloak.store.staging import Written

if TYPE_CHECKING:
    from starcloak.base.frames import Frame
    from starcloak.verify.population import PopulationSource


def refuse_places(job: Job, goal: Target, *beside: Written) -> None:
    """Refuse to write over the source or any other file of the run, before any work."""
    path_conflicts.refuse_source(job, goal)
    kept = [Written(path, "the cube", "algorithm.cube") for path in job.algorithm.kept]
    values = [] if job.without_leaf is None else [misfits.file_of_values(job.without_leaf)]
    path_conflicts.refuse(job, [*goal.written, *kept, *values, *beside])


def open_for(job: Job, resources: Resources, goal: Target) -> Session:
    """The working store of a run, which reaches the files of its source and of its goal."""
    kept = job.algorithm.kept
    return open_store(
        job.source,
        resources,
        files=goal.files,
        databases=(*goal.databases, *kept),
        stages=(*goal.stages, *kept),
    )


def compress(
    store: Session, job: Job, frame: Frame | None, clock: Clock, goal: Target, *, people: PopulationSource | None =
    None, whole: bool = True,
) -> Source:  # fmt: skip
    """The opened source, with its base frequency set and its population, and the goal prepared.

    ``people`` take the place of the requirement's population. Unless the ``whole`` base frequency set is needed, one
    that is too large stays where it is.
    """
    peopled = None
    if job.required.of_population:  # one database may have both: read before the store attaches it
        from starcloak.releases import population

        peopled = population.read(store, job, people)
    with clock.stage(store, "open"):
        opened = open_source(
            store, job.source, job.roles,
            frame=frame, others=job.others, beside=job.columns_beside, clean=job.clean,
        )  # fmt: skip
        store.lock_down()
        goal.prepare(store)
        goal.accept(opened)
        if opened.frame is not None and not goal.takes_rows:
            opened.frame.refuse_elsewhere(opened.released, goal.label)
        if opened.host is store:
            opened = opened.as_held(goal.type_kept)
        elif job.refresh:
            from starcloak.releases.earlier import rows_at_home

            opened = rows_at_home.bring(store, job, opened, goal)
    with clock.stage(store, "compress"):
        floored = any(kind.from_ is not None for kind in job.quasi_identifiers.values())
        if not (whole or floored) and opened.host is not store:
            from starcloak.star import remote_star

            if (combinations := remote_star.compress(store, opened, job)) is not None:
                return replace(opened, combinations=combinations)
        base_frequency_set.compress(store, opened, classes=job.class_column, sensitive=job.required.reads)
        return opened if peopled is None else population.bring_home(store, peopled, opened)
