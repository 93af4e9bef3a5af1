"""studio: a job is decided in a browser, by its custodian alone, and stays a job in a file."""

from __future__ import annotations

import html
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest
import yaml
from click.testing import CliRunner

import starcloak as sc
from starcloak.commands.cli import cli
from tests.browser import PYTHON, chromium
from tests.commands import test_lattice as lattices
from tests.commands.studios import Studio, drafted, messy, people, started
from tests.people import Server

__all__ = ["started"]  # a fixture

pytest.importorskip("starlette")
pytest.importorskip("ruamel.yaml")

HOSTILE = ["<script>alert(1)</script>", "a\"b'c", "{{ 7 * 7 }}", "\u202eright to left", "🙂", "x" * 10_000]

NONE = "\u2013"


@pytest.mark.sampled(3, among="studio")
def test_only_who_has_the_address_is_let_in_and_once(work: Path, started: Callable[..., Studio]) -> None:
    people(Path("people.csv"))
    studio = started("people.csv")
    assert studio.host.startswith("127.0.0.1:")
    assert studio.ask("/table")[0] == 403
    assert studio.ask("/enter/wrong")[0] == 403 and studio.ask("/enter/")[0] == 403
    studio.enter()
    assert studio.ask(f"/enter/{studio.token}", Cookie="")[0] == 403
    status, text, headers = studio.ask("/table")
    assert status == 200 and "custodian alone" in text
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self';") and "unsafe" not in policy
    assert headers["cache-control"] == "no-store"
    assert studio.ask("/table", Cookie=f"{studio.cookie}x")[0] == 403
    assert studio.ask("/table", Cookie="é")[0] == 403


def test_other_hosts_and_forms_of_other_pages_are_refused(work: Path, started: Callable[..., Studio]) -> None:
    """By a name that leads here (DNS rebinding) nobody gets in, whatever cookie he has."""
    people(Path("people.csv"))
    studio = started("people.csv").enter()
    port = studio.host.partition(":")[2]
    for host in ("evil.example", "127.0.0.1", "localhost:1", f"127.0.0.1.evil.example:{port}"):
        status, text, _ = studio.ask("/table", Host=host)
        assert status == 403 and "people" not in text, host
    before = Path("job.yaml").read_text()
    form = {"k": "2", "suppression": "0"}
    for origin in ("http://evil.example", "null", f"https://{studio.host}", ""):
        assert studio.ask("/requirement", form, Origin=origin)[0] == 403, origin
    assert studio.ask("/requirement", form)[0] == 303
    assert studio.ask("/save", {})[0] == 303 and Path("job.yaml").read_text() != before


def test_what_is_decided_stays_in_the_file_with_its_comments(work: Path, started: Callable[..., Studio]) -> None:
    drafted(Path("people.csv"))
    text = Path("job.yaml").read_text().replace("objective:", "# why: the board said so\nobjective:")
    Path("job.yaml").write_text(text)
    studio = started("job.yaml").enter()
    studio.finish("table")
    assert studio.ask("/requirement", {"k": "7", "suppression": "0.02"})[0] == 303
    assert studio.ask("/role", {"column": "disease", "role": "keep"})[0] == 303
    assert studio.ask("/hierarchy", {"column": "age", "hierarchy": "{intervals: [10, 20]}"})[0] == 303
    assert Path("job.yaml").read_text() == text
    assert "+requirement: {k: 7, suppression: 0.02}" in studio.ask("/release")[1]
    assert studio.ask("/save", {})[0] == 303
    saved = Path("job.yaml").read_text()
    assert "# why: the board said so\n" in saved and "# at most this share of the rows is suppressed" in saved
    assert saved.index("identifiers:") < saved.index("quasi_identifiers:") < saved.index("requirement:")
    result = sc.run("job.yaml").result
    assert (result.requirement.qids[0].k, result.recoding.heights["age"]) == (7, 3)


def cleaned(studio: Studio) -> dict[str, list[str]]:
    """By column: what the job says, what is proposed, why, and what can be done."""
    rows = studio.ask("/table")[1].partition('id="cleaning"')[2].partition("</table>")[0].split('<tr role="row">')[2:]
    cells = ([html.unescape(re.sub("<[^>]*>", "", cell)).strip() for cell in re.split("</t[dh]>", row)] for row in rows)
    return {name: rest[:4] for name, *rest in cells}


