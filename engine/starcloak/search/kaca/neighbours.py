"""A near class for every small class: the nearest of its neighbours in several sorted orders of all classes.

A digit is a step in a value's path from the root of its hierarchy: the number of a child. Each order sorts classes by
their digits in a random sequence, higher levels before lower levels. So classes with equal first digits are adjacent.
Two classes with many equal digits are adjacent in some of the orders. Nearly always the nearest class is among the
neighbours; a sample measures how much farther the found classes are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starcloak.search.kaca.classes import CLASSES, NEAREST, ClassTables
from starcloak.search.kaca.paths import Digit, Paths, PathTree
from starcloak.search.kaca.weights import FARTHEST
from starcloak.star import keys
from starcloak.star.keys import Integers
from starcloak.statements.statement import Name, Statement, columns

# Climbs of attributes by the words that mark where values meet.
_Climb = Callable[[Sequence[Integers]], Integers]

_INCOMING = Name("neighbours")

# So many neighbours on either side are compared.
_WIDTH = 8
# So many orders, at least and at most: where there are few classes there is time for more.
_ORDERS = (64, 96)
# So many orders are looked at together, whatever the machine has: it decides between equals.
_TOGETHER = 2
_COMPARED = 1000000
# Number of classes compared with every other one, to measure how near their neighbours are: few of many.
_SAMPLE = (8, 64)
_SAMPLED = 1_500_000
# A table of numbers has so many bits of a word, at most.
_TABLE_BITS = 16
# A key has so many bits.
_KEY_BITS = 62


@dataclass(frozen=True)
class _Table:
    """Lookup table of the summed distance from the leaves to the common ancestors of two classes.

    It covers one or several attributes with adjacent bits in one word. ``climbed`` has the distance by these bits: the
    exclusive or of two classes' digits, and marks of levels below their values.
    """

    word: int
    shift: int
    climbed: Integers

    @property
    def mask(self) -> int:
        return len(self.climbed) - 1

    def beside(self, other_table: _Table) -> bool:
        """True if the bits of another table follow this table's bits in the word, and both have 16 bits at most."""
        end = self.shift + self.mask.bit_length()
        together = self.mask.bit_length() + other_table.mask.bit_length()
        return other_table.word == self.word and other_table.shift == end and together <= _TABLE_BITS

    def with_other(self, other_table: _Table) -> _Table:
        climbed = (other_table.climbed[:, None] + self.climbed[None, :]).reshape(-1)
        return _Table(self.word, self.shift, climbed)

    def __call__(self, met: Sequence[Integers]) -> Integers:
        heights: Integers = self.climbed[(met[self.word - 1] >> self.shift) & self.mask]
        return heights


@dataclass(frozen=True)
class _Levels:
    """Distance from the leaves to the common ancestor of two values, for an attribute with too many bits for a table.

    It is computed level by level.
    """

    tree: PathTree

    def __call__(self, met: Sequence[Integers]) -> Integers:
        heights = np.full(len(met[0]), self.tree.climbed[0], np.int64)
        for digit, climbed in zip(self.tree.digits, self.tree.climbed[1:], strict=True):
            heights[(met[digit.word - 1] & digit.bits) != 0] = climbed
        return heights


@dataclass(frozen=True)
class _Classes:
    """Arrays with one entry per class, in some order.

    ``words`` are integers with the digits of the class's values (see ``paths``), ``marks`` integers with a bit for
    each level below a value. ``climbed`` is the distance of the values from the leaves, ``frequency`` the number of
    rows. Only classes with equal ``tops`` have a common generalization.
    """

    words: tuple[Integers, ...]
    marks: tuple[Integers, ...]
    climbed: Integers
    frequency: Integers
    tops: Integers

    def sort(self, order: Integers) -> _Classes:
        return _Classes(
            tuple(word[order] for word in self.words),
            tuple(marks[order] for marks in self.marks),
            self.climbed[order],
            self.frequency[order],
            self.tops[order],
        )


