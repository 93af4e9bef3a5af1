"""Codes of persons in first jobs: no draft releases them, nor what joins the rows of one person."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pandas
import pytest
from click.testing import CliRunner

from starcloak.commands.cli import cli
from starcloak.commands.profile import init
from starcloak.job import Place, load

pytestmark = pytest.mark.usefixtures("untried")

NAMES = (
    "employee", "customer", "student", "client", "subject", "pseudonym", "fallnr_patient", "member", "participant",
    "user", "donor", "patient_code", "Kunde", "test_subject",
)  # fmt: skip
CODES = ("E{:05d}", "P{:05d}", "S{:02d}.{:03d}", "L{:04d}")


def code(form: str, person: int) -> str:
    number = (person * 7919 + 77906) % 90_000
    return form.format(number // 1000 % 100, number % 1000) if form.count("{") == 2 else form.format(number)


def table(**more: list[str | None]) -> pandas.DataFrame:
    rows = range(900)
    columns = {
        "age": [str(20 + row * 13 % 50) for row in rows],
        "sex": ["fm"[row % 2] for row in rows],
        "drug": [f"use {row * 7 % 6}" for row in rows],
    }
    return pandas.DataFrame(columns | more)


def roles(frame: pandas.DataFrame) -> dict[str, str]:
    """The roles of a draft for a table."""
    frame.to_csv("t.csv", index=False)
    done = CliRunner().invoke(cli, ["init", "t.csv"])
    assert done.exit_code == 0, done.output
    return {column: role for role, names in load("job.yaml").roles.items() for column in names}


@pytest.mark.sampled(24)
@pytest.mark.parametrize("form", CODES)
@pytest.mark.parametrize("name", NAMES)
def test_codes_of_persons_that_look_like_diagnoses_are_the_persons(work: Path, name: str, form: str) -> None:
    found = roles(table(**{name: [code(form, row % 180) for row in range(900)]}))
    assert found[name] == "person"
    done = CliRunner().invoke(cli, ["run", "job.yaml"])
    assert done.exit_code == 0, done.output
    assert name not in Path("job-release.csv").read_text().partition("\n")[0].split(",")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("persons", [2, 4, 8])
@pytest.mark.parametrize(
    ("name", "form"),
    [("employee", "E{:05d}"), ("employee", "1{:05d}"), ("Kunde", "1{:05d}"), ("test_subject", "E{:05d}")],
)
def test_codes_of_a_few_persons_are_the_persons_or_identifiers(work: Path, name: str, form: str, persons: int) -> None:
    found = roles(table(**{name: [code(form, row % persons) for row in range(36)] * 25}))
    assert found[name] in ("person", "identifiers")


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "cells",
    [
        [code("P{:05d}", row % 180) for row in range(900)],  # one chapter, and repeated as persons are
        [code("P{:05d}", row % 20) for row in range(900)],  # one chapter
        [f"{'ADGKLN'[row % 6]}{row // 6 % 90:02d}.{row % 9}" for row in range(900)],  # repeated as persons are
        [f"U{row % 20 + 100}" for row in range(900)],
    ],
)
def test_the_form_of_a_diagnosis_alone_makes_no_code_sensitive(work: Path, cells: list[str | None]) -> None:
    assert roles(table(code=cells))["code"] not in ("sensitive", "keep")


def test_diagnoses_of_several_chapters_that_repeat_are_sensitive_and_doubted(work: Path) -> None:
    codes = ["I10", "E11.9", "C50.9", "J18.9", "S72.0", "Z38.0", "K80.2", "F32.1", "N39.0", "D50.9"]
    found = roles(table(code=[codes[row * row // 7 % 10] for row in range(900)]))
    assert found["code"] == "sensitive"
    assert "#   code: sensitive: values look like diagnoses" in Path("job.yaml").read_text()


@pytest.mark.parametrize("name", ["patient_diagnosis", "diagnosis_patient"])
def test_diagnoses_of_patients_are_no_codes_of_patients(work: Path, name: str) -> None:
    codes = ["I10", "E11.9", "C50.9", "J18.9", "S72.0", "Z38.0", "K80.2", "F32.1", "N39.0", "D50.9", "B20"]
    assert roles(table(**{name: [codes[row * row // 7 % 11] for row in range(900)]}))[name] == "sensitive"


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ["patient_age", "customer_segment", "member"])
def test_what_a_few_values_say_of_persons_is_no_code_of_theirs(work: Path, name: str) -> None:
    assert roles(table(**{name: [["basic", "gold", "none"][row % 3] for row in range(900)]}))[name] != "person"


def own(person: int) -> int:
    return 20_000 + person * 7919 % 30_011


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("name", "form", "expected"),
    [
        ("income", "{}", {"quasi_identifiers", "identifiers"}),
        ("score", "{}", {"quasi_identifiers", "identifiers"}),
        ("salary", "{:,}", {"identifiers"}),  # a text
        ("risk", "{}.5", {"quasi_identifiers", "identifiers"}),
        ("quantity", "{}", {"quasi_identifiers", "identifiers"}),
        ("result", "value {}", {"identifiers"}),
    ],
)
def test_a_column_that_joins_the_rows_of_a_person_is_not_released(
    work: Path, name: str, form: str, expected: set[str]
) -> None:
    """Constant for a person, but for a missing cell, and a value of nearly every person's own."""
    cells = [None if row % 19 == 0 else form.format(own(row % 180)) for row in range(900)]
    found = roles(table(patient_id=[f"X{row % 180}" for row in range(900)], **{name: cells}))
    assert found["patient_id"] == "person" and found[name] in expected
    assert "of the patients" in Path("job.yaml").read_text()
    assert CliRunner().invoke(cli, ["run", "job.yaml"]).exit_code == 0


