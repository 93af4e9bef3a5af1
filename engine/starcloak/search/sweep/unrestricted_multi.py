"""Unrestricted multi-dimension recoding: a lattice sweep that gives all rows of a tuple the same generalization."""

from __future__ import annotations

from dataclasses import replace

from starcloak.privacy.requirement import Requirement
from starcloak.search.algorithm import Answer, SearchContext
from starcloak.search.sweep import search as sweep
from starcloak.search.sweep.settings import Sweep, UnrestrictedMulti
from starcloak.star import ceilings
from starcloak.star.recoding import local
from starcloak.star.star import Star


def search(star: Star, requirement: Requirement, settings: UnrestrictedMulti, run: SearchContext) -> Answer:
    """A multi-dimension recoding: every tuple goes to the closest common generalization of its class.

    The recoding model is that of LeFevre, DeWitt, Ramakrishnan 2005, section 5.1.3; the search, a sweep of whole
    tuples, is of no paper. Raises :class:`~starcloak.base.errors.RequirementError` if the remaining rows do not satisfy
    the requirement.
    """
    demand = requirement.strictest(star.attributes)
    star, (demand,) = ceilings.keep_to(star, requirement, [demand], label=run.label)
    swept = sweep.search(star, Requirement((demand,)), Sweep(), run)
    return replace(swept, recoding=local.recode(star, seed=run.seed, kind=local.MultiDimension))
