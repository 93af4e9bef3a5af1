"""Measures of a release, such as loss, computed from its recoding and from the sizes of its recounted classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starcloak.measures.measure import Measured, every
from starcloak.star.recoding.recoding import RECODING
from starcloak.star.star import Star
from starcloak.statements.statement import As, Hole, Joined, Name, Number, Statement, columns, union_all
from starcloak.store.relations import GENERALIZATION
from starcloak.verify.recount import Classes


def measure_recoding(star: Star, *, ranged: Sequence[int] = (), beta: float = 1.0) -> dict[str, Any]:
    """Figures computed from the recoding relation, as inputs of the measures; see :class:`Measured`.

    ``beta`` (at least 1) is the exponent of the height weights in the weighted hierarchical distance. ``ranged`` has
    the positions of attributes with computed ranges of values in cells, in place of values of a hierarchy. Such a cell
    covers a share (0 … 1) of the attribute's other leaves, and counts as this share of one step to the root.
    """
    measure_sums = {name: piece for measure in every() for name, piece in measure.sums.items()}
    holes: dict[str, Hole] = {"sums": columns(As(piece, Name(name)) for name, piece in measure_sums.items())}
    holes |= {"cells": _cells(star, ranged), "generalization": GENERALIZATION}
    holes["distance"] = Statement("measures/distance", hierarchies=hierarchies_of(star))
    dimensions = {dimension.position: dimension for dimension in star.dimensions}
    attributes: dict[int, str] = {position: dimension.attribute for position, dimension in dimensions.items()}
    sums, counted = dict[str | None, dict[str, float]](), dict[str | None, int]()
    levels: dict[str, dict[int, int]] = {}
    sums_found = star.session.run(Statement("measures/recoding", **holes), {"beta": beta})
    for position, level, count, released, *totals in sums_found:
        if level is None:
            counted[attributes.get(position)] = count
            sums[attributes.get(position)] = {
                name: total or 0 for name, total in zip(measure_sums, totals, strict=True)
            }
        else:
            levels.setdefault(attributes[position], {})[dimensions[position].hierarchy_level(level)] = released
    sums_of = {attribute: sums[attribute] for attribute in attributes.values()}
    return {"cells": counted[None], "sums": sums[None], "sums_of": sums_of, "levels": levels}


def hierarchies_of(star: Star) -> Joined:
    """A statement with a row per attribute: position, height of the whole hierarchy, levels excluded at the bottom."""
    return union_all(
        Statement(
            "measures/distance#hierarchy",
            dimension=Number(dimension.position),
            height=Number(dimension.hierarchy_height),
            beneath=Number(dimension.beneath),
        )
        for dimension in star.dimensions
    )


def _cells(star: Star, ranged: Sequence[int]) -> Joined:
    """A statement with a row per tuple and attribute of a recoding: code, level, and share of a computed range."""
    no_share = Statement("measures/cells#no_share")
    return union_all(
        Statement(
            "measures/cells",
            dimension=Number(at),
            code=Name(f"code_{at}"),
            level=Name(f"level_{at}"),
            share=Name(f"share_{at}") if at in ranged else no_share,
            recoding=RECODING,
        )
        for at in (dimension.position for dimension in star.dimensions)
    )


def complete_measures(
    measured: dict[str, Any], classes: Classes, *, k: int, rows: int, suppressed: int
) -> dict[str, Any]:
    """The value of every installed measure, by its name.

    ``measured`` are the figures of :func:`measure_recoding`, ``classes`` the recounted classes of the release; ``rows``
    and ``suppressed`` count the rows of the source.
    """
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
