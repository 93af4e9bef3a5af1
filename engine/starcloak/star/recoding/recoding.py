"""Base class of all recodings: the assignment of a level to each cell, and the suppression of rows.

The relation ``recoding`` has, for every tuple of the base frequency set, ``code_1 …`` (the codes of the leaves),
``level_1 …`` (the level of each cell), ``frequency`` and ``suppressed``; the relation of a single-dimension recoding
also has ``checksum``. A tuple may occur several times, each time with a part of its frequency. At level 1, a cell of a
numeric attribute may have a range absent from the dimension table: ``text_i`` is the range's text, and ``share_i`` the
share of the attribute's other leaves covered by the range.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, Self

from starcloak.base.column import Column
from starcloak.star import working_tables
from starcloak.star.star import Dimension, Star, match_of
from starcloak.star.working_tables import BASE, sensitive_columns
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
from starcloak.store.source import Source
from starcloak.store.tables import TRUTH, Table

RECODING = Name("recoding")
#: The value groups with suppressed rows.
OUTLIERS = Name("outliers")

# Texts of a release are packed into enums while its rows are sorted: texts would be most of the sorted data. It pays
# from this number of rows of a source on; a type of two bytes has at most this number of texts.
_PACKED_ROWS, _PACKED_TEXTS = 100_000, 65_535

Model = Literal["full-domain", "single-dimension", "multi-dimension", "local"]


@dataclass(frozen=True)
class Recoding(ABC):
    """A recoding of the quasi-identifier, and the statements that apply it to the source.

    ``seed`` determines the order of released rows. ``suppressed`` is the number of suppressed rows. ``model`` is the
    kind of the recoding. ``has_checksums`` is true if the statement ``expected`` has checksums of the kept cells.
    """

    star: Star
    seed: int
    suppressed: int
    #: The enum types of the attributes with texts packed while rows are sorted.
    types: Mapping[str, Name] = field(default_factory=dict, kw_only=True)
    #: True if the release is made from the base frequency set: it has no columns besides the quasi-identifier.
    counted: bool = field(default=False, kw_only=True)

    model: ClassVar[Model]
    has_checksums: ClassVar[bool] = True
    #: Columns of the relation ``recoding`` to sort the rows of one tuple by, before their levels.
    parts_in: ClassVar[tuple[str, ...]] = ()

    @property
    def ranged(self) -> tuple[int, ...]:
        """Positions (from 1) of the numeric attributes with ranges absent from the dimension table in some cells."""
        return ()

    @property
    def persons_that_stay(self) -> Sequence[Statement]:
        """Conditions for a row of the base frequency set to have a released person; none without suppressed persons."""
        return ()

    @property
    @abstractmethod
    def levels(self) -> dict[str, int]:
        """The level of each attribute's cells, by attribute; the lowest one if the cells are at several levels."""

    @property
    @abstractmethod
    def levels_in_use(self) -> dict[str, tuple[int, ...]]:
        """All levels of each attribute's released cells, by attribute, in ascending order."""

    @property
    def hierarchy_levels(self) -> dict[str, int]:
        """``levels`` converted to levels of the whole hierarchies, counted from the hierarchies' leaves."""
        levels = self.levels
        return dict(zip(levels, self.star.hierarchy_levels(list(levels.values())), strict=True))

    @property
    @abstractmethod
    def described(self) -> str:
        """Description of the recoding for messages, such as ``zip at level 2, sex at level 0``."""

    @property
    @abstractmethod
    def expected(self) -> Statement:
        """The statement with the generalized tuples expected in the release, with frequencies and checksums."""

    @abstractmethod
    def release(self, source: Source) -> Statement:
        """The statement with the released rows."""

    def pack(self, source: Source) -> Self:
        """The recoding with a faster release in the working store, which needs less memory for sorting."""
        texts = {column.name for column in source.quasi_identifiers if column.is_text}
        packed = {
            dimension.attribute: self._texts_of(dimension)
            for dimension in self.star.dimensions
            if not dimension.has_source_type(levels := self.levels_in_use[dimension.attribute])
            or (dimension.attribute in texts and dimension.keeps(levels))
        }
        return replace(self, types=_enum_types(self.star, packed), counted=self._is_countable(source))

    def _is_countable(self, source: Source) -> bool:
        """True if the base frequency set has all cells of the release: equal values of its columns are one value."""
        alike = all(column.is_text or column.is_plain for column in source.released)
        return alike and not source.kept and source.frame is None and self.star.distant is None

    def _texts_of(self, dimension: Dimension) -> Statement:
        """The statement with the texts of an attribute's released cells, from the relation ``recoding``."""
        ranged = [f"text_{dimension.position}"] if dimension.position in self.ranged else []
        code, level = (f"{kind}_{dimension.position}" for kind in ("code", "level"))
        kept = dimension.keeps(self.levels_in_use[dimension.attribute])
        return Statement(
            "star/recoding/packed#texts",
            text=Name(*dimension.table.parts, "value") if kept else cell(dimension, "recoding", self.ranged),
            columns=columns(map(Name, (code, level, *ranged))),
            recoding=RECODING,
            member=Statement(
                "star/recoding/single_dimension#member", table=dimension.table, code=Name("recoding", code)
            ),
        )

    def project(self, source: Source, release: Name) -> Statement:
        """The statement with the released columns alone, from the table of a ``release`` with further columns."""
        # Of a data frame it has no kept cells, but the numbers of the rows that have them.
        there = source if source.frame is None else replace(source, released=source.remade)
        return Statement(
            "star/recoding/projected", cells=self._cells_beside(source), release=release, shuffled=self._shuffle(there)
        )

    @abstractmethod
    def tables(self, source: Source) -> list[Table]:
        """The tables read by the release's statement in addition to the source, such as dimension tables."""

    def elsewhere(self, names: Mapping[Name, Name]) -> Self:
        """The recoding with its tables renamed, such as for a script; ``names`` maps old names to new ones."""
        dimensions = tuple(
            replace(dimension, elsewhere=names[dimension.table]) if dimension.table in names else dimension
            for dimension in self.star.dimensions
        )
        return replace(self, star=replace(self.star, dimensions=dimensions))

    @property
    def _changing(self) -> tuple[Dimension, ...]:
        """The dimensions joined by the release's statement; an attribute released unchanged needs no join."""
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
        """The column with the row numbers of a data frame; empty for any other source."""
        return [Name("source", *source.frame.position.parts)] if source.frame is not None else []

    def _columns(self, released: Iterable[Name | As], source: Source) -> Joined:
        """The released columns, with packed texts, and the row numbers of a data frame."""
        return columns([*map(self._packed, released), *self._numbers(source)])

    def _packed(self, released: Name | As) -> Hole:
        """A released column, cast to its enum type if it has one."""
        cell, name = (released.piece, released.name) if isinstance(released, As) else (released, released)
        if (kind := self.types.get(name.parts[-1])) is None:
            return released
        return As(Statement("star/recoding/packed#cell", cell=cell, type=kind), Name(name.parts[-1]))

    def _recode(self, source: Source, *, columns: Joined, maps: Hole, suppressed: Hole) -> Statement:
        """The release's statement from its columns, joins and condition."""
        holes: dict[str, Hole] = {"columns": columns, "maps": maps, "suppressed": suppressed}
        if self.counted:
            size, tuples = self._size(source), self._tuples(source)
            classes = Statement("star/recoding/recode#classes", **holes, size=size, tuples=tuples)
            return self._expand(source, classes)
        cells, shuffled = self._cells_beside(source), self._shuffle(source)
        whole = Statement("star/recoding/recode", **holes, cells=cells, shuffled=shuffled, source=source.relation)
        return self._unpack(source, whole)

    def _expand(self, source: Source, classes: Statement) -> Statement:
        """The release's statement from its distinct rows with their numbers."""
        size, copy, distinct = other_names(source, "size", "copy", "classes")
        holes: dict[str, Hole] = {"cells": self._cells_beside(source), "shuffled": self._shuffle(source)}
        holes |= {"distinct": distinct, "classes": classes}
        expanded = Statement("star/recoding/recode#expanded", **holes, size=size, copy=copy)
        return self._unpack(source, expanded)

    def _unpack(self, source: Source, rows: Statement) -> Statement:
        if not self.types:
            return rows
        cells = (
            As(Statement("store/text", column=name), name) if name.parts[-1] in self.types else name
            for name in source.selected
        )
        return Statement("star/recoding/packed#unpacked", cells=columns(cells), rows=rows)

    def _size(self, source: Source) -> Name:
        (size,) = other_names(source, "size")
        return size

    def _tuples(self, source: Source) -> Statement:
        """The tuples of the base frequency set under the source's column names; many attributes need row numbers."""
        tuples = [As(dimension.value, Name(dimension.attribute)) for dimension in self.star.dimensions]
        if len(self._changing) > working_tables.WIDE:
            tuples.append(As(working_tables.ROW, self._number(source)))
        size = self._size(source)
        return Statement("star/recoding/recode#tuples", tuples=columns(tuples), size=size, base=BASE)

    def _number(self, source: Source) -> Name:
        (name,) = other_names(source, "number")
        return name

    def _shuffle(self, source: Source) -> Statement:
        cells = Joined(tuple(sortable(column, packed=column.name in self.types) for column in source.released), ", ")
        return Statement("star/recoding/recode#shuffled", seed=Number(self.seed), columns=cells)

    def _dimensions(self, source: Source, columns_of: Callable[[Dimension], Sequence[tuple[str, Type]]]) -> list[Table]:
        """Dimension tables with the leaves present in the source; ``columns_of`` returns a table's further columns."""
        tables = []
        types = {column.name: column.type for column in source.quasi_identifiers}
        for dimension in self._changing:
            shape = (("present", TRUTH), ("value", Type(types[dimension.attribute])), *columns_of(dimension))
            value = As(Statement("store/text", column=Name("value")), Name("value"))
            named = [value if name == "value" else Name(name) for name, _ in shape]
            rows = Statement("star/recoding/present", columns=columns(named), table=dimension.table)
            tables.append(Table(dimension.table, shape, rows, key="value" if dimension.missing else None))
        return tables


