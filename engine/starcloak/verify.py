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
from starcloak.statement import As, Hole, Joined, Name, Number, Statement, columns, conditions

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
    counted, strangers, unexpected = _read_back(session, release, source, dimensions, levels, expected)
    _require(counted.smallest is None or counted.smallest >= k, f"an equivalence class has fewer than k = {k} rows")
    _require(suppressed <= allowed, "more rows are suppressed than the job allows")
    (present,) = session.row(Statement("verify/source_rows", {"source": source.relation}))
    _require(present == rows, "the source yields other rows each time: make a table of it, or run again")
    _require(
        counted.rows + suppressed == rows, "released and suppressed rows are not the source's: did it change? Run again"
    )
    for dimension, unknown in zip(dimensions, strangers, strict=True):
        _require(not unknown, f"column {dimension.attribute!r} has values that are not of its levels")
    _require(not unexpected, "its tuples are not those of the recoding")
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


def _read_back(
    session: Session,
    release: Statement,
    source: Source,
    dimensions: tuple[Dimension, ...],
    levels: dict[str, tuple[int, ...]],
    expected: Statement | None,
) -> tuple[Classes, list[int], int]:
    """The equivalence classes (Li, Wong, Fu, Pei 2008, Definition 2), the values of each column that are not of its
    levels, and the tuples that the recoding does not expect. One statement: the release is read once.
    """
    cells = [Name(f"cell_{position}") for position in range(1, len(dimensions) + 1)]
    texts = (
        As(Statement("verify/cell", {"column": Name(column.name)}), cell)
        for column, cell in zip(source.quasi_identifiers, cells, strict=True)
    )
    strangers = (
        Statement(
            "verify/strangers",
            {
                "cell": cell,
                "table": dimension.table,
                "levels": Joined(tuple(Name(f"level_{level}") for level in levels[dimension.attribute]), ", "),
            },
        )
        for dimension, cell in zip(dimensions, cells, strict=True)
    )
    listed = Joined(tuple(cells), ", ")
    unexpected = Statement("verify/unexpected", {"cells": listed, "expected": expected}) if expected else Number(0)
    holes: dict[str, Hole] = {
        "cells": columns(texts),
        "release": release,
        "quasi_identifiers": Joined(tuple(Name(column.name) for column in source.quasi_identifiers), ", "),
        "strangers": columns(strangers),
        "unexpected": unexpected,
    }
    classes, rows, smallest, squares, *unknown, tuples = session.row(Statement("verify/classes", holes))
    return Classes(classes, rows, smallest, squares), unknown, tuples


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
