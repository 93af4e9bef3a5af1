"""Settings of the greedy single-dimension recodings in a job, and details of their search."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from starcloak.job.algorithms import LEFEVRE, Algorithm, Description, SearchDetails, Support, register


class Greedy(SearchDetails):
    """Details of a greedy search of a single-dimension recoding."""

    key: ClassVar[str] = "greedy"

    refined: int = Field(description="refinements performed")
    refused: int = Field(description="refinements that would have violated the requirement")

    @property
    def summary(self) -> str:
        return f"{self.refined:,} refinements, {self.refused:,} refused"


class GreedySearch(Algorithm):
    """Settings of every greedy single-dimension recoding.

    With ``ordered``, numeric attributes are recoded to intervals. With ``leaves``, single leaves may have a lower level
    than the other leaves of their value.
    """

    supports: ClassVar[Support] = Support(several_qids=True, importance=True)
    module: ClassVar[str] = "greedy"
    tells: ClassVar[type[SearchDetails] | None] = Greedy
    ordered: ClassVar[bool] = False
    leaves: ClassVar[bool] = False


@register
class FullSubtree(GreedySearch):
    """A cut through every hierarchy (LeFevre, DeWitt, Ramakrishnan 2005, section 5.1.1), found greedily, top-down.

    A cut is a set of values such that every leaf is under exactly one of them.
    """

    about: ClassVar[Description] = Description(
        recoding_model="single-dimension: full-subtree",
        sources=f"{LEFEVRE}, section 5.1.1; greedy top-down by loss (LM)",
        guarantee="minimal: no value can be refined into its children",
        when="if a value should have the same generalization in every row, and a column may mix levels",
    )

    name: Literal["full-subtree"] = "full-subtree"


@register
class OrderedSet(GreedySearch):
    """Intervals of numeric attributes (LeFevre, DeWitt, Ramakrishnan 2005, section 5.1.2), found greedily from the top.

    Other attributes are recoded by full subtrees.
    """

    ordered: ClassVar[bool] = True
    about: ClassVar[Description] = Description(
        recoding_model="single-dimension: ordered-set partitioning",
        sources=f"{LEFEVRE}, section 5.1.2; greedy top-down by loss (LM)",
        guarantee="minimal: no interval can be split in two, no value refined into its children",
        when="numbers without a hierarchy, in intervals that are the same for every row",
    )

    name: Literal["ordered-set"] = "ordered-set"


@register
class Unrestricted(GreedySearch):
    """Every leaf stays unchanged or is generalized to any value above it (LeFevre, DeWitt, Ramakrishnan 2005, section
    5.1.1).

    Found greedily: a full-subtree recoding first, then moves of single leaves to lower levels.
    """

    leaves: ClassVar[bool] = True
    about: ClassVar[Description] = Description(
        recoding_model="single-dimension: unrestricted",
        sources=f"{LEFEVRE}, section 5.1.1; full-subtree, then single leaves down",
        guarantee="minimal: no leaf can go to a lower level",
        when="if frequent values should stay and rare values be generalized, alike in every row",
    )

    name: Literal["unrestricted"] = "unrestricted"
