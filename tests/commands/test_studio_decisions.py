"""studio: each defect of its first trial by a data officer, cured."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pandas
import pytest
import yaml

import starcloak as sc
from starcloak.base.errors import JobError
from starcloak.commands.studio import hierarchy_forms, open_decisions
from starcloak.commands.studio.job_file import JobFile
from starcloak.commands.studio.release_trade_off import ReleaseTradeOff, trade_off
from starcloak.commands.studio.shared_state import SharedState
from starcloak.commands.studio.work import RunProcess, Work, WorkContext
from starcloak.job import load
from tests.commands.studios import Studio, drafted, people, started

__all__ = ["started"]  # a fixture

pytest.importorskip("starlette")
pytest.importorskip("ruamel.yaml")

LISTED = """# A first job
# To decide, as only somebody who knows the table can:
#   income: left out: by its name; 1,234 may be 1234 or 1.234: give thousands or decimal under clean
#   ward: released as it is: other people seldom know this value of a person
"""


def listed() -> None:
    """A job with two open decisions, of a table whose disease is written as numbers with commas."""
    drafted(Path("people.csv"))
    doubts = LISTED.replace("income", "name").replace("ward", "disease")
    Path("job.yaml").write_text(doubts + Path("job.yaml").read_text())


def test_the_list_of_a_draft_is_read_and_shortened() -> None:
    assert [*open_decisions.open_decisions(LISTED)] == ["income", "ward"]
    assert [open_decisions.is_of_comma(doubt) for doubt in open_decisions.open_decisions(LISTED).values()] == [
        True,
        False,
    ]
    said = open_decisions.without_decision(LISTED, "income", comma=True)
    assert open_decisions.open_decisions(said)["income"] == "left out: by its name"
    left = open_decisions.without_decision(LISTED, "income")
    assert [*open_decisions.open_decisions(left)] == ["ward"]
    assert open_decisions.without_decision(left, "ward") == "# A first job\n"
    assert open_decisions.without_decision(LISTED, "nobody") == LISTED


def test_a_name_with_a_colon_has_a_decision_of_its_own(work: Path) -> None:
    pandas.DataFrame({name: ["x", "y"] * 30 for name in ("x", "x: b", "c\n", '"d"')}).to_csv("t.csv", index=False)
    sc.init("t.csv", "job.yaml")
    file = JobFile(Path("job.yaml"))
    doubted = [*file.open_decisions]
    assert {"x: b", "c\n", '"d"'} <= {*doubted} <= {"x", "x: b", "c\n", '"d"'}
    file.decide("x: b")
    assert [*file.open_decisions] == [name for name in doubted if name != "x: b"]


def test_all_columns_of_a_role_are_confirmed_at_once_and_this_is_undone(work: Path) -> None:
    drafted(Path("people.csv"))
    file = JobFile(Path("job.yaml"))
    before, left = file.text, file.unconfirmed
    columns = left.pop("quasi_identifiers")
    assert len(columns) > 1 and left
    file.confirm_all("quasi_identifiers")
    assert file.unconfirmed == left and not {*columns} & {*file.open_decisions}
    assert file.undoable == f"{len(columns)} columns confirmed as quasi-identifiers: {', '.join(columns)}"
    with pytest.raises(JobError, match="no column of the role"):
        file.confirm_all("quasi_identifiers")
    file.undo()
    assert file.text == before
    for role in [*file.unconfirmed]:
        file.confirm_all(role)
    assert not file.unconfirmed and "drafted: {}" in file.text


def test_the_first_screen_is_the_list_and_each_decision_leaves_it(work: Path, started: Callable[..., Studio]) -> None:
    listed()
    studio = started("job.yaml").enter()
    status, _, headers = studio.ask("/")
    assert (status, headers["location"]) == (303, "/decide")
    assert studio.ask("/decide")[0] == 200
    shown = unescape(studio.ask("/decide")[1])  # at once, before the table is profiled
    assert "unsure about 2 columns" in shown and "other people seldom know this value of a person" in shown
    assert "1,234 is 1234</button>" in shown and "1,234 is 1.234</button>" in shown
    assert re.search(">Confirm</button>", shown)  # the column with commas has a question of its own
    assert studio.ask("/commas", {"column": "name", "meaning": "neither", "screen": "decide"})[0] == 422
    assert studio.ask("/commas", {"column": "name", "meaning": "thousands", "screen": "decide"})[0] == 303
    shown = unescape(studio.ask("/decide")[1])
    assert "1,234 is 1234</button>" not in shown and "unsure about 2 columns" in shown
    assert studio.ask("/decide", {"column": "name"})[0] == 303
    assert studio.ask("/decide", {"column": "name"})[0] == 422
    assert studio.ask("/role", {"column": "disease", "role": "keep", "screen": "decide"})[0] == 303
    assert "Nothing is left to decide" in studio.ask("/decide")[1]
    assert studio.ask("/save", {})[0] == 303
    saved = Path("job.yaml").read_text()
    assert "To decide" not in saved and yaml.safe_load(saved)["clean"]["name"] == {"thousands": ","}
    assert yaml.safe_load(saved)["keep"] == ["disease"]


def test_the_same_role_again_confirms_a_column(work: Path) -> None:
    drafted(Path("people.csv"))
    file = JobFile(Path("job.yaml"))
    before, role = yaml.safe_load(file.text), file.role("disease")
    assert role is not None
    file.set_role("disease", role, "suppress")
    before["drafted"].pop("disease")
    assert yaml.safe_load(file.text) == before


def test_every_change_is_undone(work: Path) -> None:
    listed()
    file = JobFile(Path("job.yaml"))
    first, texts = file.text, list[str]()
    changes: list[Callable[[], None]] = [
        lambda: file.decide("disease"),
        lambda: file.set_commas("name", "decimal"),
        lambda: file.set_requirement(7, "0.02"),
        lambda: file.set_role("disease", "keep", "suppress"),
        lambda: file.set_rules("age", {"intervals": [10, 20]}),
        lambda: file.set_levels({"age": (1, 1)}),
        lambda: file.set_person("name"),
        file.reload,
    ]
    for change in changes:
        texts.append(file.text)
        change()
        assert file.undoable
    assert file.text == first
    for text in reversed(texts):
        file.undo()
        assert file.text == text
    assert not file.undoable and file.job.requirement == load(Path("job.yaml")).requirement
    with pytest.raises(sc.JobError, match="nothing to undo"):
        file.undo()


def test_undo_is_on_every_screen(work: Path, started: Callable[..., Studio]) -> None:
    drafted(Path("people.csv"))
    studio = started("job.yaml").enter()
    assert 'action="/undo"' not in studio.ask("/release")[1]
    assert studio.ask("/requirement", {"k": "7", "suppression": "0"})[0] == 303
    for screen in ("decide", "table", "hierarchies", "requirement", "lattice", "preview", "release"):
        shown = studio.ask(f"/{screen}")[1]
        assert 'action="/undo"' in shown and "+ requirement: {k: 7" in shown, screen
    assert studio.ask("/undo", {"screen": "release"})[0] == 303
    assert "All changes are saved" in studio.ask("/release")[1]
    assert studio.ask("/undo", {"screen": "release"})[0] == 422


def test_cancelled_work_ends_at_once_even_in_a_computation() -> None:
    ended = threading.Event()

    def compute(context: WorkContext) -> None:
        try:
            while True:
                sum(range(1000))  # without a word of progress
        finally:
            ended.set()

    work = Work("job", compute)
    time.sleep(0.1)
    work.cancel()
    assert work.state == "cancelled"
    assert ended.wait(5)


def test_parts_of_a_result_are_there_while_the_work_goes_on() -> None:
    going = threading.Event()

    def compute(context: WorkContext) -> str:
        context.report("a part")
        going.wait(10)
        return "all"

    work = Work("job", compute)
    while not work.parts:
        time.sleep(0.01)
    assert (work.state, work.result) == ("running", "a part") and "so far" in work.progress
    going.set()
    while work.state == "running":
        time.sleep(0.01)
    assert (work.state, work.result) == ("done", "all")


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> tuple[ReleaseTradeOff, list[ReleaseTradeOff], dict[str, Any]]:
    """The trade-off of a job for sweep that holds a column at a level, the parts of it, and the result of a run."""
    folder = tmp_path_factory.mktemp("released")
    people(folder / "people.csv", 400)
    job = {
        "source": {"path": str(folder / "people.csv")},
        "identifiers": ["name"],
        "quasi_identifiers": {
            "age": {"intervals": [10, 20], "from": 1, "to": 1},
            "zip": {"digits": 5},
            "sex": "suppress",
        },
        "sensitive": ["disease"],
        "requirement": {"k": 4, "suppression": 0.01},
        "algorithm": {"name": "sweep"},
    }
    parts: list[ReleaseTradeOff] = []
    return trade_off(load(job), report=parts.append), parts, job


def test_releases_of_sweep_come_one_by_one_the_own_k_first(released: Any) -> None:
    whole, parts, job = released
    assert [point.k for point in whole.points] == [2, 3, 4, 5, 10, 20, 50] and not whole.left
    assert [len(part.points) for part in parts] == [0, 1, 2, 3, 4, 5, 6]
    assert [point.k for point in parts[1].points] == [4] and 50 in parts[1].left
    estimate = whole.at(4)
    assert estimate is not None and estimate.is_exact
    result = sc.run(job).result
    assert (estimate.lower.loss, estimate.lower.classes) == (result.measures.loss, result.measures.classes)
    between = whole.at(7)
    assert between is not None and not between.is_exact
    assert whole.at(5).loss <= between.loss <= whole.at(10).loss
    assert whole.at(60) is None


def test_before_is_the_source_whatever_level_is_taken(released: Any) -> None:
    whole, _, job = released
    free = {**job["quasi_identifiers"], "age": {"intervals": [10, 20]}}
    assert whole.before == sc.lattice({**job, "quasi_identifiers": free}).before
    assert whole.before == sc.lattice(job).before
    people_of = {**job, "identifiers": [], "person": "name"}
    assert sc.lattice({**people_of, "quasi_identifiers": free}).before == sc.lattice(people_of).before


@pytest.mark.parametrize(
    "form, before, given",
    [
        ({"kind": "suppress"}, {"digits": 5}, {"suppress": True}),
        ({"kind": "digits", "digits": "5"}, {"digits": 4, "importance": 3, "to": 2}, {"digits": 5, "importance": 3}),
        (
            {"kind": "intervals", "intervals": "5, 10 20"},
            {"suppress": True, "importance": 2},
            {"intervals": [5, 10, 20], "importance": 2},
        ),
        (
            {"kind": "dates", "unit-year": "on", "unit-month": "on"},
            {"dates": ["day"], "formats": ["%Y"]},
            {"dates": ["month", "year"], "formats": ["%Y"]},
        ),
        ({"kind": "csv", "csv": "zip.csv"}, "suppress", {"csv": "zip.csv"}),
    ],
)
def test_a_form_says_a_hierarchy(form: dict[str, str], before: Any, given: dict[str, Any]) -> None:
    assert hierarchy_forms.read_form(form, before) == given
    assert hierarchy_forms.filled_form(given).kind == form["kind"]


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"kind": "digits", "digits": "x"},
        {"kind": "intervals", "intervals": "five"},
        {"kind": "dates"},
        {"kind": "csv"},
    ],
)
def test_an_empty_form_says_no_hierarchy(form: dict[str, str]) -> None:
    with pytest.raises(sc.JobError):
        hierarchy_forms.read_form(form, "suppress")


def test_hierarchies_are_set_by_form_and_levels_have_names(work: Path, started: Callable[..., Studio]) -> None:
    drafted(Path("people.csv"))
    job = re.sub("algorithm: .*", "algorithm: witness", Path("job.yaml").read_text())
    Path("job.yaml").write_text(job)
    studio = started("job.yaml").enter()
    form = {"column": "age", "kind": "intervals", "intervals": "10, 20"}
    assert studio.ask("/hierarchy-form", form)[0] == 303
    assert studio.ask("/hierarchy-form", {**form, "intervals": ""})[0] == 422
    studio.do("lattice")
    for path in ("/requirement", "/lattice", "/node?levels=1,1,1"):
        shown = unescape(studio.ask(path)[1])
        assert "of 3" not in shown.replace("of 300", "") and ("ranges of 10" in shown or path == "/requirement"), path
    assert "The chosen generalization is green" in studio.ask("/lattice")[1]
    assert "{intervals: [10, 20]}" in studio.ask("/hierarchies")[1]


def test_a_wide_table_has_a_filter_and_a_report_its_own_tab(work: Path, started: Callable[..., Studio]) -> None:
    drafted(Path("people.csv"))
    studio = started("job.yaml").enter()
    studio.finish("table")
    shown = studio.ask("/table")[1]
    assert 'data-filter="columns"' in shown and 'data-text="age quasi-identifiers"' in shown


@pytest.mark.parametrize("arguments, said", [(["--timeout", "2"], "timed out"), ([], "interrupted")])
def test_it_ends_when_it_says_so_and_says_what_is_written(work: Path, arguments: list[str], said: str) -> None:
    drafted(Path("people.csv"))
    command = [sys.executable, "-m", "starcloak", "studio", "job.yaml", "--no-browser", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        if not arguments:
            assert process.stdout is not None and process.stdout.readline().startswith("studio")
            process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
    assert process.returncode == 128 + (signal.SIGALRM if arguments else signal.SIGINT)
    assert (
        f"{said}: the studio has ended; saved changes are in job.yaml" in error and "nothing was written" not in error
    )


def test_a_confirmed_proposal_is_the_decision_of_a_person(work: Path) -> None:
    listed()
    file = JobFile(Path("job.yaml"))
    file.decide("name", comma=True)  # another doubt about it stays
    file.decide("disease")
    assert file.job.drafted is not None
    assert "name" in file.job.drafted and "disease" not in file.job.drafted


def test_a_run_imports_no_module_of_the_working_folder(work: Path) -> None:
    Path("people.csv").write_text("sex\nf\nf\n")
    Path("job.yaml").write_text(
        "source: {path: people.csv}\nquasi_identifiers: {sex: suppress}\nrequirement: {k: 2}\noutput: {path: out.csv}\n"
    )
    Path("calendar.py").write_text("open('imported', 'w').close()\n")
    run = RunProcess(Path("job.yaml"), "")
    while run.state == "running":
        time.sleep(0.05)
    assert (run.state, run.problem) == ("done", "") and not Path("imported").exists()


def test_a_column_that_another_line_refers_to_stays(work: Path) -> None:
    text = "quasi_identifiers:\n  sex: &kind suppress\n  zip: *kind\nkeep: [note]\nrequirement: {k: 2}\n"
    Path("job.yaml").write_text(f"source: {{path: people.csv}}\n{text}")
    file = JobFile(Path("job.yaml"))
    with pytest.raises(JobError, match=r"^'sex' cannot be moved, as another line of the file refers to its line by"):
        file.set_role("sex", "keep", "suppress")
    file.set_role("zip", "keep", "suppress")
    assert list(file.job.quasi_identifiers) == ["sex"] and "zip" in file.job.keep


def test_figures_of_a_changed_file_are_counted_again(work: Path) -> None:
    Path("sexes.csv").write_text("f;*\nm;*\n")
    Path("people.csv").write_text("sex\nf\nf\n")
    Path("job.yaml").write_text(
        "source: {path: people.csv}\nquasi_identifiers: {sex: {csv: sexes.csv}}\nrequirement: {k: 2}\n"
    )
    state = SharedState(Path("job.yaml"))

    def rows() -> int:
        state.keep("lattice")
        while (work := state.work("lattice")) is not None and work.state == "running":
            time.sleep(0.05)
        return int(state.result("lattice").rows)

    assert rows() == 2 and not state.is_stale("lattice")
    Path("people.csv").write_text("sex\nf\nf\nf\n")
    assert state.is_stale("lattice") and rows() == 3
    Path("sexes.csv").write_text("f;any;*\nm;any;*\n")
    assert state.is_stale("lattice") and state.answer(2, "0") is None
