"""What all measures are counted from: the recoding relation, cell by cell, and the recounted classes of the release."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starcloak.measures.measure import CELLS, DISTANCE, Measured, every
from starcloak.star.recoding.recoding import RECODING
from starcloak.star.star import Star
from starcloak.statements.statement import As, Hole, Name, Number, Statement, columns, union_all
from starcloak.store.relations import GENERALIZATION
from starcloak.verify.recount import Classes


def of_recoding(star: Star, *, ranged: Sequence[int] = (), beta: float = 1.0) -> dict[str, Any]:
    """What measures ask of the recoding relation; ``beta`` (at least 1) is that of the height weights.

    ``ranged`` has the positions of the attributes whose cells carry ranges of their own. Such a cell covers a share of
    the attribute's other leaves (0 … 1), and that is also how much of the step to the root it counts to have climbed.
    """
    session, measures = star.session, every()
    session.create(
        CELLS,
        union_all(
            Statement(
                "measures/cells",
                dimension=Number(dimension.position),
                code=Name(f"code_{dimension.position}"),
                level=Name(f"level_{dimension.position}"),
                share=Name(f"share_{dimension.position}")
                if dimension.position in ranged
                else Statement("measures/cells#no_share"),
                recoding=RECODING,
            )
            for dimension in star.dimensions
        ),
    )
    session.create(DISTANCE, Statement("measures/distance", generalization=GENERALIZATION), {"beta": beta})
    asked = {name: piece for measure in measures for name, piece in measure.sums.items()}
    summed: dict[str, Hole] = {"sums": columns(As(piece, Name(name)) for name, piece in asked.items())}
    summed |= {"cells": CELLS, "generalization": GENERALIZATION, "distance": DISTANCE}
    cells, *sums = session.row(Statement("measures/recoding", **summed))
    attributes = {dimension.position: dimension.attribute for dimension in star.dimensions}
    by_attribute = {}
    # Several measures may ask the same.
    pieces = {piece.path: piece for measure in measures if (piece := measure.by_attribute) is not None}
    for path, piece in pieces.items():
        values: dict[int, Any] = dict(session.run(piece))
        by_attribute[path] = {attribute: values.get(position) for position, attribute in attributes.items()}
    session.drop(CELLS, DISTANCE)
    named = {name: total or 0 for name, total in zip(asked, sums, strict=True)}
    return {"cells": cells, "sums": named, "by_attribute": by_attribute}


def complete(measured: dict[str, Any], classes: Classes, *, k: int, rows: int, suppressed: int) -> dict[str, Any]:
    """All measures: of what the recoding asks, and of the release's recounted classes."""
    counted = Measured(
        rows=rows,
        suppressed=suppressed,
        released=classes.rows,
        classes=classes.classes,
        squares=classes.squares,
        k=k,
        **measured,
    )
    return {measure.name: measure.of(counted) for measure in every()}
