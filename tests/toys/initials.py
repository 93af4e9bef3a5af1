"""A toy builder of hierarchies: its settings, and its members in SQL."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field, StrictInt

from starcloak.hierarchy.builder import BuildPlace, register
from starcloak.hierarchy.members import Rule
from starcloak.statements.statement import Hole, Number, Statement


@register
class Initials(Rule):
    """Texts that keep their first ``initials`` characters, then ``*``."""

    key: ClassVar[str] = "initials"
    form: ClassVar[str] = "`{initials: 2}`"
    levels_read: ClassVar[str] = "Masters → Ma → \\*"

    initials: Annotated[StrictInt, Field(ge=1)]

    def levels(self, place: BuildPlace) -> list[Hole]:
        return [Statement.of_text("toy/initials", "left(value, {initials})", initials=Number(self.initials))]

    def statement(self, place: BuildPlace, levels: Hole) -> Statement:
        text = "select true as present, value, value as level_0, {levels} from {domain}"
        return Statement.of_text("toy/initials/members", text, levels=levels, domain=place.domain)

    @property
    def remedy(self) -> str:
        return "they have no characters"
