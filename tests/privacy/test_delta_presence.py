"""δ-presence as a requirement of a run: of every class of the population a share is in the table."""

from __future__ import annotations

from fractions import Fraction
from operator import le
from random import Random
from typing import Any

import numpy as np
import pytest

import starcloak as sc
from starcloak.base.errors import InputError, RequirementError
from starcloak.commands import pipeline
from starcloak.job import Qid
from starcloak.privacy.aggregates import PEOPLE
from starcloak.privacy.delta_presence.model import DeltaPresence
from starcloak.privacy.groups import Grouped, Pairs
from starcloak.privacy.k_map.model import KMap
from starcloak.privacy.requirement import Demand
from starcloak.statements.statement import Statement
from tests.full_domain import EVERY, SINGLE, label
from tests.oracle import HIERARCHIES, TREES
from tests.privacy.test_k_map import NAMES, Row, classes, frame, nodes, run


def outside(size: int, people: int, low: str, high: str) -> bool:
    return not Fraction(low) <= Fraction(size, people) <= Fraction(high)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("algorithm", EVERY, ids=label)
def test_full_domain_searches_ask_every_class_of_the_population(algorithm: dict[str, Any]) -> None:
    rng = Random(label(algorithm))
    for low, high, share in (("0", "0.5", "0.3"), rng.choice([("0.1", "0.6", "0"), ("0", "0.3", "0")])):
        everybody: list[Row] = [tuple(rng.choice(sorted(tree)) for tree in TREES) for _ in range(22)]
        sample = everybody[: rng.randint(4, 8)]
        expected = set()
        for node in nodes():
            people, rows = classes(everybody, node), classes(sample, node)
            out = sum(size for cells, size in rows.items() if outside(size, people[cells], low, high))
            absent = any(outside(0, people[cells], low, high) for cells in people if cells not in rows)
            if not absent and out <= int(Fraction(share) * len(sample)):
                expected.add(node)
        asked = {"k": 1, "delta_presence": [low, high], "suppression": share, "algorithm": algorithm}
        if not expected:
            with pytest.raises(RequirementError):
                run(sample, everybody, **asked)
            continue
        try:
            found = run(sample, everybody, **asked).result
        except RequirementError:
            assert algorithm in SINGLE
            continue
        assert tuple(found.recoding.levels.values()) in expected
        if algorithm not in SINGLE:
            assert found.search.anonymous_nodes == len(expected)
            lowest = {
                node for node in expected if not any(other != node and beneath(other, node) for other in expected)
            }
            assert {tuple(levels) for levels in found.search.minimal} == lowest


def beneath(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return all(map(le, one, other))


def test_the_verifier_counts_classes_that_nobody_of_the_table_has(monkeypatch: pytest.MonkeyPatch) -> None:
    everybody = [("m", "a", "000")] * 2 + [("f", "b", "011")]
    monkeypatch.setattr(DeltaPresence, "violates", lambda model, groups: groups.sizes < 0)
    monkeypatch.setattr(DeltaPresence, "violating", Statement("privacy/shares#never"))
    with pytest.raises(sc.VerificationError, match=r"does not have 0\.1 to 1 of the people of every class"):
        run(everybody[:1], everybody, k=1, delta_presence=["0.1", "1"])


def test_a_class_that_counts_nobody_is_none_of_the_population() -> None:
    rows, register = [("m", "a", "000")], [("m", "a", "000", 2), ("f", "b", "011", 0)]
    job = {"quasi_identifiers": HIERARCHIES, "requirement": {"k": 1, "delta_presence": ["0.1", "0.5"]}}
    counted = frame(register, [*NAMES, "people"])  # type: ignore[arg-type]
    found = pipeline.run(job, frame=frame(rows), population=counted, population_count="people").result
    (model,) = found.requirement.qids[0].models
    assert model.achieved == 0.5 and found.search.minimal == [[0, 0, 0]]


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"delta_presence": [0.5, 0.1]}, "smaller share first"),
        ({"delta_presence": [0.1, 0.5], "suppression": "0.1"}, "suppression removes whole classes"),
        (
            {"delta_presence": [0, 0.5], "algorithm": {"name": "sweep"}},
            "algorithm sweep does not count: take a full-domain algorithm",
        ),
    ],
)
def test_what_delta_presence_cannot_be_asked_of_is_refused(more: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        run([("m", "a", "000")], [("m", "a", "000")], k=1, **more)


def test_a_table_is_checked_within_a_population_by_its_own_words() -> None:
    rows = frame([("m", "a", "000")])
    with pytest.raises(InputError, match="give the options --population and --k-map or --delta-presence"):
        pipeline.check(None, (Qid(attributes=["one"], k=1),), models=[KMap(k=2)], frame=rows)


def test_monotonicity_is_as_declared() -> None:
    """Random mergers break neither with nothing left out; with classes left out, δ-presence leaves out more."""
    rng, grown = Random(1), {"k_map": 0, "delta_presence": 0}
    for _ in range(2_000):
        people = [rng.randint(1, 6) for _ in range(3)]
        sizes = [rng.randint(0, most) for most in people]
        merged = [sizes[0] + sizes[1], sizes[2]], [people[0] + people[1], people[2]]
        for model in (KMap(k=rng.randint(2, 8)), DeltaPresence(min=0, max=rng.choice(("0.3", "0.5", "0.7")))):
            demand = Demand(("one",), (model,))
            before, after = (_violating(demand, *table) for table in ((sizes, people), merged))
            assert before[:2].any() or not after[0]
            left_out = np.array(sizes)[before].sum(), np.array(merged[0])[after].sum()
            grown[model.key] += bool(left_out[1] > left_out[0])
    assert grown["k_map"] == 0 and grown["delta_presence"] > 0


def _violating(demand: Demand, sizes: list[int], people: list[int]) -> Any:
    every = np.arange(len(sizes))
    return demand.violates(
        Grouped(np.array(sizes), {PEOPLE.attribute: Pairs(every, np.zeros(len(sizes), np.int64), 1, np.array(people))})
    )
