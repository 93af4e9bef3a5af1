"""δ-presence (Nergiz, Atzori, Clifton 2007): bounds on the probability of a person's presence in the table."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from starcloak.base.settings import Exact
from starcloak.privacy.aggregates import PEOPLE
from starcloak.privacy.groups import beyond
from starcloak.privacy.model import Model, PopulationComparison, ShortForm, is_most, register
from starcloak.statements.statement import Joined, Name, Number, Statement

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from starcloak.privacy.groups import Groups


@register
class DeltaPresence(ShortForm, PopulationComparison, Model):
    """In every class of the requirement's ``population``, a share of ``min`` to ``max`` of the people has a row.

    The model also applies to classes of the population without rows in the table.
    """

    key: ClassVar[str] = "delta_presence"
    source: ClassVar[str] = "Nergiz, Atzori, Clifton 2007, δ-presence, of all classes of the population"
    monotone: ClassVar[bool] = True
    superset_closed: ClassVar[bool] = False

    min: Annotated[Exact, Field(ge=0, le=1)]
    max: Annotated[Exact, Field(ge=0, le=1)]

    @model_validator(mode="after")
    def _in_order(self) -> DeltaPresence:
        if self.min > self.max:
            raise PydanticCustomError(
                "delta_presence",
                "delta_presence has the larger share first: write the smaller share first, as in [0, 0.5]",
            )
        return self

    @classmethod
    def items(cls, value: Any) -> Any:
        if (
            isinstance(value, (list, tuple))
            and len(value) == 2
            and not any(isinstance(bound, Mapping) for bound in value)
        ):
            return [{"min": value[0], "max": value[1]}]
        return [value] if isinstance(value, Mapping) else value

    @classmethod
    def short_schema(cls, settings: Mapping[str, Any]) -> dict[str, Any]:
        return {"type": "array", "minItems": 2, "maxItems": 2, "items": dict(settings["properties"]["min"])}

    @property
    def least_share(self) -> Fraction:
        return Fraction(self.min)

    @property
    def violating(self) -> Statement:
        rows, people = Name("frequency"), PEOPLE.column
        pieces = [
            Statement(
                f"privacy/shares#{side}",
                rows=rows,
                size=people,
                share=Number(Fraction(share).numerator),
                parts=Number(Fraction(share).denominator),
            )
            for side, share in (("below", self.min), ("above", self.max))
        ]
        return Statement("privacy/violating", models=Joined(tuple(pieces), " or "))

    def violates(self, groups: Groups) -> NDArray[np.bool_]:
        people = self.people(groups)
        violating = beyond(groups.sizes, Fraction(self.max), people)
        if self.min:
            violating |= beyond(people, 1 / Fraction(self.min), groups.sizes)
        return violating

    @property
    def described(self) -> str:
        return f"{self.min} to {self.max} of the people of every class of the population"

    def reached(self, achieved: float) -> bool:
        return is_most(achieved, self.max)
