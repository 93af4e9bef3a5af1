"""Cell suppression: a sweep over the sets of unsuppressed attributes, then Mondrian's cuts of its classes."""

from __future__ import annotations

from dataclasses import replace

from starcloak.privacy.requirement import Requirement
from starcloak.search.algorithm import Answer, SearchContext
from starcloak.search.mondrian import partitioning
from starcloak.search.sweep import search as sweep
from starcloak.search.sweep.settings import CellSuppression, Sweep
from starcloak.star import ceilings
from starcloak.star.recoding import local
from starcloak.star.star import Star


def search(star: Star, requirement: Requirement, settings: CellSuppression, run: SearchContext) -> Answer:
    """A local recoding that keeps or suppresses every cell.

    The recoding model is that of LeFevre, DeWitt, Ramakrishnan 2005, section 5.2; the search is of no paper. Raises
    :class:`~starcloak.base.errors.RequirementError` if no choice of cells satisfies the requirement.
    """
    demand = requirement.strictest(star.attributes)
    star, (demand,) = ceilings.keep_to(star, requirement, [demand], label=run.label)
    # No further row is left out: its cells can go one by one.
    swept = sweep.search(star, Requirement((demand,)), Sweep(), run)
    # The tuple that a class was generalized for may have joined another since.
    partitioning.refine(star, demand=demand, seed=run.seed)
    return replace(swept, recoding=local.recode(star, seed=run.seed))
