"""What a release costs its user: measures of the papers, counted in SQL over the recoding relation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starcloak.recoding import RECODING
from starcloak.report import Measures
from starcloak.star import GENERALIZATION, Star
from starcloak.statement import Name, Number, Statement, union_all
from starcloak.verify import Classes

_DECIMALS = 10


def of_recoding(star: Star, *, ranged: Sequence[int] = (), beta: float = 1.0) -> dict[str, Any]:
    """The measures that the recoding relation alone decides; ``beta`` (at least 1) is that of the height weights.

    ``ranged`` has the positions of the attributes whose cells carry ranges of their own. Such a cell covers a share of
    the attribute's other leaves (0 … 1), and that is also how much of the step to the root it counts to have climbed.
    """
    session = star.session
    cells, distance = Name("cells"), Name("distance")
    session.create(
        cells,
        union_all(
            Statement(
                "measures/cells",
                {
                    "dimension": Number(dimension.position),
                    "code": Name(f"code_{dimension.position}"),
                    "level": Name(f"level_{dimension.position}"),
                    "share": Name(f"share_{dimension.position}")
                    if dimension.position in ranged
                    else Statement("measures/no_share"),
                    "recoding": RECODING,
                },
            )
            for dimension in star.dimensions
        ),
    )
    session.create(distance, Statement("measures/distance", {"generalization": GENERALIZATION}), {"beta": beta})
    total, uniform, height, modified, climbed, lost = session.row(
        Statement("measures/recoding", {"cells": cells, "generalization": GENERALIZATION, "distance": distance})
    )
    inconsistency: dict[int, float] = dict(session.run(Statement("measures/inconsistency", {"cells": cells})))
    session.drop(cells, distance)
    return {
        "distortion": round(uniform, _DECIMALS),
        "distortion_ratio": round(uniform / total, _DECIMALS),
        "height_distortion": round(height, _DECIMALS),
        "height_distortion_ratio": round(height / total, _DECIMALS),
        "modification_rate": round((modified or 0) / total, _DECIMALS),
        "precision": round(1 - climbed / total, _DECIMALS),
        "loss": round(lost / total, _DECIMALS),
        "inconsistency": {
            dimension.attribute: round(inconsistency.get(dimension.position, 0.0), _DECIMALS)
            for dimension in star.dimensions
        },
    }


def complete(measured: dict[str, Any], classes: Classes, *, k: int, rows: int, suppressed: int) -> Measures:
    """All measures: those of the recoding, and those of the release's recounted classes."""
    return Measures(
        classes=classes.classes,
        discernibility=classes.squares + suppressed * rows,
        average_class_size=round(classes.rows / classes.classes / k, _DECIMALS) if classes.classes else None,
        **measured,
    )
