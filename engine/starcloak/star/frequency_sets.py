"""Frequency sets: the base frequency set, by one GROUP BY over the source's rows, and the frequency sets of nodes.

The frequency set of a node is recounted from the star, or rolled up from the frequency set of a specialization.

LeFevre, DeWitt, Ramakrishnan 2005: section 1.1 (Frequency Set) and section 3 (Rollup Property). Frequency sets of many
nodes of equally many attributes share one table: ``node, value_1, …, value_<attributes>, frequency``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from starcloak.base.column import Column
from starcloak.base.errors import VerificationError
from starcloak.privacy.requirement import Demand
from starcloak.star.star import Node, Star
from starcloak.star.working_tables import BASE, CLASS, sensitive_column
from starcloak.statements.statement import As, Hole, Joined, Name, Number, Statement, columns, lines, union_all
from starcloak.store.databases.host import ClassTotals
from starcloak.store.session import Session
from starcloak.store.source import Source, reading


def compress(session: Session, source: Source, *, classes: str | None = None, sensitive: Sequence[str] = ()) -> int:
    """Create the base frequency set: one GROUP BY over the source. Returns the number of rows in the working store.

    Section 1.1, Frequency Set. The column ``checksum`` covers the kept cells of each tuple's rows. ``classes`` is a
    further column of the GROUP BY, stored as ``class``; the ``sensitive`` columns are further ones, stored as
    ``sensitive_1``, ``sensitive_2``, ….
    Raises :class:`SourceError` if the rows cannot be read, and :class:`VerificationError` if they differ from the
    database's count.
    """
    source = source.private
    source.refuse_unlike(sensitive)
    read = [(f"value_{position}", column) for position, column in enumerate(source.quasi_identifiers, 1)]
    kept = {column.name: column for column in source.kept}
    read += [(CLASS.parts[0], kept[classes])] if classes is not None else []
    read += [(sensitive_column(number).parts[0], kept[name]) for number, name in enumerate(sensitive, 1)]
    values = (As(Name("source", column.name), Name(name)) for name, column in read)
    grouped = Joined(tuple(Name("source", column.name) for _, column in read), ", ")
    holes: dict[str, Hole] = {
        "values": columns(values),
        "checksum": source.checksum,
        "source": source.relation,
        "columns": grouped,
    }
    sums = (Column(name, "BIGINT") for name in ("checksum", "frequency"))
    yielded = [*(column.under(name) for name, column in read), *sums]
    base = Statement("star/frequency/base", **holes)
    with reading(source):
        if source.host is session:  # nothing is sent
            session.create(BASE, base)
            return int(session.row(Statement("star/frequency/size", frequency=BASE))[0])
        totals = source.host.gather_classes(BASE, base, yielded, size=Name("frequency"))
    rows, combinations, smallest = session.row(Statement("star/frequency/size", frequency=BASE))
    if totals != ClassTotals(combinations, smallest, rows):
        raise VerificationError(
            f"{source.label}: the fetched combinations of the quasi-identifiers differ from the count in the "
            "database, as the table changed meanwhile: run again"
        )
    return int(combinations)


@dataclass(frozen=True)
class Count:
    """A statement for a frequency set, counted from the star or from another frequency set.

    ``rows`` is the number of rows aggregated by the statement. ``from_star`` is true if it reads the star.
    """

    statement: Statement
    rows: int
    from_star: bool


def from_star(star: Star, node: Node) -> Count:
    """The statement for the frequency set of a node, counted from the star."""
    return Count(recount(star, node), star.combinations, from_star=True)


# Largest number of frequency sets in one statement, and of rows read by it (a single frequency set may read more).
_TOGETHER = 64
_BUDGET = 10_000_000


def at_once(star: Star) -> int:
    """Maximum number of frequency sets counted from the star by one statement."""
    return max(1, min(_TOGETHER, _BUDGET // star.combinations))


def together(counts: Iterable[Count]) -> Iterator[list[Count]]:
    """Batches of frequency sets, each for one statement, with limits on the number of sets and of rows read."""
    batch: list[Count] = []
    read = 0
    for count in counts:
        if batch and (len(batch) == _TOGETHER or read + count.rows > _BUDGET):
            yield batch
            batch, read = [], 0
        batch.append(count)
        read += count.rows
    if batch:
        yield batch


def count_all(counts: Iterable[Count]) -> Joined:
    """Union of the frequency sets of several nodes, all with the same number of attributes."""
    return union_all(count.statement for count in counts)


def keep(session: Session, counts: Iterable[Count], *, into: Name) -> list[Count]:
    """Create the table ``into`` with some frequency sets; returns them as a list. Without any, no table is created."""
    kept: list[Count] = []
    for batch in together(counts):
        (session.insert if kept else session.create)(into, count_all(batch))
        kept += batch
    return kept


def recount(star: Star, node: Node, levels: Joined | None = None) -> Statement:
    """The statement for the frequency set of a node: a GROUP BY over the star.

    ``levels`` are the columns of a group; None for the node's own.
    """
    return Statement(
        "star/frequency/recount",
        node=Number(node.id),
        levels=_levels(star, node) if levels is None else levels,
        merged=star.merged,
        star=star.facts,
    )


def rollup(star: Star, node: Node, *, beneath: Node, below: Name) -> Statement:
    """The frequency set of a node, rolled up from that of a node ``beneath`` it in the table ``below``."""
    rising = [
        position for position, (low, high) in enumerate(zip(beneath.levels, node.levels, strict=True), 1) if low != high
    ]
    codes = columns(
        As(Name(f"climb_{position}" if position in rising else "below", column), Name(f"value_{position}"))
        for position in range(1, len(node.levels) + 1)
        for column in ["ancestor" if position in rising else f"value_{position}"]
    )
    return Statement(
        "star/frequency/rollup",
        node=Number(node.id),
        beneath=Number(beneath.id),
        below=below,
        codes=codes,
        merged=star.merged,
        climbs=climbs(star, node, rising),
    )


def project(star: Star, dimensions: tuple[int, ...], *, node: int, beneath: Node, below: Name) -> Statement:
    """The statement for the frequency set of some attributes of the node ``beneath``, at the same levels.

    ``below`` is the table with the frequency set of ``beneath``; ``node`` is the number of the result.
    """
    codes = columns(
        As(Name("below", f"value_{beneath.dimensions.index(dimension) + 1}"), Name(f"value_{position}"))
        for position, dimension in enumerate(dimensions, 1)
    )
    return Statement(
        "star/frequency/rollup",
        node=Number(node),
        beneath=Number(beneath.id),
        below=below,
        codes=codes,
        merged=star.merged,
        climbs=lines(()),
    )


def _levels(star: Star, node: Node) -> Joined:
    return columns(
        As(star.dimensions[dimension - 1].column(level), Name(f"value_{position}"))
        for position, (dimension, level) in enumerate(zip(node.dimensions, node.levels, strict=True), 1)
    )


def climbs(star: Star, node: Node, positions: list[int]) -> Joined:
    """Joins of frequency sets ``below`` with the ancestors at a node's levels: climb_1, climb_2, … by ``positions``."""
    return lines(
        Statement(
            "star/frequency/rollup#climb",
            generalization=star.generalization,
            climb=Name(f"climb_{position}"),
            dimension=Number(node.dimensions[position - 1]),
            level=Number(node.levels[position - 1]),
            value=Name(f"value_{position}"),
        )
        for position in positions
    )


def shortfall_of(rows: Statement | Joined, demand: Demand) -> Statement:
    """The :func:`shortfall` of frequency sets counted in the same statement; no frequency set is stored."""
    return shortfall(Statement("store/relation#nested", rows=rows), demand)


def shortfall(frequency: Hole, demand: Demand) -> Statement:
    """The statement with one row per node: node, groups, classes, outliers.

    ``groups`` is the number of value groups, ``classes`` the number of groups that satisfy the demand, ``outliers`` the
    number of rows in the violating groups.
    """
    return Statement("star/frequency/shortfall", frequency=frequency, rows=demand.rows, violating=demand.violating)
