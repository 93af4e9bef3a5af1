"""Normalized average class size (Li, Wong, Fu, Pei 2008, section 4)."""

from __future__ import annotations

from typing import Any, ClassVar

from starcloak.measures.measure import DECIMALS, Measure, Measured, register


@register
class AverageClassSize(Measure):
    """Released rows per class, as a multiple of k."""

    name: ClassVar[str] = "average_class_size"
    of_released: ClassVar[bool] = True
    type: ClassVar[Any] = float | None
    description: ClassVar[str] = (
        "CAVG, normalized: released rows / classes / k (section 4); k is 1 where no QID has all quasi-identifiers"
    )

    def of(self, counted: Measured) -> float | None:
        if not counted.classes:
            return None
        return round(counted.released / counted.classes / counted.k, DECIMALS)
