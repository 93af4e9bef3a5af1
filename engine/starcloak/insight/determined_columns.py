"""Columns that a quasi-identifier tells: released as they are, they are that quasi-identifier again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, product

from starcloak.base.column import Column
from starcloak.statements.statement import Hole, Joined, Name, Number, Statement, columns, union_all
from starcloak.store.session import Session
from starcloak.store.source import Source

_SAMPLE = Name("rows_sampled")
_ROWS = 5_000  # that are looked at
_MOST = 60  # pairs of columns that are looked at
_LEAST_PAIRS = 40  # of rows that share a value: of fewer nothing is said
_TOLD, _ANYWAY = Fraction(9, 10), Fraction(7, 10)


@dataclass(frozen=True)
class Determined:
    """A column whose value goes with that of a quasi-identifier: ``share`` (0 … 1) of the pairs of rows that share the
    one share the other, too.
    """

    column: str
    by: str
    share: float

    @property
    def sentence(self) -> str:
        return (
            f"column {self.column!r} is released as it is, and quasi-identifier {self.by!r} tells it: of rows that "
            f"share that, {int(100 * self.share)} % share this, so it shows again what generalizing {self.by!r} hides; "
            "make it a level of that hierarchy, or put it under quasi_identifiers or identifiers"
        )


def determined(session: Session, rows: Name, by: Sequence[Column], asked: Sequence[Column]) -> list[Determined]:
    """Of each column ``asked`` the quasi-identifier that tells it best, if one does."""
    both = list(product(asked, by))[:_MOST]
    if not both:
        return []
    groups: list[tuple[Column, ...]] = [*((column,) for column in dict.fromkeys(chain(*both))), *both]
    statements = [_pairs(place, rows, some) for place, some in enumerate(groups)]
    pairs = {groups[place]: count for place, count in session.run(union_all(statements))}
    (count,) = session.row(Statement("commands/profile/values#count", {"rows": rows}))
    closest: dict[str, Determined] = {}
    for other, one in both:
        sharing, together = pairs[(one,)], pairs[(other, one)]
        if sharing < _LEAST_PAIRS or together < _TOLD * sharing or pairs[(other,)] > _ANYWAY * count * (count - 1):
            continue
        pair = Determined(other.name, one.name, together / sharing)
        if other.name not in closest or closest[other.name].share < pair.share:
            closest[other.name] = pair
    return list(closest.values())


def of_source(session: Session, source: Source, by: Sequence[str]) -> list[Determined]:
    """What quasi-identifiers that are generalized tell of the kept columns, in some rows of a source."""
    asked = [column for column in source.kept if column.is_groupable and not column.is_float]
    telling = [column for column in source.quasi_identifiers if column.name in by]
    if not asked or not telling:
        return []
    asked = asked[: -(-_MOST // len(telling))]
    looked_at = [*telling, *asked]
    holes: dict[str, Hole] = {
        "columns": columns(Name(column.name) for column in looked_at),
        "most": Number(_ROWS),
        "rows": source.relation,
    }
    session.drop(_SAMPLE)
    source.host.gather(_SAMPLE, Statement("insight/determined#sample", holes), looked_at)
    return determined(session, _SAMPLE, telling, asked)


def _pairs(place: int, rows: Name, some: Sequence[Column]) -> Statement:
    names = Joined(tuple(Name(column.name) for column in some), ", ")
    return Statement("insight/determined", {"place": Number(place), "rows": rows, "columns": names})
