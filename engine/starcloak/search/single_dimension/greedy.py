"""Single-dimension recoding, greedily: full-subtree, ordered-set partitioning, unrestricted.

The models are those of LeFevre, DeWitt, Ramakrishnan 2005, section 5.1; the paper gives no algorithm for them. Here all
start from the most general recoding and refine top-down, as long as the requirement holds. The refinement with the
greatest reduction of loss (LM, Iyengar 2002), weighted by its column's importance, comes first. In the first two models
a refinement only divides groups, so a refinement that violates the requirement once is never tried again.

The cell of a leaf is the number of the value that the leaf is generalized to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from heapq import heappop, heappush
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from starcloak.base.errors import JobError
from starcloak.job.result import search_of
from starcloak.privacy.groups import Grouped, GroupValues, Pairs, ValueRecords
from starcloak.privacy.requirement import Demand, Requirement
from starcloak.search.algorithm import Answer, SearchContext
from starcloak.search.single_dimension import cuts
from starcloak.search.single_dimension.cuts import Leaves, Value
from starcloak.search.single_dimension.settings import Greedy, GreedySearch
from starcloak.star import ceilings
from starcloak.star.keys import LARGEST, Integers
from starcloak.star.recoding.single_dimension import CUT, recode
from starcloak.star.star import Star, without_numbers
from starcloak.statements.statement import Name, Statement, columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Where models read more than rows, so many moves times records are tried at most, each in so many seconds.
_LONG = 5_000_000_000
_SECONDS = 2e-7


@dataclass(frozen=True)
class _Change:
    """A possible change of a recoding: some leaves of an attribute, and the new cell (value) of each leaf."""

    attribute: _Attribute
    leaves: Integers
    cells: Integers

    @property
    def spared(self) -> float:
        """Reduction of the loss, summed over the rows of the leaves and weighted by the attribute's importance."""
        attribute = self.attribute
        before, after = (attribute.widths[cells] for cells in (attribute.cells[self.leaves], self.cells))
        return float((attribute.rows[self.leaves] * (before - after)).sum()) * attribute.importance


