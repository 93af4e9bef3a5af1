"""The lattice of a complete full-domain search as a drawing."""

from __future__ import annotations

from math import prod

import numpy as np

from starcloak.base.drawing.lattice import MOST, Drawing, draw
from starcloak.job.result import Result


def drawing_of(result: Result) -> Drawing | None:
    """The lattice of a complete full-domain search.

    None for other searches, for a lattice that is too large, and if the satisfying nodes are not all nodes above a
    minimal one.
    """
    attributes = tuple(result.recoding.heights)
    heights = tuple(result.recoding.heights.values())
    if result.recoding.model != "full-domain" or not result.search.complete or prod(h + 1 for h in heights) > MOST:
        return None
    minimal = result.search.minimal
    levels = np.indices([height + 1 for height in heights]).reshape(len(heights), -1).T
    satisfying = np.zeros(len(levels), bool)
    for node in minimal:
        satisfying |= (levels >= node).all(axis=1)
    if satisfying.sum() != result.search.anonymous_nodes:
        return None
    return draw(attributes, heights, satisfying, minimal, [result.recoding.levels[name] for name in attributes])
