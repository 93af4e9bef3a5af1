"""The variants of Incognito: basic, super-roots and cube.

They differ in the frequency sets that the lowest nodes (roots) of each subset of attributes are rolled up from.
"""

from __future__ import annotations

from starcloak.privacy.requirement import Demand, Requirement
from starcloak.search.algorithm import Answer, SearchContext
from starcloak.search.incognito import basic, cube, kept_cube, super_roots
from starcloak.search.incognito.cube import Cube
from starcloak.search.incognito.settings import Incognito
from starcloak.search.lattice import full_domain, lattice
from starcloak.search.lattice.lattice import Found
from starcloak.star.star import Star


def search(star: Star, requirement: Requirement, settings: Incognito, run: SearchContext) -> Answer:
    """The best of all full-domain generalizations that satisfy the requirement, by Incognito.

    LeFevre, DeWitt, Ramakrishnan 2005, section 3: subsets of the quasi-identifier are searched in order of size. A node
    is checked only if its levels satisfy the requirement over all smaller subsets. Raises
    :class:`~starcloak.base.errors.RequirementError` if no node satisfies it, and
    :class:`~starcloak.base.errors.JobError` for a lattice that is too large.
    """
    if settings.variant == "basic":
        return full_domain.answer(star, requirement, run, basic.find)
    if settings.variant == "super-roots":
        return full_domain.answer(star, requirement, run, super_roots.find)

    def find(star: Star, demand: Demand, *, allowed: int) -> Found:
        lattice.lattice_of(star)  # it refuses one that is too large, before its cube is
        with run.stage("cube"):
            built = _provide(star, settings, run)
        return cube.find(star, demand, allowed=allowed, cube=built)

    return full_domain.answer(star, requirement, run, find)


def _provide(star: Star, settings: Incognito, run: SearchContext) -> Cube:
    """The cube of a star: from the file named by the job, or built anew without such a file."""
    if settings.cube is None:
        return cube.build(star)
    return kept_cube.provide(star, kept_cube.place(settings.cube), keep=run.keep)
