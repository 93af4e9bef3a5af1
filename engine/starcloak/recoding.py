"""The recoding: the answer of a search, as a relation over the star.

A recoding relation has, for every tuple of the base frequency set, ``code_1 …`` (its leaves), ``level_1 …`` (the
level of each of its cells), ``frequency`` and ``suppressed``. A tuple may stand there several times, with shares of its
frequency.
"""

from __future__ import annotations

from dataclasses import dataclass

from starcloak.frequency import Node
from starcloak.source import Source
from starcloak.star import STAR, Star
from starcloak.statement import As, Hole, Joined, Name, Number, Statement, columns, conditions, lines

RECODING = Name("recoding")
OUTLIERS = Name("outliers")


@dataclass(frozen=True)
class FullDomain:
    """A full-domain generalization (LeFevre, DeWitt, Ramakrishnan 2005, section 2.1): one level per attribute.

    ``suppressed`` counts the rows that are left out because their value group has fewer than ``k`` rows.
    """

    star: Star
    node: Node
    k: int
    seed: int
    suppressed: int
    outliers: Name = OUTLIERS

    @property
    def levels(self) -> dict[str, int]:
        """The level of each attribute."""
        return {
            dimension.attribute: level for dimension, level in zip(self.star.dimensions, self.node.levels, strict=True)
        }

    def release(self, source: Source) -> Statement:
        """The statement that yields the released rows."""
        dimensions = {dimension.attribute: dimension for dimension in self.star.dimensions}
        released: list[Hole] = []
        for column in source.released:
            name = Name(column.name)
            level = self.levels.get(column.name, 0)
            if level:
                released.append(As(Name(*dimensions[column.name].table.parts, f"level_{level}"), name))
            else:
                released.append(Name("source", column.name))
        maps = (
            Statement("release/map", {"table": dimension.table, "column": Name(dimension.attribute)})
            for dimension in self.star.dimensions
        )
        names = Joined(tuple(Name(column.name) for column in source.released), ", ")
        return Statement(
            "release/recode",
            {
                "columns": columns(released),
                "source": source.relation,
                "maps": lines(maps),
                "suppressed": self._without_outliers() if self.suppressed else lines(()),
                "shuffled": Statement("release/shuffled", {"seed": Number(self.seed), "columns": names}),
            },
        )

    def _without_outliers(self) -> Statement:
        matches = (
            Statement(
                "release/match",
                {
                    "outlier": Name("outlier", *dimension.column(level).parts),
                    "ancestor": Name(*dimension.table.parts, f"ancestor_{level}"),
                },
            )
            for dimension, level in zip(self.star.dimensions, self.node.levels, strict=True)
        )
        return Statement("release/suppressed", {"outliers": self.outliers, "matches": conditions(matches)})


def full_domain(star: Star, node: Node, *, k: int, seed: int) -> FullDomain:
    """The recoding of a node; creates the relations ``recoding`` and ``outliers``."""
    session = star.session
    chosen = list(zip(star.dimensions, node.levels, strict=True))
    value_group = columns(dimension.column(level) for dimension, level in chosen)
    codes = columns(As(dimension.column(0), Name(f"code_{dimension.position}")) for dimension in star.dimensions)
    levels = columns(
        As(Statement("recoding/level", {"level": Number(level)}), Name(f"level_{dimension.position}"))
        for dimension, level in chosen
    )
    session.create(
        RECODING,
        Statement(
            "recoding/full_domain",
            {"codes": codes, "levels": levels, "value_group": value_group, "star": STAR},
        ),
        {"k": k},
    )
    outliers = Statement("recoding/outliers", {"value_group": value_group, "star": STAR})
    session.create(OUTLIERS, outliers, {"k": k})
    (suppressed,) = session.row(Statement("measures/suppressed", {"recoding": RECODING}))
    return FullDomain(star, node, k, seed, suppressed)
