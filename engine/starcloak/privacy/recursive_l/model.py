"""Recursive (c,l)-diversity (Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam 2006, Definition 4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field, StrictInt

from starcloak.base.settings import Exact
from starcloak.privacy.aggregates import counts, value_rows
from starcloak.privacy.bounds import told_from
from starcloak.privacy.groups import beyond
from starcloak.privacy.histogram import DiverseHistogram
from starcloak.privacy.model import DbtTest, ReleasedClasses, ScriptRecount, is_most, register
from starcloak.statements.statement import Hole, Joined, Name, Number, Statement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from starcloak.privacy.groups import Groups, Integers, Pairs


@register
class RecursiveL(ScriptRecount, DbtTest, DiverseHistogram):
    """In every class, r_1 < c * (r_l + … + r_m): the rows per value of ``attribute`` in descending order.

    By default (``missing: none``), only rows with a value count.
    """

    key: ClassVar[str] = "l_diversity"
    source: ClassVar[str] = "Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam 2006, recursive (c,l)-diversity"
    monotone: ClassVar[bool] = True
    superset_closed: ClassVar[bool] = False

    kind: Literal["recursive"]
    l: Annotated[StrictInt, Field(ge=2, le=1000)]  # noqa: E741
    c: Annotated[Exact, Field(gt=0)]

    @property
    def least_rows(self) -> int:
        return self.l

    @property
    def violating_counts(self) -> Statement:
        holes: dict[str, Hole] = {"rows": value_rows(self.domain)}
        if self.domain.in_text:
            return Statement("privacy/recursive_l/model#violating_rows", **holes, **self._numbers)
        holes["columns"] = Joined(tuple(counts(self.domain)), ", ")
        return Statement("privacy/recursive_l/model#violating", **holes, **self._numbers)

    def violates_by_counts(self, groups: Groups) -> NDArray[np.bool_]:
        sizes, pairs = self.sizes(groups), self.pairs(groups)
        if pairs is not None:
            return self._violates_by_pairs(pairs, sizes)
        # The most frequent values so far, in descending order: l - 1 of them.
        most = [np.zeros_like(sizes) for _ in range(self.l - 1)]
        for value in range(len(self.domain.totals)):
            rows = groups.rows_with(self.attribute, value)
            for place, before in enumerate(most):
                most[place], rows = np.maximum(before, rows), np.minimum(before, rows)
        rest = sizes - sum(most)
        # first >= c * rest, so rest <= first / c
        return ~beyond(rest, 1 / Fraction(self.c), most[0])

    def _violates_by_pairs(self, pairs: Pairs, sizes: Integers) -> NDArray[np.bool_]:
        order = np.lexsort((-pairs.counts, pairs.of))
        of, rows = pairs.of[order], pairs.counts[order]
        place = np.arange(len(of)) - np.searchsorted(of, of)
        first, most = np.zeros_like(sizes), np.zeros_like(sizes)
        first[of[place == 0]] = rows[place == 0]
        np.add.at(most, of[place < self.l - 1], rows[place < self.l - 1])
        return ~beyond(sizes - most, 1 / Fraction(self.c), first)

    def violation(self, name: Name, release: ReleasedClasses) -> Statement:
        factor = -told_from(-Fraction(self.c), release.rows)
        numbers = {"c": Number(factor.numerator), "parts": Number(factor.denominator)}
        return Statement(
            "privacy/recursive_l/model#violated", **release.holes(self.attribute), **{**self._numbers, **numbers}
        )

    def dbt_test(self, attributes: Sequence[str]) -> dict[str, Any]:
        numbers = {name: number.value for name, number in self._numbers.items()}
        return self.dbt_test_of_values("recursive_l_diverse", attributes, **numbers)

    @property
    def described(self) -> str:
        return f"recursive ({self.c}, {self.l})-diversity of {self.attribute}"

    def reached(self, achieved: float) -> bool:
        return is_most(achieved, self.c)

    @property
    def _numbers(self) -> dict[str, Number]:
        factor = Fraction(self.c)
        return {"l": Number(self.l), "c": Number(factor.numerator), "parts": Number(factor.denominator)}
