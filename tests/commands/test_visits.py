"""Rows that are visits: an identifier whose values repeat, in a job that does not say whose a row is."""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path
from typing import Any

import pandas
import pytest
from click.testing import CliRunner

import starcloak as sc
from starcloak.commands.cli import cli
from starcloak.job.persons_result import ByIdentifier
from tests.people import Server

K = 5
JOB: dict[str, Any] = {
    "identifiers": ["patient_id"],
    "quasi_identifiers": {"age": {"intervals": [5, 10, 20, 40]}, "zip": {"digits": 2}},
    "sensitive": ["disease"],
    "requirement": {"k": K},
}


def visits(persons: int = 300, seed: int = 2) -> pandas.DataFrame:
    """One to eight rows of each person, with the same quasi-identifiers."""
    chance = random.Random(seed)
    rows = []
    for person in range(persons):
        age, code = (
            str(5 * chance.randrange(4, 10) + chance.randrange(5)),
            f"{chance.randrange(6)}{chance.randrange(9)}",
        )
        rows += [
            (f"P{person:04d}", age, code, chance.choice(["flu", "cough", "cold"])) for _ in range(chance.randint(1, 8))
        ]
    return pandas.DataFrame(rows, columns=["patient_id", "age", "zip", "disease"])


def counted(source: pandas.DataFrame, release: pandas.DataFrame) -> tuple[int, int]:
    """The classes of a full-domain release, and those of fewer than k persons, by rows of the source that are alike."""
    people = defaultdict(set)
    for person, age, code in zip(source.patient_id, source.age, source.zip, strict=True):
        covers = [
            cells
            for cells in set(zip(release.age, release.zip, strict=True))
            if _covers(cells[0], age) and all(a in ("*", b) for a, b in zip(cells[1], code, strict=False))
        ]
        for cells in covers:
            people[cells].add(person)
    return len(people), sum(len(each) < K for each in people.values())


def _covers(cell: str, age: str) -> bool:
    if cell in ("*", age):
        return True
    low, _, high = cell.strip("[)").partition(", ")
    return bool(high) and int(low) <= int(age) < int(high)


def found(**more: Any) -> list[ByIdentifier]:
    return sc.run({**JOB, **more}, frame=visits()).result.by_identifier


def test_classes_of_fewer_persons_than_k_are_counted() -> None:
    release = sc.run(JOB, frame=visits())
    classes, below = counted(visits(), release.to_pandas())
    (told,) = release.result.by_identifier
    assert release.k is not None and release.k >= K and below > K
    assert (told.identifier, told.k, told.holds, told.classes) == ("patient_id", K, False, classes)
    assert told.classes_below == (below if classes - below in (0, *range(K, classes)) else None)
    assert told.sentence() in release.result.warnings
    assert sc.run({**JOB, "insight": "off"}, frame=visits()).result.by_identifier == [told]
    as_persons = {**JOB, "identifiers": [], "person": "patient_id"}
    assert sc.run(as_persons, frame=visits()).result.by_identifier == []


@pytest.mark.parametrize(("name", "is_noticed"), [("patient_id", True), ("clinic_id", False)])
def test_a_table_of_one_person_is_noticed_by_an_identifier_named_after_persons(name: str, is_noticed: bool) -> None:
    source = visits().assign(patient_id="P0001").rename(columns={"patient_id": name})
    told = sc.run({**JOB, "identifiers": [name]}, frame=source).result.by_identifier
    assert [(each.identifier, each.holds) for each in told] == ([(name, False)] if is_noticed else [])


@pytest.mark.sampled(3)
def test_every_host_counts_the_same(work: Path, server: Server) -> None:
    server.fill("people", visits(), dict.fromkeys(visits(), "varchar(20)"))
    for output in ({"table": "cohort"}, {"path": "cohort.csv"}):
        release = sc.run({**JOB, "source": {"url": server.url, "table": "people"}, "output": output})
        assert release.result.by_identifier == found()


