"""Measures of a release: numbers determined by its recoding and its equivalence classes.

A measure is a class that registers itself, here or in a module of another package; no other module knows its name. The
measures of the recoding (the loss of its cells, their levels) are followed by those of the classes (number, size).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from starcloak.base.installation import load
from starcloak.statements.statement import Hole, Name, Statement

#: Number of decimals of a rounded measure.
DECIMALS = 10


@dataclass(frozen=True)
class Measured:
    """Counts of a release, as input of the measures.

    ``rows`` is the number of rows of the source, ``suppressed`` of suppressed rows, ``released`` of the remaining rows.
    ``classes`` is the number of equivalence classes, ``squares`` the sum of their squared sizes, ``k`` the smallest
    permitted class size. ``cells`` is the number of quasi-identifier cells in the source. ``sums`` has the sums over
    these cells of the expressions in :attr:`Measure.sums`, by name; ``sums_of`` has the same sums per attribute.
    ``levels`` is the number of released cells per attribute and level.
    """

    rows: int
    suppressed: int
    released: int
    classes: int
    squares: int
    k: int
    cells: int
    sums: Mapping[str, float]
    sums_of: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    levels: Mapping[str, Mapping[int, int]] = field(default_factory=dict)


class Measure(ABC):
    """A measure: ``name`` in the result, the Python ``type`` of its value, and its description.

    ``description`` names the unit or the range of the value, and the paper with the definition.
    """

    name: ClassVar[str]
    type: ClassVar[Any] = float
    description: ClassVar[str]
    #: True if released rows alone determine the measure, so it reveals nothing on the number of suppressed rows.
    of_released: ClassVar[bool] = False
    #: True if the measure depends on the values of single cells in the source: it is then for the custodian alone.
    of_source_values: ClassVar[bool] = False

    @property
    def sums(self) -> Mapping[str, Hole]:
        """SQL expressions of sums over all cells, by a name specific to the measure; used in sql/measures/recoding."""
        return {}

    @abstractmethod
    def of(self, counted: Measured) -> Any:
        """The measure's value, of ``type``; floats are rounded to ``DECIMALS``."""


_MEASURES: dict[str, Measure] = {}


def register(measure: type[Measure]) -> type[Measure]:
    """Register a measure for results under its name."""
    _MEASURES[measure.name] = measure()
    return measure


def every() -> Sequence[Measure]:
    """All registered measures, in the order of their names."""
    load("starcloak.measures", kind="measures")
    return [_MEASURES[name] for name in sorted(_MEASURES)]


def share(part: float, of: float) -> float:
    """Quotient of ``part`` and ``of`` (0 … 1), rounded to ``DECIMALS``."""
    return round(part / of, DECIMALS)


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
    """Share of quasi-identifier cells with a changed text (0 … 1); cells of suppressed rows count as changed.

    A label may cover cells with its own text, unchanged, and few others. So readers of a release do not see the share.
    """

    name: ClassVar[str] = "modification_rate"
    of_source_values: ClassVar[bool] = True
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


@register
class EquivalenceClasses(Measure):
    """Number of equivalence classes in the release."""

    name: ClassVar[str] = "classes"
    of_released: ClassVar[bool] = True
    type: ClassVar[Any] = int
    description: ClassVar[str] = "equivalence classes of the release"

    def of(self, counted: Measured) -> int:
        return counted.classes


@register
class RowsPerClass(Measure):
    """Mean number of released rows per equivalence class; None for a release without rows."""

    name: ClassVar[str] = "rows_per_class"
    of_released: ClassVar[bool] = True
    type: ClassVar[Any] = float | None
    description: ClassVar[str] = "released rows / classes; average_class_size is a multiple of k"

    def of(self, counted: Measured) -> float | None:
        return round(counted.released / counted.classes, DECIMALS) if counted.classes else None


@register
class AverageClassSize(Measure):
    """Mean number of released rows per equivalence class, divided by k; None for a release without rows."""

    name: ClassVar[str] = "average_class_size"
    of_released: ClassVar[bool] = True
    type: ClassVar[Any] = float | None
    description: ClassVar[str] = (
        "CAVG, normalized: released rows / classes / k (section 4); k is 1 if no QID has all quasi-identifiers"
    )

    def of(self, counted: Measured) -> float | None:
        if not counted.classes:
            return None
        return round(counted.released / counted.classes / counted.k, DECIMALS)


@register
class Discernibility(Measure):
    """Sum of costs over all rows.

    A released row costs the size of its equivalence class, a suppressed row the number of rows in the source.
    """

    name: ClassVar[str] = "discernibility"
    type: ClassVar[Any] = int
    description: ClassVar[str] = (
        "DM: the sum of squared class sizes (section 4); a suppressed row costs the number of rows of the source"
    )

    def of(self, counted: Measured) -> int:
        return counted.squares + counted.suppressed * counted.rows
