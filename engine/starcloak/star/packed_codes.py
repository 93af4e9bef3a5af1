"""The codes of tuples, several attributes to a number: their values at a node are few lookups in small tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from starcloak.star import keys
from starcloak.star.keys import Integers

# The attributes of a word have so many combinations of values at most: a table of them stays near the processor.
_WORD = 1 << 12

# Numbers below this are made in less time than larger ones.
_SMALL_KEY = 1 << 31


@dataclass(frozen=True)
class _Word:
    """Some attributes as one number per tuple.

    ``digits`` has, of every number that there can be, the place of each attribute's code among those that occur.
    """

    digits: Mapping[int, Integers]
    of: Integers


def present(codes: Sequence[Integers], climbs: Sequence[Sequence[Integers]]) -> tuple[Integers, ...]:
    """The codes of each attribute that occur."""
    return tuple(
        np.flatnonzero(np.bincount(own, minlength=len(levels[0]))) for own, levels in zip(codes, climbs, strict=True)
    )


class Words:
    """The codes of tuples, by attribute, and the ancestors of codes, by attribute and level (``climbs``).

    Attributes that are next to each other in an ``order`` share a word, and a key tells them apart in that order.
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
        return _Word(dict(zip(attributes, np.indices(shape).reshape(len(shape), -1), strict=True)), of)

    @property
    def all(self) -> tuple[Integers, ...]:
        """The words of all tuples."""
        return tuple(word.of for word in self._words)

    def _values(self, attribute: int, level: int) -> tuple[Integers, int]:
        """The value at a level of each code that occurs, as a number from 0 without gaps, and how many values."""
        if (attribute, level) not in self._known:
            climb = self._climbs[attribute][level]
            distinct, numbers = keys.number(climb[self._present[attribute]], len(climb))
            self._known[attribute, level] = numbers.astype(np.int32), len(distinct)
        return self._known[attribute, level]

    def key(self, words: Sequence[Integers], levels: Sequence[int]) -> tuple[Integers, int]:
        """A whole number per tuple, equal where all values are at some levels, and how many numbers there can be."""
        key: Integers = np.zeros(len(words[0]), np.int32)
        bound = 1
        for word, of in zip(self._words, words, strict=True):
            table, size = self._table(word, levels)
            if size == 1:
                continue
            if bound * size > keys.LARGEST:
                distinct, key = keys.number(key, bound)
                bound = len(distinct)
            if bound * size > _SMALL_KEY and key.dtype == np.int32:
                key = key.astype(np.int64)
            key *= size
            key += np.take(table, of)
            bound *= size
        return key, bound

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
        """Where in a box of nodes each tuple first coincides with one of them; of those that do nowhere, beyond it.

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
