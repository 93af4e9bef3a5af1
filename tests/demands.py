"""What tests ask of a search: demands of k rows, and requirements of them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, cast

from starcloak.job import Job, load
from starcloak.privacy.k_anonymity.model import KAnonymity
from starcloak.privacy.requirement import Demand, Requirement
from starcloak.search.bottom_up import search as bottom_up
from starcloak.search.bottom_up.settings import BottomUp
from starcloak.search.datafly import search as datafly
from starcloak.search.datafly.settings import Datafly
from starcloak.search.incognito import basic, cube, kept_cube, super_roots
from starcloak.search.incognito.settings import Incognito
from starcloak.search.lattice import full_domain
from starcloak.search.lattice.lattice import Found
from starcloak.search.samarati import search as samarati
from starcloak.search.samarati.settings import Samarati
from starcloak.search.witness import search as witness
from starcloak.search.witness.settings import AttributeSuppression, Witness
from starcloak.star.star import Star


def rows(k: int, star: Star | None = None) -> Demand:
    """Groups of k rows, over all attributes of a star."""
    attributes = [dimension.attribute for dimension in star.dimensions] if star else ["every"]
    return Demand(tuple(attributes), (KAnonymity(k=k),))


def required(star: Star, *, k: int, allowed: int = 0) -> Requirement:
    """Classes of k rows, while so many rows may be left out."""
    return Requirement((rows(k, star),), suppression=cast(Any, Fraction(allowed, star.rows)))


def algorithm(described: dict[str, Any]) -> Any:
    """The settings of an algorithm."""
    asked = {"quasi_identifiers": {"every": "suppress"}, "requirement": {"k": 1}, "keep": ["class"]}
    return load({**asked, "algorithm": described}).algorithm


def found(star: Star, described: dict[str, Any], requirement: Requirement) -> Found:
    """The nodes that a full-domain search finds."""
    match settings := algorithm(described):
        case Witness() | AttributeSuppression():
            return full_domain.every(star, requirement, witness.find)
        case BottomUp(rollup=rollup):
            return full_domain.every(star, requirement, lambda *a, **b: bottom_up.find(*a, **b, rollup=rollup))
        case Samarati():
            return samarati.find(star, requirement)
        case Datafly():
            return datafly.find(star, requirement)
        case Incognito(variant="basic"):
            return full_domain.every(star, requirement, basic.find)
        case Incognito(variant="super-roots"):
            return full_domain.every(star, requirement, super_roots.find)
        case Incognito():

            def by_cube(each: Star, demand: Demand, *, allowed: int) -> Found:
                built = cube.build(each)
                if settings.cube is not None:
                    built = kept_cube.provide(each, kept_cube.place(settings.cube))
                return cube.find(each, demand, allowed=allowed, cube=built)

            return full_domain.every(star, requirement, by_cube)
    raise ValueError(described)


def demands(job: Job) -> tuple[Demand, ...]:
    """What a job demands."""
    return job.required.demands
