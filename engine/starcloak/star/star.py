"""The star schema: the base frequency set as fact table, one dimension table per generalization hierarchy.

LeFevre, DeWitt, Ramakrishnan 2005, section 3 and Figure 4. The fact table is the frequency set of the source with
respect to the ungeneralized quasi-identifier, so no row is read again until the release. If the base frequency set is
too large for the working store (an embedded DuckDB), the rows stay in the source's database, and frequency sets are
counted there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from starcloak.base.column import Column
from starcloak.base.errors import JobError, SourceError, VerificationError
from starcloak.privacy.aggregates import Carried, Domain
from starcloak.star.working_tables import GENERALIZATION, STAR
from starcloak.statements.statement import As, Hole, Joined, Name, Number, Statement, columns, lines, union_all
from starcloak.store.databases.host import ClassTotals
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
    """Count of an attribute's cells with a value absent from the leaves of the hierarchy.

    ``cells`` is this count; ``present`` counts all cells with a value. At level 1 and above, such a cell is released as
    missing or as the top of the hierarchy, by the hierarchy's setting ``nonconforming``.
    """

    cells: int
    present: int

    @property
    def share(self) -> float:
        """Share of cells without a leaf among the cells with a value, from 0 to 1."""
        return self.cells / max(self.present, 1)


@dataclass(frozen=True)
class Dimension:
    """The dimension table of one attribute of the quasi-identifier.

    ``position`` is the attribute's position in the quasi-identifier, from 1. ``height`` is the number of levels above
    the leaves. ``is_suppressed`` is true for an attribute with one step from the leaves to the top in place of a
    hierarchy. ``missing`` is true if a row of the source has no value of the attribute. The working store has no values
    of levels below ``lowest``: the code of a value at ``lowest`` is the code of the first leaf under the value.

    The table has one row per member (a leaf with its generalizations): ``code``, ``present``, ``value``, ``level_0`` …
    ``level_<height>`` (texts), ``ancestor_0`` … ``ancestor_<height>`` (codes). The table of a ``numeric`` attribute
    also has the exact ``number`` of the leaf; codes follow the order of the numbers. The missing value has no number
    and the last code.

    Levels count from the lowest level allowed by the job. ``beneath`` and ``above`` are the numbers of hierarchy levels
    below and above the allowed levels. With levels beneath, the dimension is ``floored``: no value is released
    unchanged, and members with one value at level 0 share a code. ``capped`` is true if the job sets the highest level;
    this level may have several values. ``importance`` is the weight of the attribute's information loss in a search.
    ``nonconforming`` counts the cells without a leaf, if the job has a setting for such cells. ``is_sparse`` is true if
    more than half of the leaves occur in no row. With ``keeps_type``, a released cell is the source's own value, or
    missing if the cell is suppressed. ``elsewhere`` is the table's name on another host, such as the source's database.
    """

    attribute: str
    position: int
    height: int
    numeric: bool = False
    is_suppressed: bool = False
    missing: bool = False
    lowest: int = 0
    elsewhere: Name | None = None
    beneath: int = 0
    above: int = 0
    capped: bool = False
    importance: Decimal = Decimal(1)
    nonconforming: Nonconforming | None = None
    is_sparse: bool = False
    keeps_type: bool = False

    @property
    def table(self) -> Name:
        """Name of the dimension table."""
        return self.elsewhere or Name(f"dimension_{self.attribute}")

    @property
    def value(self) -> Name:
        """Name of the attribute's column in the base frequency set: value_1, value_2, …."""
        return Name(f"value_{self.position}")

    @property
    def key(self) -> str:
        """Name of the dimension table's column with the codes used in the star and in frequency sets."""
        return f"ancestor_{self.lowest}" if self.lowest or self.floored else "code"

    @property
    def floored(self) -> bool:
        """True if the job's lowest level is above the leaves: no value is released unchanged."""
        return self.beneath > 0

    @property
    def hierarchy_height(self) -> int:
        """Height of the whole hierarchy, including the levels excluded by the job."""
        return self.beneath + self.height + self.above

    def hierarchy_level(self, level: int) -> int:
        """Convert a level of the dimension to a level of the whole hierarchy, counted from the hierarchy's leaves."""
        return self.beneath + level

    @property
    def bounds(self) -> tuple[int, int]:
        """The lowest and the highest level allowed by the job, counted from the leaves of the whole hierarchy."""
        return self.hierarchy_level(0), self.hierarchy_level(self.height)

    def tells_apart(self, level: int) -> bool:
        """True if the dimension may have several values at a level; false at a top with a single value."""
        return level < self.height or self.capped

    def keeps(self, levels: Sequence[int]) -> bool:
        """True if the attribute is released unchanged: its cells are at level 0 alone, and level 0 is the leaves."""
        return tuple(levels) == (0,) and not self.floored

    def has_source_type(self, levels: Sequence[int]) -> bool:
        """True if the attribute's column in a release at these levels has the type of the source's column."""
        return self.keeps_type or self.keeps(levels)

    def column(self, level: int) -> Name:
        """Name of the star's column with the attribute's codes at a level, such as zip_2."""
        return Name(f"{self.attribute}_{level}")


