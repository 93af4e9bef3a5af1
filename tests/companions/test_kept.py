"""Kept columns beside quasi-identifiers: what they tell together, and which of them is a quasi-identifier again."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pandas
import pytest
from click.testing import CliRunner

import starcloak as sc
from starcloak.commands.cli import cli
from starcloak.job import load
from starcloak.job.result import Insight
from tests.people import Server

K = 5


def measured(rows: int = 400) -> pandas.DataFrame:
    chance = random.Random(7)
    return pandas.DataFrame(
        {
            "age": [str(20 + chance.randrange(5)) for _ in range(rows)],
            "height": [str(150 + chance.randrange(50)) for _ in range(rows)],
            "weight": [str(50 + chance.randrange(60)) for _ in range(rows)],
        }
    )


JOB: dict[str, Any] = {
    "quasi_identifiers": {"age": "suppress"}, "keep": ["height", "weight"], "requirement": {"k": K}
}  # fmt: skip


def test_rows_that_are_alone_by_all_columns_are_told_with_the_smallest_sets() -> None:
    insight = sc.run(JOB, frame=measured()).result.insight
    assert insight is not None and insight.alone is not None
    sizes = measured().groupby(["age", "height", "weight"]).size()
    assert insight.alone.rows == int((sizes == 1).sum())
    assert insight.alone.sets == [["age", "height", "weight"]] or insight.alone.sets[0] == ["height", "weight"]
    assert any("rows are unique by quasi-identifiers and kept columns together" in line for line in insight.remarks)


@pytest.mark.parametrize("of_a_part", [False, True])
def test_rows_are_not_counted_as_alone_by_sensitive_columns(of_a_part: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody knows them of others: the remark came with nearly every release."""
    if of_a_part:
        monkeypatch.setattr("starcloak.companions.insight.kept_columns.MOST_CELLS", 100)
        monkeypatch.setattr("starcloak.companions.insight.kept_columns.CELLS", 900)
    frame = measured().assign(disease=[str(row) for row in range(400)], ward=["a", "b"] * 200)
    told = []
    for kept, sensitive in (([], ["disease"]), (["ward"], ["disease"])):
        job = {"quasi_identifiers": {"age": "suppress"}, "keep": kept, "sensitive": sensitive,
               "others": "identifiers", "requirement": {"k": K}}  # fmt: skip
        insight = sc.run(job, frame=frame).result.insight
        assert insight is not None
        told += [insight.alone, *(line for line in insight.remarks if "unique by quasi-identifiers" in line)]
    assert told == [None, None]


def _counted_in_a_part(monkeypatch: pytest.MonkeyPatch, frame: pandas.DataFrame) -> sc.Release:
    monkeypatch.setattr("starcloak.companions.insight.kept_columns.MOST_CELLS", 100)
    monkeypatch.setattr("starcloak.companions.insight.kept_columns.CELLS", 300)
    return sc.run(JOB, frame=frame)


def test_no_row_alone_in_a_part_is_not_no_row_alone(monkeypatch: pytest.MonkeyPatch, work: Path) -> None:
    """One row is alone, and of several values of that row, some are in a part that is not counted."""
    says = []
    for lone in range(12):
        rows = [*range(100)] * 5 + [1000 + lone]
        frame = pandas.DataFrame({"age": "20", "height": [f"{row}" for row in rows], "weight": "60"})
        release = _counted_in_a_part(monkeypatch, frame)
        insight = release.result.insight
        assert insight is not None
        if insight.alone is not None:
            assert insight.alone.estimated
            continue
        text = release.report("r.html", profile="hipaa").read_text()
        assert "No row is unique by these columns" not in text and "With the unchanged columns" not in text
        assert "Not all of these columns and rows were examined" in text
        says += [line for line in insight.left_out if "only in a part of the release" in line]
    assert says


def test_a_number_of_rows_alone_in_a_part_is_called_an_estimate(monkeypatch: pytest.MonkeyPatch, work: Path) -> None:
    whole = sc.run(JOB, frame=measured())
    assert whole.result.insight is not None and whole.result.insight.alone is not None
    assert not whole.result.insight.alone.estimated and "By an estimate" not in whole.report("w.html").read_text()
    release = _counted_in_a_part(monkeypatch, measured())
    assert release.result.insight is not None and release.result.insight.alone is not None
    assert release.result.insight.alone.estimated
    assert "By an estimate from a part of the release, " in release.report("r.html").read_text()


def test_nothing_is_told_where_no_row_is_alone() -> None:
    frame = pandas.concat([measured(20)] * 5)
    insight = sc.run({**JOB, "quasi_identifiers": {"age": "suppress"}}, frame=frame).result.insight
    assert insight is not None and insight.alone is None


