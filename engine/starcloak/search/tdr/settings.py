"""Settings of Top-Down Refinement in a job, and details of its search."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, ClassVar, Literal

from pydantic import Field, StrictInt

from starcloak.base.errors import hint
from starcloak.base.settings import Column, Settings
from starcloak.job.algorithms import Algorithm, Asked, Description, SearchDetails, Support, register


class RefinementDone(Settings):
    """One refinement of TDR (Fung, Wang, Yu 2007, section 3).

    The refined value and its children are values of the final release, or ancestors of such values.
    """

    attribute: str
    value: str | None = Field(description="the masked value; * is the top, and all suppressed values")
    level: int = Field(
        description="its level above the hierarchy's leaves, as values of several levels may read the same"
    )
    into: list[str | None] = Field(description="the values in its place; null is the missing one")
    into_levels: list[int] = Field(description="the level of each of them")
    information_gain: float = Field(description="InfoGain in bits (Equation 2)")
    anonymity_loss: float = Field(description="AnonyLoss in rows (Equation 4)")
    score: float = Field(description="what the criterion made of both")
    anonymity: list[int] = Field(description="the smallest class that is left, per quasi-identifier of the requirement")


_STOPPED = {
    "maximally refined": "maximally refined: no other is valid and beneficial",
    "max_refinements": "stopped at max_refinements",
    "time_limit": "stopped at time_limit",
    "interrupt": "stopped by Ctrl-C",
}


class Refinements(SearchDetails):
    """Details of a search by TDR, step by step."""

    key: ClassVar[str] = "refinement"

    stopped: Literal["maximally refined", "max_refinements", "time_limit", "interrupt"] = Field(
        description="why it ended; maximally refined: nothing is left that is valid and beneficial (Theorem 1)"
    )
    steps: list[RefinementDone]
    records: int = Field(description="records that were regrouped, summed over the steps")

    @property
    def summary(self) -> str:
        return f"{len(self.steps):,} refinements; {_STOPPED[self.stopped]}"

    @property
    def is_repeatable(self) -> bool:
        return self.stopped not in ("time_limit", "interrupt")


@register
class Tdr(Algorithm):
    """Top-Down Refinement: single-dimension recoding for training a classifier (Fung, Wang, Yu 2007).

    ``class`` is one of the sensitive or kept columns. The criterion is InfoGain / (AnonyLoss + 1) or InfoGain alone.
    The search ends early after the given refinements or seconds, with a release that meets the requirement.
    """

    about: ClassVar[Description] = Description(
        recoding_model="single-dimension",
        sources="Fung, Wang, Yu 2007",
        guarantee="maximally refined: no refinement that tells classes apart is valid",
        when="training data for a classifier of one column",
    )
    supports: ClassVar[Support] = Support(several_qids=True)
    tells: ClassVar[type[SearchDetails] | None] = Refinements

    name: Literal["tdr"] = "tdr"
    class_: Annotated[Column, Field(alias="class")]
    criterion: Literal["score", "infogain"] = "score"
    max_refinements: Annotated[StrictInt, Field(ge=0)] | None = None
    time_limit: Annotated[Decimal, Field(ge=0, allow_inf_nan=False)] | None = None

    @property
    def class_column(self) -> str | None:
        return self.class_

    def misfit(self, job: Asked) -> str | None:
        columns_left = [*job.sensitive, *job.keep]
        if self.class_ not in columns_left:
            problem = "is a quasi-identifier" if self.class_ in job.quasi_identifiers else "is not released unchanged"
            return (
                f"algorithm.class: column {self.class_!r} {problem}: name a column under sensitive or "
                f"keep.{hint(self.class_, columns_left)}"
            )
        is_bounded = any(kind.to is not None for kind in job.quasi_identifiers.values())
        if job.required.suppression and not is_bounded:  # rows that reach no class below the highest levels
            return "algorithm tdr does not support requirement.suppression: leave suppression out"
        return None
