"""A fault, a kill or a full disk leaves the old release or the new one, whole, wherever the release goes."""

from __future__ import annotations

import errno
import itertools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest
import yaml

from starcloak.base.errors import OutputError, SourceError, StarcloakError
from starcloak.statements.statement import Name, Statement
from starcloak.store.session import Session
from tests.releases.publish.places import (
    CSV,
    PEOPLE,
    TO_CSV,
    TO_EXISTING,
    TO_FRESH,
    TO_PARQUET,
    TO_SOURCE,
    Place,
    Rows,
    during,
    expected,
    private_folders,
    run,
    stagings,
    statements,
)
from tests.traces import bare


def staging_starts(described: dict[str, Any]) -> int:
    """The number of the first statement that writes the release, counting from 1. The run succeeds."""
    seen = statements(described)
    return next(
        number
        for number, sql in enumerate(seen, 1)
        if bare(sql).startswith("copy") or (bare(sql).startswith("attach") and "read_only" not in sql)
    )


# ------------------------------------------------------------------------------------------------------------- faults


def test_a_source_that_cannot_be_read_any_more_when_it_is_released_is_told(folder: Path) -> None:
    def tear() -> None:
        Path("people.csv").write_text(PEOPLE + 'SECRETx7 Gus,"HIDDENx7\n')

    with pytest.raises(SourceError, match=r"^people.csv cannot be read .*: check that its rows are well-formed$"):
        during(TO_CSV.short_job(2), 'create or replace table "star"', tear)
    assert not Path("release.csv").exists() and not stagings(folder)


def test_a_staging_that_is_gone_before_it_is_read_back_is_told(folder: Path) -> None:
    def remove() -> None:
        for staged in folder.glob(".*.starcloak-staging*/*"):
            staged.unlink()

    with pytest.raises(OutputError, match=r"release.parquet cannot be read back .*: choose another format$"):
        during(TO_PARQUET.short_job(2), "describe\nselect *\nfrom read_parquet(", remove)
    assert not Path("release.parquet").exists()


class Fault(RuntimeError):
    """An error that starcloak does not know."""


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("place", "fault", "each"),
    [
        *((place, KeyboardInterrupt, 8) for place in (TO_CSV, TO_SOURCE)),
        *(
            pytest.param(place, fault, 1, marks=pytest.mark.long)
            for place, fault in [
                *((place, KeyboardInterrupt) for place in (TO_CSV, TO_PARQUET, TO_FRESH, TO_EXISTING, TO_SOURCE)),
                (TO_SOURCE, Fault),
            ]
        ),
    ],
    ids=lambda value: getattr(value, "name", getattr(value, "__name__", None)),
)
def test_a_fault_before_any_statement_leaves_the_old_release(
    place: Place, fault: type[BaseException], each: int, folder: Path
) -> None:
    new = expected(place.short_job(4))
    first = staging_starts(place.short_job(4))
    assert place.read() == new
    # The search is the same for all targets: one of them tells that nothing is written before the staging.
    begin = 1 if (place, fault) == (TO_CSV, KeyboardInterrupt) else first - 2
    if place.is_fresh:
        place.withdraw()
    else:
        run(place.short_job(2))
    old, beside = place.read(), sorted(os.listdir(folder))
    for number in itertools.count(begin, each):
        try:
            run(place.short_job(4), trace=raise_before(number, fault))
        except fault:
            assert place.read() == old, f"before statement {number}"
            assert sorted(os.listdir(folder)) == beside, f"before statement {number}"
            assert not private_folders()
        else:
            break
    assert number > first + 3
    assert place.read() == new


def raise_before(number: int, fault: type[BaseException]) -> Callable[[str], None]:
    """A tracer that raises before a statement, once."""
    count = itertools.count(1)

    def trace(_: str) -> None:
        if next(count) == number:
            raise fault

    return trace


def test_a_release_that_the_verifier_refuses_is_not_published(folder: Path) -> None:
    """The source changes under the run: rows counted and rows released differ."""
    for place in (TO_CSV, TO_FRESH):
        Path("people.csv").write_text(PEOPLE)

        def grow(sql: str) -> None:
            if bare(sql).startswith('create or replace table "star"'):
                Path("people.csv").write_text(PEOPLE + PEOPLE.splitlines()[1] + "\n")

        with pytest.raises(StarcloakError):
            run(place.job(2), trace=grow)
        assert place.read() is None
        assert not stagings(folder)


# -------------------------------------------------------------------------------------------------------------- kills


def run_and_die(described: dict[str, Any], temporary: str | None, statement: int | None, write: int | None) -> None:
    """A run, in a process of its own, that is killed before a statement, or before its own write to the folder."""
    tempfile.tempdir = temporary
    if write is not None:
        sys.addaudithook(at_write(write, lambda: os.kill(os.getpid(), signal.SIGKILL)))
    count = itertools.count(1)

    def trace(_: str) -> None:
        if next(count) == statement:
            os.kill(os.getpid(), signal.SIGKILL)

    run(described, trace=trace)


