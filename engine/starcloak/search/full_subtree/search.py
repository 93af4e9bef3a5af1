"""Full-subtree recoding, greedily."""

from __future__ import annotations

from starcloak.privacy.requirement import Requirement
from starcloak.search.algorithm import Answer, Run
from starcloak.search.full_subtree.settings import FullSubtree
from starcloak.search.shared import single_dimension
from starcloak.star.star import Star


def search(star: Star, requirement: Requirement, settings: FullSubtree, run: Run) -> Answer:
    """A cut through every hierarchy that satisfies the requirement."""
    return single_dimension.search(star, requirement, run)
