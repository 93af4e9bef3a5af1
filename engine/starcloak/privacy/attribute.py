"""Models of the values of one sensitive attribute, and what a missing value is to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from starcloak.base.settings import Column
from starcloak.privacy.aggregates import Domain, Lacked
from starcloak.privacy.model import Model
from starcloak.statements.statement import Joined, Number, Statement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from starcloak.privacy.groups import Groups


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

    def dbt_test_of_values(self, name: str, attributes: Sequence[str], **arguments: Any) -> dict[str, Any]:
        """A dbt test with the arguments that all of these have, and more; ``missing`` where it is not the default."""
        missing = {"missing": self.missing} if self.missing != type(self).model_fields["missing"].default else {}
        named = {"quasi_identifiers": list(attributes), "sensitive": self.attribute, **missing, **arguments}
        return {f"starcloak.{name}": {"arguments": named}}

    def over(self, domain: Domain) -> Self:
        return super().over(domain.without_missing() if self.of_present else domain)


class Diverse(OfAttribute):
    """A model of how many values a class has, and of how they are spread.

    Where persons are told apart, a value that every person of a class has is learned of each of them, whatever else
    some have: the class has one value. In searches, what persons have counts wherever they have it: then no group
    without a shared value is part of one that has one. The verifier counts what they have in the class.
    """

    @property
    def of_unshared(self) -> bool:
        return True

    @property
    def lacked(self) -> Lacked:
        """What frequency sets carry of it."""
        return Lacked(self.attribute, self.of_present)

    def or_shared(self, violating: Statement) -> Statement:
        """The condition that a group violates the model, or that all its persons share a value."""
        if not self.domain.shared:
            return violating
        shared = Statement(
            "privacy/persons/lacking#shared", lacked=self.lacked.column, values=Number(len(self.domain.totals))
        )
        return Statement("privacy/violating", models=Joined((violating, shared), " or "))

    def is_shared(self, groups: Groups) -> NDArray[np.bool_]:
        """Whether all persons of groups at hand share a value."""
        if not self.domain.shared:
            return np.zeros(groups.sizes.shape, bool)
        shared: NDArray[np.bool_] = groups.distinct(self.lacked.key) < len(self.domain.totals)
        return shared
