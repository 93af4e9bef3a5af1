"""Choice of the target of a release by the job's output, and checks that no file of the run is overwritten.

A target is a file, memory, or a table of a database. A run's output never replaces an input of the run, another output,
or a file not made by starcloak.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from starcloak.base.errors import OutputError
from starcloak.base.operating_system import refusal_of_name
from starcloak.job import Job, Output, Place
from starcloak.releases.companion import needs_of
from starcloak.releases.targets.file import File
from starcloak.releases.targets.memory import Memory
from starcloak.sources.file_formats import database_files_of, files_of, takes
from starcloak.star import fingerprint
from starcloak.store import staging
from starcloak.store.session import database_files
from starcloak.store.staging import Written

if TYPE_CHECKING:
    from starcloak.releases.targets.table import TableTarget
    from starcloak.releases.targets.target import Target
    from starcloak.store.databases.url import Url


def target(job: Job, *, framed: bool = False) -> Target:
    """The target of a job's release; memory if the job has no output.

    ``framed`` is True if the rows come from a data frame instead of the job's source.
    """
    target = _place(job, framed=framed)
    target.source = None if framed else job.source
    target.origin = fingerprint.origin(target.source)
    here = None if target.source is None else target.source.url
    target.tells_origin = not framed and not (here is not None and here.in_memory)
    return target


def _place(job: Job, *, framed: bool) -> Target:
    match job.output:
        case None:
            return Memory()
        case Output(path=Path() as path, delimiter=delimiter, encoding=encoding):
            return _file(path.absolute(), delimiter, is_marked=encoding == "utf-8-sig")
        case Output(table=str() as table, url=url):
            here = job.source.url if job.source is not None else None
            place = url or here
            if place is None:
                raise OutputError(
                    "output.table is given, and the source is not in a database: give output.url, the database of "
                    "the table"
                )
            # Rows that must come home are recoded in the working store, and sent from there.
            is_remote = needs_of(job).rows and not place.kind.embedded
            return table_of(place, table, source=None if is_remote or framed else here)
    raise OutputError("the job has no place for the release: give output.path or output.table")


def _file(path: Path, delimiter: str = ",", *, is_marked: bool = False) -> File:
    """The target for a file: a workbook for the suffix .xlsx, else a Parquet or CSV file."""
    if path.suffix.lower() == ".xlsx":
        from starcloak.releases.targets.workbook import WorkbookFile

        return WorkbookFile(path)
    return File(path, delimiter, is_marked=is_marked)


def table_of(url: Url, table: str, *, source: Url | None = None) -> TableTarget:
    """The target for a table in the database at ``url``.

    ``source`` is the URL of the database with the source's rows, or None if these are elsewhere. If it is the same
    database, the release is made there.
    """
    if url.kind.embedded:
        from starcloak.releases.targets.duckdb_table import DuckDBTable, TableOfFile

        is_source = source is not None and source.embedded_file == url.embedded_file
        return DuckDBTable(url, table) if is_source else TableOfFile(url, table)
    if url.kind.transactional:
        from starcloak.releases.targets.database_table import DatabaseTable

        return DatabaseTable(url, table, at_source=url.is_same(source))
    if url.kind.views_alone:
        from starcloak.releases.targets.shown_table import ShownTable

        return ShownTable(url, table, at_source=url.is_same(source))
    from starcloak.releases.targets.swapped_table import SwappedTable

    return SwappedTable(url, table, at_source=url.is_same(source))


def place(of: Place) -> Target:
    """The target for an existing release, named as a source of rows: a file, or a table of a database."""
    if of.path is not None:
        return _file(of.path.absolute())
    assert of.url is not None
    assert of.table is not None
    return table_of(of.url, of.table, source=of.url)


def refuse_source(job: Job, target: Target) -> None:
    """Raise :class:`OutputError` if the release would replace its own source or population.

    Also if the job keeps dimension tables and the target cannot store them, or if one would replace the source.
    """
    if target.may_be(job.source):
        raise OutputError(f"{target.label} is the source, which a release must not replace: give another output")
    if job.requirement.population is not None and target.may_be(job.requirement.population):
        raise OutputError(f"{target.label} is the population, which a release must not replace: give another output")
    if not job.keep_dimensions:
        return
    if not target.keeps_dimensions:
        raise OutputError(
            f"keep_dimensions is for a table in a database that supports it, and {target.label} is not: leave "
            "keep_dimensions out"
        )
    if any(target.may_be(job.source, dimension=attribute) for attribute in job.quasi_identifiers):
        assert job.source is not None
        raise OutputError(
            f"{job.source.table}, the source, has the name of a dimension table of {target.label}: leave "
            "keep_dimensions out, or choose another name for the release"
        )


def refuse_conflicts(job: Job, written: Sequence[Written]) -> None:
    """Raise :class:`OutputError` if a file of ``written`` cannot be written or would overwrite another file of the job.

    Paths are compared after links are resolved, and also by file identity, so that hard links of one file are equal.
    """
    read = [("the source", job.source), ("the population", job.requirement.population)]
    databases = [
        (name, file) for name, place in read for path in database_files_of(place) for file in _with_its_own(path)
    ]
    files = [*((f"{name} of the job", path) for name, path in _descriptions(job)), *databases]
    files += [(name, path) for name, place in read for path in files_of(place)]
    for output in written:
        for name, place in read:
            if takes(place, output.path):
                raise OutputError(
                    f"{output.name} would be written to {output.path}, one of the files of {name}: check {output.key}"
                )
        try:
            _refuse(
                output, [input_file for input_file in files if not (output.may_be_source and input_file in databases)]
            )
        except (OSError, RuntimeError, ValueError) as error:
            raise OutputError(f"{output.name} cannot be written ({type(error).__name__}): check {output.key}") from None
        files += [(output.name, file) for file in _with_its_own(output.path)]


def _refuse(output: Written, files: Sequence[tuple[str, Path]]) -> None:
    for name, path in files:
        if _is_same(output.path, path):
            raise OutputError(f"{output.name} would replace {name}, {path}: check {output.key}")
    if (refusal := refusal_of_name(output.path)) is not None:
        raise OutputError(f"{output.name} cannot be written: {refusal}: check {output.key}")
    folder = output.path.resolve().parent
    if not output.makes_folder and not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise OutputError(f"{folder} is not a writable folder: check {output.key}")
    with suppress(FileNotFoundError):  # it is not there, as it should be
        staging.of(output.path.resolve(), "0" * 32).lstat()  # fails where its name is too long
    if (
        output.is_own is not None
        and output.path.exists()
        and not (output.path.is_file() and output.is_own(output.path))
    ):
        raise OutputError(
            f"{output.name} would replace {output.path}, which starcloak did not write: move this file, or check "
            f"{output.key}"
        )


def _with_its_own(path: Path) -> list[Path]:
    """The file and the files that a database may have beside it, such as its write-ahead log."""
    return [*database_files(path), *(path.with_name(f"{path.name}-{kind}") for kind in ("journal", "wal", "shm"))]


def _descriptions(job: Job) -> list[tuple[str, Path]]:
    """The files of the job itself and of its hierarchies, each with a name for messages."""
    hierarchies = [path for kind in job.quasi_identifiers.values() for path in kind.files]
    return [*(("a file", path) for path in job.files), *(("a hierarchy", path) for path in hierarchies)]


def _is_same(first: Path, second: Path) -> bool:
    if first.resolve() == second.resolve():
        return True
    try:
        return first.samefile(second)
    except OSError:
        return False
