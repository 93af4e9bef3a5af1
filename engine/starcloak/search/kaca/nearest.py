"""The class nearest to every small class: among all classes by SQL joins, or among neighbours in sorted arrays."""

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
    """Create ``kaca_nearest``: for every small class, the nearest class and the distance to it.

    ``number`` is the number of the round. ``pairs`` is the number of pairs of a small class and any class. Up to two
    million pairs are all compared. For more pairs the class found is near, but perhaps not the nearest: the returned
    sample has both distances for some small classes. It is empty if all pairs were compared. ``report`` receives
    progress messages.
    """
    if pairs > _FEW_PAIRS:
        return neighbours.neighbours(clustering, number, report)
    of_all(clustering)
    return DistanceSample()


def of_all(clustering: ClassTables) -> None:
    """Create ``kaca_nearest`` with the exact nearest class: every small class is compared with every class."""
    seekers = Statement("search/kaca/distances#small", violating=clustering.demand.violating, classes=CLASSES)
    clustering.session.create(NEAREST, all_pairs(clustering, seekers=seekers), {"seed": clustering.seed})


def all_pairs(clustering: ClassTables, *, seekers: Hole) -> Statement:
    """The statement of the nearest class of each row of ``seekers``, among all classes (Algorithm 1, lines 4 and 5)."""
    paired = Statement("search/kaca/distances#pairs", seekers=seekers, classes=CLASSES)
    stub = Statement("search/kaca/distances#given", k=clustering.k)
    return Statement("search/kaca/nearest", distances=_distances(clustering, paired, stub))


def disturbed(clustering: ClassTables, mergers: Name, formed: Name) -> Statement:
    """The statement of mergers with another outcome if all mergers were performed one after another, not at once.

    A class formed by an earlier merger is nearer to the seeker than its partner, or has the values of one of them.
    ``formed`` is ``kaca_formed`` of the mergers.
    """
    relations: dict[str, Hole] = {"mergers": mergers, "formed": formed, "classes": CLASSES}
    later = Statement("search/kaca/distances#later", **relations)
    values = Joined(tuple(clustering.trees.values), ", ")
    distances = _distances(clustering, later, Statement("search/kaca/distances#given_least", k=clustering.k))
    return Statement("search/kaca/disturbed", **relations, distances=distances, values=values)


def _distances(clustering: ClassTables, paired: Statement, stub: Statement) -> Statement:
    """The statement of distances of seekers (small classes) from other classes.

    ``paired`` yields the pairs. ``stub`` is the number of rows taken of the other class if classes may be split;
    otherwise all of its rows are taken.
    """
    return Statement(
        "search/kaca/distances",
        given=stub if clustering.splits else Statement("search/kaca/distances#given_whole"),
        common=clustering.trees.common_distance,
        paired=paired,
        joins=clustering.trees.joins,
    )
