"""Recount of a refresh with the releases before it, for the verifier.

It imports no search: the proposal of a refresh is counted again from the relations alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from starcloak.statements.statement import As, Hole, Joined, Name, Statement, columns, conditions
from starcloak.store.session import Session
from starcloak.verify.claim import Clause
from starcloak.verify.recount import Reading

_CHANGED = "if it changed, run again; if it yields other rows each time, make a table of it"


@dataclass(frozen=True)
class Departures:
    """Rows of the last release (``before``) and rows of the new one (``now``).

    Both relations have value_1 …, cell_1 …, row and turn. Of each class of ``before``, no row is gone or at least ``k``
    are, and no row stays or at least ``k`` do. ``there`` has the rows of the source by their kept cells: row and rows.
    """

    before: Name
    now: Name
    there: Statement
    attributes: int
    k: int

    @property
    def clause(self) -> Clause:
        """The verifier's clause for departures."""
        return Clause("departures", self._problems)

    def _problems(self, reading: Reading) -> Iterator[str]:
        """Problems: fewer than k rows of a shown class are gone or stay, or a row is recognized by its kept cells."""
        if self.departed(reading.session):
            yield f"fewer than k = {self.k} rows of a class that was shown before are gone, or stay"
        if self.known_again(reading.session):
            yield f"a row that went, or is held, is shown otherwise, and fewer than k = {self.k} share its kept cells"

    def _names(self, kind: str) -> list[Name]:
        return [Name(f"{kind}_{number}") for number in range(1, self.attributes + 1)]

    def departed(self, session: Session) -> int:
        """Number of classes of ``before`` with fewer than k rows gone, or fewer than k rows staying."""
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
        """Number of rows recognized by all of their kept cells, though they are shown differently."""
        holes: dict[str, Hole] = {
            "before": self.before,
            "now": self.now,
            "class": columns([Name("turn"), *self._names("cell")]),
            "there": self.there,
        }
        (rows,) = session.row(Statement("companions/refresh/departures#known", **holes), {"k": self.k})
        return int(rows)


class NightCounts(NamedTuple):
    """Histories over all releases: ``fewest`` persons with one, number of ``histories``, number below k.

    ``rows`` of all releases, of them ``gone`` (shown no more) and ``new`` (shown for the first time).
    """

    fewest: int | None
    histories: int
    violating: int
    rows: int
    gone: int
    new: int


@dataclass
class Nights:
    """Rows of persons in earlier releases (``before``), and in all releases with the new one (``story``).

    The relations have value_1 …, cell_1 …, whose, row, turn, until and rows. ``whose`` and ``hash`` are expressions
    over a row of the release: for its person and for its kept cells. At least ``k`` persons have the same history.
    ``counted`` is the verifier's count of persons by history, once it has run.
    """

    before: Name
    story: Name
    whose: Hole
    hash: Hole
    k: int
    counted: NightCounts | None = field(default=None, init=False)

    @property
    def clause(self) -> Clause:
        """The verifier's clause for histories."""
        return Clause("nights", self._problems)

    def _problems(self, reading: Reading) -> Iterator[str]:
        """Problems: the story differs from earlier releases or from the staged one, or fewer than k persons share a
        history.
        """
        if reading.claim.stage is not None:  # counted on the stage, which has the persons
            return
        cells = [Name(f"cell_{number}") for number in range(1, len(reading.claim.dimensions) + 1)]
        if self._rewritten(reading, cells):
            yield "what the releases before have shown of persons is told otherwise"
        if self._differing(reading, cells):
            yield f"what is told of persons for later releases is not what it shows of them: {_CHANGED}"
        counted = self.count(reading, cells)
        if counted.violating:
            yield f"over all releases, fewer than k = {self.k} persons have the same history"

    def count(self, reading: Reading, cells: list[Name]) -> NightCounts:
        """Count the persons of each history, and keep the counts."""
        classes = Joined((*cells, Name("turn"), Name("until")), ", ")
        story = Statement("companions/refresh/histories", before=self.before, story=self.story, **{"class": classes})
        self.counted = NightCounts(*reading.session.row(story, {"k": self.k}))
        return self.counted

    def _rewritten(self, reading: Reading, cells: list[Name]) -> int:
        """Number of rows of earlier releases that differ in the story."""
        return _difference(
            reading,
            Statement("companions/refresh/histories#told", before=self.before, story=self.story, cells=columns(cells)),
            Statement("companions/refresh/histories#known", before=self.before, cells=columns(cells)),
        )

    def _differing(self, reading: Reading, cells: list[Name]) -> int:
        """Number of a person's rows in the release but not in the story, or the other way round."""
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
    """Number of rows in only one of two relations."""
    (rows,) = reading.session.row(Statement("companions/refresh/histories#differing", one=first, other=second))
    return int(rows)