def test_what_joins_rows_stays_unreleased_where_eight_others_are_quasi_identifiers(work: Path) -> None:
    drawn = Random(5)
    names = ("zip", "city", "birth_year", "race", "education", "occupation", "marital", "nationality")
    more = {name: [str(drawn.randrange(40)) for _ in range(900)] for name in names}
    frame = table(patient_id=[f"X{row % 180}" for row in range(900)], score=[str(own(row % 180)) for row in range(900)])
    assert roles(frame.assign(**more))["score"] == "identifiers"


def test_a_measure_that_differs_between_visits_and_a_trait_that_many_share_stay_sensitive(work: Path) -> None:
    frame = table(
        patient_id=[f"X{row % 180}" for row in range(900)],
        income=[str(1000 + row * 7919 % 601) for row in range(900)],
        religion=["abcd"[row % 180 % 4] for row in range(900)],
    )
    found = roles(frame)
    assert (found["income"], found["religion"]) == ("sensitive", "sensitive")


def visits_of(person: list[Any], **more: list[Any]) -> pandas.DataFrame:
    """Rows of 180 persons, each with a sex and a birth date of their own."""
    born = [f"{1930 + row % 180 * 7 % 60}-{1 + row % 180 % 12:02d}-{1 + row % 180 % 28:02d}" for row in range(900)]
    sex = ["fm"[row % 180 * 7 % 11 % 2] for row in range(900)]
    drug = [f"use {row * 7 % 6}" for row in range(900)]
    return pandas.DataFrame({"zz": person, "born": born, "sex": sex, "drug": drug} | more)


@pytest.mark.parametrize(
    "value",
    [
        lambda person: 700_000 + person * 7,
        lambda person: f"k{person:x}q",
        lambda person: Decimal(person) / 1,
        lambda person: f"{person:08x}-0000-4000-8000-{person:012x}",
        lambda person: -person - 1,
    ],
)
def test_persons_are_found_by_what_repeats_with_them(work: Path, value: Callable[[int], Any]) -> None:
    """Whatever the column is called, and whatever its type."""
    frame = visits_of([value(row % 180) for row in range(900)])
    assert roles(frame)["zz"] == "person"
    text = Path("job.yaml").read_text()
    assert "#   zz: the persons of the rows: " in text and "values agree in born, sex, drug" in text
    assert CliRunner().invoke(cli, ["run", "job.yaml"]).exit_code == 0


def test_things_whose_facts_are_nested_or_by_chance_are_no_persons(work: Path) -> None:
    frame = visits_of([f"u{row * row % 179}" for row in range(900)])  # of other rows than the facts
    assert roles(frame)["zz"] != "person"
    place = [row % 180 for row in range(900)]
    towns = {"zz": [f"z{at}" for at in place], "yy": [f"y{at // 9}" for at in place]}
    states = {"xx": [f"x{at // 45}" for at in place]}
    frame = table(**towns, **states).drop(columns=["sex", "drug"])  # which 180 rows later are the same
    frame["age"] = [str(row * 31 % 77) for row in range(900)]
    assert roles(frame)["zz"] != "person"


def test_remarks_count_persons_by_their_clean_cells(work: Path) -> None:
    """Of three rows of a person, each writes the birth date and the postcode in another way."""
    drawn = Random(4)
    born = [f"19{drawn.randrange(50, 99)}-{drawn.randrange(1, 3):02d}-07" for _ in range(90)]
    codes = [f"{drawn.choice([1067, 4103, 10115, 80331]):05d}" for _ in range(90)]
    persons = pandas.DataFrame({"birth_date": born, "postcode": codes, "sex": drawn.choices("fm", k=90)})
    frame = persons.loc[[row % 90 for row in range(270)]].reset_index(names="patient_id")
    frame["birth_date"] = [
        text if row % 2 else ".".join(reversed(text.split("-"))) for row, text in enumerate(frame["birth_date"])
    ]
    frame["postcode"] = [text.lstrip("0") if row % 4 else text for row, text in enumerate(frame["postcode"])]
    frame["visit"] = [str(row) for row in range(270)]
    frame.sample(frac=1, random_state=1).to_csv("t.csv", index=False)
    draft = init.draft(Place(path=Path("t.csv")), into=Path("job.yaml"))
    assert draft.person is not None and draft.person.name == "patient_id"

    def unique(names: list[str]) -> int:
        return int((persons.groupby(names).size() == 1).sum())

    names = [*persons]
    lost = {name: unique(names) - unique([other for other in names if other != name]) for name in names}
    assert draft.tellings.lost == {name: count / unique(names) for name, count in lost.items()}
    assert "% of the unique patients are unique only by it" in draft.text and " rows are unique" not in draft.text


def test_facts_that_join_rows_only_together_are_not_all_released(work: Path) -> None:
    """Each is shared by many, and all together by nobody: a release with all of them joins the rows of a person."""
    drawn = Random(6)
    facts = {name: [drawn.randrange(5) for _ in range(180)] for name in ("smoker", "religion", "allergy", "smoking")}
    weight = [drawn.gauss(80, 15) for _ in range(180)]
    more = {name: [str(values[row % 180]) for row in range(900)] for name, values in facts.items()}
    more["glucose"] = [f"{weight[row % 180] + drawn.gauss(0, 1):.1f}" for row in range(900)]
    found = roles(table(patient_id=[f"X{row % 180}" for row in range(900)], **more))
    released = [name for name in more if found[name] in ("sensitive", "keep")]
    assert "glucose" not in released and 1 <= len(released) < 4
    by_person = pandas.DataFrame(facts).groupby(released).size()
    assert by_person.min() >= 5
    done = CliRunner().invoke(cli, ["run", "job.yaml"])
    assert done.exit_code == 0 and "k of joined rows is 5" in done.output, done.output
