"""The class nearest to every class of fewer than k rows, exactly, without all pairs: the rollup index.

The index is a path through the lattice, from a coarse node down to the classes themselves. At each node the classes
fall into blocks. How far a seeker is from anything in a block has a lower bound that follows from the definitions: what
the seeker must climb until it meets the block, and what the class in it must climb with its rows. Two passes go down
the path: the first keeps the two blocks that look nearest, for a class that is near; the second keeps every block whose
bound is no more than that distance. What is left are few pairs, among them every nearest one and all its equals.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from starcloak.search.kaca.classes import CLASSES, Clustering, Tree
from starcloak.search.kaca.weights import FARTHEST
from starcloak.star import STAR
from starcloak.statement import As, Hole, Joined, Name, Number, Statement, columns, union_all

NEAREST = Name("kaca_nearest")

_MEMBERS = Name("kaca_members")
_SEEKERS = Name("kaca_seekers")
_REACHING = Name("kaca_reaching")
_LEFT = (Name("kaca_left"), Name("kaca_left_above"))

# A node of the path has about so many times the value groups of the node above.
_FANOUT = 3
# So many pairs take less time than the rollup index.
_FEW_PAIRS = 2_000_000
_DISTANCE = Statement("kaca/distance")
_BOUND = Statement("kaca/bound")


@dataclass(frozen=True)
class Index:
    """The rollup index: the nodes of the path, the finest first. Levels count from the leaves."""

    nodes: tuple[tuple[int, ...], ...]


def path(clustering: Clustering) -> Index:
    """Choose the path: from the root, always down the attribute whose values are then told apart at the highest cost.

    Of the nodes on it, those are kept that have some times the value groups of the one kept before.
    """
    star, trees = clustering.star, clustering.trees
    levels = [tree.height for tree in trees]
    walked = []
    while any(levels):
        down = max(range(len(trees)), key=lambda index: trees[index].climbed[levels[index]] * (levels[index] > 0))
        down = down if levels[down] else next(index for index, level in enumerate(levels) if level)
        levels[down] -= 1
        walked.append(tuple(levels))
    counts = union_all(
        Statement(
            "kaca/groups",
            {
                "place": Number(place),
                "keys": columns(d.column(level) for d, level in zip(star.dimensions, node, strict=True)),
                "star": STAR,
            },
        )
        for place, node in enumerate(walked)
    )
    groups: dict[int, int] = dict(star.session.run(counts)) if walked else {}
    kept = [tuple(tree.height for tree in trees)]
    before = 1
    for place, node in enumerate(walked):
        if groups[place] >= _FANOUT * before and groups[place] * 3 <= star.combinations * 2:
            kept.append(node)
            before = groups[place]
    # The root is one block: of use only where no other node is.
    return Index(tuple(reversed(kept[1:] or kept)))


def nearest(clustering: Clustering, index: Index, *, pairs: int | None = None) -> None:
    """Create ``kaca_nearest``: the nearest class of every small class, and its distance.

    ``pairs``, where it is known, is how many pairs of a small class and another there are: few are all looked at.
    """
    session, k = clustering.session, {"k": clustering.k}
    if pairs is not None and pairs <= _FEW_PAIRS:
        small = Statement("kaca/small", {"classes": CLASSES})
        session.create(NEAREST, all_pairs(clustering, seekers=small), {**k, "seed": clustering.seed})
        return
    members = Statement("kaca/members", {"blocks": columns(_blocks(clustering, index)), "classes": CLASSES})
    session.create(_MEMBERS, members)
    heights = columns(As(tree.height_at(tree.level), Name(f"climbed_{tree.position}")) for tree in clustering.trees)
    shape: dict[str, Hole] = {"asking": _asking(clustering), "heights": heights, "members": _MEMBERS}
    session.create(_SEEKERS, Statement("kaca/seekers", shape), k)
    for place, node in enumerate(index.nodes, 1):
        last = place == len(index.nodes)
        paths = [tree.path for tree, _ in _told(clustering, node)]
        holes: dict[str, Hole] = {
            "block": _block(place),
            "parent": _block(place if last else place + 1),
            "paths": clustering.grouped(paths or [Name("block_1")]),
            "members": _MEMBERS,
        }
        session.create(_table(place), Statement("kaca/blocks", holes))

    def descend(path: str, seekers: Name) -> Name:
        """One pass down the path; the blocks of the finest node that it keeps."""
        for place in range(len(index.nodes), 0, -1):
            here, above = _LEFT[place % 2], _LEFT[(place + 1) % 2]
            holes: dict[str, Hole] = {
                "above": Name("seeker", "climbed") if place == len(index.nodes) else Name("remaining", "common"),
                "rise": _rise(clustering, index, place),
                "bound": _BOUND,
                "paired": _paired(place, len(index.nodes), above, seekers),
            }
            if path == "kaca/beam":
                holes["block"] = _block(place)
            session.create(here, Statement(path, holes), k)
        return _LEFT[1]

    left = descend("kaca/beam", _SEEKERS)
    finest: dict[str, Hole] = {"left": left, "members": _MEMBERS, "block": _block(1)}
    exact: dict[str, Hole] = {"common": _common(clustering), "distance": _DISTANCE}
    session.create(_REACHING, Statement("kaca/reach", {**finest, **exact, "seekers": _SEEKERS}), k)
    left = descend("kaca/near", _REACHING)
    found = Statement("kaca/found", {**finest, "seekers": _REACHING})
    exact["farthest"] = Name("seeker", "reach")
    session.create(NEAREST, Statement("kaca/nearest", {**exact, "paired": found}), {**k, "seed": clustering.seed})
    session.drop(_MEMBERS, _SEEKERS, _REACHING, *_LEFT, *(_table(place) for place in range(1, len(index.nodes) + 1)))


def all_pairs(clustering: Clustering, *, seekers: Hole) -> Statement:
    """The nearest class of each of ``seekers``, by all pairs (Algorithm 1, lines 4 and 5)."""
    everyone = Statement("kaca/everyone", {"asking": _asking(clustering), "seekers": seekers, "classes": CLASSES})
    holes: dict[str, Hole] = {
        "common": _common(clustering),
        "distance": _DISTANCE,
        "farthest": Number(FARTHEST),
        "paired": everyone,
    }
    return Statement("kaca/nearest", holes)


def level_of_common(tree: Tree) -> Statement:
    """The level of the closest common generalization of a seeker and another class."""
    return Statement("kaca/common_level", {"level": tree.level, "climbs": _climbs(tree, range(tree.height + 1))})


def _common(clustering: Clustering) -> Statement:
    """How far the closest common generalization is from the leaves."""
    return clustering.summed(lambda tree: _climbs(tree, tree.climbed))


def _climbs(tree: Tree, climbed: Sequence[int]) -> Hole:
    """A number for each level at which a seeker and another class may meet; 0 at the leaves."""
    return _meeting(tree, [Number(number) for number in climbed[1:]])


def _rise(clustering: Clustering, index: Index, place: int) -> Statement:
    """How much farther it is, at least, by a node of the index than by the node above: where their levels differ."""
    here = index.nodes[place - 1]
    above = index.nodes[place] if place < len(index.nodes) else tuple(tree.height for tree in clustering.trees)
    rises = [
        _meeting(tree, [_rises(tree, level) if level <= high else Number(0) for level in range(low + 1, top)], low)
        for tree, low, high in zip(clustering.trees, here, above, strict=True)
        for top in [min(high + 1, tree.height) + 1]
        if low != high
    ]
    return Statement("kaca/total", {"attributes": Joined(tuple(rises or [Number(0)]), "\n    + ")})


def _rises(tree: Tree, level: int) -> Statement:
    """The rise where a seeker and a block meet at a level."""
    return Statement(
        "kaca/rise", {"climbed": Number(tree.climbed[level]), "own": Name("seeker", f"climbed_{tree.position}")}
    )


def _meeting(tree: Tree, met: Sequence[Hole], lowest: int = 0) -> Hole:
    """What follows where a seeker and another class meet at the level above ``lowest``, at the one above that, …"""
    climbs = [
        Statement("kaca/climb", {"path": tree.path, "size": Number(tree.sizes[level]), "climbed": climbed})
        for level, climbed in enumerate(met, lowest)
    ]
    return Statement("kaca/climbs", {"climbs": Joined(tuple(reversed(climbs)), "\n        ")}) if climbs else Number(0)


def _asking(clustering: Clustering) -> Joined:
    return columns(tree.asking for tree in clustering.trees)


def _paired(place: int, nodes: int, above: Name, seekers: Name) -> Statement:
    if place == nodes:
        return Statement("kaca/coarsest", {"seekers": seekers, "blocks": _table(place)})
    return Statement("kaca/finer", {"left": above, "seekers": seekers, "blocks": _table(place)})


def _told(clustering: Clustering, node: Sequence[int]) -> Iterator[tuple[Tree, int]]:
    """The attributes that a node tells apart, with their levels."""
    return ((tree, level) for tree, level in zip(clustering.trees, node, strict=True) if level < tree.height)


def _blocks(clustering: Clustering, index: Index) -> Iterator[As]:
    for place, node in enumerate(index.nodes, 1):
        keys: list[Hole] = [
            Statement("kaca/key", {"path": tree.path, "size": Number(tree.sizes[level])})
            for tree, level in _told(clustering, node)
        ]
        yield As(Statement("kaca/block", {"keys": Joined(tuple(keys or [Number(0)]), ", ")}), _block(place))


def _block(place: int) -> Name:
    return Name(f"block_{place}")


def _table(place: int) -> Name:
    return Name(f"kaca_blocks_{place}")
