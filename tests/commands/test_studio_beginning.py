"""A studio without a job: a table is uploaded or chosen, and nothing else of the machine is written or shown."""

from __future__ import annotations

import stat
import time
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest

from starcloak.base.errors import SourceError
from starcloak.commands.studio import uploads
from starcloak.job import Place
from tests.commands.studios import Studio, drafted, people, started

__all__ = ["started"]  # a fixture

pytest.importorskip("starlette")
pytest.importorskip("ruamel.yaml")


def decide(studio: Studio) -> str:
    """The first screen of the job that is drafted."""
    over = time.monotonic() + 120
    while studio.ask("/decide")[0] == 404:
        assert time.monotonic() < over and studio.ask("/")[0] in (200, 303)
        assert 'class="problem"' not in studio.ask("/work?name=begin")[1]
        time.sleep(0.1)
    return studio.ask("/decide")[1]


def test_an_upload_is_private_replaces_nothing_and_becomes_a_job(work: Path, started: Callable[..., Studio]) -> None:
    people(Path("elsewhere.csv"))
    content = Path("elsewhere.csv").read_bytes()
    Path("elsewhere.csv").unlink()
    Path("people.csv").write_text("another table\n")
    Path("job.yaml").write_text("quasi_identifiers: {mine: suppress}\n")
    studio = started().enter()
    for name in ("people.csv.exe", "notes.yaml", ".csv", "people", "..", "", "\0.csv/"):
        status, said = studio.upload(name, content)
        assert status == 422 and said.startswith("choose a table"), name
    assert studio.upload("people.csv", b"")[0] == 422
    assert studio.upload("people.csv", content, Origin="http://evil.example")[0] == 403
    assert studio.upload("people.csv", content, Cookie="")[0] == 403
    assert sorted(path.name for path in work.iterdir()) == ["job.yaml", "people.csv"]
    assert studio.upload("..\\../C:/people.csv", content) == (201, "people-2.csv")
    assert Path("people.csv").read_text() == "another table\n"
    assert Path("people-2.csv").read_bytes() == content
    assert stat.S_IMODE(Path("people-2.csv").stat().st_mode) == 0o600
    assert "people-2.yaml" in decide(studio)
    assert Path("job.yaml").read_text() == "quasi_identifiers: {mine: suppress}\n"
    assert "saved changes are in people-2.yaml" in studio.end()
    assert not [path.name for path in work.iterdir() if path.name.endswith(".upload")]


def test_a_studio_removes_what_a_killed_one_left_of_an_upload_and_none_in_progress(work: Path) -> None:
    from starcloak.commands.studio.beginning import Beginning

    for name in (".0123456789abcdef.upload", ".notes.upload"):
        Path(name).write_text("a\n1\n")
    with uploads.Upload(work, "t.csv") as upload:
        upload.write(b"a\n1\n")
        Beginning(work, work / "job.yaml", lambda name, sheet: Place(), lambda *_: pytest.fail(), lambda _: None)
        assert upload.finish() == "t.csv"
    assert sorted(path.name for path in work.iterdir()) == [".notes.upload", "t.csv"]


def test_an_upload_that_is_too_large_leaves_nothing(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "LARGEST", 10)
    with pytest.raises(SourceError, match="open it from the command line"), uploads.Upload(work, "t.csv") as upload:
        upload.write(b"a\n1\n")
        upload.write(b"1234567")
    assert list(work.iterdir()) == []


def test_a_table_or_a_job_of_the_folder_is_chosen(work: Path, started: Callable[..., Studio]) -> None:
    drafted(Path("people.csv"))
    Path("<b>.csv").write_text("a\n1\n")
    Path(".unseen.csv").write_text("a\n1\n")
    Path("notes.yaml").write_text("a: 1\n")
    Path("secret.csv").symlink_to("/nowhere/secret.csv")
    studio = started().enter()
    page = studio.ask("/")[1]
    assert [name in page for name in ("people.csv", "&lt;b&gt;.csv", "job.yaml")] == [True] * 3
    assert not any(name in page for name in ("<b>", "unseen", "notes", "secret", "canary"))
    for name in ("../people.csv", "/etc/passwd", "notes.yaml", ""):
        status, page, _ = studio.ask("/choose", {"name": name})
        assert status == 422 and "the chosen file is no longer in the folder" in page
    assert studio.ask("/choose", {"name": "<b>.csv"})[0] == 303
    assert studio.ask("/choose", {"name": "job.yaml"})[0] == 303
    assert "job.yaml" in studio.ask("/decide")[1]


def two_sheets(path: Path) -> None:
    book = openpyxl.Workbook()
    for name, rows in (("notes <b>", 2), ("people", 300)):
        sheet = book.create_sheet(name)
        people(Path("rows.csv"), rows)
        for line in Path("rows.csv").read_text().splitlines():
            sheet.append(line.split(","))
    book.create_sheet("empty")
    book.save(path)
    Path("rows.csv").unlink()


@pytest.mark.parametrize("named", [False, True])
def test_a_sheet_of_several_is_chosen(work: Path, started: Callable[..., Studio], named: bool) -> None:
    two_sheets(Path("book.xlsx"))
    studio = started(*(["book.xlsx"] if named else [])).enter()
    if not named:
        content = Path("book.xlsx").read_bytes()
        Path("book.xlsx").unlink()
        assert studio.upload("book.xlsx", content) == (201, "book.xlsx")
    page = studio.ask("/")[1]
    for shown in ("A sheet of book.xlsx", "notes &lt;b&gt;", ">people<", ">301<", ">3<"):
        assert shown in page
    assert not any(hidden in page for hidden in ("notes <b>", ">empty<", "canary"))
    assert studio.ask("/choose", {"name": "book.xlsx", "sheet": "people"})[0] == 303
    assert "disease" in decide(studio)
    assert "sheet: people" in Path("job.yaml").read_text()
