"""Settings of unrestricted single-dimension recoding in a job: none."""

from __future__ import annotations

from typing import ClassVar, Literal

from starcloak.job.algorithms import LEFEVRE, Algorithm, SearchDetails, register
from starcloak.search.full_subtree.settings import Greedy


@register
class Unrestricted(Algorithm):
    """Every leaf goes to itself or any value above it (LeFevre, DeWitt, Ramakrishnan 2005, section 5.1.1).

    Greedy: a full-subtree recoding, then single leaves to lower levels.
    """

    several_qids: ClassVar[bool] = True
    takes_importance: ClassVar[bool] = True
    recoding_model: ClassVar[str] = "single-dimension: unrestricted"
    sources: ClassVar[str] = f"{LEFEVRE}, section 5.1.1; full-subtree, then single leaves down"
    guarantee: ClassVar[str] = "minimal: no leaf can go to a lower level"
    when: ClassVar[str] = "frequent values kept, rare ones generalized; a value reads alike in every row"
    tells: ClassVar[type[SearchDetails] | None] = Greedy

    name: Literal["unrestricted"] = "unrestricted"
