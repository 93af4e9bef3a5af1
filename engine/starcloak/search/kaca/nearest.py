"""The class nearest to every small class, exactly, without all pairs: the rollup index.

The index is a path through the lattice, from a coarse node down to the classes themselves. At each node the classes
fall into blocks. How far a seeker is from anything in a block has a lower bound that follows from the definitions: what
the seeker must climb until it meets the block, and what the class in it must climb with its rows. A class that is near
is known before (``neighbours``), so that only those blocks are kept down the path whose bound is less than its
distance: what is left are few pairs, among them every one that is nearer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log

from starcloak.search.kaca import neighbours
from starcloak.search.kaca.classes import CLASSES, ClassTables
from starcloak.search.kaca.neighbours import NEIGHBOURS, DistanceSample
from starcloak.search.kaca.weights import FARTHEST
from starcloak.statements.statement import As, Hole, Joined, Name, Number, Statement, columns, union_all
from starcloak.store.relations import STAR

NEAREST = Name("kaca_nearest")

_SEEKERS = Name("kaca_seekers")
_NEARER = Name("kaca_nearer")
_LEFT = (Name("kaca_left"), Name("kaca_left_above"))

# From a node of the path to the next, a block has about so many times fewer classes.
_FANOUT = 3
# So many pairs take less time than the rollup index.
_FEW_PAIRS = 2_000_000
# So many classes seek at a time: what they are compared with takes memory.
_BATCH = 100_000


@dataclass(frozen=True)
class Index:
    """The rollup index: the nodes of the path, the finest first. Levels count from the leaves."""

    nodes: tuple[tuple[int, ...], ...]


def path(clustering: ClassTables) -> Index:
    """Choose the path: from the root, always down the attribute that tells tuples apart at the highest cost for the
    blocks that it makes.

    Of the nodes on it, those are kept whose blocks have some times fewer tuples than those of the one kept before.
    """
    star, trees = clustering.star, clustering.trees
    places = [(d, level) for d in star.dimensions for level in range(d.height + 1)]
    equal = dict(zip(places, _equal(clustering, [[d.column(level)] for d, level in places]), strict=True))

    def worth(place: int) -> float:
        """What the pairs that a step down tells apart are then known to climb, by how many times fewer are left."""
        dimension, level = star.dimensions[place], levels[place]
        above, below = equal[dimension, level], equal[dimension, level - 1]
        return trees.trees[place].climbed[level] * (above - below) / log(above / below) if below < above else 0

    levels = [tree.height for tree in trees.trees]
    walked = []
    while any(levels):
        down = max((place for place, level in enumerate(levels) if level), key=worth)
        levels[down] -= 1
        walked.append(tuple(levels))
    columns_of = [[d.column(level) for d, level in zip(star.dimensions, node, strict=True)] for node in walked]
    kept, before = [], 1.0
    for node, share in zip(walked, _equal(clustering, columns_of), strict=True):
        if share * _FANOUT <= before and share * star.combinations >= _FANOUT / 2:
            kept.append(node)
            before = share
    return Index(tuple(reversed(kept)))


def _equal(clustering: ClassTables, nodes: Sequence[Sequence[Name]]) -> list[float]:
    """How many of all pairs of tuples have the same values, by some columns of the star."""
    shares = union_all(
        Statement("search/kaca/equal", {"place": Number(place), "keys": columns(keys), "star": STAR})
        for place, keys in enumerate(nodes)
    )
    return [share for _, share in sorted(clustering.session.run(shares))] if nodes else []


def nearest(
    clustering: ClassTables,
    index: Index | None,
    *,
    number: int,
    pairs: int,
    report: Callable[[str], None] = lambda _: None,
) -> DistanceSample:
    """Create ``kaca_nearest``: the nearest class of every small class, and its distance.

    ``number`` is that of the round, and ``pairs`` how many pairs of a small class and another there are: few are all
    looked at. Without an index what is found is near, and a sample tells how near.
    """
    session, binds = clustering.session, {"seed": clustering.seed}
    if pairs <= _FEW_PAIRS:
        seekers = Statement("search/kaca/bounded#small", {"violating": clustering.demand.violating, "classes": CLASSES})
        session.create(NEAREST, all_pairs(clustering, seekers=seekers), binds)
        return DistanceSample()
    sample = neighbours.neighbours(clustering, number, report, sample=index is None)
    if index is None:
        session.create(NEAREST, Statement("search/kaca/met", {"neighbours": NEIGHBOURS}))
        return sample
    nodes = _nodes(clustering, index)
    for place, node in enumerate(nodes):
        session.create(_blocks(place), _group(clustering, node, nodes[min(place + 1, len(nodes) - 1)]))
    rests = columns(As(clustering.trees.rest(node), _rest(place)) for place, node in enumerate(nodes))
    some = Statement("search/kaca/nearest#batch", {"rests": rests, "neighbours": NEIGHBOURS, "classes": CLASSES})
    _, small, _ = clustering.progress()
    batches = -(-small // _BATCH)
    for batch in range(batches):
        report(f"part {batch + 1} of {batches}")
        session.create(_SEEKERS, some, {"batch": batch, "batches": batches})
        left = _descend(clustering, nodes)
        nearer = Statement("search/kaca/nearest", {"bounded": left})
        (session.insert if batch else session.create)(_NEARER, nearer, binds)
    holes: dict[str, Hole] = {"neighbours": NEIGHBOURS, "nearer": _NEARER}
    session.create(NEAREST, Statement("search/kaca/met#nearer", holes))
    session.drop(_SEEKERS, _NEARER, *_LEFT, *(_blocks(place) for place in range(len(nodes))))
    return sample


def _nodes(clustering: ClassTables, index: Index) -> list[tuple[int, ...]]:
    """The nodes of the path, and that of the classes themselves beneath them."""
    return [(0,) * len(clustering.trees.trees), *index.nodes]


def _descend(clustering: ClassTables, nodes: Sequence[Sequence[int]]) -> Statement:
    """Go down the path with the blocks that may hold a nearer class; returns the classes that are left, as pairs."""
    for place in range(len(nodes) - 1, -1, -1):
        above, blocks = _LEFT[(place + 1) % 2], _blocks(place)
        if place == len(nodes) - 1:
            paired = Statement("search/kaca/bounded#coarsest", {"seekers": _SEEKERS, "blocks": blocks})
        else:
            paired = Statement("search/kaca/bounded#finer", {"left": above, "seekers": _SEEKERS, "blocks": blocks})
        common = clustering.trees.common(nodes[place], rest=Name("rest"))
        reach, rest = Name("seeker", "reach"), Name("seeker", *_rest(place).parts)
        bounded = _bounds(clustering, paired, reach, common=common, rest=rest)
        if place:
            clustering.session.create(_LEFT[place % 2], Statement("search/kaca/nearest#near", {"bounded": bounded}))
    return bounded


def all_pairs(clustering: ClassTables, *, seekers: Hole) -> Statement:
    """The nearest class of each of ``seekers``, by all pairs (Algorithm 1, lines 4 and 5)."""
    everyone = Statement(
        "search/kaca/bounded#everyone", {"values": columns(clustering.trees.values), "classes": CLASSES}
    )
    paired = Statement("search/kaca/bounded#coarsest", {"seekers": seekers, "blocks": everyone})
    common = clustering.trees.common((0,) * len(clustering.trees.trees))
    return Statement("search/kaca/nearest", {"bounded": _bounds(clustering, paired, Number(FARTHEST), common=common)})


def first_disturbed(clustering: ClassTables, steps: Name, formed: Name) -> Statement:
    """The first of the steps that may find another state than now, because of what an earlier one forms."""
    relations: dict[str, Hole] = {"steps": steps, "formed": formed, "classes": CLASSES}
    paired = Statement("search/kaca/bounded#later", relations)
    common = clustering.trees.common((0,) * len(clustering.trees.trees))
    bounded = _bounds(clustering, paired, Name("seeker", "distance"), common=common)
    values = Joined(tuple(clustering.trees.values), ", ")
    formed_small = Statement("search/kaca/disturbed#small", {"k": clustering.k})
    small = formed_small if clustering.splits else Statement("search/kaca/offers#always")
    return Statement("search/kaca/disturbed", {**relations, "small": small, "bounded": bounded, "values": values})


def _bounds(
    clustering: ClassTables, paired: Statement, reach: Hole, *, common: Statement, rest: Name | None = None
) -> Statement:
    """Seekers with blocks of a node, which have boxes, and to which they have a rest; or with classes."""
    stub = Statement("search/kaca/bounded#given", {"k": clustering.k})
    holes: dict[str, Hole] = {
        "bound": Statement(
            "search/kaca/bounded#bound",
            {"given": stub if clustering.splits else Statement("search/kaca/bounded#given_whole")},
        ),
        "common": common,
        "met": clustering.trees.meeting_bits(blocks=rest is not None),
        "rest": rest or Number(0),
        "reach": reach,
        "paired": paired,
    }
    return Statement("search/kaca/bounded", holes)


def _group(clustering: ClassTables, node: Sequence[int], coarser: Sequence[int]) -> Statement:
    """The blocks of a node."""
    trees = clustering.trees
    holes: dict[str, Hole] = {
        "parents": trees.keys(coarser),
        "values": columns(trees.values),
        "boxes": trees.boxes(),
        "shared": trees.shared_bits(),
        "apart": trees.apart(),
        "keys": trees.keys(node),
        "classes": CLASSES,
    }
    return Statement("search/kaca/blocks", holes)


def _rest(place: int) -> Name:
    return Name(f"rest_{place}")


def _blocks(place: int) -> Name:
    return Name(f"kaca_blocks_{place}")
