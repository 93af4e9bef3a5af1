"""A measure of a release: a number determined by its recoding and its classes.

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
    """Counts of a release.

    ``rows`` is the number of rows of the source, ``suppressed`` of suppressed rows, ``released`` of the remaining rows.
    ``classes`` is the number of equivalence classes, ``squares`` the sum of their squared sizes, ``k`` the smallest
    required class. ``cells`` is the number of quasi-identifier cells in the source, and ``sums`` has the measures' sums
    over them. ``sums_of`` has these sums per attribute, ``levels`` the number of released cells per attribute and
    level.
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

    ``description`` has the unit or the range, and the paper with its definition.
    """

    name: ClassVar[str]
    type: ClassVar[Any] = float
    description: ClassVar[str]
    #: True if released rows alone determine the measure, so it reveals nothing on the number of suppressed rows.
    of_released: ClassVar[bool] = False

    @property
    def sums(self) -> Mapping[str, Hole]:
        """Expressions to sum over all cells, by a name specific to the measure: see sql/measures/recoding."""
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
    """All measures, by name."""
    load("starcloak.measures", kind="measures")
    return [_MEASURES[name] for name in sorted(_MEASURES)]


def share(part: float, of: float) -> float:
    """A share (0 … 1), rounded."""
    return round(part / of, DECIMALS)
