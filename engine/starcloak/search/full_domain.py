"""The full-domain searches by name: each answers with nodes of the generalization lattice."""

from __future__ import annotations

from starcloak.job import FullDomain, Witness
from starcloak.search import incognito, witness
from starcloak.search.lattice import Found
from starcloak.star import Star


def search(star: Star, algorithm: FullDomain, *, k: int, allowed: int) -> Found:
    """The k-anonymous nodes that the job's algorithm finds; ``allowed`` is how many rows may be suppressed."""
    if isinstance(algorithm, Witness):
        return witness.search(star, k=k, allowed=allowed)
    return incognito.basic(star, k=k, allowed=allowed)
