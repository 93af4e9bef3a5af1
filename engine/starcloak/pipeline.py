"""Propose → verify → publish: one run from a job to a release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from starcloak import arrow, dbt, openlineage, preview, script
from starcloak.ending import NOTHING, Ending
from starcloak.errors import JobError
from starcloak.job import Job, Qid, load
from starcloak.job import Source as Place
from starcloak.privacy.model import Model
from starcloak.release.clock import Clock
from starcloak.release.opening import compress, open_for, open_store, refuse_places
from starcloak.release.propose import propose
from starcloak.release.publish import publish
from starcloak.release.release import Release
from starcloak.release.resources import Resources
from starcloak.release.unchanged import Inputs, known, refuse_another_source
from starcloak.result import Verdict
from starcloak.source.opening import open_source
from starcloak.source.source import Source
from starcloak.targets.memory import Memory
from starcloak.targets.registry import target
from starcloak.targets.target import Target
from starcloak.verify import gate


def run(
    job: Job | Mapping[str, Any] | str | Path,
    *,
    frame: arrow.Frame | None = None,
    resources: Resources = Resources(),
    force: bool = False,
    lineage: str | Path | None = None,
) -> Release:
    """Anonymize: search, stage, verify, publish.

    ``job`` is a path to YAML, a mapping or a :class:`Job`; ``frame`` takes the place of its source; the run's
    OpenLineage event goes to the file ``lineage``. Where the release
    of the same job, rows, hierarchies and version is still in its place, nothing is done, unless with ``force``, and
    ``result.unchanged`` says so. Raises an :class:`~starcloak.errors.InputError` for a job that cannot be used,
    :class:`~starcloak.errors.RequirementError` where the requirement cannot be met; then and on any other failure
    nothing is written and an old release is intact. A :class:`KeyboardInterrupt` tells whether that is so.

    >>> import starcloak as sc
    >>> job = {"source": {"dataset": "patients"}, "schema": "patients/incognito-2005", "requirement": {"k": 2}}
    >>> release = sc.run(job)
    >>> release.k, release.result.recoding.levels
    (2, {'birthdate': 1, 'sex': 1, 'zipcode': 0})
    >>> sorted(release.to_pandas()["zipcode"])
    ['53703', '53703', '53706', '53706', '53715', '53715']
    """
    loaded = load(job)
    clock = Clock()
    goal = target(loaded, framed=frame is not None)
    kind = "pandas" if frame is None else arrow.kind_of(frame)
    event = None if lineage is None else Path(lineage)
    refuse_places(loaded, goal, *([] if event is None else [openlineage.written(event)]))
    ending = resources.ending or Ending()
    ending.written = NOTHING
    resources = replace(resources, ending=ending)
    try:
        with ExitStack() as stack:
            with ending.undisturbed():
                stack.enter_context(goal.hold())
            store = stack.enter_context(open_for(loaded, resources, goal))
            opened = compress(store, loaded, frame, clock, goal)
            loaded = loaded.placed(opened.roles)
            with clock.stage(store, "compare"):
                inputs = Inputs.of(store, loaded, opened)
                always = force or loaded.keep_dimensions or not goal.lasts
                found = None if always else known(store, inputs, goal)
            if found is not None:
                goal.sweep()
                told = {"unchanged": True, "source": opened.label, "output": goal.label, "seconds": clock.told()}
                again = partial(compile, loaded, frame=frame, resources=resources)
                release = Release(found.model_copy(update=told), again, goal, loaded, kind)
            else:
                refuse_another_source(store, loaded, opened, goal)
                proposal = propose(store, loaded, opened, clock)
                written = script.write(loaded, proposal.source, proposal.recoding, goal)
                result = publish(store, loaded, proposal, inputs, written, clock, goal)
                release = Release(result, partial(_text, written, proposal.source, goal), goal, loaded, kind)
            if event is not None:
                with ending.publishing():
                    openlineage.write(event, release.openlineage(), store.run_id)
            return release
    except KeyboardInterrupt:
        raise KeyboardInterrupt(ending.written) from None


def _text(written: script.Script, opened: Source, goal: Target) -> str:
    script.refuse_two_places(opened, goal)
    return written.text()


def compile(
    job: Job | Mapping[str, Any] | str | Path,
    *,
    frame: arrow.Frame | None = None,
    dialect: preview.Dialect | None = None,
    resources: Resources = Resources(),
) -> str:
    """The script of the release that :func:`run` would publish. Reads the source, writes nothing.

    With a ``dialect`` it is translated, and marked as never run there. Raises as :func:`run` does.

    >>> import starcloak as sc
    >>> job = {"source": {"dataset": "patients"}, "schema": "patients/incognito-2005", "requirement": {"k": 2}}
    >>> print(sc.compile(job).splitlines()[0])
    -- A release of patients: birthdate at level 1, sex at level 1, zipcode at level 0.
    """
    loaded = load(job)
    goal = target(loaded, framed=frame is not None)
    refuse_places(loaded, goal)
    with open_for(loaded, resources, goal) as store:
        clock = Clock()
        opened = compress(store, loaded, frame, clock, goal)
        loaded = loaded.placed(opened.roles)
        script.refuse_two_places(opened, goal)
        proposal = propose(store, loaded, opened, clock, keep=False)
        if dialect is not None and proposal.source.host is not store:
            raise JobError(f"{proposal.source.label} is not in DuckDB, whose script is translated: leave --dialect out")
        written = script.write(loaded, proposal.source, proposal.recoding, goal).text()
    return written if dialect is None else preview.translate(written, loaded, dialect=dialect)


def compile_dbt(
    job: Job | Mapping[str, Any] | str | Path,
    into: Path,
    *,
    upstream: str | None = None,
    resources: Resources = Resources(),
) -> list[Path]:
    """Write the release that :func:`run` would publish into the folder of a dbt project, as a model with its seeds.

    Returns the files. The model reads the source where the job does, or by the name that the project has for it, an
    ``upstream`` such as ``patients`` (a model) or ``clinic.patients`` (a source), and goes where the project says.
    Raises as :func:`run` does.
    """
    loaded = load(job)
    clock = Clock()
    goal = Memory()
    refuse_places(loaded, goal, *dbt.written(loaded, into))
    with open_for(loaded, resources, goal) as store:
        opened = compress(store, loaded, None, clock, goal)
        loaded = loaded.placed(opened.roles)
        if opened.host is not store:
            raise JobError(f"{opened.label} is not in DuckDB, whose dialect the model has: compile a script instead")
        proposal = propose(store, loaded, opened, clock, keep=False)
        with store.ending.publishing("the model is written"):
            return dbt.write(loaded, opened, proposal.recoding, into=into, upstream=upstream)


def check(
    table: Place | None,
    qids: Sequence[Qid],
    *,
    models: Sequence[Model] = (),
    frame: arrow.Frame | None = None,
    resources: Resources = Resources(),
) -> Verdict:
    """Whether a table, as it stands, is k-anonymous with respect to one or more quasi-identifiers.

    ``models`` are further ones that its classes must satisfy. ``frame`` takes the place of ``table``. Raises an
    :class:`~starcloak.errors.InputError` for a table that cannot be read or that lacks a column.
    """
    names = list(dict.fromkeys(name for qid in qids for name in qid.attributes))
    sensitive = list(dict.fromkeys(name for model in models for name in model.reads))
    for attribute in sensitive:
        if attribute in names:
            raise JobError(
                f"{attribute!r} is in a quasi-identifier, so a class has one value of it: leave it out there"
            )
    with open_store(table, resources) as store:
        roles = {"quasi_identifiers": names, "sensitive": sensitive}
        opened = open_source(store, table, roles, frame=frame, closed=False)
        store.lock_down()
        return gate.check(store, opened, qids=qids, models=models)
