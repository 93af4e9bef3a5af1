"""Local recoding: cells of one attribute at several levels, and tuples whose rows part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from starcloak.column import Column
from starcloak.recoding.mixed import Mixed, goals, summary
from starcloak.recoding.recoding import RECODING, Model, other_names, sortable
from starcloak.recoding.table import TEXT, TRUTH, WHOLE, Table, whole_of
from starcloak.source.source import Source
from starcloak.star import Star
from starcloak.statement import As, Hole, Joined, Name, Number, Statement, Type, columns, conditions, lines

MAPPING = Name("mapping")


@dataclass(frozen=True)
class Local(Mixed):
    """A local recoding (Li, Wong, Fu, Pei 2008, section 3): cells of one attribute at several levels.

    ``mapping`` tells for every tuple which of its rows, after ``lower``, up to ``upper``, go to which levels; which
    rows those are, the seed decides.
    """

    mapping: Name = MAPPING

    model: ClassVar[Model] = "local"
    has_checksums: ClassVar[bool] = False

    def release(self, source: Source) -> Statement:
        order = [_order_of(column) for column in source.kept] or [_order_of(source.quasi_identifiers[0])]
        copy, chosen = other_names(source, "copy", "chosen")
        return Statement(
            "release/recode_locally",
            {
                "columns": self._released_columns(source),
                "source": source.relation,
                "cells": self._cells_beside(source),
                "quasi_identifiers": source.grouped,
                "order": Joined(tuple(order), ", "),
                "copy": copy,
                "chosen": chosen,
                "turn": Statement("release/recode_locally#turn", {"copy": copy}),
                "maps": lines([self._maps(source), self._match()]),
                "rows": Number(2**63 - 1),
                "shuffled": self._shuffle(source),
            },
        )

    def elsewhere(self, names: Mapping[Name, Name]) -> Self:
        return replace(super().elsewhere(names), mapping=names.get(self.mapping, self.mapping))

    def tables(self, source: Source) -> list[Table]:
        needed = self._dimensions(
            source, lambda d: [("code", WHOLE), *((f"level_{level}", TEXT) for level in range(d.height + 1))]
        )
        return [*needed, whole_of(self.mapping, self._mapped)]

    def _released_columns(self, source: Source) -> Joined:
        dimensions = {dimension.attribute: dimension for dimension in self.star.dimensions}
        released: list[Hole] = []
        for column in source.released:
            dimension = dimensions.get(column.name)
            if dimension is None or self.levels_in_use[column.name] == (0,):
                released.append(Name("source", column.name))
            else:
                released.append(As(self._cell(dimension, "mapping"), Name(column.name)))
        return columns([*released, *self._numbers(source)])

    def _match(self) -> Statement:
        match = conditions(
            Statement(
                "release/recode#match",
                {"one": Name("mapping", f"code_{d.position}"), "other": Name(*d.table.parts, "code")},
            )
            for d in self.star.dimensions
        )
        return Statement("release/recode_locally#mapping", {"mapping": self.mapping, "match": match})

    @property
    def _mapped(self) -> list[tuple[str, Type]]:
        """The columns of the mapping."""
        whole = [f"{kind}_{dimension.position}" for kind in ("code", "level") for dimension in self.star.dimensions]
        shape = [(name, WHOLE) for name in (*whole, "part", "salt", "lower", "upper")]
        return [*shape, ("suppressed", TRUTH), *((f"text_{position}", TEXT) for position in self.ranged)]


@dataclass(frozen=True)
class MultiDimension(Local):
    """A multi-dimension recoding (LeFevre, DeWitt, Ramakrishnan 2005, section 5.1): a function of the whole tuple.

    All rows of a tuple go to the same levels. They are recoded as if they might not: where DuckDB 2.0 joins the mapping
    without more ado, it fails on a million rows ("dict-surviving join").
    """

    model: ClassVar[Model] = "multi-dimension"


def recode(star: Star, *, seed: int, kind: type[Local] = Local, ranged: tuple[int, ...] = ()) -> Local:
    """The recoding that stands in the relation ``recoding``, of a kind; creates the relation ``mapping``.

    ``ranged`` has the positions of the attributes whose cells may carry ranges of their own.
    """
    codes = Joined(tuple(Name(f"code_{d.position}") for d in star.dimensions), ", ")
    levels = Joined(tuple(goals(star, ranged)), ", ")
    shape: dict[str, Hole] = {"seed": Number(seed), "codes": codes, "levels": levels, "recoding": RECODING}
    star.session.create(MAPPING, Statement("recoding/mapping", shape))
    return kind(star, seed, *summary(star), with_ranges=ranged)


def _order_of(column: Column) -> Statement:
    return Statement("release/recode_locally#order", {"column": sortable(column, "source")})
