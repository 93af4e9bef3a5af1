"""Single-dimension recodings and the star: records of a quasi-identifier at hand, and cuts written as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np

from starcloak.privacy.groups import Integers, ValueRecords
from starcloak.star.recoding.single_dimension import CUT
from starcloak.star.star import Dimension, Star, with_dimensions
from starcloak.star.tuples import held_of
from starcloak.statements.statement import As, Name, Statement, columns
from starcloak.store.relations import GENERALIZATION

if TYPE_CHECKING:
    from numpy.typing import NDArray

Floats: TypeAlias = "NDArray[np.float64]"


@dataclass(frozen=True)
class Value:
    """A masked value: the leaves of a dimension from ``first`` up to ``last``, at a level of its hierarchy."""

    first: int
    last: int
    level: int


@dataclass(frozen=True)
class Leaves:
    """The frequency set of some attributes over their leaves, in memory.

    ``codes`` has the leaves' codes of each attribute, by its position, ``frequency`` the number of rows of each record,
    ``held`` the values of sensitive attributes of each record.
    """

    codes: Mapping[int, Integers]
    frequency: Floats
    held: Mapping[str, ValueRecords] = field(default_factory=dict)


def records(star: Star, attributes: Sequence[str]) -> Leaves:
    """The frequency set of some attributes over their leaves."""
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
    """The statement with the texts of a numeric attribute's intervals."""
    ends = Statement("search/ranges/ends", table=table)
    whole = Statement("search/tdr/values#whole")
    label = Statement("search/ranges/ends#label", low=Name("lower", "low"), high=Name("upper", "high"), whole=whole)
    return Statement("search/tdr/values#intervals", table=table, ends=ends, label=label)
