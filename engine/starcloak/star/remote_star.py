"""A star whose rows stay in the source's database: the base frequency set is too large for the working store.

The working store gets the frequency set of each attribute alone, and the database gets the dimension tables. The
database counts frequency sets of single nodes, by one statement per node. A search needs few of them: samples of whole
value groups refute most nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from starcloak.base.column import Column
from starcloak.job import Job
from starcloak.star.star import Dimension, RemoteCounts, Star
from starcloak.star.working_tables import leaves, marginal
from starcloak.statements.statement import As, Hole, Joined, Name, Number, Statement, Type, columns
from starcloak.store.databases.database import Database
from starcloak.store.session import Session
from starcloak.store.source import Source, reading
from starcloak.store.tables import TRUTH, WHOLE, Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Largest number of combinations fetched to the working store, and the estimated bytes of memory of each.
AT_HOME = 10_000_000
_BYTES = 200

_MARGINALS = Name("marginals")


def at_home(session: Session) -> int:
    """Largest number of combinations of the quasi-identifier for the working store's memory, at most ten million."""
    return min(AT_HOME, session.memory_bytes // _BYTES)


def compress(session: Session, source: Source, job: Job) -> int | None:
    """Number of combinations of a source with too many of them for the working store; None for any other source.

    None also if the search needs the base frequency set in the working store, or if the database cannot count frequency
    sets. Otherwise, the working store then has the frequency set of each attribute alone, under the names of
    :func:`~starcloak.star.working_tables.marginal`.
    """
    host = source.host
    if host is session or not isinstance(host, Database) or not _serves(host, job):
        return None
    with reading(source):
        (rows,) = host.row(Statement("star/frequency/distant#rows", source=source.relation))
    most = at_home(session)
    if rows <= most:
        return None
    numbers = range(1, len(source.quasi_identifiers) + 1)
    values, separate_cells = ([Name(f"{kind}_{number}") for number in numbers] for kind in ("value", "apart"))
    yielded = [column.under(value.parts[0]) for value, column in zip(values, source.quasi_identifiers, strict=True)]
    yielded += [
        Column(name, "BIGINT") for name in (*(column.parts[0] for column in separate_cells), "groups", "frequency")
    ]
    with reading(source):
        host.gather(_MARGINALS, _marginals(source, values, separate_cells), yielded)
    together = Joined(tuple(separate_cells), " + ")
    of_all: dict[str, Hole] = {"together": together, "marginals": _MARGINALS}
    (combinations,) = session.row(Statement("star/frequency/marginals#combinations", **of_all))
    many = combinations > most
    for number, value, own in zip(numbers if many else (), values, separate_cells, strict=False):
        holes: dict[str, Hole] = {**of_all, "value": value, "apart": own, "others": Number(len(values) - 1)}
        session.create(marginal(number), Statement("star/frequency/marginals#of", **holes))
    session.drop(_MARGINALS)
    return int(combinations) if many else None


def _marginals(source: Source, values: Sequence[Name], separate_cells: Sequence[Name]) -> Statement:
    names = [Name("source", column.name) for column in source.quasi_identifiers]
    alone = [Statement("star/frequency/marginals#apart", column=name) for name in names]
    together = Joined(tuple(alone), " + ")
    # Of one attribute, all together are itself.
    cells: list[Hole] = [
        Statement("star/frequency/marginals#value", together=together, column=name) if len(names) > 1 else name
        for name in names
    ]
    sets = [Joined((name,), ", ") for name in names] + ([source.grouped] if len(names) > 1 else [])
    return Statement(
        "star/frequency/marginals",
        names=columns([*values, *separate_cells]),
        values=columns(map(As, cells, values)),
        apart=columns(map(As, alone, separate_cells)),
        source=source.relation,
        sets=Joined(tuple(Statement("star/frequency/marginals#set", columns=column_set) for column_set in sets), ", "),
    )


def send(star: Star, source: Source) -> Star:
    """Send the dimension tables of a star to the source's database; returns the star with its counter there."""
    types = {column.name: column.type for column in source.quasi_identifiers}
    tables = [_table(dimension, types[dimension.attribute]) for dimension in star.dimensions]
    names = source.host.carry(tables)
    sent = tuple(replace(dimension, elsewhere=names[dimension.table]) for dimension in star.dimensions)
    weights = [_weights_of(star.session, *pair) for pair in zip(star.dimensions, tables, strict=True)]
    return replace(star, distant=RemoteCounts(source, sent, star.rows, weights))


def _serves(host: Database, job: Job) -> bool:
    """True if the job's search needs only frequency sets of nodes, and the database can count these."""
    return (
        host.has_grouping_sets
        and host.holds_tables
        and job.algorithm.counts_at_nodes
        and job.required.single
        and job.required.is_of_k
        and not job.required.of_population
        and job.class_column is None
        and not job.as_set
    )


def _weights_of(session: Session, dimension: Dimension, table: Table) -> list[NDArray[Any]]:
    """Per level of a dimension, the weights (rarities) of the leaves' ancestors, at the indices of the leaf codes."""
    columns_read = session.columns(table.rows)
    codes = columns_read["ancestor_0"]
    weights: NDArray[Any] = np.zeros((dimension.height + 1, int(codes.max(initial=0)) + 1), np.int64)
    for level, weight in enumerate(weights):
        weight[codes] = columns_read[f"weight_{level}"]
    return list(weights)


def _table(dimension: Dimension, kind: str) -> Table:
    """The dimension table for the source's database, with codes and weights per level; ``kind`` is the values' type."""
    levels = range(dimension.height + 1)
    codes, weights = [f"ancestor_{level}" for level in levels], [f"weight_{level}" for level in levels]
    shape = (("present", TRUTH), ("value", Type(kind)), *((name, WHOLE) for name in (*codes, *weights)))
    text = As(Statement("store/text", column=Name("value")), Name("value"))
    own = (Statement("star/frequency/distant#weight", code=Name("leaves", *dimension.column(n).parts)) for n in levels)
    rows = Statement(
        "star/frequency/distant#weighted",
        columns=columns([Name("present"), text, *map(Name, codes)]),
        weights=columns(map(As, own, map(Name, weights))),
        table=dimension.table,
        leaves=leaves(dimension.position),
        leaf=Name("leaves", *dimension.column(0).parts),
    )
    return Table(dimension.table, shape, rows, key="value" if dimension.missing else None)
