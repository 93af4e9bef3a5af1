"""KACA's distances: tables of pairs, and what is above values, tell what a join with all generalizations tells."""

from __future__ import annotations

from random import Random

import pytest

from starcloak.search.kaca import merge, nearest, trees, weights
from starcloak.search.kaca.classes import CLASSES, NEAREST, ClassTables
from starcloak.search.kaca.settings import Kaca
from tests.full_domain import opened
from tests.search.clusterings import clustering_of, described, rows_of, table

# Where two values meet: the lowest level, not beneath their own, at which their leaves have one ancestor.
MEET = """
    select min(one.level)
    from generalization as one
    join generalization as two using (dimension, level, ancestor)
    where one.dimension = {at}
        and one.code = seeker.code_{at}
        and two.code = other.code_{at}
        and one.level >= greatest(seeker.level_{at}, other.level_{at})
"""
FAR = "(select far from climbed where dimension = {at} and level = {level})"


def plain(clustering: ClassTables, climbed: list[tuple[int, int, int]], k: int) -> dict[tuple[int, int], int]:
    """The distances of all pairs of a small class and another, by joins (Definitions 10 and 14)."""
    connection = clustering.session.connection
    connection.execute("create or replace temp table climbed (dimension int, level int, far bigint)")
    connection.executemany("insert into climbed values (?, ?, ?)", climbed)
    places = [tree.position for tree in clustering.trees.trees]
    cells = ", ".join(f"any_value(code_{at}) as code_{at}, any_value(class.level_{at}) as level_{at}" for at in places)
    meets = ", ".join(f"({MEET.format(at=at)}) as meet_{at}" for at in places)
    levels = ", ".join(f"seeker.level_{at} as own_{at}, other.level_{at} as its_{at}" for at in places)
    steps = " + ".join(
        f"rows * ({FAR.format(at=at, level=f'meet_{at}')} - {FAR.format(at=at, level=f'own_{at}')})"
        f" + others * ({FAR.format(at=at, level=f'meet_{at}')} - {FAR.format(at=at, level=f'its_{at}')})"
        for at in places
    )
    found = connection.execute(
        f"""
        with class as (
            select class.id, any_value(class.frequency) as frequency, {cells}
            from kaca_shares as share
            join kaca_tuples as tuple using (tuple)
            join {CLASSES.sql()} as class on class.id = share.class
            group by class.id
        ),
        pairs as (
            select
                seeker.id, other.id as partner, seeker.frequency as rows,
                case when seeker.frequency + other.frequency >= {2 * k} then {k} - seeker.frequency
                    else other.frequency end as others,
                {levels}, {meets}
            from class as seeker join class as other on other.id <> seeker.id
            where seeker.frequency < {k}
        )
        select id, partner, {steps} from pairs
        """
    ).fetchall()
    return {(id, partner): distance for id, partner, distance in found}


@pytest.mark.parametrize("tabulated", [400, 0])
def test_meetings_tell_the_distances_that_generalizations_tell(monkeypatch: pytest.MonkeyPatch, tabulated: int) -> None:
    """In every round, among classes of leaves and of generalized values."""
    monkeypatch.setattr(trees, "_TABULATED", tabulated)
    random, k = Random(tabulated), 4
    qis = {
        "a": {"digits": 2},
        "b": {"tree": {"A": ["a"], "B": ["b", "x"], "CD": ["c", "d", "y"]}},
        "c": "suppress",
    }
    rows = [(f"{random.randrange(40):02}", random.choice("abcdxy"), random.choice("mf")) for _ in range(45)]
    with opened(described(qis, k), table(qis, rows)) as built:
        clustering = clustering_of(built, k, 1)
        scale = weights.exact(built, Kaca().weights, most=k)
        climbed = [
            (position, level, far)
            for position, dimension in enumerate(scale.climbed, 1)
            for level, far in enumerate(dimension)
        ]
        number = 0
        while clustering.progress()[1]:
            number += 1
            nearest.nearest(clustering, number=number, pairs=0)
            distances = plain(clustering, climbed, k)
            found = rows_of(built.session, NEAREST)
            assert {id for id, *_ in found} == {id for id, _ in distances}
            for id, distance, partner in found:
                assert distance == distances[id, partner]
                assert distance == min(far for (seeker, _), far in distances.items() if seeker == id)
            built.session.create(merge.OFFERS, merge.offers(clustering, NEAREST), {"seed": 1, "round": number})
            merge.independent(clustering)
            merge.merge(clustering)
        assert number > 2
