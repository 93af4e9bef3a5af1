"""Persons in memory, each with all of the person's tuples: units of a sweep that keeps a person's rows together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from starcloak.privacy.requirement import Demand
from starcloak.search.sweep.costs import Climbs, Costs, Floats
from starcloak.search.sweep.tuples import SweepTuples
from starcloak.star.keys import Integers
from starcloak.star.star import Star
from starcloak.star.working_tables import VISITS
from starcloak.statements.statement import As, Joined, Name, Statement, columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PERSON, _COHORT = Name("person"), Name("cohort")
# Costs equal up to rounding in another order of summation are equal.
_DECIMALS = 9


@dataclass(frozen=True)
class OrderedPersons(SweepTuples):
    """Persons in the order of their ``numbers``, and the demand on groups of persons with equal histories.

    A history is the set of a person's tuples with their frequencies. ``codes`` has, per attribute, the leaf codes of
    all tuples, person by person; ``starts`` has the position of each person's first tuple, and ``visits`` has the same
    tuples without persons. A person counts once in ``frequency``, and costs the average cost of the person's rows.
    ``cohorts`` has a number per person: only persons of one cohort may have equal histories.
    """

    visits: SweepTuples
    starts: Integers
    numbers: Integers
    cohorts: Integers

    counted: ClassVar[str] = "persons"

    @property
    def times(self) -> Integers:
        return self.visits.frequency

    @cached_property
    def rows(self) -> Integers:
        """Number of rows of each person."""
        sums: Integers = np.add.reduceat(self.times, self.starts)
        return sums

    @cached_property
    def tuples(self) -> Integers:
        """Number of tuples of each person."""
        lengths: Integers = np.diff(np.append(self.starts, len(self.times)))
        return lengths

    @cached_property
    def kinds(self) -> Integers:
        """A number for each person, equal for persons of one cohort with equal histories at the top of the lattice.

        Only such persons can be in one class. If every attribute has one value at the top, these are the persons of a
        cohort with the same number of rows.
        """
        return self.tops

    def places(self, chosen: Integers) -> Integers:
        many = self.tuples[chosen]
        return np.repeat(self.starts[chosen] - _firsts(many), many) + np.arange(many.sum())

    def fold(self, hashes: NDArray[np.uint32], chosen: Integers) -> NDArray[np.uint32]:
        # Sums of mixed hashes do not depend on an order, and bind the cells of one row together.
        mixed = hashes ^ (hashes >> np.uint32(16))
        mixed = mixed * np.uint32(0x7FEB352D)
        mixed = (mixed ^ (mixed >> np.uint32(15))) * np.uint32(0x846CA68B)
        mixed = (mixed ^ (mixed >> np.uint32(16))) * self.times[self.places(chosen)].astype(np.uint32)
        folded: NDArray[np.uint32] = np.add.reduceat(mixed, _firsts(self.tuples[chosen]), dtype=np.uint32)
        return folded + self.cohorts[chosen].astype(np.uint32) * np.uint32(0x9E3779B1)

    def cost(self, chosen: Integers, levels: Integers) -> Floats:
        if not len(chosen):
            return np.zeros(0)
        places = self.places(chosen)
        cost = self.visits.cost(places, levels) * self.times[places]
        sums: Floats = np.add.reduceat(cost, _firsts(self.tuples[chosen])) / self.rows[chosen]
        return np.round(sums, _DECIMALS)

    def group(self, chosen: Integers, levels: Integers) -> tuple[Integers, int]:
        """The group of each chosen person at a node, numbered from 0, and the number of groups.

        Persons of one cohort with equal histories at the given levels are in one group.
        """
        places = self.places(chosen)
        values, many = self.visits.group(places, levels)
        owner = np.repeat(np.arange(len(chosen)), self.tuples[chosen])
        # Of each person the values in order, and how often each is there.
        pairs, at = np.unique(owner * many + values, return_inverse=True)
        times = np.bincount(at, weights=self.times[places]).astype(np.int64)
        owner, values = np.divmod(pairs, many)
        _, items = np.unique(values * (times.max(initial=0) + 1) + times, return_inverse=True)
        lengths = np.bincount(owner, minlength=len(chosen))
        firsts, base = _firsts(lengths), len(items) + 1
        # Step by step, equal beginnings have one number.
        _, numbers = np.unique(self.cohorts[chosen], return_inverse=True)
        for place in range(int(lengths.max(initial=0))):
            longer = np.flatnonzero(lengths > place)
            _, numbers[longer] = np.unique(numbers[longer] * base + items[firsts[longer] + place], return_inverse=True)
        distinct, numbers = np.unique(lengths * (len(chosen) + 1) + numbers, return_inverse=True)
        return numbers, len(distinct)


def fetch(star: Star, climbs: Climbs, costs: Costs, demand: Demand, *, k: int) -> OrderedPersons:
    """Read the persons of a star, without persons who cannot be in a class of ``k`` persons at any generalization.

    These are the persons with a history at the top of the lattice that fewer than k persons of their cohort have. If
    every attribute has one value at the top, the history there is the number of rows.
    """
    names = [Name(f"code_{dimension.position}") for dimension in star.dimensions]
    codes = [As(dimension.column(0), name) for dimension, name in zip(star.dimensions, names, strict=True)]
    read = star.session.columns(
        Statement(
            "search/sweep/tuples",
            values=columns([_PERSON, _COHORT, *codes]),
            order=Joined((_PERSON, *names), ", "),
            star=VISITS,
        )
    )
    person, frequency = read["person"].astype(np.int64), read["frequency"].astype(np.int64)
    leaves = tuple(read[name.parts[0]].astype(np.int32) for name in names)

    def people(kept: NDArray[np.bool_]) -> OrderedPersons:
        """The persons with the tuples marked in ``kept``."""
        numbers, starts = np.unique(person[kept], return_index=True)
        own = tuple(codes[kept] for codes in leaves)
        visits = SweepTuples(own, frequency[kept], climbs, costs, demand, {})
        counts: Integers = np.ones(len(numbers), np.int64)
        cohorts = read["cohort"][kept][starts].astype(np.int64)
        return OrderedPersons(own, counts, climbs, costs, demand, {}, visits, starts, numbers, cohorts)

    everybody = people(np.ones(len(person), bool))
    has_others = (np.bincount(everybody.kinds) >= k)[everybody.kinds]
    return everybody if has_others.all() else people(np.repeat(has_others, everybody.tuples))


def _firsts(many: Integers) -> Integers:
    """The start position of each of several consecutive runs; ``many`` has the lengths of the runs."""
    firsts: Integers = np.cumsum(many) - many
    return firsts
