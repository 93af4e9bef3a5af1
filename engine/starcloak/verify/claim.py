"""What is claimed of a staged release, by those who found and made it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from starcloak.privacy.requirement import Requirement
from starcloak.star.star import Dimension
from starcloak.statements.statement import Statement
from starcloak.store.source import Source

if TYPE_CHECKING:
    from starcloak.base.column import Column
    from starcloak.privacy.model import Model
    from starcloak.privacy.requirement import Demand
    from starcloak.privacy.verdict import Judged
    from starcloak.verify.classes import PersonCounts


@dataclass(frozen=True)
class Clause:
    """One thing that must hold of a release.

    ``problems`` yields why it does not hold of a :class:`~starcloak.verify.recount.Reading`, the most important first.
    """

    name: str
    problems: Callable[[Any], Iterator[str]]


class Verified(Protocol):
    """A verified release with the columns that tell persons apart: what is asked of it for the rest of its columns."""

    @property
    def release(self) -> Statement: ...
    @property
    def described(self) -> Mapping[str, Column]: ...
    @property
    def judged(self) -> tuple[tuple[Demand, Model, Judged], ...]: ...
    @property
    def persons(self) -> PersonCounts | None: ...
    @property
    def valued_columns(self) -> list[str]: ...


@dataclass(frozen=True)
class Claim:
    """What the verifier holds a staged release to.

    It is of the ``source``, of whose ``rows`` no more than ``allowed`` and exactly ``suppressed`` are left out, and
    satisfies the ``requirement``. Cells of an attribute of the ``dimensions`` are at its ``levels``; at the positions
    ``ranged`` they may be ranges between cut points; with ``full_domain`` each attribute has one level. None is above
    the ``highest`` level that the job allows of some.
    ``expected`` yields the generalized tuples with their frequencies and, with ``checksums``, what tells their kept
    cells from others. ``as_sent`` tells, of a release in another
    database, whether its cells there are those that were sent, once it is read back. Where several rows may be one
    person's, ``stage`` is the verified release with the columns that tell persons apart, of which this one is the rest.
    ``clauses`` are those that must hold beside the verifier's own. Nothing is claimed of the kept columns
    ``looked_at``: the one reading of the release tells of each class whether it has one value of them.
    """

    source: Source
    dimensions: tuple[Dimension, ...]
    levels: Mapping[str, tuple[int, ...]]
    expected: Statement
    checksums: bool
    requirement: Requirement
    rows: int
    suppressed: int
    allowed: int
    ranged: tuple[int, ...]
    as_sent: Callable[[], bool]
    full_domain: bool
    highest: Mapping[str, int] = field(default_factory=dict)
    stage: Verified | None = None
    clauses: tuple[Clause, ...] = ()
    looked_at: tuple[str, ...] = ()
