"""Frequency sets of many nodes by one statement, with the codes of a value group packed into integer keys.

LeFevre, DeWitt, Ramakrishnan 2005, section 3 (Rollup Property). Planning a statement takes longer than counting a small
frequency set. So nodes are rows of a relation instead of parts of a statement. A row of this relation, a rise, has a
node, the node beneath and the raised attribute; one join rolls up the frequency sets of all rises. The frequency sets
share a table ``node, key_1, …, frequency``.

Nodes of all subsets of the quasi-identifier are numbered together: an attribute absent from a node counts as an
attribute at its top. So nodes of different subsets with equal value groups share a number and a frequency set.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from operator import mul

from starcloak.star.star import Node, Star
from starcloak.statements.statement import As, Hole, Joined, Name, Number, Statement, columns

#: Table with the star's frequency set in packed keys, as the set of node 0.
PACKED = Name("star_keys")
#: Table with the position of each attribute in the keys (part and bits) and in the numbers of nodes (stride).
PLACES = Name("key_places")
_CLIMBS = Name("key_climbs")
_STEPS = Name("key_steps")
# Largest number of bits in one key column, a signed number of 64 bits.
_BITS = 62
# Largest number of rows read and joined by one statement; a statement for a single node may read more.
_BUDGET = 10_000_000


@dataclass(frozen=True)
class Packing:
    """Layout of packed keys and of node numbers for a star. Attributes are numbered from 0.

    ``levels`` has the number of levels of each attribute; one further level stands for the attribute's absence if its
    top has several values. A key consists of ``parts``, one integer column each: a part lists its attributes with their
    shifts in bits. ``steps`` is the order of the attributes to be raised from the star to a node.
    """

    star: Star
    levels: tuple[int, ...]
    parts: tuple[tuple[tuple[int, int], ...], ...]
    steps: tuple[int, ...]

    @property
    def strides(self) -> tuple[int, ...]:
        """For each attribute, the difference between the numbers of nodes one level of the attribute apart.

        The attribute raised first has the largest one.
        """
        later = {at: self.steps[step:] for step, at in enumerate(self.steps, 1)}
        return tuple(prod(self.levels[other] for other in later[at]) for at in range(len(self.levels)))

    @property
    def top(self) -> int:
        """The number of the node without any attribute."""
        return prod(self.levels) - 1

    @property
    def keys(self) -> tuple[Name, ...]:
        """Names of the columns of a key: key_1, key_2, …."""
        return tuple(Name(f"key_{part}") for part in range(1, len(self.parts) + 1))

    def ground(self, dimensions: Sequence[int]) -> int:
        """The number of the node with the attributes ``dimensions`` (positions from 1) at level 0, and no other."""
        return sum(
            stride * (levels - 1)
            for position, (stride, levels) in enumerate(zip(self.strides, self.levels, strict=True), 1)
            if position not in dimensions
        )

    def node(self, number: int) -> Node:
        """The node with a number; attributes at the level of their absence are left out."""
        present = [
            (dimension.position, level)
            for dimension, stride, levels in zip(self.star.dimensions, self.strides, self.levels, strict=True)
            for level in [number // stride % levels]
            if level <= dimension.height
        ]
        return Node(number, tuple(position for position, _ in present), tuple(level for _, level in present))

    def pack(self, codes: dict[int, Name]) -> Joined:
        """The key columns for leaf codes of some attributes, by position from 1; absent attributes have the code 0."""
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
    """Lay out packed keys for a star, and create the tables of this layout.

    The table ``key_places`` has the position of each attribute in keys and node numbers. The table ``key_climbs`` has
    the amount added to a key to raise a code to a level.
    """
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
    """Create the table ``star_keys``: the star's tuples with packed keys, as the frequency set of node 0."""
    star = packing.star
    codes = {dimension.position: dimension.column(0) for dimension in star.dimensions}
    packed = Statement("star/rollups/packed", keys=packing.pack(codes), carried=carried(star), star=star.facts)
    star.session.create(PACKED, packed)


def carried(star: Star) -> Joined:
    """The columns with aggregates in a frequency set: frequency, and carried columns of sensitive attributes."""
    return columns([Name("frequency"), *(aggregate.column for aggregate in star.carried)])


def _parts(bits: Sequence[int]) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Distribute attributes over the parts of a key; each part lists its attributes (from 0) with their shifts.

    ``bits`` has the number of bits of each attribute's codes.

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


def roll_up(packing: Packing, *, rises: Hole, below: Hole, which: Statement) -> Statement:
    """The statement that rolls up the frequency sets of nodes from the frequency sets of nodes beneath.

    ``rises`` is the relation with a row per node: the node, the node beneath, and the raised attribute. ``below`` has
    the frequency sets of the nodes beneath. ``which`` is the condition for the chosen rises.
    """
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
    """A table of frequency sets, with the work for it since the previous table.

    ``rows`` counts the rows read by all rollups. ``sources`` counts the rollups that started from the table of source
    frequency sets, and not from the previous table.
    """

    sets: Name
    rows: int
    sources: int


def targets(packing: Packing, nodes: Statement, *, sources: Name, rows: int, into: str) -> Iterator[Rolled]:
    """Roll up the frequency sets of nodes, each from the frequency set of its source node, one attribute per step.

    ``nodes`` yields the columns node and source. ``sources`` is the table with the frequency sets of the
    source nodes, and ``rows`` its number of rows. Nodes with equal levels of the first attributes share the steps for
    these attributes. ``into`` is the prefix of the created tables. Yields tables of frequency sets, several if the sets
    are large; the next iteration replaces the yielded table.
    """
    session = packing.star.session
    nested = Statement("store/relation#nested", rows=nodes)
    if session.create(_STEPS, Statement("star/rollups/rollup#steps", targets=nested, places=PLACES)):
        yield from _Descent(packing, into).descend(1, sources, rows)
    session.drop(_STEPS, *(Name(f"{into}_{step}") for step in range(1, len(packing.steps) + 1)))


@dataclass
class _Descent:
    """The rollup steps from source nodes to target nodes; each step creates a table."""

    packing: Packing
    into: str
    rows: int = 0
    sources: int = 0

    def descend(self, step: int, below: Name, rows: int) -> Iterator[Rolled]:
        """Roll up one step and all later ones, from the previous step's frequency sets ``below`` with ``rows`` rows."""
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


def roll_up_all(packing: Packing, *, rises: Hole, below: Hole, rows: int, into: Name) -> int:
    """Create the table ``into`` with the frequency sets of all nodes in ``rises``; returns its number of rows.

    A rise leads from a node to the node above it. ``below`` is a table of frequency sets of the nodes beneath, with
    ``rows`` rows.
    """
    session, stored = packing.star.session, 0
    store = session.create
    for which in _ranges(packing.star, rises, step=1, below=below, rows=rows * len(packing.levels)):
        stored += store(into, roll_up(packing, rises=rises, below=below, which=which))
        store = session.insert
    return stored


def _ranges(star: Star, rises: Hole, *, step: int, below: Hole, rows: int) -> Iterator[Statement]:
    """Conditions that split the rises of a step, so that one statement reads a limited number of rows.

    ``rows`` is an upper bound of the rows read for all rises together.
    """
    number = Number(step)
    if rows <= _BUDGET:
        yield Statement("star/rollups/rollup#step", step=number)
        return
    ranges = Statement("star/rollups/rollup#ranges", rises=rises, below=below)
    for first, last in star.session.run(ranges, {"step": step, "budget": _BUDGET}):
        yield Statement("star/rollups/rollup#range", step=number, first=Number(int(first)), last=Number(int(last)))
