"""Frequency sets: the recount, the rollup and a plain GROUP BY over the rows agree on every node."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from starcloak.star import frequency_sets
from starcloak.star.star import Node, Star
from starcloak.statements.statement import Name
from tests import demands


@pytest.fixture
def adult_star(star_of: Callable[..., Star], adult_job: Callable[..., dict[str, Any]]) -> Star:
    return star_of(adult_job(4, 2))


def nodes(star: Star) -> list[Node]:
    dimensions = tuple(range(1, len(star.dimensions) + 1))
    levels = product(*(range(height + 1) for height in star.heights))
    return [Node(id, dimensions, level) for id, level in enumerate(levels)]


def groups(star: Star, node: Node, relation: str) -> list[tuple[Any, ...]]:
    names = ", ".join(f"value_{position}" for position in range(1, len(node.levels) + 1))
    sql = f"select {names}, frequency from {relation} where node = {node.id} order by all"
    return star.session.connection.execute(sql).fetchall()


def test_rollup_agrees_with_recount_on_every_node(adult_star: Star) -> None:
    """Rollup Property, section 3: from the bottom, and from each direct specialization."""
    star = adult_star
    counted, rolled = Name("counted"), Name("rolled")
    everything = nodes(star)
    session = star.session
    session.create(counted, frequency_sets.recount(star, everything[0]))
    for node in everything[1:]:
        session.insert(counted, frequency_sets.recount(star, node))
    for node in everything[1:]:
        below = [
            other
            for other in everything
            if other.id == 0
            or (other.height == node.height - 1 and all(a <= b for a, b in zip(other.levels, node.levels, strict=True)))
        ]
        for beneath in below:
            session.create(rolled, frequency_sets.rollup(star, node, beneath=beneath, below=counted))
            assert groups(star, node, "rolled") == groups(star, node, "counted")


def test_every_frequency_set_stands_for_all_rows(adult_star: Star) -> None:
    star = adult_star
    for node in nodes(star):
        total, *_ = star.session.row(_total(frequency_sets.recount(star, node)))
        assert total == star.rows == 45222


def _total(recount: Any) -> Any:
    from starcloak.statements.statement import Statement

    class Parenthesized:
        def sql(self, dialect: str = "") -> str:
            return f"({recount.sql()})"

    return Statement("star/frequency/size", frequency=Parenthesized())  # type: ignore[dict-item]


def test_base_frequency_set_is_the_group_by_of_the_rows(adult_star: Star) -> None:
    session = adult_star.session
    grouped = 'select age, sex, race, "marital-status", 0, count(*) from source group by all'
    differences = session.connection.execute(f"select count(*) from (from base except all {grouped})").fetchall()
    assert differences == [(0,)]
    assert adult_star.combinations == 1900


def test_shortfall_counts_small_groups(adult_star: Star) -> None:
    star = adult_star
    node = nodes(star)[0]
    star.session.create(Name("counted"), frequency_sets.recount(star, node))
    ((_, total, classes, outliers),) = star.session.run(frequency_sets.shortfall(Name("counted"), demands.rows(10)))
    sizes = [row[-1] for row in groups(star, node, "counted")]
    assert total == len(sizes)
    assert classes == sum(size >= 10 for size in sizes)
    assert outliers == sum(size for size in sizes if size < 10)
