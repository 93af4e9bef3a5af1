"""Releases in DuckDB files: what is there before a run and what comes meanwhile, and what a script makes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

import starcloak as sc
from starcloak.base.errors import OutputError, StatementError
from starcloak.releases.recodings import saved_recodings
from starcloak.releases.targets import duckdb_table
from starcloak.store import staging
from starcloak.store.databases.url import Url
from starcloak.store.session import Session

RUN = "0" * 32
LARGE = 2**100 + 1  # which no double is
HERE, OTHER = {"table": "release"}, {"url": "duckdb:///other.duckdb", "table": "release"}


def job(output: dict[str, Any], table: str = "people", **more: Any) -> dict[str, Any]:
    described = {"quasi_identifiers": {"zip": "suppress"}, "requirement": {"k": 2}}
    return {"source": {"url": "duckdb:///clinic.duckdb", "table": table}, "output": output, **described, **more}


def file_of(output: dict[str, Any]) -> str:
    return "clinic.duckdb" if output == HERE else "other.duckdb"


def rows(file: str, table: str = "release") -> list[tuple[Any, ...]]:
    with duckdb.connect(file, read_only=True) as connection:
        return connection.execute(f"select * from {table} order by all").fetchall()


def execute(file: str, *statements: str) -> None:
    with duckdb.connect(file) as connection:
        for statement in statements:
            connection.execute(statement)


@pytest.fixture(autouse=True)
def clinic(work: Path) -> None:
    values = "(values ('1'), ('1'), ('2'), ('2')) as people(zip)"
    execute(
        "clinic.duckdb",
        f"create table people as select * from {values}",
        "create table visits as select zip || 0 as zip from people",
    )
    execute("other.duckdb", "create table something as select 1 as a")


@pytest.mark.parametrize("output", [HERE, OTHER], ids=file_of)
def test_a_release_of_another_source_is_refused_before_the_search(output: dict[str, Any]) -> None:
    sc.run(job(output))
    before, stages = rows(file_of(output)), list[str]()
    resources = sc.Resources(progress=lambda stage: stages.append(stage.split()[0]))
    with pytest.raises(OutputError, match=r"is a release of another source: give output.replace: true"):
        sc.run(job(output, "visits"), resources=resources)
    assert "search" not in stages and rows(file_of(output)) == before


@pytest.mark.parametrize("output", [HERE, OTHER], ids=file_of)
def test_a_table_with_the_name_of_a_dimension_table_is_refused_before_a_row_is_read(output: dict[str, Any]) -> None:
    sc.run(job(output, keep_dimensions=True))
    with duckdb.connect(file_of(output)) as connection:
        (name,) = (name for (name,) in connection.execute("show tables").fetchall() if "zip" in name)
    execute(file_of(output), f"drop table {name}", f"create table {name} as select 7 as own")
    stages = list[str]()
    resources = sc.Resources(progress=lambda stage: stages.append(stage.split()[0]))
    with pytest.raises(OutputError, match=name):
        sc.run(job(output, keep_dimensions=True, seed=2), resources=resources, force=True)
    assert "compress" not in stages and rows(file_of(output), name) == [(7,)]


def test_a_table_that_another_program_makes_during_a_run_stays() -> None:
    made: list[str] = []

    def make(stage: str) -> None:
        if stage.split()[0] == "search" and not made:
            made.append(stage)
            execute("other.duckdb", "create table release as select 7 as own")

    with pytest.raises(OutputError, match=r"release in .*other.duckdb .*is not a release of starcloak"):
        sc.run(job(OTHER), resources=sc.Resources(progress=make))
    assert made and rows("other.duckdb") == [(7,)]


def test_a_script_makes_a_release_that_a_run_recognizes() -> None:
    execute("clinic.duckdb", sc.compile(job(HERE)))
    assert rows("clinic.duckdb") == [("1",), ("1",), ("2",), ("2",)]
    with pytest.raises(OutputError, match="is a release of another source"):
        sc.run(job(HERE, "visits"))
    assert sc.run(job(HERE)).result.released_rows == 4


def test_a_new_file_has_the_release_and_its_ledger_alone() -> None:
    output = {"url": "duckdb:///new.duckdb", "table": "release"}
    assert sc.run(job(output)).result.released_rows == 4
    with duckdb.connect("new.duckdb", read_only=True) as connection:
        tables = {name for (name,) in connection.execute("show tables").fetchall()}
    assert tables == {"release", "starcloak_releases"}
    assert not [path.name for path in Path().iterdir() if "starcloak-" in path.name]
    assert sc.run(job(output)).result.unchanged


def test_a_run_that_ends_at_once_leaves_nothing_of_a_new_file() -> None:
    place = duckdb_table.TableOfFile(Url("duckdb:///new.duckdb"), "release")
    staged = staging.opened(staging.within(place.file, RUN))
    staged.write_text("rows")
    staging.abandon(place.stages, RUN)
    assert not staged.exists() and not staged.parent.exists()


def test_a_commit_that_fails_publishes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    command = Session.command

    def fails(self: Session, text: str) -> None:
        if text == "commit":
            raise StatementError("commit", "", "IOException")
        command(self, text)

    with monkeypatch.context() as patched, pytest.raises(OutputError, match="IOException"):
        patched.setattr(Session, "command", fails)
        sc.run(job(HERE))
    assert saved_recodings.every() == []
    with duckdb.connect("clinic.duckdb", read_only=True) as connection:
        assert {name for (name,) in connection.execute("show tables").fetchall()} == {"people", "visits"}
    assert sc.run(job(HERE)).result.joint == []


def test_a_new_file_whose_move_fails_is_published_only_if_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    output = {"url": "duckdb:///new.duckdb", "table": "release"}

    def fails(*_: object) -> None:
        raise OSError("no space")

    with monkeypatch.context() as patched, pytest.raises(OutputError):
        patched.setattr(duckdb_table, "_link", fails)
        sc.run(job(output))
    assert not Path("new.duckdb").exists() and saved_recodings.every() == []
    link, moved = duckdb_table._link, list[bool]()

    def look(source: Path, place: Path) -> None:
        (about,) = saved_recodings.every()
        moved.append(about.form == saved_recodings.PUBLISHING)
        link(source, place)
        raise OSError("after it")

    with monkeypatch.context() as patched, pytest.raises(OutputError):
        patched.setattr(duckdb_table, "_link", look)
        sc.run(job(output))
    assert moved == [True] and Path("new.duckdb").exists()
    assert len(saved_recodings.every()) == 1  # the release may be out


def test_a_new_file_whose_run_is_interrupted_as_it_is_moved_may_be_published(monkeypatch: pytest.MonkeyPatch) -> None:
    link = duckdb_table._link

    def interrupted(source: Path, place: Path) -> None:
        link(source, place)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(duckdb_table, "_link", interrupted)
        sc.run(job({"url": "duckdb:///new.duckdb", "table": "release"}))
    assert Path("new.duckdb").exists() and len(saved_recodings.every()) == 1


def test_columns_that_parquet_does_not_keep_go_to_another_file_as_they_are() -> None:
    execute("clinic.duckdb", f"create or replace table visits as select zip, {LARGE}::hugeint as stay from people")
    sc.run(job(OTHER, "visits", keep=["stay"]))
    with duckdb.connect("other.duckdb", read_only=True) as connection:
        (kind,) = {kind for name, kind, *_ in connection.execute("describe release").fetchall() if name == "stay"}
    assert kind == "HUGEINT" and {row[-1] for row in rows("other.duckdb")} == {LARGE}
