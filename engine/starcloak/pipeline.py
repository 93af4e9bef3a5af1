"""Propose → verify → publish: one run from a job to a release."""

from __future__ import annotations

import logging
import platform
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from starcloak import dbt, fingerprint, manifest, openlineage, preview, recoding, report, script, star
from starcloak.ending import NOTHING, Ending
from starcloak.errors import JobError, OutputError, SourceError, StatementError
from starcloak.hierarchy.suppress import Suppress
from starcloak.job import Job, Qid, load
from starcloak.job import Source as Place
from starcloak.measures import counting
from starcloak.recoding import Recoding
from starcloak.report import Measures
from starcloak.search.algorithm import Run, search
from starcloak.search.tdr import apply
from starcloak.search.tdr.settings import Refinements
from starcloak.session import Session
from starcloak.source.opening import open_source
from starcloak.source.place import databases_of, files_of
from starcloak.source.source import Source
from starcloak.star import Star
from starcloak.targets import footprint
from starcloak.targets.footprint import Written
from starcloak.targets.memory import Memory
from starcloak.targets.registry import refuse_source, target
from starcloak.targets.target import Target
from starcloak.verify import clauses, gate
from starcloak.verify.claim import Claim
from starcloak.verify.reading import Reading

if TYPE_CHECKING:
    import pandas

log = logging.getLogger("starcloak")


@dataclass(frozen=True)
class Resources:
    """What a run may use, and whom it tells.

    ``memory_limit`` is DuckDB's, such as ``"1GB"``; ``progress`` is called with a line of text now and then; ``trace``
    with every statement before it runs. By an ``ending``, another thread or a handler of signals has a search that can
    stop at any time (tdr) release what it has: ``ending.stop()``.
    """

    memory_limit: str | None = None
    threads: int | None = None
    ending: Ending | None = None
    progress: Callable[[str], None] | None = None
    trace: Callable[[str], None] | None = None


