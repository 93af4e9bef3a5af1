"""Witness search and its parts, against brute force."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starcloak.commands import pipeline
from starcloak.search.witness import search as witness
from starcloak.star import keys, tuples
from starcloak.star.open_nodes import OpenNodes, between, meet
from starcloak.star.star import Star
from starcloak.star.tuples import Tuples
from tests import demands

Levels = tuple[int, ...]


def beneath(low: Levels, high: Levels) -> bool:
    return all(a <= b for a, b in zip(low, high, strict=True))


@given(st.lists(st.integers(0, 3), min_size=1, max_size=4), st.data())
def test_a_verdict_decides_what_generalizes_or_what_is_generalized(heights: list[int], data: st.DataObject) -> None:
    every = list(product(*(range(height + 1) for height in heights)))
    nodes = OpenNodes(heights)
    verdicts = data.draw(st.lists(st.tuples(st.sampled_from(every), st.booleans()), max_size=4))
    anonymous: set[Levels] = set()
    closed: set[Levels] = set()
    for levels, verdict in verdicts:
        if levels in closed:
            continue
        nodes.settle(levels, anonymous=verdict)
        decided = {node for node in every if (beneath(levels, node) if verdict else beneath(node, levels))}
        closed |= decided
        anonymous |= decided if verdict else set()
    assert {node for node in every if nodes.anonymous[node]} == anonymous
    assert {node for node in every if not nodes.open[node]} == closed
    assert nodes.count(nodes.everything) == len(every) - len(closed)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=4), st.integers(1, 5), st.data())
def test_telling_nodes_are_open_incomparable_and_the_first_closes_most(
    heights: list[int], limit: int, data: st.DataObject
) -> None:
    every = list(product(*(range(height + 1) for height in heights)))
    nodes = OpenNodes(heights)
    nodes.settle(data.draw(st.sampled_from(every)), anonymous=data.draw(st.booleans()))
    box = nodes.everything
    attribute = data.draw(st.integers(0, len(heights) - 1))
    box = between(box, attribute, data.draw(st.integers(0, heights[attribute])), heights[attribute] + 1)
    inside = [node for node in every if node[attribute] >= box[attribute].start]
    open = [node for node in inside if nodes.open[node]]
    picked = nodes.telling_nodes(limit, box)
    assert set(picked) <= set(open)
    assert bool(picked) == bool(open)
    assert len(picked) <= limit
    assert not any(beneath(low, high) for low in picked for high in picked if low != high)

    def closes(node: Levels) -> int:
        return min(sum(beneath(other, node) for other in open), sum(beneath(node, other) for other in open))

    if open:
        assert closes(picked[0]) == max(map(closes, open))
        span = nodes.span(box)
        assert meet(span) == tuple(min(levels) for levels in zip(*open, strict=True))
        assert tuple(side.stop - 1 for side in span) == tuple(max(levels) for levels in zip(*open, strict=True))


@st.composite
def frequency_sets(draw: st.DrawFn) -> tuple[list[list[list[int]]], list[list[int]], list[int]]:
    """Ancestors per attribute, level and code; a code per tuple and attribute; a frequency per tuple."""
    climbs = []
    for _ in range(draw(st.integers(1, 4))):
        leaves = draw(st.integers(1, 5))
        levels = [list(range(leaves))]
        for _ in range(draw(st.integers(0, 2))):
            # A value goes by the code of its first leaf; neighbours merge.
            merges = [False, *(draw(st.booleans()) for _ in range(leaves - 1))]
            below, above = levels[-1], []
            for code in range(leaves):
                first = below[code]
                above.append(above[first - 1] if first and merges[first] else first if first == code else above[first])
            levels.append(above)
        # The top has one value.
        climbs.append([*levels, [0] * leaves] if any(levels[-1]) else levels)
    row = st.tuples(*(st.integers(0, len(levels[0]) - 1) for levels in climbs))
    rows = draw(st.lists(row, min_size=1, max_size=30, unique=True))
    frequency = [draw(st.integers(1, 4)) for _ in rows]
    return climbs, [list(column) for column in zip(*rows, strict=True)], frequency


@settings(max_examples=400)
@given(
    frequency_sets(),
    st.integers(2, 6),
    st.sampled_from([(1 << 62, 1 << 14), (1 << 62, 6), (3, 1)]),
    st.sampled_from([(200, 16), (0, 1)]),
    st.data(),
)
def test_counts_at_hand_are_those_of_plain_python(
    drawn: tuple[list[list[list[int]]], list[list[int]], list[int]],
    k: int,
    largest: tuple[int, int],
    few: tuple[int, int],
    data: st.DataObject,
) -> None:
    """Also where keys do not fit (here: a largest key of 3, and a word for each attribute).

    And where every part is rolled up, and of closed nodes.
    """
    climbs, leaves, frequency = drawn
    heights = [len(levels) - 1 for levels in climbs]
    nodes = OpenNodes(heights)
    box = nodes.everything
    for attribute, height in enumerate(heights):
        low = data.draw(st.integers(0, height))
        box = between(box, attribute, low, data.draw(st.integers(low, height)) + 1)
    codes = [
        [levels[side.start][leaf] for leaf in column] for levels, side, column in zip(climbs, box, leaves, strict=True)
    ]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(keys, "LARGEST", largest[0])
        patched.setattr(keys, "_WORD", largest[1])
        patched.setattr(tuples, "_FEW_TUPLES", few[0])
        patched.setattr(tuples, "_FEW_NODES", few[1])
        hand = Tuples(
            [np.array(column, np.int64) for column in codes],
            np.array(frequency, np.int64),
            climbs=[[np.array(level, np.int64) for level in levels] for levels in climbs],
            nodes=nodes,
            box=box,
        )
        inside = list(product(*(range(side.start, side.stop) for side in box)))

        def groups(node: Levels) -> dict[tuple[int, ...], list[int]]:
            found: dict[tuple[int, ...], list[int]] = {}
            for place in range(len(frequency)):
                value = tuple(climbs[at][level][codes[at][place]] for at, level in enumerate(node))
                found.setdefault(value, []).append(place)
            return found

        for node in [*inside, *data.draw(st.permutations(inside))]:
            sizes = [sum(frequency[place] for place in places) for places in groups(node).values()]
            assert hand.outliers(node, demand=demands.rows(k)) == sum(size for size in sizes if size < k)
            nodes.settle(node, anonymous=False)
        for rare in hand.rare(5, demand=demands.rows(k)):
            assert frequency[rare] < k
            refuted = hand.refute(int(rare), demand=demands.rows(k))
            for node, marked in zip(inside, refuted.ravel(), strict=True):
                (mine,) = [places for places in groups(node).values() if rare in places]
                assert marked == (sum(frequency[place] for place in mine) < k)


@pytest.mark.parametrize("attributes", [3, 14])
def test_witnesses_are_the_same_in_whatever_order_tuples_come(attributes: int) -> None:
    """So a search checks the same nodes in every run. Also of so many attributes that a key has not the bits."""
    random = np.random.default_rng(1)
    columns = [random.integers(0, 40, 500) for _ in range(attributes)]
    frequency = random.integers(1, 4, 500)
    nodes = OpenNodes([1] * attributes)
    picked = []
    for order in (np.arange(500), random.permutation(500)):
        codes = [column[order] for column in columns]
        climbs = [[np.arange(40), np.zeros(40, np.int64)]] * attributes
        hand = Tuples(codes, frequency[order], climbs=climbs, nodes=nodes, box=nodes.everything)
        rare = hand.rare(16, demand=demands.rows(3))
        picked.append(sorted(zip(*(column[rare] for column in codes), strict=True)))
    assert picked[0] == picked[1] and 16 <= len(picked[0]) < 32


def expected_nodes(star: Star, *, k: int, allowed: int) -> set[Levels]:
    """The anonymous nodes, by one GROUP BY per node."""
    found = set()
    for node in product(*(range(height + 1) for height in star.heights)):
        names = ", ".join(dimension.column(level).sql() for dimension, level in zip(star.dimensions, node, strict=True))
        ((outliers,),) = star.session.connection.execute(
            f"select coalesce(sum(n) filter (where n < {k}), 0) "
            f"from (select sum(frequency) as n from star group by {names})"
        ).fetchall()
        if outliers <= allowed:
            found.add(node)
    return found


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("at_hand", "box"), [(1, 1000), (40, 1000), (1000, 1000), (40, 5), (1000, 5)])
@pytest.mark.parametrize("allowed", [0, 40])
def test_large_frequency_sets_and_lattices_are_taken_apart(
    at_hand: int, box: int, allowed: int, star_of: Callable[..., Star], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The way of a table of many combinations, on one of few: nothing comes home but what is small."""
    monkeypatch.setattr(witness, "_AT_HAND", at_hand)
    monkeypatch.setattr(witness, "_LARGEST", at_hand)
    monkeypatch.setattr(witness, "_BOX", box)
    monkeypatch.setattr(witness, "_SHARED", 20)
    monkeypatch.setattr(tuples, "_FEW_TUPLES", 0)
    monkeypatch.setattr(tuples, "_FEW_NODES", 1)
    random = np.random.default_rng(at_hand + allowed)
    rows = 700
    skewed = random.integers(0, 40, rows) * random.integers(0, 2, rows)
    frame = pandas.DataFrame(
        {
            "a": (10 + skewed).astype(str),
            "b": random.integers(0, 30, rows),
            "c": random.integers(0, 3, rows).astype(str),
        }
    )
    job = {"quasi_identifiers": {"a": {"digits": 2}, "b": {"intervals": [5, 10]}, "c": "suppress"}}
    star = star_of({**job, "requirement": {"k": 3}}, frame)
    fetched: list[int] = []
    columns = star.session.columns

    def watched(*arguments: Any) -> Any:
        arrays = columns(*arguments)
        if "frequency" in arrays and "witness" not in arrays:
            fetched.append(len(arrays["frequency"]))
        return arrays

    monkeypatch.setattr(star.session, "columns", watched)
    found = witness.find(star, demands.rows(3, star), allowed=allowed)
    levels = star.session.connection.execute(f"select levels from {found.anonymous.sql()}").fetchall()
    assert {tuple(row[0]) for row in levels} == expected_nodes(star, k=3, allowed=allowed)
    assert found.complete
    # The estimate of a node's value groups is not exact.
    assert all(size <= 1.5 * at_hand + 10 for size in fetched)
    assert star.combinations > 100


