"""Classes of neighbours of the sweep against plain Python, and lattices too large to be visited whole."""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starcloak.commands import pipeline
from starcloak.search.sweep import classes, clusters, large_lattices, nodes, search
from starcloak.search.sweep import settings as sweep_settings
from starcloak.search.sweep.greedy_sweep import Walk
from starcloak.search.sweep.tuples import SweepTuples
from tests.oracle import TREES
from tests.search.test_improvement import drawn
from tests.search.test_sweep import ROWS, WITH_DISEASE, Row, common, described, loss, opened, satisfied

CLOSE = 1e-5  # costs are added as floats of 32 bits


def cost_of(members: list[Row], rows: list[Row]) -> float:
    """What a row of a class loses at its closest common generalization."""
    levels = [
        next(level for level in range(len(tree[one])) if len({tree[other[at]][level] for other in members}) == 1)
        for at, (tree, one) in enumerate(zip(TREES, members[0], strict=True))
    ]
    return loss(members[0], levels, rows)


def around(seed: Row, left: Counter[Row], k: int, rows: list[Row], *, ties: list[int]) -> list[list[Row]]:
    """Every class that can grow around a tuple, each time by one of those that raise its cost least."""
    grown, done = [[seed]], []
    while grown:
        members = grown.pop()
        others = [one for one in left if one not in members]
        if sum(left[one] for one in members) >= k:
            done.append(members)
        elif others:
            costs = [cost_of([*members, one], rows) for one in others]
            nearest = [one for one, cost in zip(others, costs, strict=True) if cost <= min(costs) + CLOSE]
            ties.append(len(nearest))
            grown += [[*members, one] for one in nearest]
    return done


@pytest.mark.sampled(5)
@pytest.mark.parametrize("k", [2, 4, 6])
@pytest.mark.parametrize("seed", range(8))
def test_each_class_grows_by_whom_its_cost_rises_least_and_the_cheapest_is_first(seed: int, k: int) -> None:
    rows = drawn(30, np.random.default_rng(seed))
    with pytest.MonkeyPatch.context() as patched, opened(described(k), rows) as (_, at_hand, leaves):
        patched.setattr(clusters, "_SHARE", 0.0)
        patched.setattr(clusters, "_FEW", 0)  # one class at a time
        patched.setattr(clusters, "_SEEDS", 10**6)
        of, count = clusters.form(at_hand, np.arange(len(at_hand)), np.random.default_rng(1), lambda _: None)
        left, members = Counter(rows), defaultdict[int, list[Row]](list)
        for leaf, own in zip(leaves, of.tolist(), strict=True):
            members[own].append(leaf)
        assert sum(left[leaf] for leaf in members.pop(-1, [])) < k and set(members) == set(range(count))
        for own in range(count):
            ties: list[int] = []
            grown = [each for seed in left for each in around(seed, left, k, rows, ties=ties)]
            assert set(members[own]) in [set(each) for each in grown]
            if set(ties) <= {1}:
                assert cost_of(members[own], rows) <= min(cost_of(each, rows) for each in grown) + CLOSE
            for leaf in members[own]:
                del left[leaf]


@given(ROWS, st.integers(1, 5), st.sampled_from([(0.15, 20), (1.0, 20)]), st.integers(1, 5), st.integers(1, 3))
@settings(max_examples=25, deadline=None)
def test_no_more_rows_than_a_class_needs_are_in_none(
    rows: list[Row], k: int, at_a_time: tuple[float, int], near: int, values: int
) -> None:
    """However few neighbours, values and cells are looked at."""
    with pytest.MonkeyPatch.context() as patched, opened(described(k), rows) as (_, at_hand, _):
        for name, value in [("_SHARE", at_a_time[0]), ("_FEW", at_a_time[1]), ("_NEAR", near), ("_PER_ROW", 1)]:
            patched.setattr(clusters, name, value)
        for name in ("_VALUES", "_AT_ONCE", "_PAIRS", "_SEEDS"):
            patched.setattr(clusters, name, values)
        of, count = clusters.form(at_hand, np.arange(len(at_hand)), np.random.default_rng(1), lambda _: None)
        sizes = np.bincount(of[of >= 0], weights=at_hand.frequency[of >= 0], minlength=count)
        assert (sizes >= k).all() and at_hand.frequency[of < 0].sum() < k


