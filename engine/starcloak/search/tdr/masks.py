"""The masked values of one attribute, and the refinements that may follow (Fung, Wang, Yu 2007, section 3.1).

A *candidate* is a possible refinement: beneficial, and not found invalid so far. A refinement that would violate the
requirement at some time also would later (section 4.1, antimonotonicity). All records of a value are masked in the same
way, so the information gain of a refinement depends only on the class counts of the attribute's leaves. These counts
are in memory.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from starcloak.search.single_dimension.cuts import Value
from starcloak.search.tdr.information import Floats, gain, gains_of_two
from starcloak.star.keys import Integers

if TYPE_CHECKING:
    from numpy.typing import NDArray

# More than any table has rows.
MANY = 1 << 62


@dataclass(frozen=True)
class Refinement:
    """A performed refinement: the refined value, the values it was replaced by, and the information gain in bits."""

    value: Value
    into: tuple[Value, ...]
    gain: float


class Mask(ABC):
    """The masked values of one attribute, and its candidates (possible refinements).

    Candidates are numbered. By this number, ``gains`` has the information gain in bits, ``candidates`` True for current
    candidates, and ``first`` the code of the value's first leaf. By the code of a leaf, ``of_leaf`` has the number of
    the leaf's value, and ``part`` the index of the child that the leaf goes to if the value is refined. ``parts`` is
    above all of these indices. ``splits_all`` is True if a refinement divides all records of its value among children,
    and False if it discloses a single leaf.
    """

    gains: Floats
    candidates: NDArray[np.bool_]
    first: Integers
    of_leaf: Integers
    part: Integers
    parts: int
    splits_all: ClassVar[bool]

    @abstractmethod
    def refine(self, candidate: int) -> Refinement:
        """Perform the refinement with the number ``candidate``."""

    @abstractmethod
    def values(self) -> list[Value]:
        """The current masked values. A leaf below several of them is masked to the lowest one."""

    def best(self, scores: Floats, among: Integers) -> tuple[float, int]:
        """Returns the highest score and the number of its candidate; among equals, the one with the first leaf.

        ``among`` has the numbers of the candidates with these scores.
        """
        highest = scores.max()
        tied = among[scores == highest]
        return float(highest), int(tied[np.argmin(self.first[tied])])


class Cut(Mask):
    """Values that partition the leaves: a cut through a hierarchy, or the intervals of a numeric attribute.

    Sections 3.1.1 and 3.1.3: a refinement replaces a value by all of its children.
    """

    splits_all = True

    def __init__(self, classes: Integers, *, tops: Sequence[Value], capacity: int) -> None:
        self._counted = np.concatenate((np.zeros((1, classes.shape[1]), np.int64), np.cumsum(classes, axis=0)))
        self._values: list[Value] = []
        self._starts: list[Integers] = []
        self._beneath: list[int] = []
        self._in_cut: set[int] = set()
        self.gains, self.candidates = np.zeros(capacity), np.zeros(capacity, bool)
        self.first = np.zeros(capacity, np.int64)
        self.of_leaf = np.zeros(len(classes), np.int64)
        # Every record has its part at hand: a small number.
        self.part = np.zeros(len(classes), np.min_scalar_type(len(classes)))
        self.parts = 1
        for value in tops:
            self._enter(value)

    def refine(self, candidate: int) -> Refinement:
        value, starts = self._values[candidate], self._starts[candidate]
        self.candidates[candidate] = False
        self._in_cut.remove(candidate)
        ends = [*starts[1:].tolist(), value.last]
        children = [
            Value(first, last, self._beneath[candidate]) for first, last in zip(starts.tolist(), ends, strict=True)
        ]
        for child in children:
            self._enter(child)
        return Refinement(value, tuple(children), float(self.gains[candidate]))

    def values(self) -> list[Value]:
        return [self._values[number] for number in sorted(self._in_cut)]

    @abstractmethod
    def _children(self, value: Value) -> tuple[Integers, int]:
        """Returns the first leaf of each child of a value, and the level of the children.

        For a value without children, the first leaf and level of the value.
        """

    def _enter(self, value: Value) -> None:
        number = len(self._values)
        starts, beneath = self._children(value)
        self._values.append(value)
        self._starts.append(starts)
        self._beneath.append(beneath)
        self._in_cut.add(number)
        inside = slice(value.first, value.last)
        self.of_leaf[inside] = number
        self.part[inside] = np.repeat(np.arange(len(starts)), np.diff(starts, append=value.last))
        self.parts = max(self.parts, len(starts))
        self.first[number] = value.first
        if beneath < value.level or len(starts) > 1:
            inner = self._counted[[*starts.tolist(), value.last]]
            self.candidates[number] = np.count_nonzero(inner[-1] - inner[0]) > 1
            self.gains[number] = gain(np.diff(inner, axis=0))


class Taxonomy(Cut):
    """A cut through a hierarchy (section 3.1.1).

    ``ancestors`` has, per level, the code of every leaf's ancestor. ``repeated`` is, per level, True for leaves with
    the same text at this level and the level beneath: both are one node of the tree, and a refinement skips the level.
    """

    def __init__(self, classes: Integers, *, ancestors: list[Integers], repeated: list[NDArray[np.bool_]]) -> None:
        self._ancestors, self._repeated = ancestors, repeated
        nodes = sum(len(np.unique(codes)) for codes in ancestors)
        firsts = np.unique(ancestors[-1]).tolist()  # one, but for several values of a set top
        tops = [Value(first, last, len(ancestors) - 1) for first, last in pairwise([*firsts, len(classes)])]
        super().__init__(classes, tops=tops, capacity=nodes)

    def _children(self, value: Value) -> tuple[Integers, int]:
        level = value.level
        while level > 0:
            starts = np.unique(self._ancestors[level - 1][value.first : value.last])
            if len(starts) > 1 or not self._repeated[level][value.first]:
                return starts, level - 1
            level -= 1
        return np.array([value.first]), value.level


class GrownIntervals(Cut):
    """Intervals of a numeric attribute: a refinement splits an interval in two, at the number of the highest gain.

    Fung, Wang, Yu 2007, section 3.1.3. ``numbers`` has a number for each leaf, in order; leaves with the same numeric
    value, such as 1 and 1.0, have the same number.
    """

    def __init__(self, classes: Integers, *, numbers: Integers) -> None:
        self._numbers = numbers
        super().__init__(classes, tops=[Value(0, len(classes), 1)], capacity=2 * len(classes))

    def _children(self, value: Value) -> tuple[Integers, int]:
        inside = self._numbers[value.first : value.last]
        splits = value.first + np.flatnonzero(inside[1:] != inside[:-1]) + 1
        if not len(splits):
            return np.array([value.first]), value.level
        before = self._counted[value.first]
        gained = gains_of_two(self._counted[splits] - before, self._counted[value.last] - before)
        return np.array([value.first, splits[np.argmax(gained)]]), value.level


class Suppression(Mask):
    """Suppression of values (section 3.1.2): a refinement discloses one leaf; all others are masked to ⊥, the top."""

    splits_all = False

    def __init__(self, classes: Integers) -> None:
        self._classes = classes
        leaves = len(classes)
        self._suppressed = np.ones(leaves, bool)
        self.first = self.of_leaf = np.arange(leaves)
        self.part = self.first.astype(np.min_scalar_type(leaves))
        self.parts = leaves
        self.candidates = np.ones(leaves, bool)
        self._weigh()

    def refine(self, candidate: int) -> Refinement:
        gained = float(self.gains[candidate])
        self._suppressed[candidate] = self.candidates[candidate] = False
        self._weigh()
        top = Value(0, len(self._suppressed), 1)
        disclosed = Value(candidate, candidate + 1, 0)
        return Refinement(top, (disclosed, top) if self._suppressed.any() else (disclosed,), gained)

    def values(self) -> list[Value]:
        disclosed = np.flatnonzero(~self._suppressed).tolist()
        return [Value(0, len(self._suppressed), 1), *(Value(code, code + 1, 0) for code in disclosed)]

    def _weigh(self) -> None:
        whole = self._classes[self._suppressed].sum(axis=0)
        self.gains = gains_of_two(self._classes, whole)
        if np.count_nonzero(whole) <= 1:
            self.candidates[:] = False
