"""Models that ask how many rows of a class have which value of one sensitive attribute."""

from __future__ import annotations

from starcloak.privacy.carried import Histogram
from starcloak.privacy.model import Model
from starcloak.settings import Column


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
    def carried(self) -> tuple[Histogram, ...]:
        return (Histogram(self.attribute),)
