"""Where rows may be left out of many, the best is searched and not all: it is the best of all nevertheless."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from random import Random
from typing import Any

import pytest

from starcloak.job import load
from starcloak.search.algorithm import Answer, SearchContext
from starcloak.search.witness import search as witness
from starcloak.search.witness.settings import Witness
from tests.full_domain import opened
from tests.oracle import Cell, Hierarchy, Oracle
from tests.tables import frame

COLUMNS: dict[str, Any] = {"a": {"digits": 3}, "b": {"digits": 2}, "c": {"digits": 3}, "d": {"digits": 2}}
SENSITIVE = {"l_diversity": [{"kind": "entropy", "attribute": "line", "l": 2}]}


def table(seed: int) -> Oracle:
    """Skewed rows, so that groups of all sizes are there at most of the 144 nodes."""
    random = Random(seed)

    def digits(length: int) -> Hierarchy:
        leaves = ["".join(digit) for digit in product("012", repeat=length)]
        return {
            leaf: (*(leaf[: length - lost] + "*" * lost for lost in range(length)), "*")
            for leaf in random.sample(leaves, 6)
        }

    trees = [digits(each["digits"]) for each in COLUMNS.values()]
    rows: list[tuple[Cell, ...]] = [
        tuple(sorted(tree)[int(len(tree) * random.random() ** 3)] for tree in trees)  # type: ignore[type-var]
        for _ in range(100)
    ]
    return Oracle(rows, trees)


@contextmanager
def as_if_large(at_hand: int, together: int) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(witness, "_DEAR", 0)
        patch.setattr(witness, "_LARGEST", at_hand)
        patch.setattr(witness, "_ROUND_OF_BEST", together)
        patch.setattr(witness, "_LOOKS", 0)
        yield


def answer(oracle: Oracle, objective: str, suppression: str, **asked: Any) -> Answer:
    described = {
        "quasi_identifiers": COLUMNS,
        "requirement": {"k": 3, "suppression": suppression, **asked},
        "objective": {"minimize": objective},
        "sensitive" if asked else "keep": ["line"],
    }
    job = load(described)
    with opened(job, frame(list(COLUMNS), oracle.rows)) as star:
        return witness.search(star, job.required.over(star.domains), Witness(), SearchContext(1, job.objective, "rows"))


@pytest.mark.sampled(6)
@pytest.mark.parametrize("objective", ["loss", "precision", "distortion", "height"])
@pytest.mark.parametrize("suppression", ["0.03", "0.1", "0.4"])
def test_the_best_is_that_of_brute_force(objective: str, suppression: str) -> None:
    """With one verdict between two choices or several, from one frequency set at hand or from parts of the lattice."""
    passed_by = 0
    for seed, (at_hand, together) in enumerate(product([10, 500_000], [1, 5])):
        oracle = table(seed)
        anonymous = oracle.anonymous(3, int(float(suppression) * len(oracle.rows)))
        costs = {node: oracle.cost(node, 3, objective) for node in anonymous}
        equal = [node for node in anonymous if costs[node] <= min(costs.values()) + 1e-12]
        with as_if_large(at_hand, together):
            found = answer(oracle, objective, suppression)
        levels = tuple(found.recoding.levels[name] for name in COLUMNS)
        assert levels == min(equal, key=lambda node: oracle.rank(node, 3, [*COLUMNS]))
        told = found.told
        assert {tuple(node.values()) for node in told.anonymous_levels} <= anonymous
        assert told.anonymous_nodes == len(anonymous) or (told.anonymous_nodes < len(anonymous) and not told.complete)
        passed_by += not told.complete
    assert passed_by


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(3))
def test_all_are_found_where_what_satisfies_is_asked_node_by_node(seed: int) -> None:
    """Entropy l-diversity says nothing of the nodes above one that satisfies it: its bound needs all nodes."""
    oracle = table(seed)
    expected = answer(oracle, "loss", "0.3", **SENSITIVE)
    with as_if_large(500_000, 1):
        found = answer(oracle, "loss", "0.3", **SENSITIVE)
    assert found.told.complete and found.told.pruned == "implied bound"
    assert found.told.anonymous_nodes == expected.told.anonymous_nodes
    assert found.recoding.levels == expected.recoding.levels
