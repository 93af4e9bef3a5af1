"""k-map (Sweeney 2001, 2002): every row matches at least k people of the population."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field, StrictInt

from starcloak.privacy.aggregates import PEOPLE
from starcloak.privacy.model import Model, PopulationComparison, ShortForm, register
from starcloak.statements.statement import Number, Statement

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from starcloak.privacy.groups import Groups


@register
class KMap(ShortForm, PopulationComparison, Model):
    """Every class of the release matches at least ``k`` people of the requirement's ``population``.

    A person matches a class if the person's values, generalized by the hierarchies, are the cells of the class, or lie
    within its ranges.
    """

    key: ClassVar[str] = "k_map"
    source: ClassVar[str] = "Sweeney 2002, k-map, over a population that is at hand"
    monotone: ClassVar[bool] = True
    superset_closed: ClassVar[bool] = True

    k: Annotated[StrictInt, Field(ge=1)]

    @classmethod
    def items(cls, value: Any) -> Any:
        return value if isinstance(value, (list, tuple)) else [value if isinstance(value, Mapping) else {"k": value}]

    @classmethod
    def short_schema(cls, settings: Mapping[str, Any]) -> dict[str, Any]:
        return dict(settings["properties"]["k"])

    @property
    def least_share(self) -> None:
        return None

    def implies(self, other_model: Model) -> bool:
        return isinstance(other_model, KMap) and other_model.k <= self.k

    @property
    def violating(self) -> Statement:
        return Statement("privacy/k_map/model#violating", people=PEOPLE.column, k=Number(self.k))

    def violates(self, groups: Groups) -> NDArray[np.bool_]:
        violating: NDArray[np.bool_] = self.people(groups) < self.k
        return violating

    @property
    def described(self) -> str:
        return f"{self.k} people of the population"

    def reached(self, achieved: float) -> bool:
        return achieved >= self.k
