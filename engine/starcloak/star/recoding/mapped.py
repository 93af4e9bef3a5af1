"""Recodings with the levels of each tuple's rows in a relation of the working store, the mapping."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from starcloak.star.recoding.mixed_levels import Mixed
from starcloak.star.recoding.recoding import Model, released_cell
from starcloak.statements.statement import As, Hole, Joined, Name, Statement, conditions
from starcloak.store.source import Source
from starcloak.store.tables import TEXT, WHOLE, Table

MAPPING = Name("mapping")


@dataclass(frozen=True)
class Mapped(Mixed):
    """A recoding with the levels of rows in the relation ``mapping``: code_1 …, level_1 … and further columns.

    A row has the levels found by the codes of its tuple; subclasses have further columns to find them by.
    """

    mapping: Name = MAPPING

    model: ClassVar[Model] = "local"

    def elsewhere(self, names: Mapping[Name, Name]) -> Self:
        return replace(super().elsewhere(names), mapping=names.get(self.mapping, self.mapping))

    def _texts(self, source: Source) -> list[Table]:
        """The dimension tables with the texts of the members at every level."""
        return self._dimensions(
            source,
            lambda d: [
                *((code, WHOLE) for code in dict.fromkeys(("code", d.key))),
                *((f"level_{level}", TEXT) for level in range(d.height + 1)),
            ],
        )

    @property
    def _codes_and_levels(self) -> list[str]:
        return [f"{kind}_{dimension.position}" for kind in ("code", "level") for dimension in self.star.dimensions]

    def _released_columns(self, source: Source) -> Joined:
        dimensions = {dimension.attribute: dimension for dimension in self.star.dimensions}
        released: list[Name | As] = []
        for column in source.released:
            dimension = dimensions.get(column.name)
            if dimension is None or dimension.keeps(self.levels_in_use[column.name]):
                released.append(Name("source", column.name))
            else:
                text = self._cell(dimension, "mapping")
                released.append(released_cell(text, column, keeps_type=dimension.keeps_type))
        return self._columns(released, source)

    def _match(
        self, pairs: Sequence[tuple[Name, Name]] = (), *, keys: Sequence[Name] = (), mapping: Hole | None = None
    ) -> Statement:
        """The join of rows with the mapping, by equal codes and by the further equal columns ``pairs``.

        ``keys`` are the columns with a row's codes; without them, the columns of the dimension tables. ``mapping`` is a
        part of the mapping; without it, the whole relation.
        """
        keys = keys or [Name(*d.table.parts, d.key) for d in self.star.dimensions]
        codes = [
            (Name("mapping", f"code_{d.position}"), key) for d, key in zip(self.star.dimensions, keys, strict=True)
        ]
        match = conditions(
            Statement("star/recoding/recode#match", one=first, other=second) for first, second in (*pairs, *codes)
        )
        return Statement("star/recoding/recode_locally#mapping", mapping=mapping or self.mapping, match=match)