@dataclass(frozen=True)
class DistanceSample:
    """Sums of distances of the sampled small classes: to the class found, and to the class truly nearest."""

    found: float = 0
    nearest: float = 0

    def __add__(self, other_sample: DistanceSample) -> DistanceSample:
        return DistanceSample(self.found + other_sample.found, self.nearest + other_sample.nearest)

    @property
    def farther(self) -> float:
        """Relative excess of the distances found over the true ones: 0.01 is one percent; 0 for an empty sample."""
        return self.found / self.nearest - 1 if self.nearest else 0.0


def neighbours(clustering: ClassTables, number: int, report: Callable[[str], None]) -> DistanceSample:
    """Create ``kaca_nearest``: for every small class, a near class and the distance to it.

    Small classes without a common generalization with any other class are missing. ``number`` is the number of the
    round; with the seed it decides the sorted orders. Returns distances of some small classes to the class found and
    to the nearest class.
    """
    names = [*clustering.trees.values, Name("climbed"), Name("frequency")]
    at_hand = clustering.session.columns(
        Statement(
            "search/kaca/classes_at_home",
            columns=columns(names),
            violating=clustering.demand.violating,
            classes=CLASSES,
        )
    )
    words, marks = clustering.paths.written([at_hand[name.parts[0]] for name in clustering.trees.values])
    tops = clustering.tops([at_hand[name.parts[0]] for name in clustering.trees.values])
    classes = _Classes(words, marks, at_hand["climbed"], at_hand["frequency"], tops)
    random = np.random.default_rng([clustering.seed % 2**64, number])
    climbs = list(_climbs(clustering.paths))
    distance, partner = _find(clustering, classes, climbs, random, report)
    seeks = at_hand["small"] & (distance < FARTHEST)
    frame: dict[str, NDArray[Any]] = {
        "id": at_hand["id"][seeks],
        "distance": distance[seeks],
        "partner": at_hand["id"][partner[seeks]],
    }
    incoming = Statement("store/relation", relation=_INCOMING)
    clustering.session.receive(NEAREST, _INCOMING, frame, incoming)
    fewest, most = _SAMPLE
    sample = random.permutation(np.flatnonzero(seeks))[: min(most, max(fewest, _SAMPLED // len(seeks)))]
    exact = [_nearest(clustering, classes, climbs, place) for place in sample.tolist()]
    return DistanceSample(float(distance[sample].sum()), float(sum(exact)))


def _find(
    clustering: ClassTables,
    classes: _Classes,
    climbs: Sequence[_Climb],
    random: np.random.Generator,
    report: Callable[[str], None],
) -> tuple[Integers, Integers]:
    """Returns two arrays with an entry per class: the distance to a near class, and the index of this class.

    ``climbs`` are lookups of the distances of common ancestors from the leaves. A class without any other in reach has
    the distance ``FARTHEST``.
    """
    count = len(classes.frequency)
    best, partner = np.full(count, FARTHEST), np.zeros(count, np.int64)
    fewest, most = _ORDERS
    orders = min(most, max(fewest, _COMPARED // count))
    with ThreadPoolExecutor(clustering.session.threads) as pool:
        for number in range(0, orders, _TOGETHER):
            report(f"order {number + 1} of {orders}")
            chains = [_chain(clustering.paths, random) for _ in range(_TOGETHER)]
            for distances, who in pool.map(partial(_compare, clustering, classes, climbs, best, partner), chains):
                nearer = np.flatnonzero(distances < best)
                best[nearer], partner[nearer] = distances[nearer], who[nearer]
    return best, partner


def _compare(
    clustering: ClassTables,
    classes: _Classes,
    climbs: Sequence[_Climb],
    best: Integers,
    partner: Integers,
    chain: Sequence[Digit],
) -> tuple[Integers, Integers]:
    """Compare neighbours in one sorted order with the nearest classes found so far.

    ``best`` and ``partner`` have the distance and index of the nearest class so far, per class. Returns both arrays
    with the improvements of this order, ``chain``: the digits to sort by, the first one first.
    """
    count = len(classes.frequency)
    order = _order(classes, chain)
    ordered, near, who = classes.sort(order), best[order], partner[order]
    for distance in range(1, min(_WIDTH, count - 1) + 1):
        before, after = slice(None, -distance), slice(distance, None)
        common = _common(ordered, climbs, before, after)
        for seeker, neighbour in ((before, after), (after, before)):
            lengths = _distance(clustering, ordered, common, seeker, neighbour)
            nearer = np.flatnonzero(lengths < near[seeker])
            near[seeker][nearer] = lengths[nearer]
            who[seeker][nearer] = order[neighbour][nearer]
    distances, partners = np.empty_like(near), np.empty_like(who)
    distances[order], partners[order] = near, who
    return distances, partners


def _nearest(clustering: ClassTables, classes: _Classes, climbs: Sequence[_Climb], seeker_place: int) -> int:
    """Distance of the class at an index from the class nearest to it, among all classes."""
    seeker, every = slice(seeker_place, seeker_place + 1), slice(None)
    distances = _distance(clustering, classes, _common(classes, climbs, seeker, every), seeker, every)
    distances[seeker_place] = FARTHEST
    return int(distances.min())


def _common(classes: _Classes, climbs: Sequence[_Climb], batch: slice, neighbours: slice) -> Integers:
    """Distances from the leaves to the closest common generalization of each pair of classes.

    The pairs are the entries of two slices, ``batch`` and ``neighbours``.
    """
    met = [
        (word[batch] ^ word[neighbours]) | marks[batch] | marks[neighbours]
        for word, marks in zip(classes.words, classes.marks, strict=True)
    ]
    common: Integers = np.zeros(len(met[0]), np.int64)
    for climbed in climbs:
        common += climbed(met)
    return common


def _distance(clustering: ClassTables, classes: _Classes, common: Integers, seeker: slice, near: slice) -> Integers:
    """Distance of each pair of a seeker and a near class (Definition 10); ``FARTHEST`` without a common generalization.

    ``common`` has the distance of each pair's closest common generalization from the leaves.
    """
    own, frequencies = classes.frequency[seeker], classes.frequency[near]
    near_frequencies = frequencies
    if clustering.splits:
        k = clustering.demand.least_rows
        near_frequencies = np.where(own + frequencies < 2 * k, frequencies, k - own)
    distances: Integers = own * (common - classes.climbed[seeker]) + near_frequencies * (common - classes.climbed[near])
    return np.where(classes.tops[seeker] == classes.tops[near], distances, FARTHEST)


def _climbs(paths: Paths) -> Iterator[_Climb]:
    """Lookups of the distance from the leaves to the common ancestor of two values, together for all attributes.

    Attributes with adjacent bits share a table of up to 16 bits.
    """
    last: _Table | None = None
    for tree in paths.trees:
        bits = sum(digit.size for digit in tree.digits)
        if not bits:
            continue
        if bits > _TABLE_BITS or len({digit.word for digit in tree.digits}) > 1:
            yield _Levels(tree)
            continue
        shift = tree.digits[0].shift
        whole = _Levels(tree)([np.arange(1 << bits, dtype=np.int64) << shift] * tree.digits[0].word)
        table = _Table(tree.digits[0].word, shift, whole)
        if last is None:
            last = table
        elif last.beside(table):
            last = last.with_other(table)
        else:
            yield last
            last = table
    if last is not None:
        yield last


def _chain(paths: Paths, random: np.random.Generator) -> list[Digit]:
    """All digits in a random sequence: in every attribute, a digit near the root comes before the digits below it."""
    left = [list(tree.digits) for tree in paths.trees if tree.digits]
    chain = []
    while left:
        at = int(random.integers(len(left)))
        chain.append(left[at].pop())
        left = [digits for digits in left if digits]
    return chain


def _order(classes: _Classes, chain: Sequence[Digit]) -> Integers:
    """Indices of the classes, sorted by their ``tops``, then by the digits in the sequence of a chain.

    The first digit of the chain is the most significant. Values too general for a digit have 0 there.
    """
    order: Integers | None = None
    key: Integers = np.zeros(len(classes.frequency), np.int64)
    bits = 0
    for digit in reversed(chain):  # the last digits first: equal ones stay in the order that these give
        if bits + digit.size > _KEY_BITS:
            order = keys.order(key, 1 << bits, among=order)
            key, bits = np.zeros_like(key), 0
        key |= ((classes.words[digit.word - 1] >> digit.shift) & ((1 << digit.size) - 1)) << bits
        bits += digit.size
    order = keys.order(key, 1 << bits, among=order)
    return keys.order(classes.tops, int(classes.tops.max()) + 1, among=order)
