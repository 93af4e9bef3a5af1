"""Distortion by weighted hierarchical distance (Li, Wong, Fu, Pei 2006 and 2008, Definitions 5 to 7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from starcloak.measures.measure import DECIMALS, Measure, Measured, register, share
from starcloak.statements.statement import Hole, Name, Statement


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
    """Distortion with uniform weights, as a share of that of the fully generalized table."""

    name: ClassVar[str] = "distortion_ratio"
    description: ClassVar[str] = "distortion / that of the fully generalized table (Li et al. 2006)"

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
    """Distortion with height weights, as a share of that of the fully generalized table."""

    scheme: ClassVar[str] = "height"
    name: ClassVar[str] = "height_distortion_ratio"
    description: ClassVar[str] = "the same as a ratio"