@pytest.mark.sampled(3, among="studio")
def test_what_is_to_be_cleaned_is_accepted_or_rejected(work: Path, started: Callable[..., Studio]) -> None:
    messy(Path("people.csv"))
    sc.init("people.csv", "job.yaml")
    text = Path("job.yaml").read_text().replace("\nidentifiers:", "# why: the board said so\n\nidentifiers:")
    Path("job.yaml").write_text(text)
    proposed = {"sex": "{map: {f: female, m: male}}", "disease": "{missing: [unknown]}"}
    assert all(f"  {name}: {rules}  # " in text for name, rules in proposed.items())
    studio = started("job.yaml").enter()
    studio.finish("table")
    assert {name: row[:2] for name, row in cleaned(studio).items()} == {
        name: [rules, "accepted"] for name, rules in proposed.items()
    }
    assert [*cleaned(studio)] == [*proposed]
    studio.do("lattice")
    values = studio.ask("/hierarchies")[1]
    for name in proposed:
        assert studio.ask("/clean", {"column": name, "accept": "no"})[0] == 303
        assert studio.ask("/clean", {"column": name, "accept": "no"})[0] == 422
        assert cleaned(studio)[name][::3] == [NONE, "Accept"] and proposed[name] == cleaned(studio)[name][1]
    assert "No release is made yet" in studio.ask("/answer?k=5&suppression=0")[1]  # of other cells
    assert "cleaning has changed" in studio.ask("/table")[1]
    assert [*cleaned(studio)] == [*proposed]
    studio.do("table")
    shown = studio.ask("/table")[1]
    assert "cleaning has changed" not in shown and re.search(r'(?s)>sex</th>.*?data-of="Values: ">3<', shown)
    studio.do("lattice")
    assert studio.ask("/hierarchies")[1] != values
    assert studio.ask("/save", {})[0] == 303
    saved = Path("job.yaml").read_text()
    assert yaml.safe_load(saved)["clean"] == {} and "# why: the board said so\n" in saved
    for name in proposed:
        assert studio.ask("/clean", {"column": name, "accept": "yes"})[0] == 303
    assert studio.ask("/clean", {"column": "age", "accept": "yes"})[0] == 422
    assert studio.ask("/save", {})[0] == 303
    again = Path("job.yaml").read_text()
    lines, before = ({re.sub(" +#", " #", line) for line in job.splitlines()} for job in (again, text))
    assert lines == before and yaml.safe_load(again) == yaml.safe_load(text)


def test_a_rule_of_ones_own_is_shown_beside_the_proposal(work: Path, started: Callable[..., Studio]) -> None:
    messy(Path("people.csv"))
    sc.init("people.csv", "job.yaml")
    text = Path("job.yaml").read_text().replace("{missing: [unknown]}", "{trim: true}  # our own")
    Path("job.yaml").write_text(text.replace("clean:", "clean:\n  zip:\n    missing:\n      - '0'"))
    studio = started("job.yaml").enter()
    studio.finish("table")
    shown = cleaned(studio)
    assert shown["disease"][:2] == ["{trim: true}", "{missing: [unknown]}"] and shown["disease"][3] == "Accept\nReject"
    assert shown["zip"] == ["{missing: ['0']}", NONE, NONE, "Reject"]
    assert studio.ask("/clean", {"column": "disease", "accept": "yes"})[0] == 303
    assert studio.ask("/clean", {"column": "zip", "accept": "no"})[0] == 303
    assert studio.ask("/save", {})[0] == 303
    saved = Path("job.yaml").read_text()
    assert "  disease: {missing: [unknown]}" in saved and "# our own" in saved and "zip:\n" not in saved


def test_each_column_has_its_distribution(work: Path, started: Callable[..., Studio]) -> None:
    people(Path("people.csv"))
    studio = started("people.csv").enter()
    studio.finish("table")
    text = studio.ask("/table")[1]
    frame = pandas.read_csv("people.csv", dtype=str)
    for name in frame:
        drawn = re.search(rf"Rows by value of {name}: the most frequent one has ([\d,]+) rows(.*?)</svg>", text)
        assert drawn is not None
        counts = frame[name].value_counts().tolist()[:24]
        assert [int(rows) for rows in re.findall(r"<title>(\d+) rows", drawn[2])] == counts
        assert int(drawn[1]) == counts[0]
        widths = [float(width) for width in re.findall(r'class="bar" x="[\d.]+" width="([\d.]+)"', drawn[2])]
        assert widths == [round(max(150 * count / 300 - 0.6, 0.2), 2) for count in counts]


