"""Basic Incognito against the paper's own examples and numbers (LeFevre, DeWitt, Ramakrishnan 2005)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pandas
import pytest

from starcloak.base.errors import JobError
from starcloak.commands import pipeline
from starcloak.search.incognito import basic
from starcloak.search.lattice.lattice import Found
from starcloak.star.star import Star
from starcloak.store.resources import Resources
from tests import demands

PATIENTS = {
    "source": {"dataset": "patients"},
    "schema": "patients/incognito-2005",
    "requirement": {"k": 2},
}
B, S, Z = 1, 2, 3


@pytest.fixture
def patients(star_of: Callable[..., Star]) -> tuple[Star, Found]:
    star = star_of(PATIENTS)
    return star, basic.find(star, demands.rows(2, star), allowed=0)


def rows(star: Star, sql: str) -> list[tuple[Any, ...]]:
    return star.session.connection.execute(sql).fetchall()


def verdicts(star: Star, size: int) -> dict[tuple[tuple[int, int], ...], tuple[bool, bool]]:
    """For each node checked: whether it was a root, and whether it is 2-anonymous."""
    found = rows(
        star,
        f"select dimensions, levels, root, anonymous from checked join nodes_{size} on id = node "
        f"where iteration = {size}",
    )
    return {
        tuple(zip(dimensions, levels, strict=True)): (root, anonymous) for dimensions, levels, root, anonymous in found
    }


def test_first_iteration_finds_the_ungeneralized_domains_2_anonymous(patients: tuple[Star, Found]) -> None:
    """Example 3.1: T is k-anonymous with respect to B0, S0 and Z0."""
    assert verdicts(patients[0], 1) == {
        ((B, 0),): (True, True),
        ((S, 0),): (True, True),
        ((Z, 0),): (True, True),
    }


def test_second_iteration_searches_as_figure_5(patients: tuple[Star, Found]) -> None:
    """Figure 5 (a, b, c): what is checked, from the star or by rollup, and what is found."""
    assert verdicts(patients[0], 2) == {
        # (a) Sex, Zipcode
        ((S, 0), (Z, 0)): (True, False),
        ((S, 1), (Z, 0)): (False, True),
        ((S, 0), (Z, 1)): (False, False),
        ((S, 0), (Z, 2)): (False, True),
        # (b) Birthdate, Zipcode
        ((B, 0), (Z, 0)): (True, False),
        ((B, 1), (Z, 0)): (False, True),
        ((B, 0), (Z, 1)): (False, False),
        ((B, 0), (Z, 2)): (False, True),
        # (c) Birthdate, Sex
        ((B, 0), (S, 0)): (True, False),
        ((B, 1), (S, 0)): (False, True),
        ((B, 0), (S, 1)): (False, True),
    }


def test_third_graph_is_figure_7a(patients: tuple[Star, Found]) -> None:
    """Figure 7 (a): the candidates of the third iteration and the direct generalizations among them."""
    star, _ = patients
    levels = {id: tuple(levels) for id, levels in rows(star, "select id, levels from nodes_3")}
    edges = {(levels[start], levels[end]) for start, end in rows(star, "select start_id, end_id from edges_3")}
    assert set(levels.values()) == {(1, 1, 0), (1, 1, 1), (1, 1, 2), (1, 0, 2), (0, 1, 2)}
    assert edges == {
        ((1, 1, 0), (1, 1, 1)),
        ((1, 1, 1), (1, 1, 2)),
        ((1, 0, 2), (1, 1, 2)),
        ((0, 1, 2), (1, 1, 2)),
    }


def test_first_graph_is_the_hierarchies(patients: tuple[Star, Found]) -> None:
    star, _ = patients
    nodes = rows(star, "select dimensions[1], levels[1] from nodes_1 order by all")
    assert nodes == [(B, 0), (B, 1), (S, 0), (S, 1), (Z, 0), (Z, 1), (Z, 2)]
    assert rows(star, "select count(*) from edges_1") == [(4,)]


def test_minimal_nodes_of_patients(patients: tuple[Star, Found]) -> None:
    _, found = patients
    assert [node.levels for node in found.minimal] == [(1, 1, 0), (0, 1, 2), (1, 0, 2)]
    assert found.count == 5


@pytest.mark.parametrize("size", [2, 3])
def test_edges_are_exactly_the_single_steps(size: int, patients: tuple[Star, Found]) -> None:
    """Section 2: a direct generalization raises one attribute by one level."""
    star, _ = patients
    nodes = rows(star, f"select id, dimensions, levels from nodes_{size}")
    expected = {
        (low, high)
        for low, low_dimensions, low_levels in nodes
        for high, high_dimensions, high_levels in nodes
        if low_dimensions == high_dimensions
        and sum(high_levels) == sum(low_levels) + 1
        and all(a <= b for a, b in zip(low_levels, high_levels, strict=True))
    }
    assert set(rows(star, f"select start_id, end_id from edges_{size}")) == expected


def test_equal_value_groups_are_counted_once(patients: tuple[Star, Found]) -> None:
    """Figure 7 (a): each root of the third iteration has an attribute at its top, and the groups of two attributes."""
    star, found = patients
    assert found.effort.checked == 17
    assert found.effort.scans == 3  # of the star once, of its packed copy once for each of two iterations
    assert rows(star, "select count(*) from checked where iteration = 3") == [(3,)]
    assert rows(star, "select min(beneath) from queue where iteration = 3") == [(None,)]
    assert rows(star, "select count(*), count(distinct grouping) from verdicts") == [(8, 8)]


def test_more_attributes_than_numbers_of_nodes_are_refused(star_of: Callable[..., Star]) -> None:
    """Attributes without levels: the lattice has one node, but the subsets of the attributes are too many."""
    names = [f"a{number}" for number in range(40)]
    table = pandas.DataFrame([["x"] * 40] * 2, columns=names)
    star = star_of({"quasi_identifiers": dict.fromkeys(names, "suppress"), "requirement": {"k": 2}}, table)
    flat = replace(star, dimensions=tuple(replace(each, height=0) for each in star.dimensions))
    with pytest.raises(JobError, match=r"all subsets of the quasi-identifiers, too many with 40 of them: drop quasi-"):
        basic.find(flat, demands.rows(2), allowed=0)


def test_adult_with_three_attributes_checks_the_papers_14_nodes(
    star_of: Callable[..., Star], adult_job: Callable[..., dict[str, Any]]
) -> None:
    """Section 4.2.1: QID size 3, k = 2: 14 nodes searched."""
    found = basic.find(star_of(adult_job(3, 2)), demands.rows(2), allowed=0)
    assert found.effort.checked == 14
    assert [iteration.checked for iteration in found.iterations] == [4, 8, 2]


def test_iterations_add_up(star_of: Callable[..., Star], adult_job: Callable[..., dict[str, Any]]) -> None:
    found = basic.find(star_of(adult_job(5, 10)), demands.rows(10), allowed=0)
    for iteration in found.iterations:
        assert iteration.checked == iteration.from_star + iteration.from_rollup
        assert iteration.checked <= iteration.candidates
        assert iteration.anonymous <= iteration.candidates
    assert found.count == found.iterations[-1].anonymous


@pytest.mark.parametrize("name", ["incognito", "bottom-up"])
def test_progress_tells_the_heights_that_are_searched(name: str) -> None:
    told: list[str] = []
    described = {**PATIENTS, "algorithm": {"name": name}, "insight": "off"}
    pipeline.run(described, resources=Resources(progress=told.append))
    assert any(re.fullmatch(r"search: 3 of 3 attributes, step \d of \d, \d+ nodes checked", text) for text in told)
