"""Masks read from the star, in the most masked state, and the texts of masked values in the release."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from starcloak.search.single_dimension import cuts
from starcloak.search.single_dimension.cuts import Value
from starcloak.search.tdr.masks import GrownIntervals, Mask, Suppression, Taxonomy
from starcloak.star.keys import Integers
from starcloak.star.star import Dimension, Star
from starcloak.statements.statement import As, Joined, Name, Number, Statement, columns


def masks(star: Star) -> dict[int, Mask]:
    """The mask of every attribute in the most masked state, by the attribute's position.

    Masking operations 1 to 3 of section 2: the hierarchy decides the operation.
    """
    return {dimension.position: _mask(star, dimension) for dimension in star.dimensions}


def _mask(star: Star, dimension: Dimension) -> Mask:
    session, levels = star.session, range(1, dimension.height + 1)
    classes = _classes(star, dimension)
    if dimension.is_suppressed and dimension.height:
        return Suppression(classes)
    if dimension.numeric:
        members = session.columns(Statement("search/tdr/numbers", table=dimension.table))
        return GrownIntervals(classes, numbers=members["number"])
    cells = [Name(f"ancestor_{level}") for level in range(dimension.height + 1)]
    repeated = (
        As(
            Statement("store/same", one=Name(f"level_{level}"), other=Name(f"level_{level - 1}")),
            Name(f"repeated_{level}"),
        )
        for level in levels
    )
    members = session.columns(
        Statement("search/tdr/members", ancestors=columns(cells), repeated=columns(repeated), table=dimension.table)
    )
    return Taxonomy(
        classes,
        ancestors=[members[f"ancestor_{level}"].astype(np.int64) for level in range(dimension.height + 1)],
        repeated=[np.zeros(len(classes), bool), *(members[f"repeated_{level}"] for level in levels)],
    )


def _classes(star: Star, dimension: Dimension) -> Integers:
    """Number of rows by leaf (row) and class (column) of an attribute."""
    counted = star.session.columns(
        Statement("search/tdr/classes", leaf=dimension.column(0), star=star.facts, table=dimension.table)
    )
    classes: Integers = np.zeros((int(counted["leaves"][0]), int(counted["class"].max()) + 1), np.int64)
    classes[counted["code"], counted["class"]] = counted["frequency"]
    return classes


def texts(star: Star, dimension: Dimension, values: Sequence[Value]) -> dict[Value, str | None]:
    """The text of each masked value of an attribute in the release; None for the missing value."""
    binds = {
        "firsts": [value.first for value in values],
        "lasts": [value.last for value in values],
        "levels": [value.level for value in values],
    }
    if dimension.numeric:
        del binds["levels"]
        statement = cuts.intervals(dimension.table)
    else:
        del binds["lasts"]
        levels = (
            Statement("star/recoding/recoded#at_level", at=Number(level), value=Name(f"level_{level}"))
            for level in range(dimension.height + 1)
        )
        statement = Statement("search/tdr/values", values=Joined(tuple(levels), " "), table=dimension.table)
    read = {tuple(place): text for *place, text in star.session.run(statement, binds)}
    return {
        value: read[(value.first, value.last) if dimension.numeric else (value.level, value.first)] for value in values
    }
