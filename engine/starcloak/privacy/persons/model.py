"""k-anonymity of persons: a class with ten visits of one patient has ten rows and hides nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar

from pydantic import Field, StrictInt

from starcloak.base.settings import Column
from starcloak.privacy.aggregates import PersonSet as Carried
from starcloak.privacy.model import Model, ReleasedClasses, ScriptRecount
from starcloak.statements.statement import As, Hole, Joined, Name, Number, Statement

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from starcloak.privacy.groups import Groups, Integers

#: Key of the model :class:`~starcloak.privacy.histories.model.Histories`, in whose module few jobs need more.
HISTORIES = "histories"


class DistinctPersons(ScriptRecount, Model):
    """Every class has rows of at least ``k`` persons, identified by the columns ``person``.

    A job requires the model by its own key ``person``, beside ``requirement``. Searches count the persons of a group up
    to ``most`` only, at least k: every generalization of a group with k persons has k persons or more.
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
        """True if each person of the bound table has one row, so that k-anonymity is equivalent to this model."""
        return self._domain is not None and self._domain.persons == "single"

    @property
    def least_rows(self) -> int:
        return self.k

    @property
    def carried(self) -> tuple[Carried, ...]:
        return (Carried(self.person, self.most),)

    @property
    def counts_all(self) -> bool:
        """True if numbers of persons can be added over groups, since each person has rows of one tuple only."""
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
        """Number of persons in each in-memory group, counted up to ``most`` unless :attr:`counts_all` is true."""
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
