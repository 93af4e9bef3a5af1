"""Discernibility (Bayardo, Agrawal 2005, in Li, Wong, Fu, Pei 2008, section 4)."""

from __future__ import annotations

from typing import Any, ClassVar

from starcloak.measures.measure import Measure, Measured, register


@register
class Discernibility(Measure):
    """A released row costs its class's size, a suppressed one the source's."""

    name: ClassVar[str] = "discernibility"
    type: ClassVar[Any] = int
    description: ClassVar[str] = (
        "DM: the sum of squared class sizes (section 4); a suppressed row costs the source's rows"
    )

    def of(self, counted: Measured) -> int:
        return counted.squares + counted.suppressed * counted.rows
