"""Settings of Samarati's binary search in a job."""

from __future__ import annotations

from typing import ClassVar, Literal

from starcloak.job.algorithms import LARGEST_SEARCHED, LEFEVRE, Algorithm, Asked, register


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
        if job.required.moves and job.required.suppression:
            return (
                "samarati counts every node once, and what is left out changes the table that "
                f"{job.required.reads[0]!r} is compared with: leave requirement.suppression out, or take witness"
            )
        return None
