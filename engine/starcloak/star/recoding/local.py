"""Local recoding: cells of one attribute at several levels, and tuples whose rows part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from starcloak.base.column import Column
from starcloak.star.recoding.mapped import MAPPING, Mapped
from starcloak.star.recoding.mixed import goals, summary
from starcloak.star.recoding.recoding import RECODING, Model, other_names, sortable
from starcloak.star.star import Star
from starcloak.statements.statement import Hole, Joined, Name, Number, Statement, Type, lines
from starcloak.store.source import Source
from starcloak.store.tables import TEXT, TRUTH, WHOLE, Table, whole_of


@dataclass(frozen=True)
class Local(Mapped):
    """A local recoding (Li, Wong, Fu, Pei 2008, section 3): cells of one attribute at several levels.

    ``mapping`` tells for every tuple which of its rows, after ``lower``, up to ``upper``, go to which levels; which
    rows those are, the seed decides.
    """

    has_checksums: ClassVar[bool] = False

    def release(self, source: Source) -> Statement:
        order = [_order_of(column) for column in source.kept] or [_order_of(source.quasi_identifiers[0])]
        copy, chosen = other_names(source, "copy", "chosen")
        return Statement(
            "star/recoding/recode_locally",
            {
                "columns": self._released_columns(source),
                "source": source.relation,
                "cells": self._cells_beside(source),
                "quasi_identifiers": source.grouped,
                "order": Joined(tuple(order), ", "),
                "copy": copy,
                "chosen": chosen,
                "turn": Statement("star/recoding/recode_locally#turn", {"copy": copy}),
                "maps": lines([self._maps(source), self._match()]),
                "rows": Number(2**63 - 1),
                "shuffled": self._shuffle(source),
            },
        )

    def tables(self, source: Source) -> list[Table]:
        return [*self._texts(source), whole_of(self.mapping, self._mapped)]

    @property
    def _mapped(self) -> list[tuple[str, Type]]:
        """The columns of the mapping."""
        shape = [(name, WHOLE) for name in (*self._codes_and_levels, "part", "salt", "lower", "upper")]
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
    star.session.create(MAPPING, Statement("star/recoding/mapping", shape))
    return kind(star, seed, *summary(star), with_ranges=ranged)


def _order_of(column: Column) -> Statement:
    return Statement("star/recoding/recode_locally#order", {"column": sortable(column, "source")})
