"""Precision (Sweeney 2002)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from starcloak.measures.measure import DECIMALS, Measure, Measured, register
from starcloak.statements.statement import Hole, Statement


@register
class Precision(Measure):
    """What is left of the hierarchies' heights: 1 for the source itself."""

    name: ClassVar[str] = "precision"
    description: ClassVar[str] = "1 - the mean share of the hierarchies' heights that cells climbed"

    @property
    def sums(self) -> Mapping[str, Hole]:
        return {"climbed": Statement("measures/recoding#moved", moved=Statement("measures/recoding#climbed"))}

    def of(self, counted: Measured) -> float:
        return round(1 - counted.sums["climbed"] / counted.cells, DECIMALS)
