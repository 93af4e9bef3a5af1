"""Measures of a release: numbers determined by its recoding and its equivalence classes.

Measures are modules of :mod:`starcloak.measures` and register themselves; no other module knows their names.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from starcloak.base.installation import load
from starcloak.statements.statement import Hole

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
