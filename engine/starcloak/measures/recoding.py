"""Measures of the recoding of a release: the loss of its cells, and their levels."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from starcloak.measures.measure import DECIMALS, Measure, Measured, register, share
from starcloak.statements.statement import Hole, Name, Statement


@register
class Loss(Measure):
    """Loss metric LM: mean share, over all cells, of a hierarchy's other leaves covered by the cell's value (0 … 1)."""

    name: ClassVar[str] = "loss"
    description: ClassVar[str] = "LM: mean share of the other leaves covered by a cell's value (Iyengar 2002)"

    @property
    def sums(self) -> Mapping[str, Hole]:
        return {"lost": Statement("measures/recoding#moved", moved=Name("loss"))}

    def of(self, counted: Measured) -> float:
        return share(counted.sums["lost"], counted.cells)


@register
class AttributeLoss(Loss):
    """Loss metric LM of each attribute, over its cells only (0 … 1); ``loss`` is the mean over attributes."""

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
    """Sum over cells of the weighted distance (0 … 1) from the leaf to the cell's level; all steps weigh the same."""

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
    """``distortion`` divided by the distortion of the fully generalized table (0 … 1)."""

    name: ClassVar[str] = "distortion_ratio"
    description: ClassVar[str] = "distortion / distortion of the fully generalized table (Li et al. 2006)"

    def of(self, counted: Measured) -> float:
        return share(counted.sums[f"{self.scheme}_distortion"], counted.cells)


@register
class HeightDistortion(Distortion):
    """Sum over cells of the weighted distance from the leaf to the cell's level; steps near the top weigh more."""

    scheme: ClassVar[str] = "height"
    name: ClassVar[str] = "height_distortion"
    description: ClassVar[str] = "Definition 7 with height weights, beta = 1"


@register
class HeightDistortionRatio(DistortionRatio):
    """``height_distortion`` divided by the height distortion of the fully generalized table (0 … 1)."""

    scheme: ClassVar[str] = "height"
    name: ClassVar[str] = "height_distortion_ratio"
    description: ClassVar[str] = "height_distortion / height_distortion of the fully generalized table"


@register
class ModificationRate(Measure):
    """Share of quasi-identifier cells with a changed text (0 … 1); cells of suppressed rows count as changed."""

    name: ClassVar[str] = "modification_rate"
    description: ClassVar[str] = "share of quasi-identifier cells with changed text (section 4)"

    @property
    def sums(self) -> Mapping[str, Hole]:
        return {"modified": Statement("measures/recoding#modified")}

    def of(self, counted: Measured) -> float:
        return share(counted.sums["modified"], counted.cells)


class OfLevels(Measure):
    """Base of measures per attribute, determined by the share of the attribute's released cells at each level."""

    of_released: ClassVar[bool] = True

    def of(self, counted: Measured) -> Any:
        return {
            attribute: self.of_shares({level: cells / counted.released for level, cells in levels.items() if cells})
            for attribute, levels in counted.levels.items()
        }

    @abstractmethod
    def of_shares(self, shares: Mapping[int, float]) -> Any:
        """Return the measure of one attribute.

        ``shares`` (0 … 1) are by level; a release without rows has no shares.
        """


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
    """Share of an attribute's released cells above the lowest level of any of these cells (0 … 1)."""

    name: ClassVar[str] = "generalization_portion"
    type: ClassVar[Any] = dict[str, float]
    description: ClassVar[str] = (
        "per attribute, the share of released cells above the most specific level of any cell (Definition 13)"
    )

    def of_shares(self, shares: Mapping[int, float]) -> float:
        return round(1 - shares[min(shares)], DECIMALS) if shares else 0.0


@register
class Inconsistency(OfLevels):
    """Share of an attribute's released cells outside the most frequent level of these cells (0 … 1)."""

    name: ClassVar[str] = "inconsistency"
    type: ClassVar[Any] = dict[str, float]
    description: ClassVar[str] = (
        "per attribute, the share of released cells not at its most frequent level (Definition 12)"
    )

    def of_shares(self, shares: Mapping[int, float]) -> float:
        return round(1 - max(shares.values()), DECIMALS) if shares else 0.0


@register
class DataSetInconsistency(Inconsistency):
    """Largest inconsistency of any attribute (0 … 1)."""

    name: ClassVar[str] = "data_set_inconsistency"
    type: ClassVar[Any] = float
    description: ClassVar[str] = "the largest inconsistency of an attribute (Definition 12)"

    def of(self, counted: Measured) -> Any:
        return max(super().of(counted).values(), default=0.0)
