"""Cell suppression: KACA over hierarchies of one step, then cuts of its groups."""

from __future__ import annotations

from starcloak import recoding
from starcloak.privacy.requirement import Requirement
from starcloak.result import searched
from starcloak.search.algorithm import Answer, Run
from starcloak.search.cell_suppression.settings import CellSuppression
from starcloak.search.kaca.search import clustered
from starcloak.search.kaca.settings import Kaca
from starcloak.search.shared import regions
from starcloak.star import Star


def search(star: Star, requirement: Requirement, settings: CellSuppression, run: Run) -> Answer:
    """A local recoding that keeps or suppresses every cell."""
    done = clustered(star, requirement, Kaca(), seed=run.seed)
    # A class whose stub went elsewhere may have lost what its cells were suppressed for.
    demand = requirement.strictest([dimension.attribute for dimension in star.dimensions])
    regions.refine(star, demand=demand, seed=run.seed)
    return Answer(star, recoding.local(star, seed=run.seed), searched(star.lattice_nodes, done))
