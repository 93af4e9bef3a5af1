"""Keys of tuples, and whole numbers sorted digit by digit, several times as fast as by comparison.

Several attributes are packed into a number: the values of a tuple at a node are few lookups in small tables.
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

# NumPy sorts numbers of so many bits in time that grows with how many there are, and with nothing else.
_DIGIT = 16
#: Where there are at most so many times as many numbers as keys, each number has a place of its own.
DENSE = 4
#: Keys that several numbers make together stay below this.
LARGEST = 1 << 62


def order(keys: Integers, bound: int, *, among: Integers | None = None) -> Integers:
    """The stable order of ``keys``, each from 0 to below ``bound``; equal ones stay as they are ``among`` an order."""
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
    """The distinct keys in order, and the place of each key among them; keys as in :func:`order`."""
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
    """The beginnings of distinct keys among sorted keys."""
    begins = np.ones(len(keys), bool)
    np.not_equal(keys[1:], keys[:-1], out=begins[1:])
    return begins


# The attributes of a word have so many combinations of values at most: a table of them stays near the processor.
_WORD = 1 << 12

# Numbers below this are made in less time than larger ones.
_SMALL_KEY = 1 << 31


@dataclass(frozen=True)
class _Word:
    """Some attributes as one number per tuple.

    ``digits`` has, for every possible number, the place of each attribute's code among its present codes. ``levels_of``
    takes the levels of the word's attributes out of those of all, and ``kept`` has columns by these levels.
    """

    digits: Mapping[int, Integers]
    of: Integers
    levels_of: Callable[[Sequence[int]], Any]
    kept: dict[Any, tuple[Integers, int]] = field(default_factory=dict)


def present(codes: Sequence[Integers], climbs: Sequence[Sequence[Integers]]) -> tuple[Integers, ...]:
    """The present codes of each attribute."""
    return tuple(
        np.flatnonzero(np.bincount(own, minlength=len(levels[0]))) for own, levels in zip(codes, climbs, strict=True)
    )


class Words:
    """The codes of tuples, by attribute, and the ancestors of codes, by attribute and level (``climbs``).

    Attributes next to each other in an ``order`` share a word. A key combines words in that order.
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
        """The words of all tuples."""
        return tuple(word.of for word in self._words)

    def _values(self, attribute: int, level: int) -> tuple[Integers, int]:
        """The value at a level of each present code, as a number from 0 without gaps, and the number of values."""
        if (attribute, level) not in self._known:
            climb = self._climbs[attribute][level]
            distinct, numbers = number(climb[self._present[attribute]], len(climb))
            self._known[attribute, level] = numbers.astype(np.int32), len(distinct)
        return self._known[attribute, level]

    def key(self, words: Sequence[Integers], levels: Sequence[int]) -> tuple[Integers, int]:
        """A whole number per tuple, equal if all values are equal at some levels, and the number of possible keys."""
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
        """The values of a word of tuples at some levels, as one number, and how many numbers there can be."""
        table, size = self._table(word, levels)
        return (table if size == 1 else np.take(table, of)), size

    def _table(self, word: _Word, levels: Sequence[int]) -> tuple[Integers, int]:
        """The values of each number of a word at some levels, as one number, and how many numbers there can be."""
        table: Integers = np.zeros(1, np.int32)
        bound = 1
        for attribute, places in word.digits.items():
            values, size = self._values(attribute, levels[attribute])
            if size != 1:
                table, bound = table * size + values[places], bound * size
        return table, bound

    def apart(self, tuple_: int, lowest: Sequence[int], shape: Sequence[int]) -> Integers:
        """The place in a box of nodes at which each tuple first coincides with one of them; beyond the box for tuples
        that never do.

        The box has ``shape`` levels of every attribute from the ``lowest``; its cells are counted with the last
        attribute's levels side by side.
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
    """The same for keys of all tuples at many nodes near each other: most of their words are at the same levels."""

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
