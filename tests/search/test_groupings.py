"""The nodes that searches check, counted on arrays, are those that the engine checks."""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np
import pandas
import pytest
from benchmarks.incognito.groupings import Asked, Attribute, Searched, chains, cuts, partitions

from starcloak.commands.api import anonymize

_LETTERS = "abcd"


def _flat(cells: pandas.Series) -> Attribute:
    values, places = np.unique(cells, return_inverse=True)
    return Attribute(places, (np.arange(len(values)), np.zeros(len(values), np.int64)))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(4))
def test_counts_of_nodes_are_those_of_the_searches(seed: int) -> None:
    """Tables of three attributes, the last with a level of groups between its values and one group."""
    rng = Random(seed)
    rows = [(rng.choice("mf"), rng.choice(_LETTERS[:3]), rng.choice(_LETTERS)) for _ in range(rng.randint(12, 40))]
    table = pandas.DataFrame([*rows, *(("m", "a", each) for each in _LETTERS)], columns=["x", "y", "z"])
    groups = [rng.randrange(2) for _ in _LETTERS]
    grouping = np.unique(groups, return_inverse=True)[1]
    asked = Asked([_flat(table["x"]), _flat(table["y"])], np.unique(table["z"], return_inverse=True)[1])
    counted = Searched(asked.whole(asked.of(grouping[np.newaxis])[0]))
    tree = {letter: [f"group {group}"] for letter, group in zip(_LETTERS, groups, strict=True)}
    roles = {"x": "suppress", "y": "suppress", "z": {"levels": tree}}
    for name, expected in (("bottom-up", counted.bottom_up), ("incognito", counted.incognito)):
        release = anonymize(table, quasi_identifiers=roles, k=2, algorithm={"name": name})
        assert release.result.search.checked == expected


def test_all_groupings_and_all_chains_are_tried() -> None:
    """The Bell numbers; and of n places where a group may end, one in neither, in the finer or in both: 3 ** n."""
    assert [len(partitions(size)) for size in range(1, 6)] == [1, 2, 5, 15, 52]
    table = pandas.DataFrame({"x": list("aabbccdd"), "y": list("ababcdcd")})
    asked = Asked([_flat(table["x"])], np.unique(table["y"], return_inverse=True)[1])
    every = [(lower, upper) for lower in range(8) for upper in range(8) if upper & ~lower == 0]
    single = asked.of(cuts(4))
    apart = Counter(asked.whole(single[low], single[high]).tobytes() for low, high in every)
    tried: Counter[bytes] = Counter()
    for verdicts, many in chains(asked, np.arange(4)):
        tried[verdicts.tobytes()] += many
    assert tried == apart
    assert tried.total() == 27
    assert len(tried) > 1


@pytest.mark.parametrize("seed", range(6))
def test_groupings_asked_together_are_those_asked_by_rows(seed: int) -> None:
    """With values that are parts already, and with parts of several values; every class counted by its rows."""
    rng = Random(seed)
    rows = [(rng.randrange(4), rng.randrange(3), rng.randrange(6)) for _ in range(rng.randint(20, 60))]
    rows += [(0, 0, value) for value in range(6)]
    x, y, z = (np.array(column) for column in zip(*rows, strict=True))
    others = [Attribute(x, (np.arange(4), np.array([0, 0, 1, 1]), np.zeros(4, int))), Attribute(y, (np.arange(3),))]
    for parts in (np.arange(6), np.array([0, 1, 1, 2, 3, 3])):
        asked = Asked(others, z, parts)
        groupings = partitions(int(parts.max()) + 1)
        for grouping, verdicts in zip(groupings, asked.of(groupings), strict=True):
            for last, found in ((z, asked.bottom), (grouping[parts][z], verdicts), (z * 0, asked.top)):
                for level, groups in enumerate(others[0].levels):
                    classes = Counter(zip(groups[x].tolist(), y.tolist(), last.tolist(), strict=True))
                    assert found[level, 0] == (min(classes.values()) >= 2)
