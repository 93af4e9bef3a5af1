"""Full-subgraph recoding: Mondrian's cuts along hierarchies only."""

from __future__ import annotations

from starcloak.privacy.requirement import Requirement
from starcloak.search.algorithm import Answer, SearchContext
from starcloak.search.mondrian import search as mondrian
from starcloak.search.mondrian.settings import FullSubgraph, Mondrian
from starcloak.star.star import Star, without_numbers


def search(star: Star, requirement: Requirement, settings: FullSubgraph, run: SearchContext) -> Answer:
    """A multi-dimension recoding by regions: none of them can be cut into the children of one of its values.

    The model is of LeFevre, DeWitt, Ramakrishnan 2005, section 5.1.3; the cuts are those of Mondrian (LeFevre, DeWitt,
    Ramakrishnan 2006). Raises :class:`~starcloak.base.errors.RequirementError`, when the star is built, if all rows
    together violate the requirement.
    """
    return mondrian.search(without_numbers(star), requirement, Mondrian(), run)
