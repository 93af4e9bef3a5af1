"""β-likeness, basic and enhanced (Cao, Karras 2012)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, StrictBool

from starcloak.base.settings import Exact
from starcloak.privacy.bounds import at_most
from starcloak.privacy.histogram import ComparedHistogram
from starcloak.privacy.model import DbtTest, ReleasedClasses, ScriptRecount, is_most, register
from starcloak.privacy.shares import Shares
from starcloak.statements.statement import Name, Number, Statement

# Digits of a logarithm: enough to have no share of a table between it and its approximation.
_CONTEXT = Context(prec=80)


@register
class BetaLikeness(ScriptRecount, DbtTest, Shares, ComparedHistogram):
    """With a value's share q of a class and p of the table, (q - p) / p is at most ``beta`` for every value.

    With ``enhanced``, the bound is the smaller of ``beta`` and -ln p. The missing value is a value.
    """

    key: ClassVar[str] = "beta_likeness"
    source: ClassVar[str] = "Cao, Karras 2012, basic and enhanced β-likeness"
    monotone: ClassVar[bool] = True
    superset_closed: ClassVar[bool] = False

    missing: Literal["none", "value"] = "value"
    beta: Annotated[Exact, Field(gt=0)]
    enhanced: StrictBool = False

    def bounds(self) -> Iterator[tuple[int, Fraction | None, Fraction | None]]:
        rows = self.domain.rows
        for code, total in enumerate(self.domain.totals):
            if not total:
                continue
            share, gain = Fraction(total, rows), Fraction(self.beta)
            if self.enhanced:
                gain = min(gain, Fraction(_CONTEXT.subtract(_logarithm(rows), _logarithm(total))))
            most = at_most(share * (1 + gain), rows)
            if most < 1:
                yield code, None, most

    def violation(self, name: Name, release: ReleasedClasses) -> Statement:
        gain = release.exact_bound(Fraction(self.beta), release.rows**2, times=release.rows**2)
        numbers = {"beta": Number(gain.numerator), "parts": Number(gain.denominator)}
        path = "privacy/beta_likeness/model#enhanced" if self.enhanced else "privacy/beta_likeness/model#violated"
        return Statement(path, value_counts=release.value_counts(self.attribute), **numbers)

    def dbt_test(self, attributes: Sequence[str]) -> dict[str, Any]:
        more = {"enhanced": True} if self.enhanced else {}
        return self.dbt_test_of_values("beta_like", attributes, beta=float(self.beta), **more)

    @property
    def described(self) -> str:
        return f"{'enhanced ' * self.enhanced}{self.beta}-likeness of {self.attribute}{self.beside}"

    def reached(self, achieved: float) -> bool:
        return is_most(achieved, self.beta)


@lru_cache(maxsize=1 << 16)
def _logarithm(rows: int) -> Decimal:
    """Natural logarithm of a number of rows to 80 digits; cached, as many nodes have the same number of rows."""
    return _CONTEXT.ln(Decimal(rows))
