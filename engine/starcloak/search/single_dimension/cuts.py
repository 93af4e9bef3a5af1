"""Records of a quasi-identifier loaded from the star, and single-dimension recodings written as tables.

A cut is the set of values that the leaves of an attribute are generalized to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np

from starcloak.privacy.groups import Integers, ValueRecords
from starcloak.star.recoding.single_dimension import CUT
from starcloak.star.star import Dimension, Star, with_dimensions
from starcloak.star.tuples import held_of
from starcloak.star.working_tables import GENERALIZATION
from starcloak.statements.statement import As, Name, Statement, columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

Floats: TypeAlias = "NDArray[np.float64]"


@dataclass(frozen=True)
class Value:
    """A generalized value: the leaves of an attribute with codes from ``first`` to below ``last``, at a level."""

    first: int
    last: int
    level: int


@dataclass(frozen=True)
class Leaves:
    """The frequency set of some attributes over their leaves, in memory.

    A record is a distinct combination of leaves. ``codes`` has, by the position of an attribute, the leaf's code of
    each record. ``frequency`` has the number of rows of each record. ``held`` has, by sensitive attribute, the values
    in each record.
    """

    codes: Mapping[int, Integers]
    frequency: Floats
    held: Mapping[str, ValueRecords] = field(default_factory=dict)


def records(star: Star, attributes: Sequence[str]) -> Leaves:
    """Load the frequency set of some attributes over their leaves into memory."""
    chosen = [dimension for dimension in star.dimensions if dimension.attribute in attributes]
    codes = columns(As(dimension.column(0), Name(f"code_{dimension.position}")) for dimension in chosen)
    # Over all attributes the star has little to group: it distinguishes classes, and nothing else.
    every = len(chosen) == len(star.dimensions)
    plain = columns([Name("frequency"), *(aggregate.column for aggregate in star.carried)])
    counted = star.session.columns(
        Statement(
            "search/tdr/records#tuples" if every else "search/tdr/records",
            codes=codes,
            counts=plain if every else star.merged,
            star=star.facts,
        )
    )
    frequency = counted["frequency"].astype(np.float64)
    pairs = held_of(star.carried, counted, star.domains)
    return Leaves(
        {dimension.position: counted[f"code_{dimension.position}"] for dimension in chosen},
        frequency,
        {attribute: ValueRecords.of(values, len(frequency)) for attribute, values in pairs.items()},
    )


class Masked(Protocol):
    """A recoding of one attribute, as a set of generalized values."""

    def values(self) -> list[Value]:
        """The generalized values; a leaf below several of them is generalized to the lowest one."""
        ...


def cut(star: Star, masked: Mapping[int, Masked]) -> Star:
    """Create the relation ``cut``: the level of every leaf, by the recoding of each attribute (by its position).

    Returns the star with the intervals of numeric attributes as a new level of their hierarchies.
    """
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
    session.create(CUT, Statement("search/tdr/cut", generalization=GENERALIZATION), binds)
    return grown


def _with_intervals(star: Star, dimension: Dimension, mask: Masked) -> Dimension:
    values = mask.values()
    binds = {"firsts": [value.first for value in values], "lasts": [value.last for value in values]}
    star.session.create(
        dimension.table,
        Statement("search/tdr/dimension", table=dimension.table, intervals=intervals(dimension.table)),
        binds,
    )
    return replace(dimension, height=2)


def intervals(table: Name) -> Statement:
    """The statement that yields the texts of intervals of a numeric attribute, by its dimension table."""
    ends = Statement("search/ranges/ends", table=table)
    whole = Statement("search/tdr/values#whole")
    label = Statement("search/ranges/ends#label", low=Name("lower", "low"), high=Name("upper", "high"), whole=whole)
    return Statement("search/tdr/values#intervals", table=table, ends=ends, label=label)
