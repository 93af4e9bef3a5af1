"""Mondrian against the same cuts in plain Python, and against what its releases must be."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starcloak import pipeline
from starcloak.errors import HierarchyError

Row = tuple[str, ...]

# Three attributes of heights 1, 2 and 3; the second is unbalanced.
TREES: list[dict[str, Row]] = [
    {leaf: (leaf, "*") for leaf in "mf"},
    {leaf: (leaf, leaf.upper() if leaf < "c" else "CD", "*") for leaf in "abcd"},
    {leaf: (leaf, f"{leaf[:2]}*", f"{leaf[0]}**", "*") for leaf in ("000", "001", "010", "011", "100", "110")},
]
HIERARCHIES: dict[str, Any] = {
    "one": "suppress",
    "two": {"tree": {"A": ["a"], "B": ["b"], "CD": ["c", "d"]}},
    "three": {"digits": 3},
}
ROWS = st.lists(st.tuples(*(st.sampled_from(sorted(tree)) for tree in TREES)), min_size=4, max_size=60)


def anonymized(qis: dict[str, Any], rows: Sequence[Any], k: int, seed: int = 1, **options: Any) -> pipeline.Release:
    job = {
        "quasi_identifiers": qis,
        "requirement": {"k": k},
        "algorithm": {"name": "mondrian", **options},
        "seed": seed,
    }
    return pipeline.run(job, frame=pandas.DataFrame(rows, columns=list(qis), dtype=object))


def tuples(release: pipeline.Release) -> Counter[Row]:
    return Counter(release.to_pandas().itertuples(index=False, name=None))


def common(leaves: Sequence[str], tree: dict[str, Row]) -> int:
    """The level of the closest value that covers leaves."""
    return next(level for level in range(9) if len({tree[leaf][level] for leaf in leaves}) == 1)


def cuts(rows: Sequence[Row]) -> list[tuple[Fraction, int, int]]:
    """The cuts of a region along hierarchies, on the widest attribute first."""
    found = []
    for place, tree in enumerate(TREES):
        leaves = [row[place] for row in rows]
        level = common(leaves, tree)
        under = sum(path[level] == tree[leaves[0]][level] for path in tree.values())
        present = Fraction(under - 1, len(tree) - 1)
        if level:
            found.append((-present, place, level - 1))
    return sorted(found)


def regions(rows: list[Row], k: int) -> list[list[Row]]:
    """Strict Mondrian, by recursion."""
    for _, place, level in cuts(rows):
        sides = defaultdict(list)
        for row in rows:
            sides[TREES[place][row[place]][level]].append(row)
        if all(len(side) >= k for side in sides.values()):
            return [region for side in sides.values() for region in regions(side, k)]
    return [rows]


def shown(region: Sequence[Row]) -> Row:
    return tuple(
        tree[region[0][place]][common([row[place] for row in region], tree)] for place, tree in enumerate(TREES)
    )


@given(ROWS, st.integers(2, 4))
@settings(max_examples=25, deadline=None)
def test_hierarchies_are_cut_as_in_plain_python(rows: list[Row], k: int) -> None:
    # Every leaf of a declared or fixed-length hierarchy counts for its width, so all of them must be there.
    rows = rows + [(one, two, three) for one in "mf" for two in "abcd" for three in TREES[2]]
    release = anonymized(HIERARCHIES, rows, k)
    expected = regions(rows, k)
    assert tuples(release) == sum((Counter({shown(region): len(region)}) for region in expected), Counter())
    done = release.report.search.partitioning
    assert done is not None and done.regions == len(expected)
    assert release.report.recoding.model == "multi-dimension"


def test_the_number_of_statements_does_not_grow_with_the_regions() -> None:
    """Ten times the rows: ten times the regions, and a few more rounds of as many statements each."""
    hierarchies = {name: {"digits": 4} for name in "abc"}
    done = []
    for count in (400, 4000):
        rows = [tuple(f"{(at * step) % 9973:04d}" for step in (13, 577, 7919)) for at in range(count)]
        found = anonymized(hierarchies, rows, 3).report.search.partitioning
        assert found is not None
        done.append(found)
    few, many = done
    assert many.regions > 5 * few.regions
    assert many.statements < 2 * few.statements
    assert all((found.statements - 30) / found.rounds < 8 for found in done)


def test_a_tree_too_deep_is_refused() -> None:
    """Paths are whole numbers of at most 127 bits; those of more than 63 work."""
    deep = [(f"{digit * 10**place:064d}",) for place in range(64) for digit in range(2)]
    assert tuples(anonymized({"one": {"digits": 64}}, deep, 1)) == Counter(deep)
    broad = [(f"{digit * 10**place:064d}",) for place in range(64) for digit in range(5)]
    with pytest.raises(HierarchyError, match="too many levels"):
        anonymized({"one": {"digits": 64}}, broad, 1)
