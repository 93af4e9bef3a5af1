"""report: one HTML file that needs nothing else, and that has no value of any row and no count below k."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest
from click.testing import CliRunner, Result

import starcloak as sc
from starcloak.commands.cli import cli
from starcloak.exports.report import profiles
from starcloak.job.result import Joint, JointTogether
from tests import weighed
from tests.people import Server

ALGORITHMS = ["witness", "datafly", "kaca", "mondrian", "full-subtree", "cell-suppression", "sweep"]


def reported(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["report", *arguments])


class Page(HTMLParser):
    """Every tag that is opened and closed, the texts, and the attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, str, str | None]] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value) for name, value in attributes]
        if tag not in ("meta", "line", "rect", "path", "circle"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("line", "rect", "path", "circle"):
            assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value) for name, value in attributes]

    def handle_data(self, data: str) -> None:
        self.texts.append(data.strip())


def canary(chance: random.Random) -> str:
    return "".join(chance.choices("qxzjkvw", k=9))


def drawn(seed: int) -> tuple[pandas.DataFrame, dict[str, Any]]:
    """A random table whose cells occur nowhere else, and a random job on it."""
    chance = random.Random(seed)
    rows = chance.randint(12, 60)
    cities, jobs = ([canary(chance) for _ in range(count)] for count in (4, 7))
    frame = pandas.DataFrame(
        {
            "city": [chance.choice([*cities, None]) for _ in range(rows)],
            "job": [chance.choice(jobs) for _ in range(rows)],
            "pay": [str(chance.randint(10**9, 10**9 + 40) * 7919) for _ in range(rows)],
            "disease": [canary(chance) for _ in range(rows)],
            "note": [canary(chance) for _ in range(rows)],
            "name": [canary(chance) for _ in range(rows)],
        }
    )
    tree = {"tree": {"near": cities[:2], "far": [*cities[2:], None]}}
    algorithm = ALGORITHMS[seed % len(ALGORITHMS)]
    pay = chance.choice(["suppress", {"intervals": [79190, 791900]}])
    job = {
        "identifiers": ["name"],
        "quasi_identifiers": {"city": chance.choice([tree, "suppress"]), "job": "suppress", "pay": pay},
        "sensitive": ["disease"],
        "keep": ["note"],
        "requirement": {"k": chance.randint(2, 5), "suppression": chance.choice(["0", "0.3"])},
        "algorithm": {"name": algorithm},
    }
    if algorithm in ("full-subtree", "cell-suppression", "mondrian", "sweep"):
        job["requirement"]["suppression"] = "0"
    return frame, job


def watched(seed: int) -> None:
    frame, job = drawn(seed)
    k = job["requirement"]["k"]
    release = sc.run(job, frame=frame)
    text = release.report("r.html").read_text()
    page = Page(text)
    assert not page.open
    for column in frame:
        assert not [cell for cell in frame[column].dropna().unique() if cell in text], (seed, column)
    few = {str(count) for count in range(1, k)}
    counted = re.findall(r"\b([\d,]+) rows\b", text) + re.findall(r"(?<=<b>)[\d,]+(?=</b>rows)", text)
    assert counted and not set(counted) & few
    if release.result.class_sizes:
        table = re.search(r"Rows in a class</th>.*?</table>", text, re.DOTALL)
        assert table and not set(re.findall(r'class="n">([\d,]+)<', table[0])) & few


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(14))
def test_no_cell_and_no_small_count_is_in_a_report(work: Path, seed: int) -> None:
    watched(seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(14, 300))
def test_no_cell_and_no_small_count_is_in_any_report(work: Path, seed: int) -> None:
    watched(seed)


def census(**more: Any) -> dict[str, Any]:
    return {
        "source": {"dataset": "census"},
        "schema": "adult/incognito-2005",
        "quasi_identifiers": ["age", "sex", "race", "education"],
        "sensitive": ["salary-class"],
        "requirement": {"k": 20},
        **more,
    }


