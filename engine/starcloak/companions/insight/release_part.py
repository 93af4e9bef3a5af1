"""Part of a release in the working store, with hashes in place of cells: the basis of findings on kept columns.

A small release is one part. For a large release, the part is a sample with all or none of several equal rows; counts
multiplied by the number of parts estimate the counts over the whole release.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from starcloak.base.column import Column
from starcloak.sources import determined_columns
from starcloak.statements.statement import As, Hole, Joined, Name, Number, Statement, columns
from starcloak.store.session import Session
from starcloak.store.source import Source
from starcloak.verify.classes import value

RELATION = Name("release_part")
MOST_CELLS = 1_000_000  # of a release that is looked at as a whole
CELLS = 250_000  # of a part of a larger one
_COLUMNS = 4  # that decide to which part a row belongs
# Two rows drawn at random are in such a group with a chance of so much at most: parts are of about the same size then.
_MOST_ALIKE = 1e-4
_UNEVEN = 0.25  # share by which a part may be larger or smaller than the others, or all columns decide


@dataclass(frozen=True)
class ReleasePart:
    """One part of a ``release`` divided into ``parts`` parts (1 or more), as the relation ``RELATION``.

    The relation has the hashes of the ``columns`` as value_1, value_2, …, and a number of ``rows``. Grouped by these
    columns, the rows form a number of ``classes``, and ``alone`` rows are unique. ``estimates`` are the estimated
    numbers of distinct values of each column.
    """

    session: Session
    release: Statement
    columns: tuple[Column, ...]
    parts: int
    rows: int
    alone: int
    classes: int
    estimates: tuple[int, ...]

    @property
    def is_whole(self) -> bool:
        return self.parts == 1

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    def estimate(self, column: Column) -> int:
        return self.estimates[self.names.index(column.name)]

    def value(self, column: Column) -> Name:
        """The name of the column in ``RELATION`` with the hashes of a released column."""
        return value(self.names.index(column.name))


def part_of(
    session: Session, source: Source, release: Statement, described: Sequence[Column], rows: int
) -> ReleasePart:
    """Load a part of a release with ``rows`` rows, and the columns ``described``. A small release is loaded whole."""
    cells = rows * len(described)
    parts = 1 if cells <= MOST_CELLS else ceil(cells / CELLS)
    first = described[:1]
    if parts > 1:  # of the columns described alone, or rows that are alike in these would be in several parts
        telling = determined_columns.telling_apart(session, source, _COLUMNS, _MOST_ALIKE)
        first = [column for column in described if column.name in {telling_column.name for telling_column in telling}]
    part = _gathered(session, release, described, first or described, parts)
    if first and abs(part.rows * parts - rows) > _UNEVEN * rows:
        part = _gathered(session, release, described, described, parts)
    return part


def _gathered(
    session: Session, release: Statement, described: Sequence[Column], first: Sequence[Column], parts: int
) -> ReleasePart:
    hashes = columns(
        As(Statement("companions/insight/part#hash", column=Name("relation", column.name)), value(place))
        for place, column in enumerate(described)
    )
    deciding = Joined(tuple(Name("relation", column.name) for column in first), ", ")
    holes: dict[str, Hole] = {"values": hashes, "release": release, "first": deciding, "parts": Number(parts)}
    session.create(RELATION, Statement("companions/insight/part", **holes))
    names = Joined(tuple(map(value, range(len(described)))), ", ")
    alone, classes, there = session.row(Statement("companions/insight/alone", release=RELATION, names=names))
    estimated = columns(
        As(Statement("companions/insight/kept#estimate", column=value(place)), Name(f"found_{place}"))
        for place in range(len(described))
    )
    estimates = session.row(Statement("companions/insight/kept", distinct=estimated, release=RELATION))
    return ReleasePart(session, release, tuple(described), parts, int(there), alone, classes, estimates)
