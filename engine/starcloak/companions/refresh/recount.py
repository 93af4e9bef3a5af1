"""The verifier's recount of a refresh together with the earlier releases.

This module imports no search code: it counts from the stored relations alone, so that an error of the search shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from starcloak.statements.statement import As, Hole, Joined, Name, Statement, columns, conditions
from starcloak.store.session import Session
from starcloak.verify.claim import Clause
from starcloak.verify.recount import Reading

_CHANGED = (
    "if the source changed, run again; if it is a query with different rows each time, store them in a table first"
)


@dataclass(frozen=True)
class Departures:
    """Check of a refresh in which k counts rows: small changes of a class would reveal the changed rows.

    From each class of the last release, either no row or at least ``k`` rows leave, and either no row or at least ``k``
    rows stay. ``before`` and ``now`` are the relations of rows in the last and in the new release, with columns
    value_1 …, cell_1 …, row (hash of the kept cells) and turn (number of the refresh that released the row first).
    ``there`` selects the number of source rows (column rows) per hash of kept cells (column row).
    """

    before: Name
    now: Name
    there: Statement
    attributes: int
    k: int

    @property
    def clause(self) -> Clause:
        """The clause, a condition checked by the verifier, for rows that leave the release."""
        return Clause("departures", self._problems)

    def _problems(self, reading: Reading) -> Iterator[str]:
        """Problems as sentences: fewer than k rows of a class leave or stay, or a changed row can be recognized."""
        if self.departed(reading.session):
            yield f"of an earlier class, fewer than k = {self.k} rows have left or fewer than k stay"
        if self.known_again(reading.session):
            yield (
                f"a row that left or is held has other cells than before, and fewer than k = {self.k} rows share its "
                "kept cells"
            )

    def _names(self, kind: str) -> list[Name]:
        return [Name(f"{kind}_{number}") for number in range(1, self.attributes + 1)]

    def departed(self, session: Session) -> int:
        """Number of classes in the last release with 1 to k - 1 rows leaving, or 1 to k - 1 rows staying."""
        keys = [Name("turn"), *self._names("cell")]
        names = [*keys, Name("row"), *self._names("value")]
        holes: dict[str, Hole] = {
            "before": self.before,
            "now": self.now,
            "class": Joined(tuple(Name("before", *name.parts) for name in keys), ", "),
            "rows": columns(names),
            "match": conditions(
                Statement("store/same", one=Name("before", *name.parts), other=Name("now", *name.parts))
                for name in names
            ),
        }
        (classes,) = session.row(Statement("companions/refresh/departures", **holes), {"k": self.k})
        return int(classes)

    def known_again(self, session: Session) -> int:
        """Number of combinations of kept cells, shared by fewer than k rows, by which a moved row is recognizable."""
        holes: dict[str, Hole] = {
            "before": self.before,
            "now": self.now,
            "class": columns([Name("turn"), *self._names("cell")]),
            "there": self.there,
        }
        (rows,) = session.row(Statement("companions/refresh/departures#known", **holes), {"k": self.k})
        return int(rows)


class NightCounts(NamedTuple):
    """Counts of histories: a history is the multiset of cells released about a person in each release.

    ``fewest`` is the smallest number of persons with the same history (None without persons), ``histories`` the number
    of histories, and ``violating`` the number of histories with fewer than k persons. ``rows`` counts the rows in any
    release, ``gone`` those no longer released, and ``new`` those released for the first time.
    """

    fewest: int | None
    histories: int
    violating: int
    rows: int
    gone: int
    new: int


@dataclass
class Nights:
    """Check of a refresh in which k counts persons: at least ``k`` persons have the same history over all releases.

    ``before`` is the relation of persons' rows in the earlier releases; ``story`` includes the new release. Both have
    columns value_1 …, cell_1 …, whose (person), row (hash of the kept cells), turn and until (numbers of the refreshes
    that released the row first, and no longer), and rows. ``whose`` and ``hash`` are SQL expressions over a released
    row, for its person and for the hash of its kept cells. ``counted`` is None until the verifier has run.
    """

    before: Name
    story: Name
    whose: Hole
    hash: Hole
    k: int
    counted: NightCounts | None = field(default=None, init=False)

    @property
    def clause(self) -> Clause:
        """The clause, a condition checked by the verifier, for persons with the same history."""
        return Clause("nights", self._problems)

    def _problems(self, reading: Reading) -> Iterator[str]:
        """Problems as sentences.

        Either ``story`` differs from an earlier release or from the staged release, or fewer than k persons share a
        history.
        """
        if reading.claim.stage is not None:  # counted on the stage, which has the persons
            return
        cells = [Name(f"cell_{number}") for number in range(1, len(reading.claim.dimensions) + 1)]
        if self._rewritten(reading, cells):
            yield "the saved rows of persons in earlier releases have changed"
        if self._differing(reading, cells):
            yield f"the rows of persons saved for later releases differ from the released rows: {_CHANGED}"
        counted = self.count(reading, cells)
        if counted.violating:
            yield f"over all releases, fewer than k = {self.k} persons have the same history"

    def count(self, reading: Reading, cells: list[Name]) -> NightCounts:
        """Count the persons of each history. The counts are returned and stored as ``counted``."""
        classes = Joined((*cells, Name("turn"), Name("until")), ", ")
        story = Statement("companions/refresh/histories", before=self.before, story=self.story, **{"class": classes})
        self.counted = NightCounts(*reading.session.row(story, {"k": self.k}))
        return self.counted

    def _rewritten(self, reading: Reading, cells: list[Name]) -> int:
        """Number of rows in which ``story`` disagrees with ``before`` about the earlier releases. 0 is correct."""
        return _difference(
            reading,
            Statement("companions/refresh/histories#told", before=self.before, story=self.story, cells=columns(cells)),
            Statement("companions/refresh/histories#known", before=self.before, cells=columns(cells)),
        )

    def _differing(self, reading: Reading, cells: list[Name]) -> int:
        """Number of rows in the staged release but not in ``story``, or in ``story`` but not in the release.

        0 is correct.
        """
        named = zip(reading.claim.source.quasi_identifiers, cells, strict=True)
        texts = (As(Statement("store/text", column=Name("released", column.name)), cell) for column, cell in named)
        return _difference(
            reading,
            Statement("companions/refresh/histories#shown", story=self.story, cells=columns(cells)),
            Statement(
                "companions/refresh/histories#released",
                whose=self.whose,
                hash=self.hash,
                cells=columns(texts),
                release=reading.release,
            ),
        )


def _difference(reading: Reading, first: Statement, second: Statement) -> int:
    """Number of rows returned by only one of two statements."""
    (rows,) = reading.session.row(Statement("companions/refresh/histories#differing", one=first, other=second))
    return int(rows)
