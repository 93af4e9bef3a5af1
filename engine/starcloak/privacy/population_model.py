"""Models for comparison of a class of a release with the same class of its population."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from starcloak.privacy.aggregates import PEOPLE, PeopleCount
from starcloak.privacy.model import Model, ReleasedClasses
from starcloak.statements.statement import Hole, Name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starcloak.privacy.groups import Groups, Integers


class PopulationModel(Model):
    """A model of the number of people of the population in a class, carried by frequency sets."""

    of_population: ClassVar[bool] = True

    @property
    def least_rows(self) -> int:
        return 1

    @property
    def carried(self) -> tuple[PeopleCount, ...]:
        return (PEOPLE,)

    def people(self, groups: Groups) -> Integers:
        """Number of the population's people in each in-memory group."""
        return groups.rows_with(PEOPLE.attribute, 0)

    def count(self, name: Name) -> Hole | None:
        raise NotImplementedError("a script has no population: it is refused before")

    def violation(self, name: Name, release: ReleasedClasses) -> Hole:
        raise NotImplementedError("a script has no population: it is refused before")

    def dbt_test(self, attributes: Sequence[str]) -> dict[str, Any]:
        raise NotImplementedError("a dbt model has no population: it is refused before")
