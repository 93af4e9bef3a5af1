"""In-memory value groups as arrays: the input of a privacy model's verdict.

A value group has the rows with equal generalized values. A value of a sensitive attribute is given by its code, from 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Integers: TypeAlias = "NDArray[np.integer[Any]]"
Booleans: TypeAlias = "NDArray[np.bool_]"

# Relative error of floats in a comparison: sums of a few thousand products of two numbers of 53 bits.
_CLOSE = 1e-9
# With at most so many times as many numbers as keys, each number has a place of its own.
_DENSE = 8
# A set of at most so many values has a bit for each of them, in words of so many bits.
_MOST_BITS, _WORD = 256, 64
# The number of ones in each byte.
_ONES = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).sum(axis=1)


class Groups(Protocol):
    """Value groups as arrays with one entry per group, in one dimension or in a grid."""

    @property
    def sizes(self) -> Integers:
        """Number of rows of each group."""

    def distinct(self, attribute: str) -> Integers:
        """Number of distinct values of a sensitive attribute in each group, excluding the missing one."""

    def rows_with(self, attribute: str, value: int) -> Integers:
        """Number of rows in each group with one value of a sensitive attribute; ``value`` is its code."""

    def rows_with_each(self, attribute: str, values: Sequence[int]) -> Integers:
        """Number of rows in each group with each of ``values``; the first axis has one entry per value."""

    def pairs(self, attribute: str) -> Pairs | None:
        """The pairs of groups and values, sorted by group and value, each once; None if they are not in memory."""


@dataclass(frozen=True)
class Pairs:
    """Pairs of a tuple or group and a value of a sensitive attribute: at least one entry per occurring pair.

    ``of`` is the number of the tuple or group, ``value`` the code of the value. ``values`` is the number of values
    without the missing one; the missing one has this number as its code. ``rows``, if known, is the number of rows of
    the tuple with the value.
    """

    of: Integers
    value: Integers
    values: int
    rows: Integers | None = None

    def regroup(self, group: Integers) -> Pairs:
        """The pairs after grouping of the tuples: ``group`` has the group number of each tuple."""
        together: Integers = group[self.of] * np.int64(self.values + 1) + self.value
        bound, rows = (int(group.max(initial=-1)) + 1) * (self.values + 1), None
        if self.rows is None:
            together = _distinct(together, bound)
        elif bound <= _DENSE * len(together):
            sums = _sums(together, self.rows, bound)
            together = _distinct(together, bound)
            rows = sums[together]
        else:
            together, place = np.unique(together, return_inverse=True)
            rows = _sums(place, self.rows, len(together))
        return Pairs(together // (self.values + 1), together % (self.values + 1), self.values, rows)

    @cached_property
    def _by_value(self) -> tuple[Integers, Integers, Integers]:
        """Tuple numbers and row counts, sorted by value, and the position of the first entry of each value."""
        order = np.argsort(self.value, kind="stable")
        starts = np.concatenate(([0], np.cumsum(np.bincount(self.value, minlength=self.values + 1))))
        return self.of[order], self.counts[order], starts

    def among(self, value: int) -> tuple[Integers, Integers]:
        """The numbers of the tuples with one value, and each tuple's number of rows with this value."""
        of, rows, starts = self._by_value
        here = slice(starts[value], starts[value + 1])
        return of[here], rows[here]

    def rows_with(self, value: int, groups: int) -> Integers:
        """Number of rows with one value in each of ``groups`` groups."""
        of, rows = self.among(value)
        return _sums(of, rows, groups)

    def rows_with_each(self, values: Sequence[int], groups: int) -> Integers:
        """Number of rows with each of several values, on the first axis, in each of ``groups`` groups."""
        of, place, rows = self.chosen(values)
        return _sums(place * groups + of, rows, len(values) * groups).reshape(len(values), groups)

    def chosen(self, values: Sequence[int]) -> tuple[Integers, Integers, Integers]:
        """The pairs with one of ``values``: tuple number, index of the value in ``values``, and number of rows."""
        places = np.full(self.values + 1, -1)
        places[list(values)] = np.arange(len(values))
        place = places[self.value]
        there = place >= 0
        return self.of[there], place[there], self.counts[there]

    def below(self, values: int) -> Pairs:
        """The pairs with a code below ``values``."""
        if values > self.values:
            return self
        chosen, rows = self.value < values, self.counts
        return Pairs(self.of[chosen], self.value[chosen], self.values, rows[chosen])

    @property
    def counts(self) -> Integers:
        """Number of rows of each pair; only for pairs with ``rows``."""
        assert self.rows is not None  # a model of row counts has them carried
        return self.rows

    def distinct(self, groups: int) -> Integers:
        """Number of values in each of ``groups`` groups, excluding the missing one; every pair must occur once."""
        return np.bincount(self.of[self.value < self.values], minlength=groups)


