"""What whoever released something should know of it: one line each, where that is soon found out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

from starcloak.base import small_counts
from starcloak.base.column import Column
from starcloak.statements.statement import As, Hole, Joined, Name, Number, Statement, columns
from starcloak.store.hosts.host import Host
from starcloak.store.source import Source

#: A release of more rows is not read again for a remark.
MOST_ROWS = 1_000_000
#: Of more rows, those of a part are counted in the working store.
COUNTED_ROWS = 100_000
_COUNTED_COLUMNS = 40  # there: what one statement for several costs grows with the square of their number
_FEW_EACH = 10  # rows of one value, at most on average, by which rows of one person are put together
_FEWEST_CODES = 20
_NEARLY = 0.9  # of the rows, that have a value of their own
_FEWEST = 10  # values of a column that can be nearly unique


def remarks(
    release: Statement, source: Source, *, sensitive: Sequence[str], lost: Sequence[str], rows: int, k: int
) -> tuple[list[str], list[str]]:
    """The remarks on a release of so many ``rows``, which is read where it is, and what was left out.

    ``lost`` are the quasi-identifiers that became one value. No count from 1 to k - 1 is told.
    """
    sentences = [
        f"column {name!r} became * in every row: leave it out, or spare it by objective.weights"
        for name in lost
        if rows
    ]
    kept = [column for column in source.kept if column.is_groupable]
    if not kept or not rows:
        return sentences, []
    if rows > MOST_ROWS:
        return sentences, [f"kept columns were not looked at: the release has more than {MOST_ROWS:,} rows"]
    named = Statement("store/relation#nested", {"rows": release})
    sentences += _unique(source.host, named, kept, rows)
    sentences += _shared_values(source, named, [column for column in kept if column.name in sensitive], k)
    left = [column.name for column in source.kept if not column.is_groupable]
    return sentences, [f"column {name!r} was not looked at: its values cannot be counted" for name in left]


def _unique(host: Host, release: Statement, kept: Sequence[Column], rows: int) -> Iterator[str]:
    for column, count in _counts(host, release, kept, rows):
        if count >= max(_NEARLY * rows, _FEWEST):
            yield (
                f"column {column.name!r} is released as it is, and nearly every row has a value of its own: who knows "
                "it of somebody finds the row; put it under identifiers or quasi_identifiers"
            )
        elif column.is_text and _FEWEST_CODES <= count < rows <= _FEW_EACH * count:
            yield (
                f"column {column.name!r} is released as it is, and a few rows each have one value of it: where these "
                "are of one person, who has it reads several classes of that one; put it under identifiers or person"
            )


def _counts(host: Host, release: Statement, kept: Sequence[Column], rows: int) -> Iterator[tuple[Column, int]]:
    """How many values the columns have of which something may be said; in the working store, of many columns or rows
    about how many: that is estimated far faster than it is counted.
    """
    parts = 1
    if not host.dialect:
        parts, of_each = ceil(rows / COUNTED_ROWS), zip(kept, _distinct(host, release, kept, "estimate"), strict=True)
        looked_at = [(column, count) for column, count in of_each if _may_tell(column, count, rows)]
        yield from looked_at[_COUNTED_COLUMNS:]
        kept = [column for column, _ in looked_at[:_COUNTED_COLUMNS]]
    if kept:
        counted = _distinct(host, release, kept, "values", parts=parts)
        yield from ((column, parts * count) for column, count in zip(kept, counted, strict=True))


def _may_tell(column: Column, estimate: int, rows: int) -> bool:
    """Whether so many values, some percent more or less, may be enough for a remark."""
    if column.is_text and 2 * estimate >= _FEWEST_CODES and 2 * _FEW_EACH * estimate >= rows:
        return True
    return 2 * estimate >= max(_NEARLY * rows, _FEWEST)


def _distinct(host: Host, release: Statement, some: Sequence[Column], section: str, **parts: int) -> tuple[int, ...]:
    """What a statement's section counts of the values of columns."""
    more = {name: Number(count) for name, count in parts.items()}
    distinct = columns(
        As(Statement(f"insight/kept#{section}", {"column": _grouping_text(column), **more}), Name(f"found_{number}"))
        for number, column in enumerate(some)
    )
    return host.row(Statement("insight/kept", {"distinct": distinct, "release": release}))


def _shared_values(source: Source, release: Statement, sensitive: Sequence[Column], k: int) -> Iterator[str]:
    if not sensitive:
        return
    names = [Name(f"found_{number}") for number in range(len(sensitive))]
    counts = [
        As(Statement(what, {"values": name}), Name(f"counted_{2 * number + place}"))
        for number, name in enumerate(names)
        for place, what in enumerate(("insight/shared#classes", "insight/shared#rows"))
    ]
    values = columns(
        As(Statement("insight/shared#values", {"column": _grouping_text(column)}), name)
        for column, name in zip(sensitive, names, strict=True)
    )
    grouped = Joined(tuple(_grouping_text(column) for column in source.quasi_identifiers), ", ")
    holes: dict[str, Hole] = {"counts": columns(counts), "values": values, "release": release, "names": grouped}
    row = iter(source.host.row(Statement("insight/shared", holes)))
    for column in sensitive:
        classes, rows = int(next(row)), int(next(row))
        if classes:
            in_words = [small_counts.words(small_counts.mask(count, k), k) for count in (classes, rows)]
            yield (
                f"column {column.name!r}: {in_words[0]} classes, {in_words[1]} rows in all, have one value of "
                "it: who finds somebody's class there learns it; see requirement.l_diversity"
            )


def _grouping_text(column: Column) -> Hole:
    """A column of the release, texts byte by byte."""
    name = Name("relation", column.name)
    return Statement("verify/group", {"column": name}) if column.is_text else name
