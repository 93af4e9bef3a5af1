"""A toy privacy model: all that a job, a search, the verifier, scripts, dbt and the documentation ask of one."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field, StrictInt

from starcloak.privacy.model import Model, Released, register
from starcloak.statement import Name, Number, Statement


@register
class Even(Model):
    """Every class has an even number of rows, at least ``least``: nobody is the odd one out."""

    key: ClassVar[str] = "even"
    source: ClassVar[str] = "a toy"
    monotone: ClassVar[bool] = False
    superset_closed: ClassVar[bool] = False

    least: Annotated[StrictInt, Field(ge=2)]

    @property
    def least_rows(self) -> int:
        return self.least

    @property
    def violating(self) -> Statement:
        text = "(frequency < {least} or frequency % 2 = 1)"
        return Statement("toy/even/violating", {"least": Number(self.least)}, text)

    def violates(self, groups: Any) -> Any:
        return (groups.sizes < self.least) | (groups.sizes % 2 == 1)

    def violation(self, name: Name, release: Released) -> Statement:
        return Statement("toy/even/violated", {}, "coalesce(max(size % 2), 0) = 1")

    def dbt_test(self, attributes: Any) -> dict[str, Any]:
        return {"toy.even": {"arguments": {"quasi_identifiers": list(attributes)}}}

    @property
    def described(self) -> str:
        return f"an even number of rows, {self.least} or more"
