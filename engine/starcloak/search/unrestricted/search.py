"""Unrestricted single-dimension recoding, greedily."""

from __future__ import annotations

from starcloak.privacy.requirement import Requirement
from starcloak.search.algorithm import Answer, Run
from starcloak.search.shared import single_dimension
from starcloak.search.unrestricted.settings import Unrestricted
from starcloak.star.star import Star


def search(star: Star, requirement: Requirement, settings: Unrestricted, run: Run) -> Answer:
    """Every leaf at a level of its own, as low as the requirement allows."""
    return single_dimension.search(star, requirement, run, leaves=True)
