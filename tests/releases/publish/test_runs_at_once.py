"""Several runs at once, locks that were left, and what others do to a target meanwhile."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

import pytest
import yaml

from starcloak.base.errors import OutputError
from starcloak.commands import pipeline
from starcloak.star import fingerprint
from starcloak.store import staging
from starcloak.store.resources import Resources
from tests.releases.publish.places import (
    CSV,
    TO_CSV,
    TO_EXISTING,
    TO_FRESH,
    TO_PARQUET,
    TO_SOURCE,
    Place,
    Rows,
    during,
    expected,
    numbered,
    places,
    run,
    stagings,
    statements,
)


@pytest.mark.sampled(3)
@places
def test_a_second_run_on_one_target_is_refused(
    place: Place, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one with another temporary folder."""
    Path("job.yaml").write_text(yaml.safe_dump(place.job(2)))

    def second() -> None:
        with monkeypatch.context() as patched:
            patched.setattr(tempfile, "tempdir", str(tmp_path))
            with pytest.raises(OutputError, match="another run"):
                run(place.job(2))
        if place is not TO_CSV:
            return
        command = [sys.executable, "-m", "starcloak", "run", "job.yaml"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("starcloak: ")
        assert done.stderr.count("\n") == 1

    during(place.job(4), 'create or replace table "star"', second)
    assert place.read() == expected(place.job(4))
    assert not stagings(folder)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"path": "release.csv"}, {"path": "link.csv"}),
        ({"path": "release.csv"}, {"path": "../work/release.csv"}),
        ({"url": "duckdb:///new.duckdb", "table": "release"}, {"url": "duckdb:///new.duckdb", "table": "main.release"}),
        ({"url": "duckdb:///new.duckdb", "table": "release"}, {"url": "duckdb:///new.duckdb", "table": "RELEASE"}),
        ({"url": "duckdb:///new.duckdb", "table": "release"}, {"url": "duckdb:///./new.duckdb", "table": "release"}),
        # Both would be staged as the same fresh file.
        ({"url": "duckdb:///new.duckdb", "table": "release"}, {"url": "duckdb:///new.duckdb", "table": "another"}),
    ],
    ids=["link", "dots", "schema", "case", "dots of a database", "another table of one fresh file"],
)  # fmt: skip
def test_two_runs_on_one_target_by_two_names_do_not_mix(
    first: dict[str, str], second: dict[str, str], folder: Path
) -> None:
    """The second comes while the staging of the first is read back."""
    Path("link.csv").symlink_to("release.csv")
    one, other = Place("one", CSV, first), Place("other", CSV, second)

    def meanwhile() -> None:
        with pytest.raises(OutputError):
            run(other.job(2))

    last = next(sql for sql in reversed(statements(one.job(4))) if "staging" in sql)
    one.withdraw()
    during(one.job(4), last, meanwhile)
    assert one.read() == expected(one.job(4))
    assert not stagings(folder)


def test_runs_on_two_targets_do_not_disturb_each_other() -> None:
    def other() -> None:
        run(TO_PARQUET.job(4))

    during(TO_CSV.job(2), 'create or replace table "star"', other)
    assert TO_CSV.read() == expected(TO_CSV.job(2))
    assert TO_PARQUET.read() == expected(TO_PARQUET.job(4))


@pytest.mark.parametrize("mode", [0o700, 0o755, 0o775, 0o1777], ids=oct)
def test_whoever_may_write_in_a_folder_may_lock_there(mode: int, folder: Path) -> None:
    folder.chmod(mode)
    with staging.lock(folder / "release.csv", "release.csv", ""):
        (held,) = folder.glob(".*.starcloak-lock")
        assert stat.S_IMODE(held.stat().st_mode) == {0o700: 0o600, 0o755: 0o600, 0o775: 0o660, 0o1777: 0o666}[mode]
    assert not stagings(folder)


