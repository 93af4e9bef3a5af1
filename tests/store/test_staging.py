"""Locks and staged files beside a place, by themselves."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path

import pytest

from starcloak.base.errors import OutputError
from starcloak.job import load
from starcloak.releases.targets.registry import refuse_conflicts
from starcloak.store import staging

RUN, OTHER = "0" * 32, "f" * 32


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_a_lock_excludes_others_until_it_is_released(tmp_path: Path) -> None:
    file, before = tmp_path / "lock", descriptors()
    held = staging.take_lock(file)
    with pytest.raises(BlockingIOError):
        staging.take_lock(file)
    staging.release_lock(held, file)
    assert not file.exists() and descriptors() == before
    staging.release_lock(staging.take_lock(file), file)
    assert descriptors() == before


def test_a_newer_file_in_the_place_of_a_lock_stays(tmp_path: Path) -> None:
    file, before = tmp_path / "lock", descriptors()
    held = staging.take_lock(file)
    file.unlink()
    file.write_text("of somebody else")
    staging.release_lock(held, file)
    assert file.read_text() == "of somebody else" and descriptors() == before


def test_a_lock_whose_place_is_gone_is_released(tmp_path: Path) -> None:
    file, before = tmp_path / "folder" / "lock", descriptors()
    file.parent.mkdir()
    held = staging.take_lock(file)
    file.unlink()
    file.parent.rmdir()
    staging.release_lock(held, file)
    assert descriptors() == before


def test_a_lock_taken_as_its_file_is_removed_is_taken_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, before, locks = tmp_path / "lock", descriptors(), list[int]()
    lock = staging.lock_descriptor

    def lock_late(opened: int, *, blocking: bool) -> bool:
        locks.append(opened)
        if len(locks) == 1:
            file.unlink()  # as the holder before does it
        return lock(opened, blocking=blocking)

    monkeypatch.setattr(staging, "lock_descriptor", lock_late)
    held = staging.take_lock(file)
    assert len(locks) == 2 and staging.is_at(held, file)
    staging.release_lock(held, file)
    assert descriptors() == before


def test_locks_of_a_process_are_removed_at_its_end(tmp_path: Path) -> None:
    place, before = tmp_path / "release.csv", descriptors()
    with staging.lock(place, "the release", "choose another folder"):
        assert [path.name for path in tmp_path.iterdir()] == [".release.csv.starcloak-lock"]
        refused = pytest.raises(OutputError, match="another run is writing the release: wait until it is done")
        with refused, staging.lock(place, "the release", ""):
            raise AssertionError
        staging.remove_lock_files()
        assert not any(tmp_path.iterdir())
        staging.remove_lock_files()
    assert descriptors() == before


def test_a_folder_without_files_is_no_place(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "missing", tmp_path / "file"):
        refused = pytest.raises(OutputError, match="is not a writable folder: choose another folder")
        with refused, staging.lock(folder / "release.csv", "the release", "choose another folder"):
            raise AssertionError


def test_a_wait_for_a_lock_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staging, "PATIENCE", 0.3)
    file = tmp_path / "lock"
    held, began = staging.take_lock(file), time.monotonic()
    with pytest.raises(OutputError, match="another run of this source has been publishing"):
        staging.wait_for_lock(file)
    assert 0.25 < time.monotonic() - began < 10
    staging.release_lock(held, file)
    staging.release_lock(staging.wait_for_lock(file), file)


@pytest.mark.parametrize("private", [True, False])
def test_a_text_is_written_completely_or_not_at_all(private: bool, tmp_path: Path) -> None:
    place = tmp_path / "ledger.json"
    place.write_text("before")
    previous = os.umask(0o022)
    try:
        staging.write(place, "after\n", RUN, private=private)
    finally:
        os.umask(previous)
    assert place.read_bytes() == b"after\n" and [*tmp_path.iterdir()] == [place]
    assert stat.S_IMODE(place.stat().st_mode) == (0o600 if private else 0o644)
    with pytest.raises(ValueError, match="at once"), staging.writing(place, RUN, private=private) as file:
        file.write(b"half")
        raise ValueError("at once")
    assert place.read_bytes() == b"after\n" and [*tmp_path.iterdir()] == [place]
    staging.of(place, RUN).write_text("of somebody else")
    with pytest.raises(FileExistsError):
        staging.write(place, "again\n", RUN, private=private)
    assert place.read_bytes() == b"after\n"


def test_what_killed_runs_left_is_removed_and_told(tmp_path: Path) -> None:
    place, beside = tmp_path / "release.csv", tmp_path / "other.csv"
    for run in (RUN, OTHER):
        staged = staging.opened(staging.within(place, run))
        if run == RUN:
            staged.write_text("rows")
    link = staging.of(place, "a" * 32)
    (tmp_path / "folder").mkdir()
    link.symlink_to(tmp_path / "folder")
    for path in (staging.of(beside, RUN), place):
        path.write_text("kept")
    with staging.lock_place(place, "the release", "") as left:
        assert left == {RUN[: staging.RUN]}
        staging.of(place, "b" * 32).write_text("new")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [place.name, staging.of(beside, RUN).name, "folder"]
    )


def test_a_run_abandons_its_own_files(tmp_path: Path) -> None:
    place = tmp_path / "release.csv"
    for run in (RUN, OTHER):
        staging.of(place, run).write_text("rows")
    staging.abandon([place], RUN)
    assert [path.name for path in tmp_path.iterdir()] == [staging.of(place, OTHER).name]
    with staging.lock(place, "the release", ""):
        staging.tidy(place, "the release")  # a run holds the place
        assert staging.of(place, OTHER).exists()
    staging.tidy(place, "the release")
    assert not any(tmp_path.iterdir())


def test_a_staged_folder_of_somebody_else_is_refused(tmp_path: Path) -> None:
    staged = staging.within(tmp_path / "release.csv", RUN)
    assert staging.opened(staged) == staged and stat.S_IMODE(staged.parent.stat().st_mode) == 0o700
    with pytest.raises(FileExistsError):
        staging.opened(staged)


def test_a_sealed_file_is_published_as_it_was_verified(tmp_path: Path) -> None:
    path, place = tmp_path / "staged.csv", tmp_path / "release.csv"
    path.write_text("a\n1\n")
    sealed = staging.Sealed(path)
    sealed.refuse_changed()
    path.write_text("a\n2\n")
    with pytest.raises(OutputError, match="was changed by another program after it was verified"):
        sealed.refuse_changed()
    path.write_text("a\n1\n")
    sealed.refuse_changed()
    other = tmp_path / "other.csv"
    other.write_text("a\n1\n")
    os.replace(other, path)
    with pytest.raises(OutputError, match="was changed by another program"):  # another file of the same bytes
        sealed.refuse_changed()
    sealed.close()
    sealed = staging.Sealed(path)
    sealed.publish(place, os.replace)
    assert sealed.is_at(place) and not sealed.is_at(path)
    sealed.close()


def test_a_place_that_is_taken_while_a_file_is_moved_is_told(tmp_path: Path) -> None:
    path, place = tmp_path / "staged.csv", tmp_path / "release.csv"
    path.write_text("a\n1\n")
    sealed = staging.Sealed(path)

    def move(source: Path, target: Path) -> None:
        os.replace(source, target)
        target.unlink()
        target.write_text("of somebody else")

    with pytest.raises(OutputError, match="was replaced by another program while it was published"):
        sealed.publish(place, move)
    sealed.close()


def test_a_sealed_file_takes_the_permissions_of_the_file_before(tmp_path: Path) -> None:
    path, place = tmp_path / "staged.csv", tmp_path / "release.csv"
    path.write_text("new")
    place.write_text("old")
    place.chmod(0o640)
    path.chmod(0o600)
    sealed = staging.Sealed(path)
    sealed.allow_as(place)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    sealed.close()


def test_a_run_writes_no_file_of_its_source_but_a_database(tmp_path: Path) -> None:
    file = tmp_path / "clinic.sqlite"
    file.write_text("")
    described = load(
        {
            "source": {"url": f"sqlite:///{file}", "table": "people"},
            "quasi_identifiers": {"zip": "suppress"},
            "requirement": {"k": 2},
            "output": {"path": "release.csv"},
        }
    )
    with pytest.raises(OutputError, match="the release would replace the source"):
        refuse_conflicts(described, [staging.Written(file, "the release", "output.path")])
    refuse_conflicts(described, [staging.Written(file, "the release", "output.url", may_be_source=True)])
