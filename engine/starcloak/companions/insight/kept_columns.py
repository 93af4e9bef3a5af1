"""Remarks on the kept columns (released without generalization) of a verified release.

Only findings obtained quickly are reported: columns of a release with very many rows are not examined.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil
from typing import NamedTuple

from starcloak.base import small_counts
from starcloak.base.column import Column
from starcloak.base.column_names import tells_persons
from starcloak.base.errors import SourceError
from starcloak.job.result import RowsAlone
from starcloak.releases.distinguishing_columns import Telling, unique_sets
from starcloak.sources import determined_columns
from starcloak.statements.statement import As, Hole, Joined, Name, Number, Statement, columns
from starcloak.store.databases.host import Host
from starcloak.store.session import Session
from starcloak.store.source import Source
from starcloak.verify.classes import STAGED, as_grouped, value, values_of
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
_COLUMNS_OF_SETS = 12  # of which sets are looked at
_COUNTED_SETS = 4  # sets that are counted
_NEARLY_AS_MANY = Fraction(95, 100)
_SETS = 3  # shown
RELATION = Name("release_part")
#: Cells of a release that is loaded whole, and of a part of a larger one.
MOST_CELLS, CELLS = 1_000_000, 250_000
_DECIDING = 4  # that decide to which part a row belongs
_OF_PART = (
    "rows that are unique by quasi-identifiers and kept columns were searched only in a part of the release, which has "
    "none: the other rows were not examined"
)
# Two rows drawn at random are in such a group with a chance of so much at most: parts are of about the same size then.
_MOST_ALIKE = 1e-4
_UNEVEN = 0.25  # share by which a part may be larger or smaller than the others, or all columns decide


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
    of_source = [column.sentence(source) for column in determined]
    return KeptColumns(counted.alone, counted.remarks, of_source, [*counted.left_out, *left])


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
    lone = count_alone(source.host, release, described) if part is None else part.alone * part.parts
    names = [column.name for column in described]
    alone = rows_alone(min(lone, counted.rows), names, part, rows=counted.rows, k=k)
    # By a column with nearly unique values rows are alone in any case: that is no second remark.
    unique = {column.name for column in identifying if column.is_unique}
    if alone is not None and not (unique and all(unique & {*names} for names in alone.sets)):
        remarks.append(alone.sentence(counted.rows, k))
    left = [_OF_PART] if alone is None and part is not None and not part.is_whole else []
    return KeptColumns(alone, [*remarks, *shared], left_out=left)


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


def count_alone(host: Host, release: Statement, described: Sequence[Column]) -> int:
    """Number of rows of a release unique by the columns ``described``, counted in the release's database."""
    grouped = Joined(tuple(as_grouped(column) for column in described), ", ")
    alone, _, _ = host.row(Statement("companions/insight/alone", release=release, names=grouped))
    return int(alone)


def rows_alone(alone: int, names: Sequence[str], part: ReleasePart | None, *, rows: int, k: int) -> RowsAlone | None:
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
        estimated=part is not None and not part.is_whole,
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
        combined=part.classes, least=together * _NEARLY_AS_MANY, counted_at_most=_COUNTED_SETS, enough=lambda _: True,
    )  # fmt: skip
    return [sorted(unique_set.attributes, key=part.names.index) for unique_set in sets_found[:_SETS]]


def _singles(part: ReleasePart) -> list[Telling]:
    """The columns with the most distinct values, each with its share of distinct values, in descending order."""
    most = sorted(part.columns, key=lambda column: -part.estimate(column))[:_COLUMNS_OF_SETS]
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


@dataclass(frozen=True)
class ReleasePart:
    """One part of a ``release`` divided into ``parts`` parts (1 or more), as the relation ``RELATION``.

    The relation has the hashes of the ``columns`` as value_1, value_2, …, and a number of ``rows``. Grouped by these
    columns, the rows form a number of ``classes``, and ``alone`` rows are unique. ``estimates`` are the estimated
    numbers of distinct values of each column.
    """

    session: Session
    release: Statement
    columns: tuple[Column, ...]
    parts: int
    rows: int
    alone: int
    classes: int
    estimates: tuple[int, ...]

    @property
    def is_whole(self) -> bool:
        return self.parts == 1

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    def estimate(self, column: Column) -> int:
        return self.estimates[self.names.index(column.name)]

    def value(self, column: Column) -> Name:
        """The name of the column in ``RELATION`` with the hashes of a released column."""
        return value(self.names.index(column.name))


def part_of(
    session: Session, source: Source, release: Statement, described: Sequence[Column], rows: int
) -> ReleasePart:
    """Load a part of a release with ``rows`` rows, and the columns ``described``. A small release is loaded whole."""
    cells = rows * len(described)
    parts = 1 if cells <= MOST_CELLS else ceil(cells / CELLS)
    first = described[:1]
    if parts > 1:  # of the columns described alone, or rows that are alike in these would be in several parts
        telling = determined_columns.telling_apart(session, source, _DECIDING, _MOST_ALIKE)
        first = [column for column in described if column.name in {telling_column.name for telling_column in telling}]
    part = _gathered(session, release, described, first or described, parts)
    if first and abs(part.rows * parts - rows) > _UNEVEN * rows:
        part = _gathered(session, release, described, described, parts)
    return part


def _gathered(
    session: Session, release: Statement, described: Sequence[Column], first: Sequence[Column], parts: int
) -> ReleasePart:
    hashes = columns(
        As(Statement("companions/insight/part#hash", column=Name("relation", column.name)), value(place))
        for place, column in enumerate(described)
    )
    deciding = Joined(tuple(Name("relation", column.name) for column in first), ", ")
    holes: dict[str, Hole] = {"values": hashes, "release": release, "first": deciding, "parts": Number(parts)}
    session.create(RELATION, Statement("companions/insight/part", **holes))
    names = Joined(tuple(map(value, range(len(described)))), ", ")
    alone, classes, there = session.row(Statement("companions/insight/alone", release=RELATION, names=names))
    estimated = columns(
        As(Statement("companions/insight/kept#estimate", column=value(place)), Name(f"found_{place}"))
        for place in range(len(described))
    )
    estimates = session.row(Statement("companions/insight/kept", distinct=estimated, release=RELATION))
    return ReleasePart(session, release, tuple(described), parts, int(there), alone, classes, estimates)