@dataclass(frozen=True)
class Release:
    """A published release: its report, the SQL that makes it, and its rows where they went.

    >>> release = run("job.yaml")                                               # doctest: +SKIP
    >>> release.k, release.measures.precision, release.to_pandas()              # doctest: +SKIP
    """

    report: report.Report
    _script: Callable[[], str] = field(repr=False)
    _target: Target = field(repr=False)
    _job: Job = field(repr=False)

    @property
    def k(self) -> int | None:
        """The smallest equivalence class, counted on the release."""
        return self.report.k

    @property
    def measures(self) -> Measures:
        """What the release costs its user."""
        return self.report.measures

    def sql(self) -> str:
        """The script that makes this release with the database's own client; searched again for an unchanged one."""
        return self._script()

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data, valid under schemas/report.json."""
        return self.report.model_dump(mode="json")

    def openlineage(self) -> dict[str, Any]:
        """The run as an OpenLineage event: column lineage, and the count of k as an assertion."""
        return openlineage.event(self._job, self.report)

    def apply(self, frame: pandas.DataFrame) -> pandas.DataFrame:
        """Another table, such as test rows, masked as this release by tdr is (Fung, Wang, Yu 2007, section 5.2).

        A value that this release has not seen goes to the interval or masked value above it, and to ``*`` where there
        is none. Its kept and sensitive columns and the order of its rows stay, its identifiers and its index are left
        out. The result is not counted: it may have small classes. Raises :class:`~starcloak.errors.JobError` for
        another algorithm, :class:`~starcloak.errors.SourceError` for a column that the job does not name.
        """
        told = self.report.search.told
        if not isinstance(told, Refinements):
            raise JobError("only a masking by tdr can be applied to another table: the release is of another algorithm")
        return apply.apply(self._job, told.steps, frame, hierarchies=self.report.hashes.hierarchies)

    def to_pandas(self) -> pandas.DataFrame:
        """The released rows. Those of a CSV are text.

        A release of a data frame that stays in memory has kept and sensitive columns in the frame's own types, and its
        rows are numbered anew; a categorical column has the categories that occur.
        """
        return self._target.to_pandas()


@dataclass
class _Clock:
    """Seconds per stage."""

    seconds: dict[str, float] = field(default_factory=dict)
    started: float = field(default_factory=time.perf_counter)

    @contextmanager
    def stage(self, store: Session, name: str) -> Iterator[None]:
        store.report(name)
        began = time.perf_counter()
        yield
        self.seconds[name] = time.perf_counter() - began
        log.info("%s: %.3f s", name, self.seconds[name])

    def report(self) -> report.Seconds:
        total = time.perf_counter() - self.started
        return report.Seconds(**{name: round(value, 4) for name, value in self.seconds.items()}, total=round(total, 4))


@dataclass(frozen=True)
class _Inputs:
    """What decides a release: hashes of the job, its hierarchies, the program and the source, and the versions."""

    job: str
    hierarchies: dict[str, str | None]
    program: str
    source: str | None
    versions: report.Versions

    @classmethod
    def of(cls, store: Session, job: Job, opened: Source) -> _Inputs:
        hierarchies = fingerprint.hierarchies(store, opened.host, job)
        rows = fingerprint.source(store, opened)
        return cls(fingerprint.job(job), hierarchies, fingerprint.program(), rows, _versions())

    @classmethod
    def reported(cls, known: report.Report) -> _Inputs:
        hashes = known.hashes
        return cls(hashes.job, hashes.hierarchies, hashes.program, hashes.source, known.versions)


@dataclass(frozen=True)
class _Proposal:
    source: Source
    star: Star
    search: report.Search
    recoding: Recoding
    allowed: int


def run(
    job: Job | Mapping[str, Any] | str | Path,
    *,
    frame: pandas.DataFrame | None = None,
    resources: Resources = Resources(),
    force: bool = False,
    lineage: str | Path | None = None,
) -> Release:
    """Anonymize: search, stage, verify, publish.

    ``job`` is a path to YAML, a mapping or a :class:`Job`; ``frame`` takes the place of its source; the run's
    OpenLineage event goes to the file ``lineage``. Where the release
    of the same job, rows, hierarchies and version is still in its place, nothing is done, unless with ``force``, and
    ``report.unchanged`` says so. Raises an :class:`~starcloak.errors.InputError` for a job that cannot be used,
    :class:`~starcloak.errors.RequirementError` where the requirement cannot be met; then and on any other failure
    nothing is written and an old release is intact. A :class:`KeyboardInterrupt` tells whether that is so.
    """
    loaded = load(job)
    clock = _Clock()
    goal = target(loaded, framed=frame is not None)
    event = None if lineage is None else Path(lineage)
    _refuse_places(loaded, goal, *([] if event is None else [openlineage.written(event)]))
    ending = resources.ending or Ending()
    ending.written = NOTHING
    resources = replace(resources, ending=ending)
    try:
        with ExitStack() as stack:
            with ending.undisturbed():
                stack.enter_context(goal.hold())
            store = stack.enter_context(_open_for(loaded, resources, goal))
            opened = _compressed(store, loaded, frame, clock, goal)
            with clock.stage(store, "compare"):
                inputs = _Inputs.of(store, loaded, opened)
                always = force or loaded.keep_dimensions or isinstance(goal, Memory)
                known = None if always else _known(store, inputs, goal)
            if known is not None:
                goal.sweep()
                told = {"unchanged": True, "source": opened.label, "output": goal.label, "seconds": clock.report()}
                again = partial(compile, loaded, frame=frame, resources=resources)
                release = Release(known.model_copy(update=told), again, goal, loaded)
            else:
                _refuse_another_source(store, loaded, opened, goal)
                proposal = _propose(store, loaded, opened, clock)
                release = _publish(store, loaded, proposal, inputs, clock, goal)
            if event is not None:
                with ending.publishing():
                    openlineage.write(event, release.openlineage(), store.run_id)
            return release
    except KeyboardInterrupt:
        raise KeyboardInterrupt(ending.written) from None


def compile(
    job: Job | Mapping[str, Any] | str | Path,
    *,
    frame: pandas.DataFrame | None = None,
    dialect: preview.Dialect | None = None,
    resources: Resources = Resources(),
) -> str:
    """The script of the release that :func:`run` would publish. Reads the source, writes nothing.

    With a ``dialect`` it is translated, and marked as never run there. Raises as :func:`run` does.
    """
    loaded = load(job)
    goal = target(loaded, framed=frame is not None)
    _refuse_places(loaded, goal)
    with _open_for(loaded, resources, goal) as store:
        clock = _Clock()
        opened = _compressed(store, loaded, frame, clock, goal)
        script.refuse_two_places(opened, goal)
        proposal = _propose(store, loaded, opened, clock, keep=False)
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
    clock = _Clock()
    goal = Memory()
    _refuse_places(loaded, goal, *dbt.written(loaded, into))
    with _open_for(loaded, resources, goal) as store:
        opened = _compressed(store, loaded, None, clock, goal)
        if opened.host is not store:
            raise JobError(f"{opened.label} is not in DuckDB, whose dialect the model has: compile a script instead")
        proposal = _propose(store, loaded, opened, clock, keep=False)
        with store.ending.publishing("the model is written"):
            return dbt.write(loaded, opened, proposal.recoding, into=into, upstream=upstream)


def check(
    table: Place | None,
    qids: Sequence[Qid],
    *,
    l_diversity: Mapping[str, int] | None = None,
    frame: pandas.DataFrame | None = None,
    resources: Resources = Resources(),
) -> report.Verdict:
    """Whether a table, as it stands, is k-anonymous with respect to one or more quasi-identifiers.

    ``l_diversity`` gives sensitive attributes the fewest different values that each class must have, 2 or more.
    ``frame`` takes the place of ``table``. Raises an :class:`~starcloak.errors.InputError` for a table that cannot be
    read or that lacks a column.
    """
    names = list(dict.fromkeys(name for qid in qids for name in qid.attributes))
    for attribute, least in (l_diversity or {}).items():
        if not isinstance(least, int) or least < 2:
            raise JobError(f"l-diversity of {attribute!r}: every class has one value anyway: give 2 or more")
        if attribute in names:
            raise JobError(f"l-diversity: {attribute!r} is in a quasi-identifier, so a class has one value of it")
    with _open(table, resources) as store:
        roles = {"quasi_identifiers": names, "sensitive": list(l_diversity or ())}
        opened = open_source(store, table, roles, frame=frame, closed=False)
        store.lock_down()
        return gate.check(store, opened, qids=qids, diversity=l_diversity)


def _refuse_places(job: Job, goal: Target, *beside: Written) -> None:
    """Refuse to write over the source or any other file of the run, before any work."""
    refuse_source(job, goal)
    kept = [Written(path, "the cube", "algorithm.cube") for path in job.algorithm.kept]
    footprint.refuse(job, [*goal.written, *kept, *beside])


def _open_for(job: Job, resources: Resources, goal: Target) -> Session:
    kept = job.algorithm.kept
    return _open(
        job.source,
        resources,
        files=goal.files,
        databases=(*goal.databases, *kept),
        stages=(*goal.stages, *kept),
    )


def _open(
    place: Place | None,
    resources: Resources,
    *,
    files: tuple[Path, ...] = (),
    databases: tuple[Path, ...] = (),
    stages: tuple[Path, ...] = (),
) -> Session:
    store = Session(
        files=[*files_of(place), *files],
        databases=[*databases_of(place), *databases],
        stages=stages,
        memory_limit=resources.memory_limit,
        threads=resources.threads,
        progress=resources.progress,
        ending=resources.ending,
    )
    if resources.trace:
        store.trace(resources.trace)
    return store


def _compressed(store: Session, job: Job, frame: pandas.DataFrame | None, clock: _Clock, goal: Target) -> Source:
    """The opened source, with its base frequency set, and the goal prepared."""
    with clock.stage(store, "open"):
        opened = open_source(store, job.source, job.roles, frame=frame)
        store.lock_down()
        goal.prepare(store)
        goal.accept(opened)
        if opened.frame is not None and not goal.takes_rows:
            opened.frame.refuse_elsewhere(opened.released, goal.label)
        if opened.host is store:
            opened = opened.as_held(goal.held)
    with clock.stage(store, "compress"):
        star.compress(store, opened, classes=job.class_column, sensitive=job.required.reads)
    return opened


def _known(store: Session, inputs: _Inputs, goal: Target) -> report.Report | None:
    """The report of the release that is in its place, if a run would only make it again; in doubt, none."""
    known = manifest.read(goal)
    if known is None or inputs != _Inputs.reported(known):
        return None
    return known if known.hashes.release == goal.digest(store, staged=False) else None


def _refuse_another_source(store: Session, job: Job, opened: Source, goal: Target) -> None:
    """Refuse to replace a release of another source, unless the job says so."""
    before = goal.replaced(store)
    if before == "":
        opened.host.warnings.append(
            f"the release before in {goal.label} does not tell its source: it was replaced, whatever it was of"
        )
    elif before not in (None, goal.origin) and not (job.output and job.output.replace):
        raise OutputError(
            f"{goal.label} is a release of another source: give output.replace: true, or choose another name"
        )


def _propose(store: Session, job: Job, opened: Source, clock: _Clock, *, keep: bool = True) -> _Proposal:
    with clock.stage(store, "star"):
        built = star.build(store, opened, _declared(job))
    with clock.stage(store, "search"), store.ending.searching() as stop:
        asked = Run(job.seed, job.objective, opened.label, keep, stop, partial(clock.stage, store))
        answer = search(built, job.required, job.algorithm, asked)
    return _Proposal(opened, answer.star, answer.told, answer.recoding, job.required.allowed(built.rows))


def _declared(job: Job) -> Job:
    """The job with the hierarchies that its algorithm takes: one step each where it suppresses."""
    if not job.algorithm.one_step:
        return job
    return job.model_copy(update={"quasi_identifiers": dict.fromkeys(job.quasi_identifiers, Suppress())})


def _publish(store: Session, job: Job, proposal: _Proposal, inputs: _Inputs, clock: _Clock, goal: Target) -> Release:
    built, chosen, k = proposal.star, proposal.recoding, job.k
    written = script.write(job, proposal.source, chosen, goal)
    measured = counting.of_recoding(built, ranged=chosen.ranged)
    try:
        with clock.stage(store, "recode"), _writing(proposal.source, goal):
            rows = proposal.source if goal.at_source else proposal.source.home(store, goal.held)
            rows = rows if goal.takes_rows else replace(rows, frame=None)
            names = rows.host.carry(chosen.tables(rows))
            goal.stage(store, chosen.elsewhere(names).release(rows))
            if job.keep_dimensions:
                goal.keep(recoding.hierarchies(built))
        with clock.stage(store, "verify"), _reading(goal):
            claim = Claim(
                source=rows,
                dimensions=built.dimensions,
                levels=chosen.levels_in_use,
                expected=chosen.expected,
                # Sums of hashes that two databases computed cannot be compared.
                checksums=chosen.has_checksums and rows.host is proposal.source.host,
                requirement=job.required,
                rows=built.rows,
                suppressed=chosen.suppressed,
                allowed=proposal.allowed,
                ranged=chosen.ranged,
                as_sent=partial(goal.is_as_sent, store),
            )
            reading = clauses.verify(store, goal.read_back(store), claim)
            classes = reading.counts.classes
        with clock.stage(store, "fingerprint"):
            hashes = _hashes(store, job, proposal, inputs, written, goal)
        summary = {
            "run": store.run_id,
            "released_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "source": proposal.source.label,
            "origin": goal.origin,
            "job": inputs.job,
            "requirement": job.requirement.model_dump_json(exclude_defaults=True),
            "k": classes.smallest,
            "rows": classes.rows,
            "suppressed_rows": chosen.suppressed,
            "starcloak": inputs.versions.starcloak,
        }
        with store.ending.publishing(), clock.stage(store, "publish"), _writing(proposal.source, goal):
            goal.publish(store, summary)
    except BaseException:
        with suppress(StatementError, OSError):
            goal.discard(store)
        raise
    result = report.Report(
        run=store.run_id,
        source=proposal.source.label,
        output=goal.label,
        rows=built.rows,
        released_rows=classes.rows,
        suppressed_rows=chosen.suppressed,
        k=classes.smallest,
        requirement=_required(job, reading),
        algorithm=_algorithm(job),
        objective=job.objective.minimize or "weights",
        seed=job.seed,
        recoding=report.Recoding(
            model=chosen.model,
            levels=chosen.levels,
            heights={dimension.attribute: dimension.height for dimension in built.dimensions},
        ),
        measures=Measures(**counting.complete(measured, classes, k=k, rows=built.rows, suppressed=chosen.suppressed)),
        search=proposal.search,
        seconds=clock.report(),
        versions=inputs.versions,
        hashes=hashes,
        warnings=list(dict.fromkeys([*proposal.source.host.warnings, *goal.warnings])),
    )
    if not isinstance(goal, Memory):
        with store.ending.publishing():
            manifest.write(goal, result)

    def told() -> str:
        script.refuse_two_places(proposal.source, goal)
        return written.text()

    return Release(result, told, goal, job)


def _hashes(
    store: Session, job: Job, proposal: _Proposal, inputs: _Inputs, written: script.Script, goal: Target
) -> report.Hashes:
    """The hashes of a staged release. What changed during the run has none."""
    now = fingerprint.hierarchies(store, proposal.source.host, job)
    rows: str | None = inputs.source
    if not proposal.recoding.has_checksums and proposal.source.host is store:  # a file may have changed, unseen so far
        star.compress(store, proposal.source, classes=job.class_column, sensitive=job.required.reads)
        rows = rows if rows == fingerprint.source(store, proposal.source) else None
    return report.Hashes(
        job=inputs.job,
        hierarchies={name: known if known == now[name] else None for name, known in inputs.hierarchies.items()},
        program=inputs.program,
        statements=written.fingerprint,
        source=rows,
        release=goal.digest(store, staged=True),
    )


@contextmanager
def _writing(opened: Source, goal: Target) -> Iterator[None]:
    """What fails while a release is written is the place's fault, or that of the rows."""
    try:
        yield
    except OSError as error:
        raise OutputError(
            f"{goal.label} cannot be written ({type(error).__name__}): check space and permissions"
        ) from None
    except StatementError as error:
        if error.kind.startswith(("IO", "OutOfMemory", "Permission", "Transaction", "Fatal")):
            raise OutputError(f"{goal.label} cannot be written ({error.kind}): check space and permissions") from None
        raise SourceError(
            f"{opened.label} cannot be read ({error.kind}): check that its rows are well-formed"
        ) from None


