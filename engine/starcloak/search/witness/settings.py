"""What a job may set of witness search."""

from __future__ import annotations

from typing import ClassVar, Literal

from starcloak.job.algorithms import LARGEST_SEARCHED, Algorithm, register


@register
class Witness(Algorithm):
    """All full-domain generalizations that satisfy the requirement, refuted by single tuples, proved by counts."""

    several_qids: ClassVar[bool] = True
    largest_lattice: ClassVar[int | None] = LARGEST_SEARCHED
    recoding_model: ClassVar[str] = "full-domain"
    sources: ClassVar[str] = "Sweeney's and Samarati's model; a search of starcloak's own"
    guarantee: ClassVar[str] = (
        "all generalizations that satisfy the requirement and all minimal ones; the objective picks among them"
    )
    when: ClassVar[str] = "the default: one level per column is what people and classifiers read most easily"

    name: Literal["witness"] = "witness"

    @property
    def counts_at_nodes(self) -> bool:
        return True
