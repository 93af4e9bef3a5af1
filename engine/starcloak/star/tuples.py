"""A frequency set in memory: its tuples as NumPy arrays, and frequency sets rolled up from these tuples.

Used at the end of a search: a small frequency set is queried for thousands of nodes, and one SQL statement per node
would take longer than the counting.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from operator import lt
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from starcloak.privacy.aggregates import (
    PEOPLE,
    Carried,
    Domain,
    Having,
    Held,
    Lacked,
    Numbered,
    PersonList,
    ValueCount,
    ValueText,
    read_texts,
)
from starcloak.privacy.groups import Grouped, Pairs
from starcloak.privacy.requirement import Demand
from starcloak.star import frequency_sets as frequency
from starcloak.star import keys
from starcloak.star.keys import Integers, KeptWords, Words
from starcloak.star.open_nodes import Box, Levels, OpenNodes, between, meet, sum_up
from starcloak.star.star import Dimension, Node, Star
from starcloak.star.working_tables import leaves
from starcloak.statements.statement import Hole, Joined, Number, Statement

if TYPE_CHECKING:
    from numpy.typing import NDArray

# A part of so few tuples is not rolled up further, nor one for so few open nodes.
_FEW_TUPLES = 200
_FEW_NODES = 64
# A rollup that has more than this share of the tuples is not kept.
_SHRUNK = 0.7

# The largest number of cells by which a witness distinguishes nodes and values.
_LARGEST_GRID = 50_000_000


@dataclass
class _Part:
    """A rolled-up frequency set, shared by the open nodes (without a verdict) with the same levels of some attributes.

    ``node`` is the meet of these nodes: the most general node below all of them. ``tuples`` has the number of one tuple
    of each value group, ``words`` the packed codes of these tuples, ``held`` the groups' values of sensitive
    attributes. ``open`` is the number of these nodes open at the creation of the part. ``parts`` has further rollups of
    this one, by the level of the next attribute.
    """

    node: Levels
    tuples: Integers
    words: Sequence[Integers]
    frequency: NDArray[np.float64]
    held: Mapping[str, Pairs]
    open: int
    parts: dict[int, _Part] = field(default_factory=dict)


@dataclass(frozen=True)
class GroupSizes:
    """Value groups of a node: ``sizes`` are their numbers of rows, ``out`` is the mask of the suppressed groups."""

    sizes: Integers
    out: NDArray[np.bool_]
    _codes: Sequence[Integers]
    _members: Integers

    @property
    def classes(self) -> int:
        """Number of groups that are not suppressed."""
        return int(np.count_nonzero(~self.out))

    def codes(self, attribute: int) -> Integers:
        """For each suppressed group, the code of a leaf under the group's value of an attribute (numbered from 0)."""
        return self._codes[attribute][self._members]


