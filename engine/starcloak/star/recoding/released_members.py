"""Hierarchies above the released cells, as tables for publication beside a release.

A dimension table contains the values of all rows, including suppressed rows, so it cannot be published. The tables here
contain only the cells of the release and their generalizations.
"""

from __future__ import annotations

from starcloak.star.recoding.recoding import Recoding
from starcloak.star.star import Dimension
from starcloak.statements.statement import As, Hole, Name, Statement, columns, union_all
from starcloak.store.tables import TEXT, Table


def released_hierarchies(recoding: Recoding) -> dict[str, Table]:
    """Table of the hierarchy above the released cells, by attribute: texts from ``level_0`` (the cell) to the top."""
    return {d.attribute: _hierarchy(d, recoding) for d in recoding.star.dimensions}


def _hierarchy(dimension: Dimension, recoding: Recoding) -> Table:
    shape = tuple((f"level_{level}", TEXT) for level in range(dimension.height + 1))
    if dimension.position in recoding.ranged:
        paths = union_all(
            [
                _path(
                    dimension,
                    "star/recoding/released_members#ranges",
                    lowest=dimension.height,
                    top=Name(f"level_{dimension.height}"),
                )
            ]
        )
    else:
        levels = recoding.levels_in_use[dimension.attribute]
        paths = union_all(
            _path(dimension, "star/recoding/released_members#at_level", lowest=at, level=Name(f"level_{at}"))
            for at in levels
        )
    rows = Statement(
        "star/recoding/released_members",
        cell=Name(f"cell_{dimension.position}"),
        expected=recoding.expected,
        paths=paths,
    )
    return Table(Name(f"released_{dimension.attribute}"), shape, rows)


def _path(dimension: Dimension, path: str, *, lowest: int, **column: Name) -> Statement:
    """Statement for the paths of released cells from ``level_0`` to the top, in an attribute.

    Below the level ``lowest``, each column has the cell itself; from ``lowest`` on, the member's generalizations.
    """
    cell = Name("cells", "cell")
    levels = (
        As(cell if level < lowest else Name("member", f"level_{level}"), Name(f"level_{level}"))
        for level in range(dimension.height + 1)
    )
    holes: dict[str, Hole] = {"levels": columns(levels), "table": dimension.table, **column}
    return Statement(path, **holes)
