"""explain: which lower neighbours fail and by how much, what costs most, and what a weaker requirement would bring."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import jsonschema
import pandas
import pytest
from click.testing import CliRunner, Result

import starcloak as sc
from starcloak.base import installation
from starcloak.commands.cli import cli
from starcloak.commands.explanation.result import Explanation

HIERARCHIES: dict[str, Any] = {"age": {"intervals": [10, 30]}, "zip": {"digits": 2}, "sex": "suppress"}


def drawn(seed: int, rows: int = 80) -> pandas.DataFrame:
    chance = random.Random(seed)
    return pandas.DataFrame(
        {
            "age": [str(chance.randint(20, 79)) for _ in range(rows)],
            "zip": [f"{chance.randint(1, 3)}{chance.randint(0, 3)}" for _ in range(rows)],
            "sex": [chance.choice("fm") for _ in range(rows)],
        }
    )


def recoded(frame: pandas.DataFrame, levels: dict[str, int]) -> pandas.DataFrame:
    """The frame at some levels, by hand."""
    age = frame["age"].astype(int)
    ages = [age, age // 10, age // 30, age * 0]
    zips = [frame["zip"], frame["zip"].str[0], frame["zip"].str[:0]]
    sexes = [frame["sex"], frame["sex"].str[:0]]
    return pandas.DataFrame({"age": ages[levels["age"]], "zip": zips[levels["zip"]], "sex": sexes[levels["sex"]]})


def small(frame: pandas.DataFrame, levels: dict[str, int], k: int) -> tuple[int, int]:
    """How many classes are smaller than k, and how many rows are in them."""
    sizes = recoded(frame, levels).groupby(["age", "zip", "sex"]).size()
    few = sizes[sizes < k]
    return len(few), int(few.sum())


def enough(frame: pandas.DataFrame, found: Explanation, lowered: str, k: int) -> list[str]:
    """The other columns without which it would hold one level lower, by hand."""
    rows = recoded(frame, {**found.levels, lowered: found.levels[lowered] - 1})
    named = []
    for name in ("age", "zip", "sex"):
        sizes = rows.groupby([other for other in rows if other != name]).size()
        if name != lowered and sizes[sizes < k].sum() <= found.allowed_rows:
            named.append(name)
    return named


def explained(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["explain", *arguments])


@pytest.mark.sampled(6)
@pytest.mark.parametrize("seed", range(8))
def test_every_lower_neighbour_is_told_as_counting_by_hand_finds_it(seed: int) -> None:
    frame, k = drawn(seed), 3 + seed % 4
    suppression = ["0", "0.1"][seed % 2]
    job = {"quasi_identifiers": HIERARCHIES, "requirement": {"k": k, "suppression": suppression}}
    found = sc.explain(job, frame=frame)
    release = sc.run(job, frame=frame).result
    assert found.levels == release.recoding.levels and found.loss == release.measures.loss
    assert [lower.attribute for lower in found.lower] == [name for name, level in found.levels.items() if level]
    worst: dict[str, int] = {}
    for lower in found.lower:
        assert lower.level == found.levels[lower.attribute] - 1
        classes, rows = small(frame, {**found.levels, lower.attribute: lower.level}, k)
        assert lower.holds == (rows <= found.allowed_rows)
        worst[lower.attribute] = 0 if lower.holds else rows
        told = [(one.classes, one.rows) for one in lower.violations]
        hidden = tuple(None if 0 < count < k else count for count in (classes, rows))
        assert told == ([hidden] if rows else [])
        if not lower.holds:
            assert lower.violations[0].holds_without == enough(frame, found, lower.attribute, k)
    assert found.blocks == (max(worst, key=lambda name: worst[name]) if any(worst.values()) else None)


def test_a_lower_level_counts_suppression_caused_by_other_suppression() -> None:
    rows = [("d", "q"), ("a", "p"), ("d", "q"), ("b", "p"), ("a", "p"), ("d", "p"), ("d", "p")]
    letters = {"levels": {"a": "A", "b": "A", "c": "B", "d": "B"}}
    requirement = {"k": 2, "suppression": "0.2", "t_closeness": [{"attribute": "s", "t": "0.3"}]}
    job = {"quasi_identifiers": {"g": letters}, "sensitive": ["s"], "requirement": requirement}
    found = sc.explain(job, frame=pandas.DataFrame(rows, columns=["g", "s"]))
    # Without b, p is rarer, and the two rows of a violate t-closeness; one row may be suppressed.
    (lower,), (violation,) = found.lower, found.lower[0].violations
    assert (lower.holds, violation.classes, violation.rows, found.blocks) == (False, 2, 3, "g")


def test_a_class_of_the_population_without_rows_counts_no_row(work: Path) -> None:
    people = pandas.DataFrame([(g, h) for g in "abcd" for h in "xy"] * 6, columns=["g", "h"])
    people.to_csv("people.csv", index=False)
    rows = pandas.DataFrame([("a", "x"), ("c", "y"), ("d", "x"), ("b", "y")] * 3, columns=["g", "h"])
    pairs = {"levels": {"a": "A", "b": "A", "c": "B", "d": "B"}}
    within = {"delta_presence": ["0.1", "0.9"], "population": {"path": "people.csv"}}
    job = {"quasi_identifiers": {"g": pairs, "h": "suppress"}, "requirement": {"k": 2, **within}}
    (lower,) = sc.explain(job, frame=rows).lower
    assert (lower.holds, [(one.classes, one.rows) for one in lower.violations]) == (False, [(4, 0)])


def test_with_several_qids_each_is_told() -> None:
    qids = [{"attributes": ["age", "sex"], "k": 4}, {"attributes": ["zip"], "k": 30}]
    found = sc.explain({"quasi_identifiers": HIERARCHIES, "requirement": {"qids": qids}}, frame=drawn(1))
    named = {tuple(one.attributes) for lower in found.lower for one in lower.violations}
    assert named and named <= {("age", "sex"), ("zip",)} and found.weaker == []
    assert not [lower for lower in found.lower if lower.attribute == "zip" and ("age", "sex") in named and lower.holds]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("algorithm", ["kaca", "mondrian"])
def test_of_a_local_recoding_the_columns_that_cost_most_are_told(algorithm: str) -> None:
    job = {"quasi_identifiers": HIERARCHIES, "requirement": {"k": 5}, "algorithm": {"name": algorithm}}
    found = sc.explain(job, frame=drawn(2))
    release = sc.run(job, frame=drawn(2)).result
    assert {cost.attribute: cost.loss for cost in found.columns} == release.measures.attribute_loss
    assert [cost.loss for cost in found.columns] == sorted((cost.loss for cost in found.columns), reverse=True)
    assert sum(cost.share for cost in found.columns) == pytest.approx(1)
    assert (found.lower, found.blocks) == ([], None)


def test_what_less_would_bring_is_what_a_run_with_less_brings() -> None:
    job = {"quasi_identifiers": HIERARCHIES, "requirement": {"k": 5}, "objective": {"minimize": "loss"}}
    found = sc.explain(job, frame=drawn(3))
    assert [(weaker.k, weaker.suppression) for weaker in found.weaker] == [(4, 0.0), (5, 0.01)]
    for weaker in found.weaker:
        requirement = {"k": weaker.k, "suppression": str(weaker.suppression)}
        release = sc.run({**job, "requirement": requirement}, frame=drawn(3)).result
        assert weaker.released is not None
        assert (weaker.released.levels, weaker.released.loss) == (release.recoding.levels, release.measures.loss)


def test_the_command_tells_it_and_its_json_is_valid(work: Path) -> None:
    drawn(4).to_csv("t.csv", index=False)
    job = {"source": {"path": "t.csv"}, "quasi_identifiers": HIERARCHIES, "requirement": {"k": 6}}
    Path("job.yaml").write_text(json.dumps({**job, "output": {"path": "out.csv"}}))
    done = explained("job.yaml", "--json")
    assert done.exit_code == 0 and not Path("out.csv").exists()
    told = json.loads(done.stdout)
    jsonschema.validate(told, json.loads((installation.schemas() / "explanation.json").read_text()))
    done = explained("job.yaml")
    assert done.stderr.startswith("starcloak: 3 searches by witness, each about as long as the search of a run\n")
    text = done.stdout
    assert text.startswith("chosen      age ") and f"blocks      {told['blocks']}" in text
    assert "weaker      k - 1: loss" in text


def test_what_cannot_be_met_or_read_is_told_as_a_run_tells_it(work: Path) -> None:
    drawn(4).to_csv("t.csv", index=False)
    job = {"source": {"path": "t.csv"}, "quasi_identifiers": HIERARCHIES, "requirement": {"k": 600}}
    Path("job.yaml").write_text(json.dumps(job))
    assert isinstance(explained("job.yaml").exception, sc.RequirementError)
    assert "none.yaml is not there" in str(explained("none.yaml").exception)
    Path("t.csv").write_text("age,zip,sex\n")
    assert "has no rows" in str(explained("job.yaml").exception)


JOINED: dict[str, dict[str, Any]] = {
    "one QID": {"k": 2},
    "several QIDs": {"qids": [{"attributes": ["age", "sex"], "k": 2}, {"attributes": ["zip", "sex"], "k": 2}]},
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("requirement", JOINED)
@pytest.mark.parametrize("algorithm", ["datafly", "witness"])
def test_a_lower_level_holds_only_if_a_run_fixed_to_it_publishes(seed: int, requirement: str, algorithm: str) -> None:
    if requirement == "several QIDs" and algorithm == "datafly":
        pytest.skip("datafly has one QID")
    frame = drawn(seed).assign(who=[f"p{row}" for row in range(80)])
    kinds: dict[str, Any] = {**HIERARCHIES, "sex": {"suppress": True}}
    job = {"person": "who", "quasi_identifiers": kinds, "requirement": {**JOINED[requirement], "joined_rows": 4}}
    try:
        found = sc.explain({**job, "algorithm": {"name": algorithm}, "objective": {"minimize": "loss"}}, frame=frame)
    except sc.RequirementError:
        job["requirement"] = {**JOINED[requirement], "joined_rows": 1}
        found = sc.explain({**job, "algorithm": {"name": algorithm}, "objective": {"minimize": "loss"}}, frame=frame)
    for lower in found.lower:
        levels = {**found.levels, lower.attribute: lower.level}
        fixed = {name: {**of, "from": levels[name], "to": levels[name]} for name, of in kinds.items()}
        try:
            published = sc.run({**job, "quasi_identifiers": fixed}, frame=frame).result.recoding.levels == levels
        except sc.RequirementError:
            published = False
        assert lower.holds == published, lower
        assert (lower.problem is None) == (lower.holds or bool(lower.violations))
        assert not [one for one in lower.violations if one.holds_without]


def test_a_lower_level_that_only_the_verifier_refuses_has_its_reason(work: Path) -> None:
    # Datafly climbs `area`, `sort`, `area`; then the classes of `sort` have 3 persons or more, less than joined_rows.
    areas, sorts = ["a"] * 5 + ["b"] * 5 + ["c"] * 5 + ["d"], ["x"] * 10 + ["y"] * 3 + ["z"] * 3
    people = [f"p{row}" for row in range(16)]
    pandas.DataFrame({"who": people, "area": areas, "sort": sorts}).to_csv("t.csv", index=False)
    kinds = {"area": {"levels": {"a": "A", "b": "A", "c": "A", "d": "B"}}, "sort": "suppress"}
    job: dict[str, Any] = {"source": {"path": "t.csv"}, "person": "who", "quasi_identifiers": kinds}
    job |= {"algorithm": {"name": "datafly"}, "requirement": {"k": 2, "joined_rows": 5}}
    found = sc.explain(job)
    assert found.levels == {"area": 2, "sort": 1}
    area, sort = found.lower
    assert not area.holds and area.violations and area.problem is None
    assert (sort.holds, sort.violations) == (False, []) and sort.problem is not None
    assert sort.problem.startswith("requirement.joined_rows: k of joined rows is 3, less than the required 5")
    Path("job.yaml").write_text(json.dumps({**job, "output": {"path": "out.csv"}}))
    assert "sort as it is: a run at this level would be refused: requirement.joined" in explained("job.yaml").stdout
    without = {**job, "requirement": {"k": 2}}
    assert [lower.holds for lower in sc.explain(without).lower] == [False, True]
