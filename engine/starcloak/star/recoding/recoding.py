"""The base of every recoding.

A recoding relation has, for every tuple of the base frequency set, ``code_1 …`` (its leaves), ``level_1 …`` (the level
of each of its cells), ``frequency`` and ``suppressed``; the relation of a single-dimension recoding also has
``checksum``. A tuple may occur several times, with shares of its frequency. A cell of a numeric attribute may carry a
range of its own, at level 1: ``text_i`` is its text, and ``share_i`` the share of the attribute's other leaves covered
by it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, Self

from starcloak.base.column import Column
from starcloak.star.star import Dimension, Star, match_of
from starcloak.statements.statement import (
    As,
    Hole,
    Joined,
    Name,
    Number,
    Statement,
    Type,
    columns,
    conditions,
    lines,
    union_all,
)
from starcloak.store.relations import BEYOND
from starcloak.store.source import Source
from starcloak.store.tables import TRUTH, Table

RECODING = Name("recoding")
_WHOLE = Name("recoding_of_all")
#: The value groups with suppressed rows.
OUTLIERS = Name("outliers")

Model = Literal["full-domain", "single-dimension", "multi-dimension", "local"]


@dataclass(frozen=True)
class Recoding(ABC):
    """A recoding of the quasi-identifier, and the statements that apply it to the source.

    ``suppressed`` counts the suppressed rows; ``has_checksums`` is true if ``expected`` has the checksums of its
    tuples.
    """

    star: Star
    seed: int
    suppressed: int

    model: ClassVar[Model]
    has_checksums: ClassVar[bool] = True
    #: Columns of the relation ``recoding`` that put the parts of a tuple in order, before their levels.
    parts_in: ClassVar[tuple[str, ...]] = ()

    @property
    def ranged(self) -> tuple[int, ...]:
        """The positions of the attributes with ranges of their own in cells."""
        return ()

    @property
    @abstractmethod
    def levels(self) -> dict[str, int]:
        """The level of each attribute; the lowest, if its cells are at several levels."""

    @property
    @abstractmethod
    def levels_in_use(self) -> dict[str, tuple[int, ...]]:
        """The levels of each attribute's cells."""

    @property
    def hierarchy_levels(self) -> dict[str, int]:
        """``levels`` as the hierarchies count them, each from its own leaves."""
        levels = self.levels
        return dict(zip(levels, self.star.hierarchy_levels(list(levels.values())), strict=True))

    @property
    @abstractmethod
    def described(self) -> str:
        """The recoding in words."""

    @property
    @abstractmethod
    def expected(self) -> Statement:
        """The statement with the generalized tuples of the release, with their frequencies and checksums."""

    @abstractmethod
    def release(self, source: Source) -> Statement:
        """The statement with the released rows."""

    def pack(self, source: Source) -> Self:
        """The recoding with a release that the working store sorts in less memory; for most recodings the same one."""
        return self

    def project(self, source: Source, release: Name) -> Statement:
        """The statement with the released rows of a release that has further columns."""
        # Of a data frame it has no kept cells, but the numbers of the rows that have them.
        there = source if source.frame is None else replace(source, released=source.remade)
        return Statement(
            "star/recoding/projected", cells=self._cells_beside(source), release=release, shuffled=self._shuffle(there)
        )

    @abstractmethod
    def tables(self, source: Source) -> list[Table]:
        """The tables read by the release's statement beside the source."""

    def elsewhere(self, names: Mapping[Name, Name]) -> Self:
        """The recoding with other names of its tables, such as those in a script."""
        dimensions = tuple(
            replace(dimension, elsewhere=names[dimension.table]) if dimension.table in names else dimension
            for dimension in self.star.dimensions
        )
        return replace(self, star=replace(self.star, dimensions=dimensions))

    @property
    def _changing(self) -> tuple[Dimension, ...]:
        """The dimensions needed by the release: a row with an unchanged value needs no dimension."""
        return self.star.dimensions

    def _maps(self, source: Source) -> Joined:
        types = {column.name: column for column in source.quasi_identifiers}
        return lines(
            Statement("star/recoding/recode#map", table=d.table, match=match_of(d, types[d.attribute], source.host))
            for d in self._changing
        )

    def _cells_beside(self, source: Source) -> Joined:
        return Joined(tuple(source.selected), ", ")

    def _numbers(self, source: Source) -> list[Name]:
        """The number column of a data frame's rows."""
        return [Name("source", *source.frame.position.parts)] if source.frame is not None else []

    def _shuffle(self, source: Source, packed: Collection[str] = ()) -> Statement:
        cells = Joined(tuple(sortable(column, packed=column.name in packed) for column in source.released), ", ")
        return Statement("star/recoding/recode#shuffled", seed=Number(self.seed), columns=cells)

    def _dimensions(self, source: Source, columns_of: Callable[[Dimension], Sequence[tuple[str, Type]]]) -> list[Table]:
        """The dimension tables: the leaves present in the source, with some further columns."""
        tables = []
        types = {column.name: column.type for column in source.quasi_identifiers}
        for dimension in self._changing:
            shape = (("present", TRUTH), ("value", Type(types[dimension.attribute])), *columns_of(dimension))
            value = As(Statement("store/text", column=Name("value")), Name("value"))
            named = [value if name == "value" else Name(name) for name, _ in shape]
            rows = Statement("star/recoding/present", columns=columns(named), table=dimension.table)
            tables.append(Table(dimension.table, shape, rows, key="value" if dimension.missing else None))
        return tables


