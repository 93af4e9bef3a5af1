"""Models with bounds on the share of a class's rows per value of a sensitive attribute."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from starcloak.privacy.aggregates import counts
from starcloak.privacy.groups import beyond
from starcloak.privacy.histogram import OfHistogram
from starcloak.statements.statement import Joined, Number, Statement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from starcloak.privacy.groups import Groups


class Shares(OfHistogram):
    """A model with bounds on the share of every value; the bounds depend on the table alone."""

    @abstractmethod
    def bounds(self) -> Iterator[tuple[int, Fraction | None, Fraction | None]]:
        """The smallest and the largest share per value, by code; None for no bound."""

    @property
    def violating_counts(self) -> Statement:
        rows, conditions = counts(self.domain), []
        for code, least, most in self.bounds():
            for kind, share in (("privacy/shares#below", least), ("privacy/shares#above", most)):
                if share is not None:
                    numbers = {"share": Number(share.numerator), "parts": Number(share.denominator)}
                    conditions.append(Statement(kind, rows=rows[code], size=self.size, **numbers))
        conditions_joined = Joined(tuple(conditions or [Statement("privacy/shares#never")]), " or ")
        return Statement("privacy/violating", models=conditions_joined)

    def violates_by_counts(self, groups: Groups) -> NDArray[np.bool_]:
        sizes = self.sizes(groups)
        violating = np.zeros(sizes.shape, bool)
        for code, least, most in self.bounds():
            rows = groups.rows_with(self.attribute, code)
            if most is not None:
                violating |= beyond(rows, most, sizes)
            if least is not None:
                violating |= beyond(sizes, 1 / least, rows)
        return violating
