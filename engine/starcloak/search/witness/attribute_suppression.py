"""Attribute suppression: witness search over hierarchies of one step."""

from __future__ import annotations

from starcloak.privacy.requirement import Requirement
from starcloak.search.algorithm import Answer, SearchContext
from starcloak.search.lattice import full_domain
from starcloak.search.witness.search import find
from starcloak.search.witness.settings import AttributeSuppression
from starcloak.star.star import Star


def search(star: Star, requirement: Requirement, settings: AttributeSuppression, run: SearchContext) -> Answer:
    """The recoding by the best choice of attributes to suppress, of all choices that satisfy the requirement.

    The model is of LeFevre, DeWitt, Ramakrishnan 2005, section 5.1.1. The 2^n choices for n attributes are the nodes of
    a lattice, searched by witness search. Raises :class:`~starcloak.base.errors.RequirementError` if even the
    suppression of all attributes violates the requirement.
    """
    return full_domain.answer(star, requirement, run, find)
