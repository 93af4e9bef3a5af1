"""The star schema: the base frequency set as fact table, one dimension table per generalization hierarchy.

LeFevre, DeWitt, Ramakrishnan 2005, section 3 and Figure 4. The fact table is the frequency set of the source with
respect to the ungeneralized quasi-identifier, so no row is read again until the release.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from starcloak import hierarchy
from starcloak.column import Column
from starcloak.errors import RequirementError, SourceError, StatementError, VerificationError
from starcloak.job import Job
from starcloak.session import Session
from starcloak.source import Source
from starcloak.statement import As, Hole, Joined, Name, Number, Statement, columns, lines, union_all

BASE = Name("base")
STAR = Name("star")
GENERALIZATION = Name("generalization")
CLASS = Name("class")

# How DuckDB refuses a value that has no text, such as a time after the year 294,247 of a Parquet file.
_NO_TEXT = ("Internal", "Conversion", "OutOfRange")


@dataclass(frozen=True)
class Dimension:
    """The dimension table of one attribute of the quasi-identifier.

    ``position`` counts from 1; ``height`` is the number of levels above the leaves; ``missing`` tells whether a row of
    the source has no value. The table has one row per member: ``code``, ``present``, ``value``, ``level_0`` …
    ``level_<height>``, ``ancestor_0`` … ``ancestor_<height>``; where it is ``numeric`` also ``number``, exact, which
    orders the codes and is missing for the missing value, the last one.
    """

    attribute: str
    position: int
    height: int
    numeric: bool = False
    missing: bool = False
    elsewhere: Name | None = None

    @property
    def table(self) -> Name:
        return self.elsewhere or Name(f"dimension_{self.attribute}")

    @property
    def value(self) -> Name:
        """Its column of the base frequency set."""
        return Name(f"value_{self.position}")

    def column(self, level: int) -> Name:
        """Its column of the star at a level, such as zip_2."""
        return Name(f"{self.attribute}_{level}")


@dataclass(frozen=True)
class Star:
    """The star schema of one run.

    ``rows`` is the number of rows of the source, ``combinations`` that of the base frequency set. ``facts`` is the fact
    table and ``generalization`` the relation of all levels of all dimensions.
    """

    session: Session
    dimensions: tuple[Dimension, ...]
    rows: int
    combinations: int
    facts: Name = STAR
    generalization: Name = GENERALIZATION

    @property
    def heights(self) -> tuple[int, ...]:
        return tuple(dimension.height for dimension in self.dimensions)

    @property
    def lattice_nodes(self) -> int:
        """The number of nodes of the multi-attribute generalization lattice (section 2)."""
        return prod(height + 1 for height in self.heights)


def compress(source: Source, *, classes: str | None = None) -> None:
    """Create the base frequency set: one GROUP BY over the source.

    Section 1.1, Frequency Set. Its ``checksum`` tells the kept cells of each tuple's rows from others. ``classes`` is a
    column whose values are to be told apart, too, as ``class``. Raises :class:`SourceError` where the rows cannot be
    read.
    """
    read = [(f"value_{position}", column) for position, column in enumerate(source.quasi_identifiers, 1)]
    read += [(CLASS.parts[0], column) for column in source.kept if column.name == classes]
    values = (As(Name("source", column.name), Name(name)) for name, column in read)
    grouped = Joined(tuple(Name("source", column.name) for _, column in read), ", ")
    holes: dict[str, Hole] = {
        "values": columns(values),
        "checksum": source.checksum,
        "source": source.relation,
        "columns": grouped,
    }
    sums = (Column(name, "BIGINT") for name in ("checksum", "frequency"))
    yielded = [*(replace(column, name=name) for name, column in read), *sums]
    try:
        source.host.gather(BASE, Statement("frequency/base", holes), yielded)
    except StatementError as error:
        raise SourceError(
            f"{source.label} cannot be read ({error.kind}): check that its rows are well-formed"
        ) from None


def build(session: Session, source: Source, job: Job) -> Star:
    """Build the star schema over the base frequency set.

    Raises :class:`SourceError` for a source without rows, :class:`RequirementError` for one with fewer rows than k,
    :class:`HierarchyError` for a hierarchy that does not fit the source.
    """
    rows, combinations = session.row(Statement("frequency/size", {"frequency": BASE}))
    source.refuse_lost(rows)
    if not rows:
        raise SourceError(f"{source.label} has no rows: there is nothing to release")
    largest = max(qid.k for qid in job.qids)
    if rows < largest:
        raise RequirementError(f"{source.label} has fewer than k = {largest} rows: no generalization can help")
    dimensions = []
    for position, column in enumerate(source.quasi_identifiers, 1):
        domain, members = Name("domain"), Name("members")
        value = Name(f"value_{position}")
        session.create(domain, Statement("hierarchy/domain", {"value": value, "base": BASE}))
        declared = job.quasi_identifiers[column.name]
        try:
            height = hierarchy.members(session, declared, column, host=source.host, domain=domain, into=members)
        except StatementError as error:
            if not error.kind.startswith(_NO_TEXT):
                raise
            raise SourceError(
                f"{source.label}: quasi-identifier {column.name!r} has values that have no text: cast it in a query"
            ) from None
        (missing,) = session.row(Statement("star/missing", {"domain": domain}))
        dimension = Dimension(column.name, position, height, numeric=declared == "numeric", missing=missing)
        session.create(dimension.table, _dimension(dimension, members))
        session.drop(domain, members)
        dimensions.append(dimension)
    session.create(GENERALIZATION, _generalization(dimensions))
    session.create(STAR, _star(dimensions, classes=job.class_column is not None))
    starred, _ = session.row(Statement("frequency/size", {"frequency": STAR}))
    if starred != rows:
        raise VerificationError("the star schema lost or doubled rows: nothing was published")
    return Star(session, tuple(dimensions), rows, combinations)


def with_dimensions(star: Star, dimensions: Sequence[Dimension]) -> Star:
    """The star with other levels above the same leaves. The fact table keeps its columns."""
    star.session.create(star.generalization, _generalization(dimensions))
    return replace(star, dimensions=tuple(dimensions))


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
    statement = Statement("frequency/recount", {"node": Number(number), "levels": levels, "star": star.facts})
    session.create(facts, statement)
    session.create(generalization, _generalization(dimensions))
    rows, combinations = session.row(Statement("frequency/size", {"frequency": facts}))
    return Star(session, dimensions, rows, combinations, facts, generalization)


def without_numbers(star: Star) -> Star:
    """The star with its numeric attributes as hierarchies of one step."""
    return with_dimensions(star, [replace(dimension, numeric=False) for dimension in star.dimensions])


def children(star: Star) -> dict[tuple[int, int], int]:
    """How many values at most are under one value of the next level, by a dimension's position and the level."""
    counted = union_all(
        Statement(
            "star/children",
            {
                "dimension": Number(dimension.position),
                "level": Number(level),
                "below": Name(f"ancestor_{level}"),
                "above": Name(f"ancestor_{level + 1}"),
                "table": dimension.table,
            },
        )
        for dimension in star.dimensions
        for level in range(dimension.height)
    )
    return {(position, level): most for position, level, most in star.session.run(counted)}


