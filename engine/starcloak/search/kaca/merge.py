"""Merging: a small class is generalized with its nearest class, or with that class's stub (Definition 14)."""

from __future__ import annotations

from starcloak.search.kaca.classes import CLASSES, Clustering
from starcloak.search.kaca.nearest import level_of_common
from starcloak.statement import As, Hole, Joined, Name, Statement, columns

OFFERS = Name("kaca_offers")
MERGERS = Name("kaca_mergers")

_FORMED = Name("kaca_formed")
_PIECES = Name("kaca_pieces")
_ACCEPTED = Name("kaca_accepted")
_OPEN = Name("kaca_open_offers")


def offers(nearest: Hole) -> Statement:
    """What each seeker asks for, in random order."""
    return Statement("kaca/offers", {"nearest": nearest, "classes": CLASSES})


def untouched(accepted: Name) -> Statement:
    """The offers between classes that no accepted one touches."""
    touched = Statement("kaca/touched", {"offers": accepted})
    return Statement("kaca/open_offers", {"offers": OFFERS, "touched": touched})


def count(clustering: Clustering, relation: Name) -> int:
    """The rows of a relation."""
    (rows,) = clustering.session.row(Statement("kaca/counted", {"relation": relation}))
    return int(rows)


def independent(clustering: Clustering) -> int:
    """Choose mergers that do not depend on each other, in the offers' random order; returns how many.

    An offer is accepted where no earlier one meets it. Those that touch accepted ones fall away, and so on until none
    is left. Reads ``kaca_offers``, creates ``kaca_mergers``.
    """
    session, binds = clustering.session, {"k": clustering.k}
    accept = Statement("kaca/accepted", {"offers": OFFERS})
    remain = untouched(_ACCEPTED)
    session.create(MERGERS, accept, binds)
    session.create(_ACCEPTED, Statement("source/relation", {"relation": MERGERS}))
    session.create(_OPEN, remain)
    while count(clustering, _OPEN):
        session.create(OFFERS, Statement("source/relation", {"relation": _OPEN}))
        session.create(_ACCEPTED, accept, binds)
        session.insert(MERGERS, Statement("source/relation", {"relation": _ACCEPTED}))
        session.create(_OPEN, remain)
    return count(clustering, MERGERS)


def merge(clustering: Clustering) -> int:
    """Generalize the classes of ``kaca_mergers`` with each other (Algorithm 1, line 6); returns how many were split."""
    session = clustering.session
    common = columns(As(level_of_common(tree), Name(f"common_{tree.position}")) for tree in clustering.trees)
    holes: dict[str, Hole] = {**raised(clustering), "common": common}
    session.create(_FORMED, Statement("kaca/formed", {**holes, "mergers": MERGERS, "classes": CLASSES}))
    shape: dict[str, Hole] = {
        "columns": Joined(tuple(clustering.columns), ",\n        "),
        "paths": Joined(tuple(clustering.paths), ", "),
        "formed": _FORMED,
        "classes": CLASSES,
    }
    session.create(_PIECES, Statement("kaca/pieces", shape))
    clustering.replace(_PIECES)
    (splits,) = session.row(Statement("kaca/splits", {"mergers": MERGERS}))
    return int(splits)


def raised(clustering: Clustering) -> dict[str, Hole]:
    """A class's columns after each value was raised to the level in common_1, common_2, …"""
    raise_to = [(tree, Name(f"common_{tree.position}")) for tree in clustering.trees]
    return {
        "levels": columns(As(common, tree.level) for tree, common in raise_to),
        "paths": columns(As(tree.raised(tree.path, common), tree.path) for tree, common in raise_to),
        "climbed": clustering.summed(lambda tree: tree.height_at(Name(f"common_{tree.position}"))),
    }
