"""Models of the values of one sensitive attribute, and their treatment of the missing value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from starcloak.base.settings import Column
from starcloak.privacy.aggregates import Domain, Lacked
from starcloak.privacy.model import Model, SensitiveValues
from starcloak.statements.statement import Joined, Number, Statement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from starcloak.privacy.groups import Groups


class OfAttribute(SensitiveValues, Model):
    """A model of a sensitive ``attribute``.

    ``missing`` sets the treatment of the missing value: with ``none``, the model considers only rows with a value; with
    ``value``, the missing value is a value like the others of the attribute.
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
        """The dbt test ``starcloak.<name>`` over the quasi-identifiers ``attributes``, with further ``arguments``.

        The test has the argument ``missing`` only if it differs from the model's default.
        """
        missing = {"missing": self.missing} if self.missing != type(self).model_fields["missing"].default else {}
        named = {"quasi_identifiers": list(attributes), "sensitive": self.attribute, **missing, **arguments}
        return {f"starcloak.{name}": {"arguments": named}}

    def over(self, domain: Domain) -> Self:
        return super().over(domain.without_missing() if self.of_present else domain)


class Diverse(OfAttribute):
    """A model of the number or the distribution of sensitive values in a class.

    If the job declares persons, a person may have several rows. A value *shared* by all persons of a class, each of
    them with a row of this value, is disclosed for every person; the class then counts as having one value. Searches
    attribute to a person the values of all their rows in the table; every subset of a group with a shared value then
    has a shared value, too. The verifier attributes to a person only the values of their rows in the class.
    """

    shared_is_only_value: ClassVar[bool] = True

    @property
    def lacked(self) -> Lacked:
        """The aggregate of frequency sets to find a value shared by all persons of a group."""
        return Lacked(self.attribute, self.of_present)

    def or_shared(self, violating: Statement) -> Statement:
        """SQL condition for groups with ``violating``, or with a value shared by all persons of the group."""
        if not self.domain.shared:
            return violating
        shared = Statement(
            "privacy/persons/lacking#shared", lacked=self.lacked.column, values=Number(len(self.domain.totals))
        )
        return Statement("privacy/violating", models=Joined((violating, shared), " or "))

    def is_shared(self, groups: Groups) -> NDArray[np.bool_]:
        """Mask of in-memory groups with a value shared by all persons of the group."""
        if not self.domain.shared:
            return np.zeros(groups.sizes.shape, bool)
        shared: NDArray[np.bool_] = groups.distinct(self.lacked.key) < len(self.domain.totals)
        return shared
