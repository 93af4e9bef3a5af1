"""Numbers sorted digit by digit, as NumPy sorts them by comparison."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starcloak.search.witness.likely import Likely
from starcloak.star import keys

BOUNDS = (1, 2, 1 << 16, (1 << 16) + 1, 1 << 31, (1 << 48) + 7, 1 << 62)


@given(st.sampled_from(BOUNDS), st.lists(st.integers(0), max_size=60), st.sampled_from([np.int32, np.int64]))
def test_keys_are_sorted_and_numbered_as_by_comparison(bound: int, drawn: list[int], dtype: type) -> None:
    if dtype is np.int32:
        bound = min(bound, 1 << 31)
    several = np.array([number % bound for number in [*drawn, *drawn[::2]]], dtype)
    assert np.array_equal(keys.order(several, bound), np.argsort(several, kind="stable"))
    distinct, numbers = keys.number(several, bound)
    expected, places = np.unique(several, return_inverse=True)
    assert np.array_equal(distinct, expected) and np.array_equal(numbers, places)
    assert np.array_equal(
        np.flatnonzero(keys.starts(np.sort(several))), np.unique(np.sort(several), return_index=True)[1]
    )


@given(st.lists(st.tuples(st.integers(0, 1 << 40), st.integers(0, 3)), max_size=60))
def test_equal_keys_stay_as_they_are_among_another_order(drawn: list[tuple[int, int]]) -> None:
    first, second = (np.array([pair[at] for pair in drawn], np.int64) for at in (0, 1))
    found = keys.order(second, 4, among=keys.order(first, 1 << 41))
    assert np.array_equal(found, np.lexsort((first, second)))


@pytest.mark.parametrize("allowed", [30, 300])
def test_rows_that_are_left_out_are_guessed_from_those_of_other_nodes(allowed: int) -> None:
    """Where they are a product of factors by level, a few counts tell which nodes satisfy the requirement."""
    random = np.random.default_rng(allowed)
    factors = [np.concatenate([[1.0], np.cumprod(random.uniform(0.2, 0.6, height))]) for height in (3, 2, 4)]
    outliers = np.rint(20_000 * np.einsum("i,j,k->ijk", *factors)).astype(int)
    likely, box = Likely((3, 2, 4), allowed), tuple(slice(0, size) for size in outliers.shape)
    nodes = [tuple(map(int, node)) for node in random.permutation(np.argwhere(outliers >= 0))]
    for place, node in enumerate(nodes):
        if place < 10:  # as many unknowns as levels above the lowest, and one
            assert likely.of(box) is None
        likely.note(node, int(outliers[node]))
        if place == 24:
            break
    found = likely.of(box)
    assert found is not None
    sure = np.abs(np.log(outliers / allowed)) > 0.3
    assert np.array_equal(found[sure] > 0.5, outliers[sure] <= allowed) and np.count_nonzero(sure) > 10
    assert ((found >= 0) & (found <= 1)).all()
    part = likely.of((slice(1, 3), slice(0, 1), slice(2, 5)))
    assert part is not None and np.array_equal(part, found[1:3, 0:1, 2:5])
