"""Classes that prices choose against the definitions in plain Python: what groups take, what all costs at least."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starcloak.search.sweep import improvement, nodes, prices, search
from starcloak.search.sweep.exchanges import Exchanges
from starcloak.search.sweep.tuples import SweepTuples
from tests.oracle import TREES
from tests.search.test_improvement import anyhow, cost, drawn, moved, node_of
from tests.search.test_sweep import HEIGHTS, ROWS, TOP, Row, common, described, group, loss, opened

FEW = st.lists(st.tuples(*(st.sampled_from(sorted(tree)) for tree in TREES)), min_size=3, max_size=9)


def never() -> bool:
    return False


def everywhere(at_hand: SweepTuples) -> Any:
    return nodes.nodes_to_visit(at_hand, np.random.default_rng(0))


def groups_by_hand(rows: Sequence[Row], leaves: Sequence[Row], k: int) -> dict[frozenset[int], float]:
    """The tuples of every value group of at least k rows that costs less than the top, and what a row costs there."""
    found: dict[frozenset[int], float] = {}
    for node in np.ndindex(*(height + 1 for height in HEIGHTS)):
        if node == TOP:
            continue
        by_cells: dict[Row, list[int]] = {}
        for at, leaf in enumerate(leaves):
            by_cells.setdefault(group(leaf, node), []).append(at)
        for members in by_cells.values():
            costs = loss(leaves[members[0]], node, rows)
            if costs < 1 and sum(rows.count(leaves[at]) for at in members) >= k:
                found[frozenset(members)] = min(costs, found.get(frozenset(members), 9))
    return found


@given(ROWS, st.integers(2, 6), st.integers(0, 99))
@settings(max_examples=25)
def test_a_group_opens_where_its_best_rows_pay_more_than_they_cost(rows: list[Row], k: int, seed: int) -> None:
    if len(rows) < k:
        return
    with opened(described(k), rows) as (_, at_hand, leaves):
        groups = prices.ValueGroups.of(at_hand, everywhere(at_hand))
        by_hand = groups_by_hand(rows, leaves, k)
        assert {frozenset(groups.members_of(at).tolist()) for at in range(len(groups))} == set(by_hand)
        offered = np.random.default_rng(seed).random(len(leaves))
        gained, taken = 0.0, np.zeros(len(leaves))
        open_ = set()
        for members, costs in by_hand.items():
            pays, left, takes = 0.0, float(k), dict.fromkeys(members, 0.0)
            for at in sorted(members, key=lambda at: -offered[at]):
                have = rows.count(leaves[at])
                takes[at] = have if offered[at] > costs else min(have, max(left, 0))
                pays, left = pays + takes[at] * (offered[at] - costs), left - takes[at]
            if pays > 1e-9:
                gained += pays
                open_.add(members)
                for at, many in takes.items():
                    taken[at] += many
        gain, rows_taken, opens = groups.respond(offered) if len(groups) else (0.0, taken, np.zeros(0))
        assert gain == pytest.approx(gained)
        assert rows_taken == pytest.approx(taken)
        assert {frozenset(groups.members_of(at).tolist()) for at in np.flatnonzero(opens)} == open_


@given(ROWS, st.integers(2, 6), st.integers(0, 99))
@settings(max_examples=15)
def test_groups_are_left_out_that_cannot_open_any_more(rows: list[Row], k: int, seed: int) -> None:
    """What stays opens as before, at any prices that tuples may still pay."""
    if len(rows) < k:
        return
    with opened(described(k), rows) as (_, at_hand, _):
        groups = prices.ValueGroups.of(at_hand, everywhere(at_hand))
        random = np.random.default_rng(seed)
        chosen = random.random(len(groups)) < 0.9
        most = random.random(len(at_hand)) * (random.random(len(at_hand)) < 0.8)
        fewer = groups.among(chosen, most)
        assert all(most[fewer.members_of(at)].max() > fewer.cost[at] for at in range(len(fewer)))
        expected = set()
        for at in np.flatnonzero(chosen).tolist():
            members = groups.members_of(at)
            members = members[most[members] > 0]
            if len(members) and at_hand.frequency[members].sum() >= k and most[members].max() > groups.cost[at]:
                expected.add((frozenset(members.tolist()), float(groups.cost[at])))
        assert {
            (frozenset(fewer.members_of(at).tolist()), float(fewer.cost[at])) for at in range(len(fewer))
        } == expected


def partitions(many: int) -> Iterator[list[int]]:
    """All partitions of so many things: the block of each, by numbers in order of appearance."""

    def further(blocks: list[int], count: int) -> Iterator[list[int]]:
        if len(blocks) == many:
            yield blocks
            return
        for block in range(count + 1):
            yield from further([*blocks, block], max(count, block + 1))

    return further([], 0)


def by_partition(rows: list[Row], leaves: Sequence[Row], k: int) -> float:
    """What all rows lose in the best of all partitions of the tuples."""
    sizes, costs = [rows.count(leaf) for leaf in leaves], dict[tuple[int, ...], float]()

    def of(members: tuple[int, ...]) -> float:
        if members not in costs:
            own = [leaves[at] for at in members]
            costs[members] = sum(sizes[at] for at in members) * loss(own[0], node_of(own[0], common(own)), rows)
        return costs[members]

    best = float("inf")
    for blocks in partitions(len(leaves)):
        members = [tuple(at for at, own in enumerate(blocks) if own == block) for block in range(max(blocks) + 1)]
        if min(sum(sizes[at] for at in each) for each in members) >= k:
            best = min(best, sum(of(each) for each in members))
    return best


@given(FEW, st.integers(2, 4), st.integers(1, 60))
@settings(max_examples=20, deadline=None)
def test_no_partition_loses_less_than_the_bound(rows: list[Row], k: int, times: int) -> None:
    if len(rows) < k or len(set(rows)) > 7:
        return
    with opened(described(k), rows) as (_, at_hand, leaves):
        best = by_partition(rows, leaves, k)
        bound = prices.lower_bound(at_hand, everywhere(at_hand), known=best, times=times)
        assert bound <= best + 1e-9


def test_the_bound_is_that_of_the_linear_relaxation() -> None:
    """HiGHS found 8.1388889 for the primal: rows go to groups in parts, and what is open in part takes part of k."""
    with opened(described(5), drawn(200, np.random.default_rng(9))) as (_, at_hand, _):
        first, later, last = (
            prices.lower_bound(at_hand, everywhere(at_hand), known=12.2, times=times) for times in (0, 30, 600)
        )
        assert len(at_hand) == 48
        assert first < 7 < later < last < 8.1388889 < 1.001 * last


def reassigned(at_hand: SweepTuples, of: Any, *, at: Any = None, seed: int = 0) -> tuple[Any, int, int]:
    random = np.random.default_rng(seed)
    exchanges = Exchanges.of(at_hand, random, never, threads=1)
    assert exchanges is not None
    return improvement.reassigned(
        at_hand,
        of,
        int(of.max()) + 1,
        everywhere(at_hand) if at is None else at,
        exchanges,
        changes=25,
        random=random,
        ends=never,
        report=lambda _: None,
    )


@given(ROWS, st.integers(2, 6), st.integers(0, 9), st.sampled_from([4, 1_500]))
@settings(max_examples=20)
def test_what_prices_assign_satisfies_and_costs_less(rows: list[Row], k: int, seed: int, region: int) -> None:
    if len(rows) < k:
        return
    with opened(described(k), rows) as (_, at_hand, leaves), pytest.MonkeyPatch.context() as patch:
        patch.setattr(improvement, "_REGION", region)
        for of in (
            search.swept(at_hand, seed=seed, allowed=0, dearest=1.0)[0],
            anyhow(at_hand, k, np.random.default_rng(seed)),
        ):
            better, count, made = reassigned(at_hand, of, seed=seed)
            before, after = (cost(rows, dict(zip(leaves, each.tolist(), strict=True))) for each in (of, better))
            assert after < before - 1e-7 if made else after == pytest.approx(before)
            assert set(better.tolist()) == set(range(count))
            assert np.bincount(better, weights=at_hand.frequency).min() >= k


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(3))
def test_classes_form_that_satisfy_and_others_join_the_cheapest(seed: int) -> None:
    """What a free tuple pays at most never rises, and is what it costs where it joins."""
    with opened(described(3), drawn(120, np.random.default_rng(seed))) as (_, at_hand, _):
        groups = prices.ValueGroups.of(at_hand, everywhere(at_hand))
        assignment = prices.Assignment(at_hand, groups, np.random.default_rng(seed))
        most, joined = assignment.most.copy(), 0
        while True:
            assignment.settle(50.0, 20, never)
            if not assignment.form():
                break
            assert (assignment.most <= most).all()
            most = assignment.most.copy()
            formed = np.flatnonzero(assignment.of >= 0)
            count = int(assignment.of.max()) + 1
            assert not at_hand.violates(formed, assignment.of[formed], count).any()
            for one in np.flatnonzero((assignment.of < 0) & (assignment.joins >= 0)).tolist():
                of = np.where(assignment.of == assignment.joins[one], 0, -1)
                of[one] = 0
                assert search.classes.generalize(at_hand, of, 1).cost[0] <= most[one] + 1e-9
                joined += 1
        assert joined > 0 and len(set(assignment.of.tolist())) > 5


def test_what_is_in_no_class_joins_where_it_costs_least() -> None:
    rows = drawn(60, np.random.default_rng(2))
    with opened(described(4), rows) as (_, at_hand, leaves):
        of = anyhow(at_hand, 4, np.random.default_rng(0))
        sizes = np.bincount(of, weights=at_hand.frequency)
        some = np.flatnonzero(sizes[of] - at_hand.frequency >= 4)[:5]
        assert len(some) == 5
        for one in some.tolist():
            apart = of.copy()
            apart[one] = -1
            joined, _ = improvement._joined(at_hand, apart)
            costs = []
            for own in range(int(of.max()) + 1):
                apart[one] = own
                costs.append(cost(rows, dict(zip(leaves, apart.tolist(), strict=True))))
            assert cost(rows, dict(zip(leaves, joined.tolist(), strict=True))) == pytest.approx(min(costs))


def test_prices_find_what_no_move_does() -> None:
    """After all moves; and what is left out stays out."""
    found = 0
    for seed in range(6):
        with opened(described(4), drawn(80, np.random.default_rng(seed))) as (_, at_hand, _):
            of = search.swept(at_hand, seed=0, allowed=0, dearest=1.0)[0]
            of = search.classes.number(np.where(of == of[0], -1, of))[0]
            of, count, _ = moved(at_hand, of, int(of.max()) + 1)
            better, count, made = reassigned(at_hand, of, seed=seed)
            assert ((better < 0) == (of < 0)).all() and (better < 0).any()
            assert better.max() == count - 1
            found += made
    assert found >= 2


def test_a_region_without_another_group_stays_as_it_is() -> None:
    """Where no node that is looked at has a group of enough rows."""
    with opened(described(5), drawn(40, np.random.default_rng(1))) as (_, at_hand, _):
        of = anyhow(at_hand, 5, np.random.default_rng(0))
        none = everywhere(at_hand)[:1]
        assert not none.any() and at_hand.frequency.max() < 5
        count = int(of.max()) + 1
        better, now, made = reassigned(at_hand, of, at=none)
        assert (made, now) == (0, count) and (better == of).all()


@given(ROWS, st.integers(2, 6), st.booleans())
@settings(max_examples=10)
def test_groups_are_at_the_nodes_of_classes_and_one_step_beside_them(rows: list[Row], k: int, beside: bool) -> None:
    if len(rows) < k:
        return
    with opened(described(k), rows) as (_, at_hand, _):
        of = anyhow(at_hand, k, np.random.default_rng(0))
        count = int(of.max()) + 1
        own = {tuple(levels) for levels in search.classes.generalize(at_hand, of, count).levels.tolist()}
        expected = {
            node
            for node in np.ndindex(*(height + 1 for height in HEIGHTS))
            for each in own
            if node != TOP and sum(abs(one - other) for one, other in zip(node, each, strict=True)) <= beside
        }
        found = improvement._nodes(at_hand, of, count, beside=beside).tolist()
        assert sorted(map(tuple, found)) == sorted(expected)
