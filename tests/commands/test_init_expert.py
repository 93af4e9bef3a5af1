"""init drafts what an expert would: who is counted, what is generalized, cleaned and asked for, and why."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas
import pytest
import yaml
from click.testing import CliRunner

import starcloak as sc
from starcloak.commands.cli import cli
from starcloak.commands.profile import init
from starcloak.commands.profile.draft import Draft
from starcloak.job import Place, load
from tests import hospital, public_tables
from tests.people import Server


def made(frame: pandas.DataFrame, **source: Any) -> Draft:
    """The draft for a table, which is written beside it as job.yaml."""
    frame.to_csv("t.csv", index=False)
    drafted = init.draft(Place(path=Path("t.csv"), **source), into=Path("job.yaml"))
    init.write(drafted, Path("job.yaml"))
    return drafted


def roles() -> dict[str, str]:
    return {column: role for role, names in load("job.yaml").roles.items() for column in names}


def loss(release: sc.Release) -> float:
    return float(release.result.measures.loss)


@pytest.mark.sampled(2, among="drafts")
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.long] * (at % 4 > 0)) for at, name in enumerate(public_tables.PUBLIC)],
)
def test_a_draft_loses_at_most_half_more_than_an_expert(work: Path, name: str) -> None:
    """On the expert's columns, of which one that is not released loses all."""
    frame = public_tables.table(name)
    made(frame)
    found, expected = roles(), public_tables.roles(name)
    out = [column for column, role in expected.items() if role == "identifiers"]
    assert [column for column in out if found[column] not in ("identifiers", "person")] == []
    generalized = [column for column, role in expected.items() if role == "quasi_identifiers"]
    assert [column for column in generalized if found[column] in ("sensitive", "keep")] == []
    expert = sc.run(load(public_tables.EXPERTS / f"{name}.yaml"), frame=frame)
    lost = sc.run("job.yaml").result.measures.attribute_loss
    assert sum(lost.get(column, 1) for column in generalized) / len(generalized) <= 1.5 * loss(expert)


@pytest.mark.sampled(2, among="drafts")
@pytest.mark.parametrize(("visits", "most"), [(600, 0.6), pytest.param(40_000, 0.25, marks=pytest.mark.long)])
def test_a_messy_table_of_a_hospital_has_a_release_in_two_commands(work: Path, visits: int, most: float) -> None:
    """Nobody edits the job in between."""
    hospital.table(visits).to_csv("visits.csv", index=False)
    done = CliRunner().invoke(cli, ["init", "visits.csv"])
    assert done.exit_code == 0, done.output
    assert f"{visits:,} rows of " in done.output and "patients: k counts patients" in done.output
    assert "compared" in done.output and "sweep 0." in done.output
    found = roles()
    assert found["patient_id"] == "person" and len(load("job.yaml").quasi_identifiers) <= 8
    assert {"birth_date", "sex", "postcode"} <= {*load("job.yaml").quasi_identifiers}
    assert not {"occupation", "employer", "nationality", "marital_status"} & {*load("job.yaml").keep}
    left_out = ["mrn", "last_name", "first_name", "phone", "email", "visit_id", "notes", "scan", "vitals", "city"]
    assert {found[column] for column in left_out} == {"identifiers"}
    done = CliRunner().invoke(cli, ["run", "job.yaml"])
    assert done.exit_code == 0, done.output
    release = sc.read_release("job-release.csv")
    assert release.measures.loss <= most
    released = pandas.read_csv("job-release.csv", dtype=str)
    assert {*released["sex"]} <= {"female", "male", "*"}
    assert "l-diversity: attribute = diagnosis, l = 3" in done.output


def test_each_further_column_says_its_cost_or_why_it_is_left_out(work: Path) -> None:
    drafted = made(hospital.table(600))
    text = Path("job.yaml").read_text()
    to_decide = text[: text.index("source:")]
    further = drafted.costs.further
    assert len(drafted.of("quasi_identifiers")) <= 8 and further and drafted.costs.loss
    for name, cost in further.items():
        assert cost.stays == (name in {column.name for column in drafted.of("quasi_identifiers")})
        assert cost.stays or f"#   {name}: left out" in to_decide
        assert load({"quasi_identifiers": yaml.safe_load(cost.line), "requirement": {"k": 2}}).roles[
            "quasi_identifiers"
        ]
        assert cost.sentence in text or cost.top >= 0.8
    assert "to release it, put " in to_decide
    assert "discharge_date: left out" in to_decide
    assert "city  # by its name; not released: revealed by 'postcode'" in text
    assert "age  # by its name; not released: 'birth_date' reveals it" in text
    assert "of the patients are unique (one row of each of 1" in text


