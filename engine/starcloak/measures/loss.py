"""Loss (LM, Iyengar 2002)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from starcloak.measures.measure import Measure, Measured, register, share
from starcloak.statements.statement import Hole, Name, Statement


@register
class Loss(Measure):
    """How many of the other leaves a cell's value covers."""

    name: ClassVar[str] = "loss"
    description: ClassVar[str] = "LM: mean share of the other leaves that a cell's value covers (Iyengar 2002)"

    @property
    def sums(self) -> Mapping[str, Hole]:
        return {"lost": Statement("measures/recoding#moved", moved=Name("loss"))}

    def of(self, counted: Measured) -> float:
        return share(counted.sums["lost"], counted.cells)
