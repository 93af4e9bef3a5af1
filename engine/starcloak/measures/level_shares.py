"""Which levels the cells of a release are at."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from starcloak.measures.measure import CELLS, DECIMALS, Measure, Measured, register
from starcloak.statements.statement import Statement


class OfLevels(Measure):
    """What the shares of an attribute's cells at each level decide. Measures of this kind share one statement."""

    of_released: ClassVar[bool] = True

    @property
    def by_attribute(self) -> Statement:
        return Statement("measures/level_shares", cells=CELLS)

    def of(self, counted: Measured) -> dict[str, Any]:
        by_attribute = counted.by_attribute["measures/level_shares"]
        return {attribute: self.of_shares(shares or {}) for attribute, shares in by_attribute.items()}

    @abstractmethod
    def of_shares(self, shares: Mapping[int, float]) -> Any:
        """Its value of one attribute, of the shares (0 … 1) of its levels; of none where no row is released."""


@register
class LevelShares(OfLevels):
    """The share of an attribute's released cells that are at each level, of those levels that some are at."""

    name: ClassVar[str] = "level_shares"
    type: ClassVar[Any] = dict[str, dict[str, float]]
    description: ClassVar[str] = "per attribute, the share of its released cells at each level that some of them are at"

    def of_shares(self, shares: Mapping[int, float]) -> dict[str, float]:
        return {str(level): round(value, DECIMALS) for level, value in shares.items()}