def test_a_report_needs_nothing_else_and_lets_nothing_else_in(work: Path) -> None:
    text = sc.run(census()).report("r.html").read_text()
    page = Page(text)
    assert "http" not in text.replace("http-equiv", "") and "@import" not in text and "url(" not in text
    assert not [each for each in page.attributes if each[1] in ("src", "href", "style") or each[1].startswith("on")]
    (policy,) = [
        value
        for tag, name, value in page.attributes
        if tag == "meta" and name == "content" and value and "default" in value
    ]
    assert policy.startswith("default-src 'none'; ") and "unsafe" not in policy
    for kind, found in (
        ("style", re.search("<style>(.*?)</style>", text, re.DOTALL)),
        ("script", re.search("<script>(.*?)</script>", text, re.DOTALL)),
    ):
        assert found
        digest = base64.b64encode(hashlib.sha256(found[1].encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
        assert len(found[1]) <= 30_000
    assert not page.open


def squares(text: str) -> dict[str, list[tuple[str, str]]]:
    """Where the nodes of a lattice are drawn, by kind."""
    paths = re.findall(r'<path class="(\w+)" d="([^"]*)"', text)
    return {kind: re.findall(r"M(\d+) (\d+)h", path) for kind, path in paths}


def drawn_once(release: sc.Release, text: str) -> None:
    """Every node is drawn once, with its verdict."""
    search, drawn = release.result.search, squares(text)
    assert sum(map(len, drawn.values())) == search.lattice_nodes
    assert len({place for places in drawn.values() for place in places}) == search.lattice_nodes
    assert len(drawn["chosen"]) == 1
    levels = [release.result.recoding.levels[name] for name in release.result.recoding.heights]
    assert len(drawn["minimal"]) == len(search.minimal) - (levels in search.minimal)
    assert sum(len(drawn[kind]) for kind in ("satisfying", "minimal", "chosen")) == search.anonymous_nodes
    data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])  # type: ignore[index]
    assert data["chosen"] == levels and data["minimal"] == search.minimal


@pytest.mark.sampled(2)
@pytest.mark.parametrize("more", [[], ["marital-status", "native-country"]], ids=["80 nodes", "720 nodes"])
def test_every_node_of_the_lattice_is_drawn_once_with_its_verdict(work: Path, more: list[str]) -> None:
    """The smallest nodes still stand in one line for each height."""
    release = sc.run(census(quasi_identifiers=["age", "sex", "race", "education", *more]))
    text = release.report("r.html").read_text()
    drawn_once(release, text)
    lines = {y for places in squares(text).values() for _, y in places}
    assert len(lines) == 1 + sum(release.result.recoding.heights.values())


def test_the_whole_lattice_of_adult_is_drawn_in_a_megabyte(
    work: Path, adult_job: Callable[..., dict[str, Any]]
) -> None:
    release = sc.run(adult_job(9, 5))
    assert release.result.search.lattice_nodes == 12_960
    text = release.report("r.html").read_text()
    assert len(text.encode()) <= 1_000_000
    drawn_once(release, text)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("algorithm", [{"name": "mondrian"}, {"name": "datafly"}, {"name": "kaca"}])
def test_a_search_of_another_kind_has_no_lattice_and_no_script(work: Path, algorithm: dict[str, str]) -> None:
    text = sc.run(census(algorithm=algorithm, quasi_identifiers=["sex", "race"])).report("r.html").read_text()
    assert "<script" not in text and "script-src &#39;none&#39;" in text
    assert "Levels in use" in text


def test_hostile_names_stay_text(work: Path) -> None:
    names = ["<script>alert(1)</script>", "a\"b'c", "</style>", "{{ 7 * 7 }}", "&amp;"]
    frame = pandas.DataFrame({name: ["1", "2"] * 6 for name in names})
    release = sc.anonymize(frame, quasi_identifiers=dict.fromkeys(names, "suppress"), k=3)
    text = release.report("r.html").read_text()
    assert "<script>alert" not in text and "{{ 7 * 7 }}" in text and text.count("</style>") == 1
    assert not Page(text).open


@pytest.mark.sampled(3)
@pytest.mark.parametrize("by", ["release", "job", "table", "frame"])
def test_a_report_is_of_a_release_or_of_its_job(work: Path, by: str) -> None:
    frame = drawn(0)[0]
    frame.to_csv("t.csv", index=False)
    output = {"url": "duckdb:///out.duckdb", "table": "cohort"} if by == "table" else {"path": "out.csv"}
    job = {**drawn(0)[1], "source": {"path": "t.csv"}, "output": output}
    Path("job.yaml").write_text(json.dumps(job))
    done = {"release": ("out.csv",), "job": ("job.yaml",), "table": (output.get("url", ""), "--table", "cohort")}
    release = sc.run("job.yaml")
    if by == "frame":
        release.report("r.html")
    else:
        assert reported(*done[by], "--into", "r.html").exit_code == 0
    text = Path("r.html").read_text()
    assert release.result.run in text and "not published" not in text
    assert f"is {release.k}-anonymous" in text


