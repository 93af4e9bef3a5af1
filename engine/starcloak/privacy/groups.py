"""Value groups at hand, as arrays: what the verdict of a privacy model on them needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Integers: TypeAlias = "NDArray[np.integer[Any]]"
Booleans: TypeAlias = "NDArray[np.bool_]"

# What a float may be off by, as a share of what is compared: sums of a few thousand products of two of 53 bits.
_CLOSE = 1e-9


class Groups(Protocol):
    """Value groups in some order, or in a grid."""

    @property
    def sizes(self) -> Integers:
        """The rows of each."""

    def distinct(self, attribute: str) -> Integers:
        """How many different values of a sensitive attribute each holds, the missing one aside."""

    def rows_with(self, attribute: str, value: int) -> Integers:
        """How many rows of each have a value of a sensitive attribute, by its code."""


@dataclass(frozen=True)
class Pairs:
    """Which tuples, or groups, hold which values of a sensitive attribute: one entry per pair that occurs, or several.

    ``of`` numbers the tuple or group, ``value`` the value; there are ``values`` of them, the missing one aside, whose
    code is the next. Where that is known, ``rows`` has how many rows of the tuple have the value.
    """

    of: Integers
    value: Integers
    values: int
    rows: Integers | None = None

    def regroup(self, group: Integers) -> Pairs:
        """The pairs of the groups that the tuples are put into: ``group`` has the number of each tuple's."""
        together = group[self.of] * np.int64(self.values + 1) + self.value
        if self.rows is None:
            together = np.unique(together)
            return Pairs(together // (self.values + 1), together % (self.values + 1), self.values)
        together, place = np.unique(together, return_inverse=True)
        rows = np.bincount(place, self.rows, len(together)).astype(np.int64)
        return Pairs(together // (self.values + 1), together % (self.values + 1), self.values, rows)

    @cached_property
    def _by_value(self) -> tuple[Integers, Integers, Integers]:
        """Tuples and their rows in the order of the values, and where each value begins."""
        assert self.rows is not None  # a model that counts rows has them carried
        order = np.argsort(self.value, kind="stable")
        starts = np.concatenate(([0], np.cumsum(np.bincount(self.value, minlength=self.values + 1))))
        return self.of[order], self.rows[order], starts

    def among(self, value: int) -> tuple[Integers, Integers]:
        """The tuples that have a value, and how many of their rows do."""
        of, rows, starts = self._by_value
        here = slice(starts[value], starts[value + 1])
        return of[here], rows[here]

    def rows_with(self, value: int, groups: int) -> Integers:
        """How many rows of each of so many groups have a value."""
        of, rows = self.among(value)
        return _sums(of, rows, groups)

    def distinct(self, groups: int) -> Integers:
        """How many values each of so many groups holds, every pair being there once; the missing one aside."""
        return np.bincount(self.of[self.value < self.values], minlength=groups)


@dataclass(frozen=True)
class ValueRecords:
    """The values of a sensitive attribute that records hold, side by side: those of record i begin at ``starts[i]``."""

    starts: Integers
    value: Integers
    values: int
    rows: Integers | None = None

    @classmethod
    def of(cls, pairs: Pairs, count: int) -> ValueRecords:
        """The values that ``count`` records hold."""
        order = np.argsort(pairs.of, kind="stable")
        starts = np.concatenate(([0], np.cumsum(np.bincount(pairs.of, minlength=count))))
        return cls(starts, pairs.value[order], pairs.values, None if pairs.rows is None else pairs.rows[order])

    def among(self, records: Integers) -> Pairs:
        """The pairs of some records, which are numbered by their places."""
        sizes = self.starts[records + 1] - self.starts[records]
        of = np.repeat(np.arange(len(records)), sizes)
        within = np.arange(len(of)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        place = self.starts[records][of] + within
        return Pairs(of, self.value[place], self.values, None if self.rows is None else self.rows[place])


@dataclass(frozen=True)
class GroupValues:
    """Value groups of which is told how many values of sensitive attributes they hold, and how many rows have one."""

    sizes: Integers
    found: Callable[[str], Integers]
    rows: Callable[[str, int], Integers]

    def distinct(self, attribute: str) -> Integers:
        return self.found(attribute)

    def rows_with(self, attribute: str, value: int) -> Integers:
        return self.rows(attribute, value)


@dataclass(frozen=True)
class Grouped:
    """Value groups with the rows of each and, per sensitive attribute, the values that they hold."""

    sizes: Integers
    held: Mapping[str, Pairs] = field(default_factory=dict)

    def distinct(self, attribute: str) -> Integers:
        return self.held[attribute].distinct(len(self.sizes))

    def rows_with(self, attribute: str, value: int) -> Integers:
        return self.held[attribute].rows_with(value, len(self.sizes))


def beyond(left: Integers, factor: Fraction, right: Integers) -> Booleans:
    """Where ``left`` is more than ``factor`` times ``right``, exactly: floats only tell where to look."""
    product = right * float(factor)
    gap = left - product
    more: Booleans = gap > 0
    close = np.abs(gap) <= _CLOSE * (np.abs(product) + np.abs(left))
    if close.any():
        top, bottom = factor.numerator, factor.denominator
        pairs = zip(left[close].tolist(), right[close].tolist(), strict=True)
        more[close] = [int(one) * bottom > top * int(other) for one, other in pairs]
    return more


def _sums(key: Integers, rows: Integers, groups: int) -> Integers:
    """The rows of each key. The sums are exact: a table has fewer than 2 ** 53 rows."""
    sums: Integers = np.bincount(key, rows, groups).astype(np.int64)
    return sums