@pytest.mark.parametrize(("lone", "says"), [(2, "fewer than 5 rows are"), (398, "all but fewer than 5 rows are")])
def test_no_small_count_of_rows_is_told(lone: int, says: str) -> None:
    """Neither of those that are alone nor of the others."""
    cells = [[f"{row // 20}", f"{row % 20}"] if row < lone else ["z", "z"] for row in range(400)]
    frame = pandas.DataFrame(cells, columns=["height", "weight"]).assign(age="20")
    insight = sc.run(JOB, frame=frame).result.insight
    assert insight is not None and insight.alone is not None and insight.alone.rows is None
    assert [line for line in insight.remarks if line.startswith(says)]


def regions(rows: int = 600) -> pandas.DataFrame:
    chance = random.Random(3)
    zips = [f"{chance.randrange(60):03d}" for _ in range(rows)]
    return pandas.DataFrame(
        {
            "zip": zips,
            "region": [f"r{int(code) % 7}" for code in zips],
            "disease": [chance.choice(["flu", "cold", "cough"]) for _ in zips],
        }
    )


REGIONS: dict[str, Any] = {
    "quasi_identifiers": {"zip": {"digits": 3}}, "keep": ["region"], "sensitive": ["disease"], "requirement": {"k": 30}
}  # fmt: skip


def told(insight: Insight) -> list[str]:
    return [line for line in insight.otherwise if "and the generalized quasi-identifier" in line]


def test_a_kept_column_that_a_quasi_identifier_tells_is_named() -> None:
    insight = sc.run(REGIONS, frame=regions()).result.insight
    assert insight is not None
    (line,) = told(insight)
    assert (
        "column 'region' is" in line
        and "'zip' determines it: of the pairs of rows with the same 'zip', 100 % have the same 'region'" in line
    )
    drawn = sc.run({**REGIONS, "requirement": {"k": 2}}, frame=regions()).result
    assert drawn.insight is not None and drawn.recoding.levels == {"zip": 0} and not told(drawn.insight)


@pytest.mark.parametrize("person", [["who"], ["who", "town"]])
def test_rows_of_one_person_determine_no_column(person: list[str]) -> None:
    """Of two persons with the same zip, few have the same region; of two rows with it, nearly all are of one person."""
    chance = random.Random(5)
    zips = [f"{chance.randrange(6_000):04d}" for _ in range(600)]
    regions, areas = [f"r{chance.randrange(4)}" for _ in zips], [f"a{int(code) % 7}" for code in zips]
    persons = pandas.DataFrame({"who": range(600), "town": "x", "zip": zips, "region": regions, "area": areas})
    frame = persons.loc[[row // 6 for row in range(3_600)]]
    job = {**REGIONS, "quasi_identifiers": {"zip": {"digits": 4}}, "keep": ["region", "area"], "sensitive": []}
    insight = sc.run({**job, "person": person, "others": "identifiers"}, frame=frame).result.insight
    assert insight is not None
    (line,) = told(insight)
    assert "column 'area'" in line and "of the pairs of persons with the same 'zip', 100 %" in line


def test_what_else_was_to_be_had_is_told_beside_what_the_source_tells() -> None:
    frame = pandas.DataFrame([(str(3 * age), sex, f"code {age}") for age in range(40) for sex in "fm"])
    frame.columns = pandas.Index(["age", "sex", "code"])
    job = {"quasi_identifiers": {"age": {"intervals": [2, 6]}, "sex": "suppress"}, "requirement": {"k": 2}}
    insight = sc.run({**job, "objective": {"minimize": "height"}, "keep": ["code"]}, frame=frame).result.insight
    assert insight is not None
    assert any(line.startswith("objective height gives a loss") for line in insight.otherwise)


@pytest.mark.sampled(3)
def test_every_host_tells_the_same(work: Path, server: Server) -> None:
    server.fill("people", regions(), dict.fromkeys(regions(), "varchar(20)"))
    result = sc.run({**REGIONS, "source": {"url": server.url, "table": "people"}, "output": {"table": "cohort"}}).result
    expected = sc.run(REGIONS, frame=regions()).result
    assert result.insight is not None and expected.insight is not None
    assert told(result.insight) == told(expected.insight) and result.insight.alone == expected.insight.alone


def test_a_code_that_repeats_a_few_times_is_told() -> None:
    frame = measured().assign(height=[f"c{row // 4}" for row in range(400)], weight="1")
    insight = sc.run(JOB, frame=frame).result.insight
    assert insight is not None
    assert [line for line in insight.remarks if "column 'height'" in line and "a reader can join them" in line]


def test_a_first_job_takes_it_for_a_quasi_identifier(work: Path) -> None:
    frame = regions().rename(columns={"region": "score"})
    frame.to_csv("t.csv", index=False)
    assert CliRunner().invoke(cli, ["init", "t.csv"]).exit_code == 0
    assert set(load("job.yaml").quasi_identifiers) == {"zip", "score"} and load("job.yaml").sensitive == ["disease"]
    assert "revealed by 'zip'" in Path("job.yaml").read_text()
