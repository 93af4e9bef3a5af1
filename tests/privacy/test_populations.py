"""What a population says of a table that is a sample of it: risks of journalist and marketer; audits of persons."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest
from click.testing import CliRunner
from hypothesis import example, given, settings
from hypothesis import strategies as st

import starcloak as sc
from starcloak.base.errors import InputError, JobError, SourceError, VerificationError
from starcloak.commands.cli import cli
from starcloak.releases import population as reading
from starcloak.store.session import Session
from starcloak.store.source import Source
from starcloak.verify import population
from tests.people import Server

NAMES = ["age", "sex"]
ROW = st.tuples(st.sampled_from(["1", "2", None]), st.sampled_from("fm"))


def frame(rows: list[Any], names: list[str] = NAMES) -> pandas.DataFrame:
    return pandas.DataFrame(rows, columns=names, dtype=object)


@given(sample=st.lists(ROW, min_size=1, max_size=12), others=st.lists(ROW, max_size=20), counted=st.booleans())
@settings(max_examples=20)
def test_journalist_and_marketer_are_as_in_the_population(sample: list[Any], others: list[Any], counted: bool) -> None:
    rows, everybody = Counter(sample), Counter([*sample, *others])
    people: dict[str, Any] = {"population": frame([*sample, *others])}
    if counted:
        register = frame([*map(list, everybody)]).assign(people=list(everybody.values()))
        people = {"population": register, "population_count": "people"}
    found = sc.audit(frame(sample), NAMES, threshold="0.3", **people)
    expected = sum(Fraction(f, everybody[row]) for row, f in rows.items()) / len(sample)
    at_risk = Fraction(sum(f for row, f in rows.items() if Fraction(1, everybody[row]) > Fraction(3, 10)), len(sample))
    highest = Fraction(1, min(everybody[row] for row in rows))
    assert found.marketer.average == pytest.approx(float(expected), abs=1e-9)
    average = max(Fraction(len(rows), sum(everybody[row] for row in rows)), expected)
    assert found.journalist.average == pytest.approx(float(average), abs=1e-9)
    for attacker in (found.journalist, found.marketer):
        assert attacker.records_at_risk == pytest.approx(float(at_risk)) and attacker.highest == float(highest)
    assert found.prosecutor == sc.audit(frame(sample), NAMES, threshold="0.3").prosecutor


def test_a_sample_that_is_the_population_is_at_the_risk_of_both() -> None:
    rows = frame([("1", "f"), ("1", "f"), ("2", None)])
    assert sc.audit(rows, NAMES, population=rows) == sc.audit(rows, NAMES)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("register", "more", "problem"),
    [
        (frame([("1", "f")]), {}, "fewer people in a class"),
        (frame([("1", "f"), ("1", "f"), ("3", "m")]), {}, "fewer people in a class"),
        (frame([("1",)], ["age"]), {}, "column 'sex' is not in"),
        (frame([]), {}, "no people"),
        *(
            (frame([("1", "f", count)], [*NAMES, "people"]), {"population_count": "people"}, "not whole numbers")
            for count in ("many", -1, None, "2.5", 2.5, "0.5", "1e2", "1_000", "0x1F", "", 10**11)
        ),
        (
            frame([("1", "f", "4"), ("1", "f", "many"), ("2", "m", "1")], [*NAMES, "people"]),
            {"population_count": "people"},
            "not whole numbers",
        ),
        (frame([("1", "f")]), {"sampling_fraction": 0.5}, "exclude each other"),
    ],
)
def test_what_is_no_population_of_the_table_is_refused(
    register: pandas.DataFrame, more: dict[str, Any], problem: str
) -> None:
    with pytest.raises(InputError, match=problem):
        sc.audit(frame([("1", "f"), ("1", "f"), ("2", "m")]), NAMES, population=register, **more)


@pytest.mark.any_database
def test_a_population_may_be_a_table_and_the_sample_a_file(server: Server, tmp_path: Path) -> None:
    register = frame([("1", "f")] * 4 + [("2", "m")] * 2)
    server.fill("register", register, {"age": "varchar(9)", "sex": "varchar(9)"})
    frame([("1", "f"), ("2", "m")]).to_csv(tmp_path / "sample.csv", index=False)
    asked = ["audit", str(tmp_path / "sample.csv"), "--qi", "age,sex", "--json"]
    done = CliRunner().invoke(cli, [*asked, "--population", server.url, "--population-table", "register"])
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["marketer"]["average"] == (1 / 4 + 1 / 2) / 2 and told["journalist"]["highest"] == 1 / 2


VISITS = pandas.DataFrame(
    {
        "whose": ["anna"] * 10 + ["ben", "cleo"],
        "age": ["1"] * 10 + ["1", "2"],
        "disease": ["flu"] * 9 + ["hiv", "hiv", "flu"],
    }
)


def test_an_audit_of_persons_counts_each_once_in_a_class() -> None:
    found = sc.audit(VISITS, ["age"], "disease", person="whose")
    once = sc.audit(VISITS.drop_duplicates(["whose", "age"]), ["age"])
    assert (found.rows, found.persons, found.classes, found.uniques) == (3, 3, 2, 1)
    assert found.prosecutor == once.prosecutor and found.quasi_identifiers == once.quasi_identifiers
    values = sc.audit(VISITS.drop_duplicates(["whose", "age", "disease"]), ["age"], "disease")
    assert found.sensitive == values.sensitive and found.sensitive != sc.audit(VISITS, ["age"], "disease").sensitive
    assert sc.audit(VISITS, ["age"]).persons is None


def test_an_audit_of_persons_at_the_command_line(tmp_path: Path) -> None:
    VISITS.to_csv(tmp_path / "visits.csv", index=False)
    done = CliRunner().invoke(cli, ["audit", str(tmp_path / "visits.csv"), "--qi", "age", "--person", "whose"])
    assert "3 records of 3 persons" in done.output
    with pytest.raises(InputError, match="rows without a value in the person column"):
        sc.audit(VISITS.assign(whose=None), ["age"], person="whose")
    with pytest.raises(InputError, match="is named under person"):
        sc.audit(VISITS, ["age"], person="age")


@given(
    sample=st.lists(ROW, min_size=1, max_size=10),
    others=st.lists(ROW, max_size=16),
    k=st.integers(1, 4),
    bounds=st.sampled_from([("0", "0.5"), ("0.25", "1"), ("0.5", "0.5"), ("0", "1")]),
)
@example(sample=[("1", "f")], others=[("1", "f")], k=1, bounds=("0.5", "0.5"))
@settings(max_examples=20)
def test_k_map_and_delta_presence_are_as_their_definitions(
    sample: list[Any], others: list[Any], k: int, bounds: tuple[str, str]
) -> None:
    rows, everybody = Counter(sample), Counter([*sample, *others])
    verdict = sc.check(frame(sample), NAMES, 1, population=frame([*sample, *others]), k_map=k, delta_presence=bounds)
    k_map, presence = verdict.qids[0].models
    assert k_map.holds == all(everybody[row] >= k for row in rows)
    assert k_map.achieved == (min(everybody[row] for row in rows) if k_map.holds else None)
    assert k_map.violating_rows == sum(f for row, f in rows.items() if everybody[row] < k)
    # Of every class of the population, also those of which nobody is in the sample.
    least, most = map(Fraction, bounds)
    out = [row for row, people in everybody.items() if not least <= Fraction(rows[row], people) <= most]
    assert presence.holds == (not out) and presence.violating_classes == len(out)
    assert verdict.holds == (k_map.holds and presence.holds)


def test_where_the_sample_is_the_population_k_map_is_k() -> None:
    rows = frame([("1", "f")] * 3 + [("2", None)] * 2)
    for k in (1, 2, 3):
        verdict = sc.check(rows, NAMES, k, population=rows, k_map=k)
        assert verdict.holds == sc.check(rows, NAMES, k).holds == verdict.qids[0].models[0].holds


def test_a_person_is_one_of_the_people() -> None:
    register = pandas.DataFrame({"age": ["1", "1", "2"]})
    with pytest.raises(InputError, match="fewer people in a class"):
        sc.check(VISITS, "age", 1, population=register, k_map=1)
    assert sc.check(VISITS, "age", 1, person="whose", population=register, k_map=1).holds
    assert not sc.check(VISITS, "age", 1, person="whose", population=register, k_map=2).holds


def test_k_map_at_the_command_line(tmp_path: Path) -> None:
    frame([("1", "f"), ("2", "m")]).to_csv(tmp_path / "sample.csv", index=False)
    frame([("1", "f")] * 4 + [("2", "m")] * 2 + [("3", "m")]).to_csv(tmp_path / "register.csv", index=False)
    asked = ["check", str(tmp_path / "sample.csv"), "--qi", "age,sex", "--k", "1"]
    within = [*asked, "--population", str(tmp_path / "register.csv")]
    assert CliRunner().invoke(cli, [*within, "--k-map", "2"]).exit_code == 0
    done = CliRunner().invoke(cli, [*within, "--k-map", "3"])
    assert done.exit_code == 1 and "3 people of the population" in done.output
    assert CliRunner().invoke(cli, [*within, "--delta-presence", "0:0.5"]).exit_code == 0
    assert CliRunner().invoke(cli, [*within, "--delta-presence", "0.1:0.5"]).exit_code == 1


@pytest.mark.sampled(3)
@pytest.mark.parametrize("count", [3, 3.0, "3", "003", "3.00", " 3 "])
def test_a_count_is_a_whole_number_however_it_is_written(count: Any) -> None:
    register = frame([("1", "f", count), ("1", "f", count), ("2", "m", type(count)(0))], [*NAMES, "people"])
    within: dict[str, Any] = {"population": register, "population_count": "people", "delta_presence": ("0.1", "1")}
    (qid,) = sc.check(frame([("1", "f")]), NAMES, 1, k_map=6, **within).qids
    # Where nobody is, nobody is missing.
    assert [(model.achieved, model.violating_classes) for model in qid.models] == [(6, 0), (1 / 6, 0)]


def test_a_class_of_which_nobody_is_in_the_table_has_no_rows_and_no_share() -> None:
    register = frame([("1", "f")] * 4 + [("2", "m"), ("3", "m"), ("4", "m")] * 2)
    sample = frame([("1", "f"), ("2", "m"), ("4", "m")])
    bounds = {
        ("0", "1"): (0, 0),
        ("0", "0.5"): (0, 0),
        ("0.1", "1"): (1, 0),
        ("0.3", "1"): (2, 1),
        ("0.6", "1"): (4, 3),
    }
    for shares, (violating, rows) in bounds.items():
        (qid,) = sc.check(sample, NAMES, 1, population=register, k_map=2, delta_presence=shares).qids
        k_map, presence = qid.models
        assert (presence.violating_classes, presence.violating_rows) == (violating, rows)
        assert (presence.holds, presence.achieved) == ((False, None) if violating else (True, 0.5))
        assert k_map.achieved == 2


@pytest.mark.parametrize(("most", "holds"), [("1", True), ("0.4", False)])
def test_no_attribute_left_out_makes_a_table_hold_that_does_not_within_its_population(most: str, holds: bool) -> None:
    rows = frame([("1", "f", "flu"), ("1", "m", "flu"), ("2", "f", "flu"), ("2", "m", "flu")], [*NAMES, "disease"])
    within: dict[str, Any] = {"population": pandas.concat([rows, rows]), "k_map": 2, "delta_presence": ("0", most)}
    (qid,) = sc.check(rows, NAMES, 2, alpha=[{"attribute": "disease", "alpha": "1"}], **within).qids
    told = [("alpha", True), ("k_map", True), ("delta_presence", holds)]
    assert [(model.model, model.holds) for model in qid.models] == told
    assert not qid.holds and qid.holds_without == (NAMES if holds else [])
    assert sc.check(rows, NAMES, 1, **within).holds == holds


def test_a_population_that_does_not_come_home_as_it_is_there_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = frame([("1", "f"), ("2", "m")])
    read = partial(reading.read_classes, population.PopulationSource(None, frame=rows), NAMES)
    assert read().inhabited == 2
    gather, opened = Session.gather_classes, reading.open_source
    with (
        monkeypatch.context() as patched,
        pytest.raises(VerificationError, match=r"the population in .* cannot be counted"),
    ):
        patched.setattr(Session, "gather_classes", lambda self, *args, **more: _one_more(self, gather, args, more))
        read()
    with monkeypatch.context() as patched, pytest.raises(SourceError, match="has 3 rows, and 2 were read"):
        patched.setattr(reading, "open_source", lambda *args, **more: replace(opened(*args, **more), rows=3))
        read()
    with duckdb.connect(str(tmp_path / "register.duckdb")) as connection:
        connection.execute(
            "create view register as select n as age, case when n = 9 then error('x7') else 'f' end as sex "
            "from range(10) as numbers(n)"
        )
    url = f"duckdb:///{tmp_path / 'register.duckdb'}"
    with pytest.raises(SourceError, match=r"cannot be read \(\w+\): check") as refused:
        sc.check(rows, NAMES, 1, population={"url": url, "table": "register"}, k_map=1)
    assert "x7" not in str(refused.value)


def _one_more(session: Session, gather: Any, arguments: Any, more: Any) -> Any:
    told = gather(session, *arguments, **more)
    session.connection.execute(f"update {arguments[0].sql()} set size = size + 1")
    return told


def test_the_store_of_a_population_is_locked_once_it_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    locked = []

    def refuse_lost(source: Source, read: int) -> None:
        assert isinstance(source.host, Session)
        locked.extend(source.host.connection.execute("select current_setting('lock_configuration')").fetchall())

    monkeypatch.setattr(Source, "refuse_lost", refuse_lost)
    reading.read_classes(population.PopulationSource(None, frame=frame([("1", "f")])), NAMES)
    assert locked == [(True,)]


@pytest.mark.parametrize(
    "more",
    [
        {"k_map": 2},
        {"population": frame([("1", "f")])},
        {"population": frame([("1", "f")]), "k_map": 0},
        {"population": frame([("1", "f")]), "delta_presence": ("0.5", "0.1")},
    ],
)
def test_what_asks_for_nothing_within_a_population_is_refused(more: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        sc.check(frame([("1", "f")]), NAMES, 1, **more)


@pytest.mark.parametrize("bounds", [("0", "1.5"), ("-0.5", "1"), ("0.5", "0.1")])
def test_shares_are_from_none_to_all_whoever_asks(bounds: tuple[str, str]) -> None:
    least, most = map(Decimal, bounds)
    with pytest.raises(JobError, match="two shares from 0 to 1"):
        population.PopulationDemand(population.PopulationSource(None), presence=(least, most))
    assert population.PopulationDemand(population.PopulationSource(None), presence=(Decimal(0), Decimal(1)))
