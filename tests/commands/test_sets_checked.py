"""check and audit where the rows of a person are one set: of tables as they stand, in every database."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pandas
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import starcloak as sc
from starcloak.base import installation
from starcloak.base.errors import InputError
from starcloak.commands.cli import cli
from tests.people import TYPES, Server, people
from tests.privacy.test_persons import ROWS, VISITS, frame

Row = tuple[Any, ...]
SET = {"column": "whose", "as": "set"}
NAMES = ["one", "two", "three"]


def alike(rows: Sequence[Row], places: Sequence[int]) -> list[tuple[int, int]]:
    """How many persons have each history over some cells, and how many rows those have; a row ends in its person."""
    histories = defaultdict[Any, Counter[Row]](Counter)
    for row in rows:
        histories[row[-1]][tuple(row[place] for place in places)] += 1
    found = defaultdict[Any, list[int]](list)
    for tuples in histories.values():
        found[frozenset(tuples.items())].append(sum(tuples.values()))
    return [(len(persons), sum(persons)) for persons in found.values()]


def tells_histories(rows: Sequence[Row], data: Any, k: int) -> None:
    """A check and an audit say of histories what plain Python counts."""
    (verdict,) = sc.check(data, NAMES, k, person=SET).qids
    found = alike(rows, range(3))
    few = [each for each in found if each[0] < k]
    told = verdict.violating_classes, verdict.violating_persons, verdict.violating_rows
    counts = len(few), sum(persons for persons, _ in few), sum(of for _, of in few)
    assert told == counts
    assert verdict.holds == (not few) and (verdict.of, verdict.as_set) == ("persons", True)
    assert verdict.k == (None if few else min(persons for persons, _ in found))
    assert verdict.classes == len(found)
    enough = [place for place in range(3) if all(of >= k for of, _ in alike(rows, [p for p in range(3) if p != place]))]
    assert verdict.holds_without == ([NAMES[place] for place in enough] if few else [])
    audit = sc.audit(data, NAMES, person=SET)
    persons = len({row[-1] for row in rows})
    assert (audit.rows, audit.persons, audit.classes, audit.as_set) == (persons, persons, len(found), True)
    sizes = Counter(of for of, _ in found)
    assert [(each.size, each.classes) for each in audit.class_sizes] == sorted(sizes.items())
    assert (audit.uniques, audit.doubles) == (sizes[1], sizes[2])
    assert audit.prosecutor.highest == 1 / min(sizes)
    assert [each.holds for each in audit.thresholds] == [min(sizes) >= each.k for each in audit.thresholds]
    below = [sum(size * of for size, of in sizes.items() if size < each.k) for each in audit.thresholds]
    assert [each.records_at_risk for each in audit.thresholds] == [float(Fraction(of, persons)) for of in below]
    for place, each in enumerate(audit.quasi_identifiers[:-1]):
        assert each.distinction == float(Fraction(len(alike(rows, [place])), persons))


@given(rows=ROWS, k=st.integers(1, 4))
@settings(max_examples=15)
def test_histories_are_told_as_plain_python_counts_them(rows: list[Row], k: int) -> None:
    tells_histories(rows, frame(rows), k)


@pytest.mark.long
def test_a_thousand_random_tables_are_told_as_plain_python_counts_them() -> None:
    chance = random.Random(7)
    for _ in range(1_000):
        persons, cells = chance.choice([2, 4, 9]), chance.choice(["m", "mf"])
        rows = [
            (chance.choice(cells), chance.choice("ab"), chance.choice(["000", "001"]), chance.randrange(persons))
            for _ in range(chance.randrange(1, 30))
        ]
        tells_histories(rows, frame(rows), chance.randrange(1, 5))


def test_ten_visits_fail_by_persons_and_by_histories_and_pass_by_rows() -> None:
    assert sc.check(VISITS, "age", 2).holds
    assert not sc.check(VISITS, "age", 2, person="whose").holds
    (verdict,) = sc.check(VISITS, "age", 2, person=SET).qids
    assert not verdict.holds and (verdict.violating_rows, verdict.violating_persons) == (10, 1)
    # By classes anna is one of three; by histories she is the one who came twice.
    rows = pandas.DataFrame({"age": ["30"] * 4, "whose": ["anna", "anna", "ben", "cleo"]})
    assert sc.check(rows, "age", 3, person="whose").holds and not sc.check(rows, "age", 2, person=SET).holds
    assert sc.audit(rows, "age", person="whose").uniques == 0 and sc.audit(rows, "age", person=SET).uniques == 1


def test_pairs_of_visits_that_are_told_apart_by_both_columns_together() -> None:
    """Everybody was at a and at b, and came as x and as y: only both tell who came as what where."""
    came = {"anna": ["ax", "by"], "ben": ["ax", "by"], "cleo": ["ay", "bx"], "dora": ["ay", "bx"], "emil": ["ay", "bx"]}
    rows = pandas.DataFrame([(*each, whose) for whose, visits in came.items() for each in visits])
    rows.columns = pandas.Index(["where", "what", "whose"])
    (verdict,) = sc.check(rows, ["where", "what"], 3, person=SET).qids
    assert not verdict.holds and verdict.holds_without == ["where", "what"]
    audit = sc.audit(rows, ["where", "what"], person=SET)
    assert [each.distinction for each in audit.quasi_identifiers] == [0.2, 0.2, 0.4]
    assert audit.unique_sets == [] and any("unique_sets" in note for note in audit.notes)


def test_the_command_line_takes_the_rows_of_a_person_as_a_set(tmp_path: Path) -> None:
    pandas.concat([VISITS, VISITS.assign(whose=VISITS["whose"] + "2")]).to_csv(tmp_path / "visits.csv", index=False)
    asked = [str(tmp_path / "visits.csv"), "--qi", "age", "--person", "whose", "--as-set"]
    done = CliRunner().invoke(cli, ["check", *asked, "--k", "2"])
    assert done.exit_code == 0
    assert "is 2-anonymous over (age), counting persons with the same rows: 3 histories of persons" in done.output
    done = CliRunner().invoke(cli, ["check", *asked, "--k", "3"])
    assert done.exit_code == 1
    assert "1 of 3 histories of persons of" in done.output and "have fewer than 3 persons" in done.output
    assert "list the small classes" not in done.output  # no query of classes shows them
    for command, schema in ((["check", *asked, "--k", "2"], "verdict"), (["audit", *asked], "audit")):
        told = json.loads(CliRunner().invoke(cli, [*command, "--json"]).output)
        jsonschema.validate(told, json.loads((installation.schemas() / f"{schema}.json").read_text()))
    done = CliRunner().invoke(cli, ["audit", *asked])
    assert "10 persons, in classes of persons with the same rows" in done.output


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"person": SET, "l_diversity": [{"attribute": "disease", "l": 2}]}, "supports only k, not models"),
        ({"person": SET, "population": VISITS, "k_map": 2}, "supports only k, not a population"),
        ({"person": {"column": "whose"}}, "this key is missing"),
        ({"person": {"column": "whose", "as": "list"}}, "must be 'set'"),
        ({"person": {"column": "nobody", "as": "set"}}, "nobody"),
        ({"person": {"column": "age", "as": "set"}}, "age"),
    ],
)
def test_what_does_not_go_with_sets_is_refused_of_a_check(more: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        sc.check(VISITS, "age", 2, **more)


def test_what_does_not_go_with_sets_is_refused_of_an_audit(tmp_path: Path) -> None:
    for more in ({"sensitive": "disease"}, {"population": VISITS}):
        with pytest.raises(InputError, match="supports only k"):
            sc.audit(VISITS, "age", person=SET, **more)  # type: ignore[arg-type]
    VISITS.to_csv(tmp_path / "visits.csv", index=False)
    for command in (["check", "--k", "2"], ["audit"]):
        done = CliRunner().invoke(cli, [*command, str(tmp_path / "visits.csv"), "--qi", "age", "--as-set"])
        assert isinstance(done.exception, InputError) and "name the columns that identify a person" in str(
            done.exception
        )


@pytest.mark.sampled(3)
def test_every_database_tells_histories_as_a_frame_does(server: Server) -> None:
    """Persons, and values, that differ in case or in a space at the end are two."""
    rows = people(60).assign(whose=[f"{'pP'[at % 2]}{' ' * (at % 3 == 0)}{at % 7}" for at in range(60)])
    server.fill("people", rows, {**TYPES, "whose": "varchar(9)"})
    place = {"url": server.url, "table": "people"}
    for k in (2, 5):
        here, there = (sc.check(data, ["sex", "illness"], k, person=SET) for data in (rows, place))
        assert here.qids == there.qids
    here, there = (sc.audit(data, "sex", person=SET) for data in (rows, place))  # type: ignore[assignment]
    assert here.class_sizes == there.class_sizes and here.uniques == there.uniques  # type: ignore[attr-defined]
