"""Dates that lose precision at every level."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from starcloak.hierarchy.builder import Place, built, register
from starcloak.hierarchy.rule import Rule
from starcloak.statement import Hole, Name, Statement

Unit = Literal["day", "week", "month", "quarter", "year", "decade", "century"]


@register
class Dates(Rule):
    """Dates that lose precision at every level, then ``*``."""

    key: ClassVar[str] = "dates"
    levels_read: ClassVar[str] = "1976-01-21 → 1976-01 → 1976 → 1970s → \\*; also day, week, quarter, century"

    dates: Annotated[
        list[Unit],
        Field(min_length=1, max_length=7),
    ]

    def levels(self, place: Place) -> list[Hole]:
        return [Name(unit) for unit in self.dates]

    def statement(self, place: Place, levels: Hole) -> Statement:
        return Statement("hierarchy/dates", {"domain": place.domain, "levels": levels})

    @property
    def remedy(self) -> str:
        return "they are not dates of the form 2001-12-31 after the year 0"


def dates(*units: Unit) -> Dates:
    """Dates that lose precision at every level, then ``*``: ``dates("month", "year")``."""
    return built(Dates, dates=list(units))
