"""Optional capabilities of privacy models, as abstract base classes of a model in addition to ``Model``.

They are no protocols: the registration refuses a model without a method of its capability, for example if the method's
name is misspelt. A caller tests ``isinstance(model, ScriptRecount)``, or ``issubclass`` for a class of models.

Capabilities by their use:

- requirements in a job: :class:`ShortForm`, :class:`NamedValues`;
- the reading of a sensitive attribute: :class:`SensitiveValues`, :class:`PersonShares`, :class:`ValueHierarchies`;
- a comparison with more than the class: :class:`TableComparison`, :class:`PopulationComparison`;
- exports: :class:`ScriptRecount`, :class:`DbtTest`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Self

from starcloak.privacy.aggregates import PEOPLE, Domain, PeopleCount
from starcloak.statements.statement import Hole, Joined, Name, Statement

if TYPE_CHECKING:
    from starcloak.hierarchy.builder import Builder
    from starcloak.privacy.groups import Groups, Integers


class ShortForm(ABC):
    """A job's key with a short value, such as ``k_map: 5``, in place of a list of settings."""

    @classmethod
    @abstractmethod
    def items(cls, value: Any) -> Any:
        """The list of settings for ``value``, the value of the model's key in a job. A list is returned unchanged."""

    @classmethod
    @abstractmethod
    def short_schema(cls, settings: Mapping[str, Any]) -> dict[str, Any]:
        """The JSON Schema of the short value, from the schema of the settings."""


class NamedValues(ABC):
    """A condition on named values of the attribute alone. A run warns of named values without a row."""

    @property
    @abstractmethod
    def named_values(self) -> tuple[str, ...]:
        """The named values, as texts; empty if the condition covers all values."""


class SensitiveValues(ABC):
    """A condition on the values of one sensitive attribute in a class."""

    #: True if a value shared by all persons of a class counts as their only value, since the class discloses it.
    shared_is_only_value: ClassVar[bool] = False

    @property
    @abstractmethod
    def of_present(self) -> bool:
        """True if the model considers only rows with a value of the sensitive attribute.

        A class without such rows violates the model. If true, the verifier's recount receives only these rows;
        otherwise it receives all rows, and counts the missing value as a value.
        """


class PersonShares(ABC):
    """A bound on the share of a value in a class: of its rows or, if the job declares persons, of its persons."""

    @abstractmethod
    def by_persons(self) -> Self:
        """A copy of the model for the recount of persons; the recounted relation has their number as ``everybody``."""


class ValueHierarchies(ABC):
    """A condition on the values of a sensitive attribute and on their ancestors in hierarchies."""

    @property
    @abstractmethod
    def hierarchies(self) -> Mapping[str, Builder]:
        """Hierarchies of the sensitive attribute, by name. ``Domain.trees`` has them under the same names."""


class TableComparison(ABC):
    """A comparison of a class with the whole table: the release or, by ``reference: source``, the source."""

    @property
    @abstractmethod
    def of_source(self) -> bool:
        """True if the model compares classes with the source. The verdict on a class then depends on no other class."""

    @abstractmethod
    def beside_source(self) -> Self:
        """A copy of the model that compares classes with the source, not with the release."""


def compares_with_source(model: object) -> bool:
    """True if a model compares classes with the source."""
    return isinstance(model, TableComparison) and model.of_source


class PopulationComparison(ABC):
    """A condition on the number of people in the same class of the requirement's population."""

    @property
    @abstractmethod
    def least_share(self) -> Fraction | None:
        """The smallest share (0 … 1) of a class's people with a row in the release, also for a class without rows.

        None for a model that ignores classes of the population without rows.
        """

    @property
    def least_rows(self) -> int:
        return 1

    @property
    def carried(self) -> tuple[PeopleCount, ...]:
        return (PEOPLE,)

    def people(self, groups: Groups) -> Integers:
        """Number of the population's people in each in-memory group."""
        return groups.rows_with(PEOPLE.attribute, 0)


class ScriptRecount(ABC):
    """A recount of the release's classes in a compiled SQL script. The compiler refuses a model without it."""

    def count(self, name: Name) -> Hole | None:
        """SQL aggregate per class, as the column ``name`` of the script's recount; None if ``size`` is enough."""
        return None

    @abstractmethod
    def violation(self, name: Name, release: ReleasedClasses) -> Hole:
        """SQL condition for a script to refuse its release: at least one class violates the model.

        The condition may aggregate over all classes the columns ``size``, the number of rows of a class, and ``name``
        from :meth:`count`. It may also read the relation and the columns of ``release``.
        """


class DbtTest(ABC):
    """A data test of a dbt model. Starcloak writes no dbt model for a privacy model without this capability."""

    @abstractmethod
    def dbt_test(self, attributes: Sequence[str]) -> dict[str, Any]:
        """The data test, as in a dbt schema file; it recounts the classes over the columns ``attributes``."""


@dataclass(frozen=True)
class ReleasedClasses:
    """Classes of a script's release: a relation, the generalized columns, and expressions of sensitive columns.

    ``sensitive`` has the expression to group each sensitive column by. ``domains`` has the domains of the searched
    table. ``rows`` is an upper bound on the number of released rows. The database rounds products of whole numbers
    above ``largest_product``, if it is not None. ``persons`` has the columns of a person, if the relation has each
    person once per value of a class.
    """

    relation: Hole
    quasi_identifiers: Joined
    sensitive: Mapping[str, Hole]
    domains: Mapping[str, Domain]
    rows: int
    largest_product: int | None = None
    persons: Joined | None = None

    def exact_bound(self, bound: Fraction, parts: int, *, times: int) -> Fraction:
        """The fraction equivalent to ``bound`` for shares of up to ``parts`` rows.

        The database can multiply the fraction's denominator by numbers up to ``times`` without rounding. If its numbers
        are too small for this, the result is a fraction slightly below the bound; the script then refuses a release
        with a share between the two.
        """
        from starcloak.privacy.bounds import told_from

        if self.largest_product is not None:
            parts = max(1, min(parts, self.largest_product // times))
        return told_from(bound, parts)

    def holes(self, attribute: str) -> dict[str, Hole]:
        """Placeholder values of a statement on a sensitive attribute: ``values``, ``sensitive`` and ``release``."""
        return {"values": self.quasi_identifiers, "sensitive": self.sensitive[attribute], "release": self.relation}

    def value_counts(self, attribute: str) -> Statement:
        """SQL relation with the number of rows per class and value of a sensitive attribute."""
        return Statement("privacy/released", **self.holes(attribute))