@pytest.mark.sampled(3, among="studio")
def test_a_node_that_is_taken_is_what_a_run_releases(work: Path, started: Callable[..., Studio]) -> None:
    """It becomes the lowest and the highest level of each column, in the file, with comments and order."""
    drafted(Path("people.csv"))
    text = re.sub("algorithm: .*", "algorithm: {name: sweep}  # the least loss", Path("job.yaml").read_text())
    Path("job.yaml").write_text(text)
    studio = started("job.yaml").enter()
    studio.finish("table")
    assert studio.ask("/levels", {"screen": "lattice", "levels": "0,0,0"})[0] == 422  # nothing is counted
    studio.do("lattice")
    names = list(yaml.safe_load(text)["quasi_identifiers"])
    counted = sc.lattice("job.yaml")
    at = counted.at(4, suppression=0.05)
    node = counted.nodes[at.chosen].tolist()
    assert any(node) and node != list(counted.heights)
    levels = ",".join(map(str, node))
    form = {"screen": "lattice", "levels": levels, "k": "4", "suppression": "0.05"}
    assert "Take this generalization" in studio.ask(f"/node?levels={levels}&k=4&suppression=0.05")[1]
    for wrong in ("", "9,9,9", "1", "x", "-1,0,0"):
        assert studio.ask("/levels", {**form, "levels": wrong})[0] == 422
    assert studio.ask("/levels", form)[0] == 303 and Path("job.yaml").read_text() == text
    assert studio.ask("/save", {})[0] == 303
    saved = Path("job.yaml").read_text()
    assert "# the least loss" in saved and "name: sweep" in saved
    given = yaml.safe_load(saved)["quasi_identifiers"]
    assert {name: given[name]["to"] for name in names} == dict(zip(names, node, strict=True))
    studio.do("preview")
    pairs = re.findall(r'<th scope="row">(\w+), (\w+)</th><td class="n">[\d.]+</td>', studio.ask("/preview")[1])
    assert pairs == [*combinations(names, 2)]
    result = sc.run("job.yaml").result
    assert result.recoding.bounds == {name: (level, level) for name, level in zip(names, node, strict=True)}
    assert (
        result.recoding.levels == dict(zip(names, node, strict=True))
        and result.measures.classes == at.classes[at.chosen]
    )
    assert (result.requirement.qids[0].k, result.suppressed_rows) == (4, at.left_out[at.chosen])
    studio.finish("lattice")  # one node is allowed now, and its levels are still those of the hierarchies
    assert studio.ask("/levels", {**form, "levels": "0,0,0"})[0] == 422
    assert studio.ask("/levels", form)[0] == 303
    assert studio.ask("/save", {})[0] == 303
    assert yaml.safe_load(Path("job.yaml").read_text())["quasi_identifiers"] == given


def test_a_job_that_changed_on_disk_is_not_overwritten(work: Path, started: Callable[..., Studio]) -> None:
    people(Path("people.csv"))
    studio = started("people.csv").enter()
    studio.ask("/requirement", {"k": "9", "suppression": "0"})
    other = Path("job.yaml").read_text().replace("k: 5", "k: 6")
    Path("job.yaml").write_text(other)
    for path, form in (("/save", {"screen": "release"}), ("/start", {"name": "run", "screen": "release"})):
        status, text, _ = studio.ask(path, form)
        assert status == 422 and "changed on disk meanwhile" in text
    assert Path("job.yaml").read_text() == other and not Path("job-release.csv").exists()
    assert "was changed by another program since" in studio.ask("/release")[1]
    assert studio.ask("/reload", {})[0] == 303
    assert 'value="6"' in studio.ask("/requirement")[1]


