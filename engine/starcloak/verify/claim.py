"""Claims on a staged release, made by its search and recoding, to be checked by the verifier."""

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
    """One condition on a release, checked by the verifier before publication.

    ``problems`` yields the reasons why a :class:`~starcloak.verify.recount.Reading` fails it, the most important first.
    """

    name: str
    problems: Callable[[Any], Iterator[str]]


class Verified(Protocol):
    """A verified release that still has the columns identifying persons.

    It is the interface used to verify the published release, that is, the same rows without these columns.
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

    The release is made from the ``source`` with ``rows`` rows: exactly ``suppressed`` rows are suppressed, and at most
    ``allowed`` may be. The release satisfies the ``requirement``. Each attribute (quasi-identifier) in ``dimensions``
    has cells at the hierarchy levels given by ``levels``, one level with ``full_domain``. Attributes at the positions
    ``ranged`` may also have ranges between cut points. No level is above the attribute's ``highest`` level, if the job
    sets one.

    ``expected`` yields the generalized tuples with their frequencies and, with ``checksums``, the checksums of their
    kept cells. ``as_sent`` returns true if the cells read back from another database are the cells sent there. If
    several rows may belong to one person, ``stage`` is the verified release with the columns that identify persons,
    and this release has the same rows without these columns. ``clauses`` are further conditions to check. The kept
    columns ``looked_at`` are not checked: their numbers of values per class are counted for remarks.
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
