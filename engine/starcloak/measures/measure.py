"""A measure of a release: a number that its recoding and its classes decide.

Measures are in modules of :mod:`starcloak.measures` and register themselves; nobody else knows their names.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from starcloak.base.installation import load
from starcloak.statements.statement import Hole

#: How many decimals a measure is rounded to.
DECIMALS = 10


@dataclass(frozen=True)
class Measured:
    """What a release was counted to be.

    ``rows`` are those of the source, ``suppressed`` those left out, ``released`` the others; ``classes`` are the
    equivalence classes, ``squares`` is the sum of their squared sizes, ``k`` the smallest one that was required.
    ``cells`` are the cells of quasi-identifiers in the source, and ``sums`` the sums over them that measures asked for;
    ``sums_of`` are those over the cells of each attribute, ``levels`` how many of these are released at each level.
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
    """A measure: ``name`` in the result, the Python ``type`` of its value, and what it is, with its source.

    ``description`` says the unit or the range, and the paper with its definition.
    """

    name: ClassVar[str]
    type: ClassVar[Any] = float
    description: ClassVar[str]
    #: Whether released rows alone decide it, so that nobody can tell from it how many rows were left out.
    of_released: ClassVar[bool] = False

    @property
    def sums(self) -> Mapping[str, Hole]:
        """Expressions that it wants summed over all cells, by a name of its own: see sql/measures/recoding."""
        return {}

    @abstractmethod
    def of(self, counted: Measured) -> Any:
        """Its value, of ``type``; floats are rounded to ``DECIMALS``."""


_MEASURES: dict[str, Measure] = {}


def register(measure: type[Measure]) -> type[Measure]:
    """Have results tell a measure by its name."""
    _MEASURES[measure.name] = measure()
    return measure


def every() -> Sequence[Measure]:
    """All measures, by name."""
    load("starcloak.measures", kind="measures")
    return [_MEASURES[name] for name in sorted(_MEASURES)]


def share(part: float, of: float) -> float:
    """A share (0 … 1), rounded."""
    return round(part / of, DECIMALS)