def test_a_window_that_shows_another_job_changes_nothing(work: Path, started: Callable[..., Studio]) -> None:
    """Of two windows the one that shows what was before is refused whatever it asks, and shows what is now."""
    people(Path("people.csv"))
    studio = started("people.csv").enter()
    studio.finish("table")
    studio.do("lattice")
    asked = {"k": "4", "suppression": "0.05"}
    pages = {screen: studio.ask(f"/{screen}")[1] for screen in ("table", "hierarchies", "requirement", "release")}
    pages["lattice"] = studio.ask("/node?levels=1,1,0&k=4&suppression=0.05")[1]
    versions = {screen: re.findall(r'name="version" value="(\w+)"', text) for screen, text in pages.items()}
    assert all(versions.values()) and len({version for some in versions.values() for version in some}) == 1
    other = {"column": "disease", "role": "keep", "version": versions["table"][0]}
    assert studio.ask("/role", other)[0] == 303
    for screen, path, form in (
        ("table", "/role", {"column": "age", "role": "keep"}),
        ("hierarchies", "/hierarchy", {"column": "age", "hierarchy": "suppress"}),
        ("requirement", "/requirement", asked),
        ("lattice", "/levels", {**asked, "levels": "1,1,0"}),
        ("release", "/save", {}),
        ("release", "/reload", {}),
        ("release", "/start", {"name": "run"}),
    ):
        before = studio.ask("/release")[1]
        status, text, _ = studio.ask(path, {**form, "screen": screen, "version": versions[screen][0]})
        assert status == 422 and "changed in another window" in text and f"<h1>{screen.title()}</h1>" in text, path
        assert studio.ask("/release")[1] == before and "+  - disease" in before, path
    again = re.findall(r'name="version" value="(\w+)"', text)
    assert studio.ask("/save", {"version": again[0]})[0] == 303
    assert yaml.safe_load(Path("job.yaml").read_text())["keep"] == ["disease"]


def test_a_reload_in_mid_run_finds_that_run(work: Path, started: Callable[..., Studio]) -> None:
    """It goes on, whatever pages are closed; and a second window that asks for it begins no other."""
    people(Path("people.csv"), 3000)
    studio = started("people.csv").enter()
    studio.finish("table")
    assert studio.ask("/start", {"name": "run"})[0] == 303
    children = [pid for tasks in _tasks(studio) for pid in tasks.read_text().split()]
    for _ in range(2):
        assert 'data-work="run" data-state="running"' in studio.ask("/release")[1]
        assert studio.ask("/start", {"name": "run"})[0] == 303
    assert len(children) == 1 and children == [pid for tasks in _tasks(studio) for pid in tasks.read_text().split()]
    studio.finish("run")
    assert "Verified. The release is" in studio.ask("/release")[1]
    assert len(Path("job-release.csv").read_text().splitlines()) > 2900


def test_what_makes_no_job_is_said_and_not_taken(work: Path, started: Callable[..., Studio]) -> None:
    people(Path("people.csv"))
    studio = started("people.csv").enter()
    studio.finish("table")
    for path, form, said in (
        ("/hierarchy", {"column": "age", "hierarchy": "{interwalls: [5]}"}, "Did you mean"),
        ("/hierarchy", {"column": "age", "hierarchy": ""}, "is empty"),
        ("/hierarchy", {"column": "age", "hierarchy": "{"}, "line"),
        ("/hierarchy", {"column": "nobody", "hierarchy": "suppress"}, "not a quasi-identifier"),
        ("/requirement", {"k": "0", "suppression": "0"}, "k must be a whole number"),
        ("/requirement", {"k": "2", "suppression": "much"}, "share of the rows"),
        ("/requirement", {"k": "2", "suppression": "2"}, "suppression"),
        ("/requirement", {"k": "2", "suppression": "nan"}, "share of the rows"),
        ("/requirement", {"k": "2", "suppression": "1e999"}, "share of the rows"),
        ("/levels", {"k": "many", "levels": "0", "screen": "lattice"}, "problem"),
        ("/role", {"column": "age", "role": "boss"}, "is not a role"),
        ("/role", {"column": "nobody", "role": "keep"}, "is not a column"),
        ("/start", {"name": "harm"}, "is not a task"),
    ):
        status, text, _ = studio.ask(path, form)
        assert status == 422 and said in text, (form, text[-600:])
        assert "(changes are not saved)" not in studio.ask("/release")[1]
    for screen in ("requirement", "lattice"):
        assert "k must be a whole number" in studio.ask(f"/{screen}?k=many")[1]
    _, _, headers = studio.ask("/requirement", {"k": "2", "suppression": "0", "screen": "/elsewhere.example"})
    assert headers["location"] == "/table"


