"""k-anonymity (Samarati, Sweeney 1998; LeFevre, DeWitt, Ramakrishnan 2005, section 1.1; Li, Wong, Fu, Pei 2008)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field, StrictInt

from starcloak.privacy.model import DbtTest, Model, ReleasedClasses, ScriptRecount, register
from starcloak.statements.statement import Name, Number, Statement

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from starcloak.privacy.groups import Groups


@register
class KAnonymity(ScriptRecount, DbtTest, Model):
    """Every class has at least ``k`` rows."""

    key: ClassVar[str] = "k"
    source: ClassVar[str] = "LeFevre, DeWitt, Ramakrishnan 2005, section 1.1; Li, Wong, Fu, Pei 2008, Definition 3"
    monotone: ClassVar[bool] = True
    superset_closed: ClassVar[bool] = True

    k: Annotated[StrictInt, Field(ge=1)]

    @property
    def least_rows(self) -> int:
        return self.k

    @property
    def violating(self) -> Statement:
        return Statement("privacy/k_anonymity/model#violating", k=Number(self.k))

    def violates(self, groups: Groups) -> NDArray[np.bool_]:
        return groups.sizes < self.k

    def violation(self, name: Name, release: ReleasedClasses) -> Statement:
        return Statement("privacy/k_anonymity/model#violated", k=Number(self.k))

    def dbt_test(self, attributes: Sequence[str]) -> dict[str, Any]:
        return {"starcloak.k_anonymous": {"arguments": {"quasi_identifiers": list(attributes), "k": self.k}}}

    @property
    def described(self) -> str:
        return f"{self.k} rows"

    def reached(self, achieved: float) -> bool:
        return achieved >= self.k
