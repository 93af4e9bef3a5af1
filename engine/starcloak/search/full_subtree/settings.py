"""Settings of full-subtree recoding in a job, and details of the greedy single-dimension searches."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from starcloak.job.algorithms import LEFEVRE, Algorithm, SearchDetails, register


class Greedy(SearchDetails):
    """Details of a greedy search of a single-dimension recoding."""

    key: ClassVar[str] = "greedy"

    refined: int = Field(description="refinements performed")
    refused: int = Field(description="refinements that would have violated the requirement")

    @property
    def summary(self) -> str:
        return f"{self.refined:,} refinements, {self.refused:,} refused"


@register
class FullSubtree(Algorithm):
    """A cut through every hierarchy (LeFevre, DeWitt, Ramakrishnan 2005, section 5.1.1), found greedily, top-down."""

    several_qids: ClassVar[bool] = True
    takes_importance: ClassVar[bool] = True
    recoding_model: ClassVar[str] = "single-dimension: full-subtree"
    sources: ClassVar[str] = f"{LEFEVRE}, section 5.1.1; greedy top-down by loss (LM)"
    guarantee: ClassVar[str] = "minimal: no value can be refined into its children"
    when: ClassVar[str] = "where a value should read alike in every row, and a column may mix levels"
    tells: ClassVar[type[SearchDetails] | None] = Greedy

    name: Literal["full-subtree"] = "full-subtree"
