"""k-anonymity of persons: a class with ten visits of one patient has ten rows and hides nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar

from pydantic import Field, StrictInt

from starcloak.base.settings import Column
from starcloak.privacy.aggregates import PersonSet as Carried
from starcloak.privacy.capabilities import ReleasedClasses, ScriptRecount
from starcloak.privacy.model import Model
from starcloak.statements.statement import As, Hole, Joined, Name, Number, Statement

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from starcloak.privacy.groups import Groups, Integers

#: The key of the further model for persons as sets; few jobs need more of it.
HISTORIES = "histories"


class DistinctPersons(ScriptRecount, Model):
    """Every class has rows of at least ``k`` persons, identified by the columns ``person``.

    A job requires the model by its key ``person``, in addition to k and not as a model of its requirement. A group's
    persons are counted up to ``most`` only: a generalization of a group with k persons has at least k.
    """

    key: ClassVar[str] = "person"
    source: ClassVar[str] = "distinct persons in place of rows in k-anonymity"
    monotone: ClassVar[bool] = True
    superset_closed: ClassVar[bool] = True

    person: tuple[Column, ...]
    k: Annotated[StrictInt, Field(ge=1)]
    most: Annotated[StrictInt, Field(ge=1)]

    @property
    def reads(self) -> tuple[str, ...]:
        return self.person

    def implies(self, other_model: Model) -> bool:
        return (
            isinstance(other_model, DistinctPersons) and other_model.person == self.person and other_model.k <= self.k
        )

    @property
    def is_of_rows(self) -> bool:
        """True if k-anonymity, in the same requirement, is equivalent over the bound table: each person has one row."""
        return self._domain is not None and self._domain.persons == "single"

    @property
    def least_rows(self) -> int:
        return self.k

    @property
    def carried(self) -> tuple[Carried, ...]:
        return (Carried(self.person, self.most),)

    @property
    def counts_all(self) -> bool:
        """True if persons are additive numbers, since each person has one tuple."""
        return self.domain.persons == "apart"

    @property
    def violating(self) -> Statement:
        (column,) = (column.column for wanted in self.carried for column in wanted.columns(self.domain))
        path = "privacy/persons/violating#counted" if self.counts_all else "privacy/persons/violating"
        return Statement(path, persons=column, k=Number(self.k))

    def violates(self, groups: Groups) -> NDArray[np.bool_]:
        violating: NDArray[np.bool_] = self.persons_of(groups) < self.k
        return violating

    def persons_of(self, groups: Groups) -> Integers:
        """Number of persons in each group, counted up to ``most`` if the numbers are not additive."""
        first = self.person[0]
        return groups.rows_with(first, 0) if self.counts_all else groups.distinct(first)

    def count(self, name: Name) -> Hole:
        missing = (Statement("privacy/persons/codes#missing", person=Name(name)) for name in self.person)
        return As(Statement("privacy/persons/script#nobody", missing=Joined(tuple(missing), " or ")), name)

    def violation(self, name: Name, release: ReleasedClasses) -> Statement:
        return Statement("privacy/persons/script#violated", nobody=name, k=Number(self.k))

    @property
    def described(self) -> str:
        return f"the rows of {self.k} persons"

    def reached(self, achieved: float) -> bool:
        return achieved >= self.k
