"""Adult: the set of anonymous nodes equals brute force over the whole lattice; the long tests take all nine attributes.

The brute force reads the hierarchy files itself and counts the rows, not the star: the groups of every node, by way of
the rows that are alike where the first attributes are at its levels.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from starcloak.base import installation
from starcloak.job import load
from starcloak.search.incognito import basic
from starcloak.search.lattice.lattice import Found
from starcloak.search.witness import search as witness
from starcloak.star.star import Star
from tests import demands
from tests.conftest import ADULT_NINE
from tests.full_domain import opened

Codes = NDArray[np.int64]
Outliers = dict[tuple[int, ...], tuple[int, int, int]]

FILES = {
    "marital-status": "marital-status-2",
    "education": "education-3",
    "native-country": "native-country-2",
    "workclass": "workclass-2",
    "occupation": "occupation-2",
}
HEIGHTS = [4, 1, 1, 2, 3, 2, 2, 2, 1]
SHARES = {"0": 0, "0.01": 452, "0.05": 2261}
COLUMNS = {0: "age", 1: "workclass", 3: "education", 5: "marital-status", 6: "occupation"}
COLUMNS |= {8: "race", 9: "sex", 13: "native-country", 14: "salary-class"}


def levels_of(name: str, value: str, height: int) -> list[str]:
    if name == "age":
        return [value, *(str(int(value) // width) for width in (5, 10, 20)), "*"]
    if name in FILES:
        path = installation.schemas() / "adult" / "hierarchies" / f"{FILES[name]}.csv"
        with open(path, newline="") as lines:
            return next(line for line in csv.reader(lines, delimiter=";") if line[0] == value)
    return [value, "*"][: height + 1]


@pytest.fixture(scope="module", params=[6, pytest.param(9, marks=pytest.mark.long)])
def attributes(request: pytest.FixtureRequest) -> int:
    number: int = request.param
    return number


@pytest.fixture(scope="module")
def star(attributes: int, adult_job: Callable[..., dict[str, Any]]) -> Iterator[Star]:
    with opened(load(adult_job(attributes, 2))) as built:
        yield built


@pytest.fixture(scope="module")
def outliers(adult: Path, attributes: int) -> Outliers:
    """For every node: how many rows are in groups of fewer than 2, 5 and 10."""
    rows = []
    for file in ("adult.data", "adult.test"):
        for line in (adult / file).read_text().splitlines():
            cells = [cell.strip() for cell in line.rstrip(".").split(",")]
            if len(cells) == 15 and "?" not in cells:
                record = {name: cells[position] for position, name in COLUMNS.items()}
                rows.append([record[name] for name in ADULT_NINE[:attributes]])
    assert len(rows) == 45222
    codes, values = [], []
    for position, (name, height) in enumerate(zip(ADULT_NINE[:attributes], HEIGHTS, strict=False)):
        leaves = sorted({row[position] for row in rows})
        paths_of = [levels_of(name, leaf, height) for leaf in leaves]
        codes.append(
            [np.unique([path[level] for path in paths_of], return_inverse=True)[1] for level in range(height + 1)]
        )
        values.append([leaves.index(row[position]) for row in rows])
    sizes = [len(levels[0]) for levels in codes]
    alike = np.ravel_multi_index(values, sizes)
    return dict(counted((), np.zeros(len(rows), dtype=int), alike, np.ones(len(rows), dtype=int), codes, sizes))


def counted(
    node: tuple[int, ...], groups: Codes, rest: Codes, rows: Codes, codes: list[list[Codes]], sizes: list[int]
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The nodes that begin with these levels, and the rows of their small groups.

    Rows that are in one group so far and have the same leaves in the rest are counted once, with their number.
    """
    if not sizes:
        yield node, tuple(int(rows[rows < k].sum()) for k in (2, 5, 10))
        return
    after = prod(sizes[1:])
    leaf, others = np.divmod(rest, after)
    for level, code in enumerate(codes[0]):
        keys, at = np.unique((groups * sizes[0] + code[leaf]) * after + others, return_inverse=True)
        some = np.bincount(at, weights=rows).astype(int)
        yield from counted((*node, level), keys // after, keys % after, some, codes[1:], sizes[1:])


def beneath(node: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    for position, level in enumerate(node):
        if level:
            yield (*node[:position], level - 1, *node[position + 1 :])


CASES = pytest.mark.parametrize(("k", "share"), [(k, share) for k in (2, 5, 10) for share in SHARES])


def agree(star: Star, found: Found, outliers: Outliers, k: int, share: str) -> None:
    expected = {node for node, counts in outliers.items() if counts[(2, 5, 10).index(k)] <= SHARES[share]}
    levels = star.session.connection.execute(f"select levels from {found.anonymous.sql()}").fetchall()
    assert star.lattice_nodes == len(outliers)
    assert {tuple(row[0]) for row in levels} == expected
    assert found.count == len(expected)
    minimal = {node for node in expected if not any(below in expected for below in beneath(node))}
    assert {node.levels for node in found.minimal} == minimal


@CASES
def test_witness_search_finds_the_nodes_of_brute_force(k: int, share: str, outliers: Outliers, star: Star) -> None:
    found = witness.find(star, demands.rows(k, star), allowed=SHARES[share])
    agree(star, found, outliers, k, share)
    assert found.effort.checked < star.lattice_nodes / 3


@pytest.mark.parametrize(("k", "share", "part"), [(2, "0", 4), (10, "0.01", 2)])
def test_witness_search_finds_them_in_a_lattice_taken_apart(
    k: int, share: str, part: int, outliers: Outliers, star: Star, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The way of a table of many combinations."""
    for largest in ("_AT_HAND", "_LARGEST"):
        monkeypatch.setattr(witness, largest, star.combinations // part)
    agree(star, witness.find(star, demands.rows(k, star), allowed=SHARES[share]), outliers, k, share)


@pytest.mark.sampled(3)
@CASES
def test_incognito_finds_the_nodes_of_brute_force(
    k: int, share: str, outliers: Outliers, star: Star, attributes: int
) -> None:
    found = basic.find(star, demands.rows(k, star), allowed=SHARES[share])
    agree(star, found, outliers, k, share)
    counted = star.session.connection.execute(
        f"select levels, outliers from checked join nodes_{attributes} on id = node where iteration = {attributes}"
    ).fetchall()
    assert counted and all(outliers[tuple(levels)][(2, 5, 10).index(k)] == count for levels, count in counted)
