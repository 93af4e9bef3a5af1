"""The codes of tuples, several attributes to a number: their values at a node are few lookups in small tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from starcloak.search.shared import keys
from starcloak.search.shared.keys import Integers

# The attributes of a word have so many combinations of values at most: a table of them stays near the processor.
_WORD = 1 << 12

_LARGEST_KEY = 1 << 62
_SMALL_KEY = 1 << 31


@dataclass(frozen=True)
class _Word:
    """Some attributes as one number per tuple.

    ``digits`` has, of every number that there can be, the place of each attribute's code among those that occur.
    """

    digits: Mapping[int, Integers]
    of: Integers


class Words:
    """The codes of tuples, by attribute, and the ancestors of codes, by attribute and level (``climbs``)."""

    def __init__(
        self,
        codes: Sequence[Integers],
        climbs: Sequence[Sequence[Integers]],
        order: Iterable[int] | None = None,
    ) -> None:
        self._codes, self._climbs = codes, climbs
        self._order = tuple(range(len(codes)) if order is None else order)
        self._values: dict[tuple[int, int], tuple[Integers, int]] = {}

    @cached_property
    def _present(self) -> tuple[Integers, ...]:
        """The codes of each attribute that occur."""
        return tuple(
            np.flatnonzero(np.bincount(codes, minlength=len(climbs[0])))
            for codes, climbs in zip(self._codes, self._climbs, strict=True)
        )

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
            of *= np.int32(size)
            of += places[self._codes[attribute]]
        digits = np.unravel_index(np.arange(max(1, int(np.prod(shape)))), shape) if all(shape) else ()
        return _Word(dict(zip(attributes, digits, strict=bool(digits))), of)

    @property
    def all(self) -> tuple[Integers, ...]:
        """The words of all tuples."""
        return tuple(word.of for word in self._words)

    def among(self, tuples: Integers) -> tuple[Integers, ...]:
        """The words of some tuples."""
        return tuple(word.of[tuples] for word in self._words)

    def values(self, attribute: int, level: int) -> tuple[Integers, int]:
        """The value at a level of each code that occurs, as a number from 0 without gaps, and how many values."""
        if (attribute, level) not in self._values:
            found = self._climbs[attribute][level][self._present[attribute]]
            distinct, numbers = np.unique(found, return_inverse=True)
            self._values[attribute, level] = numbers.astype(np.int32), len(distinct)
        return self._values[attribute, level]

    def key(self, words: Sequence[Integers], levels: Sequence[int]) -> tuple[Integers, int]:
        """A whole number per tuple, equal where all values are at some levels, and how many numbers there can be."""
        key: Integers | None = None
        bound = 1
        for word, of in zip(self._words, words, strict=True):
            table, size = self._table(word, levels)
            if size == 1 and key is not None:
                continue
            if key is None:
                key, bound = np.take(table, of), size
                continue
            if bound * size > _LARGEST_KEY:
                distinct, key = keys.number(key, bound)
                bound = len(distinct)
            # Numbers of 32 bits are made in less time.
            if bound * size > _SMALL_KEY and key.dtype == np.int32:
                key = key.astype(np.int64)
            key *= key.dtype.type(size)
            key += np.take(table, of)
            bound *= size
        assert key is not None  # a lattice has attributes
        return key, bound

    def _table(self, word: _Word, levels: Sequence[int]) -> tuple[Integers, int]:
        """The values of each number of a word at some levels, as one number, and how many numbers there can be."""
        table: Integers | None = None
        bound = 1
        for attribute, places in word.digits.items():
            values, size = self.values(attribute, levels[attribute])
            if table is None:
                table, bound = values[places], size
            elif size > 1:
                table = table * np.int32(size) + values[places]
                bound *= size
        return (np.zeros(1, np.int32) if table is None else table), bound

    def apart(self, tuple_: int, lowest: Sequence[int], shape: Sequence[int]) -> Integers:
        """Where in a box of nodes each tuple first coincides with one of them; of those that do nowhere, beyond it.

        The box has ``shape`` levels of every attribute from the ``lowest``; its cells are counted with the last
        attribute's levels side by side.
        """
        cells = int(np.prod(shape))
        found: Integers | None = None
        for word in self._words:
            own, table = int(word.of[tuple_]), np.zeros(1, np.int64)
            for attribute, places in word.digits.items():
                step = int(np.prod(shape[attribute + 1 :]))
                far: Integers = np.zeros(len(self._present[attribute]), np.int64)
                for level in range(lowest[attribute], lowest[attribute] + shape[attribute]):
                    values, _ = self.values(attribute, level)
                    is_last = level == lowest[attribute] + shape[attribute] - 1
                    far += (values != values[places[own]]) * (cells if is_last else step)
                table = table + far[places]
            at = np.take(table, word.of)
            found = at if found is None else found + at
        assert found is not None
        return found
