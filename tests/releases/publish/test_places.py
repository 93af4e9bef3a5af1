"""What a place takes, what it keeps to while others look, and what of a run it has on the disk."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

import starcloak as sc
from starcloak.base.errors import OutputError
from starcloak.commands import pipeline
from starcloak.releases.targets import duckdb_table
from starcloak.star import fingerprint
from starcloak.store import staging
from starcloak.store.resources import Resources
from tests.releases.publish.places import (
    TABLE,
    TO_CSV,
    TO_EXISTING,
    TO_FRESH,
    TO_PARQUET,
    TO_SOURCE,
    Place,
    run,
    stagings,
    statements,
)

# ------------------------------------------------------------------------------------------------------------- refused


@pytest.mark.parametrize(
    ("output", "problem"),
    [
        ({"url": "duckdb:///new.duckdb", "table": "nowhere.release"}, "the new database has no schema 'nowhere'"),
        ({"table": "nowhere.release"}, "has no schema 'nowhere': create it, or give another schema$"),
        ({"path": "a\\b[1].csv"}, "has a backslash and one of"),
    ],
    ids=["schema of a fresh database", "schema of the source's database", "pattern"],
)
def test_a_place_that_cannot_be_told_is_refused_by_its_name(output: dict[str, str], problem: str) -> None:
    with pytest.raises(OutputError, match=problem):
        run({**TO_SOURCE.job(2), "output": output})


@pytest.mark.parametrize("path", ["a\\b.csv", "a[1].csv"])
def test_a_backslash_or_a_bracket_alone_is_a_name_like_others(path: str) -> None:
    run({**TO_CSV.job(2), "output": {"path": path}})
    assert Path(path).exists()


@pytest.mark.parametrize("name", ["ill\rness", "\ufeffillness"])
def test_a_name_that_readers_of_csv_lose_is_refused_whatever_the_others_are(name: str) -> None:
    columns = ["zip", "sex"] if "\r" in name else []
    with duckdb.connect("hospital.duckdb") as connection:
        chosen = ", ".join([*columns, f'illness as "{name}"', *({"zip", "sex"} - set(columns))])
        connection.execute(f"create table odd as select {chosen} from people")
    job = {**TO_CSV.job(2, sensitive=[name]), "source": {**TABLE, "table": "odd"}}
    del job["identifiers"]
    with pytest.raises(OutputError, match="has a carriage return or begins with a byte order mark"):
        run(job)
    run({**job, "output": TO_PARQUET.output})


def test_a_database_or_a_file_without_permission_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Root, whom tests may run as, has every permission: the system's answer is put in its place."""
    run(TO_CSV.job(2))

    def refuse(*_: object) -> bool:
        raise PermissionError

    with monkeypatch.context() as patched:
        patched.setattr(fingerprint, "file", refuse)
        with pytest.raises(OutputError, match=r"cannot be written \(PermissionError\): check output.path"):
            run(TO_CSV.job(3))
    monkeypatch.setattr(duckdb_table.os, "access", lambda path, mode: Path(path).name != "existing.duckdb")
    with pytest.raises(OutputError, match="cannot be written: check the permissions of the file"):
        run(TO_EXISTING.job(2))


@pytest.mark.parametrize("path", ["people.csv/event.json", "nowhere/event.json"])
def test_what_is_written_beside_a_release_needs_a_folder(path: str) -> None:
    with pytest.raises(OutputError, match="is not a writable folder: check"):
        pipeline.run(TO_CSV.job(2), lineage=path)
    assert TO_CSV.read() is None


@pytest.mark.sampled(2)
@pytest.mark.parametrize("output", [{"url": "duckdb:///existing.duckdb", "table": "people"}, {"table": "kept.people"}])
def test_a_table_of_the_sources_name_elsewhere_is_another_one(output: dict[str, str]) -> None:
    with duckdb.connect("hospital.duckdb") as connection:
        connection.execute("create schema kept")
    job = {**TO_SOURCE.job(2), "source": {**TABLE, "table": "main.people"}, "output": output}
    assert run(job).to_pandas().equals(run({**job, "output": {"path": "release.csv"}}).to_pandas())


def test_a_place_that_cannot_be_locked_is_refused() -> None:
    with pytest.raises(OutputError, match=r"nowhere is not a writable folder: check it$"):
        staging.lock(Path("nowhere/release"), "x", "check it").__enter__()
    Path(".release.csv.starcloak-lock").symlink_to("people.csv")
    with pytest.raises(OutputError, match=r"^x cannot be locked \(.*\): check it$"):
        staging.lock(Path("release.csv"), "x", "check it").__enter__()


