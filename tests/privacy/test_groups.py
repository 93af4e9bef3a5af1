"""Pairs of groups and values: regrouped as sets of pairs, in any density."""

from __future__ import annotations

import numpy as np
import pytest

from starcloak.privacy import groups
from starcloak.star import tuples
from starcloak.star.open_nodes import sum_up


@pytest.mark.parametrize("values", [3, 5_000_000])  # with a place for each key, and sorted
def test_pairs_are_regrouped_as_a_set(values: int) -> None:
    chance = np.random.default_rng(values)
    of, value = chance.integers(0, 300, 2_000), chance.integers(0, values + 1, 2_000)
    group = chance.integers(0, 40, 300)
    regrouped = groups.Pairs(of, value, values).regroup(group)
    expected = sorted({(int(group[one]), int(held)) for one, held in zip(of, value, strict=True)})
    assert list(zip(regrouped.of.tolist(), regrouped.value.tolist(), strict=True)) == expected


@pytest.mark.parametrize("values", [3, 130, 5_000])  # with a bit for each value, in one word and in three, and sorted
def test_distinct_values_of_groups_are_those_of_their_pairs(values: int) -> None:
    chance = np.random.default_rng(values)
    of, value = np.divmod(np.unique(chance.integers(0, 300 * (values + 1), 900)), values + 1)
    records = groups.ValueRecords.of(groups.Pairs(of, value, values), 300)
    chosen = chance.permutation(300)[:200]
    group = chance.integers(0, 40, 200)
    expected = [
        len({int(one) for one in value[np.isin(of, chosen[group == number])] if one < values}) for number in range(45)
    ]
    assert records.distinct(chosen, group, 45).tolist() == expected


def test_no_pairs_stay_none() -> None:
    nothing = np.zeros(0, np.int64)
    assert not len(groups.Pairs(nothing, nothing, 5).regroup(nothing).of)


def test_distinct_keys_are_not_hashed(monkeypatch: pytest.MonkeyPatch) -> None:
    """NumPy's hash of keys in runs took 0.4 s for 600,000 of them, 25 times as long as all else of a node."""
    monkeypatch.delattr(np, "unique")
    of = np.repeat(np.arange(100), 25)
    assert len(groups.Pairs(of, np.tile(np.arange(25), 100), 25).regroup(np.arange(100) // 2).of) == 1250


def test_rows_with_each_value_are_those_with_one_after_the_other() -> None:
    chance = np.random.default_rng(1)
    of, value = (array.ravel() for array in np.indices((40, 6)))
    pairs = groups.Pairs(of, value, 5, chance.integers(0, 4, 240))
    cell = chance.integers(0, 24, 40)
    grouped = groups.Grouped(pairs.rows_with(0, 40), {"a": pairs})
    grid = tuples._Beneath(np.zeros((2, 3, 4), np.int64), cell, cell < 20, {"a": pairs})
    for held in (grouped, grid):
        expected = np.stack([held.rows_with("a", code) for code in (4, 1, 5)])
        assert np.array_equal(held.rows_with_each("a", [4, 1, 5]), expected)


def test_sums_beneath_every_cell_are_those_of_numpy() -> None:
    for cells in (np.random.default_rng(1).integers(0, 9, (3, 1, 4)), np.random.default_rng(2).random((2, 3, 2)) < 0.2):
        expected = cells
        for axis in range(3):
            expected = np.add.accumulate(expected, axis=axis)
        summed = sum_up(cells)
        assert summed.dtype == cells.dtype and np.array_equal(summed, expected.astype(cells.dtype))
