"""The star schema: the base frequency set as fact table, one dimension table per generalization hierarchy.

LeFevre, DeWitt, Ramakrishnan 2005, section 3 and Figure 4. The fact table is the frequency set of the source with
respect to the ungeneralized quasi-identifier, so no row is read again until the release. Where that is too large to
come home, the rows stay where they are, and frequency sets are counted there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from starcloak.base.column import Column
from starcloak.base.errors import (
    JobError,
    SourceError,
    VerificationError,
)
from starcloak.privacy.aggregates import Carried, Domain
from starcloak.statements.statement import (
    As,
    Hole,
    Joined,
    Name,
    Number,
    Statement,
    columns,
    lines,
    union_all,
)
from starcloak.store.databases.host import ClassTotals
from starcloak.store.relations import (
    GENERALIZATION,
    STAR,
)
from starcloak.store.session import Session
from starcloak.store.source import Source, reading

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from starcloak.privacy.requirement import Demand
    from starcloak.star.open_nodes import Levels
    from starcloak.store.databases.database import Database
    from starcloak.store.databases.host import Host

_BROUGHT = Name("brought")
_FACTORS = 1_000_003  # as in star/frequency/distant#sample


@dataclass(frozen=True)
class Node:
    """A node of a generalization graph: a level for each of some dimensions (section 2).

    ``dimensions`` are positions in the quasi-identifier, from 1, ascending; ``levels`` count from 0, the leaves.
    """

    id: int
    dimensions: tuple[int, ...]
    levels: tuple[int, ...]

    @property
    def height(self) -> int:
        """The sum of the levels."""
        return sum(self.levels)


@dataclass(frozen=True)
class Nonconforming:
    """The cells of an attribute whose value has no leaf in its hierarchy, of all ``present`` ones: those that have a
    value. From level 1 on they are missing or the top, as the hierarchy says under ``nonconforming``.
    """

    cells: int
    present: int

    @property
    def share(self) -> float:
        """The share of the cells with a value, from 0 to 1."""
        return self.cells / max(self.present, 1)


@dataclass(frozen=True)
class Dimension:
    """The dimension table of one attribute of the quasi-identifier.

    ``position`` counts from 1; ``height`` is the number of levels above the leaves; ``is_suppressed`` tells whether it
    has no hierarchy but one step to the top, ``missing`` whether a row of the source has no value. At levels below
    ``lowest`` values did not come home: there a value goes by the first leaf under it. The table has one
    row per member: ``code``, ``present``, ``value``, ``level_0`` … ``level_<height>``, ``ancestor_0`` …
    ``ancestor_<height>``; where it is ``numeric`` also ``number``, exact, which orders the codes and is missing for the
    missing value, the last one. Where it is ``floored``, no value is released as it is: level 0 is a level above the
    leaves, and members that are one value there have one code. Where it is ``capped``, the job says what its highest
    level is, and that may have several values. What is lost in it counts by its ``importance`` while searching.
    ``nonconforming`` counts the cells without a leaf, if the job says what becomes of these. It ``is_sparse`` if more
    than half of its leaves occur in no row.
    """

    attribute: str
    position: int
    height: int
    numeric: bool = False
    is_suppressed: bool = False
    missing: bool = False
    lowest: int = 0
    elsewhere: Name | None = None
    floored: bool = False
    capped: bool = False
    importance: Decimal = Decimal(1)
    nonconforming: Nonconforming | None = None
    is_sparse: bool = False

    @property
    def table(self) -> Name:
        return self.elsewhere or Name(f"dimension_{self.attribute}")

    @property
    def value(self) -> Name:
        """Its column of the base frequency set."""
        return Name(f"value_{self.position}")

    @property
    def key(self) -> str:
        """The column of its table that has the codes of what came home."""
        return f"ancestor_{self.lowest}" if self.lowest or self.floored else "code"

    def tells_apart(self, level: int) -> bool:
        """Whether it may have several values at a level."""
        return level < self.height or self.capped

    def keeps(self, levels: Sequence[int]) -> bool:
        """Whether all cells of a release are the values of the source, where they are at these levels."""
        return tuple(levels) == (0,) and not self.floored

    def column(self, level: int) -> Name:
        """Its column of the star at a level, such as zip_2."""
        return Name(f"{self.attribute}_{level}")


def refuse_lattice(dimensions: Sequence[Dimension], largest: int) -> None:
    """Refuse a lattice of more nodes than the ``largest`` that is searched. Raises :class:`JobError`."""
    nodes = prod(dimension.height + 1 for dimension in dimensions)
    if nodes > largest:
        highest = sorted(dimensions, key=lambda dimension: -dimension.height)[:3]
        raise JobError(
            f"the lattice of the {len(dimensions)} quasi-identifiers has {nodes:,} nodes, more than {largest:,}: drop "
            "quasi-identifiers, or levels of their hierarchies, first of "
            + ", ".join(f"{dimension.attribute} ({dimension.height + 1} levels)" for dimension in highest)
            + "; or take witness, which goes by the best that it comes upon, or mondrian, which has no lattice"
        )


@dataclass(frozen=True)
class Star:
    """The star schema of one run.

    ``rows`` is the number of rows of the source, ``combinations`` that of the base frequency set. ``facts`` is the fact
    table and ``generalization`` the relation of all levels of all dimensions. Facts, and frequency sets counted from
    them, carry beside their counts what privacy models ``carried`` of sensitive attributes,
    whose values are the ``domains``. Where the base frequency set is too large to come home, there are no facts here,
    and what is ``distant`` counts frequency sets. ``left_out`` counts the rows that are left out of the facts before a
    search, as no group up to the highest levels that the job allows has enough of them.
    """

    session: Session
    dimensions: tuple[Dimension, ...]
    rows: int
    combinations: int
    facts: Name = STAR
    generalization: Name = GENERALIZATION
    carried: tuple[Carried, ...] = ()
    domains: Mapping[str, Domain] = field(default_factory=dict)
    distant: RemoteCounts | None = None
    left_out: int = 0

    @property
    def capped(self) -> tuple[Dimension, ...]:
        """The dimensions of which the job says what their highest level is."""
        return tuple(dimension for dimension in self.dimensions if dimension.capped)

    @property
    def merged(self) -> Joined:
        """What a GROUP BY makes of the counts, and of what is carried beside them."""
        return columns([Statement("star/frequency/rollup#counted"), *(held.merged for held in self.carried)])

    @property
    def heights(self) -> tuple[int, ...]:
        return tuple(dimension.height for dimension in self.dimensions)

    @property
    def lattice_nodes(self) -> int:
        """The number of nodes of the multi-attribute generalization lattice (section 2)."""
        return prod(height + 1 for height in self.heights)


@dataclass(frozen=True)
class GroupSample:
    """The rows of some of the value groups of a node, one of ``parts``: whole groups of it and of all nodes beneath.

    ``groups`` tells how many value groups of a node are in it.
    """

    parts: int
    groups: Callable[[Levels], int]


@dataclass(frozen=True)
class RemoteCounts:
    """Counts frequency sets where the source is. ``samples`` are those that came home, ``stars`` the one that did."""

    source: Source
    dimensions: tuple[Dimension, ...]
    rows: int
    # Per attribute and level the weight of every leaf's ancestor, as star/frequency/distant#weight has it.
    weights: Sequence[Sequence[NDArray[Any]]]
    samples: list[GroupSample] = field(default_factory=list)
    stars: list[Star] = field(default_factory=list)

    def frequencies(self, node: Node) -> dict[str, NDArray[Any]]:
        """The frequency set of a node, over the attributes that it names."""
        self._bring(node.dimensions, node.levels)
        return self._home()

    def outliers(self, nodes: Sequence[Node], demand: Demand) -> list[int]:
        """How many rows are in value groups that violate a demand, at each of some nodes: in one statement."""
        asked = union_all(
            Statement(
                "star/frequency/distant#shortfall",
                node=Number(place),
                violating=demand.violating,
                groups=self._count(node.dimensions, node.levels),
            )
            for place, node in enumerate(nodes)
        )
        counts: dict[int, int] = dict(self._database.run(asked))
        return [int(counts[place]) for place in range(len(nodes))]

    def sample(self, drawn: Mapping[Levels, int]) -> dict[str, NDArray[Any]]:
        """The tuples of samples, all in one: of value groups at nodes, each of one of so many parts."""
        return self._drawn(
            Statement("star/frequency/distant#sample", terms=self._terms(levels), parts=Number(parts))
            for levels, parts in drawn.items()
        )

    def rare(self, drawn: Mapping[Levels, int]) -> dict[str, NDArray[Any]]:
        """The tuples of other samples, all in one: of value groups at nodes, each of so much weight at least."""
        return self._drawn(
            Statement("star/frequency/distant#rare", terms=self._weights(levels), least=Number(least))
            for levels, least in drawn.items()
        )

    def weight(self, levels: Levels, codes: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """How rare the value group of each tuple is expected to be at a node, as :meth:`rare` has it."""
        weights: NDArray[Any] = np.zeros(len(codes[0]), np.int64)
        for at in self._below(levels):
            weights += self.weights[at][levels[at]][codes[at]]
        return weights

    def _drawn(self, pieces: Iterable[Statement]) -> dict[str, NDArray[Any]]:
        every = tuple(dimension.position for dimension in self.dimensions)
        chosen = Statement("star/frequency/distant#drawn", samples=Joined(tuple(pieces), " or "))
        self._bring(every, (0,) * len(every), drawn=lines([chosen]))
        return self._home()

    def factors(self, levels: Levels) -> list[tuple[int, int]]:
        """The attributes, from 0, by which a node's value groups are numbered, and what each counts."""
        return [(at, 1 + (at + 1) * 611_953 % (_FACTORS - 1)) for at in self._below(levels)]

    def about(self, levels: Levels) -> float:
        """About how many value groups a node has, as far as samples tell."""
        groups = (sample.groups(levels) * sample.parts for sample in self.samples)
        return float(min(groups, default=self.rows))

    def beneath(self, star: Star, levels: Levels) -> Levels:
        """The node as which one comes :meth:`home`: what its cells' recoding changes may depend on their leaves."""
        mixed = set(star.session.run(Statement("star/frequency/distant#mixed", generalization=GENERALIZATION)))
        return tuple(0 if (at, level) in mixed else level for at, level in enumerate(levels, 1))

    def home(self, star: Star, levels: Levels) -> Star:
        """The star at home, where all that is asked of it is asked of a node, at these levels, and those above it.

        That is the one that came last, where it has all of that.
        """
        session, lowest = star.session, self.beneath(star, levels)
        for came in self.stars:
            if all(dimension.lowest <= level for dimension, level in zip(came.dimensions, lowest, strict=True)):
                return came
        self._bring([dimension.position for dimension in star.dimensions], lowest, checked=True)
        codes = [
            As(Name(*dimension.table.parts, f"ancestor_{level}"), dimension.column(level))
            for dimension in star.dimensions
            for level in range(dimension.height + 1)
        ]
        members = lines(
            Statement(
                "star/recoding/single_dimension#member",
                table=dimension.table,
                code=Name("brought", *dimension.value.parts),
            )
            for dimension in star.dimensions
        )
        groups = session.create(
            STAR, Statement("star/frequency/distant#star", levels=columns(codes), brought=_BROUGHT, members=members)
        )
        session.drop(_BROUGHT)
        dimensions = (
            replace(dimension, lowest=level) for dimension, level in zip(star.dimensions, lowest, strict=True)
        )
        self.stars[:] = [replace(star, dimensions=tuple(dimensions), combinations=groups, distant=None)]
        return self.stars[0]

    def _below(self, levels: Levels) -> list[int]:
        return [at for at, dimension in enumerate(self.dimensions) if dimension.tells_apart(levels[at])]

    def _weights(self, levels: Levels) -> Joined:
        below = self._below(levels)
        return Joined(tuple(Name(*self.dimensions[at].table.parts, f"weight_{levels[at]}") for at in below), " + ")

    def _terms(self, levels: Levels) -> Joined:
        terms = (
            Statement(
                "star/frequency/distant#term",
                code=Name(*self.dimensions[at].table.parts, f"ancestor_{levels[at]}"),
                factor=Number(factor),
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
        return Statement(
            "star/frequency/distant",
            values=columns(As(code, Name(f"value_{place}")) for place, code in enumerate(codes, 1)),
            checksum=source.checksum if checked else Number(0),
            source=source.relation,
            maps=lines(_map(dimension, source) for dimension in needed),
            drawn=drawn or lines(()),
            codes=Joined(tuple(codes), ", "),
        )

    def _bring(self, positions: Sequence[int], levels: Sequence[int], **asked: Any) -> None:
        names = [*(f"value_{place}" for place in range(1, len(positions) + 1)), "checksum", "frequency"]
        yielded, counted = [Column(name, "BIGINT") for name in names], self._count(positions, levels, **asked)
        with reading(self.source):
            totals = self.source.host.gather_classes(_BROUGHT, counted, yielded, size=Name("frequency"))
        rows, groups, smallest = self._session.row(Statement("star/frequency/size", frequency=_BROUGHT))
        if totals != ClassTotals(groups, smallest, rows):
            raise VerificationError(f"the combinations of {self.source.label} are not those that its database sent")
        if "drawn" not in asked and rows != self.rows:
            raise SourceError(f"{self.source.label} changed while it was read: run again")

    @property
    def _database(self) -> Database:
        from starcloak.store.databases.database import Database  # which runs without one need not

        assert isinstance(self.source.host, Database)
        return self.source.host

    @property
    def _session(self) -> Session:
        return self._database.session

    def _home(self) -> dict[str, NDArray[Any]]:
        columns_home = self._session.columns(Statement("store/relation", relation=_BROUGHT))
        self._session.drop(_BROUGHT)
        return columns_home


def with_dimensions(star: Star, dimensions: Sequence[Dimension]) -> Star:
    """The star with other levels above the same leaves. The fact table keeps its columns."""
    star.session.create(star.generalization, generalization_of(dimensions))
    return replace(star, dimensions=tuple(dimensions))


def without_importance(star: Star) -> Star:
    """The star whose columns count alike, as they do in what is measured of a release."""
    return replace(star, dimensions=tuple(replace(each, importance=Decimal(1)) for each in star.dimensions))


def project(star: Star, positions: Sequence[int], *, number: int) -> Star:
    """The star of some of the attributes, by their positions from 0: its fact table is their frequency set.

    ``number`` tells its relations from those of other projections.
    """
    session = star.session
    dimensions = tuple(
        replace(star.dimensions[position], position=place) for place, position in enumerate(positions, 1)
    )
    facts, generalization = Name(f"star_{number}"), Name(f"generalization_{number}")
    levels = columns(dimension.column(level) for dimension in dimensions for level in range(dimension.height + 1))
    session.create(
        facts,
        Statement("star/frequency/recount", node=Number(number), levels=levels, merged=star.merged, star=star.facts),
    )
    session.create(generalization, generalization_of(dimensions))
    rows, combinations, _ = session.row(Statement("star/frequency/size", frequency=facts))
    return Star(session, dimensions, rows, combinations, facts, generalization, star.carried, star.domains)


def without_numbers(star: Star) -> Star:
    """The star with its numeric attributes as hierarchies of one step."""
    return with_dimensions(star, [replace(dimension, numeric=False) for dimension in star.dimensions])


def children(star: Star) -> dict[tuple[int, int], int]:
    """How many values at most are under one value of the next level, by a dimension's position and the level."""
    counted = [
        Statement(
            "star/children",
            dimension=Number(dimension.position),
            level=Number(level),
            below=Name(f"ancestor_{level}"),
            above=Name(f"ancestor_{level + 1}"),
            table=dimension.table,
        )
        for dimension in star.dimensions
        for level in range(dimension.height)
    ]
    if not counted:  # a job may leave each attribute one level
        return {}
    return {(position, level): most for position, level, most in star.session.run(union_all(counted))}


def match_of(dimension: Dimension, column: Column, host: Host) -> Statement:
    """That a row's value is a member's: where none is missing by plain equality, which every database joins fast."""
    one, other = Name(*dimension.table.parts, "value"), Name("source", dimension.attribute)
    if dimension.missing:
        return host.same(one, other, column)
    return Statement("star/recoding/recode#match", one=one, other=other)


def generalization_of(dimensions: Sequence[Dimension]) -> Statement:
    pieces = []
    for dimension in dimensions:
        levels = range(dimension.height + 1)
        holes: dict[str, Hole] = {
            "dimension": Number(dimension.position),
            "levels": Number(len(levels)),
            "ancestors": Joined(tuple(Name(f"ancestor_{level}") for level in levels), ", "),
            "modified": columns(_modified(dimension, Name(f"level_{level}")) for level in levels),
            "table": dimension.table,
        }
        pieces.append(Statement("star/generalization#dimension", **holes))
    return Statement("star/generalization", dimensions=union_all(pieces))


def _modified(dimension: Dimension, name: Name) -> Statement:
    """Whether a cell reads otherwise than its leaf; than one of those that a lowest level makes one with it, there."""
    if not dimension.floored:
        return Statement("star/generalization#modified", name=name, leaf=Name("level_0"))
    return Statement("star/generalization#one_modified", name=name, leaf=Statement("store/text", column=Name("value")))


def _map(dimension: Dimension, source: Source) -> Statement:
    (column,) = (column for column in source.quasi_identifiers if column.name == dimension.attribute)
    match = match_of(dimension, column, source.host)
    return Statement("star/recoding/recode#map", table=dimension.table, match=match)