def _enum_types(star: Star, texts: Mapping[str, Statement]) -> dict[str, Name]:
    """Create enum types for the texts of some attributes' released cells; returns their names by attribute.

    ``texts`` has a statement with these texts for each attribute. Empty for a source with few rows. An attribute with
    too many distinct texts has no type.
    """
    if star.rows < _PACKED_ROWS or not texts:
        return {}
    counts = columns(Statement("star/recoding/packed#count", texts=released) for released in texts.values())
    counted = star.session.row(Statement("star/recoding/packed#counted", counts=counts))
    types = {
        attribute: Name(f"packed_{attribute}")
        for attribute, count in zip(texts, counted, strict=True)
        if 0 < count <= _PACKED_TEXTS
    }
    for attribute, name in types.items():
        star.session.command(f"drop type if exists {name.sql()}")
        star.session.run(Statement("star/recoding/packed", type=name, texts=texts[attribute]))
    return types


def sortable(column: Column, *relation: str, packed: bool = False) -> Hole:
    """A column in a form for sorting and hashing: itself, or its text.

    The text is used for types without an order or a hash, and for a ``packed`` column (an enum with its own order).
    """
    name = Name(*relation, column.name)
    return name if column.is_groupable and not packed else Statement("store/text", column=name)


def other_names(source: Source, *wanted: str) -> list[Name]:
    """Column names for a statement, from ``wanted``: underscores are appended to names used by the source's columns."""
    there = (*source.released, *source.beside, *source.persons, *source.identifiers)
    taken = {column.name.casefold() for column in there}
    names = []
    for name in wanted:
        while name in taken:
            name += "_"
        names.append(Name(name))
    return names


