"""The verifier: reads a staged release back and counts it again.

It shares no statement with the searches and trusts none of their relations but the dimension tables. Its arithmetic is
exact: integers only.
"""

from __future__ import annotations

from dataclasses import dataclass

from starcloak.errors import SourceError, StatementError, VerificationError
from starcloak.report import Verdict
from starcloak.session import Session
from starcloak.source import Source
from starcloak.star import Dimension
from starcloak.statement import As, Hole, Joined, Name, Statement, columns, conditions

_LARGEST = 2**63 - 1  # of a bind, and more than any table has rows


@dataclass(frozen=True)
class Classes:
    """The equivalence classes of a table: how many, over how many rows, the smallest size, the sum of squared sizes.

    ``smallest`` is None for a table without rows.
    """

    classes: int
    rows: int
    smallest: int | None
    squares: int


def count_classes(session: Session, release: Statement, quasi_identifiers: list[str]) -> Classes:
    """Recount a table's equivalence classes (Li, Wong, Fu, Pei 2008, Definition 2)."""
    names = Joined(tuple(Name(name) for name in quasi_identifiers), ", ")
    return Classes(*session.row(Statement("verify/classes", {"quasi_identifiers": names, "release": release})))


def verify(
    session: Session,
    release: Statement,
    *,
    source: Source,
    dimensions: tuple[Dimension, ...],
    levels: dict[str, tuple[int, ...]],
    expected: Statement | None = None,
    k: int,
    rows: int,
    suppressed: int,
    allowed: int,
) -> Classes:
    """Check a staged release and return its equivalence classes.

    ``release`` reads it back from where it is staged. Raises :class:`VerificationError` unless it has exactly the
    released columns; every equivalence class has at least ``k`` rows; released and suppressed rows are the source's
    ``rows``, counted again; no more than ``allowed`` are suppressed; every generalized cell is a value of one of its
    attribute's ``levels``; every generalized tuple is there as often as ``expected`` says; and no combination of kept
    cells occurs more often than in the source.
    """
    names = [row[0] for row in session.run(Statement("verify/columns", {"release": release}))]
    _require(names == [column.name for column in source.released], "its columns are not those of the job")
    counted = count_classes(session, release, [column.name for column in source.quasi_identifiers])
    _require(counted.smallest is None or counted.smallest >= k, f"an equivalence class has fewer than k = {k} rows")
    _require(suppressed <= allowed, "more rows are suppressed than the job allows")
    (present,) = session.row(Statement("verify/source_rows", {"source": source.relation}))
    _require(present == rows, "the source yields other rows each time: make a table of it, or run again")
    _require(
        counted.rows + suppressed == rows, "released and suppressed rows are not the source's: did it change? Run again"
    )
    for dimension in dimensions:
        (strangers,) = session.row(
            Statement(
                "verify/strangers",
                {
                    "column": Name(dimension.attribute),
                    "release": release,
                    "table": dimension.table,
                    "levels": Joined(tuple(Name(f"level_{level}") for level in levels[dimension.attribute]), ", "),
                },
            )
        )
        _require(not strangers, f"column {dimension.attribute!r} has values that are not of its levels")
    if expected is not None:
        _require(not _unexpected(session, release, source, expected), "its tuples are not those of the recoding")
    if source.kept:
        _require(not _invented(session, release, source), "kept cells are not those of the source")
    return counted


def check(session: Session, source: Source, *, k: int) -> Verdict:
    """Whether the source, as it stands, is k-anonymous. No count between 1 and k - 1 is told."""
    names = [column.name for column in source.quasi_identifiers]
    quasi_identifiers = Joined(tuple(Name(name) for name in names), ", ")
    statement = Statement("verify/wanting", {"quasi_identifiers": quasi_identifiers, "source": source.relation})
    try:
        # One statement: a source that yields other rows each time gets one answer, about rows it did yield.
        classes, rows, smallest, wanting, outliers = session.row(statement, {"k": min(k, _LARGEST)})
    except StatementError as error:
        problem = f"{source.label} cannot be read ({error.kind}): check that its rows are well-formed"
        raise SourceError(problem) from None
    if not rows:
        raise SourceError(f"{source.label} has no rows: there is nothing to check")
    return Verdict(
        source=source.label,
        quasi_identifiers=names,
        required_k=k,
        holds=smallest >= k,
        k=smallest if smallest >= k else None,
        rows=None if rows < k else rows,
        classes=None if rows < k else classes,
        wanting_classes=None if 0 < wanting < k else wanting,
        wanting_rows=None if 0 < outliers < k else outliers,
    )


def _unexpected(session: Session, release: Statement, source: Source, expected: Statement) -> int:
    names = [Name(f"cell_{position}") for position in range(1, len(source.quasi_identifiers) + 1)]
    cells = (
        As(Statement("verify/cell", {"column": Name(column.name)}), name)
        for column, name in zip(source.quasi_identifiers, names, strict=True)
    )
    holes: dict[str, Hole] = {
        "names": Joined(tuple(names), ", "),
        "cells": columns(cells),
        "release": release,
        "expected": expected,
    }
    (tuples,) = session.row(Statement("verify/unexpected", holes))
    return int(tuples)


def _invented(session: Session, release: Statement, source: Source) -> int:
    kept = columns(
        As(Statement("verify/text", {"column": Name(column.name)}), Name(f"kept_{position}"))
        for position, column in enumerate(source.kept, 1)
    )
    equal = conditions(
        Statement("verify/equal", {"column": Name(f"kept_{position}")}) for position in range(1, len(source.kept) + 1)
    )
    holes: dict[str, Hole] = {"kept": kept, "release": release, "source": source.relation, "equal": equal}
    (combinations,) = session.row(Statement("verify/invented", holes))
    return int(combinations)


def _require(holds: bool, problem: str) -> None:
    if not holds:
        raise VerificationError(f"the staged release was not published: {problem}")
