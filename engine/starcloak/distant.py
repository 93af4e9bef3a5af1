"""A star whose rows stay where they are, since the base frequency set is too large to come home.

The values of each attribute come home alone, and the dimensions go where the rows are. Frequency sets of single nodes
are counted there, by one statement each, of which a search needs few: samples of whole groups refute most nodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from starcloak.column import Column
from starcloak.errors import SourceError, VerificationError
from starcloak.hosts.database import Database
from starcloak.hosts.host import Told
from starcloak.recoding.recoding import match_of
from starcloak.recoding.table import TRUTH, WHOLE, Table
from starcloak.source.source import Source
from starcloak.star import GENERALIZATION, STAR, Dimension, Star, leaves, marginal, reading
from starcloak.statement import As, Hole, Joined, Name, Number, Statement, Type, columns, lines, union_all

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from starcloak.frequency import Node
    from starcloak.job import Job
    from starcloak.privacy.requirement import Demand
    from starcloak.search.shared.open_nodes import Levels
    from starcloak.search.shared.tuples import Tuples
    from starcloak.session import Session

#: So many combinations of the quasi-identifier come home, each of about so many bytes of the working store's memory.
AT_HOME = 10_000_000
_BYTES = 200

_MARGINALS, _BROUGHT = Name("marginals"), Name("brought")
_FACTORS = 1_000_003  # as in frequency/distant#sample


@dataclass(frozen=True)
class Sample:
    """The rows of some of the value groups of a node, one of ``parts``: whole groups of it and of all nodes beneath."""

    node: Levels
    parts: int
    tuples: Tuples


@dataclass(frozen=True)
class Distant:
    """Counts frequency sets where the source is. ``samples`` are those that came home, ``stars`` the one that did."""

    source: Source
    dimensions: tuple[Dimension, ...]
    rows: int
    # Per attribute and level the weight of every leaf's ancestor, as frequency/distant#weight has it.
    weights: Sequence[Sequence[NDArray[Any]]]
    samples: list[Sample] = field(default_factory=list)
    stars: list[Star] = field(default_factory=list)

    def frequencies(self, node: Node) -> dict[str, NDArray[Any]]:
        """The frequency set of a node, over the attributes that it names."""
        self._bring(node.dimensions, node.levels)
        return self._home()

    def outliers(self, nodes: Sequence[Node], demand: Demand) -> list[int]:
        """How many rows are in value groups that violate a demand, at each of some nodes: in one statement."""
        asked = union_all(
            Statement(
                "frequency/distant#shortfall",
                {
                    "node": Number(place),
                    "violating": demand.violating,
                    "groups": self._count(node.dimensions, node.levels),
                },
            )
            for place, node in enumerate(nodes)
        )
        told: dict[int, int] = dict(self._database.run(asked))
        return [int(told[place]) for place in range(len(nodes))]

    def sample(self, drawn: Mapping[Levels, int]) -> dict[str, NDArray[Any]]:
        """The tuples of samples, all in one: of value groups at nodes, each of one of so many parts."""
        return self._drawn(
            Statement("frequency/distant#sample", {"terms": self._terms(levels), "parts": Number(parts)})
            for levels, parts in drawn.items()
        )

    def rare(self, drawn: Mapping[Levels, int]) -> dict[str, NDArray[Any]]:
        """The tuples of other samples, all in one: of value groups at nodes, each of so much weight at least."""
        return self._drawn(
            Statement("frequency/distant#rare", {"terms": self._weights(levels), "least": Number(least)})
            for levels, least in drawn.items()
        )

    def weight(self, levels: Levels, codes: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """How rare the value group of each tuple is expected to be at a node, as :meth:`rare` has it."""
        found: NDArray[Any] = np.zeros(len(codes[0]), np.int64)
        for at in self._below(levels):
            found += self.weights[at][levels[at]][codes[at]]
        return found

    def _drawn(self, pieces: Iterable[Statement]) -> dict[str, NDArray[Any]]:
        every = tuple(dimension.position for dimension in self.dimensions)
        chosen = Statement("frequency/distant#drawn", {"samples": Joined(tuple(pieces), " or ")})
        self._bring(every, (0,) * len(every), drawn=lines([chosen]))
        return self._home()

    def factors(self, levels: Levels) -> list[tuple[int, int]]:
        """The attributes, from 0, by which a node's value groups are numbered, and what each counts."""
        return [(at, 1 + (at + 1) * 611_953 % (_FACTORS - 1)) for at in self._below(levels)]

    def about(self, levels: Levels) -> float:
        """About how many value groups a node has, as far as samples tell."""
        told = (each.tuples.groups(levels) * each.parts for each in self.samples if len(each.tuples))
        return float(min(told, default=self.rows))

    def beneath(self, star: Star, levels: Levels) -> Levels:
        """The node as which one comes :meth:`home`: what its cells' recoding changes may depend on their leaves."""
        mixed = set(star.session.run(Statement("frequency/distant#mixed", {"generalization": GENERALIZATION})))
        return tuple(0 if (at, level) in mixed else level for at, level in enumerate(levels, 1))

    def home(self, star: Star, levels: Levels) -> Star:
        """The star at home, where all that is asked of it is asked of a node, at these levels, and those above it.

        That is the one that came last, where it has all of that.
        """
        session, lowest = star.session, self.beneath(star, levels)
        for came in self.stars:
            if all(each.lowest <= level for each, level in zip(came.dimensions, lowest, strict=True)):
                return came
        self._bring([dimension.position for dimension in star.dimensions], lowest, checked=True)
        codes = [
            As(Name(*dimension.table.parts, f"ancestor_{level}"), dimension.column(level))
            for dimension in star.dimensions
            for level in range(dimension.height + 1)
        ]
        members = lines(
            Statement(
                "recoding/single_dimension#member",
                {"table": dimension.table, "code": Name("brought", *dimension.value.parts)},
            )
            for dimension in star.dimensions
        )
        holes: dict[str, Hole] = {"levels": columns(codes), "brought": _BROUGHT, "members": members}
        groups = session.create(STAR, Statement("frequency/distant#star", holes))
        session.drop(_BROUGHT)
        dimensions = (replace(each, lowest=level) for each, level in zip(star.dimensions, lowest, strict=True))
        self.stars[:] = [replace(star, dimensions=tuple(dimensions), combinations=groups, distant=None)]
        return self.stars[0]

    def _below(self, levels: Levels) -> list[int]:
        return [at for at, dimension in enumerate(self.dimensions) if levels[at] < dimension.height]

    def _weights(self, levels: Levels) -> Joined:
        below = self._below(levels)
        return Joined(tuple(Name(*self.dimensions[at].table.parts, f"weight_{levels[at]}") for at in below), " + ")

    def _terms(self, levels: Levels) -> Joined:
        terms = (
            Statement(
                "frequency/distant#term",
                {"code": Name(*self.dimensions[at].table.parts, f"ancestor_{levels[at]}"), "factor": Number(factor)},
            )
            for at, factor in self.factors(levels)
        )
        return Joined(tuple(terms), " + ")

    def _count(
        self, positions: Sequence[int], levels: Sequence[int], *, drawn: Joined | None = None, checked: bool = False
    ) -> Statement:
        source, some = self.source, [self.dimensions[position - 1] for position in positions]
        codes = [Name(*d.table.parts, f"ancestor_{level}") for d, level in zip(some, levels, strict=True)]
        needed = self.dimensions if drawn else some
        holes: dict[str, Hole] = {
            "values": columns(As(code, Name(f"value_{place}")) for place, code in enumerate(codes, 1)),
            "checksum": source.checksum if checked else Number(0),
            "source": source.relation,
            "maps": lines(_map(dimension, source) for dimension in needed),
            "drawn": drawn or lines(()),
            "codes": Joined(tuple(codes), ", "),
        }
        return Statement("frequency/distant", holes)

    def _bring(self, positions: Sequence[int], levels: Sequence[int], **asked: Any) -> None:
        names = [*(f"value_{place}" for place in range(1, len(positions) + 1)), "checksum", "frequency"]
        yielded, counted = [Column(name, "BIGINT") for name in names], self._count(positions, levels, **asked)
        with reading(self.source):
            told = self.source.host.gather_classes(_BROUGHT, counted, yielded, size=Name("frequency"))
        rows, groups, smallest = self._session.row(Statement("frequency/size", {"frequency": _BROUGHT}))
        if told != Told(groups, smallest, rows):
            raise VerificationError(f"the combinations of {self.source.label} are not those that its database sent")
        if "drawn" not in asked and rows != self.rows:
            raise SourceError(f"{self.source.label} changed while it was read: run again")

    @property
    def _database(self) -> Database:
        assert isinstance(self.source.host, Database)
        return self.source.host

    @property
    def _session(self) -> Session:
        return self._database.session

    def _home(self) -> dict[str, NDArray[Any]]:
        found = self._session.columns(Statement("source/relation", {"relation": _BROUGHT}))
        self._session.drop(_BROUGHT)
        return found


