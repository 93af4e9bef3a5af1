"""What is remembered between runs and is not there: told or refused, never taken for nothing having been released."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

import starcloak as sc
from starcloak.base.errors import InputError, JobError, OutputError, SourceError
from starcloak.commands import pipeline
from starcloak.commands.cli import cli
from starcloak.job.result import Result
from starcloak.releases import state
from starcloak.releases.recodings import saved_recodings

PEOPLE = "zip,sex,visits\n12,f,1\n12,m,2\n12,f,3\n13,m,4\n13,f,5\n13,m,6\n"
UNUSABLE = ", the folder with what is known of earlier releases, cannot be used"


@pytest.fixture(autouse=True)
def folder(work: Path) -> Path:
    Path("people.csv").write_text(PEOPLE)
    return work


def job(output: str | dict[str, Any] = "a.csv", **more: Any) -> dict[str, Any]:
    return {
        "source": {"path": "people.csv"},
        "quasi_identifiers": {"zip": {"digits": 2}, "sex": "suppress"},
        "keep": ["visits"],
        "requirement": {"k": 2},
        "output": {"path": output} if isinstance(output, str) else output,
        "insight": "off",
        **more,
    }


def refresh(output: str | dict[str, Any] = "a.csv", **more: Any) -> dict[str, Any]:
    return job(output, **{"refresh": True, "algorithm": {"name": "sweep"}, **more})


def grow() -> None:
    with open("people.csv", "a") as lines:
        lines.write("12,f,7\n12,m,8\n")


def run(described: dict[str, Any]) -> Result:
    return sc.run(described).result


def said(result: Result, text: str) -> bool:
    return any(text in warning for warning in result.warnings)


# ------------------------------------------------------------------------------------------- a folder that is no use

Patch = pytest.MonkeyPatch
OTHERWISE: dict[str, tuple[Callable[[Path, Patch], object], str]] = {
    "a file": (lambda own, _: own.write_text("no folder"), "it is not a folder"),
    "of others": (lambda own, _: own.mkdir(0o755), "other users have access to it"),
    "another user's": (lambda own, _: (own.mkdir(0o700), os.chown(own, 65534, 65534)), "other users have access to it"),
    "under a file": (lambda own, _: (own.parent.rmdir(), own.parent.write_text("")), "the folder cannot be made"),
    "a link": (lambda own, _: own.symlink_to("/tmp"), "it is not a folder"),
    "a relative path": (lambda _, patch: patch.setenv("XDG_STATE_HOME", "state"), "is a relative path"),
}
otherwise = pytest.mark.parametrize("why", OTHERWISE)


def spoil(folder: Path, why: str, patch: Patch) -> None:
    own = folder.parent / "state" / "starcloak"
    shutil.rmtree(own, ignore_errors=True)
    own.parent.mkdir(exist_ok=True)
    OTHERWISE[why][0](own, patch)


@pytest.mark.sampled(2)
@otherwise
def test_a_folder_that_is_no_use_is_told_by_the_run_and_by_the_command(
    why: str, folder: Path, monkeypatch: Patch
) -> None:
    spoil(folder, why, monkeypatch)
    Path("job.yaml").write_text(yaml.safe_dump(job()))
    done = CliRunner().invoke(cli, ["run", "job.yaml"])
    assert done.exit_code == 0
    assert done.stderr.count(UNUSABLE) == 1 and OTHERWISE[why][1] in done.stderr
    result = run(job())
    assert not result.unchanged
    assert sum(UNUSABLE in warning for warning in result.warnings) == 1 and said(result, OTHERWISE[why][1])
    assert not Path("state").exists()


@pytest.mark.sampled(2)
@otherwise
def test_a_folder_that_is_no_use_refuses_what_goes_by_it(why: str, folder: Path, monkeypatch: Patch) -> None:
    run(job())
    spoil(folder, why, monkeypatch)
    grow()
    before = sorted(os.listdir())
    asked = (
        lambda: sc.run(refresh("b.csv")),
        lambda: sc.run(refresh("b.csv", refresh="first")),
        lambda: sc.run(job("b.csv", against=["a.csv"])),
        lambda: sc.read_release("a.csv"),
        saved_recodings.every,
    )
    for each in asked:
        with pytest.raises(InputError, match=OTHERWISE[why][1]):
            each()
    assert sorted(os.listdir()) == before


def run_where_files_are_small(described: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    """A run of which no file may be larger than a release here and its ledger: what is kept is."""
    Path("job.yaml").write_text(yaml.safe_dump(described))
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)); "
        "sys.argv = ['starcloak', 'run', 'job.yaml']; from starcloak.commands.cli import main; main()"
    )
    command = [sys.executable, "-B", "-c", code]  # half-written bytecode would stay
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_a_full_disk_under_the_folder_is_told_by_that_run_and_refuses_a_refresh() -> None:
    done = run_where_files_are_small(job())
    assert done.returncode == 0, done.stderr
    assert "the recoding of this release cannot be saved (File too large), so later runs cannot count" in done.stderr
    assert "its manifest cannot be saved" in done.stderr and "cannot be saved (File too large)" in done.stderr
    assert not [path for path in state.folder().iterdir() if path.suffix != ".lock" and path.name != "secret"]
    done = run_where_files_are_small(refresh("b.csv"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("starcloak: refresh: the recoding of this release cannot be saved (File too large)")
    assert not list(Path().glob("b.csv*")) and not list(Path().glob(".b.csv*"))


def test_what_cannot_be_kept_is_told_by_that_run(monkeypatch: Patch) -> None:
    """A folder stands where the manifest and the recoding would go."""
    run(job())
    own = state.folder()
    (manifest,) = own.glob("*.json")
    manifest.unlink()
    (manifest / "in the way").mkdir(parents=True)
    result = run(job(requirement={"k": 3}))
    assert said(result, "the manifest of") and said(result, "cannot be saved (Is a directory)")
    assert len(result.joint) == 1


# ------------------------------------------------------------------------------------------------- a refresh of what

LOST: dict[str, tuple[Callable[[], object], str]] = {
    "forgotten": (lambda: CliRunner().invoke(cli, ["forget", "a.csv"]), saved_recodings.FORGOTTEN),
    "lost": (
        lambda: [path.unlink() for path in state.folder().glob("*.recoding")],
        "its rows are not saved on this machine",
    ),
    "cut short": (
        lambda: [os.truncate(path, path.stat().st_size - 99) for path in state.folder().glob("*.recoding")],
        saved_recodings.UNREADABLE,
    ),
    "empty": (lambda: [os.truncate(path, 0) for path in state.folder().glob("*.recoding")], "its rows are not saved"),
    "elsewhere": (lambda: shutil.rmtree(state.folder()), "its rows are not saved on this machine"),
    "shipped": (
        lambda: (shutil.move("a.csv", "shipped.csv"), shutil.rmtree(state.folder())),
        "its rows are not saved on this machine",
    ),
    "no refresh": (lambda: run(job(requirement={"k": 3})), "it was released without refresh"),
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("how", "output"),
    [
        *((how, {"path": "a.csv"}) for how in LOST),
        *((how, {"url": "duckdb:///a.duckdb", "table": "a"}) for how in ("lost", "cut short")),
    ],
    ids=lambda value: value if isinstance(value, str) else next(iter(value)),
)
def test_a_refresh_of_what_is_not_known_is_refused_unless_the_job_says_first(how: str, output: dict[str, str]) -> None:
    run(refresh(output=output))
    LOST[how][0]()
    grow()
    files = {path: path.read_bytes() for path in Path().glob("*.csv")}
    with pytest.raises(JobError, match=rf"are not known \(.*{LOST[how][1]}.*\): .*start again with refresh: first$"):
        run(refresh(output=output))
    assert {path: path.read_bytes() for path in Path().glob("*.csv")} == files
    afresh = run(refresh(output=output, refresh="first"))
    assert afresh.refresh is not None and afresh.refresh.stayed == 0
    grow()
    on = run(refresh(output=output))
    assert on.refresh is not None and on.refresh.stayed == 8


def test_a_source_that_moved_is_another_one_to_a_refresh() -> None:
    run(refresh())
    Path("people.csv").rename("patients.csv")
    with open("patients.csv", "a") as lines:
        lines.write("12,f,7\n")
    moved = refresh(source={"path": "patients.csv"}, output={"path": "a.csv", "replace": True})
    with pytest.raises(JobError, match="it is of another source"):
        run(moved)


# --------------------------------------------------------------------------------------------------------- joint k


def test_of_what_was_forgotten_a_note_stays_without_a_value() -> None:
    first = run(job())
    CliRunner().invoke(cli, ["forget", "a.csv"])
    (note,) = state.folder().glob("*.note")
    assert first.hashes.source is not None and first.hashes.source.encode() not in note.read_bytes()
    other = run(job("b.csv", requirement={"k": 3}))
    forgotten = saved_recodings.of_origin(saved_recodings.every()[0].origin)[-1]
    assert said(other, f"a.csv of {forgotten.released_at[:10]} is not known: its recoding was")
    with pytest.raises(SourceError, match="its recoding is not saved on this machine"):
        run(job("c.csv", against=["a.csv"]))


def test_of_too_many_a_note_stays_and_they_are_measured_together(monkeypatch: Patch) -> None:
    monkeypatch.setattr(saved_recodings, "MOST", 1)
    runs = [run(job(f"k{k}.csv", requirement={"k": k})).run for k in (2, 3)]
    assert len(list(state.folder().glob("*.note"))) == 1
    (together,) = run(job("b.csv", requirement={"k": 4})).joint_together
    assert set(together.runs) == set(runs)
    other = {"zip": {"digits": 2}, "visits": "suppress"}
    others = run(job("c.csv", quasi_identifiers=other, keep=["sex"], requirement={"k": 2}))
    assert said(others, f"is not known: {saved_recodings.TOO_MANY}")


def test_the_oldest_recodings_go_if_they_take_too_much_space(monkeypatch: Patch) -> None:
    """The last one stays, whatever it takes; of the others a note stays, and their joint k is not known."""
    run(job("k2.csv"))
    (size,) = (file.stat().st_size for file in state.folder().glob("*.recoding"))
    monkeypatch.setenv("STARCLOAK_KEPT_GB", str(1.5 * size / 1e9))
    run(job("k3.csv", requirement={"k": 3}))
    assert [Path(about.release).name for about in saved_recodings.every()] == ["k3.csv"]
    listed = CliRunner().invoke(cli, ["forget"]).output
    assert f"{size / 1e6:.1f} MB  " in listed and "the last 100 recodings of each source stay, up to " in listed
    for partition in state.folder().glob(f"*.{saved_recodings.PARTITION}"):
        partition.unlink()
    later = run(job("b.csv", requirement={"k": 2}))
    assert said(later, f"is not known: {saved_recodings.TOO_LARGE}")
    monkeypatch.setenv("STARCLOAK_KEPT_GB", "2GB")
    with pytest.raises(OutputError, match="STARCLOAK_KEPT_GB is '2GB': set it to a number of gigabytes, such as 2"):
        run(job("d.csv"))
    assert not Path("d.csv").exists()


def test_without_joint_a_recoding_stays_until_the_next_release_in_its_place() -> None:
    runs = [pipeline.run(job("a.csv", requirement={"k": k}), joint=False, force=True).result.run for k in (2, 3)]
    run(job("b.csv"))
    assert [about.run for about in saved_recodings.every()][1:] == runs[1:]
    assert said(run(job("c.csv", requirement={"k": 4})), f"is not known: {saved_recodings.REPLACED}")
    run(job("a.csv", requirement={"k": 2}))  # it measures the one in its place before that goes
    assert runs[1] not in {about.run for about in saved_recodings.every()}
    (together,) = run(job("d.csv", requirement={"k": 3})).joint_together
    assert runs[1] in together.runs and runs[0] not in together.runs


def test_a_recoding_that_cannot_be_read_is_told_and_erased_with_all() -> None:
    run(job())
    (file,) = state.folder().glob("*.recoding")
    file.write_bytes(b"SECRET")
    assert said(run(job("b.csv", requirement={"k": 3})), f"is not known: {saved_recodings.UNREADABLE}")
    CliRunner().invoke(cli, ["forget", "--all"])
    assert not file.exists()
    assert not [path for path in state.folder().iterdir() if b"SECRET" in path.read_bytes()]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("content", ["", "{}", '{"releases": 1}', "[1"])
def test_a_ledger_that_cannot_be_read_is_not_taken_for_none(content: str) -> None:
    """An audit would tell small counts of a release."""
    run(job())
    Path("a.csv.starcloak.json").write_text(content)
    with pytest.raises(SourceError, match=r"the list of the releases in .*a\.csv, cannot be read"):
        sc.audit("a.csv", quasi_identifiers=["zip", "sex"])
    with pytest.raises(OutputError, match="which starcloak did not write"):
        run(job())


def test_an_unchanged_release_says_what_it_was_not_measured_with_and_what_is_lost() -> None:
    first = run(job())
    assert run(job()).warnings == []
    other = job("b.csv", requirement={"k": 3})
    second = pipeline.run(other, joint=False).result
    assert run(job()).warnings == first.warnings
    later = run(other)
    assert later.unchanged and said(later, "joint k was not counted with 1 earlier releases of the source")
    assert pipeline.run(other, joint=False).result.warnings == second.warnings
    CliRunner().invoke(cli, ["forget", "a.csv"])
    assert said(run(job()), "its recoding is not saved: run with --force to save it")


def test_a_release_for_which_there_is_too_little_memory_is_told_as_that() -> None:
    from types import SimpleNamespace

    from starcloak.base.errors import StatementError
    from starcloak.releases import stage
    from starcloak.store.source import reading

    opened, goal = SimpleNamespace(label="people.csv"), SimpleNamespace(label="a.csv")
    for kind, mend in (("OutOfMemoryException", "give the run more memory"), ("BinderException", "its rows are well-")):
        with pytest.raises(SourceError, match=mend), reading(opened):  # type: ignore[arg-type]
            raise StatementError("star/frequency/base", "select", kind)
    with pytest.raises(OutputError, match="give the run more memory"), stage.writing(opened, goal):  # type: ignore[arg-type]
        raise StatementError("releases/copy", "copy", "OutOfMemoryException")
    with pytest.raises(OutputError, match="check space and permissions"), stage.writing(opened, goal):  # type: ignore[arg-type]
        raise StatementError("releases/copy", "copy", "IOException")