CLEAN = {
    "sex": (["m", "M ", "male", "männlich", "f", "weiblich"], {"trim": True, "case": "lower"}),
    "job": (["clerk", "Clerk", "cook", "driver"], {"case": "lower"}),
    "icd": (["I10", "i10", "E11.9", "J18.9"], {"case": "upper"}),
    "cost": (["3.006,52", "12,5", "1.250,00", "7"], {"thousands": ".", "decimal": ","}),
    "creatinine": (["0,909", "0,812", "1,1"], {"decimal": ","}),
    "income": (["1,250.50", "900", "12,000"], {"thousands": ","}),
    "pulse": (["60", "72", "999", "80"], {"missing": ["999"]}),
    "age": (["30", "45", "-1", "999"], {"valid": (0, 120)}),
    "smoker": (["yes", "no", "n/a", "unknown"], {"missing": ["n/a", "unknown"]}),
    "town": (["Bonn", " ", "Köln "], {"trim": True, "missing": [""]}),
    "postcode": (["80331", "80 331", "10115"], {"thousands": " "}),
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("column", CLEAN)
def test_what_is_not_clean_is_proposed(work: Path, column: str) -> None:
    cells, expected = CLEAN[column]
    rows = [cells[row % len(cells)] for row in range(240)]
    others = [["n", "e", "s", "w"][row * 7 % 11 % 4] for row in range(240)]
    made(pandas.DataFrame({column: rows, "region": others}))
    job = load("job.yaml")
    rules = job.clean[column]
    assert {rule: getattr(rules, rule) for rule in expected} == expected
    if column == "sex":
        assert rules.map == {"m": "male", "männlich": "male", "f": "female", "weiblich": "female"}
    assert sc.run("job.yaml").k


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["1,234", "2,500", "3,125"], "1,234 may be 1234 or 1.234"),
        (["0,5", "0,75", "about 1", "0,25"], "most are numbers with marks"),
        (["café", "cafe", "bar"], "values differ only in accents"),
    ],
)
def test_what_would_be_a_guess_is_left_to_a_person(work: Path, cells: Sequence[str], said: str) -> None:
    rows = [cells[row % len(cells)] for row in range(240)]
    made(pandas.DataFrame({"what": rows, "region": ["n", "e", "s"] * 80}))
    text = Path("job.yaml").read_text()
    assert said in text[: text.index("source:")] and "what" not in load("job.yaml").clean


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("cells", "pairs"),
    [
        (["weiblich", "w", "male", "m", "männlich"], {"w", "weiblich", "m", "männlich"}),
        (["w", "m", "d", "divers"], {"w", "m", "d", "divers"}),
        (["male", "m", "female"], {"m"}),
        (["w", "m", "d"], set()),
        (["m", "männlich", "married"], set()),
    ],
)
def test_words_of_several_languages_for_one_thing_are_proposed_as_one(
    work: Path, cells: Sequence[str], pairs: set[str]
) -> None:
    rows = [cells[row % len(cells)] for row in range(240)]
    made(
        pandas.DataFrame({"Geschlecht": rows, "region": [["n", "e", "s", "w"][row * 7 % 11 % 4] for row in range(240)]})
    )
    clean = load("job.yaml").clean
    assert {*(clean["Geschlecht"].map if clean else {})} == pairs


def test_measures_by_any_name_are_measures(work: Path) -> None:
    """Numbers with decimals are no whole ones, nor what things go by, though each row has one of its own."""
    costs = [f"{1000 + 37 * row}.{row % 89 + 10}" for row in range(240)]
    made(
        pandas.DataFrame(
            {"Kosten": costs, "Dosis": [f"{row % 31}.5" for row in range(240)], "region": ["n", "e"] * 120}
        )
    )
    job = load("job.yaml")
    assert "Kosten" in job.quasi_identifiers and list(job.sensitive) == ["Dosis"]
    text = Path("job.yaml").read_text()
    assert "Dosis: sensitive: measurements" in text[: text.index("source:")]


def test_one_row_has_no_first_job_and_notes_are_said_once(work: Path) -> None:
    Path("t.csv").write_text("age;town\n30;Köln\n", encoding="latin-1")
    init_ = [sys.executable, "-m", "starcloak", "init", "t.csv"]
    done = subprocess.run(init_, capture_output=True, text=True)
    assert (done.returncode, [path.name for path in work.iterdir()]) == (2, ["t.csv"])
    assert (
        "t.csv has only one row, and anonymity needs the rows of several people: give a table with more rows"
        in done.stderr
    )
    Path("t.csv").write_text("age;town\n" + "30;Köln\n31;Bonn\n" * 20, encoding="latin-1")
    done = subprocess.run(init_, capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr.count("so it was read as windows-1252") == 1


def test_clean_cells_are_left_alone(work: Path) -> None:
    frame = pandas.DataFrame({"sex": ["f", "m"] * 60, "age": [str(20 + row % 50) for row in range(120)]})
    made(frame)
    assert load("job.yaml").clean == {}


def test_a_country_that_reads_as_missing_is_a_country(work: Path) -> None:
    made(pandas.DataFrame({"country": ["NA", "DE", "FR", "US"] * 30, "age": range(120)}))
    assert load("job.yaml").clean == {}


def test_a_data_frame_has_a_first_job(work: Path) -> None:
    frame = hospital.table(600)[["sex", "age", "postcode", "diagnosis"]]
    (job, *_) = sc.init(frame, "job.yaml")
    assert load(job).source is None and load(job).clean["sex"].case == "lower"
    assert (sc.run(job, frame=frame).k or 0) >= 5


def test_columns_of_a_database_without_a_hierarchy_are_left_out(work: Path, postgresql: Server) -> None:
    postgresql.execute(
        "drop table if exists stays",
        "create table stays (age int, tags text[], more jsonb, region text)",
        "insert into stays select n % 50, array['a'], '{\"a\": 1}', 'r' || n % 3 from generate_series(1, 200) as n",
    )
    done = CliRunner().invoke(cli, ["init", postgresql.url, "--table", "stays"])
    assert done.exit_code == 0, done.output
    assert {column: role for column, role in roles().items() if role == "identifiers"} == {
        "tags": "identifiers",
        "more": "identifiers",
    }
    assert "which has no hierarchy" in Path("job.yaml").read_text()
    assert sc.run("job.yaml").k


def test_a_physicians_number_tells_no_person(work: Path) -> None:
    made(public_tables.table("insurance-claims-file"))
    assert load("job.yaml").persons == ("desynpuf_id",)
