"""Rows of a release unique by quasi-identifiers and kept columns together, and the columns that make rows unique.

Sensitive columns are excluded: a person searching for somebody does not know these values.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from starcloak.base import small_counts
from starcloak.base.column import Column
from starcloak.companions.insight.release_part import RELATION, ReleasePart
from starcloak.job.result import RowsAlone
from starcloak.releases.distinguishing_columns import Telling, unique_sets
from starcloak.statements.statement import As, Joined, Name, Statement, columns
from starcloak.store.databases.host import Host
from starcloak.verify.classes import as_grouped

_COLUMNS = 12  # of which sets are looked at
_COUNTED = 4  # sets that are counted
_NEARLY = Fraction(95, 100)
_SETS = 3  # shown


def on_host(host: Host, release: Statement, described: Sequence[Column]) -> int:
    """Number of rows of a release unique by the columns ``described``, counted in the release's database."""
    grouped = Joined(tuple(as_grouped(column) for column in described), ", ")
    alone, _, _ = host.row(Statement("companions/insight/alone", release=release, names=grouped))
    return int(alone)


def of_count(alone: int, names: Sequence[str], part: ReleasePart | None, *, rows: int, k: int) -> RowsAlone | None:
    """Figures on the rows (``alone`` of ``rows``) unique by the columns ``names``. None without such rows.

    A number of unique rows, or of the remaining rows, from 1 to k - 1 is masked. The smallest sets of identifying
    columns are searched if ``part`` is the whole release and most rows are unique.
    """
    if not alone:
        return None
    searched = part is not None and part.is_whole and 2 * alone > rows
    return RowsAlone(
        columns=list(names),
        rows=small_counts.mask_part(alone, rows, k),
        most=2 * alone > rows,
        sets=_sets(part) if part is not None and searched else [],
    )


def _sets(part: ReleasePart) -> list[list[str]]:
    """The smallest sets of columns that distinguish nearly as many rows as all columns together, at most
    three sets.
    """
    together = Fraction(part.classes, part.rows)
    sets_found, _ = unique_sets(
        part.session, RELATION, part.names, _singles(part), together=float(together), rows=part.rows,
        combined=part.classes, least=together * _NEARLY, counted_at_most=_COUNTED, enough=lambda _: True,
    )  # fmt: skip
    return [sorted(unique_set.attributes, key=part.names.index) for unique_set in sets_found[:_SETS]]


def _singles(part: ReleasePart) -> list[Telling]:
    """The columns with the most distinct values, each with its share of distinct values, in descending order."""
    most = sorted(part.columns, key=lambda column: -part.estimate(column))[:_COLUMNS]
    chosen = sorted(most, key=part.columns.index)
    distinct = columns(
        As(Statement("companions/insight/kept#values", column=part.value(column)), Name(f"found_{place}"))
        for place, column in enumerate(chosen)
    )
    counted = part.session.row(Statement("companions/insight/kept", distinct=distinct, release=RELATION))
    singles = [
        Telling(attributes=[column.name], distinction=float(Fraction(count, part.rows)), separation=None)
        for count, column in zip(counted, chosen, strict=True)
    ]
    return sorted(singles, key=lambda telling_column: -(telling_column.distinction or 0))
