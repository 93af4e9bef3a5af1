"""Recodings of the earlier releases named under ``against``: by files or tables, or by the jobs that made them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from starcloak.base.errors import InputError, OutputError, SourceError, StarcloakError
from starcloak.job import Earlier, Job, Place, load
from starcloak.job.source import Url
from starcloak.releases import manifest
from starcloak.releases.manifest import Inputs
from starcloak.releases.proposal import Clock, compress, open_for, propose, resolve
from starcloak.releases.recodings import saved_recodings
from starcloak.releases.recodings.recoded_tuples import recode
from starcloak.releases.recodings.saved_recodings import About, Recoded
from starcloak.releases.targets.file import File
from starcloak.releases.targets.registry import table_of, target
from starcloak.releases.targets.target import Target
from starcloak.sources.open_source import open_source, open_store
from starcloak.sources.roles import everything
from starcloak.star import fingerprint
from starcloak.star.person_identity import identity_of
from starcloak.store.resources import Resources


def recodings_named(job: Job, resources: Resources) -> list[Recoded]:
    """The recodings of the releases named under ``against``, in the job's order.

    Raises :class:`SourceError` for a release without a known recoding, unless the job accepts an unknown joint k.
    """
    return [_recoding_named(earlier_name, job, resources) for earlier_name in job.against]


def runs_named(job: Job) -> list[tuple[str, str]]:
    """The last known run, and the name, of each release under ``against``, in the job's order.

    The run is empty if none is known.
    """
    goals = [_goal(earlier, job, _job_of(earlier)) for earlier in job.against]
    abouts = [saved_recodings.of_place(saved_recodings.place_of(goal)) for goal in goals]
    return [("" if about is None else about.run, goal.label) for about, goal in zip(abouts, goals, strict=True)]


def refuse_replaced(job: Job, before: list[tuple[str, str]]) -> None:
    """Raise :class:`OutputError` if a release under ``against`` has another last run than ``before``.

    ``before`` was read by :func:`runs_named`, before the recodings. Call it while the source is locked.
    """
    for (run, label), (last_run, _) in zip(before, runs_named(job), strict=True):
        if run != last_run:
            raise OutputError(
                f"against: another run released {label} again during this run, which counted joint k with the release "
                "before: run again"
            )


def _recoding_named(earlier: Earlier, job: Job, resources: Resources) -> Recoded:
    made_by = _job_of(earlier)
    release = _goal(earlier, job, made_by)
    path, table = _named_place(earlier, job) if made_by is None else _place_of(made_by)
    about = saved_recodings.of_place(saved_recodings.place_of(release))
    recoding = (
        None if about is None or not _stands(about.run, release, path, about.digest) else saved_recodings.read(about)
    )
    if recoding is None and made_by is not None:
        with _told_of(earlier):
            recoding = _again(made_by, path, resources)
    why = None
    if recoding is None:
        _refuse_absent(path, table, resources)
        why = "its recoding is not saved on this machine"
        if about is not None and not about.is_known:
            why += f" ({about.lost})"
    elif table is not None:
        from starcloak.companions.joint_risk.published_tables import is_published

        if not is_published(recoding, table, resources):
            why = "the table was changed after its run"
    if recoding is not None and why is None:
        return recoding
    if job.accept is None or not job.accept.unknown:
        remedy = "give the job that made the release in place of the table or file"
        if made_by is not None:
            remedy = "leave that job out" if made_by.refresh else "run that job again with --force"
        raise SourceError(
            f"against: joint k with {release.label} is unknown, as {why}: {remedy}, or write accept: {{joint_k: "
            "unknown}"
        )
    return _not_known(release, about, str(why))


def _not_known(target: Target, about: About | None, why: str) -> Recoded:
    """A stand-in for a named release with an unknown recoding. ``why`` is the reason in words."""
    if about is None:
        about = About(
            run="", released_at=manifest.released_at(target), release=target.label,
            place=saved_recodings.place_of(target), origin="", attributes=(), sensitive=(), split=False, k=None,
            job="", source=None, hierarchies={},
        )  # fmt: skip
    return saved_recodings.note(about, why)


def _refuse_absent(path: Path | None, table: Place | None, resources: Resources) -> None:
    """Raise :class:`SourceError` if the named file or table does not exist."""
    if path is not None and not path.exists():
        raise SourceError(f"against: {path} is not there: check its path")
    if table is not None:
        try:
            with open_store(table, resources) as store:
                open_source(store, table, everything, closed=False)
        except InputError as error:
            raise SourceError(f"against: {error}") from None


def _named_place(earlier: Earlier, job: Job) -> tuple[Path | None, Place | None]:
    """The file or the table of a named release: one of both is None."""
    if earlier.path is not None:
        return earlier.path, None
    return None, Place(url=_url(earlier, job), table=earlier.table)


def _place_of(made_by: Job) -> tuple[Path | None, Place | None]:
    """The output of the job ``made_by``, as a file and a table: at most one of both is not None.

    The content of a table must be compared with the job's release: another user may have published there since.
    """
    output = made_by.output
    if output is None or output.table is None:
        return (None if output is None else output.path), None
    here = made_by.source.url if made_by.source is not None else None
    return None, Place(url=output.url or here, table=output.table)


def _stands(run: str, target: Target, path: Path | None, digest: str | None = None) -> bool:
    """True if the run ``run`` made the last release at an output.

    An existing file must have the bytes of this release.
    """
    try:
        before = manifest.last_result(target)
    except SourceError:  # the run of the last release is unknown
        return False
    if path is None or not path.exists():
        return before is None or before.run == run
    if before is None:  # masked rows have no manifest
        return digest is not None and digest == fingerprint.file(path)
    return before.run == run and before.hashes.release == fingerprint.file(path)


def _job_of(earlier: Earlier) -> Job | None:
    """The job that made a named release, if the release is named by its job."""
    return None if earlier.job is None else load(earlier.job)


def _goal(earlier: Earlier, job: Job, made_by: Job | None) -> Target:
    """The place of a named release; ``made_by`` is :func:`_job_of` it."""
    if made_by is not None:
        return target(made_by)
    if earlier.path is not None:
        return File(Path(earlier.path).absolute())
    assert earlier.table is not None
    return table_of(_url(earlier, job), earlier.table, source=job.source.url if job.source is not None else None)


def _url(earlier: Earlier, job: Job) -> Url:
    """The URL of a named table's database: its own, or else that of the job's output or source."""
    here = job.source.url if job.source is not None else None
    url = earlier.url or (job.output.url if job.output is not None else None) or here
    if url is None:
        raise SourceError(
            f"against: {earlier.table} is a table, and neither source nor output is in a database: give its url, too"
        )
    return url


def _again(job: Job, path: Path | None, resources: Resources) -> Recoded | None:
    """Recompute the recoding of a job's last release by a new search.

    None if inputs or output changed since, or if the job refreshes its release: the last release then follows from
    all earlier ones.
    """
    resolved = resolve(job)
    job, target, before = resolved.job, resolved.goal, resolved.released()
    if job.refresh or before is None or not manifest.is_repeatable(before) or not _stands(before.run, target, path):
        return None
    with open_for(job, resources, target) as store:
        clock = Clock()
        opened = compress(store, job, None, clock, target)
        inputs = Inputs.of(store, job, opened)
        job = resolved.of_source(opened)
        if inputs != Inputs.of_result(before):
            return None
        recoding = propose(store, job, opened, clock, keep=False).recoding
        relations = recode(store, recoding)
        if job.persons:
            from starcloak.releases.recodings.person_links import with_persons

            relations = with_persons(store, job, relations, run=before.run)
        about = About(
            run=before.run,
            released_at=manifest.released_at(target),
            release=target.label,
            place=saved_recodings.place_of(target),
            origin=target.origin,
            k=before.k,
            job=inputs.job,
            source=inputs.source,
            hierarchies=inputs.hierarchies,
            identity=identity_of(store, job),
            **relations.described(job, opened),
        )
        return Recoded.of(store, relations, about)


@contextmanager
def _told_of(earlier: Earlier) -> Iterator[None]:
    """Prefix errors with the file of the named job, and raise them as :class:`SourceError`."""
    try:
        yield
    except StarcloakError as error:
        raise SourceError(f"against: {earlier.job}: {error}") from None
