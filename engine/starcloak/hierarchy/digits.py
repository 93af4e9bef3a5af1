"""Values that lose a character at every level."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Field, StrictInt

from starcloak import extent
from starcloak.hierarchy.builder import Place, built, register
from starcloak.hierarchy.rule import Rule
from starcloak.statement import Hole, Number, Statement


@register
class Digits(Rule):
    """Values of exactly so many characters that lose the last one at every level: 53715, 5371*, …, ``*``.

    Whole numbers are filled up with zeros on the left.
    """

    key: ClassVar[str] = "digits"
    levels_read: ClassVar[str] = "53715 → 5371\\* → 537\\*\\* → 53\\*\\*\\* → 5\\*\\*\\*\\* → \\*"

    digits: Annotated[StrictInt, Field(ge=1, le=extent.MOST_LEVELS)]

    @property
    def binds(self) -> Mapping[str, Any]:
        return {"digits": self.digits}

    def levels(self, place: Place) -> list[Hole]:
        if not (place.column.is_text or place.column.is_whole):
            raise place.wrong(f"digits need text or whole numbers, and it is of type {place.column.kind}")
        return [Statement("hierarchy/digits#masked", {"lost": Number(lost)}) for lost in range(1, self.digits)]

    def statement(self, place: Place, levels: Hole) -> Statement:
        text = Statement("hierarchy/digits#number" if place.column.is_whole else "hierarchy/digits#text")
        return Statement("hierarchy/digits", {"domain": place.domain, "text": text, "levels": levels})

    @property
    def remedy(self) -> str:
        return f"they do not have {self.digits} characters"


def digits(length: int) -> Digits:
    """Values of ``length`` characters that lose the last one at every level: ``digits(5)``."""
    return built(Digits, digits=length)
