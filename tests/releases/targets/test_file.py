"""Releases in files: which names and paths they can have, and what their ledger says."""

from __future__ import annotations

import csv
import hashlib
import os
import stat
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pandas
import pytest

import starcloak as sc
from starcloak.base.column import Column
from starcloak.base.errors import OutputError
from starcloak.releases.targets.file import File
from starcloak.store import staging
from starcloak.store.session import Session
from starcloak.store.source import Source

MARK = "\ufeff"
FRAME = pandas.DataFrame({"zip": ["1", "1", "2", "2"], "kept": ["a", "b", "c", "d"]})


def job(path: str, **more: Any) -> dict[str, Any]:
    return {"quasi_identifiers": {"zip": "suppress"}, "keep": ["kept"], "requirement": {"k": 2}} | {
        "output": {"path": path},
        **more,
    }


def accepts(file: File, *names: str) -> bool:
    """True if the file accepts columns of these names."""
    released = [Column(name, "VARCHAR") for name in names]
    try:
        file.accept(cast(Source, SimpleNamespace(released=released, mended_in="the source")))
    except OutputError as error:
        assert "rename the column in the source" in str(error)
        return False
    return True


@pytest.mark.parametrize(
    ("names", "csv", "parquet"),
    [
        (["a", "b"], True, True),
        ([f"{MARK}a", "b"], False, True),
        (["a", f"{MARK}b"], True, True),
        (["a\r", "b"], False, True),
        (["a", "b\r"], False, True),
        (["a\rb"], False, True),
    ],
)
def test_a_name_that_readers_of_csv_lose_is_refused(names: list[str], csv: bool, parquet: bool) -> None:
    assert accepts(File(Path("release.csv")), *names) is csv
    assert accepts(File(Path("release.parquet")), *names) is parquet


@pytest.mark.parametrize("mark", [",", ";", "\t", "|", "'", '"', "\n", "#", "!"])
def test_the_first_name_after_a_byte_order_mark_needs_no_quotes(mark: str) -> None:
    marked, plain = File(Path("release.csv"), "!", is_marked=True), File(Path("release.csv"), "!")
    assert accepts(plain, f"a{mark}", "b")
    assert not accepts(marked, f"a{mark}", "b")
    assert accepts(marked, "a", f"b{mark}")


@pytest.mark.parametrize("path", ["release.csv", "release.parquet"])
@pytest.mark.parametrize("others", [0, 1])
def test_lines_that_readers_of_csv_skip_are_refused(path: str, others: int, work: Path) -> None:
    frame = FRAME.assign(zip=[None, None, "2", "2"])
    described = job(path, keep=["kept"][:others], identifiers=["kept"][others:])
    if path.endswith("csv") and not others:
        with pytest.raises(OutputError, match="the release has one column, in which missing or blank cells"):
            sc.run(described, frame=frame)
        assert not Path(path).exists()
    else:
        assert sc.run(described, frame=frame).result.released_rows == 4


def test_names_are_quoted_if_a_reader_could_take_a_mark_in_them_for_a_delimiter(work: Path) -> None:
    names = ["a;b", "c", "d|e"]
    frame = pandas.DataFrame([["x", "y", "z"]] * 2, columns=names)
    described = job("release.csv", quasi_identifiers={"c": "suppress"}, keep=["a;b", "d|e"])
    sc.run(described, frame=frame)
    header = Path("release.csv").read_text().splitlines()[0]
    assert next(csv.reader([header])) == names and header.count('"') == 4


def test_a_byte_order_mark_comes_before_the_first_name(work: Path) -> None:
    sc.run(job("release.csv", output={"path": "release.csv", "encoding": "utf-8-sig"}), frame=FRAME)
    assert Path("release.csv").read_text().splitlines()[0] == f"{MARK}zip,kept"


@pytest.mark.parametrize(
    ("name", "written"), [("a\\b.csv", True), ("a[1].csv", True), ("a*.csv", True), ("a\\b[1].csv", False)]
)
def test_a_path_that_no_pattern_of_a_script_means_is_refused(name: str, written: bool, work: Path) -> None:
    if written:
        sc.run(job(name), frame=FRAME)
        assert Path(name).exists()
    else:
        with pytest.raises(OutputError, match="has a backslash and one of"):
            sc.run(job(name), frame=FRAME)