@dataclass(eq=False)
class _Attribute:
    """The recoding of one attribute: the cell (the number of the generalized value) of every leaf, in ``cells``.

    The number of a hierarchy's value is its level times the number of leaves, plus the code of its first leaf. With
    ``intervals``, it is the code of an interval's first leaf. ``widths`` has, by cell, the share of the other leaves
    covered. ``rows`` has the number of rows of each leaf. ``numbers`` is equal for leaves that are equal as numbers.
    """

    position: int
    ancestors: Sequence[Integers]
    rows: NDArray[np.float64]
    intervals: bool
    numbers: Integers
    importance: float
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
        """The cells of leaves generalized to a level."""
        cells: Integers = level * self.leaves + self.ancestors[level][leaves]
        return cells

    def values(self) -> list[Value]:
        """The generalized values of the recoding."""
        if self.intervals:
            firsts = [*np.unique(self.cells).tolist(), self.leaves]
            return [Value(first, last, 1) for first, last in pairwise(firsts)]
        return [Value(cell % self.leaves, 0, cell // self.leaves) for cell in np.unique(self.cells).tolist()]


@dataclass(frozen=True)
class _Groups:
    """The records of one QID, and the demand on groups: records with the same cells in all attributes of the QID."""

    leaves: Leaves
    demand: Demand

    @property
    def codes(self) -> Mapping[int, Integers]:
        return self.leaves.codes

    @property
    def frequency(self) -> NDArray[np.float64]:
        return self.leaves.frequency

    @cached_property
    def held(self) -> Mapping[str, Pairs]:
        """By sensitive attribute, the pairs of a record and a value in it, for all records."""
        every = np.arange(len(self.frequency))
        return {attribute: records.among(every) for attribute, records in self.leaves.held.items()}

    @cached_property
    def _by_leaf(self) -> dict[int, tuple[Integers, Integers]]:
        """By attribute position, the indices of the records sorted by leaf, and each leaf's first index among them."""
        return {
            position: (np.argsort(codes, kind="stable"), np.concatenate(([0], np.cumsum(np.bincount(codes)))))
            for position, codes in self.codes.items()
        }

    def records_of(self, position: int, leaves: Integers) -> Integers:
        """The indices of the records with the leaves given, adjacent leaves of the attribute at ``position``."""
        order, starts = self._by_leaf[position]
        first, last = np.minimum((leaves[0], leaves[-1] + 1), len(starts) - 1)
        return order[starts[first] : starts[last]]

    def part(self, records: Integers) -> _Groups:
        """Only the records with the indices given. A group with all its records among these has the same verdict."""
        if len(records) == len(self.frequency):
            return self
        pairs_held = {
            attribute: ValueRecords.of(every.among(records), len(records))
            for attribute, every in self.leaves.held.items()
        }
        codes = {position: codes[records] for position, codes in self.codes.items()}
        return _Groups(Leaves(codes, self.frequency[records], pairs_held), self.demand)

    def allow(self, cells: Mapping[int, Integers]) -> bool:
        """True if every group of a recoding satisfies the demand.

        ``cells`` has, by the number of an attribute, the generalized value of each leaf."""
        if not set(cells) & set(self.codes):
            return True
        _, group = np.unique(self.keys(cells), return_inverse=True)
        sizes = np.bincount(group, self.frequency).astype(np.int64)
        counted = Grouped(sizes, {attribute: pairs.regroup(group) for attribute, pairs in self.held.items()})
        return not self.demand.violates(counted).any()

    def keys(self, cells: Mapping[int, Integers]) -> Integers:
        """A number per record: equal for records of the same group, with the same cells in all attributes."""
        keys: Integers = np.zeros(len(self.frequency), np.int64)
        span = 1
        for position, codes in self.codes.items():
            if position not in cells:
                continue
            size = int(cells[position].max()) + 1
            if span * size > LARGEST:
                _, keys = np.unique(keys, return_inverse=True)
                span = len(keys)
            keys = keys * size + cells[position][codes]
            span *= size
        return keys

    def closes(self, attribute: _Attribute, cells: Mapping[int, Integers]) -> NDArray[np.bool_]:
        """For every leaf of a numeric attribute, True if no interval may be split in two before this leaf.

        Such a split would create a group that violates the demand.
        """
        shut = np.zeros(attribute.leaves + 1, np.int64)
        codes = self.codes[attribute.position]
        _, group = np.unique(self.keys(cells), return_inverse=True)
        order = np.lexsort((codes, group))
        group, codes, until = group[order], codes[order], np.cumsum(self.frequency[order])
        ends = until[np.flatnonzero(np.append(group[1:] != group[:-1], True))]
        before = np.concatenate(([0.0], ends[:-1]))[group]
        # Between two records of a group: those to the left, and the others.
        inner = np.flatnonzero((group[1:] == group[:-1]) & (codes[1:] != codes[:-1]))
        left, right = until[inner] - before[inner], ends[group[inner]] - until[inner]
        prefixes = _Prefixes(group, order, self.held)
        classes = [
            GroupValues(
                left.astype(np.int64), lambda a: prefixes.up_to(a)[inner], lambda a, v: prefixes.rows(a, v)[0][inner]
            ),
            GroupValues(
                right.astype(np.int64),
                lambda a: prefixes.from_on(a)[inner + 1],
                lambda a, v: prefixes.rows(a, v)[1][inner],
            ),
        ]
        few = inner[np.logical_or.reduce([self.demand.violates(groups) for groups in classes])]
        np.add.at(shut, codes[few] + 1, 1)
        np.add.at(shut, codes[few + 1] + 1, -1)
        closed: NDArray[np.bool_] = np.cumsum(shut)[:-1] > 0
        return closed


@dataclass(frozen=True)
class _Prefixes:
    """Sensitive values in the records of a group, up to each record of the group and after it.

    ``order`` has the indices of the records, sorted by group and code. ``group`` has the group of each record in this
    order. ``held`` has, by sensitive attribute, the values of each record.
    """

    group: Integers
    order: Integers
    held: Mapping[str, Pairs]

    @cached_property
    def _place(self) -> Integers:
        place: Integers = np.empty(len(self.order), np.int64)
        place[self.order] = np.arange(len(self.order))
        return place

    @cached_property
    def _begins(self) -> Integers:
        return np.searchsorted(self.group, self.group)

    @cached_property
    def _ends(self) -> Integers:
        return np.searchsorted(self.group, self.group, side="right")

    def up_to(self, attribute: str) -> Integers:
        """For each record, the number of distinct values in its group's records up to and including it."""
        first = self._marks(attribute, -1)
        totals = np.concatenate(([0], np.cumsum(first)))
        return totals[1:] - totals[self._begins]

    def from_on(self, attribute: str) -> Integers:
        """For each record, the number of distinct values in its group's records from this record on."""
        last = self._marks(attribute, 1)
        coming = np.concatenate((np.cumsum(last[::-1])[::-1], [0]))
        return coming[:-1] - coming[self._ends]

    def _marks(self, attribute: str, way: int) -> Integers:
        """For each record, the number of values with their first occurrence in the group in this record.

        With ``way`` 1 instead of -1, values with their last occurrence.
        """
        pairs = self.held[attribute]
        is_present = pairs.value < pairs.values
        at = self._place[pairs.of[is_present]]
        keys = self.group[at] * np.int64(pairs.values) + pairs.value[is_present]
        order = np.argsort(-way * at, kind="stable")
        marks: Integers = np.zeros(len(self.order), np.int64)
        np.add.at(marks, at[order][np.unique(keys[order], return_index=True)[1]], 1)
        return marks

    def rows(self, attribute: str, value: int) -> tuple[Integers, Integers]:
        """For each record, the number of rows with a value in its group's records up to it, and after it."""
        of, rows = self.held[attribute].among(value)
        totals = np.cumsum(np.bincount(self._place[of], rows, len(self.order))).astype(np.int64)
        until = np.concatenate(([0], totals))
        return totals - until[self._begins], until[self._ends] - totals


@dataclass
class _Search:
    """The search: recodings of all attributes, refined step by step, and the records of each QID.

    ``refined`` is the number of changes made, ``refused`` the number of changes that would violate the requirement.
    """

    attributes: Sequence[_Attribute]
    groups: Sequence[_Groups]
    refined: int = 0
    refused: int = 0

    @property
    def cells(self) -> dict[int, Integers]:
        return {attribute.position: attribute.cells for attribute in self.attributes}

    def perform(self, change: _Change, *, alone: bool = False) -> bool:
        """Make a change if the requirement holds after it; returns True if the change was made.

        Without ``alone``, the change must include all leaves of the old cell: then groups of other leaves stay
        unchanged, and only records of these leaves are checked.
        """
        position, cells = change.attribute.position, change.attribute.cells.copy()
        cells[change.leaves] = change.cells
        after = self.cells | {position: cells}
        for groups in self.groups:
            if position not in groups.codes:
                continue
            concerned = groups if alone else groups.part(groups.records_of(position, change.leaves))
            if not concerned.allow(after):
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

        for attribute in self.attributes:  # in one cell, but for several values of a set top
            for leaves in np.split(np.arange(attribute.leaves), np.flatnonzero(np.diff(attribute.cells)) + 1):
                offer(attribute, leaves)
        while heap:
            *_, change = heappop(heap)
            attribute = change.attribute
            if self.perform(change):
                for cell in np.unique(change.cells):
                    offer(attribute, change.leaves[change.cells == cell])
            elif attribute.intervals:
                offer(attribute, change.leaves)

    def _refuse_long(self) -> None:
        """Raise :class:`JobError` if the moves of single leaves would take hours: each one counts all records."""
        moves = sum(int(attribute.levels.sum()) for attribute in self.attributes)
        records = sum(len(groups.frequency) for groups in self.groups)
        if moves * records > _LONG:
            hours = moves * records * _SECONDS / 3600
            raise JobError(
                f"algorithm unrestricted would need about {hours:,.1f} hours for {moves:,} moves of single values "
                f"over {records:,} combinations: take full-subtree, require k only, or group values in the source"
            )

    def _split(self, attribute: _Attribute, leaves: Integers) -> _Change | None:
        """The split of an interval in two with the least loss, of all splits allowed by the requirement.

        ``leaves`` are the leaves of the interval. None if no split is allowed.
        """
        closed = np.diff(attribute.numbers, prepend=-1) == 0
        for groups in self.groups:
            if attribute.position in groups.codes:
                concerned = groups.part(groups.records_of(attribute.position, leaves))
                closed |= concerned.closes(attribute, self.cells)
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
        """Move single leaves to lower levels, until no such move satisfies the requirement."""
        moves = _Moves.of(self.attributes, self.groups)
        if moves is None:
            self._refuse_long()
        more = True
        while more:
            more = False
            for change in _descents(self.attributes):
                if moves is None:
                    more |= self.perform(change, alone=True)
                elif moves.perform(change):
                    self.refined, more = self.refined + 1, True
                else:
                    self.refused += 1


@dataclass
class _Moves:
    """Trial moves of one leaf to another generalized value, a cell, without a recount of all rows.

    Usable if all demands only count rows. The sizes of all groups are stored, and a move updates the few groups
    affected. ``keys`` and ``sizes`` are lists with an entry per QID: the number of each record's group, and the rows of
    each group. A group's number is the sum of its cells' codes, each times the stride of its attribute in ``strides``.
    """

    groups: Sequence[_Groups]
    strides: Mapping[int, int]
    keys: Sequence[Integers]
    sizes: Sequence[dict[int, int]]

    @classmethod
    def of(cls, attributes: Sequence[_Attribute], groups: Sequence[_Groups]) -> _Moves | None:
        """The current groups; None if their numbers may reach 2 ** 62, or a demand does not only count rows."""
        strides, span = {}, 1
        for attribute in attributes:
            strides[attribute.position] = span
            span *= len(attribute.widths)
        if span > LARGEST or not all(group.demand.counts_rows_only for group in groups):
            return None
        cells = {attribute.position: attribute.cells for attribute in attributes}
        keys: list[Integers] = []
        sizes = []
        for group in groups:
            key: Integers = np.zeros(len(group.frequency), np.int64)
            for position, codes in group.codes.items():
                key += strides[position] * cells[position][codes]
            distinct, number = np.unique(key, return_inverse=True)
            rows = np.bincount(number, group.frequency).astype(np.int64)
            keys.append(key)
            sizes.append(dict(zip(distinct.tolist(), rows.tolist(), strict=True)))
        return cls(groups, strides, keys, sizes)

    def perform(self, change: _Change) -> bool:
        """Move a leaf to its new cell if the requirement holds after it; returns True if the leaf was moved."""
        attribute, (leaf,) = change.attribute, change.leaves
        further = self.strides[attribute.position] * int(change.cells[0] - attribute.cells[leaf])
        moved = []
        for groups, keys, sizes in zip(self.groups, self.keys, self.sizes, strict=True):
            if attribute.position not in groups.codes:
                continue
            records = groups.records_of(attribute.position, change.leaves)
            left, number = np.unique(keys[records], return_inverse=True)
            rows = np.bincount(number, groups.frequency[records]).astype(np.int64).tolist()
            parts = list(zip(left.tolist(), rows, strict=True))
            there = [sizes.get(key + further, 0) + here for key, here in parts]
            stays = [sizes[key] - here for key, here in parts]
            if groups.demand.violates(Grouped(np.array(there + [place for place in stays if place], np.int64))).any():
                return False
            moved.append((keys, records, sizes, parts))
        for keys, records, sizes, parts in moved:
            keys[records] += further
            for key, rows_of in parts:
                sizes[key + further] = sizes.get(key + further, 0) + rows_of
                sizes[key] -= rows_of
        attribute.cells[leaf] = change.cells[0]
        return True


def _children(attribute: _Attribute, leaves: Integers) -> _Change | None:
    """The refinement of a hierarchy's value, with the leaves given, into its children; None for a leaf."""
    level = int(attribute.levels[leaves[0]])
    return _Change(attribute, leaves, attribute.at(level - 1, leaves)) if level else None


def _gain(change: _Change) -> float:
    if not change.attribute.intervals:
        return change.spared
    attribute, there = change.attribute, change.cells > change.leaves[0]
    sizes = np.where(there, np.count_nonzero(there), np.count_nonzero(~there))
    width = (len(change.leaves) - sizes) / max(attribute.leaves - 1, 1)
    return float((attribute.rows[change.leaves] * width).sum()) * attribute.importance


def _descents(attributes: Sequence[_Attribute]) -> Iterator[_Change]:
    """Possible moves of single leaves: every leaf to every level below its current one, the lowest level first.

    Leaves of the most important attribute come first. After a move of a leaf, its other moves are omitted.
    """
    for attribute in sorted(attributes, key=lambda attribute: -attribute.importance):
        for leaf in range(attribute.leaves):
            leaves, before = np.array([leaf]), attribute.cells[leaf]
            for level in range(int(attribute.levels[leaf])):
                if attribute.cells[leaf] == before:
                    yield _Change(attribute, leaves, attribute.at(level, leaves))


def search(star: Star, requirement: Requirement, settings: GreedySearch, run: SearchContext) -> Answer:
    """A single-dimension recoding, refined from the top as long as the requirement holds.

    LeFevre, DeWitt, Ramakrishnan 2005, section 5.1, of the models; the search is greedy, top-down, and of no paper.
    Full-subtree: no node of a cut can be refined into its children. Ordered set: in addition, no interval of a numeric
    attribute can be split in two. Unrestricted: no single leaf can go to a lower level, either.

    Raises :class:`~starcloak.base.errors.RequirementError`, when the star is built, if all rows together violate the
    requirement, and :class:`~starcloak.base.errors.JobError` if models reading more than rows would take hours.
    """
    star, demands = ceilings.keep_to(star, requirement, requirement.demands, label=run.label)
    requirement = replace(requirement, demands=demands)
    grown, done = search_cut(star, requirement, ordered=settings.ordered, leaves=settings.leaves)
    return Answer(grown, recode(grown, seed=run.seed), search_of(star.lattice_nodes, done))


def search_cut(star: Star, requirement: Requirement, *, ordered: bool, leaves: bool) -> tuple[Star, Greedy]:
    """Find a single-dimension recoding: creates the relation ``cut``, with the level of every leaf.

    With ``ordered``, numeric attributes are recoded to intervals. With ``leaves``, single leaves are then moved to
    lower levels. Returns the star, with intervals of numeric attributes as a level, and the numbers of refinements.
    """
    if not ordered:
        star = without_numbers(star)
    attributes = []
    for dimension in star.dimensions:
        levels = [Name(f"ancestor_{level}") for level in range(dimension.height + 1)]
        members = star.session.columns(
            Statement("search/single_dimension/cut#members", ancestors=columns(levels), table=dimension.table)
        )
        ancestors = [members[level.parts[0]].astype(np.int64) for level in levels]
        alone = cuts.records(star, [dimension.attribute])
        rows = np.bincount(alone.codes[dimension.position], alone.frequency, len(ancestors[0])).astype(np.float64)
        numbers: Integers = np.arange(len(rows))
        if intervals := ordered and dimension.numeric:
            numbers = star.session.columns(Statement("search/tdr/numbers", table=dimension.table))["number"]
        importance = float(dimension.importance)
        attributes.append(_Attribute(dimension.position, ancestors, rows, intervals, numbers, importance))
    groups = [_Groups(cuts.records(star, demand.attributes), demand) for demand in requirement.demands]
    running = _Search(attributes, groups)
    running.refine()
    if leaves:
        running.relax()
        placed = [
            (attribute.position, code, level)
            for attribute in attributes
            for code, level in enumerate(attribute.levels.tolist())
        ]
        binds = dict(zip(("dimensions", "codes", "levels"), map(list, zip(*placed, strict=True)), strict=True))
        star.session.create(CUT, Statement("search/single_dimension/cut"), binds)
    else:
        star = cuts.cut(star, {attribute.position: attribute for attribute in attributes})
    return star, Greedy(refined=running.refined, refused=running.refused)