def ambiguous(recoding: Recoding) -> list[str]:
    """Warnings of ambiguous labels, one per attribute: labels for several groups of values at the mixed levels.

    Such as 20 for 20-24 and for 20-39.
    """
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
        f"hierarchy of {mixed[position].attribute!r}: {labels:,} labels stand for several groups of values, which "
        "readers of a release with mixed levels cannot distinguish: give each group a different label, such as "
        "20-24 and 20-39 in place of 20"
        for position, labels in ambiguous_labels
    ]


def released_cell(text: Hole, column: Column, *, keeps_type: bool) -> As:
    """A generalized cell of a release, as a column: ``text`` is the text of the cell.

    A column with ``keeps_type`` has the source's own value in place of the text, or a missing value if the text is
    missing.
    """
    own = Statement("star/recoding/recoded#own", text=text, cell=Name("source", column.name))
    return As(own if keeps_type else text, Name(column.name))


def goals(star: Star, ranged: tuple[int, ...]) -> list[Name]:
    """Columns of the relation ``recoding`` with the result for a tuple: a level per attribute, and texts of ranges."""
    levels = [Name(f"level_{dimension.position}") for dimension in star.dimensions]
    return [*levels, *(Name(f"text_{position}") for position in ranged)]


def same_tuple(dimensions: Sequence[Dimension]) -> Joined:
    """Condition that a row of the base frequency set, joined with its members, has the codes of a row in a recoding."""
    return conditions(
        Statement(
            "star/recoding/recode#match",
            one=Name(*dimension.table.parts, dimension.key),
            other=Name("recoding", f"code_{dimension.position}"),
        )
        for dimension in dimensions
    )


def persons_of_base(person: Sequence[str]) -> Joined:
    """Condition that a relation's columns person_1, … identify the person of a row of the base frequency set."""
    return conditions(
        Statement("star/recoding/recode#match", one=Name(f"person_{number}"), other=Name("base", *place.parts))
        for number, place in enumerate(sensitive_columns(person, person), 1)
    )


def cell(dimension: Dimension, relation: str, ranged: Sequence[int]) -> Statement:
    """The text of an attribute's cell, for a row of a ``relation`` with a level per attribute and texts of ranges.

    ``ranged`` has the positions of the attributes with texts of ranges.
    """
    own = Name(relation, f"text_{dimension.position}") if dimension.position in ranged else None
    return cell_at(dimension, Name(relation, f"level_{dimension.position}"), own=own)


def cell_at(dimension: Dimension, level: Hole, *, own: Hole | None = None) -> Statement:
    """The text of a dimension's member at a level read from the row; ``own`` is a range in place of level 1's text."""
    values: list[Hole] = [Name(*dimension.table.parts, f"level_{at}") for at in range(dimension.height + 1)]
    if own is not None:
        values[1] = own
    texts = (Statement("star/recoding/recoded#at_level", at=Number(at), value=value) for at, value in enumerate(values))
    return Statement("star/recoding/recoded#cell", level=level, values=Joined(tuple(texts), " "))
