"""Settings of full-subgraph recoding in a job: none."""

from __future__ import annotations

from typing import ClassVar, Literal

from starcloak.job.algorithms import LEFEVRE, Algorithm, SearchDetails, register
from starcloak.search.mondrian.settings import Partitioning


@register
class FullSubgraph(Algorithm):
    """Whole subgraphs go to their root (LeFevre, DeWitt, Ramakrishnan 2005, section 5.1.3), cut as Mondrian cuts.

    A numeric attribute has one step. Several QIDs are taken as by Mondrian, each with its own k.
    """

    several_qids: ClassVar[bool] = True
    takes_importance: ClassVar[bool] = True
    recoding_model: ClassVar[str] = "multi-dimension: full-subgraph"
    sources: ClassVar[str] = f"{LEFEVRE}, section 5.1.3; strict cuts along hierarchies only, as in Mondrian"
    guarantee: ClassVar[str] = "minimal: no region by itself can be cut into the children of one of its values"
    when: ClassVar[str] = "hierarchies of categories, where equal rows should be recoded alike"
    tells: ClassVar[type[SearchDetails] | None] = Partitioning

    name: Literal["full-subgraph"] = "full-subgraph"
