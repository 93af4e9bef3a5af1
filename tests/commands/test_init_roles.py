"""Roles that init proposes: what tells rows or persons apart is not released, whatever its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pandas
import pytest
import yaml
from click.testing import CliRunner

from starcloak.base import column_names
from starcloak.base.column import Column
from starcloak.commands.cli import cli
from starcloak.commands.profile import columns, init, roles
from starcloak.job import load
from starcloak.statements.statement import Name
from starcloak.store.session import Session

ROWS = 200


def profiled(kind: str, cell: str, *, rows: int = ROWS) -> columns.Profile:
    """The profile of a column whose cell in each row is an expression of ``row``."""
    with Session() as session:
        session.connection.execute(f"create table rows as select {cell} as x from range({rows}) as numbers(row)")
        return columns.profile(session, Name("rows"), Column("x", kind), count=rows)


def called(profile: columns.Profile, name: str) -> columns.Profile:
    return replace(profile, column=replace(profile.column, name=name))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("form", [lambda word: word, lambda word: f"{word}_no", lambda word: f"my_{word}"])
@pytest.mark.parametrize(
    ("kind", "cell"),
    [
        ("VARCHAR", "format('L-{:06d}', row)"),
        ("VARCHAR", "format('L-{:06d}', row // 2 * 2 + case when row % 20 = 0 then 1 else row % 2 end)"),
        ("VARCHAR", "case when row % 3 = 0 then format('value {} of it', row) end"),
        ("BIGINT", "100000 + row"),
        ("DOUBLE", "row * 1.37"),
        ("DATE", "date '2001-01-01' + cast(row as integer)"),
    ],
)
def test_what_is_nearly_unique_is_released_as_it_is_under_no_name(
    kind: str, cell: str, form: Callable[[str], str]
) -> None:
    profile = profiled(kind, cell)
    released = {
        name: decided.role
        for word in column_names._OF
        for name in [form(word)]
        for decided in [roles.decide(called(profile, name))]
        if decided.role in ("sensitive", "keep")
    }
    assert released == {}


def test_a_number_of_a_loan_that_a_few_rows_share_is_an_identifier_and_a_drug_is_not() -> None:
    few = profiled("VARCHAR", "format('L-{:06d}', row // 4)")
    many = profiled("VARCHAR", "format('D-{}', row % 15)")
    assert [roles.decide(called(few, name)).role for name in ("loan_no", "claim_id")] == ["identifiers"] * 2
    assert [roles.decide(called(many, name)).role for name in ("drug_no", "drug")] == ["sensitive"] * 2


def test_a_loan_number_is_not_released_by_a_first_job(work: Path) -> None:
    rows = [(f"L-{row:06d}", 20 + row % 40, f"use {row % 7}") for row in range(300)]
    pandas.DataFrame(rows, columns=["loan_no", "age", "drug"]).to_csv("t.csv", index=False)
    assert CliRunner().invoke(cli, ["init", "t.csv"]).exit_code == 0
    job = load("job.yaml")
    assert (job.identifiers, job.sensitive, job.keep) == (["loan_no"], ["drug"], [])


def visits(**more: list[str]) -> pandas.DataFrame:
    rows = range(600)
    columns = {"age": [str(20 + row // 3 % 40) for row in rows], "drug": [f"use {row % 5}" for row in rows]}
    return pandas.DataFrame(columns | more)


def test_an_identifier_whose_values_repeat_tells_whose_the_rows_are(work: Path) -> None:
    ids = [f"P-{row // 3:04d}" for row in range(600)]
    visits(patient_id=ids, visit_id=[f"V{row}" for row in range(600)]).to_csv("t.csv", index=False)
    done = CliRunner().invoke(cli, ["init", "t.csv"])
    assert "patient_id; 600 rows of 200 patients: k counts patients" in done.output
    job = load("job.yaml")
    assert (job.persons, job.identifiers) == (("patient_id",), ["visit_id"])
    assert "600 rows of 200 patients: k counts patients" in Path("job.yaml").read_text()
    result = CliRunner().invoke(cli, ["run", "job.yaml"])
    assert result.exit_code == 0 and "warning" not in result.output


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("first_name", [f"Ann{row % 90}" for row in range(600)]),
        ("tenant_name", [f"Ann Lee{row % 90}" for row in range(600)]),
        ("clinic_id", [f"C{row % 7}" for row in range(600)]),
        ("patient_id", [f"P{row}" for row in range(600)]),
        ("patient_id", ["", *(f"P{row // 3}" for row in range(599))]),
    ],
)
def test_what_is_shared_or_unique_or_missing_tells_no_person(work: Path, name: str, cells: list[str]) -> None:
    visits(**{name: cells}).to_csv("t.csv", index=False)
    assert CliRunner().invoke(cli, ["init", "t.csv"]).exit_code == 0
    assert load("job.yaml").persons == ()


@pytest.mark.parametrize("name", ["age at visit", "visit date", "alter bei visit", "city level", "visits by zip"])
def test_a_word_for_what_is_harmless_hides_no_word_for_a_quasi_identifier(name: str) -> None:
    assert column_names.role_by_name(name) == "quasi_identifiers"


@pytest.mark.parametrize("name", ["visits", "number of visits", "page views", "response time"])
def test_what_is_harmless_by_all_of_its_words_is_kept(name: str) -> None:
    assert column_names.role_by_name(name) == "keep"


def test_a_number_of_each_row_is_an_identifier_also_in_a_small_table() -> None:
    for rows in (6, 30):
        numbers = pandas.DataFrame(
            {"record": range(500, 500 + rows), "visit": range(rows), "age": [30, 31, 32] * (rows // 3)}
        )
        found = {column.name: column.role for column in init.draft(None, frame=numbers, into=Path("job.yaml")).decided}
        assert (found["record"], found["visit"]) == ("identifiers", "identifiers")
    numbers["record"] = [500 + row // 2 for row in range(30)]
    assert (
        "if they number people or records" in init.draft(None, frame=numbers, into=Path("job.yaml")).doubted["record"]
    )


@pytest.mark.parametrize(
    "name",
    ["Prénom", "apellidos", "NOMBRE", "Nome", "achternaam", "Imię", "Фамилия", "ФИО", "姓名", "氏名", "codice_fiscale"],
)
def test_names_in_other_languages_are_identifiers(name: str) -> None:
    assert column_names.role_by_name(name) == "identifiers"
    few = profiled("VARCHAR", "format('name {}', row % 8)")
    assert roles.decide(called(few, name)).role == "identifiers"


def test_other_names_of_other_languages_are_none() -> None:
    assert column_names.role_by_name("nombre_visites") is None
    assert column_names.role_by_name("Größe") is None
    assert column_names.role_by_name("пол") == column_names.role_by_name("Sexe") == "quasi_identifiers"


@pytest.mark.parametrize("name", ["email", "surname", "x"])
def test_one_value_beside_missing_cells_is_no_constant(name: str) -> None:
    """A cell of one row, where all others are missing, tells whose row it is."""
    one = roles.decide(called(profiled("VARCHAR", "case when row = 7 then 'Ada' end"), name))
    assert one.role == ("keep" if name == "x" else "identifiers")
    assert one.is_doubted == (name == "x")
    constant = roles.decide(called(profiled("VARCHAR", "'Ada'"), name))
    assert (constant.role, constant.is_doubted) == ("keep", False)


@pytest.mark.parametrize("name", ["answer", "channel", "x"])
@pytest.mark.parametrize("value", ["ada@example.org", "10.2.3.4", "https://example.org/ada", "123-45-6789"])
def test_a_few_values_that_identify_persons_are_not_released_as_they_are(name: str, value: str) -> None:
    decided = roles.decide(called(profiled("VARCHAR", f"case row % 20 when 0 then '{value}' else 'none' end"), name))
    assert (decided.role, decided.is_doubted) == ("identifiers", True)
    assert decided.evidence.startswith("some values look like ")


@pytest.mark.parametrize(
    "kinds", ["['m', 'w']", "['F', 'M']", "['männlich', 'weiblich', 'divers']", "['female', 'male']"]
)
@pytest.mark.parametrize("name", ["m/w", "x", "Spalte 5"])
def test_a_column_of_sexes_is_a_quasi_identifier_whatever_its_name(name: str, kinds: str) -> None:
    """Others know the sex of a person: released as it is, it would stand outside of all classes."""
    decided = roles.decide(called(profiled("VARCHAR", f"({kinds})[1 + row % len({kinds})]"), name))
    assert (decided.role, decided.tier, decided.is_doubted) == ("quasi_identifiers", 0, True)
    assert decided.evidence == "values are words for sexes"


@pytest.mark.parametrize("kinds", ["['ja', 'nein']", "['m', 'x']", "['a', 'm', 'w']", "['f', 'd']"])
def test_other_letters_are_no_sexes(kinds: str) -> None:
    assert not profiled("VARCHAR", f"({kinds})[1 + row % len({kinds})]").are_sexes


@pytest.mark.parametrize("name", ["Geb.", "geb. am", "Geb.-Datum", "GebDatum"])
def test_short_names_for_a_date_of_birth_are_known(name: str) -> None:
    assert column_names.role_by_name(name) == "quasi_identifiers"
    assert roles.decide(called(profiled("DATE", "date '1950-01-01' + cast(row as integer)"), name)).tier == 0


def test_the_remark_on_years_of_two_digits_is_yaml() -> None:
    decided = roles.decide(profiled("VARCHAR", "strftime(date '1950-01-01' + cast(row * 37 as integer), '%d.%m.%y')"))
    written = decided.evidence.partition("write ")[2].partition(", with all")[0]
    assert yaml.safe_load(written) == {"dates": ["month", "year"], "formats": ["%d.%m.%y"]}