@pytest.mark.sampled(3, among="studio")
def test_hostile_names_and_values_are_text_and_none_is_logged(work: Path, started: Callable[..., Studio]) -> None:
    people(Path("people.csv"), names=HOSTILE)
    text = Path("people.csv").read_text(encoding="utf-8").replace("name,", "<script>alert(2)</script>,", 1)
    Path("people.csv").write_text(text, encoding="utf-8")
    studio = started("people.csv").enter()
    studio.finish("table")
    form = {"column": "<script>alert(2)</script>", "role": "quasi_identifiers"}
    assert studio.ask("/role", form)[0] == 303
    for name in ("lattice", "preview"):
        studio.do(name)
    for screen in ("decide", "table", "hierarchies", "requirement", "lattice", "preview", "release"):
        shown = studio.ask(f"/{screen}")[1]
        assert "<script>alert" not in shown
        assert "alert(2)" in shown or screen in ("requirement", "release")
    assert "Not shown for" in studio.ask("/preview")[1].partition("Correlations before and after")[2]
    assert "{{ 7 * 7 }}" in studio.ask("/preview")[1]
    said = studio.end()
    assert "alert" not in said and "flu" not in said and "/preview" not in said


def full_domain() -> None:
    """A drafted job that takes an algorithm whose answers are nodes of the lattice."""
    drafted(Path("people.csv"))
    Path("job.yaml").write_text(re.sub("algorithm: .*", "algorithm: witness", Path("job.yaml").read_text()))


def test_a_release_is_made_and_reported(work: Path, started: Callable[..., Studio]) -> None:
    full_domain()
    studio = started("job.yaml").enter()
    studio.do("lattice")
    assert "generalizations satisfy" in studio.ask("/answer?k=5&suppression=0.05")[1]
    assert "No generalization satisfies" in studio.ask("/answer?k=301&suppression=0")[1]
    assert "satisfy" in studio.ask("/node?levels=0,0,0")[1] and studio.ask("/node?levels=9,9")[0] == 422
    studio.do("run")
    shown = studio.ask("/release")[1]
    assert "Verified. The release is" in shown and Path("job-release.csv").exists()
    status, report, headers = studio.ask("/report")
    assert status == 200 and "Release report" in report and "not published" not in report
    assert "sha256-" in headers["content-security-policy"] and "unsafe" not in headers["content-security-policy"]


def test_risk_before_is_that_of_the_source_whatever_the_lowest_level_is(
    work: Path, started: Callable[..., Studio]
) -> None:
    pandas.DataFrame({"age": [str(20 + row % 40) for row in range(119)], "sex": "f"}).to_csv("ages.csv", index=False)
    hierarchies = {"age": {"intervals": [5, 20], "from": 1}, "sex": "suppress"}
    job = {"source": {"path": "ages.csv"}, "quasi_identifiers": hierarchies, "requirement": {"k": 5}}
    Path("job.yaml").write_text(yaml.safe_dump(job))
    studio = started("job.yaml").enter()
    studio.do("lattice")
    shown = studio.ask("/answer?k=5&suppression=0")[1]
    assert risks(shown) == {"highest risk": f"{1 / 2:.3f}", "average risk": f"{40 / 119:.3f}"}


def test_an_average_risk_of_rows_is_not_shown_beside_that_of_persons(
    work: Path, started: Callable[..., Studio]
) -> None:
    """Two persons have most rows, so classes divided by rows would be far below the risk of a person."""
    persons = [*range(10), *[0, 1] * 20]
    pandas.DataFrame({"id": persons, "age": "40", "sex": "f"}).to_csv("visits.csv", index=False)
    job = {
        "source": {"path": "visits.csv"},
        "person": "id",
        "quasi_identifiers": dict.fromkeys(["age", "sex"], "suppress"),
    }
    Path("job.yaml").write_text(yaml.safe_dump({**job, "algorithm": "witness", "requirement": {"k": 5}}))
    studio = started("job.yaml").enter()
    studio.do("lattice")
    shown = risks(studio.ask("/answer?k=5&suppression=0")[1], "")
    assert shown == {"highest risk": f"{1 / 10:.3f}", "average risk": "\N{EN DASH}"}


