"""Measures of the classes of a release: their number and their size."""

from __future__ import annotations

from typing import Any, ClassVar

from starcloak.measures.measure import DECIMALS, Measure, Measured, register


@register
class EquivalenceClasses(Measure):
    """Equivalence classes of the release."""

    name: ClassVar[str] = "classes"
    of_released: ClassVar[bool] = True
    type: ClassVar[Any] = int
    description: ClassVar[str] = "equivalence classes of the release"

    def of(self, counted: Measured) -> int:
        return counted.classes


@register
class RowsPerClass(Measure):
    """Released rows per class."""

    name: ClassVar[str] = "rows_per_class"
    of_released: ClassVar[bool] = True
    type: ClassVar[Any] = float | None
    description: ClassVar[str] = "released rows / classes; average_class_size is a multiple of k"

    def of(self, counted: Measured) -> float | None:
        return round(counted.released / counted.classes, DECIMALS) if counted.classes else None


@register
class AverageClassSize(Measure):
    """Released rows per class, as a multiple of k."""

    name: ClassVar[str] = "average_class_size"
    of_released: ClassVar[bool] = True
    type: ClassVar[Any] = float | None
    description: ClassVar[str] = (
        "CAVG, normalized: released rows / classes / k (section 4); k is 1 if no QID has all quasi-identifiers"
    )

    def of(self, counted: Measured) -> float | None:
        if not counted.classes:
            return None
        return round(counted.released / counted.classes / counted.k, DECIMALS)


@register
class Discernibility(Measure):
    """Sum of costs per row: the size of its class for a released row, the source's row count for a suppressed one."""

    name: ClassVar[str] = "discernibility"
    type: ClassVar[Any] = int
    description: ClassVar[str] = (
        "DM: the sum of squared class sizes (section 4); a suppressed row costs the number of rows of the source"
    )

    def of(self, counted: Measured) -> int:
        return counted.squares + counted.suppressed * counted.rows
