"""Distortion by weighted hierarchical distance (Li, Wong, Fu, Pei 2006 and 2008, Definitions 5 to 7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from starcloak.measures.measure import DECIMALS, Measure, Measured, register, share
from starcloak.statements.statement import Hole, Name, Statement


class _Weighted(Measure):
    """Distortion by one of the two schemes of weights."""

    scheme: ClassVar[str]

    @property
    def sums(self) -> Mapping[str, Hole]:
        return {f"{self.scheme}_distortion": Statement("measures/recoding#moved", {"moved": Name(self.scheme)})}


@register
class Distortion(_Weighted):
    """Distortion with uniform weights."""

    scheme: ClassVar[str] = "uniform"
    name: ClassVar[str] = "distortion"
    description: ClassVar[str] = "Definition 7 with uniform weights, in generalized cells"

    def of(self, counted: Measured) -> float:
        return round(counted.sums["uniform_distortion"], DECIMALS)


@register
class DistortionRatio(_Weighted):
    """Distortion with uniform weights, as a share of that of the fully generalized table."""

    scheme: ClassVar[str] = "uniform"
    name: ClassVar[str] = "distortion_ratio"
    description: ClassVar[str] = "distortion / that of the fully generalized table (Li et al. 2006)"

    def of(self, counted: Measured) -> float:
        return share(counted.sums["uniform_distortion"], counted.cells)


@register
class HeightDistortion(_Weighted):
    """Distortion with height weights."""

    scheme: ClassVar[str] = "height"
    name: ClassVar[str] = "height_distortion"
    description: ClassVar[str] = "Definition 7 with height weights, beta = 1"

    def of(self, counted: Measured) -> float:
        return round(counted.sums["height_distortion"], DECIMALS)


@register
class HeightDistortionRatio(_Weighted):
    """Distortion with height weights, as a share of that of the fully generalized table."""

    scheme: ClassVar[str] = "height"
    name: ClassVar[str] = "height_distortion_ratio"
    description: ClassVar[str] = "the same as a ratio"

    def of(self, counted: Measured) -> float:
        return share(counted.sums["height_distortion"], counted.cells)
