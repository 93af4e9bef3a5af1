"""What is claimed of a staged release, by those who found and made it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

from starcloak.privacy.requirement import Requirement
from starcloak.star.star import Dimension
from starcloak.statements.statement import Hole, Name, Statement
from starcloak.store.source import Source

if TYPE_CHECKING:
    from starcloak.base.column import Column
    from starcloak.privacy.model import Model
    from starcloak.privacy.requirement import Demand
    from starcloak.privacy.verdict import Judged
    from starcloak.verify.classes import PersonCounts


@dataclass(frozen=True)
class Departures:
    """What a release has shown (``before``), and what is shown now: relations with value_1 …, cell_1 …, row and turn.

    Of each class of ``before``, ``k`` rows or more are gone, or none, and as many stay, or none. ``there`` has the
    rows of the source by their kept cells: row and rows.
    """

    before: Name
    now: Name
    there: Statement
    attributes: int
    k: int


@dataclass(frozen=True)
class Nights:
    """What releases of persons have shown (``before``), and all of them with this one (``story``).

    The relations have value_1 …, cell_1 …, whose, row, turn, until and rows. By ``whose`` and ``hash`` a row of the
    release tells them its person and its kept cells. At least ``k`` persons have the same history.
    """

    before: Name
    story: Name
    whose: Hole
    hash: Hole
    k: int


class NightCounts(NamedTuple):
    """The fewest persons with one history over all releases, how many histories there are, and how many too few have.

    Also the rows of all, those that are shown no more, and those that are shown for the first time.
    """

    fewest: int | None
    histories: int
    violating: int
    rows: int
    gone: int
    new: int


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
    @property
    def histories(self) -> NightCounts | None: ...


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
    Where rows that went are held, ``departures`` tell what was shown before, and is now; where persons are shown again,
    ``nights`` tell what all releases have shown of them. Kept columns ``looked_at``
    are claimed nothing of: the one reading of the release tells of each class whether it has one value of them.
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
    departures: Departures | None = None
    nights: Nights | None = None
    looked_at: tuple[str, ...] = ()
