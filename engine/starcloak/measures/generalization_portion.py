"""Generalization portion of a local recoding (Li, Wong, Fu, Pei 2008, Definition 13)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from starcloak.measures.level_shares import OfLevels
from starcloak.measures.measure import DECIMALS, register


@register
class GeneralizationPortion(OfLevels):
    """How many cells of an attribute are above its base, the most specific level that any of them is at."""

    name: ClassVar[str] = "generalization_portion"
    type: ClassVar[Any] = dict[str, float]
    description: ClassVar[str] = (
        "per attribute, the share of released cells above the most specific level that some are at (Definition 13)"
    )

    def of_shares(self, shares: Mapping[int, float]) -> float:
        return round(1 - shares[min(shares)], DECIMALS) if shares else 0.0
