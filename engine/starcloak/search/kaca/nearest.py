"""The class nearest to every small class: by joins with the hierarchies, or its neighbours in sorted orders."""

from __future__ import annotations

from collections.abc import Callable

from starcloak.search.kaca import neighbours
from starcloak.search.kaca.classes import CLASSES, NEAREST, ClassTables
from starcloak.search.kaca.neighbours import DistanceSample
from starcloak.statements.statement import Hole, Joined, Name, Statement

# So many pairs take less time than sorted orders.
_FEW_PAIRS = 2_000_000


def nearest(
    clustering: ClassTables, *, number: int, pairs: int, report: Callable[[str], None] = lambda _: None
) -> DistanceSample:
    """Create ``kaca_nearest``: the nearest class of every small class, and its distance.

    ``number`` is the number of the round, and ``pairs`` the number of pairs of a small class and another class. A few
    pairs are all compared. For more, the class found is near, and a sample measures how near.
    """
    if pairs > _FEW_PAIRS:
        return neighbours.neighbours(clustering, number, report)
    of_all(clustering)
    return DistanceSample()


def of_all(clustering: ClassTables) -> None:
    """Create ``kaca_nearest`` by all pairs."""
    seekers = Statement("search/kaca/distances#small", violating=clustering.demand.violating, classes=CLASSES)
    clustering.session.create(NEAREST, all_pairs(clustering, seekers=seekers), {"seed": clustering.seed})


def all_pairs(clustering: ClassTables, *, seekers: Hole) -> Statement:
    """The nearest class of each of ``seekers``, by all pairs (Algorithm 1, lines 4 and 5)."""
    paired = Statement("search/kaca/distances#pairs", seekers=seekers, classes=CLASSES)
    stub = Statement("search/kaca/distances#given", k=clustering.k)
    return Statement("search/kaca/nearest", distances=_distances(clustering, paired, stub))


def disturbed(clustering: ClassTables, mergers: Name, formed: Name) -> Statement:
    """The mergers that would find another state than now if all took place one after another."""
    relations: dict[str, Hole] = {"mergers": mergers, "formed": formed, "classes": CLASSES}
    later = Statement("search/kaca/distances#later", **relations)
    values = Joined(tuple(clustering.trees.values), ", ")
    distances = _distances(clustering, later, Statement("search/kaca/distances#given_least", k=clustering.k))
    return Statement("search/kaca/disturbed", **relations, distances=distances, values=values)


def _distances(clustering: ClassTables, paired: Statement, stub: Statement) -> Statement:
    """Distances of seekers from other classes, taking a stub of the other class or all of it."""
    return Statement(
        "search/kaca/distances",
        given=stub if clustering.splits else Statement("search/kaca/distances#given_whole"),
        common=clustering.trees.common_distance,
        paired=paired,
        joins=clustering.trees.joins,
    )
