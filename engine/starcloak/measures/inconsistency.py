"""Inconsistency of a local recoding (Li, Wong, Fu, Pei 2008, Definition 12)."""

from __future__ import annotations

from typing import Any, ClassVar

from starcloak.measures.measure import CELLS, DECIMALS, Counted, Measure, register
from starcloak.statement import Statement


@register
class Inconsistency(Measure):
    """How many cells of an attribute are not at its most frequent level."""

    name: ClassVar[str] = "inconsistency"
    type: ClassVar[Any] = dict[str, float]
    description: ClassVar[str] = (
        "per attribute, the share of released cells not at its most frequent level (Definition 12)"
    )

    @property
    def by_attribute(self) -> Statement:
        return Statement("measures/inconsistency", {"cells": CELLS})

    def of(self, counted: Counted) -> dict[str, float]:
        found = counted.by_attribute["measures/inconsistency"]
        return {attribute: round(value or 0.0, DECIMALS) for attribute, value in found.items()}