def _dimension(dimension: Dimension, members: Name) -> Statement:
    levels = [Name(f"level_{level}") for level in range(dimension.height + 1)]
    ancestors = (
        As(Statement("star/ancestor", {"level": level}), Name(f"ancestor_{index}"))
        for index, level in enumerate(levels)
    )
    number = [Name("number")] if dimension.numeric else []
    return Statement(
        "star/dimension",
        {
            "levels": columns([*number, *levels]),
            "ancestors": columns(ancestors),
            "order": columns([*number, levels[0]] if dimension.numeric else reversed(levels)),
            "members": members,
        },
    )


def _generalization(dimensions: Sequence[Dimension]) -> Joined:
    return union_all(
        Statement(
            "star/generalization",
            {
                "dimension": Number(dimension.position),
                "level": Number(level),
                "name": Name(f"level_{level}"),
                "ancestor": Name(f"ancestor_{level}"),
                "table": dimension.table,
            },
        )
        for dimension in dimensions
        for level in range(dimension.height + 1)
    )


def _star(dimensions: Sequence[Dimension], *, classes: bool) -> Statement:
    # What tells classes apart asks for the leaves alone.
    levels = [
        As(Name(*dimension.table.parts, f"ancestor_{level}"), dimension.column(level))
        for dimension in dimensions
        for level in range(1 if classes else dimension.height + 1)
    ]
    if classes:
        levels.append(As(Name("base", *CLASS.parts), CLASS))
    joins = (Statement("star/join", {"table": dimension.table, "value": dimension.value}) for dimension in dimensions)
    return Statement("star/star", {"levels": columns(levels), "base": BASE, "dimensions": lines(joins)})