def at_home(session: Session) -> int:
    """How many combinations come home at most: as many as the working store has memory for, never over ten million."""
    return min(AT_HOME, session.memory_bytes // _BYTES)


def compress(session: Session, source: Source, job: Job) -> int | None:
    """How many combinations a source has, where they are too many to come home and the search can do without them.

    Then the frequency sets of the attributes are at home, each alone as :func:`~starcloak.star.marginal`.
    """
    host = source.host
    if host is session or not isinstance(host, Database) or not _serves(host, job):
        return None
    with reading(source):
        (rows,) = host.row(Statement("frequency/distant#rows", {"source": source.relation}))
    most = at_home(session)
    if rows <= most:
        return None
    numbers = range(1, len(source.quasi_identifiers) + 1)
    values, apart = ([Name(f"{kind}_{number}") for number in numbers] for kind in ("value", "apart"))
    yielded = [column.under(value.parts[0]) for value, column in zip(values, source.quasi_identifiers, strict=True)]
    yielded += [Column(name, "BIGINT") for name in (*(each.parts[0] for each in apart), "groups", "frequency")]
    with reading(source):
        host.gather(_MARGINALS, _marginals(source, values, apart), yielded)
    together = Joined(tuple(apart), " + ")
    of_all: dict[str, Hole] = {"together": together, "marginals": _MARGINALS}
    (combinations,) = session.row(Statement("frequency/marginals#combinations", of_all))
    many = combinations > most
    for number, value, own in zip(numbers if many else (), values, apart, strict=False):
        holes: dict[str, Hole] = {**of_all, "value": value, "apart": own, "others": Number(len(values) - 1)}
        session.create(marginal(number), Statement("frequency/marginals#of", holes))
    session.drop(_MARGINALS)
    return int(combinations) if many else None


def _marginals(source: Source, values: Sequence[Name], apart: Sequence[Name]) -> Statement:
    names = [Name("source", column.name) for column in source.quasi_identifiers]
    alone = [Statement("frequency/marginals#apart", {"column": name}) for name in names]
    together = Joined(tuple(alone), " + ")
    # Of one attribute, all together are itself.
    cells: list[Hole] = [
        Statement("frequency/marginals#value", {"together": together, "column": name}) if len(names) > 1 else name
        for name in names
    ]
    sets = [Joined((name,), ", ") for name in names] + ([source.grouped] if len(names) > 1 else [])
    holes: dict[str, Hole] = {
        "names": columns([*values, *apart]),
        "values": columns(map(As, cells, values)),
        "apart": columns(map(As, alone, apart)),
        "source": source.relation,
        "sets": Joined(tuple(Statement("frequency/marginals#set", {"columns": some}) for some in sets), ", "),
    }
    return Statement("frequency/marginals", holes)


def send(star: Star, source: Source) -> Star:
    """Have the dimensions of a star where the rows of its source are."""
    types = {column.name: column.type for column in source.quasi_identifiers}
    tables = [_table(dimension, types[dimension.attribute]) for dimension in star.dimensions]
    names = source.host.carry(tables)
    sent = tuple(replace(dimension, elsewhere=names[dimension.table]) for dimension in star.dimensions)
    weights = [_weights_of(star.session, *each) for each in zip(star.dimensions, tables, strict=True)]
    return replace(star, distant=Distant(source, sent, star.rows, weights))


def _serves(host: Database, job: Job) -> bool:
    """Whether the search asks for frequency sets of nodes alone, and these can be counted there."""
    return (
        host.has_grouping_sets
        and host.holds_tables
        and job.algorithm.counts_at_nodes
        and job.required.single
        and job.required.is_of_k
        and not job.required.of_population
        and job.class_column is None
        and not job.as_set
        and not (job.refresh or job.against)
    )


def _map(dimension: Dimension, source: Source) -> Statement:
    (column,) = (each for each in source.quasi_identifiers if each.name == dimension.attribute)
    match = match_of(dimension, column, source.host)
    return Statement("release/recode#map", {"table": dimension.table, "match": match})


def _weights_of(session: Session, dimension: Dimension, table: Table) -> list[NDArray[Any]]:
    """By level the weights of a dimension's leaves, at their codes."""
    told = session.columns(table.rows)
    codes = told["ancestor_0"]
    weights: NDArray[Any] = np.zeros((dimension.height + 1, int(codes.max(initial=0)) + 1), np.int64)
    for level, each in enumerate(weights):
        each[codes] = told[f"weight_{level}"]
    return list(weights)


def _table(dimension: Dimension, kind: str) -> Table:
    levels = range(dimension.height + 1)
    codes, weights = [f"ancestor_{level}" for level in levels], [f"weight_{level}" for level in levels]
    shape = (("present", TRUTH), ("value", Type(kind)), *((name, WHOLE) for name in (*codes, *weights)))
    text = As(Statement("source/text", {"column": Name("value")}), Name("value"))
    own = (Statement("frequency/distant#weight", {"code": Name("leaves", *dimension.column(n).parts)}) for n in levels)
    holes: dict[str, Hole] = {
        "columns": columns([Name("present"), text, *map(Name, codes)]),
        "weights": columns(map(As, own, map(Name, weights))),
        "table": dimension.table,
        "leaves": leaves(dimension.position),
        "leaf": Name("leaves", *dimension.column(0).parts),
    }
    rows = Statement("frequency/distant#weighted", holes)
    return Table(dimension.table, shape, rows, key="value" if dimension.missing else None)
