"""Models of the values of one sensitive attribute, and their treatment of the missing value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from starcloak.base.settings import Column
from starcloak.privacy.aggregates import Domain, Lacked
from starcloak.privacy.capabilities import SensitiveValues
from starcloak.privacy.model import Model
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
        """A dbt test with the arguments common to these models, and more; ``missing`` only if not the default."""
        missing = {"missing": self.missing} if self.missing != type(self).model_fields["missing"].default else {}
        named = {"quasi_identifiers": list(attributes), "sensitive": self.attribute, **missing, **arguments}
        return {f"starcloak.{name}": {"arguments": named}}

    def over(self, domain: Domain) -> Self:
        return super().over(domain.without_missing() if self.of_present else domain)


class Diverse(OfAttribute):
    """A model of the number of values in a class, and of their distribution.

    If persons are declared, a value shared by every person of a class is disclosed for each of them, so the class
    counts as having one value. Searches count the values of a person in the whole table; then every part of a group
    with a shared value has a shared value, too. The verifier counts the values of a person within the class.
    """

    shared_is_only_value: ClassVar[bool] = True

    @property
    def lacked(self) -> Lacked:
        """The aggregate carried by frequency sets for shared values."""
        return Lacked(self.attribute, self.of_present)

    def or_shared(self, violating: Statement) -> Statement:
        """The condition for groups in violation of the model, or with a value shared by all of their persons."""
        if not self.domain.shared:
            return violating
        shared = Statement(
            "privacy/persons/lacking#shared", lacked=self.lacked.column, values=Number(len(self.domain.totals))
        )
        return Statement("privacy/violating", models=Joined((violating, shared), " or "))

    def is_shared(self, groups: Groups) -> NDArray[np.bool_]:
        """Mask of in-memory groups with a value shared by all of their persons."""
        if not self.domain.shared:
            return np.zeros(groups.sizes.shape, bool)
        shared: NDArray[np.bool_] = groups.distinct(self.lacked.key) < len(self.domain.totals)
        return shared
