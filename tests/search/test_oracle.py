"""The engine against brute force in plain Python, on small random tables with missing, hostile and Unicode values."""

from __future__ import annotations

import tempfile
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import pandas
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from starcloak.base.errors import RequirementError
from starcloak.commands import pipeline
from starcloak.privacy.requirement import Requirement
from starcloak.search.lattice import objective as choice
from tests.oracle import Oracle
from tests.tables import OBJECTIVES, frame, tables, write


@settings(max_examples=13)
@given(
    table=tables(),
    k=st.integers(1, 5),
    suppression=st.sampled_from(["0", "0.1", "0.34", "0.5", "1"]),
    objective=st.sampled_from(OBJECTIVES),
    at_hand=st.sampled_from([3, 500_000]),
)
def test_search_choice_and_release_are_those_of_brute_force(
    table: tuple[list[str], Oracle], k: int, suppression: str, objective: str, at_hand: int
) -> None:
    names, oracle = table
    if any("" in tree for tree in oracle.hierarchies):
        return  # in a hierarchy file an empty leaf is the missing value
    allowed = int(Fraction(suppression) * len(oracle.rows))
    with tempfile.TemporaryDirectory() as folder:
        quasi_identifiers = {
            name: {"csv": write(tree, folder, number)}
            for number, (name, tree) in enumerate(zip(names, oracle.hierarchies, strict=True))
        }
        job = {
            "quasi_identifiers": quasi_identifiers,
            "keep": ["line"],
            "requirement": {"k": k, "suppression": suppression},
            "objective": {"minimize": objective},
        }
        try:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(choice, "_AT_HAND", at_hand)
                release = pipeline.run(job, frame=frame(names, oracle.rows))
        except RequirementError:
            assert len(oracle.rows) < k
            return
    report = release.result
    anonymous = oracle.anonymous(k, allowed)
    assert len(oracle.rows) >= k
    assert report.search.anonymous_nodes == len(anonymous)
    assert {tuple(node) for node in report.search.minimal} == oracle.minimal(anonymous)
    chosen = tuple(report.recoding.levels[name] for name in names)
    assert chosen in anonymous
    costs = {node: oracle.cost(node, k, objective) for node in anonymous}
    equal = [node for node in anonymous if costs[node] <= min(costs.values()) + 1e-12]
    assert chosen == min(equal, key=lambda node: oracle.rank(node, k, names))

    kept = oracle.release(chosen, k)
    released = release.to_pandas()
    assert list(released.columns) == [*names, "line"]
    expected = Counter((*oracle.generalize(oracle.rows[index], chosen), index) for index in kept)
    got = Counter(
        (*(None if pandas.isna(cell) else cell for cell in row[:-1]), int(row[-1]))
        for row in released.itertuples(index=False, name=None)
    )
    assert got == expected
    assert report.rows == len(oracle.rows)
    assert report.released_rows == len(kept)
    assert report.suppressed_rows == len(oracle.rows) - len(kept) <= allowed
    sizes = [size for size in oracle.sizes(chosen).values() if size >= k]
    assert report.k == (min(sizes) if sizes else None)
    measures = report.measures
    assert measures.classes == len(sizes)
    assert measures.discernibility == oracle.cost(chosen, k, "discernibility")
    assert abs(1 - measures.precision - oracle.cost(chosen, k, "precision")) < 1e-9
    assert abs(measures.distortion_ratio - oracle.cost(chosen, k, "distortion")) < 1e-9
    assert abs(measures.loss - oracle.cost(chosen, k, "loss")) < 1e-9
    modified = sum(
        index not in kept or a != b
        for index, row in enumerate(oracle.rows)
        for a, b in zip(row, oracle.generalize(row, chosen), strict=True)
    )
    assert abs(measures.modification_rate - modified / len(oracle.rows) / len(names)) < 1e-9
    assert set(measures.inconsistency.values()) <= {0.0}


@settings(max_examples=200)
@given(share=st.decimals(0, 1, places=6) | st.decimals(0, 1), rows=st.integers(1, 10**12))
@example(share=Decimal("0." + "9" * 40), rows=10)
def test_allowed_outliers_are_exact(share: Decimal, rows: int) -> None:
    assert Requirement((), suppression=share).allowance(rows) == int(Fraction(share) * rows)
