"""A toy privacy model: all that a job, a search, the verifier, scripts, dbt and the documentation ask of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

from pydantic import Field, StrictInt

from starcloak.privacy.model import DbtTest, Model, ReleasedClasses, ScriptRecount, register
from starcloak.privacy.verdict import Judged
from starcloak.statements.statement import Hole, Joined, Name, Number, Statement
from starcloak.store.session import Session


@register
class Even(ScriptRecount, DbtTest, Model):
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
        return Statement.of_text("toy/even/violating", text, least=Number(self.least))

    def violates(self, groups: Any) -> Any:
        return (groups.sizes < self.least) | (groups.sizes % 2 == 1)

    def violation(self, name: Name, release: ReleasedClasses) -> Statement:
        return Statement.of_text("toy/even/violated", "coalesce(max(size % 2), 0) = 1")

    def dbt_test(self, attributes: Any) -> dict[str, Any]:
        return {"toy.even": {"arguments": {"quasi_identifiers": list(attributes)}}}

    @staticmethod
    def recount(session: Session, classes: Name, values: Joined, read: Sequence[Name], model: Even) -> Judged:
        """The verifier's own count, which shares nothing with the searches: a module recount.py, but for a toy."""
        text = (
            "select min(size), count(*) filter (where odd), coalesce(sum(size) filter (where odd), 0) from ("
            "select sum(size) as size, sum(size) < $least or sum(size) % 2 = 1 as odd from {classes} group by {values})"
        )
        holes: dict[str, Hole] = {"classes": classes, "values": values}
        fewest, violating, rows = session.row(
            Statement.of_text("toy/even/recount", text, **holes), {"least": model.least}
        )
        return Judged(not violating, fewest, violating, rows)

    def reached(self, achieved: float) -> bool:
        return achieved >= self.least

    @property
    def described(self) -> str:
        return f"an even number of rows, {self.least} or more"
