"""Nodes of equal cost: the one of most classes, then the lowest, then the first by levels, columns sorted by name."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

import numpy as np
import pandas
import pytest

import starcloak as sc
from starcloak.search.lattice import objective

PRECISION = {"minimize": "precision"}


def levels_of(frame: pandas.DataFrame, columns: str, algorithm: str, suppression: str) -> dict[str, int]:
    job = {
        "quasi_identifiers": dict.fromkeys(columns, "suppress"),
        "requirement": {"k": 2, "suppression": suppression},
        "objective": PRECISION,
        "algorithm": algorithm,
        "insight": "off",
    }
    answer = (lattice := sc.lattice(job, frame=frame)).at(2, suppression)
    levels: dict[str, int] = sc.run(job, frame=frame).result.recoding.levels
    assert answer.chosen is not None
    assert levels == dict(zip(lattice.attributes, lattice.nodes[answer.chosen].tolist(), strict=True))
    return levels


@pytest.mark.sampled(5)
@pytest.mark.parametrize("algorithm", ["witness", "incognito", "bottom-up"])
@pytest.mark.parametrize("columns", ["ab", "ba"])
@pytest.mark.parametrize("suppression", ["0", "0.05"])
def test_of_equal_costs_the_one_of_most_classes_is_taken(algorithm: str, columns: str, suppression: str) -> None:
    """Without one column there are three classes, without the other two: whichever the job names first."""
    few_b = pandas.DataFrame([*product("xyz", "st")], columns=["a", "b"])
    assert levels_of(few_b, columns, algorithm, suppression) == {"a": 0, "b": 1}
    few_a = few_b.rename(columns={"a": "b", "b": "a"})
    assert levels_of(few_a, columns, algorithm, suppression) == {"a": 1, "b": 0}


@pytest.mark.parametrize("columns", ["ab", "ba"])
def test_of_as_many_classes_the_first_by_levels_is_taken_columns_sorted_by_name(columns: str) -> None:
    frame = pandas.DataFrame([*product("xy", "st")], columns=["a", "b"])
    assert levels_of(frame, columns, "witness", "0") == {"a": 0, "b": 1}


def test_what_generalizes_another_node_of_equal_cost_is_not_counted() -> None:
    chance = Random(1)
    nodes = np.array([[chance.randrange(4) for _ in range(3)] for _ in range(30)])
    found = {tuple(node) for node in nodes[objective.lowest(nodes)].tolist()}
    every: set[Any] = {tuple(node) for node in nodes.tolist()}
    assert found == {
        node
        for node in every
        if not any(other != node and all(a <= b for a, b in zip(other, node, strict=True)) for other in every)
    }
