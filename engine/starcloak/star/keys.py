"""Integer keys of tuples at nodes, and a radix sort of keys, several times as fast as a comparison sort.

The codes of several attributes are packed into one number, a word; small tables map a word to its key at a node.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


Integers: TypeAlias = "NDArray[np.integer[Any]]"

# NumPy sorts numbers of this many bits in linear time.
_DIGIT = 16
#: Largest ratio of possible key values to keys for counting in an array with one entry per possible value.
DENSE = 4
#: Upper bound of keys combined from several numbers.
LARGEST = 1 << 62


def order(keys: Integers, bound: int, *, among: Integers | None = None) -> Integers:
    """The indices that sort ``keys``, each from 0 to below ``bound``.

    The sort is stable: equal keys stay in the order of the indices ``among``, or in their own order without it.
    """
    order_so_far = among
    for shift in range(0, max(1, (bound - 1).bit_length()), _DIGIT):
        digits = (keys >> shift).astype(np.uint16)  # of the number in two's complement the last bits
        order_so_far = (
            np.argsort(digits, kind="stable")
            if order_so_far is None
            else order_so_far[np.argsort(digits[order_so_far], kind="stable")]
        )
    assert order_so_far is not None
    return order_so_far


def number(keys: Integers, bound: int) -> tuple[Integers, Integers]:
    """The distinct keys in ascending order, and for each key its index among the distinct keys.

    Keys are from 0 to below ``bound``.
    """
    if bound <= DENSE * len(keys):
        there = np.zeros(bound, bool)
        there[keys] = True
        return np.flatnonzero(there), (np.cumsum(there) - 1)[keys]
    sorted_by = order(keys, bound)
    begins = starts(keys[sorted_by])
    numbers: Integers = np.empty(len(keys), np.int64)
    numbers[sorted_by] = np.cumsum(begins) - 1
    return keys[sorted_by[begins]], numbers


def starts(keys: Integers) -> NDArray[np.bool_]:
    """Mask over sorted keys, true at the first occurrence of each distinct key."""
    begins = np.ones(len(keys), bool)
    np.not_equal(keys[1:], keys[:-1], out=begins[1:])
    return begins


# The attributes of a word have so many combinations of values at most: a table of them stays near the processor.
_WORD = 1 << 12

# Numbers below this are made in less time than larger ones.
_SMALL_KEY = 1 << 31


@dataclass(frozen=True)
class _Word:
    """A word: the codes of some attributes packed into one number per tuple.

    ``of`` has the number of each tuple. ``digits`` has per attribute, for every possible number, the index of the
    attribute's code among its present codes. ``levels_of`` selects the levels of the word's attributes from the levels
    of all attributes. ``kept`` caches key columns by these levels.
    """

    digits: Mapping[int, Integers]
    of: Integers
    levels_of: Callable[[Sequence[int]], Any]
    kept: dict[Any, tuple[Integers, int]] = field(default_factory=dict)


def present(codes: Sequence[Integers], climbs: Sequence[Sequence[Integers]]) -> tuple[Integers, ...]:
    """The leaf codes of each attribute in at least one tuple, ascending. ``climbs``: their ancestors by level."""
    return tuple(
        np.flatnonzero(np.bincount(own, minlength=len(levels[0]))) for own, levels in zip(codes, climbs, strict=True)
    )


class Words:
    """The codes of tuples, packed into words: one number per tuple for several attributes.

    ``codes`` has the codes of tuples by attribute, ``climbs`` the ancestors of codes by attribute and level. Attributes
    next to each other in ``order`` share a word. A key of a tuple combines its words in this order.
    """

    def __init__(self, codes: Sequence[Integers], climbs: Sequence[Sequence[Integers]], order: Sequence[int]) -> None:
        self._codes, self._climbs, self._order = codes, climbs, order
        self._present = present(codes, climbs)
        self._known: dict[tuple[int, int], tuple[Integers, int]] = {}

    @cached_property
    def _words(self) -> tuple[_Word, ...]:
        words, together, size = [], list[int](), 1
        for attribute in self._order:
            if together and size * len(self._present[attribute]) > _WORD:
                words.append(self._word(together))
                together, size = [], 1
            together.append(attribute)
            size *= len(self._present[attribute])
        return (*words, self._word(together)) if together else ()

    def _word(self, attributes: Sequence[int]) -> _Word:
        shape = tuple(len(self._present[attribute]) for attribute in attributes)
        of: Integers = np.zeros(len(self._codes[0]), np.int32)
        for attribute, size in zip(attributes, shape, strict=True):
            places = np.zeros(len(self._climbs[attribute][0]), np.int32)
            places[self._present[attribute]] = np.arange(size)
            of *= size
            of += places[self._codes[attribute]]
        digits = dict(zip(attributes, np.indices(shape).reshape(len(shape), -1), strict=True))
        return _Word(digits, of, itemgetter(*attributes))

    @property
    def all(self) -> tuple[Integers, ...]:
        """The numbers of all tuples, one array per word."""
        return tuple(word.of for word in self._words)

    def _values(self, attribute: int, level: int) -> tuple[Integers, int]:
        """The value at a level of each present code, as a number from 0 without gaps, and the number of values."""
        if (attribute, level) not in self._known:
            climb = self._climbs[attribute][level]
            distinct, numbers = number(climb[self._present[attribute]], len(climb))
            self._known[attribute, level] = numbers.astype(np.int32), len(distinct)
        return self._known[attribute, level]

    def key(self, words: Sequence[Integers], levels: Sequence[int]) -> tuple[Integers, int]:
        """Keys of tuples at some levels, and an exclusive upper bound of the keys.

        Two tuples have equal keys if they have equal values at these levels. ``words`` has the numbers of the tuples,
        one array per word.
        """
        key: Integers = np.zeros(len(words[0]), np.int32)
        bound = 1
        for word, of in zip(self._words, words, strict=True):
            values, size = self._column(word, of, levels)
            if size == 1:
                continue
            if bound * size > LARGEST:
                distinct, key = number(key, bound)
                bound = len(distinct)
            if bound * size > _SMALL_KEY and key.dtype == np.int32:
                key = key.astype(np.int64)
            key *= size
            key += values
            bound *= size
        return key, bound

    def _column(self, word: _Word, of: Integers, levels: Sequence[int]) -> tuple[Integers, int]:
        """One number per tuple for the values of a word's attributes at some levels; and the count of such numbers."""
        table, size = self._table(word, levels)
        return (table if size == 1 else np.take(table, of)), size

    def _table(self, word: _Word, levels: Sequence[int]) -> tuple[Integers, int]:
        """The table from a word's numbers to their values at some levels, and the count of possible values."""
        table: Integers = np.zeros(1, np.int32)
        bound = 1
        for attribute, places in word.digits.items():
            values, size = self._values(attribute, levels[attribute])
            if size != 1:
                table, bound = table * size + values[places], bound * size
        return table, bound

    def apart(self, tuple_: int, lowest: Sequence[int], shape: Sequence[int]) -> Integers:
        """For each tuple, the number of the lowest node in a box at which the tuple equals the tuple ``tuple_``.

        Tuples that differ at every node of the box have a number at or above the number of nodes. The box has ``shape``
        levels of every attribute from ``lowest`` on. Its nodes are numbered from 0; the level of the last attribute
        changes first.
        """
        cells = prod(shape)
        numbers: Integers = np.zeros(len(self._codes[0]), np.int64)
        for word in self._words:
            own, table = int(word.of[tuple_]), np.zeros(1, np.int64)
            for attribute, places in word.digits.items():
                step, last = prod(shape[attribute + 1 :]), lowest[attribute] + shape[attribute] - 1
                far: Integers = np.zeros(len(self._present[attribute]), np.int64)
                for level in range(lowest[attribute], last + 1):
                    values, _ = self._values(attribute, level)
                    far += (values != values[places[own]]) * (cells if level == last else step)
                table = table + far[places]
            numbers += np.take(table, word.of)
        return numbers


# Bytes of the columns of words kept together.
_KEPT = 64_000_000


class KeptWords(Words):
    """Words with a cache of key columns, for keys at many similar nodes: most words have the same levels there."""

    def __init__(self, codes: Sequence[Integers], climbs: Sequence[Sequence[Integers]], order: Sequence[int]) -> None:
        super().__init__(codes, climbs, order)
        self._columns, self._most = 0, _KEPT // max(1, 4 * len(codes[0]))

    def _column(self, word: _Word, of: Integers, levels: Sequence[int]) -> tuple[Integers, int]:
        own = word.levels_of(levels)
        if own not in word.kept:
            if self._columns >= self._most:
                self._columns = 0
                for other in self._words:
                    other.kept.clear()
            word.kept[own] = super()._column(word, of, levels)
            self._columns += 1
        return word.kept[own]
