"""Settings of witness search and attribute suppression in a job."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from starcloak.job.algorithms import LARGEST_SEARCHED, LEFEVRE, Algorithm, Description, SearchDetails, Support, register


class BestEffort(SearchDetails):
    """Details of a local search in a lattice too large to be searched whole, by the objective."""

    key: ClassVar[str] = "best_effort"

    cost: float = Field(description="of the generalization that was taken, by the objective and importance")
    bound: float = Field(description="every generalization that satisfies the requirement costs as much at least")
    gap: float = Field(description="cost less bound: so much may have been missed at most")
    restarts: int = Field(description="times that the search began anew beside the best")
    stopped: bool = Field(default=False, description="whether it was stopped before it had done what it does")

    @property
    def summary(self) -> str:
        return (
            f"the best node found by a local search: cost {self.cost:.4g} by the objective, and no node costs less "
            f"than {self.bound:.4g}"
        )

    @property
    def is_repeatable(self) -> bool:
        return not self.stopped


@register
class Witness(Algorithm):
    """Witness search: all full-domain generalizations that satisfy the requirement, refuted by single tuples, proved by
    counts.

    With suppression in a large table and a cost for suppressed rows, the result has the best generalization and those
    found before it, not all. In a lattice of more than 50 million nodes, the result is the best one of a local search,
    with the largest possible difference from the least cost.
    """

    about: ClassVar[Description] = Description(
        recoding_model="full-domain",
        sources="Sweeney's and Samarati's model; a search of starcloak's own",
        guarantee=(
            "the best of all generalizations that satisfy the requirement; all of them and all minimal ones but where "
            "rows may be left out of a large table"
        ),
        when="the default: one level per column is what people and classifiers read most easily",
    )
    supports: ClassVar[Support] = Support(several_qids=True, importance=True)
    tells: ClassVar[type[SearchDetails] | None] = BestEffort

    name: Literal["witness"] = "witness"

    @property
    def counts_at_nodes(self) -> bool:
        return True


@register
class AttributeSuppression(Algorithm):
    """Attribute suppression: an attribute stays unchanged or is suppressed (LeFevre, DeWitt, Ramakrishnan 2005, section
    5.1.1).

    All choices that satisfy the requirement are found, as full-domain generalizations of one-step hierarchies. The
    job's own hierarchies are not used.
    """

    about: ClassVar[Description] = Description(
        recoding_model="attribute suppression",
        sources=f"{LEFEVRE}, section 5.1.1; witness search",
        guarantee="all choices that satisfy the requirement; the objective picks among them",
        when="to learn which columns could stay as they are",
    )
    supports: ClassVar[Support] = Support(several_qids=True, largest_lattice=LARGEST_SEARCHED, importance=True)
    one_step: ClassVar[bool] = True
    module: ClassVar[str] = "attribute_suppression"

    name: Literal["attribute-suppression"] = "attribute-suppression"