class Tuples:
    """The frequency set of the lowest node of a box: a range of levels per attribute.

    ``codes`` has per attribute every tuple's code at this node, ``held`` the tuples' values of sensitive attributes,
    ``climbs`` per attribute and level the ancestor of each code. ``nodes`` has the verdicts of the search. Open nodes
    (without a verdict) with the same levels of some attributes share a rollup, their super-root (section 3.3.1); it is
    made again after half of these nodes got a verdict. Without ``nodes``, in a lattice too large for a verdict per
    node, each node is counted from all tuples. ``order`` lists the attributes (from 0), the one with the highest
    entropy first. ``rows`` is the number of tuples aggregated so far. Several threads may query at the same time if no
    verdict is recorded meanwhile.
    """

    def __init__(
        self,
        codes: Sequence[Integers],
        frequency: Integers,
        *,
        climbs: Sequence[Sequence[Integers]],
        nodes: OpenNodes | None,
        box: Box,
        held: Mapping[str, Pairs] | None = None,
    ) -> None:
        self.rows = 0
        # Held while a part is made or rows are counted.
        self._making = Lock()
        self._codes, self._nodes, self._box = codes, nodes, box
        whole = frequency.astype(np.float64)
        # To fix the levels of the first makes the smallest parts.
        self.order = sorted(range(len(box)), key=lambda attribute: -_entropy(codes[attribute], whole))
        self._words = (KeptWords if nodes is None else Words)(codes, climbs, self.order)
        everyone = np.arange(len(frequency))
        self._whole = _Part(meet(box), everyone, self._words.all, whole, held or {}, nodes.count(box) if nodes else 0)

    def __len__(self) -> int:
        return len(self._whole.tuples)

    @property
    def pairs(self) -> int:
        """Number of pairs of a tuple and a sensitive value, for the attribute with the most pairs."""
        return max((len(pairs.of) for pairs in self._whole.held.values()), default=len(self))

    def outliers(self, levels: Levels, *, demand: Demand, allowed: int | None = None) -> int:
        """Number of rows in value groups that violate a demand at a node of the box.

        Includes violations caused by the suppression of other groups, unless ``allowed`` (the permitted number of
        suppressed rows) is 0: then any violation refutes the node.
        """
        with self._making:
            part = self._part(levels)
            self.rows += len(part.tuples)
        if demand.counts_rows_only:
            sizes = self._sizes(part, levels)
            return int(sizes[demand.violates(Grouped(sizes))].sum())
        _, groups = self._group(part, levels)
        return demand.count_rows(groups.sizes[demand.violates(groups) if allowed == 0 else demand.outliers(groups)])

    def groups(self, levels: Levels) -> int:
        """Number of value groups of the tuples at a node of the box."""
        return len(self._sizes(self._whole, levels))

    def count(self, levels: Levels, *, demand: Demand) -> GroupSizes:
        """The value groups of a node of the box, with a mask of the groups suppressed to satisfy the demand."""
        groups, members = self._groups_of(levels)
        out, real = demand.outliers(groups), groups.sizes > 0  # those of the population alone are none of the release
        return GroupSizes(groups.sizes[real], out[real], self._codes, members[out & real])

    def groups_at(self, levels: Levels) -> tuple[Grouped, Callable[[int], Integers]]:
        """The value groups of a node of the box, and a function for their values.

        The function returns, for an attribute (from 0), the code of a leaf under each group's value.
        """
        groups, members = self._groups_of(levels)
        return groups, lambda attribute: self._codes[attribute][members]

    def _groups_of(self, levels: Levels) -> tuple[Grouped, Integers]:
        """The value groups of a node, and the number of one tuple of each group."""
        with self._making:
            part = self._part(levels)
            self.rows += len(part.tuples)
        group, groups = self._group(part, levels)
        return groups, part.tuples[group]

    def rare(self, count: int, *, demand: Demand) -> Integers:
        """Numbers of about ``count`` tuples that violate the demand, in any order; fewer if fewer violate it.

        They are spread evenly over the violating tuples in the order of a key of their codes.
        """
        rare = np.flatnonzero(demand.violates(Grouped(self._whole.frequency.astype(np.int64), self._whole.held)))
        if not count:
            return rare[:0]
        spread = np.zeros(len(rare), np.uint64)
        for codes in self._codes:
            # By an odd number, so that a key too long for 64 bits still depends on all attributes.
            spread = spread * np.uint64(int(codes.max(initial=0)) + 1 | 1) + codes[rare].astype(np.uint64)
        return rare[np.argsort(spread, kind="stable")][:: max(1, len(rare) // count)]

    def refutes(self, demand: Demand) -> bool:
        """True if :meth:`refute` can count for this demand in acceptable time and memory."""
        counted = [pairs.values for pairs in self._whole.held.values() if pairs.rows is not None]
        if demand.is_in_text:
            return False  # a node is counted by its pairs, a witness by all values one after the other
        nodes = int(np.prod([side.stop - side.start for side in self._box]))
        return demand.counts_rows_only or max(counted, default=0) * nodes <= _LARGEST_GRID

    def refute(self, witness: int, *, demand: Demand) -> NDArray[np.bool_]:
        """Mask of the nodes of the box at which the value group of one tuple, the witness, violates the demand.

        ``witness`` is the number of the tuple. Every tuple is assigned to the lowest vector of levels at which it has
        the same values as the witness. The witness's value group at a node consists of the tuples with a vector at or
        beneath the node; cumulative sums along every attribute count them.
        """
        shape = tuple(side.stop - side.start for side in self._box)
        cells = prod(shape)
        cell = self._words.apart(witness, meet(self._box), shape)
        inside = cell < cells
        with self._making:
            self.rows += len(self)
        sizes = _sums(cell[inside], self._whole.frequency[inside], cells)
        beneath = _Beneath(sum_up(sizes.reshape(shape)), cell, inside, self._whole.held)
        return demand.violates(beneath)

    def _part(self, levels: Levels) -> _Part:
        """The smallest rollup usable for a node; a new rollup is made if enough open nodes can use it."""
        part, box = self._whole, self._box
        if self._nodes is None:
            return part
        for attribute in self.order[:-1]:
            if len(part.tuples) <= _FEW_TUPLES:
                break
            level = levels[attribute]
            box = between(box, attribute, level, level + 1)
            open, part_known = self._nodes.count(box), part.parts.get(level)
            if open >= _FEW_NODES and (part_known is None or 2 * open <= part_known.open):
                part_made = self._roll_up(part_known or part, meet(self._nodes.span(box)), open)
                part_made.parts = part_known.parts if part_known else {}
                part.parts[level] = part_known = part_made
            # A closed node need not generalize the meet of the open ones.
            if part_known is None or any(map(lt, levels, part_known.node)):
                break
            part = part_known
        return part

    def _roll_up(self, part: _Part, node: Levels, open: int) -> _Part:
        if node == part.node:
            return replace(part, open=open, parts={})
        self.rows += len(part.tuples)
        group, groups = self._group(part, node)
        if len(group) > _SHRUNK * len(part.tuples):  # hardly cheaper to count, and a copy of it
            return replace(part, open=open, parts={})
        words = tuple(word[group] for word in part.words)
        return _Part(node, part.tuples[group], words, groups.sizes.astype(np.float64), groups.held, open)

    def _group(self, part: _Part, levels: Levels) -> tuple[Integers, Grouped]:
        """The value groups of a part at a node: the position of one tuple of each group in the part, and the groups."""
        distinct, group = keys.number(*self._words.key(part.words, levels))
        numbers: Integers = np.empty(len(distinct), np.int64)
        numbers[group] = np.arange(len(group))
        pairs_held = {attribute: pairs.regroup(group) for attribute, pairs in part.held.items()}
        return numbers, Grouped(_sums(group, part.frequency, len(distinct)), pairs_held)

    def _sizes(self, part: _Part, levels: Levels) -> Integers:
        """Numbers of rows of the value groups of a part at a node, one per group, in any order."""
        key, values = self._words.key(part.words, levels)
        if values <= keys.DENSE * len(key):
            sizes = _sums(key, part.frequency, values)
            return sizes[sizes > 0]
        order = keys.order(key, values)
        first = np.flatnonzero(keys.starts(key[order]))
        return np.add.reduceat(part.frequency[order], first).astype(np.int64)


@dataclass(frozen=True)
class _Beneath:
    """The value groups of one tuple, the witness, at all nodes of a box: ``sizes`` are their numbers of rows.

    ``cell`` is, per tuple, the number of the lowest node of the box at which the tuple is in the witness's group.
    ``inside`` is false for tuples in the witness's group at no node. ``held`` has the tuples' values of sensitive
    attributes.
    """

    sizes: Integers
    cell: Integers
    inside: NDArray[np.bool_]
    held: Mapping[str, Pairs]

    def distinct(self, attribute: str) -> Integers:
        """Number of distinct sensitive values in the group at each node; if counting takes too long, an upper bound."""
        pairs = self.held[attribute]
        counts: Integers = np.zeros(self.sizes.shape, np.int64)
        if pairs.values * self.sizes.size > _LARGEST_GRID:
            return counts + pairs.values
        chosen = self.inside[pairs.of]
        cells, values = self.cell[pairs.of[chosen]], pairs.value[chosen]
        for value in np.unique(values[values < pairs.values]).tolist():
            marks = np.zeros(self.sizes.size, bool)
            marks[cells[values == value]] = True
            counts += sum_up(marks.reshape(self.sizes.shape))
        return counts

    def rows_with(self, attribute: str, value: int) -> Integers:
        """Number of rows with a sensitive value in the group at each node."""
        of, rows = self.held[attribute].among(value)
        chosen = self.inside[of]
        sums = _sums(self.cell[of[chosen]], rows[chosen], self.sizes.size)
        return sum_up(sums.reshape(self.sizes.shape))

    def rows_with_each(self, attribute: str, values: Sequence[int]) -> Integers:
        """Number of rows with each of some sensitive values in the group at each node; the first axis is the values."""
        of, place, rows = self.held[attribute].chosen(values)
        inside, cells = self.inside[of], self.sizes.size
        sums = _sums(place[inside] * cells + self.cell[of[inside]], rows[inside], len(values) * cells)
        return sum_up(sums.reshape(len(values), *self.sizes.shape), since=1)

    def pairs(self, attribute: str) -> Pairs | None:
        return None


def _entropy(codes: Integers, frequency: NDArray[np.float64]) -> float:
    shares = np.bincount(codes, weights=frequency) / frequency.sum()
    shares = shares[shares > 0]  # values that only the population has
    return float(-(shares * np.log(shares)).sum())


def about(star: Star, levels: Levels) -> float:
    """Estimate of the number of value groups of a node."""
    if star.distant is not None:
        return star.distant.about(levels)
    named = Joined(tuple(star.dimensions[at].column(levels[at]) for at in below_top(star, levels)), ", ")
    (groups,) = star.session.row(Statement("star/frequency/estimate", levels=named, star=star.facts))
    return float(groups)


def fetch(star: Star, nodes: OpenNodes | None, box: Box, *, climbs: Sequence[Sequence[Integers]]) -> Tuples:
    """Load the frequency set of the lowest node of a box into memory.

    ``nodes`` has the verdicts of the search, ``climbs`` per attribute and level the ancestor of each code.
    """
    lowest = meet(box)
    if star.distant is not None:
        columns = star.distant.frequencies(node(star, lowest))
    else:
        columns = star.session.columns(frequency.recount(star, node(star, lowest)))
    codes: list[Integers] = [np.zeros(len(columns["frequency"]), np.int64)] * len(lowest)
    for place, attribute in enumerate(below_top(star, lowest), 1):
        codes[attribute] = columns[f"value_{place}"]
    pairs_held = held_of(star.carried, columns, star.domains)
    return Tuples(codes, columns["frequency"], climbs=climbs, nodes=nodes, box=box, held=pairs_held)


def marginal(star: Star, dimension: Dimension) -> Statement:
    """The frequency set of one attribute alone: ``dimension``, ``code``, ``frequency``, and carried columns."""
    holes: dict[str, Hole] = {"dimension": Number(dimension.position), "code": dimension.column(0)}
    facts = star.facts if star.distant is None else leaves(dimension.position)
    return Statement("star/marginal", **holes, merged=star.merged, star=facts)


def climbs(star: Star) -> list[list[Integers]]:
    """Ancestors of codes, by attribute and level: each array has the ancestor of a code at the index of the code."""
    statement = "star/climbs"
    if statement not in star.read:
        read = star.session.columns(Statement(statement, generalization=star.generalization))
        levels = np.array([dimension.height + 1 for dimension in star.dimensions])
        of = read["dimension"] - 1
        sizes = np.bincount(of) // levels
        starts = np.cumsum(sizes * levels) - sizes * levels
        ancestors = np.empty_like(read["ancestor"])
        ancestors[starts[of] + read["level"] * sizes[of] + read["code"]] = read["ancestor"]
        star.read[statement] = [
            list(ancestors[start : start + size * height].reshape(height, size))
            for start, size, height in zip(starts, sizes, levels, strict=True)
        ]
    found: list[list[Integers]] = star.read[statement]
    return found


def covered(ancestors: Integers) -> Integers:
    """Number of other leaves under the ancestor of each leaf, at the index of the leaf's code."""
    others: Integers = np.bincount(ancestors)[ancestors] - 1
    return others


def below_top(star: Star, levels: Levels) -> list[int]:
    """Attributes (numbered from 0) with several values at a node; ``[0]`` if there are none.

    An attribute at its top has one value, unless the job sets a highest level with several values.
    """
    below = [at for at, dimension in enumerate(star.dimensions) if dimension.tells_apart(levels[at])]
    return below or [0]


def node(star: Star, levels: Levels) -> Node:
    """The node for some levels, restricted to the attributes with several values at these levels."""
    below = below_top(star, levels)
    return Node(0, tuple(at + 1 for at in below), tuple(levels[at] for at in below))


def _sums(key: Integers, frequency: NDArray[Any], values: int) -> Integers:
    """Number of rows of each key from 0 to below ``values``. Sums are exact: a table has fewer than 2 ** 53 rows."""
    sums: Integers = np.bincount(key, weights=frequency, minlength=values).astype(np.int64)
    return sums


def held_of(
    carried: Sequence[Carried], columns: Mapping[str, NDArray[Any]], domains: Mapping[str, Domain]
) -> dict[str, Pairs]:
    """Pairs of tuples and sensitive values by sensitive attribute, from the columns of a fetched frequency set."""
    pairs_held: dict[str, Pairs] = {}
    if PEOPLE in carried:
        pairs_held[PEOPLE.attribute] = _alike(columns[PEOPLE.column.parts[0]])
    for aggregate in carried:
        if isinstance(aggregate, Lacked):
            pairs_held[aggregate.key] = unpack(columns[aggregate.column.parts[0]], values=aggregate.values)
        elif isinstance(aggregate, Having):
            pairs_held[aggregate.key] = _alike(columns[aggregate.column.parts[0]])
    for attribute, domain in domains.items():
        if domain.persons is not None:
            pairs_held |= {
                aggregate.attribute: _persons_held(aggregate, columns)
                for aggregate in carried
                if isinstance(aggregate, PersonList | Numbered)
            }
            continue
        own = [aggregate for aggregate in carried if aggregate.attribute == attribute]
        texts = [aggregate for aggregate in own if isinstance(aggregate, ValueText)]
        rows = [aggregate for aggregate in own if isinstance(aggregate, ValueCount)]
        if texts:
            pairs_held[attribute] = _in_texts(columns[texts[0].column.parts[0]], values=domain.present)
        elif rows:
            table = np.stack([columns[aggregate.column.parts[0]] for aggregate in rows])
            value, of = np.nonzero(table)
            pairs_held[attribute] = Pairs(of, value, domain.present, table[value, of].astype(np.int64))
        else:
            (bits,) = (aggregate for aggregate in own if isinstance(aggregate, Held))
            pairs_held[attribute] = unpack(columns[bits.column.parts[0]], values=bits.values)
    return pairs_held


def _persons_held(carried: PersonList | Numbered, columns: Mapping[str, NDArray[Any]]) -> Pairs:
    """Pairs of tuples and persons. If persons are only counted, each counts as a row with the same single value."""
    read = columns[carried.column.parts[0]]
    every = np.arange(len(read))
    if isinstance(carried, Numbered):
        return _alike(read)
    value = np.concatenate([*read, np.zeros(0, np.int64)]).astype(np.int64)
    return Pairs(np.repeat(every, [len(values) for values in read]), value, int(value.max(initial=-1)) + 1)


def _alike(read: NDArray[Any]) -> Pairs:
    """Pairs for counts per tuple (``read``): each tuple has this number of rows with one and the same value."""
    return Pairs(np.arange(len(read)), np.zeros(len(read), np.int64), 1, read.astype(np.int64))


def _in_texts(read: NDArray[Any], *, values: int) -> Pairs:
    """Pairs of tuples and sensitive values, from a column with one text per tuple and one character per row."""
    lengths, value = read_texts(read.tolist())
    of = np.repeat(np.arange(len(lengths)), lengths)
    pairs, rows = np.unique(of * np.int64(values + 1) + value, return_counts=True)
    return Pairs(pairs // (values + 1), pairs % (values + 1), values, rows.astype(np.int64))


def unpack(bits: NDArray[Any], *, values: int) -> Pairs:
    """Pairs of tuples and sensitive values, from a column of bit strings as returned by the working store.

    Each entry starts with a byte with the number of padding bits in the following byte; the bits of the ``values``
    follow.
    """
    if not len(bits):
        return Pairs(np.zeros(0, np.int64), np.zeros(0, np.int64), values)
    packed = np.frombuffer(b"".join(bits.tolist()), np.uint8).reshape(len(bits), -1)
    padding = int(packed[0, 0])
    of, value = np.nonzero(np.unpackbits(packed[:, 1:], axis=1)[:, padding:])
    return Pairs(of, value, values)
