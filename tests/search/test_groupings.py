"""The nodes that searches check, counted on arrays, are those that the engine checks."""

from __future__ import annotations

from random import Random

import numpy as np
import pandas
import pytest
from benchmarks.incognito.groupings import Asked, Attribute, Searched, chains, partitions

from starcloak.api import anonymize

_LETTERS = "abcd"


def _flat(cells: pandas.Series) -> Attribute:
    values, places = np.unique(cells, return_inverse=True)
    return Attribute(places, (np.arange(len(values)), np.zeros(len(values), np.int64)))


@pytest.mark.parametrize("seed", range(4))
def test_counts_of_nodes_are_those_of_the_searches(seed: int) -> None:
    """Tables of three attributes, the last with a level of groups between its values and one group."""
    rng = Random(seed)
    rows = [(rng.choice("mf"), rng.choice(_LETTERS[:3]), rng.choice(_LETTERS)) for _ in range(rng.randint(12, 40))]
    table = pandas.DataFrame([*rows, *(("m", "a", each) for each in _LETTERS)], columns=["x", "y", "z"])
    groups = [rng.randrange(2) for _ in _LETTERS]
    grouping = np.unique(groups, return_inverse=True)[1]
    asked = Asked([_flat(table["x"]), _flat(table["y"])], np.unique(table["z"], return_inverse=True)[1], 2)
    counted = Searched(asked.whole(asked.of(grouping)))
    tree = {letter: [f"group {group}"] for letter, group in zip(_LETTERS, groups, strict=True)}
    roles = {"x": "suppress", "y": "suppress", "z": {"levels": tree}}
    for name, expected in (("bottom-up", counted.bottom_up), ("incognito", counted.incognito)):
        release = anonymize(table, quasi_identifiers=roles, k=2, algorithm={"name": name})
        assert release.result.search.checked == expected


def test_all_groupings_and_all_chains_are_tried() -> None:
    """The Bell numbers; and of n places where a group may end, one in neither, in the finer or in both: 3 ** n."""
    assert [len(list(partitions(size))) for size in range(1, 6)] == [1, 2, 5, 15, 52]
    table = pandas.DataFrame({"x": list("aabbccdd"), "y": list("ababcdcd")})
    asked = Asked([_flat(table["x"])], np.unique(table["y"], return_inverse=True)[1], 2)
    every = [(lower, upper) for lower in range(8) for upper in range(8) if upper & ~lower == 0]
    ranks = np.arange(4)

    def grouping(ends: int) -> np.ndarray:
        return np.concatenate([[0], np.cumsum([ends >> at & 1 for at in range(3)])])

    whole = [Searched(asked.whole(asked.of(grouping(low)), asked.of(grouping(high)))) for low, high in every]
    least = min(each.bottom_up for each in whole)
    fitting = sum(each.bottom_up == least for each in whole)
    assert chains(asked, ranks, lambda verdicts: Searched(verdicts).bottom_up == least) == (27, fitting)
    assert 0 < fitting < 27