@contextmanager
def as_nobody_special() -> Iterator[None]:
    """As a user who may not do everything: nobody, where the tests run as root."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)


def test_a_lock_that_another_user_left_is_told(folder: Path) -> None:
    left = folder / ".release.csv.starcloak-lock"
    left.touch(0o600)
    left.chmod(0o400)
    folder.chmod(0o777)
    with (
        as_nobody_special(),
        pytest.raises(OutputError, match=r"^a run of another user is writing x, or was killed: .* remove .*-lock$"),
        staging.lock(Path("release.csv"), "x", ""),
    ):
        pass
    assert left.exists()
    with pytest.raises(OutputError, match="check it"), staging.lock(folder / "no" / "release.csv", "x", "check it"):
        pass


def test_whoever_waits_for_a_lock_has_it_once_it_is_free_or_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, begun = folder / "lock", time.monotonic()
    held = staging.take_lock(file)
    monkeypatch.setattr(staging, "PATIENCE", 0.3)
    with pytest.raises(OutputError, match="another run of this source"):
        staging.wait_for_lock(file)
    assert time.monotonic() - begun >= 0.3
    monkeypatch.setattr(staging, "PATIENCE", 60)
    threading.Timer(0.3, os.close, [held]).start()
    os.close(staging.wait_for_lock(file))


def test_a_folder_that_a_user_may_not_write_is_told(folder: Path) -> None:
    closed = folder / "closed"
    closed.mkdir(0o555)
    folder.chmod(0o755)
    with (
        as_nobody_special(),
        pytest.raises(OutputError, match=r"closed is not a writable folder: check it$"),
        staging.lock(closed / "release.csv", "x", "check it"),
    ):
        pass


def test_a_lock_of_which_the_file_is_gone_is_none(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was opened while another run had it, and locked when that run had removed it."""
    place, take = folder / "release.csv", staging.lock_descriptor
    seen: list[int] = []

    def late(descriptor: int, *, blocking: bool) -> bool:
        if not seen:
            (folder / ".release.csv.starcloak-lock").unlink()
        seen.append(descriptor)
        return take(descriptor, blocking=blocking)

    monkeypatch.setattr(staging, "lock_descriptor", late)
    with staging.lock(place, "x", ""), pytest.raises(OutputError, match="another run"), staging.lock(place, "x", ""):
        pass
    assert len(seen) == 3
    assert not stagings(folder)


def test_a_lock_that_is_not_the_runs_own_stays(folder: Path) -> None:
    """Somebody removed the first one's file; the second run's lock is not the first one's to remove."""
    place, file = folder / "release.csv", folder / ".release.csv.starcloak-lock"
    with staging.lock(place, "x", ""):
        file.unlink()
        file.touch()
    assert file.exists()


def test_a_killed_runs_lock_and_staging_hinder_nobody(folder: Path) -> None:
    left = [".release.csv.starcloak-lock", staging.of(Path("release.csv"), "0" * 32).name]
    for name in left:
        Path(name).write_text("HIDDENx7")
    assert sorted(stagings(folder)) == sorted(left)
    run(TO_CSV.job(2))
    assert not stagings(folder)


def test_the_stagings_of_other_places_are_left() -> None:
    """Names of which one begins as the other ends."""
    names = ["release", "release.csv", "release.csv.csv", ".release.csv", "release.csv.0123456789ab", "release[1].csv"]
    staged = {name: staging.of(Path(name), "0123456789abcdef") for name in names}
    for name in names:
        for path in staged.values():
            path.touch()
            Path(f"{path}.wal").touch()
        staging.sweep(Path(name))
        assert {other for other, path in staged.items() if path.exists() and Path(f"{path}.wal").exists()} == {
            other for other in names if other != name
        }


STAGED = [TO_CSV, TO_PARQUET, TO_FRESH]


