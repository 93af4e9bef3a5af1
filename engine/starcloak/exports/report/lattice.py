"""The lattice of a complete full-domain search as a drawing."""

from __future__ import annotations

from math import prod

import numpy as np

from starcloak.base.drawing.lattice import MOST, Drawing, draw, nodes_between
from starcloak.job.result import Result


def drawing_of(result: Result) -> Drawing | None:
    """Drawing of the lattice of a complete full-domain search, or None.

    None for other searches, for a lattice too large to draw, and if some node above a minimal satisfying node does not
    satisfy the requirement.
    """
    attributes, bounds = tuple(result.recoding.bounds), tuple(result.recoding.bounds.values())
    nodes = prod(highest - lowest + 1 for lowest, highest in bounds)
    if result.recoding.model != "full-domain" or not result.search.complete or nodes > MOST:
        return None
    minimal, levels = result.search.minimal, nodes_between(bounds)
    satisfying = np.zeros(len(levels), bool)
    for node in minimal:
        satisfying |= (levels >= node).all(axis=1)
    if satisfying.sum() != result.search.anonymous_nodes:
        return None
    return draw(attributes, bounds, satisfying, minimal, [result.recoding.levels[name] for name in attributes])
