"""What a job may set of witness search."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from starcloak.job.algorithms import Algorithm, SearchDetails, register


class BestEffort(SearchDetails):
    """What a local search came to in a lattice too large to be searched whole, by the objective."""

    key: ClassVar[str] = "best_effort"

    cost: float = Field(description="of the generalization that was taken, by the objective and importance")
    bound: float = Field(description="every generalization that satisfies the requirement costs as much at least")
    gap: float = Field(description="cost less bound: so much may have been missed at most")
    restarts: int = Field(description="times that the search began anew beside the best")
    stopped: bool = Field(default=False, description="whether it was stopped before it had done what it does")

    @property
    def summary(self) -> str:
        return (
            f"the best that a local search came upon, of cost {self.cost:.4g} by the objective, where none is below "
            f"{self.bound:.4g}"
        )

    @property
    def is_repeatable(self) -> bool:
        return not self.stopped


@register
class Witness(Algorithm):
    """All full-domain generalizations that satisfy the requirement, refuted by single tuples, proved by counts.

    Where rows may be left out of a large table and each costs something, the best of them, and those known by then.
    In a lattice of more than 50 million nodes, the best that a local search comes upon, and what it may have missed.
    """

    several_qids: ClassVar[bool] = True
    takes_importance: ClassVar[bool] = True
    recoding_model: ClassVar[str] = "full-domain"
    sources: ClassVar[str] = "Sweeney's and Samarati's model; a search of starcloak's own"
    guarantee: ClassVar[str] = (
        "the best of all generalizations that satisfy the requirement; all of them and all minimal ones but where rows "
        "may be left out of a large table"
    )
    tells: ClassVar[type[SearchDetails] | None] = BestEffort
    when: ClassVar[str] = "the default: one level per column is what people and classifiers read most easily"

    name: Literal["witness"] = "witness"

    @property
    def counts_at_nodes(self) -> bool:
        return True
