"""Exchanges between classes against all there are in plain Python: each saves, and none is left that does."""

from __future__ import annotations

from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starcloak.commands import pipeline
from starcloak.search.sweep import classes, exchanges, improvement, nodes
from starcloak.search.sweep.exchanges import Exchanges
from starcloak.search.sweep.tuples import SweepTuples
from tests.daily import drawn_today
from tests.oracle import HIERARCHIES
from tests.search.test_improvement import anyhow, drawn
from tests.search.test_sweep import DISEASES, ROWS, Row, described, frame, opened


def never() -> bool:
    return False


def made(at_hand: SweepTuples, of: Any, chosen: Any = None) -> tuple[Any, int]:
    """The class of each of some tuples after exchanges, and how many these were."""
    found = Exchanges.of(at_hand, np.random.default_rng(0), never, threads=1)
    assert found is not None
    chosen = np.arange(len(at_hand)) if chosen is None else chosen
    return found.made(chosen, at_hand.among(chosen), of, int(of.max()) + 1, never)


def total(at_hand: SweepTuples, of: Any) -> float:
    return classes.cost(at_hand, of, int(of.max()) + 1)


def holds(at_hand: SweepTuples, of: Any) -> bool:
    return not at_hand.violates(np.arange(len(at_hand)), of, int(of.max()) + 1).any()


def every(of: Any, longest: int) -> Any:
    """The classes after every exchange of so many classes at most: in a circle, or with one more tuple in the last."""
    count = int(of.max()) + 1
    for many in range(2, longest + 1):
        for some in combinations(range(count), many):
            for order in permutations(some):
                places = [np.flatnonzero(of == own) for own in order]
                if order[0] == min(order):
                    for moved in product(*places):
                        after = of.copy()
                        after[list(moved)] = [*order[1:], order[0]]
                        yield after
                for moved in product(*places[:-1]):
                    after = of.copy()
                    after[list(moved)] = order[1:]
                    yield after


@pytest.mark.sampled(3, among="exchanges")
@given(ROWS, st.integers(1, 6), st.integers(0, 9))
@settings(max_examples=12, deadline=None)
def test_exchanges_cost_less_and_every_class_satisfies(rows: list[Row], k: int, seed: int) -> None:
    if len(rows) < k:
        return
    with opened(described(k), rows) as (_, at_hand, _):
        of = anyhow(at_hand, k, np.random.default_rng(seed))
        better, many = made(at_hand, of)
        assert set(better.tolist()) <= set(of.tolist()) and holds(at_hand, better)
        if many:
            assert total(at_hand, better) < total(at_hand, of)
        else:
            assert (better == of).all()


