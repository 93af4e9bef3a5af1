"""The full-domain searches by name: each answers with nodes of the generalization lattice."""

from __future__ import annotations

from starcloak.job import BottomUp, Datafly, FullDomain, Incognito, Samarati, Witness
from starcloak.search import bottom_up, cube, datafly, incognito, kept_cube, samarati, super_roots, witness
from starcloak.search.cube import Cube
from starcloak.search.kept_cube import Place
from starcloak.search.lattice import Found
from starcloak.star import Star


def search(star: Star, algorithm: FullDomain, *, k: int, allowed: int, prepared: Cube | None = None) -> Found:
    """The k-anonymous nodes that the job's algorithm finds; ``allowed`` is how many rows may be suppressed.

    ``prepared`` is what :func:`prepare` made, which is done here where it is left out.
    """
    match algorithm:
        case Witness():
            return witness.search(star, k=k, allowed=allowed)
        case Incognito(variant="super-roots"):
            return super_roots.search(star, k=k, allowed=allowed)
        case Incognito(variant="cube"):
            made = prepared or cube.build(star)
            return cube.search(star, made, k=k, allowed=allowed)
        case Incognito():
            return incognito.basic(star, k=k, allowed=allowed)
        case Samarati():
            return samarati.search(star, k=k, allowed=allowed)
        case BottomUp(rollup=rollup):
            return bottom_up.search(star, rollup=rollup, k=k, allowed=allowed)
        case Datafly():
            return datafly.search(star, k=k, allowed=allowed)


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
