"""What a run writes takes the place of nothing that it reads, of no other file of its own, of no stranger."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

import starcloak as sc
from starcloak.base.errors import OutputError
from starcloak.commands import pipeline
from starcloak.commands.cli import main
from tests.daily import some_daily

ROWS = [(str(10 + number % 2), "fm"[number % 2], "flu x7") for number in range(8)]
SCHEMA = {"quasi_identifiers": {"zip": {"csv": "zips.csv"}, "sex": "suppress"}, "sensitive": ["illness"]}
CUBE = {"name": "incognito", "variant": "cube", "cube": "cube.duckdb"}
DUCKDB = {"url": "duckdb:///hospital.duckdb", "table": "people"}
SQLITE = {"url": "sqlite:///hospital.sqlite", "table": "people"}


@pytest.fixture(autouse=True)
def folder(work: Path) -> Path:
    """The people in every kind of place, a schema with a hierarchy, and names that lead to the same files."""
    lines = ["zip,sex,illness", *(",".join(row) for row in ROWS)]
    Path("people.csv").write_text("\n".join(lines) + "\n")
    Path("zips.csv").write_text("10;*\n11;*\n")
    Path("schema.yaml").write_text(yaml.safe_dump(SCHEMA))
    with duckdb.connect("hospital.duckdb") as connection:
        connection.execute("create table people as from read_csv('people.csv', all_varchar = true)")
    other = sqlite3.connect("hospital.sqlite")
    with other:
        other.execute("create table people (zip text, sex text, illness text)")
        other.executemany("insert into people values (?, ?, ?)", ROWS)
    other.close()
    for name in ("people.csv", "hospital.duckdb", "release.csv"):
        Path(f"linked-{name}").symlink_to(name)
    os.link("people.csv", "hard-people.csv")
    os.link("hospital.duckdb", "hard-hospital.duckdb")
    Path("notes.json").write_text('{"notes": "x7"}')
    Path("empty.json").touch()
    Path("folder.json").mkdir()
    os.mkfifo("pipe.json")
    return work


def job(**changes: Any) -> dict[str, Any]:
    described = {
        "source": {"path": "people.csv"},
        "schema": "schema.yaml",
        "requirement": {"k": 2},
        "output": {"path": "release.csv"},
        **changes,
    }
    Path("job.yaml").write_text(yaml.safe_dump(described))
    return described


def contents() -> dict[str, bytes | None]:
    files = {path.name: path for path in Path().iterdir()}
    return {name: path.read_bytes() if path.is_file() else None for name, path in files.items()}


def refused(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], *options: str, command: str = "run"
) -> str:
    """Exit code 2 and one line, with every file as it was."""
    before = contents()
    monkeypatch.setattr(sys, "argv", ["starcloak", command, "job.yaml", *options])
    with pytest.raises(SystemExit) as ended:
        main()
    out, err = capfd.readouterr()
    assert (ended.value.code, out, err.count("\n")) == (2, "", 1), err
    assert contents() == before
    return err


EVENTS = {
    "people.csv": "the event would replace the source,",
    "linked-people.csv": "the event would replace the source,",
    "hard-people.csv": "the event would replace the source,",
    "../work/people.csv": "the event would replace the source,",
    "job.yaml": "the event would replace a file of the job,",
    "schema.yaml": "the event would replace a file of the job,",
    "zips.csv": "the event would replace a hierarchy of the job,",
    "release.csv": "the event would replace the release,",
    "linked-release.csv": "the event would replace the release,",
    "release.csv.starcloak.json": "the event would replace the ledger,",
    "cube.duckdb": "the event would replace the cube,",
    "cube.duckdb.wal": "the event would replace the cube,",
    "notes.json": "the event would replace notes.json, which starcloak did not write:",
    "empty.json": "the event would replace empty.json, which starcloak did not write:",
    "hospital.duckdb": "the event would replace hospital.duckdb, which starcloak did not write:",
    "folder.json": "the event would replace folder.json, which starcloak did not write:",
    "pipe.json": "the event would replace pipe.json, which starcloak did not write:",
    ".": "the event would replace ., which starcloak did not write:",
    "notes.json/event.json": "is not a writable folder: check --openlineage",
    "x" * 250 + ".json": "the event cannot be written (OSError): check --openlineage",  # before any work
}


@pytest.mark.sampled(9)
@pytest.mark.parametrize(
    ("event", "released"), some_daily(EVENTS, [False, True], each=2), ids=lambda value: str(value)[:40]
)
def test_an_event_takes_the_place_of_no_other_file(
    event: str, released: bool, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    if released:
        pipeline.run(job(algorithm=CUBE, requirement={"k": 3}))
    job(algorithm=CUBE)
    assert EVENTS[event] in refused(monkeypatch, capfd, "--openlineage", event)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("source", [DUCKDB, SQLITE], ids=["duckdb", "sqlite"])
@pytest.mark.parametrize("beside", ["", ".wal", "-journal", "-wal", "-shm"])
def test_an_event_takes_the_place_of_no_database(
    source: dict[str, str], beside: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Nor of what a database reads when it is opened again."""
    file = source["url"].removeprefix("duckdb:///").removeprefix("sqlite:///")
    for output in ({"path": "release.csv"}, {"table": "release"}):
        job(source=source, output=output)
        assert "would replace the source," in refused(monkeypatch, capfd, "--openlineage", f"{file}{beside}")
    target = (
        {"url": "duckdb:///release.duckdb", "table": "release"} if source is DUCKDB else {**source, "table": "other"}
    )
    job(output=target)
    event = f"release.duckdb{beside}" if source is DUCKDB else f"{file}{beside}"
    assert "would replace the release," in refused(monkeypatch, capfd, "--openlineage", event)


