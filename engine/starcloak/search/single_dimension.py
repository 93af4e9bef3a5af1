"""Single-dimension recoding, greedily: full-subtree, ordered-set partitioning, unrestricted.

The models are those of LeFevre, DeWitt, Ramakrishnan 2005, section 5.1; the paper gives no algorithm for them. Here all
start from the most general recoding and refine, top-down, what spares most loss (LM, Iyengar 2002), as long as the
requirement holds. In the first two models a refinement only divides groups, so one that is refused stays refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starcloak.job import OrderedSet, Qid, SingleDimension, Unrestricted
from starcloak.recoding import CUT
from starcloak.search.tdr import recode
from starcloak.search.tdr.masks import Value
from starcloak.star import Star, without_numbers
from starcloak.statement import Hole, Name, Statement, columns

Integers = NDArray[np.integer[Any]]

# Combined keys stay below this.
_LARGEST = 2**62


@dataclass(frozen=True)
class Done:
    """What a search did: the refinements that it performed, and those that would have violated the requirement."""

    refined: int
    refused: int


@dataclass(frozen=True)
class _Change:
    """Some leaves of an attribute and the cells that they would go to."""

    attribute: _Attribute
    leaves: Integers
    cells: Integers

    @property
    def spared(self) -> float:
        """How much less loss the rows of the leaves have, in cells."""
        attribute = self.attribute
        before, after = (attribute.widths[cells] for cells in (attribute.cells[self.leaves], self.cells))
        return float((attribute.rows[self.leaves] * (before - after)).sum())


@dataclass(eq=False)
class _Attribute:
    """The leaves of one attribute and the cell that each goes to.

    A cell of a hierarchy is its level times the number of leaves, and the code of its first leaf; an interval's is
    its first leaf, so that intervals come in their order. ``widths`` has the share of the other leaves that a cell
    covers; ``numbers`` tells which leaves are equal as numbers.
    """

    position: int
    ancestors: Sequence[Integers]
    rows: NDArray[np.float64]
    intervals: bool
    numbers: Integers
    cells: Integers = field(init=False)
    widths: NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        count = self.leaves
        self.cells = np.zeros(count, np.int64) if self.intervals else self.at(len(self.ancestors) - 1, np.arange(count))
        self.widths = np.zeros(count * len(self.ancestors))
        for level in range(len(self.ancestors)):
            under = np.bincount(self.ancestors[level], minlength=count)
            self.widths[level * count : (level + 1) * count] = np.maximum(under - 1, 0) / max(count - 1, 1)

    @property
    def leaves(self) -> int:
        return len(self.rows)

    @property
    def levels(self) -> Integers:
        """The level of each leaf's cell."""
        levels: Integers = self.cells // self.leaves
        return levels

    def at(self, level: int, leaves: Integers) -> Integers:
        """The cells of leaves at a level."""
        cells: Integers = level * self.leaves + self.ancestors[level][leaves]
        return cells

    def values(self) -> list[Value]:
        """The cells as masked values."""
        if self.intervals:
            firsts = [*np.unique(self.cells).tolist(), self.leaves]
            return [Value(first, last, 1) for first, last in pairwise(firsts)]
        return [Value(cell % self.leaves, 0, cell // self.leaves) for cell in np.unique(self.cells).tolist()]


@dataclass(frozen=True)
class _Groups:
    """The records of one QID: leaves' codes per attribute, and how many rows each stands for."""

    codes: Mapping[int, Integers]
    frequency: NDArray[np.float64]
    k: int

    def allow(self, cells: Mapping[int, Integers]) -> bool:
        """Whether every group has k rows, where leaves go to these cells."""
        if not set(cells) & set(self.codes):
            return True
        _, group = np.unique(self.keys(cells), return_inverse=True)
        return bool(np.bincount(group, self.frequency).min() >= self.k)

    def keys(self, cells: Mapping[int, Integers]) -> Integers:
        """A number per record: the same for records of the same cells."""
        keys: Integers = np.zeros(len(self.frequency), np.int64)
        span = 1
        for position, codes in self.codes.items():
            if position not in cells:
                continue
            size = int(cells[position].max()) + 1
            if span * size > _LARGEST:
                _, keys = np.unique(keys, return_inverse=True)
                span = len(keys)
            keys = keys * size + cells[position][codes]
            span *= size
        return keys

    def closed(self, attribute: _Attribute, cells: Mapping[int, Integers]) -> NDArray[np.bool_]:
        """For every leaf, whether an interval that starts with it would leave a group with fewer than k rows."""
        shut = np.zeros(attribute.leaves + 1, np.int64)
        if attribute.position not in self.codes:
            return np.zeros(attribute.leaves, bool)
        codes = self.codes[attribute.position]
        _, group = np.unique(self.keys(cells), return_inverse=True)
        order = np.lexsort((codes, group))
        group, codes, until = group[order], codes[order], np.cumsum(self.frequency[order])
        ends = until[np.flatnonzero(np.append(group[1:] != group[:-1], True))]
        before = np.concatenate(([0.0], ends[:-1]))[group]
        # Between two records of a group: those to the left, and the others.
        inner = np.flatnonzero((group[1:] == group[:-1]) & (codes[1:] != codes[:-1]))
        left, right = until[inner] - before[inner], ends[group[inner]] - until[inner]
        few = inner[(left < self.k) | (right < self.k)]
        np.add.at(shut, codes[few] + 1, 1)
        np.add.at(shut, codes[few + 1] + 1, -1)
        closed: NDArray[np.bool_] = np.cumsum(shut)[:-1] > 0
        return closed


@dataclass
class _Search:
    """The recoding as it is refined."""

    attributes: Sequence[_Attribute]
    groups: Sequence[_Groups]
    refined: int = 0
    refused: int = 0

    @property
    def cells(self) -> dict[int, Integers]:
        return {attribute.position: attribute.cells for attribute in self.attributes}

    def perform(self, change: _Change) -> bool:
        """Make a change if the requirement still holds, and tell."""
        cells = change.attribute.cells.copy()
        cells[change.leaves] = change.cells
        after = self.cells | {change.attribute.position: cells}
        concerned = (groups for groups in self.groups if change.attribute.position in groups.codes)
        if not all(groups.allow(after) for groups in concerned):
            self.refused += 1
            return False
        change.attribute.cells = cells
        self.refined += 1
        return True

    def refine(self) -> None:
        """Refine nodes into their children, and intervals in two, until nothing can be refined."""
        heap: list[tuple[float, int, int, _Change]] = []

        def offer(attribute: _Attribute, leaves: Integers) -> None:
            change = self._split(attribute, leaves) if attribute.intervals else _children(attribute, leaves)
            if change is not None:
                heappush(heap, (-_gain(change), attribute.position, int(change.attribute.cells[leaves[0]]), change))

        for attribute in self.attributes:
            offer(attribute, np.arange(attribute.leaves))
        while heap:
            *_, change = heappop(heap)
            attribute = change.attribute
            if self.perform(change):
                for cell in np.unique(change.cells):
                    offer(attribute, change.leaves[change.cells == cell])
            elif attribute.intervals:
                offer(attribute, change.leaves)

    def _split(self, attribute: _Attribute, leaves: Integers) -> _Change | None:
        """The split of an interval in two that spares most, of those that the requirement allows."""
        closed = np.diff(attribute.numbers, prepend=-1) == 0
        for groups in self.groups:
            closed |= groups.closed(attribute, self.cells)
        starts = leaves[1:][~closed[leaves[1:]]]
        if not len(starts):
            return None
        rows = np.cumsum(attribute.rows[leaves])
        here = starts - leaves[0]
        left = rows[here - 1]
        loss = left * (here - 1) + (rows[-1] - left) * (len(leaves) - here - 1)
        start = starts[np.argmin(loss)]
        return _Change(attribute, leaves, np.where(leaves < start, leaves[0], start))

    def relax(self) -> None:
        """Bring single leaves to lower levels, until none can go to any."""
        more = True
        while more:
            more = False
            for change in _descents(self.attributes):
                more |= self.perform(change)


def _children(attribute: _Attribute, leaves: Integers) -> _Change | None:
    """The refinement of a node of a hierarchy into its children."""
    level = int(attribute.levels[leaves[0]])
    return _Change(attribute, leaves, attribute.at(level - 1, leaves)) if level else None


def _gain(change: _Change) -> float:
    if not change.attribute.intervals:
        return change.spared
    attribute, there = change.attribute, change.cells > change.leaves[0]
    sizes = np.where(there, np.count_nonzero(there), np.count_nonzero(~there))
    width = (len(change.leaves) - sizes) / max(attribute.leaves - 1, 1)
    return float((attribute.rows[change.leaves] * width).sum())


def _descents(attributes: Sequence[_Attribute]) -> Iterator[_Change]:
    """Every leaf to every level below its own, the lowest first."""
    for attribute in attributes:
        for leaf in range(attribute.leaves):
            leaves, before = np.array([leaf]), attribute.cells[leaf]
            for level in range(int(attribute.levels[leaf])):
                if attribute.cells[leaf] == before:
                    yield _Change(attribute, leaves, attribute.at(level, leaves))


def search(star: Star, settings: SingleDimension, *, qids: Sequence[Qid]) -> tuple[Star, Done]:
    """Search a single-dimension recoding: creates the relation ``cut``.

    Full-subtree: no node of a cut can be refined into its children. Ordered-set: neither that, nor can an interval of a
    numeric attribute be split in two. Unrestricted: no leaf can go to a lower level than its own. Returns the star,
    where numeric attributes have got their intervals as a level.
    """
    ordered = isinstance(settings, OrderedSet)
    if not ordered:
        star = without_numbers(star)
    attributes = []
    for dimension in star.dimensions:
        levels = [Name(f"ancestor_{level}") for level in range(dimension.height + 1)]
        shape: dict[str, Hole] = {"ancestors": columns(levels), "table": dimension.table}
        members = star.session.columns(Statement("single_dimension/members", shape))
        ancestors = [members[level.parts[0]].astype(np.int64) for level in levels]
        codes, frequency = recode.records(star, [dimension.attribute])
        rows = np.bincount(codes[dimension.position], frequency, len(ancestors[0])).astype(np.float64)
        numbers: Integers = np.arange(len(rows))
        if intervals := ordered and dimension.numeric:
            numbers = star.session.columns(Statement("tdr/numbers", {"table": dimension.table}))["number"]
        attributes.append(_Attribute(dimension.position, ancestors, rows, intervals, numbers))
    groups = [_Groups(*recode.records(star, qid.attributes), k=qid.k) for qid in qids]
    running = _Search(attributes, groups)
    running.refine()
    if isinstance(settings, Unrestricted):
        running.relax()
        leaves = [
            (attribute.position, code, level)
            for attribute in attributes
            for code, level in enumerate(attribute.levels.tolist())
        ]
        binds = dict(zip(("dimensions", "codes", "levels"), map(list, zip(*leaves, strict=True)), strict=True))
        star.session.create(CUT, Statement("single_dimension/cut"), binds)
    else:
        star = recode.cut(star, {attribute.position: attribute for attribute in attributes})
    return star, Done(running.refined, running.refused)
