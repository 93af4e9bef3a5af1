"""Models of the values of one sensitive attribute, and what a missing value is to them."""

from __future__ import annotations

from typing import Literal, Self

from starcloak.privacy.carried import Domain
from starcloak.privacy.model import Model
from starcloak.settings import Column


class OfAttribute(Model):
    """A model that reads a sensitive ``attribute``.

    ``missing`` says what a missing value is to it: ``none``, so that it looks at the rows alone that have one, or a
    ``value`` like others.
    """

    attribute: Column
    missing: Literal["none", "value"] = "none"

    @property
    def reads(self) -> tuple[str, ...]:
        return (self.attribute,)

    @property
    def of_present(self) -> bool:
        return self.missing == "none"

    @property
    def dbt_missing(self) -> dict[str, str]:
        """The argument of its dbt test that says so, where that is not the default."""
        return {"missing": self.missing} if self.missing != type(self).model_fields["missing"].default else {}

    def over(self, domain: Domain) -> Self:
        return super().over(domain.without_missing() if self.of_present else domain)
