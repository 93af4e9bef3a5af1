"""Settings of cell suppression in a job: none."""

from __future__ import annotations

from typing import ClassVar, Literal

from starcloak.job.algorithms import LEFEVRE, Algorithm, SearchDetails, register
from starcloak.search.sweep.settings import Swept


@register
class CellSuppression(Algorithm):
    """Cell suppression: a cell stays unchanged or is suppressed (LeFevre, DeWitt, Ramakrishnan 2005, section 5.2).

    A lattice sweep over one-step hierarchies (sets of unsuppressed attributes), then Mondrian's cuts of its groups. The
    job's own hierarchies are not used.
    """

    one_step: ClassVar[bool] = True
    takes_importance: ClassVar[bool] = True
    recoding_model: ClassVar[str] = "local: cell suppression"
    sources: ClassVar[str] = f"{LEFEVRE}, section 5.2; a lattice sweep over one step, then cuts"
    guarantee: ClassVar[str] = (
        "minimal: no group can have a suppressed attribute back and satisfy the requirement in each part"
    )
    when: ClassVar[str] = "where every cell must stay exact or go"
    tells: ClassVar[type[SearchDetails] | None] = Swept

    name: Literal["cell-suppression"] = "cell-suppression"

    def memory(self, *, tuples: int, columns: int, nodes: int) -> int:
        return tuples * (50 + 70 * columns)
