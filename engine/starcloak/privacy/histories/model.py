"""k-anonymity of histories: the multiset of a person's tuples is the quasi-identifier."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar

from pydantic import Field, StrictInt

from starcloak.base.settings import Column
from starcloak.privacy.model import Model
from starcloak.privacy.persons.model import HISTORIES
from starcloak.statements.statement import Statement

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from starcloak.privacy.groups import Groups

#: Maximum number of rows of one person.
MOST_ROWS = 100


class Histories(Model):
    """At least ``k`` persons, identified by the columns ``person``, have the same multiset of tuples.

    The multiset of a person's tuples is the person's *history*. A job requires the model by
    ``person: {column: …, as: set}``, in addition to k and persons. Only searches over whole histories support it. A
    single group of rows never violates it.
    """

    key: ClassVar[str] = HISTORIES
    source: ClassVar[str] = "k-anonymity of persons, each with the multiset of all of their tuples"
    monotone: ClassVar[bool] = True
    superset_closed: ClassVar[bool] = True

    person: tuple[Column, ...]
    k: Annotated[StrictInt, Field(ge=1)]

    @property
    def reads(self) -> tuple[str, ...]:
        return self.person

    @property
    def least_rows(self) -> int:
        return self.k

    @property
    def violating(self) -> Statement:
        return Statement("privacy/histories/groups#nothing")

    def violates(self, groups: Groups) -> NDArray[np.bool_]:
        violating: NDArray[np.bool_] = groups.sizes < 0
        return violating

    @property
    def described(self) -> str:
        return f"rows of which {self.k} persons have all alike"

    def reached(self, achieved: float) -> bool:
        return achieved >= self.k
