"""Rows of a release that are alone by its quasi-identifiers and kept columns together, and the columns that do it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil

from starcloak.base import small_counts
from starcloak.base.column import Column
from starcloak.insight.risk.columns import telling, unique_sets
from starcloak.job.release_insight import RowsAlone
from starcloak.statements.statement import As, Hole, Joined, Name, Number, Statement, columns
from starcloak.store.session import Session
from starcloak.store.source import Source
from starcloak.verify import classes

_TOGETHER = Name("classes_together")
_MOST_ROWS = 100_000  # of a release whose sets of columns are searched
_COLUMNS = 12  # of which sets are looked at
_COUNTED = 8  # sets that are counted
_NEARLY = Fraction(95, 100)
_SETS = 3  # that are told


def rows_alone(
    session: Session, source: Source, release: Statement, described: Sequence[Column], *, rows: int, k: int
) -> RowsAlone | None:
    """The rows of a release that are alone by its columns together; None where there is none.

    ``described`` are the columns of the release. Neither they nor the others are told where they are 1 to k - 1.
    """
    looked_at = [column for column in described if column.is_groupable]
    # The rows of a database stay there: how many are alone is counted where they are.
    is_small = rows <= _MOST_ROWS and not source.host.dialect
    if is_small:
        counted, yielded = classes.of(release, looked_at)
        session.drop(_TOGETHER)
        combined = source.host.gather_classes(_TOGETHER, counted, yielded, size=classes.SIZE).classes
        (alone,) = session.row(Statement("insight/alone#home", {"classes": _TOGETHER}))
    else:
        grouped = Joined(tuple(_as_grouped(column) for column in looked_at), ", ")
        holes: dict[str, Hole] = {"release": release, "names": grouped}
        if source.host.dialect:
            (alone,) = source.host.row(Statement("insight/alone", holes))
        else:
            parts = ceil(rows / _MOST_ROWS)
            (found,) = source.host.row(Statement("insight/alone#part", {**holes, "parts": Number(parts)}))
            alone = min(parts * found, rows)
    if not alone:
        return None
    hidden = None in (small_counts.mask(alone, k), small_counts.mask(rows - alone, k))
    names = [column.name for column in looked_at]
    return RowsAlone(
        columns=names,
        rows=None if hidden else alone,
        most=2 * alone > rows,
        sets=_sets(session, names, combined, rows) if is_small and 2 * alone > rows else [],
    )


def _sets(session: Session, names: Sequence[str], combined: int, rows: int) -> list[list[str]]:
    """The smallest sets of columns that tell nearly as many rows apart as all of them."""
    most = _with_most_values(session, names)
    singles = [telling(session, classes.regroup(_TOGETHER, names, [name]), [name], rows) for name in most]
    singles = sorted(singles, key=lambda each: -(each.distinction or 0))
    together = Fraction(combined, rows)
    found, _ = unique_sets(
        session, _TOGETHER, names, singles, together=float(together), rows=rows, combined=combined,
        least=together * _NEARLY, counted_at_most=_COUNTED, enough=lambda _: True,
    )  # fmt: skip
    return [sorted(each.attributes, key=names.index) for each in found[:_SETS]]


def _with_most_values(session: Session, names: Sequence[str]) -> list[str]:
    """The columns of which sets are looked at: those with the most values, where there are too many."""
    if len(names) <= _COLUMNS:
        return list(names)
    distinct = columns(
        As(Statement("insight/kept#estimate", {"column": classes.value(place)}), Name(f"found_{place}"))
        for place in range(len(names))
    )
    estimated = session.row(Statement("insight/kept", {"distinct": distinct, "release": _TOGETHER}))
    return [name for _, name in sorted(zip(estimated, names, strict=True), key=lambda each: -each[0])[:_COLUMNS]]


def sentence(found: RowsAlone, rows: int, k: int) -> str:
    """What whoever releases kept columns has to know."""
    if found.rows is not None:
        alone = f"{'about ' if rows > _MOST_ROWS else ''}{found.rows:,} of {rows:,} rows"
    else:
        alone = f"all but fewer than {k} rows" if found.most else f"fewer than {k} rows"
    sets = "; or by ".join(", ".join(names) for names in found.sets)
    return (
        f"{alone} are alone by quasi-identifiers and kept columns together{f', nearly all by {sets}' if sets else ''}: "
        "k is of the quasi-identifiers alone, and who knows these of somebody finds the row; put such columns under "
        "quasi_identifiers or identifiers"
    )


def _as_grouped(column: Column) -> Hole:
    name = Name("relation", column.name)
    return Statement("verify/group", {"column": name}) if column.is_text else name
