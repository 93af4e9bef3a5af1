"""Modification rate (Li, Wong, Fu, Pei 2008, section 4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from starcloak.measures.measure import Measure, Measured, register, share
from starcloak.statements.statement import Hole, Statement


@register
class ModificationRate(Measure):
    """The share of cells that read differently."""

    name: ClassVar[str] = "modification_rate"
    description: ClassVar[str] = "share of quasi-identifier cells that read differently (section 4)"

    @property
    def sums(self) -> Mapping[str, Hole]:
        return {"modified": Statement("measures/recoding#modified")}

    def of(self, counted: Measured) -> float:
        return share(counted.sums["modified"], counted.cells)
