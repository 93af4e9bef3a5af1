"""Settings of ordered-set partitioning in a job: none."""

from __future__ import annotations

from typing import ClassVar, Literal

from starcloak.job.algorithms import LEFEVRE, Algorithm, SearchDetails, register
from starcloak.search.full_subtree.settings import Greedy


@register
class OrderedSet(Algorithm):
    """Intervals of numeric attributes (LeFevre, DeWitt, Ramakrishnan 2005, section 5.1.2), found greedily from the top.

    Other attributes are recoded by full subtrees.
    """

    several_qids: ClassVar[bool] = True
    takes_importance: ClassVar[bool] = True
    recoding_model: ClassVar[str] = "single-dimension: ordered-set partitioning"
    sources: ClassVar[str] = f"{LEFEVRE}, section 5.1.2; greedy top-down by loss (LM)"
    guarantee: ClassVar[str] = "minimal: no interval can be split in two, no value refined into its children"
    when: ClassVar[str] = "numbers without a hierarchy, in intervals that are the same for every row"
    tells: ClassVar[type[SearchDetails] | None] = Greedy

    name: Literal["ordered-set"] = "ordered-set"