def test_a_path_that_no_system_takes_is_refused() -> None:
    with pytest.raises(OutputError, match=r"cannot be written \(OSError\): check output.path"):
        File(Path(f"{'x' * 300}.csv")).prepare(cast(Session, None), cast(Session, None))


def test_the_path_of_a_release_is_named_in_its_own_letters() -> None:
    assert File(Path("größe.csv")).against == '"größe.csv"'


def test_a_ledger_lists_all_runs_the_last_one_first(work: Path) -> None:
    runs = [sc.run(job("release.csv", seed=seed), frame=FRAME, force=True).result.run for seed in (1, 2)]
    file = File(Path("release.csv"))
    assert file._runs() == runs[::-1]
    assert [run[: len(known)] for run, known in zip(runs[::-1], file.runs_known(), strict=True)] == [*file.runs_known()]


def published(file: File, text: str, run: str = "b" * 32, *, before: Callable[[], object] = lambda: None) -> None:
    """Publish a staged file with this text by a run; ``before`` is called as soon as its bytes are sealed."""
    staged = staging.opened(staging.within(file.path, run))
    staged.write_text(text)
    file.sealed = staging.Sealed(staged)
    try:
        before()
        summary = {"run": run, "k": 2, "rows": 1, "origin": "x", "starcloak": "1"}
        file.publish(cast(Session, SimpleNamespace(run_id=run)), summary)
    finally:
        file.sealed.close()
        staging.sweep(file.path)


def digests(file: File) -> list[str]:
    return list(file._ledger_entries())


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_published_file_has_the_permissions_of_the_one_before_and_its_only_entry(tmp_path: Path) -> None:
    file = File(tmp_path / "release.csv")
    published(file, "first", "a" * 32)
    file.path.chmod(0o640)
    published(file, "second")
    assert file.path.read_text() == "second" and digests(file) == [sha256("second")]
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o640
    assert file._runs() == ["b" * 32, "a" * 32]


@pytest.mark.parametrize("text", ["changed", None])
def test_a_file_changed_while_a_run_works_is_not_replaced(text: str | None, tmp_path: Path) -> None:
    """The release before, or the file that is about to be published."""
    file = File(tmp_path / "release.csv")
    published(file, "first", "a" * 32)
    place = file.path if text else staging.within(file.path, "b" * 32)
    ledger = file.ledger.read_bytes()
    with pytest.raises(OutputError, match="was changed"):
        published(file, "second", before=lambda: place.write_text("changed"))
    assert file.path.read_text() == (text or "first") and file.ledger.read_bytes() == ledger


def test_a_ledger_lists_the_old_and_the_new_content_until_the_file_is_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = File(tmp_path / "release.csv")
    published(file, "first", "a" * 32)
    monkeypatch.setattr(os, "replace", refusing(os.replace, file.path))
    with pytest.raises(OSError, match="cannot be moved"):
        published(file, "second")
    assert file.path.read_text() == "first" and not file.may_be_out
    assert digests(file) == [sha256("second"), sha256("first")]


def refusing(move: Callable[[Any, Any], None], place: Path) -> Callable[[Any, Any], None]:
    """A ``move`` that fails for this place."""

    def refuse(staged: Any, target: Any) -> None:
        if Path(target) == place:
            raise OSError("cannot be moved")
        move(staged, target)

    return refuse


def test_a_ledger_forgets_a_killed_run_that_left_a_staged_file(tmp_path: Path) -> None:
    file, killed, other = File(tmp_path / "release.csv"), "a" * 32, "b" * 32
    file.path.write_text("old")
    entries = [{"sha256": sha256(text), "run": run} for text, run in (("new", killed), ("old", other))]
    file._write_ledger(killed, entries, [killed, other])
    before = file.ledger.stat()
    with file.lock_place():
        assert file._runs() == [killed, other] and os.path.samestat(before, file.ledger.stat())
    staging.opened(staging.within(file.path, killed)).write_text("new")
    with file.lock_place():
        assert file._runs() == [other] and digests(file) == [sha256("old")]
        assert file.runs_known() == (other[: staging.RUN],)
