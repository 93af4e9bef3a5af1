"""The engine against brute force in plain Python, on small random tables with missing, hostile and Unicode values."""

from __future__ import annotations

import csv
import tempfile
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas
from hypothesis import example, given, settings
from hypothesis import strategies as st

from oracle import Cell, Hierarchy, Oracle
from starcloak import pipeline
from starcloak.errors import RequirementError
from starcloak.privacy.requirement import Requirement

OBJECTIVES = ["height", "precision", "discernibility", "average_class_size", "distortion", "loss"]
VALUES = [
    "a",
    "A",
    "é",
    "e\u0301",
    "",
    " ",
    "*",
    "NULL",
    "null",
    "0",
    "00",
    "x'y",
    'x"y',
    "a;b",
    "a\nb",
    "☃",
    "%s",
    "$k",
]
NAMES = ["zip", "Birth Date", 'qu"ote', "semi;colon", "{hole}", "$k", "select", "ünï", "a.b", "%d", "frequency", "node"]

cells = st.one_of(st.none(), st.sampled_from(VALUES))


@st.composite
def hierarchies(draw: st.DrawFn) -> Hierarchy:
    """A random hierarchy over some values; each level is a function of the one below, the last one is constant."""
    leaves: list[Cell] = draw(st.lists(cells, min_size=1, max_size=5, unique=True))
    height = draw(st.integers(1, 3))
    paths: dict[Cell, tuple[Cell, ...]] = {leaf: (leaf,) for leaf in leaves}
    for level in range(1, height + 1):
        below = sorted({path[-1] for path in paths.values()}, key=lambda cell: (cell is None, cell or ""))
        groups = {value: draw(st.integers(0, 1)) if level < height else 0 for value in below}
        names = [f"{level}:{draw(st.sampled_from(['x', 'é', 'a b', '☃']))}{group}" for group in range(2)]
        paths = {leaf: (*path, names[groups[path[-1]]]) for leaf, path in paths.items()}
    return paths


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], Oracle]:
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True))
    trees = [draw(hierarchies()) for _ in names]
    row = st.tuples(*(st.sampled_from(list(tree)) for tree in trees))
    return names, Oracle(draw(st.lists(row, min_size=1, max_size=14)), trees)


def write(tree: Hierarchy, folder: str, number: int) -> str:
    path = Path(folder) / f"{number}.csv"
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=";", lineterminator="\n").writerows(
            [["" if cell is None else cell for cell in line] for line in tree.values()]
        )
    return str(path)


def frame(names: Sequence[str], rows: Sequence[tuple[Cell, ...]]) -> pandas.DataFrame:
    columns: dict[str, Any] = {
        name: pandas.Series([row[position] for row in rows], dtype=object) for position, name in enumerate(names)
    }
    return pandas.DataFrame(columns | {"line": range(len(rows))})


@settings(max_examples=120)
@given(
    table=tables(),
    k=st.integers(1, 5),
    suppression=st.sampled_from(["0", "0.1", "0.34", "0.5", "1"]),
    objective=st.sampled_from(OBJECTIVES),
)
def test_search_choice_and_release_are_those_of_brute_force(
    table: tuple[list[str], Oracle], k: int, suppression: str, objective: str
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
    assert oracle.cost(chosen, k, objective) <= min(oracle.cost(node, k, objective) for node in anonymous) + 1e-9

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
    assert Requirement((), suppression=share).allowed(rows) == int(Fraction(share) * rows)
