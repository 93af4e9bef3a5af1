"""Attribute suppression: witness search over hierarchies of one step."""

from __future__ import annotations

from starcloak.privacy.requirement import Requirement
from starcloak.search.algorithm import Answer, Run
from starcloak.search.attribute_suppression.settings import AttributeSuppression
from starcloak.search.shared import full_domain
from starcloak.search.witness.search import find
from starcloak.star.star import Star


def search(star: Star, requirement: Requirement, settings: AttributeSuppression, run: Run) -> Answer:
    """The best of all choices of attributes to suppress that satisfy the requirement."""
    return full_domain.answer(star, requirement, run, find)
