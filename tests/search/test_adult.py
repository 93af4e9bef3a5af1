"""Adult, nine attributes: the set of anonymous nodes equals brute force over the whole lattice of 12,960 nodes.

The brute force reads the hierarchy files itself and counts the rows, not the star: one GROUP BY per node, by way of the
rows that are alike where the first attributes are at its levels.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import pytest

from starcloak import paths
from starcloak.search.incognito import basic
from starcloak.search.shared.lattice import Found
from starcloak.search.witness import search as witness
from starcloak.star import Star
from tests import demands
from tests.conftest import ADULT_NINE

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
        path = paths.schemas() / "adult" / "hierarchies" / f"{FILES[name]}.csv"
        with open(path, newline="") as lines:
            return next(line for line in csv.reader(lines, delimiter=";") if line[0] == value)
    return [value, "*"][: height + 1]


@pytest.fixture(scope="module")
def outliers(adult: Path) -> dict[tuple[int, ...], tuple[int, int, int]]:
    """For every node: how many rows are in groups of fewer than 2, 5 and 10."""
    with duckdb.connect(config={"threads": 1}) as connection:
        rows = []
        for file in ("adult.data", "adult.test"):
            for line in (adult / file).read_text().splitlines():
                cells = [cell.strip() for cell in line.rstrip(".").split(",")]
                if len(cells) == 15 and "?" not in cells:
                    record = {name: cells[position] for position, name in COLUMNS.items()}
                    rows.append([record[name] for name in ADULT_NINE])
        assert len(rows) == 45222
        coded: dict[str, list[int]] = {}
        for position, (name, height) in enumerate(zip(ADULT_NINE, HEIGHTS, strict=True)):
            paths_of = {value: levels_of(name, value, height) for value in {row[position] for row in rows}}
            for level in range(height + 1):
                names = sorted({path[level] for path in paths_of.values()})
                codes = {value: names.index(path[level]) for value, path in paths_of.items()}
                coded[f"c{position}_{level}"] = [codes[row[position]] for row in rows]
        import pyarrow

        connection.register("rows", pyarrow.table({name: pyarrow.array(c, "uint8") for name, c in coded.items()}))
        levels = [range(height + 1) for height in HEIGHTS]
        rest = ", ".join(f"c{position}_{level}" for position in range(5, 9) for level in levels[position])
        # One statement for the nodes of the same first levels: most of the time of a small one goes into its plan.
        lasts = list(product(*levels[5:]))
        result = {}
        for first in product(*levels[:5]):
            least = ", ".join(f"c{position}_{level}" for position, level in enumerate(first))
            connection.execute(
                f"create or replace table alike as select {least}, {rest}, count(*) as n from rows group by all"
            )
            groups = [
                f"(select {number} as node, sum(n) as n from alike group by {least}, "
                + ", ".join(f"c{position}_{level}" for position, level in enumerate(last, 5))
                + ")"
                for number, last in enumerate(lasts)
            ]
            found = connection.execute(
                "select node, coalesce(sum(n) filter (where n < 2), 0), coalesce(sum(n) filter (where n < 5), 0), "
                f"coalesce(sum(n) filter (where n < 10), 0) from ({' union all '.join(groups)}) group by node"
            ).fetchall()
            result |= {(*first, *lasts[node]): tuple(map(int, counts)) for node, *counts in found}
        return result  # type: ignore[return-value]


def beneath(node: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    for position, level in enumerate(node):
        if level:
            yield (*node[:position], level - 1, *node[position + 1 :])


EVERY = [(k, share) for k in (2, 5, 10) for share in SHARES]
QUICK = [(2, "0")]
Outliers = dict[tuple[int, ...], tuple[int, int, int]]


def agree(star: Star, found: Found, outliers: Outliers, k: int, share: str) -> None:
    expected = {node for node, counts in outliers.items() if counts[(2, 5, 10).index(k)] <= SHARES[share]}
    levels = star.session.connection.execute(f"select levels from {found.anonymous.sql()}").fetchall()
    assert star.lattice_nodes == len(outliers) == 12960
    assert {tuple(row[0]) for row in levels} == expected
    assert found.count == len(expected)
    minimal = {node for node in expected if not any(below in expected for below in beneath(node))}
    assert {node.levels for node in found.minimal} == minimal


@pytest.mark.parametrize(("k", "share"), EVERY)
def test_witness_search_finds_the_nodes_of_brute_force(
    k: int, share: str, outliers: Outliers, star_of: Callable[..., Star], adult_job: Callable[..., dict[str, Any]]
) -> None:
    star = star_of(adult_job(9, k))
    found = witness.find(star, demands.rows(k, star), allowed=SHARES[share])
    agree(star, found, outliers, k, share)
    assert found.effort.checked < 2600


@pytest.mark.parametrize(("k", "share", "at_hand"), [(2, "0", 2000), (10, "0.01", 8000)])
def test_witness_search_finds_them_in_a_lattice_taken_apart(
    k: int,
    share: str,
    at_hand: int,
    outliers: Outliers,
    star_of: Callable[..., Star],
    adult_job: Callable[..., dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The way of a table of many combinations."""
    monkeypatch.setattr(witness, "_AT_HAND", at_hand)
    star = star_of(adult_job(9, k))
    agree(star, witness.find(star, demands.rows(k, star), allowed=SHARES[share]), outliers, k, share)


@pytest.mark.parametrize(
    ("k", "share"), [pytest.param(*case, marks=() if case in QUICK else pytest.mark.long) for case in EVERY]
)
def test_incognito_finds_the_nodes_of_brute_force(
    k: int, share: str, outliers: Outliers, star_of: Callable[..., Star], adult_job: Callable[..., dict[str, Any]]
) -> None:
    star = star_of(adult_job(9, k))
    found = basic.find(star, demands.rows(k, star), allowed=SHARES[share])
    agree(star, found, outliers, k, share)
    counted = dict(
        (tuple(levels), count)
        for levels, count in star.session.connection.execute(
            "select levels, outliers from checked join nodes_9 on id = node where iteration = 9"
        ).fetchall()
    )
    assert counted and all(outliers[node][(2, 5, 10).index(k)] == count for node, count in counted.items())
