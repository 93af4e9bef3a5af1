"""Frequency sets of many nodes in one statement, with the values of a group packed into one key.

LeFevre, DeWitt, Ramakrishnan 2005, section 3 (Rollup Property). A statement takes longer to plan than a small frequency
set takes to count. So the nodes are rows here, and not texts: a relation of rises has each node, the node beneath and
the raised attribute, and one join rolls up all of them. The frequency sets share a table ``node, key_1, …, frequency``.

A node's number is that of the whole lattice: an attribute that a node does not have counts as one at its top. So nodes
of different subsets of the quasi-identifier with equal groups have one number, and one frequency set.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from operator import mul

from starcloak.star.star import Node, Star
from starcloak.statements.statement import As, Hole, Joined, Name, Number, Statement, columns

#: The frequency set of the star, under the node 0.
PACKED = Name("star_keys")
#: The place of each attribute in the keys and in the numbers of nodes.
PLACES = Name("key_places")
_CLIMBS = Name("key_climbs")
_STEPS = Name("key_steps")
# Bits of a part of a key: a signed number of 64 bits holds them.
_BITS = 62
# Rows that one statement reads and joins, at most (but for a single node).
_BUDGET = 10_000_000


@dataclass(frozen=True)
class Packing:
    """A star with packed keys: ``levels`` of each attribute, with a level for its absence if its top has several
    values; the ``parts`` of a key, each with the attributes in it (from 0) and their shifts; and the order of the
    ``steps`` (attributes from 0) from the star to a node.
    """

    star: Star
    levels: tuple[int, ...]
    parts: tuple[tuple[tuple[int, int], ...], ...]
    steps: tuple[int, ...]

    @property
    def strides(self) -> tuple[int, ...]:
        """The amount added to a node's number by one level of each attribute."""
        return tuple(prod(self.levels[after:]) for after in range(1, len(self.levels) + 1))

    @property
    def top(self) -> int:
        """The number of the node without any attribute."""
        return prod(self.levels) - 1

    @property
    def keys(self) -> tuple[Name, ...]:
        """The columns of a key."""
        return tuple(Name(f"key_{part}") for part in range(1, len(self.parts) + 1))

    def ground(self, dimensions: Sequence[int]) -> int:
        """The number of the node of some attributes, by position, with their leaves."""
        return sum(
            stride * (levels - 1)
            for position, (stride, levels) in enumerate(zip(self.strides, self.levels, strict=True), 1)
            if position not in dimensions
        )

    def node(self, number: int) -> Node:
        """The node of a number, with the attributes that are not absent."""
        present = [
            (dimension.position, level)
            for dimension, stride, levels in zip(self.star.dimensions, self.strides, self.levels, strict=True)
            for level in [number // stride % levels]
            if level <= dimension.height
        ]
        return Node(number, tuple(position for position, _ in present), tuple(level for _, level in present))

    def pack(self, codes: dict[int, Name]) -> Joined:
        """A key from the leaf codes of some attributes, by position: absent attributes have the code 0."""
        packed: list[Hole] = []
        for attributes, key in zip(self.parts, self.keys, strict=True):
            pieces = tuple(
                Statement("star/rollups/packed#code", code=codes[at + 1], place=Number(1 << shift))
                for at, shift in attributes
                if at + 1 in codes
            )
            absent = Statement("star/rollups/packed#absent")
            piece = Statement("star/rollups/packed#key", codes=Joined(pieces, " + ")) if pieces else absent
            packed.append(As(piece, key))
        return columns(packed)


def pack(star: Star) -> Packing:
    """Create the places of the attributes in keys and numbers, and the climbs between their levels."""
    session = star.session
    counted = session.run(Statement("star/rollups/packed#highest", generalization=star.generalization))
    highest = {dimension: code for dimension, code, _ in counted}
    bits = [max(1, int(highest[dimension.position]).bit_length()) for dimension in star.dimensions]
    tops = {dimension: values for dimension, _, values in counted}
    levels = tuple(dimension.height + 1 + (tops[dimension.position] > 1) for dimension in star.dimensions)
    # The attribute with the most values first: frequency sets become small early.
    steps = tuple(sorted(range(len(bits)), key=lambda at: (-highest[at + 1], at)))
    packing = Packing(star, levels, _parts(bits), steps)
    where = {at: (part, shift) for part, places in enumerate(packing.parts, 1) for at, shift in places}
    every = range(len(bits))
    widths = [int(highest[at + 1]) + 1 for at in every]
    session.create(
        PLACES,
        Statement("star/rollups/packed#places"),
        {
            "strides": list(packing.strides),
            "levels": list(levels),
            "steps": [steps.index(at) + 1 for at in every],
            "parts": [where[at][0] for at in every],
            "shifts": [where[at][1] for at in every],
            "masks": [(1 << bits[at]) - 1 for at in every],
            "widths": widths,
            "offsets": [sum(map(mul, widths[:at], levels)) for at in every],
        },
    )
    raises = columns(
        As(Statement("star/rollups/packed#raise", part=Number(part)), Name(f"raise_{part}"))
        for part in range(1, len(packing.parts) + 1)
    )
    session.create(
        _CLIMBS,
        Statement("star/rollups/packed#climbs", raises=raises, places=PLACES, generalization=star.generalization),
    )
    return packing


def pack_star(packing: Packing) -> None:
    """Create the packed star: the frequency set of the node 0."""
    star = packing.star
    codes = {dimension.position: dimension.column(0) for dimension in star.dimensions}
    packed = Statement("star/rollups/packed", keys=packing.pack(codes), carried=carried(star), star=star.facts)
    star.session.create(PACKED, packed)


def carried(star: Star) -> Joined:
    """The counts of a frequency set, and its carried columns."""
    return columns([Name("frequency"), *(aggregate.column for aggregate in star.carried)])


def _parts(bits: Sequence[int]) -> tuple[tuple[tuple[int, int], ...], ...]:
    """The attributes of each part of a key, with their shifts.

    >>> _parts([40, 20, 3])
    (((0, 0), (1, 40)), ((2, 0),))
    """
    parts: list[list[tuple[int, int]]] = [[]]
    used = 0
    for at, width in enumerate(bits):
        if used + width > _BITS:
            parts.append([])
            used = 0
        parts[-1].append((at, used))
        used += width
    return tuple(map(tuple, parts))


def roll_up(packing: Packing, *, rises: Name, below: Hole, which: Statement) -> Statement:
    """The frequency sets of the nodes of some rises, from those of the nodes beneath in ``below``."""
    keys = columns(
        As(Statement("star/rollups/rollup#raised", key=key, **{"raise": Name(f"raise_{part}")}), key)
        for part, key in enumerate(packing.keys, 1)
    )
    code = Statement("star/rollups/rollup#code")
    if len(packing.parts) > 1:
        parts = Joined(tuple(Name("below", *key.parts) for key in packing.keys), ", ")
        code = Statement("star/rollups/rollup#code_of_part", keys=parts)
    return Statement(
        "star/rollups/rollup",
        keys=keys,
        merged=packing.star.merged,
        code=code,
        below=below,
        rises=rises,
        which=which,
        climbs=_CLIMBS,
    )


@dataclass(frozen=True)
class Rolled:
    """A table of frequency sets, and the number of rows that were read from the source's table for it since the table
    before.
    """

    sets: Name
    rows: int
    sources: int


def targets(packing: Packing, nodes: Name, *, sources: Name, rows: int, into: str) -> Iterator[Rolled]:
    """The frequency sets of the ``nodes``: node, source. Each is rolled up from that of its source, one attribute in
    each step.

    Nodes share the steps in which their levels agree. ``rows`` is the number of rows of the ``sources``. Yields tables,
    several for large frequency sets; each is replaced after it has been used.
    """
    session = packing.star.session
    session.create(_STEPS, Statement("star/rollups/rollup#steps", targets=nodes, places=PLACES))
    yield from _Descent(packing, into).descend(1, sources, rows)
    session.drop(_STEPS, *(Name(f"{into}_{step}") for step in range(1, len(packing.steps) + 1)))


@dataclass
class _Descent:
    """The steps from the sources to the targets, into a table for each step."""

    packing: Packing
    into: str
    rows: int = 0
    sources: int = 0

    def descend(self, step: int, below: Name, rows: int) -> Iterator[Rolled]:
        """Take a step and those after it, from the frequency sets of the step before."""
        here, last = Name(f"{self.into}_{step}"), len(self.packing.steps)
        levels = self.packing.levels[self.packing.steps[step - 1]]
        for which in _ranges(self.packing.star, _STEPS, step=step, below=below, rows=rows * levels):
            rolled = roll_up(self.packing, rises=_STEPS, below=below, which=which)
            stored = self.packing.star.session.create(here, rolled)
            self.rows += rows
            self.sources += step == 1
            if step < last:
                yield from self.descend(step + 1, here, stored)
            else:
                yield Rolled(here, self.rows, self.sources)
                self.rows = self.sources = 0


def roll_up_all(packing: Packing, *, rises: Name, below: Hole, rows: int, into: Name) -> int:
    """Create a table with the frequency sets of all ``rises``, which are one step; return its number of rows.

    ``rows`` is the number of rows of the frequency sets ``below``.
    """
    session, stored = packing.star.session, 0
    store = session.create
    for which in _ranges(packing.star, rises, step=1, below=below, rows=rows * len(packing.levels)):
        stored += store(into, roll_up(packing, rises=rises, below=below, which=which))
        store = session.insert
    return stored


def _ranges(star: Star, rises: Name, *, step: int, below: Hole, rows: int) -> Iterator[Statement]:
    """The rises of a step, in parts of which each reads few enough rows. All together read ``rows`` at most."""
    number = Number(step)
    if rows <= _BUDGET:
        yield Statement("star/rollups/rollup#step", step=number)
        return
    ranges = Statement("star/rollups/rollup#ranges", rises=rises, below=below)
    for first, last in star.session.run(ranges, {"step": step, "budget": _BUDGET}):
        yield Statement("star/rollups/rollup#range", step=number, first=Number(int(first)), last=Number(int(last)))