SOURCE, FILE = "would replace the source,", "would replace a file of the job,"
OTHERS: list[tuple[dict[str, Any], str]] = [
    ({"output": {"path": "hard-people.csv"}}, f"the release {SOURCE}"),
    ({"output": {"path": "linked-people.csv"}}, f"the release {SOURCE}"),
    ({"output": {"path": "zips.csv"}}, "the release would replace a hierarchy of the job,"),
    ({"output": {"path": "release.csv"}, "source": {"path": "release.csv"}}, "would replace the source,"),
    ({"output": {"url": "duckdb:///people.csv", "table": "release"}}, f"the release {SOURCE}"),
    ({"output": {"url": "duckdb:///job.yaml", "table": "release"}}, f"the release {FILE}"),
    (
        {"source": DUCKDB, "output": {"url": "duckdb:///hard-hospital.duckdb", "table": "release"}},
        f"the release {SOURCE}",
    ),
    ({"algorithm": {**CUBE, "cube": "people.csv"}}, f"the cube {SOURCE}"),
    ({"algorithm": {**CUBE, "cube": "job.yaml"}}, f"the cube {FILE}"),
    ({"algorithm": {**CUBE, "cube": "release.csv"}}, "the cube would replace the release,"),
    ({"algorithm": {**CUBE, "cube": "release.csv.starcloak.json"}}, "the cube would replace the ledger,"),
    ({"algorithm": {**CUBE, "cube": "hospital.duckdb"}, "source": DUCKDB}, f"the cube {SOURCE}"),
    ({"algorithm": {**CUBE, "cube": "hospital.sqlite"}, "source": SQLITE}, f"the cube {SOURCE}"),
    (
        {"algorithm": CUBE, "output": {"url": "duckdb:///cube.duckdb", "table": "release"}},
        "the cube would replace the release,",
    ),
    (
        {"algorithm": {**CUBE, "cube": "hospital.duckdb"}, "output": {**DUCKDB, "table": "release"}},
        "the cube would replace the release,",
    ),
]  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize("command", ["run", "compile"])
@pytest.mark.parametrize(("changes", "says"), OTHERS, ids=lambda value: str(value)[:70])
def test_no_file_of_a_run_takes_the_place_of_another(
    changes: dict[str, Any],
    says: str,
    command: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    job(**changes)
    assert says in refused(monkeypatch, capfd, command=command)


def test_a_table_of_the_same_name_in_another_file_or_schema_is_another() -> None:
    asked = {"quasi_identifiers": {"zip": {"digits": 2}}, "others": "identifiers", "requirement": {"k": 2}}
    sqlite3.connect("other.sqlite").close()
    there = {"url": "sqlite:///other.sqlite", "table": "people"}
    assert sc.run({**asked, "source": SQLITE, "output": there}).k == 4
    with duckdb.connect("hospital.duckdb") as connection:
        connection.execute("create schema ward")
    inside = {**DUCKDB, "table": "main.people"}
    assert sc.run({**asked, "source": inside, "output": {"table": "ward.people"}}).k == 4


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"releases": 5}', '{"notes": "x7"}', "\0"], ids=repr)
def test_a_ledger_replaces_no_file_that_is_none(
    content: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """It goes beside the release, whose name decides its own."""
    Path("release.csv.starcloak.json").write_text(content)
    job()
    assert "the ledger would replace" in refused(monkeypatch, capfd)


def test_an_event_replaces_an_older_one_and_a_link_stays(folder: Path) -> None:
    Path("events").mkdir()
    Path("event.json").symlink_to("events/latest.json")
    events = []
    for _ in range(2):
        pipeline.run(job(), lineage="event.json")
        events.append(json.loads(Path("events/latest.json").read_text()))
    assert events[0]["run"] != events[1]["run"]
    assert Path("event.json").is_symlink()
    assert not list(folder.rglob(".*starcloak*"))


def test_what_comes_to_the_place_of_an_event_meanwhile_stays() -> None:
    """The release is out by then, and whoever asked is told."""

    def come(stage: str) -> None:
        if stage == "publish":
            Path("event.json").write_text("somebody's work")

    resources = sc.Resources(progress=come)
    with pytest.raises(OutputError, match=r"the release is published, but event\.json cannot be written"):
        pipeline.run(job(), resources=resources, lineage="event.json")
    assert Path("event.json").read_text() == "somebody's work"
    assert Path("release.csv").exists()
