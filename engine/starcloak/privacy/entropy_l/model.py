"""Entropy l-diversity (Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam 2006, Definition 4.1)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, log
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from starcloak.base.settings import Exact
from starcloak.privacy.aggregates import value_rows
from starcloak.privacy.histogram import DiverseHistogram
from starcloak.privacy.model import DbtTest, ReleasedClasses, ScriptRecount, is_least, register
from starcloak.statements.statement import Name, Number, Statement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from starcloak.privacy.groups import Groups

# Error of floats per row. Searches accept values within it, since a tie holds; the verifier decides exactly.
_CLOSE = 1e-11


@register
class EntropyL(ScriptRecount, DbtTest, DiverseHistogram):
    """In every class, the entropy of a sensitive ``attribute`` is at least the entropy of ``l`` equal shares.

    ``l`` may be a fraction such as 2.5. By default (``missing: none``), only rows with a value count.
    """

    key: ClassVar[str] = "l_diversity"
    source: ClassVar[str] = "Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam 2006, entropy l-diversity"
    monotone: ClassVar[bool] = True
    superset_closed: ClassVar[bool] = False

    kind: Literal["entropy"]
    l: Annotated[Exact, Field(gt=1)]  # noqa: E741

    @property
    def least_rows(self) -> int:
        return ceil(self.l)

    @property
    def violating_counts(self) -> Statement:
        least = Fraction(self.l)
        return Statement(
            "privacy/entropy_l/model#violating",
            rows=value_rows(self.domain),
            size=self.size,
            l=Number(least.numerator),
            parts=Number(least.denominator),
        )

    def violates_by_counts(self, groups: Groups) -> NDArray[np.bool_]:
        sizes = self.sizes(groups).astype(np.float64)
        left = _with_logarithm(sizes) - sizes * log(self.l)
        pairs = self.pairs(groups)
        if pairs is not None:
            np.subtract.at(left, pairs.of, _with_logarithm(pairs.counts.astype(np.float64)))
        for value in range(len(self.domain.totals)) if pairs is None else ():
            left -= _with_logarithm(groups.rows_with(self.attribute, value).astype(np.float64))
        violating: NDArray[np.bool_] = left < -_CLOSE * sizes
        return violating

    def violation(self, name: Name, release: ReleasedClasses) -> Statement:
        least = Fraction(self.l)
        return Statement(
            "privacy/entropy_l/model#violated",
            **release.holes(self.attribute),
            l=Number(least.numerator),
            parts=Number(least.denominator),
        )

    def dbt_test(self, attributes: Sequence[str]) -> dict[str, Any]:
        return self.dbt_test_of_values("entropy_l_diverse", attributes, l=float(self.l))

    @property
    def described(self) -> str:
        return f"the entropy of {self.l} values of {self.attribute}"

    def reached(self, achieved: float) -> bool:
        return is_least(achieved, self.l)


def _with_logarithm(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    return rows * np.log(np.maximum(rows, 1))
