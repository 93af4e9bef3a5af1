"""A toy algorithm: its settings and its search."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from starcloak.job.algorithms import Algorithm, Description, register

if TYPE_CHECKING:
    from starcloak.privacy.requirement import Requirement
    from starcloak.search.algorithm import Answer, SearchContext
    from starcloak.star.star import Star


class Highest(Algorithm):
    """The top of the lattice: what satisfies any requirement, if anything does."""

    about: ClassVar[Description] = Description(
        recoding_model="full-domain",
        sources="a toy",
        guarantee="one generalization, never minimal",
        when="never",
    )

    name: Literal["highest"] = "highest"


def climb(star: Star, requirement: Requirement, settings: Highest, run: SearchContext) -> Answer:
    # A job reads settings before any search: what a search needs is imported here, or stands in a module search.py.
    from starcloak.job.result import Search
    from starcloak.search.algorithm import Answer
    from starcloak.search.lattice.lattice import Lattice
    from starcloak.star.recoding.full_domain import recode

    lattice = Lattice(star.heights)
    node = lattice.node(lattice.size - 1)
    demand = requirement.joint([dimension.attribute for dimension in star.dimensions])
    chosen = recode(star, node, demand=demand, seed=run.seed)
    return Answer(star, chosen, Search(lattice_nodes=star.lattice_nodes, checked=1))


register(Highest, climb)
