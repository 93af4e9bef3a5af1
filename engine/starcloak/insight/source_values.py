"""The values of the source beside those of a release: their number, and those still shown by the release.

A recoding has values at the lowest level allowed by the job. If that level is above the leaves (``from``), it merges
several values of the source.
"""

from __future__ import annotations

from collections.abc import Sequence

from starcloak.star.recoding.recoding import RECODING
from starcloak.star.star import Dimension, Star
from starcloak.statements.statement import As, Joined, Name, Statement, columns, conditions, lines
from starcloak.store.relations import BASE


def rows_that_stay(star: Star) -> tuple[list[Name], Statement]:
    """The statement of the rows that are not suppressed, and its columns of the source's values.

    The columns have a number for each value, or the value itself; ``frequency`` counts the rows.
    """
    if not any(dimension.floored for dimension in star.dimensions):
        codes = [Name(f"code_{dimension.position}") for dimension in star.dimensions]
        return codes, Statement("insight/frequent#stayed", recoding=RECODING)
    values = [dimension.value for dimension in star.dimensions]
    matches = (
        Statement(
            "star/recoding/recode#match",
            one=Name(*dimension.table.parts, dimension.key),
            other=Name("recoding", f"code_{dimension.position}"),
        )
        for dimension in star.dimensions
    )
    stayed = Statement(
        "insight/frequent#stayed_of_source",
        values=columns(As(Name("base", *name.parts), name) for name in values),
        base=BASE,
        dimensions=source_members(star.dimensions),
        recoding=RECODING,
        match=conditions(matches),
    )
    return values, stayed


def source_members(dimensions: Sequence[Dimension]) -> Joined:
    """The joins of the base frequency set with the members of its values."""
    return lines(Statement("star/star#join", table=d.table, value=d.value) for d in dimensions)


def values_at_lowest(star: Star) -> list[int]:
    """Number of values of each attribute in the release at the lowest level allowed, without the missing value."""
    counts = (
        As(
            Statement(
                "insight/unchanged_values#count",
                code=Name(f"code_{dimension.position}"),
                level=Name(f"level_{dimension.position}"),
                key=Name(dimension.key),
                table=dimension.table,
            ),
            Name(f"values_{dimension.position}"),
        )
        for dimension in star.dimensions
    )
    return list(star.session.row(Statement("insight/unchanged_values", counts=columns(counts), recoding=RECODING)))