def test_of_a_job_that_released_nothing_it_tells_what_would_be(work: Path) -> None:
    frame, job = drawn(0)
    frame.to_csv("t.csv", index=False)
    Path("job.yaml").write_text(json.dumps({**job, "source": {"path": "t.csv"}, "output": {"path": "out.csv"}}))
    assert reported("job.yaml", "--into", "r.html").exit_code == 0
    text = Path("r.html").read_text()
    assert "not published" in text and "that a run would make is" in text and not Path("out.csv").exists()


@pytest.mark.any_database
def test_a_table_of_a_database_has_its_report(server: Server, tmp_path: Path) -> None:
    frame, job = drawn(0)
    server.fill("people", frame, dict.fromkeys(frame, "varchar(20)"))
    release = sc.run({**job, "source": {"url": server.url, "table": "people"}, "output": {"table": "cohort"}})
    into = tmp_path / "r.html"
    assert reported(server.url, "--table", "cohort", "--into", str(into)).exit_code == 0
    assert release.result.run in into.read_text()


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("none.csv", "--into", "r.html"), "none.csv is not a file"),
        (("t.csv", "--into", "r.html"), "Run its job again with --force, or give the job"),
        (("edited.csv", "--into", "r.html"), "was changed after its run"),
        (("out.csv", "--into", "t.csv"), "give it a name that ends in .html"),
        (("out.csv", "--into", "other.html"), "is not a report of starcloak"),
        (("out.csv", "--into", "no/r.html"), "is not a folder"),
        (("job.yaml", "--into", "job.yaml"), "give it a name that ends in .html"),
        (("none.yaml", "--into", "r.html"), "none.yaml is not there"),
    ],
)
def test_what_has_no_report_is_refused_in_one_line(work: Path, arguments: tuple[str, ...], says: str) -> None:
    frame, job = drawn(0)
    frame.to_csv("t.csv", index=False)
    for output in ("out.csv", "edited.csv"):
        Path("job.yaml").write_text(json.dumps({**job, "source": {"path": "t.csv"}, "output": {"path": output}}))
        sc.run("job.yaml")
    Path("other.html").write_text("<p>a page</p>")
    with Path("edited.csv").open("a") as file:
        file.write("1,2,3,4,5\n")
    done = reported(*arguments)
    assert isinstance(done.exception, sc.InputError) and says in str(done.exception)
    assert "\n" not in str(done.exception) and not Path("r.html").exists()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ["hipaa", "article-29", "iso-27559"])
def test_a_profile_has_its_headings_what_is_known_and_lines_to_fill_in(work: Path, name: str) -> None:
    frame, job = drawn(0)
    job["requirement"] = {"k": 2, "l_diversity": [{"attribute": "disease", "l": 2}]}
    release = sc.run(job, frame=frame)
    text = release.report("r.html", profile=name).read_text()
    assert not Page(text).open
    asked = text.partition('<h2 id="profile">')[2].partition("</section>")[0]
    headings = re.findall(r"<h3>(.*?)</h3>", asked)
    assert headings == [heading.name for heading in profiles.profile(name).headings]
    assert asked.count('<p class="question">') >= len(headings)
    assert f"smallest class has {release.k} rows" in asked
    assert not [cell for column in frame for cell in frame[column].dropna().unique() if cell in asked]
    if name == "article-29":
        assert "disease: l-diversity holds in every class." in asked and "Some rows are unique by" in asked
    if name == "hipaa":
        assert "city has the name of an identifier on the list of the Safe Harbor" in asked
    plain = release.report("r.html").read_text()
    assert 'class="question"' not in plain


def test_a_profile_claims_nothing_that_was_not_looked_at(work: Path) -> None:
    frame, job = drawn(0)
    text = sc.run({**job, "insight": "off"}, frame=frame).report("r.html", profile="article-29").read_text()
    assert "Not all of these columns and rows were examined" in text and "No row is unique by these columns" not in text
    assert "disease: no privacy model was required" in text