def sortable(column: Column, *relation: str, packed: bool = False) -> Hole:
    """A column, or its text, as not every type has an order or a hash, and a packed one has others."""
    name = Name(*relation, column.name)
    return name if column.is_groupable and not packed else Statement("store/text", column=name)


def other_names(source: Source, *wanted: str) -> list[Name]:
    """Names unused by any column of the source's relation, released or not."""
    there = (*source.released, *source.beside, *source.persons, *source.identifiers)
    taken = {column.name.casefold() for column in there}
    names = []
    for name in wanted:
        while name in taken:
            name += "_"
        names.append(Name(name))
    return names


def ambiguous(recoding: Recoding) -> list[str]:
    """A warning per attribute with a label that may mean several groups of values: 20 for 20-24 and 20-39."""
    used = recoding.levels_in_use
    mixed = {d.position: d for d in recoding.star.dimensions if len(used[d.attribute]) > 1}
    if not mixed:
        return []
    levels = union_all(
        Statement(
            "star/recoding/labels#level",
            dimension=Number(position),
            level=Name(f"level_{level}"),
            table=dimension.table,
        )
        for position, dimension in mixed.items()
        for level in used[dimension.attribute]
    )
    ambiguous_labels = recoding.star.session.run(Statement("star/recoding/labels", levels=levels))
    return [
        f"hierarchy of {mixed[position].attribute!r}: {labels:,} labels stand for several groups of values, and the "
        "release mixes levels, so that nobody can tell which is meant: give each group a label of its own, such as "
        "20-24 and 20-39 in place of 20"
        for position, labels in ambiguous_labels
    ]


@dataclass(frozen=True)
class Mixed(Recoding):
    """A recoding that takes cells of one attribute to several levels.

    ``in_use`` has the levels of each attribute's released cells.
    """

    in_use: tuple[tuple[int, ...], ...]
    with_ranges: tuple[int, ...] = ()

    @property
    def ranged(self) -> tuple[int, ...]:
        return self.with_ranges

    @property
    def levels(self) -> dict[str, int]:
        return {name: levels[0] for name, levels in self.levels_in_use.items()}

    @property
    def levels_in_use(self) -> dict[str, tuple[int, ...]]:
        return {
            dimension.attribute: levels for dimension, levels in zip(self.star.dimensions, self.in_use, strict=True)
        }

    @property
    def described(self) -> str:
        return f"a {self.model} recoding of " + ", ".join(
            f"{d.attribute} at level{'s' * (len(levels) > 1)} {' '.join(str(d.hierarchy_level(at)) for at in levels)}"
            for d, levels in zip(self.star.dimensions, self.in_use, strict=True)
        )

    @property
    def expected(self) -> Statement:
        joins = (
            Statement(
                "star/recoding/single_dimension#member", table=d.table, code=Name("recoding", f"code_{d.position}")
            )
            for d in self.star.dimensions
        )
        cells = (As(self._cell(d, "recoding"), Name(f"cell_{d.position}")) for d in self.star.dimensions)
        return Statement(
            "star/recoding/generalized",
            cells=columns(cells),
            checksum=Name("recoding", "checksum") if self.has_checksums else Number(0),
            recoding=RECODING,
            members=lines(joins),
        )

    def _cell(self, dimension: Dimension, relation: str) -> Statement:
        return cell(dimension, relation, self.ranged)


