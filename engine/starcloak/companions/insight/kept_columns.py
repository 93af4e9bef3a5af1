"""Findings on a verified release from its kept columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from starcloak.base.errors import SourceError
from starcloak.companions.insight import column_remarks, rows_alone
from starcloak.companions.insight.release_part import part_of
from starcloak.job.result import RowsAlone
from starcloak.sources import determined_columns
from starcloak.statements.statement import Statement
from starcloak.store.session import Session
from starcloak.store.source import Source
from starcloak.verify.recount import Reading

#: A release of more rows is not read again for a remark.
MOST_ROWS = 1_000_000


@dataclass(frozen=True)
class KeptColumns:
    """The rows that are ``alone`` by kept columns as well; ``remarks`` on the release, and on all rows of the source;
    and columns not examined.
    """

    alone: RowsAlone | None = None
    remarks: list[str] = field(default_factory=list)
    of_source: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def looked_at(source: Source, sensitive: Sequence[str], rows: int) -> tuple[str, ...]:
    """The sensitive columns examined for classes with a single value, in a release of a number of rows."""
    if rows > MOST_ROWS:
        return ()
    return tuple(column.name for column in source.kept if column.name in sensitive and column.is_groupable)


def look_at(session: Session, reading: Reading, *, generalized: Sequence[str], k: int) -> KeptColumns:
    """Findings about the kept columns of a release together with its quasi-identifiers.

    ``generalized`` names the generalized quasi-identifiers. No finding contains a count from 1 to k - 1.
    """
    source, rows = reading.claim.source, reading.counts.classes.rows
    kept = [column for column in source.kept if column.is_groupable]
    if not source.kept or not rows:
        return KeptColumns()
    if rows > MOST_ROWS:
        warning = f"kept columns were not looked at: the release has more than {MOST_ROWS:,} rows"
        return KeptColumns(left_out=[warning])
    counted = _of_release(session, reading, k) if kept else KeptColumns()
    left = [f"column {column.name!r} was not looked at: its values cannot be counted"
            for column in source.kept if not column.is_groupable]  # fmt: skip
    try:
        determined = determined_columns.of_source(session, source, generalized)
    except SourceError:  # cells that a database does not send home are published there all the same
        left.append("which quasi-identifiers tell kept columns is not known: some of their values do not come home")
        determined = []
    return KeptColumns(counted.alone, counted.remarks, [column.sentence for column in determined], left)


def _of_release(session: Session, reading: Reading, k: int) -> KeptColumns:
    """Findings from the release alone: in its database or, in the working store, by a part of it. Remarks are in the
    order of harm: to each row of a column, to rows by several columns, to classes.
    """
    source, counted = reading.claim.source, reading.counts.classes
    release = Statement("store/relation#nested", rows=reading.release)
    described = [column for column in reading.described.values() if column.is_groupable]
    kept = [column for column in source.kept if column.is_groupable]
    part = None if source.host.dialect else part_of(session, source, release, described, counted.rows)
    identifying = [*column_remarks.unique(source.host, release, kept, part, rows=counted.rows)]
    remarks = [column.remark for column in identifying]
    shared = [*column_remarks.shared_values(session, reading.claim.looked_at, k=k)]
    # Sensitive columns leave as they are, too, but nobody is taken to know their values.
    sensitive = source.roles.get("sensitive", ())
    described = [column for column in described if column.name not in sensitive]
    if all(column.name in sensitive for column in kept):
        return KeptColumns(None, [*remarks, *shared])
    if part is not None and len(described) < len(part.columns):
        part = part_of(session, source, release, described, counted.rows)
    lone = rows_alone.on_host(source.host, release, described) if part is None else part.alone * part.parts
    names = [column.name for column in described]
    alone = rows_alone.of_count(min(lone, counted.rows), names, part, rows=counted.rows, k=k)
    # By a column with nearly unique values rows are alone in any case: that is no second remark.
    unique = {column.name for column in identifying if column.is_unique}
    if alone is not None and not (unique and all(unique & {*names} for names in alone.sets)):
        about = part is not None and not part.is_whole
        remarks.append(alone.sentence(counted.rows, k, about=about))
    return KeptColumns(alone, [*remarks, *shared])
