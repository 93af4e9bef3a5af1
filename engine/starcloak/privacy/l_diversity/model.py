"""Distinct l-diversity (Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam 2006)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field, StrictInt

from starcloak.privacy.aggregates import Held, Histogram, Wanted, value_rows
from starcloak.privacy.attribute import Diverse
from starcloak.privacy.model import DbtTest, ReleasedClasses, ScriptRecount, register
from starcloak.statements.statement import As, Hole, Name, Number, Statement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from starcloak.privacy.groups import Groups, Integers


class Distinct(ScriptRecount, DbtTest, Diverse):
    """Every class has a minimum number of distinct values of a sensitive ``attribute``."""

    monotone: ClassVar[bool] = True
    superset_closed: ClassVar[bool] = True

    @property
    @abstractmethod
    def least(self) -> int:
        """Minimum number of distinct values in every class."""

    @property
    def least_rows(self) -> int:
        return self.least

    @property
    def carried(self) -> tuple[Wanted, ...]:
        return (Held(self.attribute) if self.of_present else Histogram(self.attribute), self.lacked)

    @property
    def violating(self) -> Statement:
        holes: dict[str, Hole] = {"held": Held(self.attribute).column, "l": Number(self.least)}
        if self.of_present:
            return self.or_shared(Statement("privacy/l_diversity/model#violating", **holes))
        holes = {"rows": value_rows(self.domain), "l": Number(self.least)}
        return self.or_shared(Statement("privacy/l_diversity/model#violating_counts", **holes))

    def violates(self, groups: Groups) -> NDArray[np.bool_]:
        return (self._values(groups) < self.least) | self.is_shared(groups)

    def _values(self, groups: Groups) -> Integers:
        """Number of distinct values in each in-memory group; the missing value counts only with ``missing: value``."""
        if self.of_present:
            return groups.distinct(self.attribute)
        counts: Integers = np.zeros_like(groups.sizes)
        pairs = groups.pairs(self.attribute) if self.domain.in_text else None
        if pairs is not None:
            return np.bincount(pairs.of, minlength=len(groups.sizes))
        for code in range(len(self.domain.totals)):
            counts += groups.rows_with(self.attribute, code) > 0
        return counts

    def count(self, name: Name) -> Hole:
        path = "privacy/l_diversity/model#counted" if self.of_present else "privacy/l_diversity/model#counted_all"
        return As(Statement(path, sensitive=Name(self.attribute)), name)

    def violation(self, name: Name, release: ReleasedClasses) -> Statement:
        return Statement("privacy/l_diversity/model#violated", diversity=name, l=Number(self.least))

    def dbt_test(self, attributes: Sequence[str]) -> dict[str, Any]:
        return self.dbt_test_of_values("l_diverse", attributes, l=self.least)

    @property
    def described(self) -> str:
        return f"{self.least} values of {self.attribute}"

    def reached(self, achieved: float) -> bool:
        return achieved >= self.least


@register
class LDiversity(Distinct):
    """Every class has at least ``l`` distinct values of a sensitive ``attribute``. The missing value is no value."""

    key: ClassVar[str] = "l_diversity"
    source: ClassVar[str] = "Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam 2006, distinct l-diversity"

    kind: Literal["distinct"] = "distinct"
    l: Annotated[StrictInt, Field(ge=2)]  # noqa: E741

    @property
    def least(self) -> int:
        return self.l
