"""Value groups at hand, as arrays: what the verdict of a privacy model on them needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.integer[Any]]


class Groups(Protocol):
    """Value groups in some order."""

    @property
    def sizes(self) -> Integers:
        """The rows of each."""

    def distinct(self, attribute: str) -> Integers:
        """How many different values of a sensitive attribute each holds."""


@dataclass(frozen=True)
class Pairs:
    """Which tuples, or groups, hold which values of a sensitive attribute: one entry per pair that occurs.

    ``of`` numbers the tuple or group, ``value`` the value; there are ``values`` of them.
    """

    of: Integers
    value: Integers
    values: int

    def regrouped(self, group: Integers) -> Pairs:
        """The pairs of the groups that the tuples are put into: ``group`` has the number of each tuple's."""
        together = np.unique(group[self.of] * np.int64(self.values) + self.value)
        return Pairs(together // self.values, together % self.values, self.values)


@dataclass(frozen=True)
class Records:
    """The values of a sensitive attribute that records hold, side by side: those of record i begin at ``starts[i]``."""

    starts: Integers
    value: Integers
    values: int

    @classmethod
    def of(cls, pairs: Pairs, count: int) -> Records:
        """The values that ``count`` records hold."""
        order = np.argsort(pairs.of, kind="stable")
        starts = np.concatenate(([0], np.cumsum(np.bincount(pairs.of, minlength=count))))
        return cls(starts, pairs.value[order], pairs.values)

    def among(self, records: Integers) -> Pairs:
        """The pairs of some records, which are numbered by their places."""
        sizes = self.starts[records + 1] - self.starts[records]
        of = np.repeat(np.arange(len(records)), sizes)
        within = np.arange(len(of)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return Pairs(of, self.value[self.starts[records][of] + within], self.values)


@dataclass(frozen=True)
class Told:
    """Value groups of which it is known how many values of sensitive attributes they hold, not which."""

    sizes: Integers
    found: Mapping[str, Integers]

    def distinct(self, attribute: str) -> Integers:
        return self.found[attribute]


@dataclass(frozen=True)
class Counted:
    """Value groups with the rows of each and, per sensitive attribute, the values that they hold."""

    sizes: Integers
    held: Mapping[str, Pairs] = field(default_factory=dict)

    def distinct(self, attribute: str) -> Integers:
        return np.bincount(self.held[attribute].of, minlength=len(self.sizes))


def unpacked(bits: NDArray[Any], *, values: int) -> Pairs:
    """The pairs of tuples and values from a column of bits, as the working store hands it out.

    Each is a byte that tells how many bits of the next are padding, and the bits.
    """
    if not len(bits):
        return Pairs(np.zeros(0, np.int64), np.zeros(0, np.int64), values)
    packed = np.frombuffer(b"".join(bits.tolist()), np.uint8).reshape(len(bits), -1)
    padding = int(packed[0, 0])
    of, value = np.nonzero(np.unpackbits(packed[:, 1:], axis=1)[:, padding:])
    return Pairs(of, value, values)
