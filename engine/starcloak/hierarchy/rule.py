"""Hierarchies by a rule: the levels of every value follow from the value."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from starcloak.hierarchy.builder import TOP, Builder, BuildPlace
from starcloak.hierarchy.members import check_levels
from starcloak.statements.statement import As, Hole, Name, Statement, columns


class Rule(Builder):
    """A hierarchy whose levels are expressions over the values; the top is added to them."""

    top_label: ClassVar[str] = TOP

    @abstractmethod
    def levels(self, place: BuildPlace) -> list[Hole]:
        """The levels between the leaf and the top."""

    @abstractmethod
    def statement(self, place: BuildPlace, levels: Hole) -> Statement:
        """The statement that yields the members with these level columns."""

    @property
    def binds(self) -> Mapping[str, Any]:
        """The values that the statement binds."""
        return {}

    def members(self, place: BuildPlace) -> int:
        pieces: list[Hole] = [*self.levels(place), Statement("hierarchy/top")]
        levels = columns(As(piece, Name(f"level_{level}")) for level, piece in enumerate(pieces, 1))
        place.session.create(place.into, self.statement(place, levels), self.binds)
        check_levels(place, place.into, len(pieces))
        return len(pieces)


def numbers(place: BuildPlace, *, comma: bool = False) -> Statement:
    """The values as numbers, of which texts have a decimal point or a ``comma``."""
    pointed = Statement("hierarchy/numbers#comma" if comma and place.column.is_text else "hierarchy/numbers#point")
    return Statement("hierarchy/numbers", domain=place.domain, digits=pointed)


NUMBERS_ONLY = "they are not numbers of at most 20 digits and 18 decimals"
