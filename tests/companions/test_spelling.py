"""Sensitive values that are several by their spelling alone, or that read as missing: l is not what it seems."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pandas
import pytest
from click.testing import CliRunner

import starcloak as sc
from starcloak.commands.cli import cli
from tests.people import Server

SPELLED = ["flu", "FLU", "flu ", "Flu"]
UNKNOWN = ["flu", "NA", "unknown", "-", "n/a", "?"]
REAL = ["flu", "cold", "cough", "fever"]
#: Values that a reader tells apart: signs, numbers, and words that have letters of one alphabet alone.
APART = ["A-", "A+", "-9", "9", "999", "1.5", "15", "<5", ">5"]
LOOK_ALIKE = "look alike (hyphens and full stops, 1 and 1.0, I210 and I21.0, letters of two alphabets)"


def table(values: list[str]) -> pandas.DataFrame:
    return pandas.DataFrame({"sex": "f", "dis": values})


def said(values: list[str], l: int = 3) -> list[str]:  # noqa: E741
    job = {
        "quasi_identifiers": {"sex": "suppress"},
        "sensitive": ["dis"],
        "requirement": {"k": 4, "l_diversity": [{"attribute": "dis", "l": l}]},
    }
    return sc.run(job, frame=table(values)).result.warnings


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("values", "problem", "fewest"),
    [
        (SPELLED, "differ in case, spaces, accents or Unicode form alone", 1),
        (UNKNOWN, "read as missing", 1),
        (["é1", "e\u03011", "E1", "e\u00a01", "e 1"], "differ in case, spaces, accents or Unicode form alone", 2),
        (["flu", "flu\u200b", "fl\u00adu", "\ufefffl u"], "differ in case, spaces, accents or Unicode form alone", 2),
        (["flu", "\u200b", "—", "NaT", "\\N"], "read as missing", 1),
        (["flu", "(missing)", "Not applicable", "N / A", "[unknown]", "<NA>", "(null)"], "read as missing", 1),
        (
            ["flu9", "\uff26\uff4c\uff35\uff19", "\uff46\uff4c\uff55\uff19", "flu9"],
            "differ in case, spaces, accents or Unicode form alone",
            1,
        ),
        (["flu", "flu.", "f-l-u", "f l_u"], LOOK_ALIKE, 2),
        (["cov\u0456d-19", "covid 19", "covid_19", "\u0441ovid\u201119"], LOOK_ALIKE, 1),
        (["1", "1.0", "01", "1.00"], LOOK_ALIKE, 1),
        (["I21.0", "I210", "E11.9", "E119"], LOOK_ALIKE, 2),
        (["flu", "cold", "999", "-9"], "read as missing", 2),
        (["flu", "cold", "Cold", "?"], "differ in case, spaces, accents or Unicode form alone or read as missing", 2),
    ],
)
def test_a_run_a_check_and_an_audit_tell_the_l_that_holds(
    work: Path, values: list[str], problem: str, fewest: int
) -> None:
    (warning,) = said(values)
    assert warning.startswith(f"column 'dis' has values that {problem}, and each spelling counts as a value")
    assert f"distinct l = {fewest}:" in warning
    table(values).to_csv("t.csv", index=False)
    done = CliRunner().invoke(cli, ["check", "t.csv", "--qi", "sex", "--k", "4", "--l", "dis:3"])
    assert (done.exit_code, done.output.splitlines()[-1]) == (0, f"starcloak: warning: {warning}")
    assert sc.audit(table(values), "sex", "dis").notes == [warning]


@pytest.mark.parametrize(
    ("of_each", "fewest"),
    [
        ([["flu", "cold"], ["FLU", "angina"], ["flu ", "cold"], ["Flu", "cough"]], 1),  # all have flu
        ([["flu", "cold"], ["FLU", "angina"], ["flu ", "cold"], ["cold", "cough"]], 4),
        ([["flu", "cold"], ["FLU", "angina"], ["flu ", "cold"], ["NA", "?"]], 1),  # all with a value have flu
        ([["flu", "cold"], ["flu", "angina"], ["flu", "cold"], ["cold", "unknown"]], 3),
        ([["NA", "?"], ["-", "NA"], ["NA"], ["unknown"]], 0),
    ],
)
def test_a_value_of_all_persons_in_any_spelling_is_the_only_value(
    work: Path, of_each: list[list[str]], fewest: int
) -> None:
    rows = [(f"p{at}", "f", value) for at, values in enumerate(of_each) for value in values]
    frame = pandas.DataFrame(rows, columns=["p", "sex", "dis"])
    (note,) = sc.audit(frame, "sex", "dis", person="p").notes
    assert f"distinct l = {fewest}:" in note
    frame.to_csv("t.csv", index=False)
    done = CliRunner().invoke(cli, ["check", "t.csv", "--qi", "sex", "--k", "4", "--l", "dis:2", "--person", "p"])
    assert done.exit_code == 0 and done.output.splitlines()[-1] == f"starcloak: warning: {note}"
    job = {
        "quasi_identifiers": {"sex": "suppress"},
        "person": "p",
        "sensitive": ["dis"],
        "requirement": {"k": 4, "l_diversity": [{"attribute": "dis", "l": 2}]},
    }
    assert note in sc.run(job, frame=frame).result.warnings


@pytest.mark.parametrize(("qi", "is_said"), [("sex", True), ("sex,ward", False)])
def test_a_check_of_a_release_says_no_l_of_classes_smaller_than_k(work: Path, qi: str, is_said: bool) -> None:
    frame = table(SPELLED).assign(ward=[f"w{row // 2}" for row in range(len(SPELLED))])
    job = {
        "quasi_identifiers": {"sex": "suppress"},
        "sensitive": ["dis"],
        "keep": ["ward"],
        "requirement": {"k": 4},
        "output": {"path": "out.csv"},
    }
    sc.run(job, frame=frame)
    done = CliRunner().invoke(cli, ["check", "out.csv", "--qi", qi, "--k", "2", "--l", "dis:2"])
    assert done.exit_code == 0 and ("distinct l = " in done.output) == is_said


def test_values_in_json_have_spellings_too(work: Path) -> None:
    """A column of JSON was no text, and no spelling was looked for."""
    with duckdb.connect("clinic.duckdb") as connection:
        values = """unnest(['"flu"', '"FLU"', '"flu "', '"cold"'])::json"""
        connection.execute(f"create table visits as select 'f' as sex, {values} as dis")
    place = {"url": "duckdb:///clinic.duckdb", "table": "visits"}
    diverse = [{"attribute": "dis", "l": 3}]
    release = sc.anonymize(place, quasi_identifiers={"sex": "suppress"}, sensitive=["dis"], k=4, l_diversity=diverse)
    verdict, audit = sc.check(place, "sex", 4, l_diversity=diverse), sc.audit(place, "sex", "dis")
    for notes in (release.result.warnings, verdict.notes, audit.notes):
        assert any("counted as one value, distinct l = 3" in note for note in notes)


def test_nothing_is_said_of_values_that_are_different() -> None:
    assert said(APART[2:6]) == [] and said(["A-", "A+", "<5", ">5", "1.5", "15"]) == []
    assert said(REAL) == [] and sc.audit(table(REAL), "sex", "dis").notes == []


def test_nothing_is_said_of_columns_that_no_model_reads_nor_of_numbers() -> None:
    frame = pandas.concat([table(REAL).assign(sex=sex, note=SPELLED) for sex in ("f", "F")])
    job = {
        "quasi_identifiers": {"sex": "suppress"},
        "keep": ["note"],
        "sensitive": ["dis"],
        "requirement": {"k": 4, "l_diversity": [{"attribute": "dis", "l": 3}]},
    }
    assert sc.run(job, frame=frame).result.warnings == []
    numbers = frame.assign(dis=[1.0, 2.0, 3.0, 4.0] * 2)
    assert sc.run(job, frame=numbers).result.warnings == []


@pytest.mark.sampled(3)
def test_every_class_counts_and_every_host_says_the_same(work: Path, server: Server) -> None:
    frame = pandas.concat([table(REAL), table(["flu", "Flu", "cold", "COLD"]).assign(sex="m")])
    server.fill("people", frame, dict.fromkeys(frame, "varchar(20)"))
    job = {
        "source": {"url": server.url, "table": "people"},
        "quasi_identifiers": {"sex": "suppress"},
        "sensitive": ["dis"],
        "requirement": {"k": 4, "l_diversity": [{"attribute": "dis", "l": 3}]},
        "output": {"table": "cohort"},
    }
    warning = sc.run(job).result.warnings[-1]
    assert warning.startswith("column 'dis' has values that differ in case") and "distinct l = 2:" in warning


def test_a_first_job_says_so(work: Path) -> None:
    frame = pandas.concat([table(SPELLED), table(UNKNOWN)] * 9).assign(town=[f"t{row % 3}" for row in range(90)])
    frame.rename(columns={"dis": "disease"}).to_csv("t.csv", index=False)
    assert CliRunner().invoke(cli, ["init", "t.csv"]).exit_code == 0
    (line,) = [line for line in Path("job.yaml").read_text().splitlines() if line.startswith("  disease: {")]
    assert line.endswith("# spaces at the ends, texts that mean missing, values that differ in case alone")
    assert "  - disease  # by its name" in Path("job.yaml").read_text()
