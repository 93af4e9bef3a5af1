"""Settings of unrestricted multi-dimension recoding in a job: none."""

from __future__ import annotations

from typing import ClassVar, Literal

from starcloak.job.algorithms import LEFEVRE, Algorithm, SearchDetails, register
from starcloak.search.sweep.settings import Swept


@register
class UnrestrictedMulti(Algorithm):
    """Unrestricted multi-dimension recoding: every tuple goes to itself or to any generalization above it (LeFevre,
    DeWitt, Ramakrishnan 2005, section 5.1.3).

    A lattice sweep that takes all rows of a tuple to one class and suppresses none: rows alike in the source are alike
    in the release.
    """

    takes_importance: ClassVar[bool] = True
    recoding_model: ClassVar[str] = "multi-dimension: unrestricted"
    sources: ClassVar[str] = f"{LEFEVRE}, section 5.1.3; a lattice sweep of whole tuples"
    guarantee: ClassVar[str] = "every class satisfies the requirement; all rows of a tuple go to one, nothing minimal"
    when: ClassVar[str] = "where rows that are alike have to stay alike, at the loss of a local recoding"
    tells: ClassVar[type[SearchDetails] | None] = Swept

    name: Literal["unrestricted-multi"] = "unrestricted-multi"
