"""What every recoding knows and does.

A recoding relation has, for every tuple of the base frequency set, ``code_1 …`` (its leaves), ``level_1 …`` (the
level of each of its cells), ``frequency`` and ``suppressed``; that of a single-dimension recoding ``checksum``, too. A
tuple may stand there several times, with shares of its frequency. A cell of a numeric attribute may carry a range of
its own, at level 1: ``text_i`` is what it reads, and ``share_i`` the share of the attribute's other leaves that it
covers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, Self

from starcloak.base.column import Column
from starcloak.star.star import Dimension, Star, match_of
from starcloak.statements.statement import As, Hole, Joined, Name, Number, Statement, Type, columns, lines
from starcloak.store.source import Source
from starcloak.store.tables import TRUTH, Table

RECODING = Name("recoding")

Model = Literal["full-domain", "single-dimension", "multi-dimension", "local"]


@dataclass(frozen=True)
class Recoding(ABC):
    """What was done to the quasi-identifier, and the statements that do it to the source.

    ``suppressed`` counts the rows that are left out; ``has_checksums`` tells whether ``expected`` knows the checksums
    of its tuples.
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
        """The positions of the attributes whose cells may carry ranges of their own."""
        return ()

    @property
    @abstractmethod
    def levels(self) -> dict[str, int]:
        """The level of each attribute; where its cells are at several, the lowest."""

    @property
    @abstractmethod
    def levels_in_use(self) -> dict[str, tuple[int, ...]]:
        """The levels of each attribute's cells."""

    @property
    @abstractmethod
    def described(self) -> str:
        """What was done, for a person."""

    @property
    @abstractmethod
    def expected(self) -> Statement:
        """The statement that yields the generalized tuples of the release, with their frequencies and checksums."""

    @abstractmethod
    def release(self, source: Source) -> Statement:
        """The statement that yields the released rows."""

    def pack(self, source: Source) -> Self:
        """The recoding whose release the working store sorts in less memory; of most it is the same."""
        return self

    def project(self, source: Source, release: Name) -> Statement:
        """The statement that yields the released rows of a release that has further columns."""
        # Of a data frame it has no kept cells, but the numbers of the rows that have them.
        there = source if source.frame is None else replace(source, released=source.remade)
        return Statement(
            "star/recoding/projected", cells=self._cells_beside(source), release=release, shuffled=self._shuffle(there)
        )

    @abstractmethod
    def tables(self, source: Source) -> list[Table]:
        """The tables that the statement of the release reads beside the source."""

    def elsewhere(self, names: Mapping[Name, Name]) -> Self:
        """The recoding whose tables have other names, such as those they have in a script."""
        dimensions = tuple(
            replace(dimension, elsewhere=names[dimension.table]) if dimension.table in names else dimension
            for dimension in self.star.dimensions
        )
        return replace(self, star=replace(self.star, dimensions=dimensions))

    @property
    def _changing(self) -> tuple[Dimension, ...]:
        """The dimensions that the release needs: a row whose value stays as it is asks its dimension for nothing."""
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
        """What numbers the rows of a data frame."""
        return [Name("source", *source.frame.position.parts)] if source.frame is not None else []

    def _shuffle(self, source: Source, packed: Collection[str] = ()) -> Statement:
        cells = Joined(tuple(sortable(column, packed=column.name in packed) for column in source.released), ", ")
        return Statement("star/recoding/recode#shuffled", seed=Number(self.seed), columns=cells)

    def _dimensions(self, source: Source, columns_of: Callable[[Dimension], Sequence[tuple[str, Type]]]) -> list[Table]:
        """The dimension tables: the leaves that the source has, with some further columns."""
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
    """Names that no column of the source's relation has, released or not."""
    there = (*source.released, *source.beside, *source.persons, *source.identifiers)
    taken = {column.name.casefold() for column in there}
    names = []
    for name in wanted:
        while name in taken:
            name += "_"
        names.append(Name(name))
    return names
