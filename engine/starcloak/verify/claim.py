"""Claims on a staged release, by the search and the recoding that made it."""

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
    """One condition on a release.

    ``problems`` yields the reasons why a :class:`~starcloak.verify.recount.Reading` fails it, the most important first.
    """

    name: str
    problems: Callable[[Any], Iterator[str]]


class Verified(Protocol):
    """A verified release with the columns that identify persons: the part of its interface used for the published
    rest.
    """

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
    """Claim on a staged release, for the verifier to check.

    The release is of the ``source``. Of its ``rows`` exactly ``suppressed`` are suppressed, and no more than
    ``allowed``. It satisfies the ``requirement``. Cells of an attribute of the ``dimensions`` are at its ``levels``; at
    the positions ``ranged`` they may be ranges between cut points; with ``full_domain`` each attribute has one level.
    No level is above the attribute's ``highest`` level, if the job sets one.

    ``expected`` yields the generalized tuples with their frequencies and, with ``checksums``, the checksums of their
    kept cells. ``as_sent`` is called after a release in another database is read back, and returns whether the cells
    there are the sent ones. If several rows may belong to one person, ``stage`` is the verified release with the
    columns that identify persons, and this release is the rest of it. ``clauses`` are conditions beside the verifier's
    own. Nothing is claimed of the kept columns ``looked_at``: the one reading of the release counts, for each class,
    one or several values of them.
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
