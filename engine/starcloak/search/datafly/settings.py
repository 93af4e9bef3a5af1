"""Settings of Datafly in a job."""

from __future__ import annotations

from typing import ClassVar, Literal

from starcloak.job.algorithms import LARGEST_NUMBERED, LEFEVRE, Algorithm, Asked, misfit_of_moving, register


@register
class Datafly(Algorithm):
    """One full-domain generalization, greedy, with no promise of minimality (section 6)."""

    several_qids: ClassVar[bool] = True
    largest_lattice: ClassVar[int | None] = LARGEST_NUMBERED
    recoding_model: ClassVar[str] = "full-domain"
    sources: ClassVar[str] = f"Sweeney 2002, as {LEFEVRE}, section 6, tells"
    guarantee: ClassVar[str] = "one generalization, seldom minimal"
    when: ClassVar[str] = "lattices too large for a complete search"

    name: Literal["datafly"] = "datafly"

    def misfit(self, job: Asked) -> str | None:
        return misfit_of_moving(self.name, job)
