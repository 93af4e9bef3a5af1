"""Measures of the recoding of a release: the loss of its cells, and their levels."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from starcloak.measures.measure import DECIMALS, Measure, Measured, register, share
from starcloak.statements.statement import Hole, Name, Statement


@register
class Loss(Measure):
    """Mean share of the other leaves covered by a cell's value."""

    name: ClassVar[str] = "loss"
    description: ClassVar[str] = "LM: mean share of the other leaves covered by a cell's value (Iyengar 2002)"

    @property
    def sums(self) -> Mapping[str, Hole]:
        return {"lost": Statement("measures/recoding#moved", moved=Name("loss"))}

    def of(self, counted: Measured) -> float:
        return share(counted.sums["lost"], counted.cells)


@register
class AttributeLoss(Loss):
    """Mean share of the other leaves covered by the cells of each attribute; ``loss`` is the mean over attributes."""

    name: ClassVar[str] = "attribute_loss"
    type: ClassVar[Any] = dict[str, float]
    description: ClassVar[str] = "LM per attribute: mean share of the other leaves covered by its cells (Iyengar 2002)"

    def of(self, counted: Measured) -> Any:
        return {attribute: share(sums["lost"], counted.rows) for attribute, sums in counted.sums_of.items()}


@register
class Precision(Measure):
    """One minus the mean share of the hierarchies' heights climbed by cells: 1 for the source itself."""

    name: ClassVar[str] = "precision"
    description: ClassVar[str] = "1 - the mean share of the hierarchies' heights climbed by cells"

    @property
    def sums(self) -> Mapping[str, Hole]:
        return {"climbed": Statement("measures/recoding#moved", moved=Name("uniform"))}

    def of(self, counted: Measured) -> float:
        return round(1 - counted.sums["climbed"] / counted.cells, DECIMALS)


@register
class Distortion(Measure):
    """Distortion with uniform weights."""

    scheme: ClassVar[str] = "uniform"
    name: ClassVar[str] = "distortion"
    description: ClassVar[str] = "Definition 7 with uniform weights, in generalized cells"

    @property
    def sums(self) -> Mapping[str, Hole]:
        return {f"{self.scheme}_distortion": Statement("measures/recoding#moved", moved=Name(self.scheme))}

    def of(self, counted: Measured) -> float:
        return round(counted.sums[f"{self.scheme}_distortion"], DECIMALS)


@register
class DistortionRatio(Distortion):
    """Distortion with uniform weights, as a share of the distortion of the fully generalized table."""

    name: ClassVar[str] = "distortion_ratio"
    description: ClassVar[str] = "distortion / distortion of the fully generalized table (Li et al. 2006)"

    def of(self, counted: Measured) -> float:
        return share(counted.sums[f"{self.scheme}_distortion"], counted.cells)


@register
class HeightDistortion(Distortion):
    """Distortion with height weights."""

    scheme: ClassVar[str] = "height"
    name: ClassVar[str] = "height_distortion"
    description: ClassVar[str] = "Definition 7 with height weights, beta = 1"


@register
class HeightDistortionRatio(DistortionRatio):
    """Distortion with height weights, as a share of the distortion of the fully generalized table."""

    scheme: ClassVar[str] = "height"
    name: ClassVar[str] = "height_distortion_ratio"
    description: ClassVar[str] = "height_distortion / height_distortion of the fully generalized table"


@register
class ModificationRate(Measure):
    """The share of cells with changed text."""

    name: ClassVar[str] = "modification_rate"
    description: ClassVar[str] = "share of quasi-identifier cells with changed text (section 4)"

    @property
    def sums(self) -> Mapping[str, Hole]:
        return {"modified": Statement("measures/recoding#modified")}

    def of(self, counted: Measured) -> float:
        return share(counted.sums["modified"], counted.cells)


class OfLevels(Measure):
    """A measure determined by the shares of an attribute's cells per level."""

    of_released: ClassVar[bool] = True

    def of(self, counted: Measured) -> Any:
        return {
            attribute: self.of_shares({level: cells / counted.released for level, cells in levels.items() if cells})
            for attribute, levels in counted.levels.items()
        }

    @abstractmethod
    def of_shares(self, shares: Mapping[int, float]) -> Any:
        """The measure for one attribute, from the shares (0 … 1) per level; no shares without released rows."""


@register
class LevelShares(OfLevels):
    """The share of an attribute's released cells at each level with at least one cell."""

    name: ClassVar[str] = "level_shares"
    type: ClassVar[Any] = dict[str, dict[str, float]]
    description: ClassVar[str] = "per attribute, the share of its released cells at each level with at least one cell"

    def of_shares(self, shares: Mapping[int, float]) -> dict[str, float]:
        return {str(level): round(value, DECIMALS) for level, value in shares.items()}


@register
class GeneralizationPortion(OfLevels):
    """The share of an attribute's cells above its base, the most specific level of any of its cells."""

    name: ClassVar[str] = "generalization_portion"
    type: ClassVar[Any] = dict[str, float]
    description: ClassVar[str] = (
        "per attribute, the share of released cells above the most specific level of any cell (Definition 13)"
    )

    def of_shares(self, shares: Mapping[int, float]) -> float:
        return round(1 - shares[min(shares)], DECIMALS) if shares else 0.0


@register
class Inconsistency(OfLevels):
    """The share of an attribute's cells not at its most frequent level."""

    name: ClassVar[str] = "inconsistency"
    type: ClassVar[Any] = dict[str, float]
    description: ClassVar[str] = (
        "per attribute, the share of released cells not at its most frequent level (Definition 12)"
    )

    def of_shares(self, shares: Mapping[int, float]) -> float:
        return round(1 - max(shares.values()), DECIMALS) if shares else 0.0


@register
class DataSetInconsistency(Inconsistency):
    """The inconsistency of the worst attribute."""

    name: ClassVar[str] = "data_set_inconsistency"
    type: ClassVar[Any] = float
    description: ClassVar[str] = "the largest inconsistency of an attribute (Definition 12)"

    def of(self, counted: Measured) -> Any:
        return max(super().of(counted).values(), default=0.0)