@pytest.mark.sampled(5)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("k", [1, 2, 3])
def test_no_exchange_is_left_that_saves(seed: int, k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of few classes, of which each tuple is near every other one."""
    monkeypatch.setattr(exchanges, "_LONGEST", 3)
    with opened(described(k), drawn(8 + seed, np.random.default_rng(seed))) as (_, at_hand, _):
        of = anyhow(at_hand, k, np.random.default_rng(seed))
        better, many = made(at_hand, of)
        least = total(at_hand, better)
        assert (many > 0) == any(
            holds(at_hand, after) and total(at_hand, after) < total(at_hand, of) - 1e-3
            for after in every(of, 3)
            if set(after.tolist()) == set(of.tolist())
        )
        for after in every(better, 3):
            if set(after.tolist()) == set(better.tolist()) and holds(at_hand, after):
                assert total(at_hand, after) > least - 2e-3


@pytest.mark.sampled(3, among="exchanges")
def test_what_two_classes_cannot_do_three_can(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each class has rows for none to leave, and who leaves one is at home in the next but one."""
    found = set[bool]()
    for seed in range(40):
        with opened(described(2), drawn(24, np.random.default_rng(seed))) as (_, at_hand, _):
            of = anyhow(at_hand, 2, np.random.default_rng(seed))
            monkeypatch.setattr(exchanges, "_LONGEST", 2)
            short, _ = made(at_hand, of)
            monkeypatch.setattr(exchanges, "_LONGEST", 4)
            long, more = made(at_hand, short)
            assert total(at_hand, long) <= total(at_hand, short) + 1e-9
            found.add(more > 0)
        if len(found) == 2 and seed >= 7:
            break
    assert found == {True, False}


@pytest.mark.sampled(3, among="exchanges")
def test_a_class_keeps_the_values_that_it_should_have() -> None:
    """Else the run would be refused."""
    better = 0
    for seed in range(4):
        random = np.random.default_rng(seed)
        rows = [(*row, str(random.choice(DISEASES[:3]))) for row in drawn(60, random)]
        asked = described(2, sensitive=["disease"], seed=seed)
        asked["requirement"] = {"k": 2, "l_diversity": [{"attribute": "disease", "l": 3}]}
        improving = {**asked, "algorithm": {"name": "sweep", "improve": 0.2}}
        plain, improved = (pipeline.run(each, frame=frame(rows)).measures.loss for each in (asked, improving))
        assert improved <= plain
        better += improved < plain
    assert better


@pytest.mark.sampled(3, among="exchanges")
def test_a_class_stays_within_one_value_of_the_highest_level() -> None:
    """Else the run would be refused."""
    better = 0
    for seed in range(4):
        rows = drawn(60, np.random.default_rng(seed))
        asked = described(2, seed=seed)
        asked["quasi_identifiers"] = {**HIERARCHIES, "three": {"digits": 3, "to": 2}}
        improving = {**asked, "algorithm": {"name": "sweep", "improve": 0.2}}
        plain, improved = (pipeline.run(each, frame=frame(rows)) for each in (asked, improving))
        better += improved.result.search.sweep.moves
        assert improved.measures.loss <= plain.measures.loss
    assert better


@pytest.mark.sampled(3, among="exchanges")
def test_each_exchange_saves_what_it_is_thought_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """A class that stood in one twice would be counted as if it stood there once."""
    costs = list[float]()
    cost_of = classes.cost

    def seen(tuples: SweepTuples, of: Any, count: int) -> float:
        costs.append(cost_of(tuples, of, count))
        return costs[-1]

    monkeypatch.setattr(classes, "cost", seen)
    for seed, k in drawn_today(product(range(18), (2, 3)), every=6):
        with opened(described(k), drawn(20 * k, np.random.default_rng(seed))) as (_, at_hand, _):
            of = anyhow(at_hand, k, np.random.default_rng(seed))
            costs.clear()
            made(at_hand, of)
            # The last time there was none.
            assert (np.diff(costs[:-1]) < 0).all() and costs[-1] == costs[-2]


@pytest.mark.sampled(3, among="exchanges")
def test_of_a_large_lattice_moves_follow_unless_hardly_two_classes_are_at_one_node(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(nodes, "MOST", 6)
    less = 0
    for seed in range(3):
        rows = drawn(150, np.random.default_rng(seed))
        asked = described(6, seed=seed, algorithm={"name": "sweep", "improve": 0.5})
        whole = pipeline.run(asked, frame=frame(rows)).measures.loss
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(improvement, "_SCATTERED", 0)
            alone = pipeline.run(asked, frame=frame(rows))
            assert not alone.result.search.sweep.regions
        assert whole <= alone.measures.loss
        less += whole < alone.measures.loss
    assert less


@pytest.mark.sampled(2)
@pytest.mark.parametrize("tried", [0, 30])
def test_no_more_steps_are_tried_than_there_is_memory_for(tried: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchanges, "_TRIED", tried)
    lengths = set[int]()
    further = exchanges._Region._further

    def seen(self: Any, paths: Any, *rest: Any) -> Any:
        longer = further(self, paths, *rest)
        lengths.add(len(longer.cost))
        return longer

    monkeypatch.setattr(exchanges._Region, "_further", seen)
    found = 0
    for seed in range(10):
        with opened(described(2), drawn(40, np.random.default_rng(seed))) as (_, at_hand, _):
            of = anyhow(at_hand, 2, np.random.default_rng(seed))
            better, many = made(at_hand, of)
            assert holds(at_hand, better)
            found += many
    assert found and max(lengths) <= tried and (tried == 0 or max(lengths) > 0)


def test_tuples_that_are_in_no_region_stay() -> None:
    found = 0
    for seed in range(10):
        with opened(described(2), drawn(40, np.random.default_rng(seed))) as (_, at_hand, _):
            of = anyhow(at_hand, 2, np.random.default_rng(seed))
            chosen = np.flatnonzero(of <= of.max() // 2)
            better, many = made(at_hand, of[chosen], chosen)
            found += many
            assert len(better) == len(chosen) and set(better.tolist()) <= set(of[chosen].tolist())
            whole = of.copy()
            whole[chosen] = better
            assert holds(at_hand, whole)
    assert found


def test_it_ends_where_it_is() -> None:
    with opened(described(2), drawn(40, np.random.default_rng(3))) as (_, at_hand, _):
        assert Exchanges.of(at_hand, np.random.default_rng(0), lambda: True, threads=1) is None
        of = anyhow(at_hand, 2, np.random.default_rng(3))
        found = Exchanges.of(at_hand, np.random.default_rng(0), never, threads=1)
        assert found is not None
        better, many = found.made(np.arange(len(of)), at_hand, of, int(of.max()) + 1, lambda: True)
        assert not many and (better == of).all()