def refuse_lattice(dimensions: Sequence[Dimension], largest: int) -> None:
    """Refuse a generalization lattice with more than ``largest`` nodes. Raises :class:`JobError`."""
    nodes = prod(dimension.height + 1 for dimension in dimensions)
    if nodes > largest:
        highest = sorted(dimensions, key=lambda dimension: -dimension.height)[:3]
        raise JobError(
            f"the lattice of the {len(dimensions)} quasi-identifiers has {nodes:,} nodes, more than {largest:,}: drop "
            "quasi-identifiers, or levels of their hierarchies, first of "
            + ", ".join(f"{dimension.attribute} ({dimension.height + 1} levels)" for dimension in highest)
            + "; or choose the algorithm witness, which searches a part of the lattice, or mondrian, which needs "
            "no lattice"
        )


@dataclass(frozen=True)
class Star:
    """The star schema of one run.

    ``rows`` is the number of rows of the source, ``combinations`` the number of tuples of the base frequency set.
    ``facts`` is the fact table, ``generalization`` the relation with all levels of all dimensions. Besides the counts,
    the fact table and all frequency sets counted from it have the columns ``carried``: aggregates of sensitive
    attributes for privacy models. ``domains`` has the values of these attributes. If the base frequency set is too
    large for the working store, there is no fact table, and ``distant`` counts frequency sets in the source's database.
    ``left_out`` is the number of rows suppressed before a search: their value groups violate the requirement at the
    job's highest levels.
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
    #: Cache of the result rows of statements over this star, by the statements' names.
    read: dict[str, Any] = field(default_factory=dict, init=False, compare=False, repr=False)

    @property
    def attributes(self) -> list[str]:
        return [dimension.attribute for dimension in self.dimensions]

    @property
    def capped(self) -> tuple[Dimension, ...]:
        """The dimensions with a highest level set by the job."""
        return tuple(dimension for dimension in self.dimensions if dimension.capped)

    @property
    def merged(self) -> Joined:
        """The aggregates of a GROUP BY over the star: the sum of the counts, and the merged carried columns."""
        return columns([Statement("star/frequency/rollup#counted"), *(aggregate.merged for aggregate in self.carried)])

    @property
    def heights(self) -> tuple[int, ...]:
        return tuple(dimension.height for dimension in self.dimensions)

    @property
    def hierarchy_heights(self) -> dict[str, int]:
        """Heights of the whole hierarchies by attribute, including levels excluded by the job."""
        return {dimension.attribute: dimension.hierarchy_height for dimension in self.dimensions}

    def hierarchy_levels(self, levels: Sequence[int]) -> tuple[int, ...]:
        """Convert the levels of a node to levels of the whole hierarchies, counted from the hierarchies' leaves."""
        pairs = zip(self.dimensions, levels, strict=True)
        return tuple(dimension.hierarchy_level(level) for dimension, level in pairs)

    def hierarchy_height(self, height: int) -> int:
        """Convert the height of a node of all attributes to the sum of its levels in the whole hierarchies."""
        return height + sum(dimension.beneath for dimension in self.dimensions)

    @property
    def lattice_nodes(self) -> int:
        """The number of nodes of the multi-attribute generalization lattice (section 2)."""
        return prod(height + 1 for height in self.heights)


