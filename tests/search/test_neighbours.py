"""Classes near to others by their neighbours in sorted orders, against the distances in plain Python."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest

import starcloak as sc
from starcloak.commands import pipeline
from starcloak.search.kaca import merge, nearest, neighbours, paths, weights
from starcloak.search.kaca.classes import NEAREST, ClassTables
from starcloak.search.kaca.settings import Kaca
from tests.full_domain import opened
from tests.search.clusterings import MANY, Tuple_, clustering_of, described, distance, rows_of, table


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("table_bits", "bits"),
    [(16, 62), (2, 7), pytest.param(16, 7, marks=pytest.mark.long), pytest.param(2, 62, marks=pytest.mark.long)],
)
def test_neighbours_are_as_far_as_they_say_and_hardly_farther_than_the_nearest(
    monkeypatch: pytest.MonkeyPatch, bits: int, table_bits: int
) -> None:
    """In plain Python; whichever way a value's digits are written and what they climb is looked up."""
    monkeypatch.setattr(paths, "_BITS", bits)
    monkeypatch.setattr(neighbours, "_TABLE_BITS", table_bits)
    monkeypatch.setattr(neighbours, "_SAMPLE", (10**6, 10**6))
    random, k = Random(bits + table_bits), 4
    qis = {"a": {"digits": 2}, "b": {"digits": 3}, "c": {"digits": 2}}
    domains = [["".join(digits) for digits in product("0123", repeat=digits["digits"])] for digits in qis.values()]
    rows = [tuple(domain[int(len(domain) * random.random() ** 2)] for domain in domains) for _ in range(80)]
    with opened(described(qis, k), table(qis, rows)) as built:
        clustering = clustering_of(built, k, 1)
        unit = weights.exact(built, Kaca().weights, most=k).one
        leaves = {tree.position: tree.height for tree in clustering.trees.trees}
        number, found_in_all, nearest_in_all = 0, Fraction(0), Fraction(0)
        while clustering.progress()[1]:
            number += 1
            sample = nearest.nearest(clustering, number=number, pairs=MANY)
            standing = standing_of(clustering, leaves)
            found = rows_of(built.session, NEAREST)
            assert {id for id, _, _ in found} == {id for id, (_, rows) in standing.items() if rows < k}
            best = {}
            for id, distance_found, partner in found:
                assert Fraction(distance_found, unit) == distance(*standing[id], *standing[partner], k)
                best[id] = min(distance(*standing[id], *other, k) for at, other in standing.items() if at != id)
            found_now = sum((Fraction(each[1], unit) for each in found), Fraction(0))
            nearest_now = sum(best.values(), Fraction(0))
            assert nearest_now <= found_now <= nearest_now * Fraction(11, 10)
            assert sample.farther == pytest.approx(float(found_now / nearest_now) - 1 if nearest_now else 0)
            session, binds = built.session, {"seed": 1, "round": number}
            session.create(merge.OFFERS, merge.offers(clustering, NEAREST), binds)
            merge.independent(clustering)
            merge.merge(clustering)
            found_in_all, nearest_in_all = found_in_all + found_now, nearest_in_all + nearest_now
        assert number > 2 and found_in_all < nearest_in_all * Fraction(103, 100)


def standing_of(clustering: ClassTables, heights: dict[int, int]) -> dict[int, tuple[Tuple_, int]]:
    """The classes of hierarchies of digits, by id: a value is a level and the path of the digits that are left."""
    cells = ", ".join(f"class.level_{at}, (select level_0 from {d.table.sql()} where code = code_{at})" for at, d in
                      ((d.position, d) for d in clustering.star.dimensions))  # fmt: skip
    found: dict[int, tuple[Tuple_, int]] = {}
    for id, rows, *values in clustering.session.connection.execute(
        f"""
        select class.id, class.frequency, {cells}
        from kaca_shares as share
        join kaca_tuples as tuple using (tuple)
        join kaca_classes as class on class.id = share.class
        """
    ).fetchall():
        written = []
        for level, leaf, height in zip(values[::2], values[1::2], heights.values(), strict=True):
            path = tuple(leaf[: height - at] for at in range(height + 1))
            written.append((level, (None,) * level + path[level:]))
        found[id] = (tuple(written), rows)  # type: ignore[assignment]
    return found


def test_a_release_by_neighbours_satisfies_and_tells_how_near_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(3)
    qis = {"a": {"digits": 2}, "b": {"digits": 3}}
    rows = [(f"{random.randrange(60):02}", f"{random.randrange(400):03}") for _ in range(400)]
    monkeypatch.setattr(nearest, "_FEW_PAIRS", 0)
    by_seed = {}
    for seed, order in ((1, rows), (1, rows[::-1]), (2, rows)):
        told: list[str] = []
        job = {**described(qis, 5, execution="neighbours"), "seed": seed}
        release = pipeline.run(job, frame=table(qis, order), resources=sc.Resources(progress=told.append))
        released = Counter(release.to_pandas().itertuples(index=False, name=None))
        assert min(released.values()) >= 5 and released.total() == len(rows)
        assert 0 <= release.result.search.clustering.farther < 0.1
        assert any(": order 1 of " in line for line in told)
        assert by_seed.setdefault(seed, released) == released
    assert by_seed[1] != by_seed[2]
    exact = pipeline.run(described(qis, 5, execution="joins"), frame=table(qis, rows)).result
    assert exact.search.clustering.farther is None and exact.search.clustering.execution == "joins"


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("most", "execution"), [(6, "joins"), (5, "neighbours")])
def test_few_classes_are_joined_by_the_papers_steps(monkeypatch: pytest.MonkeyPatch, most: int, execution: str) -> None:
    """The result names which execution ran, and so does its line."""
    assert [Kaca().execution_of(classes) for classes in (2_000, 2_001)] == ["joins", "neighbours"]
    monkeypatch.setattr("starcloak.search.kaca.settings._MOST_JOINED", most)
    qis: dict[str, Any] = {"a": {"digits": 2}, "b": {"digits": 1}}
    rows = [("11", "1"), ("11", "2"), ("12", "1"), ("21", "1"), ("21", "2"), ("22", "1")] * 2
    done = pipeline.run(described(qis, 3), frame=table(qis, rows)).result.search.clustering
    assert done.started == 6 and done.execution == execution
    assert done.summary.endswith(f" rounds of {execution}") and (done.farther is None) == (execution == "joins")
    for asked in ("joins", "neighbours"):
        result = pipeline.run(described(qis, 3, execution=asked), frame=table(qis, rows)).result
        assert result.search.clustering.execution == asked
