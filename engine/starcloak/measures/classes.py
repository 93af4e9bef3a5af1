"""How many equivalence classes there are."""

from __future__ import annotations

from typing import Any, ClassVar

from starcloak.measures.measure import Measure, Measured, register


@register
class EquivalenceClasses(Measure):
    """Equivalence classes of the release."""

    name: ClassVar[str] = "classes"
    of_released: ClassVar[bool] = True
    type: ClassVar[Any] = int
    description: ClassVar[str] = "equivalence classes of the release"

    def of(self, counted: Measured) -> int:
        return counted.classes
