"""Single-dimension recoding: a value of an attribute has the same generalization in all rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from starcloak.star.recoding.mixed_levels import Mixed, summary
from starcloak.star.recoding.recoding import OUTLIERS, RECODING, Model, cell_at, released_cell
from starcloak.star.star import Dimension, Star
from starcloak.star.working_tables import STAR
from starcloak.statements.statement import As, Hole, Joined, Name, Number, Statement, Type, columns, conditions, lines
from starcloak.store.source import Source
from starcloak.store.tables import TEXT, WHOLE, Table, whole_of

CUT = Name("cut")


@dataclass(frozen=True)
class SingleDimension(Mixed):
    """A single-dimension recoding: every value of an attribute has one generalization, independent of other cells.

    The dimension tables have this generalization as ``cell``, and its ``level``. Rows in a value group listed in the
    relation ``outliers`` are suppressed; these groups are over the attributes with a highest level set by the job.
    """

    outliers: Name = OUTLIERS

    model: ClassVar[Model] = "single-dimension"

    def release(self, source: Source) -> Statement:
        changed = {d.attribute: d for d in self.star.dimensions if self._changes(d)}
        released = (
            released_cell(
                Name(*changed[column.name].table.parts, "cell"), column, keeps_type=changed[column.name].keeps_type
            )
            if column.name in changed
            else Name("source", column.name)
            for column in source.released
        )
        suppressed = self._without_outliers() if self.suppressed else lines(())
        columns = self._columns(released, source)
        return self._recode(source, columns=columns, maps=self._maps(source), suppressed=suppressed)

    @property
    def _changing(self) -> tuple[Dimension, ...]:
        return tuple(d for d in self.star.dimensions if d in self._told or self._changes(d))

    def _changes(self, dimension: Dimension) -> bool:
        return not dimension.keeps(self.levels_in_use[dimension.attribute])

    @property
    def _told(self) -> tuple[Dimension, ...]:
        """Dimensions needed to find suppressed rows: those with a highest level set by the job; else none."""
        return self.star.capped if self.suppressed else ()

    def tables(self, source: Source) -> list[Table]:
        def columns_of(dimension: Dimension) -> list[tuple[str, Type]]:
            cells = [("cell", TEXT)] if self._changes(dimension) else []
            return [*cells, *([(f"ancestor_{dimension.height}", WHOLE)] if dimension in self._told else [])]

        needed = self._dimensions(source, columns_of)
        if self._told:
            needed.append(whole_of(self.outliers, [(f"value_{place}", WHOLE) for place, _ in enumerate(self._told, 1)]))
        return needed

    def elsewhere(self, names: Mapping[Name, Name]) -> Self:
        return replace(super().elsewhere(names), outliers=names.get(self.outliers, self.outliers))

    def _without_outliers(self) -> Statement:
        matches = (
            Statement(
                "star/recoding/recode#match",
                one=Name("outlier", f"value_{place}"),
                other=Name(*dimension.table.parts, f"ancestor_{dimension.height}"),
            )
            for place, dimension in enumerate(self.star.capped, 1)
        )
        return Statement("star/recoding/recode#suppressed", outliers=self.outliers, matches=conditions(matches))


def recode(star: Star, *, seed: int) -> SingleDimension:
    """Make a single-dimension recoding from the relation ``cut``; creates the relation ``recoding``.

    ``cut`` has the level of each member of every dimension: ``dimension`` (position from 1), ``code``, ``level``. The
    dimension tables get the columns ``level`` and ``cell``.
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
    suppressed = Statement("star/recoding/full_domain#none_rare")
    if star.left_out:
        group = Joined(tuple(Name("star", *d.column(d.height).parts) for d in star.capped), ", ")
        values = Joined(tuple(Name(f"value_{place}") for place, _ in enumerate(star.capped, 1)), ", ")
        holes = {"value_group": group, "values": values, "outliers": OUTLIERS}
        suppressed = Statement("star/recoding/full_domain#rare", **holes)
    star.session.create(
        RECODING,
        Statement(
            "star/recoding/single_dimension",
            codes=columns(codes),
            levels=columns(levels),
            star=STAR,
            suppressed=suppressed,
            members=lines(joins),
        ),
    )
    return SingleDimension(star, seed, *summary(star))