def released_cell(text: Hole, column: Column, *, keeps_type: bool) -> As:
    """A changed cell of a release: its text or, in a column that keeps its type, the source's own value unless the text
    is missing.
    """
    own = Statement("star/recoding/recoded#own", text=text, cell=Name("source", column.name))
    return As(own if keeps_type else text, Name(column.name))


def goals(star: Star, ranged: tuple[int, ...]) -> list[Name]:
    """The recoding columns of a tuple: a level per attribute, and the texts of its ranges."""
    levels = [Name(f"level_{dimension.position}") for dimension in star.dimensions]
    return [*levels, *(Name(f"text_{position}") for position in ranged)]


def summary(star: Star) -> tuple[int, tuple[tuple[int, ...], ...]]:
    """The number of rows suppressed in the relation ``recoding``, and the levels of each attribute's released
    cells.
    """
    session = star.session
    spread = union_all(
        Statement(
            "star/recoding/levels_in_use",
            dimension=Number(d.position),
            level=Name(f"level_{d.position}"),
            recoding=RECODING,
        )
        for d in star.dimensions
    )
    in_use: dict[int, set[int]] = {d.position: set() for d in star.dimensions}
    for position, level in session.run(spread):
        in_use[position].add(level)
    (suppressed,) = session.row(Statement("measures/recoding#suppressed", recoding=RECODING))
    return suppressed, tuple(tuple(sorted(in_use[d.position])) or (0,) for d in star.dimensions)


def add_left_out(star: Star) -> None:
    """Mark rows suppressed before the search as suppressed in the relation ``recoding``."""
    if not star.left_out:
        return
    codes = [(Name("star", *d.column(0).parts), Name(f"code_{d.position}")) for d in star.dimensions]
    level = Statement("star/recoding/full_domain#level", level=Number(0))
    match = (
        Statement("star/recoding/recode#match", one=leaf, other=Name("recoding", *code.parts)) for leaf, code in codes
    )
    holes: dict[str, Hole] = {
        "recoding": RECODING,
        "codes": columns(As(leaf, code) for leaf, code in codes),
        "levels": columns(As(level, Name(f"level_{d.position}")) for d in star.dimensions),
        "star": BEYOND,
        "leaves": conditions(match),
    }
    star.session.create(_WHOLE, Statement("star/ceilings#recoded", **holes))
    star.session.drop(RECODING)  # one that was received at hand would hide the other
    star.session.create(RECODING, Statement("store/relation", relation=_WHOLE))
    star.session.drop(_WHOLE)


def cell(dimension: Dimension, relation: str, ranged: Sequence[int]) -> Statement:
    """The text of a tuple's cell in an attribute, from a relation with levels and possibly ranges."""
    own = Name(relation, f"text_{dimension.position}") if dimension.position in ranged else None
    return cell_at(dimension, Name(relation, f"level_{dimension.position}"), own=own)


def cell_at(dimension: Dimension, level: Hole, *, own: Hole | None = None) -> Statement:
    """The text of a dimension's member at a level that depends on the row; ``own`` is the range used at level 1."""
    values: list[Hole] = [Name(*dimension.table.parts, f"level_{at}") for at in range(dimension.height + 1)]
    if own is not None:
        values[1] = own
    texts = (Statement("star/recoding/recoded#at_level", at=Number(at), value=value) for at, value in enumerate(values))
    return Statement("star/recoding/recoded#cell", level=level, values=Joined(tuple(texts), " "))
