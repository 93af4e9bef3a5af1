"""Full-subtree recoding, greedily."""

from __future__ import annotations

from starcloak.privacy.requirement import Requirement
from starcloak.search.algorithm import Answer, SearchContext
from starcloak.search.single_dimension import greedy
from starcloak.search.single_dimension.settings import FullSubtree
from starcloak.star.star import Star


def search(star: Star, requirement: Requirement, settings: FullSubtree, run: SearchContext) -> Answer:
    """A cut through every hierarchy, satisfying the requirement.

    LeFevre, DeWitt, Ramakrishnan 2005, section 5.1.1, of the model; the search is greedy, top-down, and of no paper.
    Raises :class:`~starcloak.base.errors.RequirementError`, when the star is built, if all rows together violate the
    requirement.
    """
    return greedy.search(star, requirement, run)
