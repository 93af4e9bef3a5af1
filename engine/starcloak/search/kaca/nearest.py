"""The class nearest to every small class, among all pairs or by its neighbours in sorted orders."""

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

    ``number`` is that of the round, and ``pairs`` how many pairs of a small class and another there are: few are all
    looked at. Of more, what is found is near, and a sample tells how near.
    """
    if pairs > _FEW_PAIRS:
        return neighbours.neighbours(clustering, number, report)
    holes: dict[str, Hole] = {"violating": clustering.demand.violating, "classes": CLASSES}
    seekers = Statement("search/kaca/distances#small", holes)
    clustering.session.create(NEAREST, all_pairs(clustering, seekers=seekers), {"seed": clustering.seed})
    return DistanceSample()


def all_pairs(clustering: ClassTables, *, seekers: Hole) -> Statement:
    """The nearest class of each of ``seekers``, by all pairs (Algorithm 1, lines 4 and 5)."""
    paired = Statement("search/kaca/distances#pairs", {"seekers": seekers, "classes": CLASSES})
    return Statement("search/kaca/nearest", {"distances": _distances(clustering, paired)})


def first_disturbed(clustering: ClassTables, steps: Name, formed: Name) -> Statement:
    """The first of the steps that may find another state than now, because of what an earlier one forms."""
    relations: dict[str, Hole] = {"steps": steps, "formed": formed, "classes": CLASSES}
    distances = _distances(clustering, Statement("search/kaca/distances#later", relations))
    values = Joined(tuple(clustering.trees.values), ", ")
    formed_small = Statement("search/kaca/disturbed#small", {"k": clustering.k})
    small = formed_small if clustering.splits else Statement("search/kaca/offers#always")
    return Statement("search/kaca/disturbed", {**relations, "small": small, "distances": distances, "values": values})


def _distances(clustering: ClassTables, paired: Statement) -> Statement:
    """How far seekers are from other classes."""
    stub = Statement("search/kaca/distances#given", {"k": clustering.k})
    holes: dict[str, Hole] = {
        "given": stub if clustering.splits else Statement("search/kaca/distances#given_whole"),
        "common": clustering.trees.common_distance(),
        "met": clustering.trees.meeting_bits(),
        "paired": paired,
    }
    return Statement("search/kaca/distances", holes)
