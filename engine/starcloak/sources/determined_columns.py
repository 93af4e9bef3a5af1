"""Kept columns with values determined by a quasi-identifier. They narrow down the values hidden by its generalization.

Pairs of rows are compared or, if the source has persons, pairs of persons with one row each: the rows of one person are
alike anyway.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, product

from starcloak.base.column import Column
from starcloak.statements.statement import As, Hole, Joined, Name, Number, Statement, columns
from starcloak.store.session import Session
from starcloak.store.source import Source

_SAMPLE, _PERSONS = Name("rows_sampled"), Name("persons_sampled")
_ROWS = 2_000  # that are looked at
_ROWS_OF_PERSONS = 10_000  # in which the persons are that are looked at
_MOST = 40  # pairs of columns that are looked at
_LOOKED_AT = 20  # columns examined for distinguishing rows
_LEAST_PAIRS = 40  # of rows that share a value: of fewer nothing is said
_TOLD, _ANYWAY = Fraction(9, 10), Fraction(7, 10)


@dataclass(frozen=True)
class Determined:
    """A kept column with values determined by a quasi-identifier ``by``.

    ``share`` (0 … 1) is the share of pairs of rows, or of persons, with equal values of the column, among the pairs
    with equal values of the quasi-identifier.
    """

    column: str
    by: str
    share: float

    def sentence(self, source: Source) -> str:
        """Remark on the column of a release, with the remedy."""
        records = "persons" if source.persons else "rows"
        return (
            f"column {self.column!r} is released unchanged, and the generalized quasi-identifier {self.by!r} "
            f"determines it: of the pairs of {records} with the same {self.by!r}, {int(100 * self.share)} % have the "
            f"same {self.column!r}, so that {self.column!r} narrows down {self.by!r}; make {self.column!r} a level in "
            f"the hierarchy of {self.by!r}, or put it under quasi_identifiers or identifiers"
        )


def determined(session: Session, rows: Name, by: Sequence[Column], candidates: Sequence[Column]) -> list[Determined]:
    """For each column in ``candidates``, the quasi-identifier in ``by`` that determines it best.

    Columns not determined by any quasi-identifier are omitted.
    """
    both = list(product(candidates, by))[:_MOST]
    if not both:
        return []
    # Of no column it is all pairs.
    groups: list[tuple[Column, ...]] = [(), *((column,) for column in dict.fromkeys(chain(*both))), *both]
    pairs = dict(zip(groups, _alike(session, rows, groups), strict=True))
    closest: dict[str, Determined] = {}
    for second, first in both:
        sharing, together = pairs[(first,)], pairs[(second, first)]
        if sharing < _LEAST_PAIRS or together < _TOLD * sharing or pairs[(second,)] > _ANYWAY * pairs[()]:
            continue
        pair = Determined(second.name, first.name, together / sharing)
        if second.name not in closest or closest[second.name].share < pair.share:
            closest[second.name] = pair
    return list(closest.values())


def of_source(session: Session, source: Source, by: Sequence[str]) -> list[Determined]:
    """Kept columns determined by the quasi-identifiers ``by``, judged by a sample of the source's rows or persons."""
    telling = [column for column in source.quasi_identifiers if column.name in by]
    kept_columns = source.kept[: -(-_MOST // max(len(telling), 1))]
    if not kept_columns or not telling:
        return []
    if not source.persons:
        _sample(source, [*telling, *kept_columns])
        return determined(session, _SAMPLE, telling, kept_columns)
    _sample(source, [*telling, *kept_columns, *source.persons], rows=_ROWS_OF_PERSONS)
    person = Joined(tuple(Name(column.name) for column in source.persons), ", ")
    one_each = Statement("sources/determined_columns#persons", person=person, rows=_SAMPLE)
    session.create(_PERSONS, one_each)
    return determined(session, _PERSONS, telling, kept_columns)


def telling_apart(session: Session, source: Source, most: int, alike: float) -> list[Column]:
    """Kept columns, at most ``most``, that together distinguish the rows of a source.

    In a sample, at most the share ``alike`` (0 … 1) of the pairs of rows agrees in all of these columns. Empty if no
    such columns exist.
    """
    column_sets = _asked(source)[:_LOOKED_AT]
    if not column_sets:
        return []
    _sample(source, column_sets)
    singly = dict(zip(column_sets, _alike(session, _SAMPLE, [(column,) for column in column_sets]), strict=True))
    best = sorted(column_sets, key=lambda column: singly[column])[:most]
    sets = [tuple(best[:size]) for size in range(1, len(best) + 1)]
    for column_set, pairs in zip(sets, _alike(session, _SAMPLE, sets), strict=True):
        if pairs <= alike * _ROWS * (_ROWS - 1):
            return list(column_set)
    return []


def _asked(source: Source) -> list[Column]:
    return [column for column in source.kept if column.is_groupable and not column.is_float]


def _sample(source: Source, looked_at: Sequence[Column], *, rows: int = _ROWS) -> None:
    holes: dict[str, Hole] = {
        "columns": columns(
            As(source.host.code(Name("origin", column.name), column), Name(column.name)) for column in looked_at
        ),
        "most": Number(rows),
        "rows": source.relation,
    }
    as_texts = [replace(column, type="VARCHAR") for column in looked_at]
    source.host.gather(_SAMPLE, Statement("sources/determined_columns#sample", **holes), as_texts)


def _alike(session: Session, rows: Name, sets: Sequence[Sequence[Column]]) -> list[int]:
    """For each set of columns, the number of ordered pairs of rows with equal values in all columns of the set."""
    hashes = (
        Statement(
            "sources/determined_columns#hash",
            columns=Joined((Number(0), *(Name(column.name) for column in column_set)), ", "),
        )
        for column_set in sets
    )
    holes: dict[str, Hole] = {"hashes": Joined(tuple(hashes), ", "), "sets": Number(len(sets)), "rows": rows}
    return [pairs for _, pairs in session.run(Statement("sources/determined_columns", **holes))]