def at_write(number: int, action: Callable[[], None]) -> Callable[[str, tuple[Any, ...]], None]:
    """An audit hook that acts before Python opens for writing, links, renames, removes or changes a file here, once."""
    count = itertools.count(1)
    here = os.getcwd()

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        writes = event in ("os.rename", "os.link", "os.remove", "os.chmod") or (
            event == "open" and isinstance(arguments[2], int) and bool(arguments[2] & (os.O_WRONLY | os.O_RDWR))
        )
        if writes and str(arguments[0]).startswith(here) and next(count) == number:
            action()

    return hook


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("place", "each"),
    [
        *((place, 13) for place in (TO_CSV, TO_FRESH, TO_SOURCE)),
        *(
            pytest.param(place, 1, marks=pytest.mark.long)
            for place in (TO_CSV, TO_PARQUET, TO_FRESH, TO_EXISTING, TO_SOURCE)
        ),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_a_kill_at_a_statement_leaves_one_whole_release(
    place: Place, each: int, process: Callable[..., int], folder: Path
) -> None:
    """One kill after the other, each run finding what the last one left."""
    new = expected(place.short_job(4))
    first = staging_starts(place.short_job(4))
    old: Rows = new
    for statement in itertools.chain((3, first - 1), itertools.count(first, each)):
        if place.is_fresh:
            place.withdraw()
            old = None
        elif old == new:
            run(place.short_job(2))
            old = place.read()
            assert old != new
        code = process(run_and_die, place.short_job(4), tempfile.tempdir, statement, None)
        found = place.read()
        if code == 0:
            break
        assert code == -signal.SIGKILL
        assert found in (old, new), f"statement {statement}"
        assert len(private_folders()) == 1  # its own: those of the runs before it are swept
        old = found
    assert statement > first + 3
    assert found == new
    assert not stagings(folder)
    assert not private_folders()


# Every other write; the long tests take each.
@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("place", "each"),
    [(TO_CSV, 3), (TO_FRESH, 2), *(pytest.param(place, 1, marks=pytest.mark.long) for place in (TO_CSV, TO_FRESH))],
    ids=lambda value: getattr(value, "name", None),
)
def test_a_kill_at_a_write_leaves_one_whole_release(
    place: Place, each: int, process: Callable[..., int], folder: Path
) -> None:
    """Between the statements lie the renames and links that publish a file, and the ledger beside it."""
    new = expected(place.short_job(4))
    for write in itertools.count(1, each):
        old = None
        if place.is_fresh:
            place.withdraw()
        else:
            run(place.short_job(2))
            old = place.read()
        code = process(run_and_die, place.short_job(4), tempfile.tempdir, None, write)
        found = place.read()
        if code == 0:
            break
        assert code == -signal.SIGKILL
        assert found in (old, new), f"write {write}"
        run(place.short_job(4))
        assert place.read() == new, f"write {write}"
        assert not stagings(folder), f"write {write}"
    assert write > (2 if place.is_fresh else 5)
    assert found == new


REFUSED, UNHARMED = 20, 21  # exit codes of a run of which one write failed


def run_and_fail(described: dict[str, Any], temporary: str | None, write: int) -> None:
    """A run, in a process of its own, of which one write to the folder fails as on a full disk."""
    tempfile.tempdir = temporary
    failed = []

    def fail() -> None:
        failed.append(write)
        raise OSError(errno.ENOSPC, "No space left on device")

    sys.addaudithook(at_write(write, fail))
    try:
        run(described)
    except OutputError:
        sys.exit(REFUSED)
    sys.exit(UNHARMED if failed else 0)


@pytest.mark.parametrize(
    ("place", "each"),
    [(TO_CSV, 2), *(pytest.param(place, 1, marks=pytest.mark.long) for place in (TO_CSV, TO_FRESH))],
    ids=lambda value: getattr(value, "name", None),
)
def test_a_write_that_fails_refuses_the_run_or_does_no_harm(
    place: Place, each: int, process: Callable[..., int]
) -> None:
    new = expected(place.short_job(4))
    for write in itertools.count(2, each):
        old = None
        if place.is_fresh:
            place.withdraw()
        else:
            run(place.short_job(2))
            old = place.read()
        code = process(run_and_fail, place.short_job(4), tempfile.tempdir, write)
        assert code in (0, REFUSED, UNHARMED), f"write {write}"
        assert place.read() == (old if code == REFUSED else new), f"write {write}"
        assert not private_folders()
        if code == 0:
            break
        run(place.short_job(4))
        assert place.read() == new, f"write {write}"
    assert write > 2