TAMPERS: dict[str, Callable[[Path], object]] = {
    "replaced": lambda path: os.replace(shutil.copy(path, f"{path}.copy"), path),
    "gone": lambda path: path.unlink(),
    "linked": lambda path: (os.rename(path, f"{path}.copy"), path.symlink_to(f"{path}.copy")),
    "written to": lambda path: path.write_bytes(b"x" + path.read_bytes()[1:]),
    "grown": lambda path: os.truncate(path, path.stat().st_size + 1),
    "cut": lambda path: os.truncate(path, path.stat().st_size - 1),
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("place", STAGED, ids=lambda place: place.name)
@pytest.mark.parametrize("tamper", TAMPERS)
def test_only_what_was_verified_is_published(place: Place, tamper: str, folder: Path) -> None:
    """The staging is touched by another program when it was counted."""
    old: Rows = None
    if not place.is_fresh:
        run(place.job(4))
        old = place.read()

    def touch(stage: str) -> None:
        if stage == "publish":
            (staged,) = folder.glob(".*.starcloak-staging*/*")
            TAMPERS[tamper](staged)

    with pytest.raises(OutputError, match=r"changed by another program after it was verified"):
        pipeline.run(place.job(2), resources=Resources(progress=touch, threads=1))
    assert place.read() == old
    assert not [name for name in stagings(folder) if not name.endswith(".copy")]


def test_a_link_that_another_program_put_in_the_way_of_a_ledger_is_not_followed(folder: Path) -> None:
    """Its name could be told from that of the staged release, which is there for whoever sees the folder."""
    victim = Path("victim.txt")
    victim.write_text("mine")

    def plant(stage: str) -> None:
        if stage == "publish":
            (staged,) = folder.glob(".*.starcloak-staging*")
            number = staged.name.split(".")[-3]
            staging.of(Path("release.csv.starcloak.json"), number).symlink_to(victim)

    with pytest.raises(OutputError, match=r"cannot be written \(FileExistsError\)"):
        pipeline.run(TO_CSV.job(2), resources=Resources(progress=plant, threads=1))
    assert victim.read_text() == "mine"
    assert TO_CSV.read() is None
    run(TO_CSV.job(2))
    assert victim.read_text() == "mine"


@pytest.mark.parametrize("place", [TO_EXISTING, TO_SOURCE], ids=lambda place: place.name)
def test_a_database_that_another_file_replaced_is_not_told_as_published(place: Place) -> None:
    """What was committed would have gone to a file without a name."""
    shutil.copy(place.file, "other.duckdb")

    def replace(stage: str) -> None:
        if stage == "publish":
            os.replace("other.duckdb", place.file)

    with pytest.raises(OutputError, match="was replaced by another file during the run"):
        pipeline.run(place.job(2), resources=Resources(progress=replace, threads=1))
    assert place.read() is None


RACES = 20


def race(described: dict[str, Any], temporary: str, start: Barrier, told: Connection) -> None:
    """Runs in a process with a temporary folder of its own, each beginning when another one's does."""
    tempfile.tempdir = temporary
    os.environ["XDG_STATE_HOME"] = temporary
    for _ in range(RACES):
        start.wait(60)
        try:
            told.send(pipeline.run(described, resources=Resources(threads=1), force=True).result.hashes.release)
        except OutputError as error:
            told.send(str(error))
        start.wait(60)


def test_two_runs_that_share_no_temporary_folder_do_not_mix(folder: Path) -> None:
    """As two containers on one volume: whoever looks meanwhile sees a whole release, and a run tells its own."""
    numbered(5_000, seed=1)
    described = [TO_CSV.job(2, seed=seed, keep=["visit"], quasi_identifiers={"zip": "suppress"}) for seed in (1, 2)]
    for each in described:
        del each["identifiers"], each["sensitive"]
    whole = {pipeline.run(each, force=True).result.hashes.release for each in described}
    assert len(whole) == 2
    context = multiprocessing.get_context("forkserver")
    start = context.Barrier(3)
    ends, children = [], []
    for number, each in enumerate(described):
        temporary = folder.parent / f"temporary-{number}"
        temporary.mkdir(mode=0o700)
        here, there = context.Pipe(duplex=False)
        children.append(context.Process(target=race, args=(each, str(temporary), start, there)))
        ends.append(here)
        children[-1].start()
    try:
        refused = 0
        for _ in range(RACES):
            start.wait(60)
            while start.n_waiting < 2:
                assert fingerprint.file(TO_CSV.file) in whole
                time.sleep(0.001)
            told = [end.recv() for end in ends]
            start.wait(60)
            done = [each for each in told if "another run is writing" not in each]
            refused += 2 - len(done)
            assert done
            assert fingerprint.file(TO_CSV.file) in done
    finally:
        for child in children:
            child.kill()
            child.join()
            child.close()
        for end in ends:
            end.close()
    assert refused
    assert not stagings(folder)