@pytest.mark.parametrize("region", [7, 1000])
def test_regions_have_neighbours_of_their_own(monkeypatch: pytest.MonkeyPatch, region: int) -> None:
    monkeypatch.setattr(sweep_settings, "_REGION", region)
    monkeypatch.setattr(sweep_settings, "_FEWEST", 1)
    random = np.random.default_rng(5)
    rows = drawn(60, random)
    with opened(described(2), rows) as (_, at_hand, _):
        some = np.flatnonzero(np.arange(len(at_hand)) % 3)
        of, count = clusters.form(at_hand, some, random, lambda _: None)
        sizes = np.bincount(of[of >= 0], weights=at_hand.frequency[of >= 0], minlength=count)
        assert len(sizes) == count and (sizes >= 2).all() and (of[::3] == -1).all()
        # Of each region less than k rows are in none.
        assert at_hand.frequency[some][of[some] < 0].sum() <= -(-len(some) // min(region, len(some)))


@pytest.mark.parametrize(
    ("compared", "fewest", "regions"), [(30 * 15, 5, 2), (30 * 15, 30, 1), (1, 5, 6), (10**9, 5, 1)]
)
def test_of_more_tuples_regions_are_smaller(
    compared: int, fewest: int, regions: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is compared grows no faster than the tuples."""
    monkeypatch.setattr(sweep_settings, "_PAIRS", compared)
    monkeypatch.setattr(sweep_settings, "_FEWEST", fewest)
    told: list[str] = []
    with opened(described(2), drawn(60, np.random.default_rng(5))) as (_, at_hand, _):
        some = np.arange(30)
        assert len(at_hand) >= 30
        clusters.form(at_hand, some, np.random.default_rng(1), told.append)
    assert len(told) == regions


def test_threads_share_the_work_and_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "_PAIRS", 80 * 3)
    monkeypatch.setattr(clusters, "_AT_ONCE", 1)
    helpers: set[int] = set()
    look = clusters.np.argpartition

    def seen(*arguments: Any, **named: Any) -> Any:
        helpers.add(threading.get_ident())
        time.sleep(0.001)
        return look(*arguments, **named)

    monkeypatch.setattr(clusters.np, "argpartition", seen)
    with opened(described(3), drawn(80, np.random.default_rng(6))) as (_, at_hand, _):
        everyone, found = np.arange(len(at_hand)), []
        for threads in (1, 4):
            helpers.clear()
            of, count = clusters.form(at_hand, everyone, np.random.default_rng(1), lambda _: None, threads=threads)
            assert (len(helpers) > 1) == (threads > 1)
            found.append((of.tolist(), count))
    assert found[0] == found[1]


def total(at_hand: SweepTuples, of: Any) -> float:
    return classes.cost(at_hand, of, int(of.max()) + 1)


@pytest.mark.sampled(3, among="neighbours")
@given(WITH_DISEASE, st.integers(1, 4), st.integers(1, 3), st.sampled_from(["0", "0.1", "0.3"]), st.integers(0, 3))
@settings(max_examples=12)
def test_a_large_lattice_is_settled_and_every_class_satisfies(
    rows: list[Row], k: int, values: int, suppression: str, seed: int
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(nodes, "MOST", 6)
        satisfied(rows, k, values, suppression, seed)


def test_of_a_large_lattice_the_cheapest_way_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of neighbours alone, of these beside cheap groups, and of groups: each is the cheapest somewhere."""
    monkeypatch.setattr(nodes, "MOST", 6)
    taken = set[int]()
    for seed in range(12):
        rows = drawn(40 + 5 * seed, np.random.default_rng(seed))
        with opened(described(3), rows) as (_, at_hand, leaves):
            assert nodes.is_wide(at_hand)
            random = np.random.default_rng(seed)
            walk = Walk(at_hand, nodes.nodes_to_visit(at_hand, random), random)
            ways = large_lattices.ways(walk, lambda _: False, lambda _: None)
            there = [
                total(at_hand, search.settle(at_hand, *classes.apart(way.of, way.count), allowed=0, dearest=1.0).of)
                for way in ways
            ]
            of, told = search.swept(at_hand, seed=seed, allowed=0, dearest=1.0)
            assert total(at_hand, of) == pytest.approx(min(there))
            taken.add(there.index(min(there)))
            members: dict[int, list[Row]] = defaultdict(list)
            for own, leaf in zip(of.tolist(), leaves, strict=True):
                members[own].append(leaf)
            assert len({common(each) for each in members.values()}) == told.classes == len(members)
    assert len(taken) > 1


def test_the_dearest_classes_are_taken_apart_as_far_as_rows_may_be_left_out() -> None:
    with opened(described(3), drawn(60, np.random.default_rng(2))) as (_, at_hand, _):
        of, count = clusters.form(at_hand, np.arange(len(at_hand)), np.random.default_rng(2), lambda _: None)
        formed = classes.generalize(at_hand, of, count)
        dearest = float(np.median(formed.cost))
        dear = np.argsort(-formed.cost, kind="stable")[: np.count_nonzero(formed.cost > dearest)]
        assert len(dear) > 2
        for taken in range(len(dear) + 1):
            allowed = int(formed.rows[dear[:taken]].sum())
            way = large_lattices.without_dear(
                at_hand, large_lattices.Way(of, count, count), allowed=allowed, dearest=dearest
            )
            assert (way.of[np.isin(of, dear[:taken])] == -1).all() and way.count == way.clusters == count - taken
            assert ((way.of < 0) == (np.isin(of, dear[:taken]) | (of < 0))).all()


@pytest.mark.sampled(3, among="neighbours")
def test_thirty_columns_of_which_no_node_has_a_group_are_released() -> None:
    random = np.random.default_rng(3)
    frame = pandas.DataFrame({f"q{at:02d}": random.integers(0, 8, 240) for at in range(30)})
    asked = {
        "quasi_identifiers": {name: {"intervals": [2, 4]} for name in frame},
        "requirement": {"k": 4},
        "algorithm": {"name": "sweep"},
    }
    result = pipeline.run(asked, frame=frame).result
    assert result.search.sweep.clusters and result.measures.loss < 0.8
    assert "classes of neighbours" in result.search.sweep.summary


@pytest.mark.parametrize("most", [6, 10**6])
def test_a_sweep_that_ends_at_any_time_has_classes_that_satisfy(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodes, "MOST", most)
    costs = []
    with opened(described(3), drawn(80, np.random.default_rng(1))) as (_, at_hand, _):
        for asked in (0, 1, 3, 9, 10**9):
            left = iter(range(asked))
            of, told = search.swept(at_hand, seed=1, allowed=0, dearest=1.0, ends=lambda: next(left, None) is None)  # noqa: B023
            sizes = np.bincount(of, weights=at_hand.frequency)
            assert len(sizes) == told.classes and (sizes >= 3).all() and told.timed is (asked < 10**9)
            costs.append(total(at_hand, of))
    assert min(costs) == costs[-1] < costs[0]


@pytest.mark.sampled(3, among="neighbours")
def test_a_time_limit_is_kept_and_said() -> None:
    frame = pandas.DataFrame({f"q{at:02d}": np.random.default_rng(at).integers(0, 8, 600) for at in range(30)})
    asked = {"quasi_identifiers": {name: {"intervals": [2, 4]} for name in frame}, "requirement": {"k": 4}}
    for more in ({}, {"improve": 60}):
        result = pipeline.run({**asked, "algorithm": {"name": "sweep", "time_limit": 0, **more}}, frame=frame).result
        assert result.k >= 4 and result.search.sweep.timed and not result.search.sweep.is_repeatable
        assert result.search.sweep.summary.endswith("; more seconds may gain more")
