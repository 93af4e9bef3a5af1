"""Runs of a job (propose a recoding, verify its release, publish it), its SQL script, and checks of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starcloak.base import frames
from starcloak.base.errors import JobError, OutputError, SourceError
from starcloak.commands.release import Release
from starcloak.exports import script
from starcloak.job import Job, Place, Qid, load, refuse_beside_sets
from starcloak.job.check_result import Verdict
from starcloak.privacy.model import Model
from starcloak.releases.manifest import Inputs
from starcloak.releases.proposal import Clock, Proposal, compress, open_for, propose, refuse_places, resolve
from starcloak.releases.publish import publish
from starcloak.releases.recodings import saved_recodings
from starcloak.releases.recodings.saved_recodings import Recoded
from starcloak.releases.run import Run, first
from starcloak.releases.targets.memory import Memory
from starcloak.releases.targets.registry import target
from starcloak.releases.targets.target import Target
from starcloak.sources.open_source import open_source, open_store
from starcloak.store.databases.host import Host
from starcloak.store.resources import Resources

if TYPE_CHECKING:
    from starcloak.exports import translation as preview
    from starcloak.verify.population import PopulationDemand, PopulationSource


def run(
    job: Job | Mapping[str, Any] | str | Path,
    *,
    frame: frames.Frame | None = None,
    population: frames.Frame | None = None,
    population_count: str | None = None,
    spark: Any = None,
    resources: Resources = Resources(),
    force: bool = False,
    lineage: str | Path | None = None,
    joint: bool = True,
    keep_script: bool = True,
) -> Release:
    """Anonymize by a job: search a recoding, stage its release, verify the release, publish it.

    If the output already holds the release of the same job, rows, hierarchies and program version, nothing is done, and
    ``result.unchanged`` is true.

    Args:
        job: The path of a YAML file, a mapping or a :class:`Job`.
        frame: A data frame in place of the job's source.
        population: A data frame in place of the requirement's population.
        population_count: The column of ``population`` with the number of people that a row stands for.
        spark: A session of Spark in place of the source's URL.
        resources: Memory, threads and callbacks of the run.
        force: Make the release again even if nothing changed.
        lineage: The file for the run's OpenLineage events.
        joint: Measure joint k with all earlier releases of the source. Releases named by the job are always measured.
        keep_script: Keep the data of :meth:`Release.sql`. Without it, that method searches again, and the run needs
            less memory.

    Returns:
        The verified and published release.

    Raises:
        InputError: The job cannot be used.
        RequirementError: The requirement cannot be met. After this or any other failure nothing is written, and an old
            release is intact.
        KeyboardInterrupt: The run was interrupted; the message says what was written.

    >>> import starcloak as sc
    >>> job = {"source": {"dataset": "patients"}, "schema": "patients/incognito-2005", "requirement": {"k": 2}}
    >>> release = sc.run(job)
    >>> release.k, release.result.recoding.levels
    (2, {'birthdate': 1, 'sex': 1, 'zipcode': 0})
    >>> sorted(release.to_pandas()["zipcode"])
    ['53703', '53703', '53706', '53706', '53715', '53715']
    """
    people = None if population is None else _people(population, population_count)
    options = {"force": force, "lineage": lineage, "joint": joint}
    loaded = load(job, session=spark)
    run = Run.of(loaded, target(loaded, framed=frame is not None), resources, options)
    with run.locked():
        run.open(frame, people)
        run_again = partial(_again, run.resolved.job, run.inputs, frame=frame, resources=run.resources)
        result = first(run.companions, lambda companion: companion.settled(run))
        if result is not None:
            text, recoding = run_again, partial(_kept_recoding, result.run)
        else:
            run.propose()
            proposal = run.proposal
            written = script.write(run.job, proposal.source, proposal.recoding, run.goal, keep_rows=keep_script)
            run.statements = written.fingerprint
            result = publish(run)
            text = partial(_text, written, proposal, run.goal) if keep_script else run_again
            recoding = partial(_own_recoding, run.recoded)
        for companion in run.companions:
            companion.after_publish(run, result)
        kind = "pandas" if frame is None else frames.kind_of(frame)
        return Release(result, text, recoding, run.goal, run.job, kind)


def _people(population: frames.Frame, count: str | None) -> PopulationSource:
    """The population in a data frame; ``count`` names the column of people per row."""
    from starcloak.verify.population import PopulationSource

    return PopulationSource(None, population, count)


def _refuse_unwritten(job: Job) -> None:
    """Refuse SQL for a release that depends on earlier ones, or that the SQL could not recount."""
    if (refusal := script.uncounted(job)) is not None:
        raise JobError(refusal)
    if any(kind.max_suppressed is not None for kind in job.quasi_identifiers.values()):
        raise JobError("a script cannot check max_suppressed when it runs: leave max_suppressed out, or use run")
    if job.refresh:
        raise JobError(
            "refresh: the released rows depend on earlier releases, so there is no script before the run: run the "
            "job, and take the SQL from release.sql() in Python"
        )


def _refuse_unmeasured(job: Job) -> None:
    """Refuse SQL before a run for a job with a limit on joint k: only a run counts the release with earlier ones."""
    if job.against:
        raise JobError(
            "against: only a run counts joint k with earlier releases, so SQL before the run could make a release "
            "that the run refuses: run the job, and take the SQL from release.sql() in Python"
        )


def _refuse_sets(job: Job) -> None:
    """Refuse SQL for a job that compares the rows of persons as sets."""
    if job.as_set:
        raise JobError(script.NO_SETS)


def _own_recoding(recoded: Recoded | None) -> Recoded:
    if recoded is None:
        raise OutputError(
            "the recoding of this release was not fetched from the database, as the source has too many "
            "combinations of the quasi-identifiers: coarsen a column in a query"
        )
    return recoded


def _kept_recoding(run: str) -> Recoded:
    recoding = saved_recodings.of_run(run)
    if recoding is None:
        raise OutputError("the recoding of this release was erased: run the job again with --force")
    return recoding


def _text(written: script.Script, proposal: Proposal, target: Target) -> str:
    script.refuse_home(proposal.source, target)
    if proposal.read is not proposal.source:
        raise JobError(
            "the release has rows that are no longer in the source (departures: hold), so SQL on the source cannot "
            "make it: write departures: tell"
        )
    return written.text()


def compile(
    job: Job | Mapping[str, Any] | str | Path,
    *,
    frame: frames.Frame | None = None,
    dialect: preview.Dialect | None = None,
    resources: Resources = Resources(),
) -> str:
    """Write the script of the release that :func:`run` would publish. Reads the source, writes no file.

    Args:
        job: The path of a YAML file, a mapping or a :class:`Job`.
        frame: A data frame in place of the job's source.
        dialect: A dialect to translate the script to. A translated script is marked as never run there.
        resources: Memory, threads and callbacks of the search.

    Raises:
        JobError: No script can make the job's release from its source alone. Other errors as in :func:`run`.

    >>> import starcloak as sc
    >>> job = {"source": {"dataset": "patients"}, "schema": "patients/incognito-2005", "requirement": {"k": 2}}
    >>> print(sc.compile(job).splitlines()[0])
    -- A release of patients: birthdate at level 1, sex at level 1, zipcode at level 0.
    """
    written, loaded = _compiled(load(job), frame, resources, translated=dialect is not None)
    if dialect is None:
        return written
    from starcloak.exports import translation as preview

    return preview.translate(written, loaded, dialect=dialect)


def _again(job: Job, inputs: Inputs, *, frame: frames.Frame | None, resources: Resources) -> str:
    """The SQL script of an unchanged release, searched again. Raises :class:`SourceError` if the inputs changed."""
    return _compiled(job, frame, resources, of=inputs)[0]


def _compiled(
    loaded: Job,
    frame: frames.Frame | None,
    resources: Resources,
    *,
    translated: bool = False,
    of: Inputs | None = None,
) -> tuple[str, Job]:
    """The SQL script of a job's release, and the job with the roles of the source's columns.

    Raises :class:`SourceError` if ``of`` is given and the inputs differ from it. If ``translated``, the source must be
    in DuckDB.
    """
    _refuse_sets(loaded)
    resolved = resolve(loaded, target(loaded, framed=frame is not None))
    loaded, outlet = resolved.job, resolved.goal
    refuse_places(loaded, outlet)
    _refuse_unwritten(loaded)
    if of is None:
        _refuse_unmeasured(loaded)
    with open_for(loaded, resources, outlet) as store:
        clock = Clock()

        def refuse(host: Host) -> None:
            script.refuse_two_places(host, outlet)
            if translated and host is not store:
                raise JobError(
                    "--dialect translates scripts for DuckDB only, and the source is in another database: leave "
                    "--dialect out"
                )

        opened = compress(store, loaded, frame, clock, outlet, refuse=refuse)
        loaded = resolved.of_source(opened)
        script.refuse_home(opened, outlet)
        if of is not None and of != Inputs.of(store, resolved.job, opened):
            raise SourceError(
                f"{opened.label} or a hierarchy has changed since the release was made: run the job again"
            )
        proposal = propose(store, loaded, opened, clock, keep=False)
        return script.write(loaded, proposal.source, proposal.recoding, outlet, sealed=not translated).text(), loaded


def compile_dbt(
    job: Job | Mapping[str, Any] | str | Path,
    into: Path,
    *,
    upstream: str | None = None,
    resources: Resources = Resources(),
) -> list[Path]:
    """Write the release that :func:`run` would publish into the folder of a dbt project, as a model.

    The dbt project determines the table that the model creates. Raises as :func:`run` does.

    Args:
        job: The path of a YAML file, a mapping or a :class:`Job`.
        into: The folder of the dbt project.
        upstream: The project's name of the source, such as ``patients`` (a model) or ``clinic.patients`` (a source). By
            default the model reads the job's source.
        resources: Memory, threads and callbacks of the search.

    Returns:
        The written files, among them files with values needed by the model.
    """
    from starcloak.exports import dbt

    target = Memory()
    resolved = resolve(load(job), target)
    loaded = resolved.job
    _refuse_sets(loaded)
    clock = Clock()
    refuse_places(loaded, target, *dbt.files_to_write(loaded, into))
    _refuse_unwritten(loaded)
    _refuse_unmeasured(loaded)
    with open_for(loaded, resources, target) as store:

        def refuse(host: Host) -> None:
            if host is not store:
                raise JobError(
                    "a dbt model is for a source in DuckDB or a file: compile a script with --format sql for this "
                    "database"
                )

        opened = compress(store, loaded, None, clock, target, refuse=refuse)
        if upstream is None and opened.is_home:
            raise JobError(
                f"{opened.label}: dbt cannot read a workbook: save it as CSV, or load it into a table and name the "
                "model or source with its rows by --upstream"
            )
        loaded = resolved.of_source(opened)
        proposal = propose(store, loaded, opened, clock, keep=False)
        with store.ending.publishing("the model is written"):
            return dbt.write(loaded, opened, proposal.recoding, into=into, upstream=upstream)


def check(
    table: Place | None,
    qids: Sequence[Qid],
    *,
    models: Sequence[Model] = (),
    person: Sequence[str] = (),
    as_set: bool = False,
    within: PopulationDemand | None = None,
    frame: frames.Frame | None = None,
    resources: Resources = Resources(),
) -> Verdict:
    """Check a table as it stands for k-anonymity with respect to one or more quasi-identifiers.

    The verdict on a release has no count from 1 to k - 1.

    Args:
        table: The place of the table, unless there is a ``frame``.
        qids: The quasi-identifiers, each with its k.
        models: Further privacy models that the equivalence classes must satisfy.
        person: Columns that identify the person of a row: classes then count persons.
        as_set: Count persons with the same rows, each as often: k such persons are required.
        within: The population of the table, with k-map and delta-presence as requirements.
        frame: A data frame in place of ``table``.
        resources: Memory, threads and callbacks of the check.

    Raises:
        InputError: The table cannot be read or lacks a column.
        JobError: A column has two roles, or the requirements exclude each other.
    """
    from starcloak.commands import check_table
    from starcloak.releases.population import read_classes

    refuse_beside_sets(person, as_set, {"models": models, "a population": within})
    names = list(dict.fromkeys(name for qid in qids for name in qid.attributes))
    sensitive = list(dict.fromkeys(name for model in models for name in model.reads))
    for attribute in sensitive:
        if attribute in names:
            raise JobError(
                f"{attribute!r} is named as sensitive and as a quasi-identifier: name it in one of these roles"
            )
    for column in person:
        if column in (*names, *sensitive):
            raise JobError(f"{column!r} is named under person and in another role: name it under person only")
    population = None if within is None else (within, read_classes(within.population, names, resources=resources))
    with open_store(table, resources) as store:
        roles = {"quasi_identifiers": names, "sensitive": sensitive, "person": list(person)}
        opened = open_source(store, table, roles, frame=frame, closed=False)
        store.lock_down()
        return check_table.check(store, opened, place=table, qids=qids, models=models, within=population, as_set=as_set)
