"""Distinct l-diversity (Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam 2006)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, StrictInt

from starcloak.privacy.carried import Held
from starcloak.privacy.model import Model, Released, register
from starcloak.settings import Column
from starcloak.statement import As, Hole, Name, Number, Statement

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from starcloak.privacy.groups import Groups


class Distinct(Model):
    """Every class has so many different values of a sensitive ``attribute``."""

    monotone: ClassVar[bool] = True
    superset_closed: ClassVar[bool] = True

    attribute: Column

    @property
    @abstractmethod
    def least(self) -> int:
        """The fewest different values; a missing one is none."""

    @property
    def reads(self) -> tuple[str, ...]:
        return (self.attribute,)

    @property
    def least_rows(self) -> int:
        return self.least

    @property
    def carried(self) -> tuple[Held, ...]:
        return (Held(self.attribute),)

    @property
    def violating(self) -> Statement:
        (held,) = self.carried
        return Statement("privacy/l_diversity/model#violating", {"held": held.column, "l": Number(self.least)})

    def violates(self, groups: Groups) -> NDArray[np.bool_]:
        return groups.distinct(self.attribute) < self.least

    def count(self, name: Name) -> Hole:
        return As(Statement("privacy/l_diversity/model#counted", {"sensitive": Name(self.attribute)}), name)

    def violation(self, name: Name, release: Released) -> Statement:
        return Statement("privacy/l_diversity/model#violated", {"diversity": name, "l": Number(self.least)})

    def dbt_test(self, attributes: Sequence[str]) -> dict[str, Any]:
        arguments = {"quasi_identifiers": list(attributes), "sensitive": self.attribute, "l": self.least}
        return {"starcloak.l_diverse": {"arguments": arguments}}

    @property
    def described(self) -> str:
        return f"{self.least} values of {self.attribute}"

    def reached(self, achieved: float) -> bool:
        return achieved >= self.least


@register
class LDiversity(Distinct):
    """Every class has at least ``l`` different values of a sensitive ``attribute``; a missing value is none."""

    key: ClassVar[str] = "l_diversity"
    source: ClassVar[str] = "Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam 2006, distinct l-diversity"

    kind: Literal["distinct"] = "distinct"
    l: Annotated[StrictInt, Field(ge=2)]  # noqa: E741

    @classmethod
    def parse(cls, parts: Sequence[str]) -> dict[str, Any]:
        attribute, least = parts
        return {"attribute": attribute, "l": int(least)}

    @property
    def least(self) -> int:
        return self.l
