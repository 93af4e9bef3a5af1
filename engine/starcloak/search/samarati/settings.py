"""Settings of Samarati's binary search in a job."""

from __future__ import annotations

from typing import ClassVar, Literal

from starcloak.job.algorithms import LARGEST_SEARCHED, LEFEVRE, Algorithm, Asked, misfit_of_moving, register


@register
class Samarati(Algorithm):
    """One full-domain generalization of the lowest height, by binary search (section 2.2)."""

    several_qids: ClassVar[bool] = True
    largest_lattice: ClassVar[int | None] = LARGEST_SEARCHED
    recoding_model: ClassVar[str] = "full-domain"
    sources: ClassVar[str] = f"Samarati 2001, as {LEFEVRE}, section 2.2, tells"
    guarantee: ClassVar[str] = "one generalization of the lowest height"
    when: ClassVar[str] = "where any one of the lowest height will do"

    name: Literal["samarati"] = "samarati"

    def misfit(self, job: Asked) -> str | None:
        return misfit_of_moving(self.name, job)
