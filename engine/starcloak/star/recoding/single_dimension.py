"""Single-dimension recoding: a value goes to one value, whatever else its row has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from starcloak.star.recoding.recoding import RECODING, Mixed, Model, cell_at, summary
from starcloak.star.star import Dimension, Star
from starcloak.statements.statement import As, Hole, Name, Number, Statement, columns, lines
from starcloak.store.relations import STAR
from starcloak.store.source import Source
from starcloak.store.tables import TEXT, Table

CUT = Name("cut")


@dataclass(frozen=True)
class SingleDimension(Mixed):
    """A single-dimension recoding: every value of an attribute goes to one value, whatever the row's other values.

    The dimension tables have that value as ``cell``, and its ``level``.
    """

    model: ClassVar[Model] = "single-dimension"

    def release(self, source: Source) -> Statement:
        tables = {dimension.attribute: dimension.table for dimension in self._changing}
        released = (
            As(Name(*tables[column.name].parts, "cell"), Name(column.name))
            if column.name in tables
            else Name("source", column.name)
            for column in source.released
        )
        return Statement(
            "star/recoding/recode",
            cells=self._cells_beside(source),
            columns=columns([*released, *self._numbers(source)]),
            source=source.relation,
            maps=self._maps(source),
            suppressed=lines(()),
            shuffled=self._shuffle(source),
        )

    @property
    def _changing(self) -> tuple[Dimension, ...]:
        return tuple(d for d in self.star.dimensions if not d.keeps(self.levels_in_use[d.attribute]))

    def tables(self, source: Source) -> list[Table]:
        return self._dimensions(source, lambda _: [("cell", TEXT)])


def recode(star: Star, *, seed: int) -> SingleDimension:
    """The single-dimension recoding whose cut stands in the relation ``cut``; creates the relation ``recoding``.

    ``cut`` has one row per member of every dimension: ``dimension`` (its position), ``code``, ``level``. The dimension
    tables get the columns ``level`` and ``cell``.
    """
    for dimension in star.dimensions:
        holes: dict[str, Hole] = {"dimension": Number(dimension.position), "cut": CUT, "table": dimension.table}
        holes["key"] = Name(dimension.key)
        holes["cell"] = cell_at(dimension, Name("cut", "level"))
        star.session.create(dimension.table, Statement("star/recoding/recoded", **holes))
    codes = (As(Name("star", *d.column(0).parts), Name(f"code_{d.position}")) for d in star.dimensions)
    levels = (As(Name(*d.table.parts, "level"), Name(f"level_{d.position}")) for d in star.dimensions)
    joins = (
        Statement("star/recoding/single_dimension#member", table=d.table, code=Name("star", *d.column(0).parts))
        for d in star.dimensions
    )
    star.session.create(
        RECODING,
        Statement(
            "star/recoding/single_dimension",
            codes=columns(codes),
            levels=columns(levels),
            star=STAR,
            members=lines(joins),
        ),
    )
    return SingleDimension(star, seed, *summary(star))