@pytest.mark.parametrize(
    ("k", "exact", "says"),
    [
        (6, True, "no group is smaller than k."),
        (6, False, "joint k reaches k only by an estimate"),
        (4, True, "some groups are smaller than k, or joint k is not known."),
        (4, False, "some groups are smaller than k, or joint k is not known."),
        (None, False, "some groups are smaller than k, or joint k is not known."),
    ],
)
def test_a_profile_calls_an_estimate_of_joint_k_an_estimate(work: Path, k: int | None, exact: bool, says: str) -> None:
    result = sc.run(census()).result
    exactly = Joint(release="old.csv", run="1", released_at="", required_k=5, k=9, exact=True)
    joint = exactly.model_copy(update={"k": k, "exact": exact})
    (linked,) = (heading for heading in profiles.profile("article-29").headings if heading.name == "Linkability")
    assert says in linked.known(result.model_copy(update={"joint": [exactly, joint]}))[0]
    together = JointTogether(runs=["1"], required_k=5, k=k, exact=exact)
    assert says in linked.known(result.model_copy(update={"joint": [exactly], "joint_together": [together]}))[0]


def test_an_unknown_profile_is_refused_before_anything_is_written(work: Path) -> None:
    release = sc.run(census())
    with pytest.raises(sc.JobError, match=r"'hippa' is not a profile: .* Did you mean 'hipaa'"):
        release.report("r.html", profile="hippa")
    done = reported("none.csv", "--into", "r.html", "--profile", "gdpr")
    assert "'gdpr' is not a profile" in str(done.exception) and not Path("r.html").exists()


def test_a_report_replaces_a_report(work: Path) -> None:
    release = sc.run(census())
    release.report("r.html")
    release.report("r.html")
    Path("mine.html").write_text("<!doctype html>mine")
    with pytest.raises(sc.OutputError, match="not a report of starcloak"):
        release.report("mine.html")


def test_a_release_shows_itself_in_three_lines_and_as_a_table(work: Path) -> None:
    release = sc.run(census())
    assert len(repr(release).splitlines()) == 3 and f"k = {release.k}" in repr(release)
    assert f"<td>{release.k}</td>" in release._repr_html_() and not Page(release._repr_html_()).open


