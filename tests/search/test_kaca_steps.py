"""KACA by joins against every outcome that Algorithm 1 can reach: all choices of a class, and all ties."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

import pytest

from starcloak.search.kaca import merge, nearest, trees
from starcloak.search.kaca import search as kaca
from starcloak.search.kaca.merge import FORMED, MERGERS
from starcloak.search.kaca.settings import Kaca
from starcloak.star.star import Star
from tests import demands
from tests.full_domain import opened
from tests.search.clusterings import Tuple_, clustering_of, common, described, distance, read_classes, table

# Classes and their rows.
State = frozenset[tuple[Tuple_, int]]

# The paths of two attributes' leaves.
LETTERS: list[dict[str, tuple[str, ...]]] = [
    {leaf: (leaf, "Q" if leaf == "a4" else "P", "*") for leaf in ("a0", "a1", "a2", "a3", "a4")},
    {leaf: (leaf, leaf.upper(), "*") for leaf in ("b0", "b1", "b2", "b3")},
]
QIS = {
    "a": {"tree": {"P": ["a0", "a1", "a2", "a3"], "Q": ["a4"]}},
    "b": {"tree": {leaf.upper(): [leaf] for leaf in LETTERS[1]}},
}


@cache
def reachable(state: State, k: int) -> frozenset[State]:
    """The outcomes of Algorithm 1 (Li, Wong, Fu, Pei 2008), with the stubs of Definition 14."""
    small = [one for one in state if one[1] < k]
    if not small:
        return frozenset([state])
    return frozenset().union(*(reachable(after, k) for one in small for after in _steps(state, one, k)))


def _steps(state: State, one: tuple[Tuple_, int], k: int) -> Iterator[State]:
    """What a chosen class may make of a state: its nearest may be any of several."""
    values, rows = one
    far = {other: distance(values, rows, *other, k) for other in state - {one}}
    for other in (other for other in far if far[other] == min(far.values())):
        given = other[1] if rows + other[1] < 2 * k else k - rows
        left = Counter(dict(state - {one, other}))
        if other[1] > given:
            left[other[0]] += other[1] - given
        left[common(values, other[0])] += rows + given
        yield frozenset(left.items())


def started(rows: list[tuple[str, ...]]) -> State:
    tuples = Counter(tuple((0, tree[cell]) for tree, cell in zip(LETTERS, row, strict=True)) for row in rows)
    return frozenset(tuples.items())


def ended(rows: list[tuple[str, ...]], k: int, seed: int) -> State:
    with opened(described(QIS, k), table(QIS, rows)) as built:
        kaca.cluster(built, demands.rows(k, built), Kaca(execution="joins"), allowed=0, seed=seed)
        return frozenset(read_classes(built, LETTERS).values())


def drawn(random: Random) -> list[tuple[str, ...]]:
    """Few tuples, some of several rows; among them tables where all pairs are equally far apart."""
    domains = [list(tree) for tree in LETTERS]
    if random.random() < 0.2:
        domains[0] = ["a0"]
    tuples = [tuple(map(random.choice, domains)) for _ in range(random.randint(2, 9))]
    return [row for row in tuples for _ in range(random.choice([1, 1, 1, 2, 3, 8]))]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("tables", "tabulated"), [(16, 400), (6, 0), pytest.param(1000, 400, marks=pytest.mark.long)])
def test_every_outcome_is_one_that_the_algorithm_reaches(
    tables: int, tabulated: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trees, "_TABULATED", tabulated)
    random, several = Random(tables), 0
    for seed in range(tables):
        rows, k = drawn(random), random.choice([2, 2, 3, 4])
        if len(rows) >= k:
            outcomes = reachable(started(rows), k)
            assert ended(rows, k, seed) in outcomes, (rows, k, seed)
            several += len(outcomes) > 1
    assert several > tables / 10


def test_mergers_that_depend_on_each_other_take_place_in_turn() -> None:
    """All at once, those of these rows end, by most seeds, where no order of steps ends."""
    rows = [("a0", "b0")] * 3 + [("a1", "b2"), ("a3", "b1"), ("a0", "b3")]
    outcomes = reachable(started(rows), 2)
    assert {ended(rows, 2, seed) in outcomes for seed in range(6)} == {True}


def test_a_merger_waits_for_what_an_earlier_one_makes_of_its_classes() -> None:
    """Where an earlier merger forms a class of the seeker's values, or of a partner's that is taken whole."""
    k, rows = 4, [(leaf, "b0") for leaf in ("a0", "a1", "a2", "a3")] + [("a4", "b1")] * 2 + [("a4", "b2")] * 9
    with opened(described(QIS, k), table(QIS, rows)) as built:
        clustering = clustering_of(built, k, 1)
        a0, a1, a2, a3, q1, q2 = (id for (id,) in _of(built, "select id from kaca_classes order by id"))
        _take_place(built, [(a0, a1, 1, True, 1)])
        merge.merge(clustering)
        ((parents,),) = _of(built, "select id from kaca_classes where level_1 = 1")
        for later, waits in [
            ((parents, q1, 0, True, 2), True),
            ((q1, parents, 0, True, 2), True),
            ((q1, parents, 0, False, 2), False),  # it has more rows to give a stub of
            ((q1, q2, 0, False, 2), False),
        ]:
            _take_place(built, [(a2, a3, 1, True, 1), later])
            merge.form(clustering, MERGERS)
            disturbed = built.session.run(nearest.disturbed(clustering, MERGERS, FORMED))
            assert [id for (id,) in disturbed] == [later[0]] * waits


def test_a_merger_waits_for_a_class_that_is_nearer_once_it_gives_a_stub() -> None:
    """What is formed gives all its rows by itself, and a stub with those of a class of its values."""
    k, rows = 4, [("a0", "b0")] * 3 + [("a1", "b0")] * 3 + [("a4", "b0")] + [("a4", "b1")]
    with opened(described(QIS, k), table(QIS, rows)) as built:
        clustering = clustering_of(built, k, 1)
        one = clustering.trees.trees[0].climbed[-1]  # from a leaf of a to the top
        a0, a1, seeker, other = (id for (id,) in _of(built, "select id from kaca_classes order by id"))
        nearer = one + 3 * one // 2  # the seeker's row goes all the way, and a stub of 3 from P the half that is left
        for known, waits in ((nearer, False), (nearer + 1, True)):
            _take_place(built, [(a0, a1, 1, True, 3), (seeker, other, known, True, 1)])
            merge.form(clustering, MERGERS)
            disturbed = built.session.run(nearest.disturbed(clustering, MERGERS, FORMED))
            assert [id for (id,) in disturbed] == [seeker] * waits


def _take_place(built: Star, mergers: list[tuple[int, int, int, bool, int]]) -> None:
    """Write mergers: a seeker, its partner, how far that is, whether it is taken whole, how many of its rows are."""
    connection = built.session.connection
    connection.execute(
        f"create or replace table {MERGERS.sql()} "
        "(id bigint, partner bigint, distance bigint, whole boolean, taken bigint, rank bigint)"
    )
    connection.executemany(
        f"insert into {MERGERS.sql()} values (?, ?, ?, ?, ?, ?)",
        [(*merger, rank) for rank, merger in enumerate(mergers, 1)],
    )


def _of(built: Star, sql: str) -> list[tuple[Any, ...]]:
    return built.session.connection.execute(sql).fetchall()
