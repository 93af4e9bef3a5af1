"""Small random tables with missing, hostile and Unicode values, and their hierarchies."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas
from hypothesis import strategies as st

from tests.oracle import Cell, Hierarchy, Oracle

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
