"""The full-domain searches by name: each answers with nodes of the generalization lattice."""

from __future__ import annotations

from collections.abc import Sequence

from starcloak.job import BottomUp, Datafly, FullDomain, Incognito, Qid, Samarati, Witness
from starcloak.search import (
    bottom_up,
    cube,
    datafly,
    incognito,
    kept_cube,
    lattice,
    projection,
    samarati,
    super_roots,
    witness,
)
from starcloak.search.cube import Cube
from starcloak.search.kept_cube import Place
from starcloak.search.lattice import Found, Iteration, Tally
from starcloak.search.projection import Projection
from starcloak.star import Star
from starcloak.statement import Name, Statement

_Complete = Witness | Incognito | BottomUp


def search(
    star: Star, algorithm: FullDomain, *, qids: Sequence[Qid], allowed: int, prepared: Cube | None = None
) -> Found:
    """The nodes that the job's algorithm finds of those that satisfy all ``qids``.

    ``allowed`` is how many rows may be suppressed: none where there are several QIDs. ``prepared`` is what
    :func:`prepare` made, which is done here where it is left out.
    """
    tally = Tally(star.session)
    projections = projection.of(star, qids)
    if len(projections) == 1 and isinstance(algorithm, _Complete):
        return _complete(star, algorithm, k=projections[0].k, allowed=allowed, prepared=prepared)
    for each in projections:
        if each.star is not star:
            tally.scans += 1
            tally.rows += star.combinations
    match algorithm:
        case Samarati():
            return samarati.search(star, projections, allowed=allowed, tally=tally)
        case Datafly():
            return datafly.search(star, projections, allowed=allowed, tally=tally)
        case _:
            return _all_of(star, algorithm, projections, tally)


def _all_of(star: Star, algorithm: _Complete, projections: Sequence[Projection], tally: Tally) -> Found:
    """All nodes that satisfy several QIDs, from the k-anonymous nodes of each.

    Sound and complete where the search of each QID is: the value groups of a node over the attributes of a QID are
    those of its projection, and its projection is a node of the QID's lattice.
    """
    lattice.held(star)
    anonymous: list[Name] = []
    iterations: list[Iteration] = []
    for number, each in enumerate(projections, 1):
        found = _complete(each.star, algorithm, k=each.k, allowed=0, prepared=None)
        tally.add(found.effort)
        iterations += found.iterations
        anonymous.append(Name(f"anonymous_{number}"))
        star.session.create(anonymous[-1], Statement("source/relation", {"relation": found.anonymous}))
    numbers = projection.satisfying(star, projections, anonymous)
    return lattice.found(star, numbers, complete=True, effort=tally.effort(), iterations=tuple(iterations))


def _complete(star: Star, algorithm: _Complete, *, k: int, allowed: int, prepared: Cube | None) -> Found:
    """All k-anonymous nodes."""
    match algorithm:
        case Witness():
            return witness.search(star, k=k, allowed=allowed)
        case Incognito(variant="super-roots"):
            return super_roots.search(star, k=k, allowed=allowed)
        case Incognito(variant="cube"):
            return cube.search(star, prepared or cube.build(star), k=k, allowed=allowed)
        case Incognito():
            return incognito.basic(star, k=k, allowed=allowed)
        case BottomUp(rollup=rollup):
            return bottom_up.search(star, rollup=rollup, k=k, allowed=allowed)


def prepare(star: Star, algorithm: FullDomain, *, keep: bool = True) -> Cube | None:
    """The cube of Cube Incognito, from its file where it has one; without ``keep`` no file is written."""
    match algorithm:
        case Incognito(variant="cube"):
            where = kept(algorithm)
            if where is not None:
                return kept_cube.provide(star, where, keep=keep)
            return cube.build(star)
    return None


def kept(algorithm: object) -> Place | None:
    """Where an algorithm keeps what it prepared, if it does."""
    match algorithm:
        case Incognito(variant="cube", cube=path) if path is not None:
            return kept_cube.place(path)
    return None
