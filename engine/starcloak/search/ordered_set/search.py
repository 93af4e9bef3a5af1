"""Ordered-set partitioning, greedily."""

from __future__ import annotations

from starcloak.privacy.requirement import Requirement
from starcloak.search.algorithm import Answer, Run
from starcloak.search.ordered_set.settings import OrderedSet
from starcloak.search.shared import single_dimension
from starcloak.star.star import Star


def search(star: Star, requirement: Requirement, settings: OrderedSet, run: Run) -> Answer:
    """Intervals of numeric attributes, and cuts through the other hierarchies, that satisfy the requirement."""
    return single_dimension.search(star, requirement, run, ordered=True)
