"""Remarks on the kept columns (released without generalization) of a verified release.

Only findings obtained quickly are reported: columns of a release with very many rows are not examined.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import NamedTuple

from starcloak.base import small_counts
from starcloak.base.column import Column
from starcloak.base.column_names import tells_persons
from starcloak.base.errors import SourceError
from starcloak.companions.insight import rows_alone
from starcloak.companions.insight.release_part import RELATION, ReleasePart, part_of
from starcloak.job.result import RowsAlone
from starcloak.sources import determined_columns
from starcloak.statements.statement import As, Hole, Name, Number, Statement, columns
from starcloak.store.databases.host import Host
from starcloak.store.session import Session
from starcloak.store.source import Source
from starcloak.verify.classes import STAGED, as_grouped, values_of
from starcloak.verify.recount import Reading

#: A release of more rows is not read again for a remark.
MOST_ROWS = 1_000_000
#: In a release with more cells in kept columns, only values of a part are counted in the working store.
COUNTED_CELLS = 100_000
_COUNTED_COLUMNS = 40  # there: what one statement for several costs grows with the square of their number
_FEW_EACH = 10  # rows of one value, at most on average, by which rows of one person are put together
_FEWEST_CODES = 20
_NEARLY = 0.9  # of the rows, that have a value of their own
_FEWEST = 10  # values of a column that can be nearly unique


@dataclass(frozen=True)
class KeptColumns:
    """Findings on kept columns.

    ``alone`` describes the rows unique by quasi-identifiers and kept columns together, or is None. ``remarks`` are
    sentences on the release, ``of_source`` sentences on all rows of the source, and ``left_out`` sentences on columns
    not examined.
    """

    alone: RowsAlone | None = None
    remarks: list[str] = field(default_factory=list)
    of_source: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def looked_at(source: Source, sensitive: Sequence[str], rows: int) -> tuple[str, ...]:
    """The sensitive columns to examine for classes with a single value.

    Empty if the release has too many ``rows``.
    """
    if rows > MOST_ROWS:
        return ()
    return tuple(column.name for column in source.kept if column.name in sensitive and column.is_groupable)


def look_at(session: Session, reading: Reading, *, generalized: Sequence[str], k: int) -> KeptColumns:
    """Examine the kept columns of a verified release together with its quasi-identifiers.

    ``generalized`` names the quasi-identifiers with generalized cells. No finding contains a count from 1 to k - 1.
    """
    source, rows = reading.claim.source, reading.counts.classes.rows
    kept = [column for column in source.kept if column.is_groupable]
    if not source.kept or not rows:
        return KeptColumns()
    if rows > MOST_ROWS:
        warning = f"kept columns were not examined, as the release has more than {MOST_ROWS:,} rows"
        return KeptColumns(left_out=[warning])
    counted = _of_release(session, reading, k) if kept else KeptColumns()
    left = [f"column {column.name!r} was not examined, as its values cannot be counted"
            for column in source.kept if not column.is_groupable]  # fmt: skip
    try:
        determined = determined_columns.of_source(session, source, generalized)
    except SourceError:  # cells that a database does not send home are published there all the same
        left.append(
            "it is not known if quasi-identifiers reveal kept columns, as some of their values cannot be fetched "
            "from the database"
        )
        determined = []
    return KeptColumns(counted.alone, counted.remarks, [column.sentence(source) for column in determined], left)


def _of_release(session: Session, reading: Reading, k: int) -> KeptColumns:
    """Examine the rows of the release, without the source.

    The rows are counted in the release's database, or as a part of them in the working store. Remarks are in the order
    of harm: columns identifying single rows, then several columns together, then classes with one sensitive value.
    """
    source, counted = reading.claim.source, reading.counts.classes
    release = Statement("store/relation#nested", rows=reading.release)
    described = [column for column in reading.described.values() if column.is_groupable]
    kept = [column for column in source.kept if column.is_groupable]
    part = None if source.host.dialect else part_of(session, source, release, described, counted.rows)
    identifying = [*_identifying(source.host, release, kept, part, rows=counted.rows)]
    remarks = [column.remark for column in identifying]
    shared = [*_shared_values(session, reading.claim.looked_at, k=k)]
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


class _IdentifyingColumn(NamedTuple):
    """A kept column that identifies rows, and the remark on it. ``is_unique``: nearly every row has its own value."""

    name: str
    is_unique: bool
    remark: str


def _identifying(
    host: Host, release: Statement, kept: Sequence[Column], part: ReleasePart | None, *, rows: int
) -> Iterator[_IdentifyingColumn]:
    """Kept columns of a release with nearly unique values, or with codes shared by few rows, such as patient numbers.

    ``rows`` is the number of rows. With ``part``, a part of the release in the working store, values are first counted
    there; without it, in the release's database.
    """
    for column, count in _counts(host, release, kept, part, rows):
        if count >= max(_NEARLY * rows, _FEWEST):
            yield _IdentifyingColumn(
                column.name,
                True,
                f"column {column.name!r} is released unchanged, and nearly every row has a different value: a reader "
                "who knows the value of a person finds the row; put the column under identifiers or "
                "quasi_identifiers",
            )
        elif _is_code(column) and _FEWEST_CODES <= count < rows <= _FEW_EACH * count:
            yield _IdentifyingColumn(
                column.name,
                False,
                f"column {column.name!r} is released unchanged, and only a few rows share each value: if these are "
                "the rows of one person, a reader can join them; put the column under identifiers",
            )


def _counts(
    host: Host, release: Statement, kept: Sequence[Column], part: ReleasePart | None, rows: int
) -> Iterator[tuple[Column, int]]:
    """Columns possibly in need of a remark, each with its number of distinct values.

    In the working store, the numbers are estimates if the columns or rows are many: estimates are far faster.
    """
    if part is None:
        yield from zip(kept, _distinct(host, release, map(as_grouped, kept), "values"), strict=True)
        return
    scaled = [part.estimate(column) * rows // max(part.rows, 1) for column in kept]
    looked_at = _may_tell(kept, scaled, rows)
    if looked_at and not part.is_whole:
        kept = [column for column, _ in looked_at]
        looked_at = _may_tell(kept, _distinct(host, release, map(as_grouped, kept), "estimate"), rows)
    yield from looked_at[_COUNTED_COLUMNS:]
    kept = [column for column, _ in looked_at[:_COUNTED_COLUMNS]]
    if kept and part.is_whole:
        present = (Statement("companions/insight/part#present", value=part.value(column)) for column in kept)
        yield from zip(kept, _distinct(host, RELATION, present, "values"), strict=True)
    elif kept:
        parts = ceil(rows * len(kept) / COUNTED_CELLS)
        counted = _distinct(host, release, map(as_grouped, kept), "of_part", parts=parts)
        yield from ((column, parts * count) for column, count in zip(kept, counted, strict=True))


def _may_tell(kept: Sequence[Column], estimated: Sequence[int], rows: int) -> list[tuple[Column, int]]:
    """Columns with possibly enough distinct values for a remark, each with its estimated number of values.

    A column qualifies at half the number required. The estimate from a part of the rows, scaled up, is no less than the
    count over all rows.
    """
    enough = [
        2 * count >= max(_NEARLY * rows, _FEWEST)
        or (_is_code(column) and 2 * count >= _FEWEST_CODES and 2 * _FEW_EACH * count >= rows)
        for column, count in zip(kept, estimated, strict=True)
    ]
    return [pair for pair, may in zip(zip(kept, estimated, strict=True), enough, strict=True) if may]


def _is_code(column: Column) -> bool:
    """True if rows of one person could share a code in the column: it is a text, or its name suggests persons."""
    return column.is_text or tells_persons(column.name) is True


def _distinct(host: Host, rows: Hole, cells: Iterable[Hole], section: str, **parts: int) -> tuple[int, ...]:
    """Numbers of distinct values of ``cells`` in ``rows``. ``section`` of the statement selects the way of counting:
    ``values``, ``estimate``, or ``of_part`` with the number of ``parts``.
    """
    more = {name: Number(count) for name, count in parts.items()}
    distinct = columns(
        As(Statement(f"companions/insight/kept#{section}", column=column, **more), Name(f"found_{number}"))
        for number, column in enumerate(cells)
    )
    return host.row(Statement("companions/insight/kept", distinct=distinct, release=rows))


def _shared_values(session: Session, looked_at: Sequence[str], *, k: int) -> Iterator[str]:
    """Remarks on sensitive columns with a single value in some classes, by the verifier's counts of values per class.

    No remark contains a count from 1 to k - 1.
    """
    if not looked_at:
        return
    counts = columns(
        As(Statement(what, values=values_of(place)), Name(f"counted_{2 * place + at}"))
        for place in range(len(looked_at))
        for at, what in enumerate(("companions/insight/shared#classes", "companions/insight/shared#rows"))
    )
    counted = session.row(Statement("companions/insight/shared", counts=counts, classes=STAGED))
    for name, shared, rows in zip(looked_at, counted[::2], counted[1::2], strict=True):
        if shared:
            in_words = [small_counts.words(small_counts.mask(count, k), k) for count in (shared, int(rows))]
            yield (
                f"column {name!r}: {in_words[0]} classes, {in_words[1]} rows in all, have a single value: a reader "
                "who finds the class of a person learns the value; to prevent this, require l_diversity of the "
                "column"
            )