@pytest.mark.parametrize("allowed", [0, 4])
def test_an_attribute_alone_decides_nothing_beside_one_with_a_highest_level(
    allowed: int, star_of: Callable[..., Star], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At its highest level, `a` has three values: the groups of `b` alone are unions of classes."""
    for largest in ("_AT_HAND", "_LARGEST", "_BOX"):
        monkeypatch.setattr(witness, largest, 4)
    frame = pandas.DataFrame({"a": ["11", "12", "21", "22", "31", "32"] * 3, "b": list("uuuvvv") * 3})
    job = {"quasi_identifiers": {"a": {"digits": 2, "to": 1}, "b": "suppress"}, "requirement": {"k": 6}}
    star = star_of(job, frame)
    found = witness.find(star, demands.rows(6, star), allowed=allowed)
    levels = star.session.connection.execute(f"select levels from {found.anonymous.sql()}").fetchall()
    assert {tuple(row[0]) for row in levels} == expected_nodes(star, k=6, allowed=allowed) == {(1, 1)}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(12))
def test_boxes_of_a_lattice_with_closed_lowest_nodes(
    seed: int, star_of: Callable[..., Star], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The node beneath the open nodes of a box need not be open itself."""
    random = np.random.default_rng(seed)
    monkeypatch.setattr(witness, "_AT_HAND", int(random.integers(20, 200)))
    monkeypatch.setattr(tuples, "_FEW_TUPLES", 0)
    monkeypatch.setattr(tuples, "_FEW_NODES", 1)
    k, rows = int(random.integers(2, 9)), 900
    frame = pandas.DataFrame(
        {
            "a": (100 + random.integers(0, 30, rows) * random.integers(0, 30, rows)).astype(str),
            "b": random.integers(0, 40, rows),
            "c": (10 + random.integers(0, 9, rows) * random.integers(0, 9, rows)).astype(str),
            "d": random.integers(0, 3, rows).astype(str),
            "e": (random.random(rows) < 0.1).astype(str),
        }
    )
    hierarchies = {
        "a": {"digits": 3},
        "b": {"intervals": [5, 10]},
        "c": {"digits": 2},
        "d": "suppress",
        "e": "suppress",
    }
    star = star_of({"quasi_identifiers": hierarchies, "requirement": {"k": k}}, frame)
    found = witness.find(star, demands.rows(k, star), allowed=0)
    levels = star.session.connection.execute(f"select levels from {found.anonymous.sql()}").fetchall()
    assert {tuple(row[0]) for row in levels} == expected_nodes(star, k=k, allowed=0)


def test_the_search_counts_what_it_did(star_of: Callable[..., Star], adult_job: Callable[..., dict[str, Any]]) -> None:
    star = star_of(adult_job(5, 5))
    traced: list[str] = []
    star.session.trace(traced.append)
    found = witness.find(star, demands.rows(5, star), allowed=0)
    assert found.effort.statements <= len(traced)
    assert 0 < found.effort.checked < star.lattice_nodes / 3
    assert found.effort.scans == 1
    assert found.effort.rows >= star.combinations


def test_a_run_without_an_algorithm_uses_it(adult_job: Callable[..., dict[str, Any]]) -> None:
    release = pipeline.run(adult_job(3, 2))
    assert release.result.algorithm.name == "witness"
    assert release.result.search.complete