@dataclass(frozen=True)
class ValueRecords:
    """The values of a sensitive attribute per record (a tuple), in one array.

    The entries of record i in ``value`` and ``rows`` begin at ``starts[i]``; ``value``, ``values`` and ``rows`` are
    those of :class:`Pairs`.
    """

    starts: Integers
    value: Integers
    values: int
    rows: Integers | None = None

    @classmethod
    def of(cls, pairs: Pairs, count: int) -> ValueRecords:
        """The values of ``count`` records, from pairs of a record number and a value."""
        order = np.argsort(pairs.of, kind="stable")
        starts = np.concatenate(([0], np.cumsum(np.bincount(pairs.of, minlength=count))))
        return cls(starts, pairs.value[order], pairs.values, None if pairs.rows is None else pairs.rows[order])

    @cached_property
    def _bits(self) -> NDArray[np.uint64]:
        """One bit per value, excluding the missing one: a row per record, a column per 64 values."""
        sizes = np.diff(self.starts)
        bits = np.zeros((len(sizes), -(-self.values // _WORD)), np.uint64)
        if len(self.value):
            for word in range(bits.shape[1]):
                digit = self.value - word * _WORD
                there = (digit >= 0) & (digit < min(_WORD, self.values - word * _WORD))
                one = np.where(there, np.uint64(1) << np.where(there, digit, 0).astype(np.uint64), np.uint64(0))
                bits[sizes > 0, word] = np.bitwise_or.reduceat(one, self.starts[:-1][sizes > 0])
        return bits

    def distinct(self, records: Integers, group: Integers, groups: int) -> Integers:
        """Number of values, excluding the missing one, in each of ``groups`` groups of the selected ``records``.

        ``group`` has the group number of each selected record.
        """
        order = np.argsort(group, kind="stable")
        records, group = records[order], group[order]
        if self.values > _MOST_BITS:
            pairs = self.among(records)
            # Sorted by group, with few values each, these are nearly in order: a stable sort makes use of that.
            held = np.sort(group[pairs.of] * np.int64(self.values + 1) + pairs.value, kind="stable")
            first, value = np.divmod(held[_begins(held)], self.values + 1)
            return np.bincount(first[value < self.values], minlength=groups)
        counts: Integers = np.zeros(groups, np.int64)
        if len(records):
            begins = _begins(group).nonzero()[0]
            bits = np.bitwise_or.reduceat(self._bits[records], begins)
            counts[group[begins]] = _ONES[bits.view(np.uint8)].sum(axis=1)
        return counts

    def among(self, records: Integers) -> Pairs:
        """The pairs of the selected ``records``: first one pair per record, then all further pairs.

        The number ``of`` in each pair is the record's position in ``records``.
        """
        begins = self.starts[records]
        sizes = self.starts[records + 1] - begins
        first = np.arange(len(records)) if sizes.all() else sizes.nonzero()[0]
        # Most records have one value.
        several = (sizes > 1).nonzero()[0]
        further = sizes[several] - 1
        within = np.arange(further.sum()) - np.repeat(np.cumsum(further) - further, further)
        of = np.concatenate([first, np.repeat(several, further)])
        place = np.concatenate([begins[first], np.repeat(begins[several] + 1, further) + within])
        return Pairs(of, self.value[place], self.values, None if self.rows is None else self.rows[place])


@dataclass(frozen=True)
class GroupValues:
    """Value groups with functions: ``found`` counts distinct values per group, ``rows`` counts rows with one value."""

    sizes: Integers
    found: Callable[[str], Integers]
    rows: Callable[[str, int], Integers]

    def distinct(self, attribute: str) -> Integers:
        return self.found(attribute)

    def rows_with(self, attribute: str, value: int) -> Integers:
        return self.rows(attribute, value)

    def rows_with_each(self, attribute: str, values: Sequence[int]) -> Integers:
        return np.stack([self.rows(attribute, value) for value in values])

    def pairs(self, attribute: str) -> Pairs | None:
        return None


@dataclass(frozen=True)
class Grouped:
    """Value groups with their row counts ``sizes`` and, by sensitive attribute, their pairs ``held``."""

    sizes: Integers
    held: Mapping[str, Pairs] = field(default_factory=dict)

    def distinct(self, attribute: str) -> Integers:
        return self.held[attribute].distinct(len(self.sizes))

    def rows_with(self, attribute: str, value: int) -> Integers:
        return self.held[attribute].rows_with(value, len(self.sizes))

    def rows_with_each(self, attribute: str, values: Sequence[int]) -> Integers:
        return self.held[attribute].rows_with_each(values, len(self.sizes))

    def pairs(self, attribute: str) -> Pairs | None:
        return self.held[attribute]


def beyond(left: Integers, factor: Fraction, right: Integers) -> Booleans:
    """Mask of entries with ``left > factor * right``. Floats decide clear cases, exact whole numbers close ones."""
    product = right * float(factor)
    gap = left - product
    more: Booleans = gap > 0
    close = np.abs(gap) <= _CLOSE * (np.abs(product) + np.abs(left))
    if close.any():
        top, bottom = factor.numerator, factor.denominator
        pairs = zip(left[close].tolist(), right[close].tolist(), strict=True)
        more[close] = [int(first) * bottom > top * int(second) for first, second in pairs]
    return more


def _distinct(keys: Integers, bound: int) -> Integers:
    """The distinct ``keys`` in ascending order. All keys are at least 0 and below ``bound``.

    ``numpy.unique`` hashes whole numbers since NumPy 2.3. For these keys, which come in runs, it takes a hundred times
    as long as a sort.
    """
    if bound <= _DENSE * len(keys):
        there = np.zeros(bound, bool)
        there[keys] = True
        return np.flatnonzero(there)
    ordered = np.sort(keys)
    distinct: Integers = ordered[_begins(ordered)]
    return distinct


def _begins(ordered: Integers) -> Booleans:
    """Mask over sorted numbers, true at the first occurrence of each distinct number."""
    begins = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
    return begins


def _sums(key: Integers, rows: Integers, groups: int) -> Integers:
    """Sums of ``rows`` per key from 0 to ``groups`` - 1. They are exact: a table has fewer than 2 ** 53 rows."""
    sums: Integers = np.bincount(key, rows, groups).astype(np.int64)
    return sums
