"""Models that ask how many rows of a class have which value of one sensitive attribute."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from starcloak.privacy.carried import Histogram, counts
from starcloak.privacy.model import Model
from starcloak.settings import Column
from starcloak.statement import Hole, Joined, Name, Statement

if TYPE_CHECKING:
    from starcloak.privacy.groups import Groups, Integers


class OfHistogram(Model):
    """A model that reads a sensitive ``attribute``, of which frequency sets carry the rows per value."""

    attribute: Column

    @property
    def reads(self) -> tuple[str, ...]:
        return (self.attribute,)

    @property
    def least_rows(self) -> int:
        return 1

    @property
    def size(self) -> Hole:
        """What a group has of the values: its rows or, where each person counts once for a value, all these counts."""
        if not self.domain.once:
            return Name("frequency")
        return Statement("privacy/carried#all", {"rows": Joined(tuple(counts(self.domain)), " + ")})

    def sizes(self, groups: Groups) -> Integers:
        """The same of groups at hand."""
        if not self.domain.once:
            return groups.sizes
        codes = range(len(self.domain.totals))
        return sum((groups.rows_with(self.attribute, code) for code in codes), np.zeros_like(groups.sizes))

    @property
    def carried(self) -> tuple[Histogram, ...]:
        return (Histogram(self.attribute),)