@contextmanager
def _reading(goal: Target) -> Iterator[None]:
    """What fails while a staged release is read back is for the user to mend, too."""
    try:
        yield
    except StatementError as error:
        raise OutputError(f"{goal.label} cannot be read back ({error.kind}): choose another format") from None


def _required(job: Job, reading: Reading) -> report.Requirement:
    return report.Requirement(
        k=job.k if job.required.single else None,
        qids=[
            report.QidReleased(
                attributes=list(demand.attributes),
                k=demand.k,
                achieved_k=anonymity,
                models=[
                    report.ModelReleased(model=model.key, required=model.given, achieved=judged.achieved)
                    for of, model, judged in reading.judged
                    if of == demand
                ],
            )
            for demand, anonymity in zip(job.required.demands, reading.counts.classes.anonymity, strict=True)
        ],
        redundant_qids=[
            report.QidRequired(attributes=list(demand.attributes), k=demand.k) for demand in job.required.redundant
        ],
        suppression=float(job.requirement.suppression),
    )


def _algorithm(job: Job) -> report.AlgorithmUsed:
    settings = job.algorithm.model_dump(mode="json", by_alias=True)
    return report.AlgorithmUsed(name=settings.pop("name"), variant=settings.pop("variant", None), settings=settings)


def _versions() -> report.Versions:
    from importlib.metadata import version

    return report.Versions(starcloak=version("starcloak"), duckdb=duckdb.__version__, python=platform.python_version())
