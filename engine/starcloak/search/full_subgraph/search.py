"""Full-subgraph recoding: Mondrian's cuts along hierarchies only."""

from __future__ import annotations

from starcloak.privacy.requirement import Requirement
from starcloak.search.algorithm import Answer, Run
from starcloak.search.full_subgraph.settings import FullSubgraph
from starcloak.search.mondrian import search as mondrian
from starcloak.search.mondrian.settings import Mondrian
from starcloak.star.star import Star, without_numbers


def search(star: Star, requirement: Requirement, settings: FullSubgraph, run: Run) -> Answer:
    """A multi-dimension recoding of which no region can be cut into the children of one of its values."""
    return mondrian.search(without_numbers(star), requirement, Mondrian(), run)