def risks(shown: str, column: str = " data-before") -> dict[str, str]:
    """The risks of an answer: before, or in another column."""
    named = r'<th scope="row">(\w+ risk)</th><td class="n" data-before>[^<]*</td><td class="n">([^<]*)</td>'
    if column:
        named = r'<th scope="row">(\w+ risk)</th><td class="n" data-before>([^<]*)</td>'
    return dict(re.findall(named, shown))


def slide(started: Callable[..., Studio], job: dict[str, Any], positions: int) -> None:
    """Some positions of the sliders say what a real run of each releases."""
    chance = random.Random(positions)
    Path("job.yaml").write_text(yaml.safe_dump(job))
    studio, counted = started("job.yaml").enter(), sc.lattice(job)
    studio.do("lattice")
    for _ in range(positions):
        k, share = int(10 ** chance.uniform(0.31, 2)), f"{chance.randint(0, 40) * 0.005:g}"
        result = lattices.same_as_run(counted, job, k, share)
        shown = studio.ask(f"/answer?k={k}&suppression={share}")[1]
        if result is None:
            assert "No generalization satisfies" in shown
            continue
        figures = {name.strip(): text for text, name in re.findall(r"<div><b>([^<]*)</b>([a-z ]*)", shown)}
        assert result.k is not None and figures == {
            "loss": f"{result.measures.loss:.4f}",
            "rows left out": f"{result.suppressed_rows:,}",
            "classes": f"{result.measures.classes:,}",
            "of": f"{result.search.anonymous_nodes:,}",
        }
        assert risks(shown, "") == {
            "highest risk": f"{1 / result.k:.3f}",
            "average risk": f"{result.measures.classes / result.released_rows:.3f}",
        }
        levels = re.findall(r'<th scope="row">([^<]*)</th><td data-level="(\d+)">', shown)
        assert {name: int(level) for name, level in levels} == result.recoding.levels


@pytest.mark.parametrize("positions", [8, pytest.param(100, marks=pytest.mark.long)])
def test_sliders_say_what_runs_release(work: Path, started: Callable[..., Studio], positions: int) -> None:
    lattices.people(2).to_csv("people.csv", index=False)
    slide(started, lattices.job_on("loss", source={"path": "people.csv"}), positions)


@pytest.mark.long
def test_sliders_over_census_say_what_runs_release(work: Path, started: Callable[..., Studio]) -> None:
    job = {"source": {"dataset": "census"}, "schema": "adult/incognito-2005", "sensitive": ["salary-class"]}
    names = ["age", "sex", "race", "education", "marital-status"]
    asked = {"quasi_identifiers": names, "requirement": {"k": 2}, "objective": {"minimize": "loss"}}
    slide(started, {**job, **asked}, 80)


@pytest.mark.long
def test_sliders_over_adult_say_what_runs_release(
    adult_job: Callable[..., dict[str, Any]], work: Path, started: Callable[..., Studio]
) -> None:
    slide(started, adult_job(9, 2, objective={"minimize": "loss"}), 20)


def test_a_run_that_cannot_be_says_why(work: Path, started: Callable[..., Studio]) -> None:
    people(Path("people.csv"))
    studio = started("people.csv").enter()
    assert studio.ask("/requirement", {"k": "301", "suppression": "0"})[0] == 303
    studio.do("run")
    shown = studio.ask("/release")[1]
    assert "301" in shown.partition('data-state="failed"')[2]
    assert "Verified" not in shown and not Path("job-release.csv").exists()


def test_what_histograms_do_not_answer_is_said_beside_the_form(work: Path, started: Callable[..., Studio]) -> None:
    full_domain()
    close = "{k: 5, t_closeness: [{attribute: disease, t: 0.3, distance: equal}], "
    Path("job.yaml").write_text(Path("job.yaml").read_text().replace("{k: 5, ", close))
    studio = started("job.yaml").enter()
    studio.do("lattice")
    for screen in ("requirement", "lattice"):
        status, text, _ = studio.ask(f"/{screen}")
        assert status == 200 and "its verdict depends on the suppressed rows" in text and 'name="suppression"' in text
        assert "its verdict depends on the suppressed rows" not in studio.ask(f"/{screen}?k=5&suppression=0")[1]


