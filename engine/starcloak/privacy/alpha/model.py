"""(alpha,k)-anonymity (Wong, Li, Fu, Wang 2006)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from pydantic import BeforeValidator, Field, PrivateAttr

from starcloak.base.settings import Exact
from starcloak.privacy.aggregates import Having, Wanted
from starcloak.privacy.bounds import at_most
from starcloak.privacy.model import (
    DbtTest,
    NamedValues,
    PersonShares,
    ReleasedClasses,
    ScriptRecount,
    is_most,
    register,
)
from starcloak.privacy.shares import Shares
from starcloak.statements.statement import Hole, Joined, Literal, Name, Number, Statement

if TYPE_CHECKING:
    from starcloak.privacy.groups import Groups, Integers


def as_text(value: Any) -> Any:
    """A value of YAML as text, since YAML reads 5 as a number and true as a truth value; other types are unchanged."""
    return str(value).lower() if isinstance(value, bool) else str(value) if isinstance(value, int) else value


@register
class Alpha(NamedValues, PersonShares, ScriptRecount, DbtTest, Shares):
    """No value of a sensitive ``attribute`` has more than the share ``alpha`` of a class's rows with a value.

    With ``values``, a list of texts, the bound applies to these values alone. By default (``missing: none``), only rows
    with a value count.
    """

    key: ClassVar[str] = "alpha"
    source: ClassVar[str] = "Wong, Li, Fu, Wang 2006, (alpha,k)-anonymity"
    monotone: ClassVar[bool] = True
    superset_closed: ClassVar[bool] = False

    alpha: Annotated[Exact, Field(gt=0, le=1)]
    values: Annotated[tuple[Annotated[str, BeforeValidator(as_text)], ...], Field(min_length=1)] | None = None

    _of_persons: bool = PrivateAttr(default=False)

    @property
    def having(self) -> Having:
        """The aggregate with a group's number of persons: the base of shares if the job declares persons."""
        return Having(self.attribute, self.of_present)

    @property
    def carried(self) -> tuple[Wanted, ...]:
        return (*super().carried, self.having)

    @property
    def size(self) -> Hole:
        return self.having.column if self.domain.once else super().size

    def sizes(self, groups: Groups) -> Integers:
        return groups.rows_with(self.having.key, 0) if self.domain.once else super().sizes(groups)

    @property
    def named_values(self) -> tuple[str, ...]:
        return self.values or ()

    def by_persons(self) -> Self:
        model = self.model_copy()
        model._of_persons = True
        return model

    @property
    def of_persons(self) -> bool:
        """True if the recount counts persons, not rows."""
        return self._of_persons

    @property
    def least_rows(self) -> int:
        return 1 if self.values is not None else ceil(1 / Fraction(self.alpha))

    def bounds(self) -> Iterator[tuple[int, Fraction | None, Fraction | None]]:
        most = at_most(Fraction(self.alpha), self.domain.rows)
        for code, text in enumerate(self.domain.texts):
            if most < 1 and (self.values is None or text in self.values):
                yield code, None, most

    def violation(self, name: Name, release: ReleasedClasses) -> Statement:
        share = release.exact_bound(Fraction(self.alpha), release.rows, times=release.rows)
        sensitive = release.sensitive[self.attribute]
        named: Hole = Statement("privacy/alpha/model#any")
        if self.values is not None:
            domain_texts = release.domains[self.attribute].texts
            remaining = [text for text in domain_texts if text is not None and text not in self.values]
            text = Statement("privacy/released#text", sensitive=sensitive)
            named = Statement("privacy/alpha/model#present", text=text)
            if remaining:
                holes: dict[str, Hole] = {"text": text, "texts": Joined(tuple(map(Literal, remaining)), ", ")}
                named = Statement("privacy/alpha/model#named", **holes)
        binds = {"named": named, "share": Number(share.numerator), "parts": Number(share.denominator)}
        if release.persons is not None:
            holes = {**release.holes(self.attribute), "persons": release.persons}
            return Statement("privacy/persons/script#share", **holes, **binds)
        return Statement("privacy/alpha/model#violated", **release.holes(self.attribute), **binds)

    def dbt_test(self, attributes: Sequence[str]) -> dict[str, Any]:
        share = Fraction(self.alpha)
        more = {} if self.values is None else {"values": list(self.values)}
        return self.dbt_test_of_values(
            "alpha_bounded", attributes, alpha=share.numerator, parts=share.denominator, **more
        )

    @property
    def described(self) -> str:
        of = "no value" if self.values is None else "none of the named values"
        return f"{of} of {self.attribute} in more than {self.alpha} of its rows"

    def reached(self, achieved: float) -> bool:
        return is_most(achieved, self.alpha)
