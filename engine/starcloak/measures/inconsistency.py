"""Inconsistency of a local recoding (Li, Wong, Fu, Pei 2008, Definition 12)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from starcloak.measures.level_shares import OfLevels
from starcloak.measures.measure import DECIMALS, Measured, register


@register
class Inconsistency(OfLevels):
    """How many cells of an attribute are not at its most frequent level."""

    name: ClassVar[str] = "inconsistency"
    type: ClassVar[Any] = dict[str, float]
    description: ClassVar[str] = (
        "per attribute, the share of released cells not at its most frequent level (Definition 12)"
    )

    def of_shares(self, shares: Mapping[int, float]) -> float:
        return round(1 - max(shares.values()), DECIMALS) if shares else 0.0


@register
class DataSetInconsistency(Inconsistency):
    """The inconsistency of its worst attribute."""

    name: ClassVar[str] = "data_set_inconsistency"
    type: ClassVar[Any] = float
    description: ClassVar[str] = "the inconsistency of the attribute that has most (Definition 12)"

    def of(self, counted: Measured) -> Any:
        return max(super().of(counted).values(), default=0.0)