def test_how_few_rows_were_left_out_is_not_told_by_what_they_cost(work: Path) -> None:
    """Loss, precision and the like count them as lost: with all at level 0, loss was their share of the rows."""
    texts = []
    for few in (1, 3):
        ages = [str(20 + row // 20) for row in range(100)] + [str(80 + row) for row in range(few)]
        frame = pandas.DataFrame({"age": ages, "sex": "f"})
        release = sc.anonymize(frame, quasi_identifiers={"age": {"intervals": [10]}, "sex": "suppress"}, k=5,
                               suppression="0.05", objective={"minimize": "height"})  # fmt: skip
        assert (release.result.suppressed_rows, release.result.recoding.levels) == (few, {"age": 0, "sex": 0})
        text = release.report("r.html").read_text().partition('<h2 id="origin">')[0]
        assert f"{few} rows" not in repr(release) + release._repr_html_()
        texts.append((text, repr(release), release._repr_html_()))
    assert texts[0] == texts[1]


def test_joint_k_below_k_is_told_as_such(work: Path) -> None:
    rows = [(str(20 + row // 4), f"1{row % 4}") for row in range(48)]
    pandas.DataFrame(rows, columns=["age", "zip"]).to_csv("t.csv", index=False)
    attributes = {"age": "suppress", "zip": "suppress"}
    job = {"source": {"path": "t.csv"}, "quasi_identifiers": attributes, "requirement": {"k": 4}}
    for name, important in (("a", "age"), ("b", "zip")):
        release = sc.run(weighed.by_height({**job, "output": {"path": f"{name}.csv"}}, {important: 9}))
    assert [joint.k for joint in release.result.joint] == [1]
    text = release.report("r.html").read_text()
    assert "fewer than 4 (exact)" in text and "joint k is 1" not in text and "of 48 rows" not in text
    assert "objective height; importance of zip 9." in text
    assert "joint k is below k.</p>" in text and '<p class="verdict unsure">' in text
    assert "The one decision.</b> Do not give this release to anyone who may have the earlier ones." in text


@pytest.mark.sampled(3)
@pytest.mark.parametrize("by", ["job", "table", "job of a table"])
def test_what_is_not_the_release_any_more_has_no_report(work: Path, by: str) -> None:
    frame = pandas.DataFrame({"age": ["30", "30", "40", "40"], "disease": ["a", "b", "c", "d"]})
    frame.to_csv("t.csv", index=False)
    job = {"source": {"path": "t.csv"}, "quasi_identifiers": {"age": "suppress"}, "sensitive": ["disease"]}
    job["requirement"] = {"k": 2, "l_diversity": [{"attribute": "disease", "l": 2}]}
    is_table = by != "job"
    job["output"] = {"url": "duckdb:///out.duckdb", "table": "cohort"} if is_table else {"path": "out.csv"}
    Path("job.yaml").write_text(json.dumps(job))
    sc.run("job.yaml")
    asked = ("duckdb:///out.duckdb", "--table", "cohort") if by == "table" else ("job.yaml",)

    def assert_reported() -> None:
        assert reported(*asked, "--into", "r.html").exit_code == 0

    assert_reported()
    Path("r.html").unlink()

    def refused() -> None:
        done = reported(*asked, "--into", "r.html")
        assert isinstance(done.exception, sc.SourceError)
        assert "was changed after its run" in str(done.exception) and not Path("r.html").exists()

    if not is_table:
        Path("out.csv").write_text("age,disease\n30,a\n30,b\n40,c\n")
        refused()
        with pytest.raises(sc.OutputError, match="changed after its run: move or delete this file, then run its job"):
            sc.run("job.yaml", force=True)
        Path("out.csv").unlink()
        assert not sc.run("job.yaml").result.unchanged
        return assert_reported()
    changes = [
        "update cohort set disease = 'a' where age = '30'",  # two rows of one disease
        "update cohort set age = '30' where age = '40'",  # as many rows, in other classes
        "delete from cohort where disease = 'd'",
        "insert into cohort select * from cohort where disease = 'd'",  # k is what it was
        "update cohort set disease = 'e' where disease = 'd'",  # every count is what it was
    ]
    for change in changes:
        with duckdb.connect("out.duckdb") as connection:
            connection.execute(f"create or replace table before as from cohort; {change}")
        refused()
        with duckdb.connect("out.duckdb") as connection:
            connection.execute("delete from cohort; insert into cohort from before")
    assert_reported()


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_table_with_other_cells_for_its_persons_has_no_report(work: Path, elsewhere: bool) -> None:
    rows = [(f"p{row}", sex, row / 3, "flu") for sex in "fm" for row in range(5)]
    frame = pandas.DataFrame(rows, columns=["patient", "sex", "weight", "disease"])
    with duckdb.connect("in.duckdb") as connection:
        connection.register("rows", frame)
        connection.execute("create table visits as from rows")
    job: dict[str, Any] = {
        "source": {"url": "duckdb:///in.duckdb", "table": "visits"},
        "person": "patient",
        "quasi_identifiers": {"sex": "suppress"},
        "keep": ["weight"],
        "sensitive": ["disease"],
        "requirement": {"k": 5},
        "output": {"url": f"duckdb:///{'out' if elsewhere else 'in'}.duckdb", "table": "cohort"},
    }
    sc.run(job)
    asked = (job["output"]["url"], "--table", "cohort", "--into", "r.html")
    assert reported(*asked).exit_code == 0
    Path("r.html").unlink()
    with duckdb.connect(f"{'out' if elsewhere else 'in'}.duckdb") as connection:
        connection.execute("update cohort set disease = 'HIV' where sex = 'f'")
    done = reported(*asked)
    assert isinstance(done.exception, sc.SourceError) and "was changed after its run" in str(done.exception)
    assert not Path("r.html").exists()


def risks(text: str) -> dict[str, list[str]]:
    """What the report tells of the risk: what it is, before, and after."""
    table = text.partition('<h2 id="risk">')[2].partition("</table>")[0]
    rows = re.findall(r'<th scope="row"[^>]*>(.*?)</th>(.*?)</tr>', table, re.DOTALL)
    return {name: re.findall(r"<td[^>]*>(.*?)</td>", cells) for name, cells in rows}


@pytest.mark.parametrize("diverse", [False, True])
def test_the_risk_before_is_that_of_the_rows_as_the_source_has_them(work: Path, diverse: bool) -> None:
    """Of 100 rows 60 are alone, 20 are pairs, and 20 are alike; their last digit is what the release loses."""
    ages = [*range(100, 160), *(age for age in range(200, 210) for _ in range(2)), *[300] * 20]
    frame = pandas.DataFrame({"age": [str(age) for age in ages], "disease": [str(row) for row in range(100)]})
    frame = frame if diverse else frame[["age"]]
    job = {"quasi_identifiers": {"age": {"digits": 3}}, "requirement": {"k": 5}}
    if diverse:
        model = {"l_diversity": [{"attribute": "disease", "l": 3}]}
        job |= {"sensitive": ["disease"], "requirement": {"k": 5, **model}}
    release = sc.run(job, frame=frame)
    insight = release.result.insight
    assert insight is not None and insight.before is not None and release.result.suppressed_rows == 0
    assert (insight.before.alone, insight.before.highest, insight.before.average) == (60, 1.0, 0.71)
    assert [threshold.records_at_risk for threshold in insight.before.thresholds] == [0.8, 0.8, 0.8, 0.8]
    told = risks(release.report("r.html").read_text())
    assert [cells[1:] for cells in told.values()] == [
        ["at least 60 rows", "none"],
        ["above 1/5", f"{1 / 10:.4f}"],
        ["above 1/5", f"{1 / 10:.4f}"],
        ["about 0.71", f"{8 / 100:.4f}"],
        ["at least 80.0%", "none"],
        ["at least 80.0%", "none"],
        ["at least 80.0%", "60.0%"],
        ["at least 80.0%", "60.0%"],
    ]


def test_the_risk_before_is_of_the_rows_that_stay_and_told_in_steps(work: Path) -> None:
    """Of 43 rows 3 are left out; of the others 4 are alone. Less than a step is not told."""
    rows = [("30", str(number % 6)) for number in range(36)] + [("30", name) for name in "abcd"]
    frame = pandas.DataFrame([*rows, ("50", "6"), ("60", "7"), ("70", "8")], columns=["age", "zip"])
    job = {"quasi_identifiers": {"age": "suppress", "zip": "suppress"}, "requirement": {"k": 6, "suppression": 0.1}}
    release = sc.run(weighed.by_height(job, {"age": 9}), frame=frame)
    insight = release.result.insight
    assert insight is not None and insight.before is not None and release.result.suppressed_rows == 3
    assert insight.before.alone is None and insight.before.highest == 1.0
    assert insight.before.thresholds[0].records_at_risk == 4 / 40
    told = risks(release.report("r.html").read_text())
    assert told["Alone"][1:] == ["not shown", "none"] and told["k = 3"][1] == "not shown"


@pytest.mark.parametrize("k", [3, 5, 12])
def test_the_size_of_the_smallest_class_before_is_not_told(work: Path, k: int) -> None:
    """A source with a smallest class of 1 row has the report of one with a smallest class of 2, …, or k - 1."""
    told = {}
    for smallest in range(1, k + 3):
        frame = pandas.DataFrame({"sex": ["m"] * (50 - smallest) + ["f"] * smallest, "row": range(50)}).astype(str)
        job = {"quasi_identifiers": {"sex": {"suppress": True, "from": 1}}, "keep": ["row"], "requirement": {"k": k}}
        told[smallest] = risks(sc.run(job, frame=frame).report("r.html").read_text())
    few = {json.dumps(told[smallest]) for smallest in range(1, k)}
    assert len(few) == 1 and told[1]["Prosecutor"][1] == told[1]["Journalist"][1] == f"above 1/{k}"
    assert {told[smallest]["Prosecutor"][1] for smallest in range(k, k + 3)} == {f"not above 1/{k}"}
    assert told[k]["Alone"][1:] == ["none", "none"] and told[k]["k = 3"][1] == "none"


def test_rows_that_are_alone_over_several_qids_together_are_not_told_as_none(work: Path) -> None:
    """Each QID has its k; over both together every row is one's own."""
    frame = pandas.DataFrame([(str(a), str(b)) for a in range(4) for b in range(4)], columns=["age", "zip"])
    qids = [{"attributes": ["age"], "k": 2}, {"attributes": ["zip"], "k": 2}]
    job = {"quasi_identifiers": {"age": "suppress", "zip": "suppress"}, "requirement": {"qids": qids}}
    release = sc.run(job, frame=frame)
    assert release.k == 1
    assert risks(release.report("r.html").read_text())["Alone"][1:] == ["at least 16 rows", "some"]


def test_the_report_of_a_release_without_rows_has_no_risk_and_every_column(work: Path) -> None:
    frame = pandas.DataFrame({"age": ["30", "40", "50"]})
    job = {"quasi_identifiers": {"age": "suppress"}, "requirement": {"k": 2, "suppression": 1},
           "objective": {"minimize": "height"}}  # fmt: skip
    release = sc.run(job, frame=frame)
    assert release.result.released_rows == 0
    text = release.report("r.html", profile="hipaa").read_text()
    assert not risks(text) and "The one decision.</b> Weaken the requirement" in text and not Page(text).open


def test_the_risk_of_all_persons_is_told_where_nobody_was_left_out(work: Path) -> None:
    rows = [(age, f"{age}{who}") for age in ("30", "31", "40", "41") for who in "ab" for _ in range(3)]
    few = [("99", "z")]
    for more, told in (([], "100.0%"), (few, "not shown")):
        frame = pandas.DataFrame([*rows, *more], columns=["age", "patient"])
        job = {"quasi_identifiers": {"age": {"intervals": [10]}}, "person": "patient",
               "requirement": {"k": 4, "suppression": 0.1}}  # fmt: skip
        release = sc.run(job, frame=frame)
        assert release.result.suppressed_rows == len(more)
        assert risks(release.report("r.html").read_text())["k = 3"][1] == told


def test_every_column_is_told_with_its_role_and_what_the_release_has_of_it(work: Path) -> None:
    frame = pandas.DataFrame([(f"n{n}", f"p{n}", str(30 + n % 20), "x", "y") for n in range(40)],
                             columns=["name", "patient", "age", "illness", "ward"])  # fmt: skip
    job = {"identifiers": ["name"], "person": "patient", "quasi_identifiers": {"age": {"intervals": [10]}},
           "sensitive": ["illness"], "keep": ["ward"], "requirement": {"k": 5}}  # fmt: skip
    text = sc.run(job, frame=frame).report("r.html").read_text()
    table = text.partition('<h2 id="roles">')[2].partition("</table>")[0]
    cells = re.findall(r"<t[hd][^>]*>([^<]*)</t[hd]>", table)[4:]
    assert [cells[at : at + 4] for at in range(0, len(cells), 4)] == [
        ["age", "quasi-identifier", "all ranges of 10", "Not known"],
        ["illness", "sensitive", "as it is", "Not known"],
        ["ward", "kept", "as it is", "Not known"],
        ["patient", "identifies persons", "left out", "Not known"],
        ["name", "identifier", "left out", "Not known"],
    ]


def test_thresholds_and_risks_are_of_persons_where_these_are_told_apart(work: Path) -> None:
    """Two patients in each class, of twenty visits each."""
    frame = pandas.DataFrame(
        [(age, f"{age}{who}") for age in ("30", "40") for who in "ab" for _ in range(20)], columns=["age", "patient"]
    )
    release = sc.anonymize(frame, quasi_identifiers={"age": "suppress"}, person="patient", k=2)
    insight = release.result.insight
    assert insight is not None and release.k == 2
    assert not any(each.holds for each in insight.thresholds)
    assert {each.records_at_risk for each in insight.thresholds} == {1.0}
    assert insight.average_risk == 0.5
    release.report("r.html")
    text = Path("r.html").read_text()
    assert "every person agrees with at least 1 other in" in text and "<b>2 persons</b>" in text
    assert risks(text)["k = 3"] == ["persons with a risk above 1/3 (0.33)", "100.0%", "100.0%"]
    Path("job.yaml").write_text(
        json.dumps(
            {
                "source": {"path": "t.csv"},
                "quasi_identifiers": {"age": "suppress"},
                "person": "patient",
                "requirement": {"k": 2},
            }
        )
    )
    frame.to_csv("t.csv", index=False)
    done = CliRunner().invoke(cli, ["compare", "job.yaml", "--k", "2", "--json"])
    (point,) = json.loads(done.output)["points"]
    assert point["released"]["average_risk"] == 0.5
    assert "count its rows and show other figures than this report" in text
    sc.run({**json.loads(Path("job.yaml").read_text()), "output": {"path": "out.csv"}})
    assert "the release has no column of persons: the figures here count rows" in sc.audit("out.csv", ["age"]).notes[-1]
