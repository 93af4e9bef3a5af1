"""What is claimed of a staged release, by those who found and made it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starcloak.privacy.requirement import Requirement
from starcloak.source.source import Source
from starcloak.star import Dimension
from starcloak.statement import Statement

if TYPE_CHECKING:
    from starcloak.earlier.hold import Departures
    from starcloak.verify.reading import Reading


@dataclass(frozen=True)
class Claim:
    """What the verifier holds a staged release to.

    It is of the ``source``, of whose ``rows`` no more than ``allowed`` and exactly ``suppressed`` are left out, and
    satisfies the ``requirement``. Cells of an attribute of the ``dimensions`` are at its ``levels``; at the positions
    ``ranged`` they may be ranges between cut points; with ``full_domain`` each attribute has one level.
    ``expected`` yields the generalized tuples with their frequencies and, with ``checksums``, what tells their kept
    cells from others. ``as_sent`` tells, of a release in another
    database, whether its cells there are those that were sent, once it is read back. Where several rows may be one
    person's, ``stage`` is the verified release with the columns that tell persons apart, of which this one is the rest.
    Where rows that went are held, ``departures`` tell what was shown before, and is now.
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
    stage: Reading | None = None
    departures: Departures | None = None
