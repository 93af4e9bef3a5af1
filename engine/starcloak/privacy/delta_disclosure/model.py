"""δ-disclosure privacy (Brickell, Shmatikov 2008), in the strict form: a value absent from a class violates it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from starcloak.base.settings import Exact
from starcloak.privacy.bounds import at_least, at_most
from starcloak.privacy.histogram import ComparedHistogram
from starcloak.privacy.model import DbtTest, ReleasedClasses, ScriptRecount, is_most, register
from starcloak.privacy.shares import Shares
from starcloak.statements.statement import Name, Number, Statement

# Digits of a power: enough to have no share of a table between it and its approximation.
_DIGITS = 80


@register
class DeltaDisclosure(ScriptRecount, DbtTest, Shares, ComparedHistogram):
    """With a value's share q of a class and p of the table, abs(log2(q / p)) is less than ``delta`` for every value.

    A value of the table absent from a class violates the model. The missing value is a value.
    """

    key: ClassVar[str] = "delta_disclosure"
    source: ClassVar[str] = "Brickell, Shmatikov 2008, δ-disclosure privacy, of all values of the table"
    monotone: ClassVar[bool] = True
    superset_closed: ClassVar[bool] = False

    missing: Literal["none", "value"] = "value"
    delta: Annotated[Exact, Field(gt=0, le=1000)]

    def bounds(self) -> Iterator[tuple[int, Fraction | None, Fraction | None]]:
        rows = self.domain.rows
        factor = Fraction(Context(prec=_DIGITS, Emax=10**6, Emin=-(10**6)).power(Decimal(2), self.delta))
        for code, total in enumerate(self.domain.totals):
            if total:
                share = Fraction(total, rows)
                most = at_most(share * factor, rows, strict=True) if share * factor <= 1 else None
                # A share of at least one row of the table: an absent value is too small.
                least = max(at_least(share / factor, rows, strict=True), Fraction(1, rows))
                yield code, least, most

    def violation(self, name: Name, release: ReleasedClasses) -> Statement:
        power = Fraction(self.delta)
        return Statement(
            "privacy/delta_disclosure/model#violated",
            value_counts=release.value_counts(self.attribute),
            sensitive=release.sensitive[self.attribute],
            release=release.relation,
            delta=Number(power.numerator),
            parts=Number(power.denominator),
        )

    def dbt_test(self, attributes: Sequence[str]) -> dict[str, Any]:
        return self.dbt_test_of_values("delta_disclosing", attributes, delta=float(self.delta))

    @property
    def described(self) -> str:
        return f"{self.delta}-disclosure privacy of {self.attribute}{self.beside}"

    def reached(self, achieved: float) -> bool:
        return is_most(achieved, self.delta)
