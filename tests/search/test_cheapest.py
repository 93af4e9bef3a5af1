"""The best of the nodes that satisfy a requirement is found without a verdict on those that cost more."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from starcloak.search.lattice.cheapest import Cheapest
from starcloak.search.lattice.objective import AddedUp, Scored, TieOrder
from starcloak.star.open_nodes import OpenNodes
from starcloak.star.tuples import GroupSizes

ROWS = 100


@pytest.mark.sampled(2)
@pytest.mark.parametrize("allowed", [0, 5, 30])
@pytest.mark.parametrize("limit", [1, 3])
def test_no_node_that_is_passed_by_is_the_best(allowed: int, limit: int) -> None:
    for seed in range(300):
        search_for_the_best(allowed, limit, seed)


def search_for_the_best(allowed: int, limit: int, seed: int) -> None:
    """Many nodes cost the same; what rows that are left out add is anything up to what it may be."""
    chance = np.random.default_rng(seed)
    heights = chance.integers(1, 4, chance.integers(2, 5)).tolist()
    steps = [np.cumsum([0, *chance.choice([0.0, 0.05, 0.1, 0.3], height)]) for height in heights]
    every = list(itertools.product(*(range(height + 1) for height in heights)))
    lowest = [*(every[at] for at in chance.integers(0, len(every), 6)), tuple(heights)]
    anonymous = {node for node in every if any(all(a >= b for a, b in zip(node, low, strict=True)) for low in lowest)}
    base = {node: float(sum(step[level] for step, level in zip(steps, node, strict=True))) for node in every}
    more = dict(zip(every, chance.choice([0.0, 0.5, 1.0], len(every)) * allowed / ROWS, strict=True))

    def cost(node: tuple[int, ...]) -> float:
        return round(base[node] + more[node], 12)

    nodes = OpenNodes(heights)
    nodes.settle(tuple(heights), anonymous=True)
    cheapest = Cheapest(
        nodes, AddedUp(steps, [], ROWS, [1] * len(steps)), TieOrder(tuple(range(len(steps)))), allowed=allowed
    )
    passed_by = 0
    while nodes.count(nodes.everything):
        before = nodes.count(nodes.everything)
        for levels in cheapest.nodes(limit):
            nodes.settle(levels, anonymous=levels in anonymous)
        passed_by += cheapest.pass_by()
        assert nodes.count(nodes.everything) < before
    found = {node for node in every if nodes.anonymous[node]}
    assert found <= anonymous
    least = min(map(cost, anonymous))
    equal = {node for node in anonymous if cost(node) == least}
    assert equal <= found  # of which the one of most classes is taken
    assert found == anonymous or passed_by


class Known(AddedUp):
    """A sum over cells, with what is left out at each node told beforehand."""

    def told(self, left_out: np.ndarray) -> Known:
        object.__setattr__(self, "left_out", left_out)
        return self

    def of(self, levels: tuple[int, ...], counted: GroupSizes) -> Scored:  # type: ignore[override]
        base = float(sum(step[level] for step, level in zip(self.steps, levels, strict=True)))
        left_out = float(self.left_out[levels])  # type: ignore[attr-defined]
        return Scored(base, left_out, base + left_out)


@pytest.mark.parametrize("limit", [1, 3])
def test_the_best_is_known_by_the_costs_of_few(limit: int) -> None:
    scored = sum(score_until_the_best_is_known(limit, seed) for seed in range(300))
    assert scored < 300 * 6  # of 30 nodes, of which half satisfy the requirement


def score_until_the_best_is_known(limit: int, seed: int) -> int:
    """Where more is left out beneath a node, never less: what is scored bounds what is not, and equals are kept."""
    chance = np.random.default_rng(seed)
    heights = chance.integers(1, 4, chance.integers(2, 5)).tolist()
    steps = [np.cumsum([0, *chance.choice([0.0, 0.05, 0.1, 0.3], height)]) for height in heights]
    nodes = OpenNodes(heights)
    left_out = chance.choice([0.0, 0.05, 0.1, 0.15, 0.25], nodes.shape)
    for axis in range(left_out.ndim):  # at least that of what is above
        left_out = np.flip(np.maximum.accumulate(np.flip(left_out, axis), axis), axis)
    every = list(itertools.product(*(range(height + 1) for height in heights)))
    anonymous = [node for node in every if left_out[node] <= 0.2]
    nodes.settle(tuple(heights), anonymous=bool(anonymous))
    by_name = tuple(chance.permutation(len(heights)).tolist())
    classes = dict(zip(every, chance.integers(1, 4, len(every)).tolist(), strict=True))
    cost = Known(steps, [], ROWS, [1] * len(steps)).told(left_out)
    cheapest = Cheapest(nodes, cost, TieOrder(by_name), allowed=30)
    scored = 0
    while nodes.count(nodes.everything) or cheapest.promising(nodes.everything):
        assert not anonymous or cheapest.best() is None
        for levels in nodes.telling_nodes(limit, nodes.everything) if nodes.count(nodes.everything) else []:
            nodes.settle(levels, anonymous=levels in anonymous)
        if levels := cheapest.promising(nodes.everything):
            cheapest.score(levels, cast(GroupSizes, SimpleNamespace(classes=classes[levels])))
            scored += 1
        cheapest.pass_by()

    def order(node: tuple[int, ...]) -> tuple[float, int, int, list[int]]:
        base = float(sum(step[level] for step, level in zip(steps, node, strict=True)))
        rounded = round(base + float(left_out[node]), 12)
        return rounded, -classes[node], sum(node), [node[place] for place in by_name]

    assert cheapest.best() == min(anonymous, key=order, default=None)
    return scored


def test_few_are_counted_where_the_cheapest_are_open() -> None:
    """Of 10,000 nodes, whose costs rise with each level: a dozen at most."""
    nodes = OpenNodes([9] * 4)
    nodes.settle((9, 9, 9, 9), anonymous=True)
    steps = [np.linspace(0, most, 10) for most in (9.0, 10.0, 12.0, 15.0)]
    cheapest = Cheapest(nodes, AddedUp(steps, [], ROWS, [1] * 4), TieOrder((0, 1, 2, 3)), allowed=0)
    counted = 0
    while nodes.count(nodes.everything):
        picked = cheapest.nodes(4)
        counted += len(picked)
        for levels in picked:
            nodes.settle(levels, anonymous=levels[3] >= 1)
        cheapest.pass_by()
    assert counted <= 12 and nodes.anonymous[0, 0, 0, 1]