def test_an_identifier_that_cannot_be_read_fails_no_run(work: Path, postgresql: Server) -> None:
    postgresql.fill("people", visits(), dict.fromkeys(visits(), "varchar(20)"))
    postgresql.execute(
        "create view seen as select age, zip, disease, cast(1 / (length(age) - length(age)) as text) as patient_id "
        "from people"
    )
    for output in ({"table": "cohort"}, {"path": "cohort.csv"}):
        result = sc.run({**JOB, "source": {"url": postgresql.url, "table": "seen"}, "output": output}).result
        assert (result.by_identifier, result.released_rows) == ([], len(visits()))


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_files_count_the_same(work: Path, name: str) -> None:
    visits().to_csv("t.csv", index=False)
    visits().to_parquet("t.parquet", index=False)
    release = sc.run({**JOB, "source": {"path": name}, "output": {"path": "out.csv"}})
    assert release.result.by_identifier == found()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("algorithm", [{"name": "sweep"}, {"name": "mondrian"}, {"name": "kaca"}, {"name": "datafly"}])
def test_every_recoding_is_counted(algorithm: dict[str, str]) -> None:
    (told,) = found(algorithm=algorithm)
    assert not told.holds and (told.classes or 0) > K


def test_an_identifier_that_began_or_ended_to_repeat_is_no_unchanged_source(work: Path) -> None:
    repeated = visits()
    unique = repeated.assign(patient_id=[f"P{row:05d}" for row in range(len(repeated))])
    exchanged = repeated.assign(patient_id=repeated.patient_id.to_list()[::-1])
    described = JOB | {"source": {"path": "visits.csv"}, "output": {"path": "out.csv"}}
    said = []
    for rows in (unique, unique, repeated, exchanged, unique):
        rows.to_csv("visits.csv", index=False)
        result = sc.run(described).result
        said.append((result.unchanged, [each.classes_below for each in result.by_identifier]))
        fresh = sc.run({**described, "output": {"path": "fresh.csv", "replace": True}}, force=True).result
        assert said[-1][1] == [each.classes_below for each in fresh.by_identifier]
    assert [unchanged for unchanged, _ in said] == [False, True, False, False, False]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("column", "cells"),
    [
        ("patient_id", [f"P{row}" for row in range(400)]),
        ("patient_id", [None] * 400),
        ("first_name", [f"Ann{row % 60}" for row in range(400)]),
        ("city", [f"town{row % 60}" for row in range(400)]),
        ("clinic_id", [f"C{row % 4}" for row in range(400)]),
        ("weight", [40.5 + row % 90 for row in range(400)]),
    ],
)
def test_nothing_is_said_of_what_is_unique_or_tells_no_person(column: str, cells: list[Any]) -> None:
    frame = visits()[:400].drop(columns="patient_id").assign(**{column: cells})
    result = sc.run({**JOB, "identifiers": [column]}, frame=frame).result
    assert (result.by_identifier, result.warnings) == ([], [])


def test_it_is_said_last_and_in_the_verdict(work: Path) -> None:
    visits().to_csv("t.csv", index=False)
    Path("job.yaml").write_text(
        "{source: {path: t.csv}, identifiers: [patient_id], quasi_identifiers: {age: {intervals: [5, 10, 20, 40]}, "
        "zip: {digits: 2}}, sensitive: [disease], requirement: {k: 5}, output: {path: out.csv}}"
    )
    done = CliRunner().invoke(cli, ["run", "job.yaml"])
    last = done.output.splitlines()[-1]
    assert last.startswith(
        "starcloak: warning: a person may have several rows, as values of identifier 'patient_id' repeat"
    )
    assert "not of      persons, if 'patient_id' identifies persons" in done.output
    assert CliRunner().invoke(cli, ["report", "out.csv", "--into", "r.html"]).exit_code == 0
    verdict = Path("r.html").read_text().partition('class="verdict')[2].partition("</p>")[0]
    assert "But a person may have several rows" in verdict


@pytest.mark.parametrize(
    ("classes", "below", "says"),
    [
        (107, 103, "all but fewer than 5 of 107 classes"),
        (107, 3, "fewer than 5 of 107 classes"),
        (107, 50, "50 of 107 classes"),
        (107, 107, "107 of 107 classes"),
        (4, 4, "all but fewer than 5 classes"),
    ],
)
def test_no_small_count_is_told_nor_is_its_difference(classes: int, below: int, says: str) -> None:
    from starcloak.releases.classes_by_person import counted_below

    told = counted_below("id", ["age"], K, classes, below)
    assert f"repeat: {says} have fewer than 5" in told.sentence()
    assert told.classes_below in (None, 50, 107)