@dataclass(frozen=True)
class GroupSample:
    """A sample of whole value groups of a node: about one of ``parts`` groups, chosen by a hash of the codes.

    The sample also has whole value groups of every specialization of the node. ``groups`` returns the number of value
    groups in the sample at the given levels.
    """

    parts: int
    groups: Callable[[Levels], int]


@dataclass(frozen=True)
class RemoteCounts:
    """Counter of frequency sets in the source's database.

    ``dimensions`` have the names of the dimension tables sent to that database. ``samples`` and ``stars`` are the
    samples and the star already fetched to the working store.
    """

    source: Source
    dimensions: tuple[Dimension, ...]
    rows: int
    # Per attribute and level: the rarity of every leaf's ancestor (star/frequency/distant#weight), by leaf code.
    weights: Sequence[Sequence[NDArray[Any]]]
    samples: list[GroupSample] = field(default_factory=list)
    stars: list[Star] = field(default_factory=list)

    def frequencies(self, node: Node) -> dict[str, NDArray[Any]]:
        """Fetch the frequency set of a node: one array per column (value_1, value_2, …, checksum, frequency)."""
        self._bring(node.dimensions, node.levels)
        return self._home()

    def outliers(self, nodes: Sequence[Node], demand: Demand) -> list[int]:
        """Count the rows in value groups that violate a demand, for each of some nodes, by one statement."""
        statement = union_all(
            Statement(
                "star/frequency/distant#shortfall",
                node=Number(place),
                violating=demand.violating,
                groups=self._count(node.dimensions, node.levels),
            )
            for place, node in enumerate(nodes)
        )
        counts: dict[int, int] = dict(self._database.run(statement))
        return [int(counts[place]) for place in range(len(nodes))]

    def sample(self, drawn: Mapping[Levels, int]) -> dict[str, NDArray[Any]]:
        """Fetch the tuples of several samples of whole value groups, as one frequency set at the leaves.

        ``drawn`` has for each sampled node the number of parts: the sample has about one of so many value groups.
        """
        return self._drawn(
            Statement("star/frequency/distant#sample", terms=self._terms(levels), parts=Number(parts))
            for levels, parts in drawn.items()
        )

    def rare(self, drawn: Mapping[Levels, int]) -> dict[str, NDArray[Any]]:
        """Fetch the tuples of value groups expected to be small, as one frequency set at the leaves.

        ``drawn`` has for each node the least weight (rarity, see :meth:`weight`) of a value group in the sample.
        """
        return self._drawn(
            Statement("star/frequency/distant#rare", terms=self._weights(levels), least=Number(least))
            for levels, least in drawn.items()
        )

    def weight(self, levels: Levels, codes: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """Expected rarity of each tuple's value group at a node: the sum of the rarities of the group's values.

        The rarity of a value is minus the logarithm of its share of the rows, in twentieths. ``codes`` has the leaf
        codes of the tuples, per attribute.
        """
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
        """Attributes (from 0) with several values at a node, each with its factor in the hash of a sample."""
        return [(at, 1 + (at + 1) * 611_953 % (_FACTORS - 1)) for at in self._below(levels)]

    def about(self, levels: Levels) -> float:
        """Estimate of the number of value groups of a node, by the samples; the number of rows without any sample."""
        groups = (sample.groups(levels) * sample.parts for sample in self.samples)
        return float(min(groups, default=self.rows))

    def beneath(self, star: Star, levels: Levels) -> Levels:
        """The levels fetched by :meth:`home` for a node.

        An attribute is fetched at its leaves if the texts of its cells at the node's level depend on the leaf.
        """
        mixed = set(star.session.run(Statement("star/frequency/distant#mixed", generalization=GENERALIZATION)))
        return tuple(0 if (at, level) in mixed else level for at, level in enumerate(levels, 1))

    def home(self, star: Star, levels: Levels) -> Star:
        """Fetch a star for a node and its generalizations alone to the working store.

        Returns the last fetched star if it already has these levels.
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
        source, dimensions = self.source, [self.dimensions[position - 1] for position in positions]
        codes = [Name(*d.table.parts, f"ancestor_{level}") for d, level in zip(dimensions, levels, strict=True)]
        needed = self.dimensions if drawn else dimensions
        return Statement(
            "star/frequency/distant",
            values=columns(As(code, Name(f"value_{place}")) for place, code in enumerate(codes, 1)),
            checksum=source.checksum if checked else Number(0),
            source=source.relation,
            maps=lines(_map(dimension, source) for dimension in needed),
            drawn=drawn or lines(()),
            codes=Joined(tuple(codes), ", "),
        )

    def _bring(self, positions: Sequence[int], levels: Sequence[int], **question: Any) -> None:
        names = [*(f"value_{place}" for place in range(1, len(positions) + 1)), "checksum", "frequency"]
        yielded, counted = [Column(name, "BIGINT") for name in names], self._count(positions, levels, **question)
        with reading(self.source):
            totals = self.source.host.gather_classes(_BROUGHT, counted, yielded, size=Name("frequency"))
        rows, groups, smallest = self._session.row(Statement("star/frequency/size", frequency=_BROUGHT))
        if totals != ClassTotals(groups, smallest, rows):
            raise VerificationError(
                f"{self.source.label}: the fetched combinations of the quasi-identifiers differ from the count in "
                "the database, as the table changed meanwhile: run again"
            )
        if "drawn" not in question and rows != self.rows:
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
    """The star with other dimensions above the same leaves. The fact table is unchanged."""
    star.session.create(star.generalization, generalization_of(dimensions))
    return replace(star, dimensions=tuple(dimensions))


def without_importance(star: Star) -> Star:
    """The star with importance 1 for all attributes, for the information loss in the measures of a release."""
    if all(dimension.importance == 1 for dimension in star.dimensions):
        return star
    return replace(star, dimensions=tuple(replace(dimension, importance=Decimal(1)) for dimension in star.dimensions))


def project(star: Star, positions: Sequence[int], *, number: int) -> Star:
    """Create the star of some attributes; its fact table is the frequency set of these attributes at their leaves.

    ``positions`` are the attributes' positions, from 0. ``number`` is a suffix of the names of the created relations.
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
    """The star with numeric attributes treated as attributes with a hierarchy of one step."""
    return with_dimensions(star, [replace(dimension, numeric=False) for dimension in star.dimensions])


def children(star: Star) -> dict[tuple[int, int], int]:
    """Largest number of values with a common parent, by (position of the dimension, level of these values)."""
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
    """Condition for equality of a source row's value and the value of a member in the dimension table.

    Without missing values it is plain equality, which every database joins fast.
    """
    first, second = Name(*dimension.table.parts, "value"), Name("source", column.name)
    if dimension.missing:
        return host.same(first, second, column)
    return Statement("star/recoding/recode#match", one=first, other=second)


def member_joins(dimensions: Sequence[Dimension]) -> Joined:
    """Joins of the base frequency set with the dimension tables, one per dimension."""
    return lines(Statement("star/star#join", table=d.table, value=d.value) for d in dimensions)


def generalization_of(dimensions: Sequence[Dimension]) -> Statement:
    """The statement with all levels of all dimensions: one row per member and level."""
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
    """Condition for a text at a level that differs from the leaf's text.

    If the lowest level merges leaves, it is true if the text differs from the text of any of the merged leaves.
    """
    if not dimension.floored:
        return Statement("star/generalization#modified", name=name, leaf=Name("level_0"))
    return Statement("star/generalization#one_modified", name=name, leaf=Statement("store/text", column=Name("value")))


def _map(dimension: Dimension, source: Source) -> Statement:
    (column,) = (column for column in source.quasi_identifiers if column.name == dimension.attribute)
    match = match_of(dimension, column, source.host)
    return Statement("star/recoding/recode#map", table=dimension.table, match=match)