def test_a_killed_run_is_swept_by_the_next_of_any_target(process: Callable[..., int]) -> None:
    assert process(run_and_die, TO_CSV.job(2), tempfile.tempdir, 40, None) == -signal.SIGKILL
    assert len(private_folders()) == 1
    run(TO_PARQUET.job(2))
    assert not private_folders()


def test_a_folder_that_vanishes_is_an_error_of_the_output() -> None:
    Path("gone").mkdir()
    place = Place("gone", CSV, {"path": "gone/release.csv"})
    with pytest.raises(OutputError):
        during(place.job(2), 'create or replace table "star"', lambda: shutil.rmtree("gone"))
    assert not private_folders()


def run_where_files_are_small(folder: Path, limit: int, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the folder's job.yaml in a process of which no file may be larger than so many bytes."""
    code = (
        f"import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit})); "
        f"sys.argv = ['starcloak', 'run', 'job.yaml', *{options}]; from starcloak.commands.cli import main; main()"
    )
    command = [sys.executable, "-B", "-c", code]  # half-written bytecode would stay
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


# A file and a database of either kind of source; the long tests take the others.
@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "place",
    [TO_CSV, TO_FRESH, TO_SOURCE, *(pytest.param(each, marks=pytest.mark.long) for each in (TO_PARQUET, TO_EXISTING))],
    ids=lambda place: place.name,
)
def test_a_full_disk_leaves_the_old_release(place: Place, folder: Path) -> None:
    """A limit on the size of any file stands in for the disk: it lets the small release be, and stops the large."""
    run(place.job(2))
    if place.is_fresh:
        place.withdraw()
    old = place.read()
    many = (
        "select 'SECRETx7' as name, i as zip, 'MANx7' as sex, md5(cast(i as text)) as illness from range(20000) r (i)"
    )
    if place.source is CSV:
        duckdb.sql(f"copy ({many}) to 'people.csv'")
    else:
        with duckdb.connect("hospital.duckdb") as connection:
            connection.execute(f"insert into people {many}")
    Path("job.yaml").write_text(yaml.safe_dump(place.job(2)))
    before = sorted(os.listdir(folder))
    # A commit goes to the log beside the database: less than the large release needs there.
    limit = 100_000
    done = run_where_files_are_small(folder, limit)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr.startswith("starcloak: ")
    assert done.stderr.count("\n") == 1
    assert "x7" not in done.stderr
    assert place.read() == old
    assert [name for name in sorted(os.listdir(folder)) if not name.endswith(".wal")] == before
    assert not private_folders()


def test_a_disk_that_does_not_take_what_is_spilled_refuses_the_run(tmp_path: Path) -> None:
    """Here no file may be larger than so much; the combinations need more than the memory that is allowed."""
    with duckdb.connect() as connection:
        connection.execute(
            f"copy (select range as a, hash(range) % 1000003 as b from range(2000000)) to '{tmp_path}/people.parquet'"
        )
    job = {
        "source": {"path": "people.parquet"},
        "quasi_identifiers": {"a": "suppress", "b": "suppress"},
        "requirement": {"k": 2},
        "output": {"path": "release.parquet"},
    }
    (tmp_path / "job.yaml").write_text(yaml.safe_dump(job))
    done = run_where_files_are_small(tmp_path, 1 << 20, "--memory-limit", "150MB", "--threads", "2")
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr.count("\n") == 1
    assert "has no space for the temporary files of the run: free some space, or set TMPDIR" in done.stderr
    assert sorted(file.name for file in tmp_path.glob("*.*")) == ["job.yaml", "people.parquet"]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("packed", ["people.csv.gz", "people.csv"], ids=["packed", "in another encoding"])
def test_a_copy_of_a_source_that_does_not_fit_the_disk_refuses_the_run(tmp_path: Path, packed: str) -> None:
    frame = pandas.DataFrame({"a": range(60_000), "b": ["é"] * 60_000})
    frame.to_csv(tmp_path / packed, index=False, encoding="utf-8" if packed.endswith("gz") else "windows-1252")
    job = {
        "source": {"path": packed},
        "quasi_identifiers": {"a": "suppress", "b": "suppress"},
        "requirement": {"k": 2},
        "output": {"path": "release.parquet"},
    }
    (tmp_path / "job.yaml").write_text(yaml.safe_dump(job))
    done = run_where_files_are_small(tmp_path, 100_000)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert "has no space for the temporary files of the run: free some space, or set TMPDIR" in done.stderr


def test_what_does_not_fit_the_share_of_the_disk_that_may_be_spilled_is_told_as_that() -> None:
    with Session(memory_limit="30MB", threads=1) as session:
        session.connection.execute("set max_temp_directory_size = '1MB'")
        session.connection.execute("create view numbers as select hash(range) as a from range(20000000) order by a")
        with pytest.raises(OutputError, match="has no space for the temporary files of the run"):
            session.create(Name("large"), Statement("store/relation", relation=Name("numbers")))
