"""The first page of a report: cleaning, the decisions on columns, earlier releases, and the one decision."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any

import pandas
import pytest
from click.testing import CliRunner

import starcloak as sc
from starcloak.commands.cli import cli

pytestmark = pytest.mark.usefixtures("work")

FRAME = pandas.DataFrame(
    {
        "age": [f" {30 + row % 4}" if row < 12 else f"{30 + row % 4}" for row in range(60)],
        "town": [["Ulm", "Bonn", "Ulmm"][row % 3] for row in range(60)],
        "illness": [f"i{row % 5}" for row in range(60)],
    }
)
JOB: dict[str, Any] = {
    "clean": {"age": {"trim": True, "valid": [0, 32]}},
    "quasi_identifiers": {
        "age": {"intervals": [10]},
        "town": {"tree": {"south": ["Ulm"], "west": ["Bonn"]}, "nonconforming": "suppress", "from": 1},
    },
    "sensitive": ["illness"],
    "requirement": {"k": 4},
}


def report(release: sc.Release) -> str:
    return unescape(release.report("r.html").read_text())


def answer(text: str, question: str) -> str:
    """The answer to a question of the first page."""
    (found,) = re.findall(rf'<th scope="row">{re.escape(question)}</th><td>(.*?)</td></tr>', text, re.DOTALL)
    return re.sub(r"<[^>]*>", " ", found)


def decision(text: str) -> str:
    (found,) = re.findall(r'<p class="decision"><b>The one decision.</b> (.*?)</p>', text)
    return str(found)


def cleaned(text: str) -> list[list[str]]:
    table = text.partition('<h2 id="cleaning">')[2].partition("</table>")[0]
    cells = re.findall(r"<t[hd] scope=.row.[^>]*>(.*?)</th><td[^>]*>(\w+): [^<]*</td><td[^>]*>(.*?)</td>", table)
    return [[*row] for row in cells]


def test_cleaned_cells_are_named_by_column_and_rule() -> None:
    release = sc.run(JOB, frame=FRAME)
    text = report(release)
    assert release.result.suppressed_rows == 0
    assert cleaned(text) == [["age", "trim", "some"], ["age", "valid", "some"], ["town", "nonconforming", "some"]]
    lost = answer(text, "What was lost?")
    assert "The job cleans cells of age first." in lost and "not in the hierarchy of town." in lost


def test_a_quasi_identifier_at_level_0_is_not_called_coarser_or_cleaned() -> None:
    frame = pandas.DataFrame({"g": ["a", "ZZ"] * 6, "h": [str(row) for row in range(12)]})
    tree = {"tree": {"A": ["a", "b"]}, "nonconforming": "suppress"}
    job = {"quasi_identifiers": {"g": tree, "h": "suppress"}, "requirement": {"k": 3}}
    text = report(sc.run(job, frame=frame))
    assert "Made coarser: h. Quasi-identifiers with the values of the source: g." in answer(text, "What is released?")
    assert "not in the hierarchy" not in text and cleaned(text) == []


def test_no_number_of_cleaned_cells_is_shown_if_rows_are_suppressed() -> None:
    frame = pandas.concat([FRAME, pandas.DataFrame({"age": ["7"], "town": ["Ulm"], "illness": ["i1"]})])
    job = {**JOB, "requirement": {"k": 4, "suppression": 0.1}, "objective": {"minimize": "height"}}
    release = sc.run(job, frame=frame)
    text = report(release)
    assert release.result.suppressed_rows == 1
    assert {cells for _, _, cells in cleaned(text)} == {"not shown"}
    assert "The loss is not shown" in answer(text, "What was lost?")


def drafted(name: str = "people.csv") -> str:
    """A draft for a table of towns with a hierarchy in a file."""
    towns = [f"town {'abcdefghijkl'[row % 12]}" for row in range(300)]
    ages, sexes = [20 + row % 50 for row in range(300)], ["fm"[row % 2] for row in range(300)]
    pandas.DataFrame({"age": ages, "sex": sexes, "town": towns, "diagnosis": "flu"}).to_csv(name, index=False)
    assert CliRunner().invoke(cli, ["init", name]).exit_code == 0
    return Path("job.yaml").read_text()


def test_the_report_says_who_decided_on_each_column() -> None:
    text = drafted()
    release = sc.run("job.yaml")
    assert set(release.result.decided.values()) == {"proposed"}
    assert decision(report(release)).startswith("Read the role of each column and confirm it in the job")
    (file,) = Path("job-hierarchies").iterdir()
    file.write_text(file.read_text().replace("town a;town a", "town a;first"))
    text = text.replace("[5, 10, 20]", "[5, 10]")
    Path("job.yaml").write_text(re.sub(r"\n  diagnosis: \S+(?=\n)", "", text))
    release = sc.run("job.yaml", force=True)
    assert "Nobody has confirmed the roles of" in answer(report(release), "What remains to be decided?")
    assert release.result.decided == {
        "sex": "proposed",
        "age": "changed",
        "town": "changed",  # its file
        "diagnosis": "person",
    }
    text = report(release)
    assert answer(text, "Who decided on the columns?").split(".")[:3] == [
        "The program proposed, nobody changed: sex",
        " The program proposed, a person changed: age, town",
        " A person: diagnosis",
    ]
    assert not decision(text).startswith("Read the role")


def test_without_a_draft_it_is_not_known_who_decided() -> None:
    assert "It is not known who decided" in answer(report(sc.run(JOB, frame=FRAME)), "Who decided on the columns?")


def test_a_job_whose_columns_are_all_confirmed_was_decided_by_a_person() -> None:
    text = drafted()
    Path("job.yaml").write_text(text[: text.index("drafted:")] + "drafted:\n")
    release = sc.run("job.yaml")
    assert set(release.result.decided.values()) == {"person"}
    assert "Nobody has confirmed" not in answer(report(release), "What remains to be decided?")


def test_a_role_given_at_the_prompt_is_the_decision_of_a_person() -> None:
    drafted()
    Path("job.yaml").unlink()
    done = CliRunner().invoke(cli, ["init", "people.csv", "--ask"], input="\nidentifiers\n\n\n")
    assert done.exit_code == 0
    assert {name for name, by in sc.run("job.yaml").result.decided.items() if by == "person"} == {"sex"}


def test_the_one_decision_is_the_remark_with_the_most_harm_and_stands_once() -> None:
    frame = FRAME.assign(serial=[f"s{row}" for row in range(60)])
    release = sc.run({**JOB, "keep": ["serial"], "requirement": {"k": 20}}, frame=frame)
    text = report(release)
    assert release.result.insight is not None
    assert decision(text).startswith("Decide if a reader may know serial of a person")
    assert "60 rows are unique to a reader who also knows the unchanged columns (serial)" in answer(
        text, "Who can be singled out?"
    )
    assert len([line for line in release.result.insight.lines if "serial" in line]) == 1


def test_earlier_releases_and_joined_rows_are_answered_without_small_counts() -> None:
    rows = [(f"p{who}", str(20 + who % 40), f"w{who % 2}", "x") for who in range(80) for _ in range(2)]
    frame = pandas.DataFrame(rows, columns=["patient", "age", "ward", "illness"])
    job = {"person": "patient", "quasi_identifiers": {"age": {"intervals": [4, 40]}}, "keep": ["ward"],
           "sensitive": ["illness"], "requirement": {"k": 8}}  # fmt: skip
    for name, widths in (("one", [4, 40]), ("two", [10, 40])):
        frame.to_csv("t.csv", index=False)
        ages = {"age": {"intervals": widths}}
        release = sc.run(
            {**job, "quasi_identifiers": ages, "source": {"path": "t.csv"}, "output": {"path": f"{name}.csv"}}
        )
    text = report(release)
    assert release.result.joint[0].k == 4 and "the joint k is" not in text
    earlier = answer(text, "What do earlier releases add?")
    assert "finds groups smaller than k" in earlier and "joint k is fewer than 8 (exact)" in earlier
    assert decision(text).startswith("Do not give this release to anyone who may have the earlier ones.")
    joined = answer(text, "Can rows of one person be joined?")
    assert joined.startswith("Persons are counted by patient.") and "by ward, illness" in joined
