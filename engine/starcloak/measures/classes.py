"""Measures of the equivalence classes of a release: their number and their size."""

from __future__ import annotations

from typing import Any, ClassVar

from starcloak.measures.measure import DECIMALS, Measure, Measured, register


@register
class EquivalenceClasses(Measure):
    """Number of equivalence classes in the release."""

    name: ClassVar[str] = "classes"
    of_released: ClassVar[bool] = True
    type: ClassVar[Any] = int
    description: ClassVar[str] = "equivalence classes of the release"

    def of(self, counted: Measured) -> int:
        return counted.classes


@register
class RowsPerClass(Measure):
    """Mean number of released rows per equivalence class; None for a release without rows."""

    name: ClassVar[str] = "rows_per_class"
    of_released: ClassVar[bool] = True
    type: ClassVar[Any] = float | None
    description: ClassVar[str] = "released rows / classes; average_class_size is a multiple of k"

    def of(self, counted: Measured) -> float | None:
        return round(counted.released / counted.classes, DECIMALS) if counted.classes else None


@register
class AverageClassSize(Measure):
    """Mean number of released rows per equivalence class, divided by k; None for a release without rows."""

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
    """Sum of costs over all rows.

    A released row costs the size of its equivalence class, a suppressed row the number of rows in the source.
    """

    name: ClassVar[str] = "discernibility"
    type: ClassVar[Any] = int
    description: ClassVar[str] = (
        "DM: the sum of squared class sizes (section 4); a suppressed row costs the number of rows of the source"
    )

    def of(self, counted: Measured) -> int:
        return counted.squares + counted.suppressed * counted.rows
