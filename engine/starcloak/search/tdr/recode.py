"""The masks as tables: read from the star, and written as the cut of a single-dimension recoding."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from starcloak.recoding import CUT
from starcloak.search.tdr.information import Floats, Integers
from starcloak.search.tdr.masks import Intervals, Mask, Suppression, Taxonomy, Value
from starcloak.star import GENERALIZATION, STAR, Dimension, Star, with_dimensions
from starcloak.statement import As, Hole, Joined, Name, Number, Statement, columns


def masks(star: Star, *, suppressed: Collection[str]) -> dict[int, Mask]:
    """The most masked state of all attributes, by their positions; those of ``suppressed`` have no hierarchy.

    Masking operations 1 to 3 of section 2: the hierarchy decides which it is.
    """
    return {
        dimension.position: _mask(star, dimension, suppressed=dimension.attribute in suppressed)
        for dimension in star.dimensions
    }


def _mask(star: Star, dimension: Dimension, *, suppressed: bool) -> Mask:
    session, levels = star.session, range(1, dimension.height + 1)
    classes = _classes(star, dimension)
    if suppressed:
        return Suppression(classes)
    if dimension.numeric:
        members = session.columns(Statement("tdr/numbers", {"table": dimension.table}))
        return Intervals(classes, numbers=members["number"])
    shown = [Name(f"ancestor_{level}") for level in range(dimension.height + 1)]
    repeated = (
        As(
            Statement("tdr/repeated", {"text": Name(f"level_{level}"), "beneath": Name(f"level_{level - 1}")}),
            Name(f"repeated_{level}"),
        )
        for level in levels
    )
    holes: dict[str, Hole] = {"ancestors": columns(shown), "repeated": columns(repeated), "table": dimension.table}
    members = session.columns(Statement("tdr/members", holes))
    return Taxonomy(
        classes,
        ancestors=[members[f"ancestor_{level}"].astype(np.int64) for level in range(dimension.height + 1)],
        repeated=[np.zeros(len(classes), bool), *(members[f"repeated_{level}"] for level in levels)],
    )


def _classes(star: Star, dimension: Dimension) -> Integers:
    """The rows of each leaf and class."""
    counted = star.session.columns(
        Statement("tdr/classes", {"leaf": dimension.column(0), "star": STAR, "table": dimension.table})
    )
    classes: Integers = np.zeros((int(counted["leaves"][0]), int(counted["class"].max()) + 1), np.int64)
    classes[counted["code"], counted["class"]] = counted["frequency"]
    return classes


def records(star: Star, attributes: Sequence[str]) -> tuple[dict[int, Integers], Floats]:
    """The frequency set of some attributes: the leaves' codes of each, by its position, and the frequency."""
    chosen = [dimension for dimension in star.dimensions if dimension.attribute in attributes]
    codes = columns(As(dimension.column(0), Name(f"code_{dimension.position}")) for dimension in chosen)
    # Over all attributes the star has little to group: it tells classes apart, and nothing else.
    every = len(chosen) == len(star.dimensions)
    holes: dict[str, Hole] = {"codes": codes, "star": STAR}
    counted = star.session.columns(Statement("tdr/tuples" if every else "tdr/records", holes))
    frequency = counted["frequency"].astype(np.float64)
    return {dimension.position: counted[f"code_{dimension.position}"] for dimension in chosen}, frequency


class Masked(Protocol):
    """The masked values of one attribute."""

    def values(self) -> list[Value]:
        """The values; a leaf below several goes to the lowest one."""
        ...


def cut(star: Star, masked: Mapping[int, Masked]) -> Star:
    """Create the relation ``cut``; the intervals of numeric attributes become levels of their dimensions."""
    session = star.session
    dimensions = []
    for dimension in star.dimensions:
        values = masked[dimension.position].values()
        if dimension.numeric and len(values) > 1:
            dimension = _with_intervals(star, dimension, masked[dimension.position])
        dimensions.append(dimension)
    grown = with_dimensions(star, dimensions)
    nodes = [(position, value.level, value.first) for position, mask in masked.items() for value in mask.values()]
    binds = dict(zip(("dimensions", "levels", "ancestors"), map(list, zip(*nodes, strict=True)), strict=True))
    session.create(CUT, Statement("tdr/cut", {"generalization": GENERALIZATION}), binds)
    return grown


def _with_intervals(star: Star, dimension: Dimension, mask: Masked) -> Dimension:
    values = mask.values()
    binds = {"firsts": [value.first for value in values], "lasts": [value.last for value in values]}
    intervals = Statement("tdr/intervals", {"table": dimension.table})
    star.session.create(
        dimension.table, Statement("tdr/dimension", {"table": dimension.table, "intervals": intervals}), binds
    )
    return replace(dimension, height=2)


def texts(star: Star, dimension: Dimension, values: Sequence[Value]) -> dict[Value, str | None]:
    """What values read in the release."""
    binds = {
        "firsts": [value.first for value in values],
        "lasts": [value.last for value in values],
        "levels": [value.level for value in values],
    }
    if dimension.numeric:
        del binds["levels"]
        statement = Statement("tdr/intervals", {"table": dimension.table})
    else:
        del binds["lasts"]
        levels = (
            Statement("recoding/at_level", {"at": Number(level), "value": Name(f"level_{level}")})
            for level in range(dimension.height + 1)
        )
        statement = Statement("tdr/values", {"values": Joined(tuple(levels), " "), "table": dimension.table})
    read = {tuple(place): text for *place, text in star.session.run(statement, binds)}
    return {
        value: read[(value.first, value.last) if dimension.numeric else (value.level, value.first)] for value in values
    }
