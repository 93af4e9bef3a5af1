"""Mondrian (LeFevre, DeWitt, Ramakrishnan 2006): multi-dimension recoding."""

from __future__ import annotations

from starcloak.job.result import search_of
from starcloak.privacy.requirement import Requirement
from starcloak.search.algorithm import Answer, SearchContext
from starcloak.search.lattice import starting_node
from starcloak.search.mondrian import partitioning
from starcloak.search.mondrian.settings import Mondrian
from starcloak.search.sweep import costs
from starcloak.star import ceilings
from starcloak.star.recoding import local
from starcloak.star.star import Star


def search(star: Star, requirement: Requirement, settings: Mondrian, run: SearchContext) -> Answer:
    """Cut regions at the median of their widest attribute until no single region can be cut without a violation.

    Returns a multi-dimension recoding, or a local one with ``relaxed``. LeFevre, DeWitt, Ramakrishnan 2006; Multi in
    Li, Wong, Fu, Pei 2008, section 8. Raises :class:`~starcloak.base.errors.RequirementError`, while the star is built,
    if all rows together violate the requirement.
    """
    if star.distant is not None:
        star = star.distant.home(star, starting_node.cheapest(star, star.distant, *costs.of_loss(star)))
    demand = requirement.strictest(star.attributes)
    star, (demand,) = ceilings.keep_to(star, requirement, [demand], label=run.label)
    qids = () if requirement.single or not requirement.is_of_k else requirement.demands
    done = partitioning.search(star, demand=demand, seed=run.seed, relaxed=settings.relaxed, qids=qids)
    kind = local.Local if settings.relaxed else local.MultiDimension
    ranged = tuple(dimension.position for dimension in star.dimensions if dimension.numeric and not dimension.lowest)
    return Answer(
        star, local.recode(star, seed=run.seed, kind=kind, ranged=ranged), search_of(star.lattice_nodes, done)
    )
