"""Ranges of given widths."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, ClassVar

from pydantic import Field

from starcloak import extent
from starcloak.hierarchy.builder import Place, built, register
from starcloak.hierarchy.rule import NUMBERS_ONLY, Rule, numbers
from starcloak.statement import Bind, Hole, Statement


@register
class Intervals(Rule):
    """Ranges of the given widths, each starting at a multiple of its width, then ``*``."""

    key: ClassVar[str] = "intervals"
    levels_read: ClassVar[str] = "37 → [35, 40) → [30, 40) → [20, 40) → \\*"

    intervals: Annotated[
        list[Annotated[Decimal, Field(gt=0, max_digits=28, decimal_places=10)]],
        Field(min_length=1, max_length=extent.MOST_LEVELS - 1),
    ]

    @property
    def binds(self) -> Mapping[str, Any]:
        return {f"width_{level}": str(width) for level, width in enumerate(self.intervals, 1)}

    def levels(self, place: Place) -> list[Hole]:
        return [Statement("hierarchy/intervals#range", {"width": Bind(name)}) for name in self.binds]

    def statement(self, place: Place, levels: Hole) -> Statement:
        return Statement("hierarchy/intervals", {"numbers": numbers(place), "levels": levels})

    @property
    def remedy(self) -> str:
        return NUMBERS_ONLY


def intervals(*widths: int | str | Decimal) -> Intervals:
    """Ranges of the given widths, then ``*``: ``intervals(5, 10, 20)``."""
    return built(Intervals, intervals=list(widths))