def test_a_lock_leaves_nothing_open_however_it_ends(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Taken, refused, or taken of a file that its owner removed meanwhile."""
    place, file, take = folder / "release.csv", folder / ".release.csv.starcloak-lock", staging.lock_descriptor
    opened = sorted(os.listdir("/proc/self/fd"))
    with staging.lock(place, "x", ""), pytest.raises(OutputError), staging.lock(place, "x", ""):
        pass
    removed: list[Path] = []

    def remove(descriptor: int, *, blocking: bool) -> bool:
        is_taken = take(descriptor, blocking=blocking)
        if not removed:
            removed.append(file)
            file.unlink()
        return is_taken

    monkeypatch.setattr(staging, "lock_descriptor", remove)
    with staging.lock(place, "x", ""):
        assert removed
    assert sorted(os.listdir("/proc/self/fd")) == opened


@pytest.mark.skipif(os.geteuid() != 0, reason="root alone may become somebody of a group")
def test_a_lock_is_of_the_group_of_its_folder() -> None:
    """Whoever may write there may lock, and remove what a killed run left: also where the maker is not root."""
    somebody, group = 65_534, 64_321
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        os.chown(folder, somebody, group)
        child = os.fork()
        if child == 0:
            os.setgroups([group])
            os.setgid(somebody)
            os.setuid(somebody)
            with staging.lock(Path(folder) / "release", "x", ""):
                made = (Path(folder) / ".release.starcloak-lock").stat()
                os._exit(0 if (made.st_uid, made.st_gid) == (somebody, group) else 1)
        assert os.waitpid(child, 0)[1] == 0


def test_a_staged_file_that_is_a_link_is_not_sealed() -> None:
    Path("link.csv").symlink_to("people.csv")
    with pytest.raises(OSError, match="symbolic links"):
        staging.Sealed(Path("link.csv"))


def test_what_another_program_put_there_is_not_told_as_published() -> None:
    Path("staged.csv").write_text("verified")
    Path("other.csv").write_text("another")
    sealed = staging.Sealed(Path("staged.csv"))
    with pytest.raises(OutputError, match="was replaced by another program while it was published"):
        sealed.publish(Path("release.csv"), lambda _, place: os.replace("other.csv", place))
    sealed.close()


# ------------------------------------------------------------------------------------------------------ while a run is


@pytest.mark.parametrize("place", [TO_EXISTING, TO_SOURCE], ids=lambda place: place.name)
def test_a_database_that_goes_away_is_not_told_as_published(place: Place) -> None:
    def remove(stage: str) -> None:
        if stage == "publish":
            place.file.unlink()

    with pytest.raises(OutputError, match="was replaced by another file during the run"):
        pipeline.run(place.job(2), resources=Resources(progress=remove, threads=1))
    assert place.read() is None


def changed(staged: Path) -> None:
    with duckdb.connect(str(staged)) as connection:
        connection.execute("update release set sex = 'HIDDENx7'")


def grown(staged: Path) -> None:
    os.truncate(staged, staged.stat().st_size + 1)


@pytest.mark.parametrize(
    ("statement", "which", "tamper"), [("attach", 1, changed), ("detach", 2, grown)], ids=["before its ledger", "after"]
)
def test_what_a_fresh_database_has_when_its_ledger_is_written_is_what_was_verified(
    statement: str, which: int, tamper: Callable[[Path], None], folder: Path
) -> None:
    """The ledger changes the file's bytes: it is closed, opened for writing, closed and opened for reading again."""
    stages: list[str] = []
    seen: list[bool] = []

    def touch(sql: str) -> None:
        seen.append(stages[-1:] == ["publish"] and f"\n{statement} " in f"\n{sql}")
        if seen[-1] and seen.count(True) == which:
            (staged,) = folder.glob(".*.starcloak-staging*/*.duckdb")
            tamper(staged)

    with pytest.raises(OutputError, match="was changed by another program after it was verified"):
        pipeline.run(TO_FRESH.job(2), resources=Resources(progress=stages.append, trace=touch, threads=1))
    assert TO_FRESH.read() is None
    assert not stagings(folder)


def test_a_fresh_database_is_published_without_a_table_that_another_program_adds(folder: Path) -> None:
    def extend(stage: str) -> None:
        if stage == "publish":
            (staged,) = folder.glob(".*.starcloak-staging*/*.duckdb")
            with duckdb.connect(str(staged)) as connection:
                connection.execute("create table others as select 'HIDDENx7' as name")

    with pytest.raises(OutputError, match="was changed by another program after it was verified"):
        pipeline.run(TO_FRESH.job(2), resources=Resources(progress=extend, threads=1))
    assert TO_FRESH.read() is None
    assert not stagings(folder)


READER = "import duckdb, sys; c = duckdb.connect(sys.argv[1], read_only=True); print('open', flush=True); input()"


def test_a_release_is_looked_at_beside_others_who_read_it() -> None:
    """In a database that another process has open: that nothing is to be done is seen, and rows are read."""
    rows = run(TO_EXISTING.job(2)).to_pandas()
    reader = subprocess.Popen(
        [sys.executable, "-c", READER, "existing.duckdb"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert reader.stdout is not None
        assert reader.stdout.readline() == "open\n"
        again = run(TO_EXISTING.job(2))
        assert again.result.unchanged
        assert again.to_pandas().equals(rows)
    finally:
        reader.communicate("\n", timeout=60)


# --------------------------------------------------------------------------------------------------------- on the disk


@pytest.fixture
def flushed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The inodes of what is written to the disk, in order."""
    inodes: list[int] = []
    fsync = os.fsync

    def note(descriptor: int) -> None:
        inodes.append(os.fstat(descriptor).st_ino)
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", note)
    return inodes


@pytest.mark.sampled(3)
@pytest.mark.parametrize("place", [TO_CSV, TO_PARQUET, TO_FRESH], ids=lambda place: place.name)
def test_a_release_and_its_name_are_on_the_disk_before_a_run_ends(
    place: Place, folder: Path, flushed: list[int]
) -> None:
    """A file by its inode, which its staging had, before that is moved; then the folder."""
    run(place.job(2))
    file, there = place.file.stat().st_ino, folder.stat().st_ino
    assert file in flushed
    assert there in flushed[flushed.index(file) :]
    if not place.is_table:  # once for the ledger that knew the new content first, once for the file
        assert flushed.count(there) == 2
        flushed.clear()
        run(place.job(3))  # once more for the ledger that knows the old content no more
        assert flushed.count(there) == 3


@pytest.mark.parametrize("mode", [0o600, 0o664])
def test_a_release_has_the_permissions_of_the_one_before(folder: Path, mode: int) -> None:
    run(TO_CSV.job(2))
    TO_CSV.file.chmod(mode)
    run(TO_CSV.job(3))
    assert stat.S_IMODE(TO_CSV.file.stat().st_mode) == mode


def test_a_file_is_written_whole_or_not_at_all(folder: Path, flushed: list[int]) -> None:
    """Its bytes are on the disk before it has its name; a private one is nobody else's to read."""
    opened = sorted(os.listdir("/proc/self/fd"))
    for name, private, mode in (("event", False, 0o666 & ~umask()), ("seeds", True, 0o600)):
        staging.write(folder / name, "told", "0" * 32, **({"private": True} if private else {}))
        assert (folder / name).read_text() == "told"
        assert (folder / name).stat().st_ino == flushed[-1]
        assert stat.S_IMODE((folder / name).stat().st_mode) == mode
    assert sorted(os.listdir("/proc/self/fd")) == opened
    (folder / "taken").mkdir()
    with pytest.raises(OSError, match="directory"):
        staging.write(folder / "taken", "told", "0" * 32)
    assert not stagings(folder)


def umask() -> int:
    before = os.umask(0)
    os.umask(before)
    return before


def test_a_folder_in_which_nothing_was_left_is_not_touched(folder: Path) -> None:
    before = folder.stat().st_mtime_ns
    staging.tidy(folder / "people.cube", "the cube")
    assert folder.stat().st_mtime_ns == before
    staging.of(folder / "people.cube", "0" * 32).write_text("HIDDENx7")
    staging.tidy(folder / "people.cube", "the cube")
    assert not stagings(folder)


@pytest.mark.parametrize("place", [TO_CSV, TO_EXISTING], ids=lambda place: place.name)
def test_a_killed_runs_stagings_go_with_the_next_run(place: Place, folder: Path) -> None:
    """Of a file also those of its ledger; of a database those of the run that would have made it."""
    for name in (place.file, Path(f"{place.file}.starcloak.json")) if place is TO_CSV else (place.file,):
        staging.of(name, "0123456789abcdef").write_text("HIDDENx7")
    assert stagings(folder)
    run(place.job(2))
    assert not stagings(folder)


def test_a_release_that_could_not_be_replaced_is_still_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ledger knows the new content before the file has it, and the old one as long as it may be there."""
    replace = os.replace

    def fail(staged: Path, place: Path) -> None:
        if Path(place).name == "release.csv":
            raise OSError
        replace(staged, place)

    run(TO_CSV.job(2))
    old = TO_CSV.read()
    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", fail)
        with pytest.raises(OutputError, match="cannot be written"):
            run(TO_CSV.job(4))
    assert TO_CSV.read() == old
    run(TO_CSV.job(4))
    assert TO_CSV.read() != old


def test_a_ledger_knows_the_release_before_its_last_word_and_nothing_else_after(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where its last word cannot be written, the release is out, and is known still."""
    replace, replaced = os.replace, list[str]()

    def fail(staged: Path, place: Path) -> None:
        replaced.append(Path(place).name)
        if replaced.count("release.csv.starcloak.json") == 2:
            raise OSError
        replace(staged, place)

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", fail)
        run(TO_CSV.job(2))
    assert not stagings(folder)
    for k in (4, 2):
        run(TO_CSV.job(k))
        (entry,) = json.loads(Path("release.csv.starcloak.json").read_text())["releases"]
        assert entry["sha256"] == fingerprint.file(TO_CSV.file)


def test_a_second_release_of_a_source_is_told_also_in_a_file_of_duckdb() -> None:
    assert not run(TO_EXISTING.job(2)).result.warnings
    told = run({**TO_EXISTING.job(4), "output": {**TO_EXISTING.output, "table": "another"}}).result.warnings
    assert any("was released before" in each for each in told)


def test_a_script_replaces_no_file() -> None:
    script = sc.compile(TO_CSV.job(2))
    TO_CSV.file.write_text("somebody's work")
    with duckdb.connect() as connection, pytest.raises(duckdb.Error, match="a file is in the place of the release"):
        connection.execute(script)
    assert TO_CSV.file.read_text() == "somebody's work"


def test_a_script_writes_a_file_aside_and_a_run_where_nobody_looks() -> None:
    assert "use_tmp_file 1" in sc.compile(TO_CSV.job(2))
    copied = next(sql for sql in statements(TO_CSV.job(2)) if "use_tmp_file" in sql)  # the second keeps the recoding
    assert "use_tmp_file 0" in copied


@pytest.mark.sampled(2)
@pytest.mark.parametrize("place", [TO_EXISTING, TO_SOURCE], ids=lambda place: place.name)
def test_a_table_that_a_script_made_is_the_release_before_of_the_next_run(place: Place) -> None:
    script = sc.compile(place.job(2))
    for _ in range(2):  # the next night's takes the place of it, too
        with duckdb.connect(str(place.file) if place is TO_SOURCE else ":memory:") as connection:
            connection.execute(script)
        assert len(place.read() or []) == 6
    Path("others.csv").write_text(Path("people.csv").read_text())
    with pytest.raises(OutputError, match="is a release of another source"):
        run(
            {
                **place.job(2),
                "source": {"path": "others.csv"},
                "output": {"url": f"duckdb:///{place.file}", **place.output},
            }
        )
    run(place.job(4))
    with duckdb.connect(str(place.file) if place is TO_SOURCE else ":memory:") as connection:
        connection.execute(script)


@pytest.mark.parametrize("place", [TO_EXISTING, TO_SOURCE], ids=lambda place: place.name)
def test_a_script_leaves_a_table_that_is_no_release(place: Place) -> None:
    script = sc.compile(place.job(2))
    with duckdb.connect(str(place.file)) as connection:
        connection.execute(f"create table {place.output['table']} as select 'somebody''s work' as work")
    refused = pytest.raises(duckdb.Error, match="the table in the place of the release is none of this source")
    with duckdb.connect(str(place.file) if place is TO_SOURCE else ":memory:") as connection, refused:
        connection.execute(script)
    assert place.read() == [("somebody's work",)]


@pytest.mark.parametrize(
    ("place", "population", "output", "problem"),
    [
        (TO_CSV, {"path": "census.csv"}, {"path": "census.csv"}, "would replace the population"),
        (
            TO_SOURCE,
            {**TABLE, "table": "others"},
            {"table": "others"},
            "is the population, which a release must not replace",
        ),
    ],
    ids=["file", "table"],
)
def test_a_release_over_its_population_is_refused(
    place: Place, population: dict[str, str], output: dict[str, str], problem: str
) -> None:
    within = {"k": 2, "k_map": 2, "population": population}
    with pytest.raises(OutputError, match=problem):
        run(place.job(2, requirement=within, output=output))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("place", [TO_CSV, TO_PARQUET, TO_FRESH], ids=lambda place: place.name)
def test_nobody_else_reads_a_release_that_is_not_verified_yet(place: Place, folder: Path) -> None:
    seen: set[int] = set()

    def look(sql: str) -> None:
        seen.update(stat.S_IMODE(staged.stat().st_mode) for staged in folder.glob(".*.starcloak-staging*"))

    pipeline.run(place.job(2), resources=Resources(trace=look, threads=1))
    assert seen == {0o700}
    assert not stagings(folder)
    assert stat.S_IMODE(place.file.stat().st_mode) == 0o666 & ~umask()
