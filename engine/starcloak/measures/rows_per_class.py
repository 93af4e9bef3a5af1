"""Average class size."""

from __future__ import annotations

from typing import Any, ClassVar

from starcloak.measures.measure import DECIMALS, Measure, Measured, register


@register
class RowsPerClass(Measure):
    """Released rows per class."""

    name: ClassVar[str] = "rows_per_class"
    of_released: ClassVar[bool] = True
    type: ClassVar[Any] = float | None
    description: ClassVar[str] = "released rows / classes; average_class_size is a multiple of k"

    def of(self, counted: Measured) -> float | None:
        return round(counted.released / counted.classes, DECIMALS) if counted.classes else None