@pytest.mark.sampled(3, among="studio")
@pytest.mark.parametrize("after", [0.4, *(pytest.param(after, marks=pytest.mark.long) for after in (0.0, 1.2))])
def test_a_studio_that_is_killed_in_a_run_leaves_nothing_half(
    work: Path, started: Callable[..., Studio], after: float
) -> None:
    people(Path("people.csv"), 3000)
    studio = started("people.csv").enter()
    studio.finish("table")
    assert studio.ask("/start", {"name": "run"})[0] == 303
    time.sleep(after)
    runs = [Path("/proc", pid) for tasks in _tasks(studio) for pid in tasks.read_text().split()]
    studio.kill()
    over = time.monotonic() + 60
    while any(run.exists() and ") Z " not in (run / "stat").read_text() for run in runs):
        assert time.monotonic() < over
        time.sleep(0.2)
    if Path("job-release.csv").exists():
        assert sc.check("job-release.csv", ["age", "zip", "sex"], k=5).holds
    assert sc.run("job.yaml").k >= 5  # type: ignore[operator]
    release = {"job-release.csv", "job-release.csv.starcloak.json"}
    assert {*os.listdir()} == {"people.csv", "job.yaml", "job-hierarchies", *release}


def _tasks(studio: Studio) -> Iterator[Path]:
    """What lists the children of each of its threads."""
    return Path(f"/proc/{studio.process.pid}/task").glob("*/children")


def test_a_run_that_is_cancelled_leaves_nothing(work: Path, started: Callable[..., Studio]) -> None:
    people(Path("people.csv"), 3000)
    studio = started("people.csv").enter()
    studio.finish("table")
    assert studio.ask("/start", {"name": "run"})[0] == 303
    assert studio.ask("/cancel", {"name": "run"})[0] == 303
    studio.finish("run")
    shown = studio.ask("/release")[1]
    assert "Cancelled" in shown and not Path("job-release.csv").exists()


def test_without_its_extra_it_says_what_to_install(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drafted(Path("people.csv"))
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    said = CliRunner().invoke(cli, ["studio", "job.yaml", "--no-browser"])
    assert isinstance(said.exception, sc.JobError) and "pip install 'starcloak[studio]'" in str(said.exception)


@pytest.mark.parametrize("arguments", [["nowhere.yaml"], ["nowhere.csv"]])
def test_what_is_no_job_and_no_table_is_refused(work: Path, arguments: list[str]) -> None:
    said = CliRunner().invoke(cli, ["studio", *arguments, "--no-browser"])
    assert isinstance(said.exception, sc.InputError) and not list(Path().iterdir())


def walked(studio: Studio, how: str, kind: str) -> None:
    program = chromium()
    shots = os.environ.get("STARCLOAK_SHOTS", "")
    script = Path(__file__).with_name("studio_browser.py")
    # Its socket lies among temporary files, and a socket's path is short.
    with tempfile.TemporaryDirectory(dir="/tmp") as near:
        done = subprocess.run(
            [PYTHON, script, program, studio.address, how, f"{shots}/studio-{how}-{kind}" if shots else ""],
            env={**os.environ, "TMPDIR": near},
            capture_output=True,
            text=True,
            timeout=600,
        )
    assert done.returncode == 0, done.stderr[-3000:]
    assert Path("job-release.csv").read_text().splitlines()[0] == "age,zip,sex,disease"


@pytest.mark.long
@pytest.mark.parametrize("how", ["mouse", "keyboard"])
def test_in_a_browser_a_file_becomes_a_release(work: Path, started: Callable[..., Studio], how: str) -> None:
    messy(Path("people.csv"), 600)
    walked(started("people.csv"), how, "csv")


@pytest.mark.long
def test_in_a_browser_a_table_of_duckdb_becomes_a_release(work: Path, started: Callable[..., Studio]) -> None:
    people(Path("people.csv"), 600)
    with duckdb.connect("clinic.duckdb") as store:
        store.execute("create table people as from 'people.csv'")
    walked(started("duckdb:///clinic.duckdb", "--table", "people"), "mouse", "duckdb")


@pytest.mark.long
def test_in_a_browser_a_table_of_postgresql_becomes_a_release(
    work: Path, started: Callable[..., Studio], postgresql: Server
) -> None:
    import pandas

    people(Path("people.csv"), 600)
    frame = pandas.read_csv("people.csv", dtype=str)
    postgresql.fill("people", frame, dict.fromkeys(frame, "varchar(20)"))
    walked(started(postgresql.url, "--table", "people"), "keyboard", "postgresql")
