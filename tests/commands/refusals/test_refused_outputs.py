"""An output or a command that cannot be used is refused in one line on standard error, and nothing is written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest

from starcloak.commands import cli
from tests.commands.refusals.refusing import CANARY, PEOPLE, Refused, assert_refused, contents, database, job, write

# ------------------------------------------------------------------------------------------------------------- output


@pytest.mark.parametrize("name", ["release.csv", "release.parquet"])
def test_a_file_that_is_not_ours_is_not_replaced(refused: Refused, name: str) -> None:
    Path(name).write_bytes(b"somebody's work")
    refused("run", write(job(output={"path": name})), says=(name, "not a release"))
    refused("compile", write(job(output={"path": name})), says=(name, "not a release"))


def test_a_folder_of_the_outputs_name_is_not_replaced(refused: Refused) -> None:
    Path("release.csv").mkdir()
    refused("run", write(job()), says=("release.csv",))


def test_a_release_that_somebody_changed_is_not_replaced(
    refused: Refused, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["starcloak", "run", write(job())])
    cli.main()
    with open("release.csv", "a") as release:
        release.write("a line added by hand\n")
    refused("run", write(job()), says=("release.csv", "was changed after its run: move or delete this file"))


@pytest.mark.parametrize(
    "ledger", ["", "{}", "[]", '{"releases": [5]}', '{"releases": [{"sha256": 5}]}', "\0", '{"releases": {"a": 1}}']
)
def test_a_ledger_that_is_none_makes_no_file_ours(refused: Refused, ledger: str) -> None:
    Path("release.csv").write_text("somebody's work")
    Path("release.csv.starcloak.json").write_text(ledger)
    refused("run", write(job()), says=("release.csv",))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("statement", ["create table release (a int)", "create view release as select 1 as a"])
@pytest.mark.parametrize("name", ["release", "RELEASE", "main.release"])
@pytest.mark.parametrize("file", ["hospital.duckdb", "other.duckdb"])
def test_a_relation_that_is_not_ours_is_not_replaced(refused: Refused, statement: str, name: str, file: str) -> None:
    database()
    if file == "other.duckdb":
        database(file=file)
    with duckdb.connect(file) as connection:
        connection.execute(statement)
    place = {"url": "duckdb:///hospital.duckdb", "table": "people"}
    output = {"url": f"duckdb:///{file}", "table": name}
    refused("run", write(job(source=place, output=output)), says=(name.removeprefix("main."), "not a release"))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "output",
    [
        {"path": "nowhere/release.csv"},
        {"path": "people.csv/release.csv"},
        {"path": "nowhere/release.parquet"},
        {"url": "duckdb:///nowhere/release.duckdb", "table": "release"},
        {"url": "duckdb:///people.csv/release.duckdb", "table": "release"},
        {"url": "duckdb:///release.duckdb", "table": "nowhere.release"},
        {"url": "duckdb:///other.duckdb", "table": "nowhere.release"},
        {"url": "duckdb:///other.duckdb", "table": "a.b.release"},
        {"url": "duckdb:///folder", "table": "release"},
    ],
    ids=lambda output: str(output.get("path", output.get("url", "") + " " + output.get("table", ""))),
)
def test_an_output_that_cannot_be_written_is_refused(refused: Refused, output: dict[str, str]) -> None:
    database(file="other.duckdb")
    Path("folder").mkdir()
    refused("run", write(job(output=output)))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_refused(refused: Refused, folder: Path) -> None:
    (folder / "closed").mkdir(mode=0o500)
    refused("run", write(job(output={"path": "closed/release.csv"})), says=("closed",))


def test_a_release_over_its_source_file_is_refused(refused: Refused) -> None:
    Path("link.csv").symlink_to("people.csv")
    os.link("people.csv", "twin.csv")
    Path("sub").mkdir()
    for path in ("people.csv", "link.csv", "twin.csv", "sub/../people.csv"):
        refused("run", write(job(output={"path": path})))
    refused("run", write(job(source={"path": "link.csv"}, output={"path": "people.csv"})))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ["people", "PEOPLE", "main.people", "Main.People"])
@pytest.mark.parametrize("output_url", [None, "duckdb:///hospital.duckdb", "duckdb:///sub/../hospital.duckdb"])
def test_a_release_over_its_source_table_is_refused(refused: Refused, name: str, output_url: str | None) -> None:
    Path("sub").mkdir()
    output = {"table": name} | ({"url": output_url} if output_url else {})
    refused("run", write(job(source={"url": database(), "table": "people"}, output=output)))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("source", ["people", "main.people", "People"])
@pytest.mark.parametrize("name", ["people", "PEOPLE", "main.people"])
def test_a_release_over_its_source_is_refused_even_where_that_is_a_release(
    refused: Refused, source: str, name: str
) -> None:
    """A release of a release must not eat the release it reads, nor be verified against itself."""
    url = database("comment on table people is 'starcloak release'")
    refused("run", write(job(source={"url": url, "table": source}, output={"table": name})), says=("is the source",))


def test_a_source_held_open_for_writing_by_another_program_is_refused(refused: Refused, folder: Path) -> None:
    database()
    hold = "import duckdb, sys; c = duckdb.connect('hospital.duckdb'); print('held', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        place = {"url": "duckdb:///hospital.duckdb", "table": "people"}
        refused("run", write(job(source=place)), says=("hospital.duckdb", "other program"))
        holder.communicate("")


# -------------------------------------------------------------------------------------------------------- requirement


@pytest.mark.sampled(3)
@pytest.mark.parametrize("k", [5, 10**9, 10**25, 10**50], ids=repr)
def test_k_larger_than_the_table_cannot_be_met(refused: Refused, k: int) -> None:
    refused("run", write(job(requirement={"k": k})), code=1, says=("people.csv",))
    refused("compile", write(job(requirement={"k": k})), code=1, says=("people.csv",))


def test_k_larger_than_the_table_cannot_be_met_by_suppressing_all(refused: Refused) -> None:
    refused("run", write(job(requirement={"k": 5, "suppression": 1})), code=1)


# ------------------------------------------------------------------------------------------------------- command line


@pytest.mark.parametrize(
    "arguments",
    [
        ["rnu", "job.yaml"],
        ["run"],
        ["run", "job.yaml", "another.yaml"],
        ["run", "job.yaml", "--jsn"],
        ["run", "job.yaml", "--threads", "0"],
        ["run", "job.yaml", "--threads", "many"],
        ["run", "job.yaml", "--memory-limit", "much"],
        ["check", "people.csv"],
        ["check", "people.csv", "--qi", "zip"],
        ["check", "people.csv", "--k", "2"],
        ["check", "people.csv", "--qi", "zip", "--k", "0"],
        ["check", "people.csv", "--qi", "zip", "--k", "-1"],
        ["check", "people.csv", "--qi", "zip", "--k", "two"],
        ["check", "people.csv", "--qi", "zip", "--k", "2.5"],
        ["check", "people.csv", "--qi", "", "--k", "2"],
        ["check", "people.csv", "--qi", "zip,,sex", "--k", "2"],
        ["check", "people.csv", "--qi", "zip", "--k", "2", "--table", "people"],
        ["check", "duckdb:///hospital.duckdb", "--qi", "zip", "--k", "2"],
        ["check", "", "--qi", "zip", "--k", "2"],
        ["demo", "--data", "nowhere"],
    ],
    ids=" ".join,
)
def test_a_command_that_cannot_be_used_is_refused(refused: Refused, arguments: list[str]) -> None:
    write(job())
    refused(*arguments)


def test_check_names_the_near_column(refused: Refused) -> None:
    refused("check", "people.csv", "--qi", "zip,sexx", "--k", "2", says=("'sexx'", "Did you mean 'sex'?"))


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"requirment": {}}, 2),
        ({"requirement": {"k": 50}}, 1),
    ],
    ids=["key", "k"],
)
def test_the_real_command_refuses_in_one_line(folder: Path, changes: dict[str, Any], code: int) -> None:
    """Before the data is read, and after; that each mistake is refused is asked in this process."""
    path = write(job(**changes))
    before = contents(folder)
    done = subprocess.run([sys.executable, "-m", "starcloak", "run", path], capture_output=True, text=True, timeout=60)
    assert_refused(done.returncode, done.stdout, done.stderr, code=code)
    assert contents(folder) == before


def test_the_real_command_refuses_rows_it_cannot_read_in_one_line(folder: Path) -> None:
    Path("people.csv").write_text(PEOPLE + f'{CANARY},"{CANARY}\n')
    before = contents(folder)
    for arguments in (["run", write(job())], ["check", "people.csv", "--qi", "zip", "--k", "2"]):
        before |= contents(folder)
        done = subprocess.run(
            [sys.executable, "-m", "starcloak", *arguments], capture_output=True, text=True, timeout=60
        )
        assert_refused(done.returncode, done.stdout, done.stderr)
        assert contents(folder) == before
