"""Distinct l-diversity (Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam 2006)."""

from __future__ import annotations

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


@register
class LDiversity(Model):
    """Every class has at least ``l`` different values of a sensitive ``attribute``; a missing value is none."""

    key: ClassVar[str] = "l_diversity"
    source: ClassVar[str] = "Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam 2006, distinct l-diversity"
    monotone: ClassVar[bool] = True
    superset_closed: ClassVar[bool] = True

    kind: Literal["distinct"] = "distinct"
    attribute: Column
    l: Annotated[StrictInt, Field(ge=2)]  # noqa: E741

    @classmethod
    def told(cls, parts: Sequence[str]) -> dict[str, Any]:
        attribute, least = parts
        return {"attribute": attribute, "l": int(least)}

    @property
    def reads(self) -> tuple[str, ...]:
        return (self.attribute,)

    @property
    def least_rows(self) -> int:
        return self.l

    @property
    def carried(self) -> tuple[Held, ...]:
        return (Held(self.attribute),)

    @property
    def violating(self) -> Statement:
        (held,) = self.carried
        return Statement("privacy/l_diversity/violating", {"held": held.column, "l": Number(self.l)})

    def violates(self, groups: Groups) -> NDArray[np.bool_]:
        return groups.distinct(self.attribute) < self.l

    def counted(self, name: Name) -> Hole:
        return As(Statement("privacy/l_diversity/counted", {"sensitive": Name(self.attribute)}), name)

    def violated(self, name: Name, release: Released) -> Statement:
        return Statement("privacy/l_diversity/violated", {"diversity": name, "l": Number(self.l)})

    def dbt_test(self, attributes: Sequence[str]) -> dict[str, Any]:
        arguments = {"quasi_identifiers": list(attributes), "sensitive": self.attribute, "l": self.l}
        return {"starcloak.l_diverse": {"arguments": arguments}}

    @property
    def described(self) -> str:
        return f"{self.l} values of {self.attribute}"
