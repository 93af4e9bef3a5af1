"""A toy measure: what is summed over the cells of a release, and what is made of it."""

from __future__ import annotations

from typing import Any, ClassVar

from starcloak.measures.measure import Measure, Measured, register
from starcloak.statements.statement import Hole, Statement


@register
class HighestLevel(Measure):
    """The highest level of a released cell."""

    name: ClassVar[str] = "highest_level"
    type: ClassVar[Any] = int
    description: ClassVar[str] = "a toy"

    @property
    def sums(self) -> dict[str, Hole]:
        return {"highest_level": Statement.of_text("toy/highest_level", "max(level)")}

    def of(self, counted: Measured) -> int:
        return int(counted.sums["highest_level"])
