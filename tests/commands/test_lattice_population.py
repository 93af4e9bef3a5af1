"""A lattice within a population answers as runs do, and lists all nodes that satisfy."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pandas
import pytest

import starcloak as sc
from starcloak.base.errors import JobError

KINDS = {"age": {"intervals": [2, 4]}, "zip": {"digits": 2}, "sex": "suppress"}


def people(seed: int) -> tuple[pandas.DataFrame, pandas.DataFrame]:
    chance = random.Random(seed)
    every = [
        (chance.randrange(8), f"{chance.choice('12')}{chance.choice('123')}", chance.choice("fm")) for _ in "a" * 60
    ]
    register = pandas.DataFrame(every, columns=[*KINDS])
    return register.sample(n=40, random_state=seed).reset_index(drop=True), register


@pytest.mark.sampled(6)
@pytest.mark.parametrize("asked", [{"k_map": 3}, {"delta_presence": [0, 0.8]}, {"delta_presence": [0.4, 0.9]}])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_lattice_within_a_population_answers_as_runs_do(seed: int, asked: dict[str, Any]) -> None:
    sample, register = people(seed)
    base = {"quasi_identifiers": KINDS, "requirement": {"k": 1, **asked}, "insight": "off"}
    lattice = sc.lattice(base, frame=sample, population=register)
    by_least = asked.get("delta_presence", [0])[0]
    for k, share in product((1, 2, 4), ("0",) if by_least else ("0", "0.2")):
        job = {**base, "requirement": {"k": k, "suppression": share, **asked}}
        answer = lattice.at(k, share)
        try:
            result = sc.run(job, frame=sample, population=register).result
        except sc.RequirementError:
            assert answer.chosen is None and not lattice.levels_at(k, share)
            continue
        assert answer.chosen is not None
        assert (
            dict(zip(lattice.attributes, lattice.nodes[answer.chosen].tolist(), strict=True)) == result.recoding.levels
        )
        assert int(answer.satisfying.sum()) == result.search.anonymous_nodes == len(lattice.levels_at(k, share))
        assert int(answer.left_out[answer.chosen]) == result.suppressed_rows
        assert answer.loss[answer.chosen] == pytest.approx(result.measures.loss, abs=1e-9)
        assert sorted(lattice.nodes[answer.minimal].tolist()) == sorted(result.search.minimal)
    if by_least:
        with pytest.raises(JobError, match="give suppression=0"):
            lattice.at(2, "0.1")
        with pytest.raises(JobError, match="the release then has none of their people"):
            sc.run({**base, "requirement": {"k": 1, "suppression": 0.1, **asked}}, frame=sample, population=register)


def test_all_nodes_that_satisfy_are_listed_however_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """A result has the lowest 100 alone."""
    chance = random.Random(3)
    frame = pandas.DataFrame({name: [chance.randrange(16) for _ in range(300)] for name in "abcd"})
    job = {
        "quasi_identifiers": {name: {"intervals": [2, 4, 8]} for name in "abcd"},
        "requirement": {"k": 2},
        "insight": "off",
    }
    search = sc.run(job, frame=frame).result.search
    lattice = sc.lattice(job, frame=frame)
    listed = lattice.levels_at(2)
    assert len(listed) == search.anonymous_nodes > 100 == len(search.anonymous_levels)
    heights = [sum(levels.values()) for levels in listed]
    assert heights == sorted(heights)
    assert all(levels in listed for levels in search.anonymous_levels)
    monkeypatch.setattr("starcloak.commands.counted_lattice.MOST_NODES", 10)
    with pytest.raises(JobError, match="only its frontier"):
        sc.lattice(job, frame=frame).levels_at(2)
    with pytest.raises(JobError, match="with a population, the whole lattice must be counted"):
        asked = {**job, "requirement": {"k": 1, "k_map": 2}}
        sc.lattice(asked, frame=frame, population=frame)
