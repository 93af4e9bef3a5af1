"""Which levels the cells of a release are at."""

from __future__ import annotations

from typing import Any, ClassVar

from starcloak.measures.measure import CELLS, DECIMALS, Counted, Measure, register
from starcloak.statement import Statement


@register
class LevelShares(Measure):
    """The share of an attribute's released cells that are at each level, of those levels that some are at."""

    name: ClassVar[str] = "level_shares"
    type: ClassVar[Any] = dict[str, dict[str, float]]
    description: ClassVar[str] = "per attribute, the share of its released cells at each level that some of them are at"

    @property
    def by_attribute(self) -> Statement:
        return Statement("measures/level_shares", {"cells": CELLS})

    def of(self, counted: Counted) -> dict[str, dict[str, float]]:
        found = counted.by_attribute["measures/level_shares"]
        return {
            attribute: {str(level): round(value, DECIMALS) for level, value in (shares or {}).items()}
            for attribute, shares in found.items()
        }
