"""The star at hand: its tuples as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from starcloak.privacy.groups import Grouped, Pairs, ValueRecords
from starcloak.privacy.requirement import Demand
from starcloak.search.sweep.costs import Climbs, Costs, Floats
from starcloak.star import keys
from starcloak.star.keys import Integers
from starcloak.star.star import Star
from starcloak.star.tuples import held_of
from starcloak.statements.statement import As, Joined, Name, Statement, columns

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class SweepTuples:
    """The tuples of the base frequency set, in the order of their codes, and the demand on groups of them.

    ``codes`` has, per attribute, every tuple's leaf, ``frequency`` its number of rows, ``held`` its values of sensitive
    attributes. ``climbs`` and ``costs`` have, per attribute and level, the ancestor of each leaf and the cost of a cell
    there.
    """

    codes: tuple[Integers, ...]
    frequency: Integers
    climbs: Climbs
    costs: Costs
    demand: Demand
    held: Mapping[str, ValueRecords]

    #: The unit counted by the frequencies.
    counted: ClassVar[str] = "rows"

    def __len__(self) -> int:
        return len(self.frequency)

    @property
    def times(self) -> Integers:
        """Number of rows at each place of ``codes``."""
        return self.frequency

    @property
    def attributes(self) -> range:
        return range(len(self.codes))

    @cached_property
    def heights(self) -> tuple[int, ...]:
        return tuple(len(levels) - 1 for levels in self.climbs)

    @cached_property
    def has_several_tops(self) -> bool:
        """True if a job sets the top of an attribute, so that it has several values."""
        return any(levels[-1][1] > 1 for levels in self._ranks)

    @cached_property
    def tops(self) -> Integers:
        """The value group of each unit at the top, by its number from 0: a class lies within one."""
        numbers, _ = self.group(np.arange(len(self)), np.array(self.heights))
        return numbers

    @cached_property
    def is_closed(self) -> bool:
        """True if every superset of a satisfying group satisfies the demand."""
        return all(model.superset_closed for model in self.demand.models)

    @cached_property
    def present(self) -> tuple[Integers, ...]:
        """The leaves present in each attribute."""
        return keys.present(self.codes, self.climbs)

    @cached_property
    def _ranks(self) -> tuple[tuple[tuple[Integers, int], ...], ...]:
        """Per attribute and level, every leaf's value as a number from 0 without gaps, and how many there are."""
        return tuple(
            tuple(_rank(level, present) for level in climbs)
            for climbs, present in zip(self.climbs, self.present, strict=True)
        )

    def among(self, chosen: Integers) -> Self:
        """Some of the tuples alone, in their order there."""
        if len(chosen) == len(self):
            return self
        return replace(
            self,
            codes=tuple(codes[chosen] for codes in self.codes),
            frequency=self.frequency[chosen],
            held={name: ValueRecords.of(records.among(chosen), len(chosen)) for name, records in self.held.items()},
        )

    def places(self, chosen: Integers) -> Integers:
        """The places of some units in ``codes``."""
        return chosen

    def fold(self, hashes: NDArray[np.uint32], chosen: Integers) -> NDArray[np.uint32]:
        """A hash of each unit, from the hashes of its :meth:`places`."""
        return hashes

    def cost(self, chosen: Integers, levels: Integers) -> Floats:
        """Cost of a row of each of some tuples at one node."""
        cost = np.zeros(len(chosen))
        for attribute, level in enumerate(levels.tolist()):
            alike = self._costs_alike[attribute][level]
            if alike != 0:
                cost += self.costs[attribute][level][self.codes[attribute][chosen]] if alike is None else alike
        return cost

    @cached_property
    def _costs_alike(self) -> tuple[tuple[float | None, ...], ...]:
        """Cost of a cell per attribute and level, if it is the same for every leaf."""
        return tuple(
            tuple(float(costs[0]) if (costs == costs[0]).all() else None for costs in levels) for levels in self.costs
        )

    def group(self, chosen: Integers, levels: Integers) -> tuple[Integers, int]:
        """The value groups of some tuples at a node: each tuple's number from 0, and how many they are."""
        key: Integers = np.zeros(len(chosen), np.int64)
        values = 1
        for attribute in self.attributes:
            ranks, size = self._ranks[attribute][levels[attribute]]
            if size == 1:
                continue
            if values * size > keys.LARGEST:
                distinct, key = keys.number(key, values)
                values = len(distinct)
            key = key * size + ranks[self.codes[attribute][chosen]]
            values *= size
        distinct, numbers = keys.number(key, values)
        return numbers, len(distinct)

    def groups(self, chosen: Integers, numbers: Integers, count: int) -> Grouped:
        """So many groups of some tuples, by each one's number."""
        sizes = np.bincount(numbers, weights=self.frequency[chosen], minlength=count).astype(np.int64)
        return Grouped(sizes, _Regrouped(self.held, chosen, numbers))

    def violates(self, chosen: Integers, numbers: Integers, count: int) -> NDArray[np.bool_]:
        """The groups that violate the demand. The values of a group that violates a model are not looked at for the
        next one.
        """
        violating = np.zeros(count, bool)
        left = np.arange(count)
        for model in self.demand.models:
            if not len(left):
                break
            out = self.demand.violates_model(model, self.groups(chosen, numbers, len(left)))
            if out.any():
                violating[left[out]] = True
                left, stays = left[~out], ~out[numbers]
                chosen, numbers = chosen[stays], (np.cumsum(~out) - 1)[numbers[stays]]
        return violating


class _Regrouped(dict[str, Pairs]):
    """The values of groups by sensitive attribute, each made when it is first needed."""

    def __init__(self, held: Mapping[str, ValueRecords], chosen: Integers, numbers: Integers) -> None:
        self._held, self._chosen, self._numbers = held, chosen, numbers

    def __missing__(self, attribute: str) -> Pairs:
        self[attribute] = self._held[attribute].among(self._chosen).regroup(self._numbers)
        return self[attribute]


def fetch(star: Star, climbs: Climbs, costs: Costs, demand: Demand) -> SweepTuples:
    """The tuples of a star."""
    names = [Name(f"code_{dimension.position}") for dimension in star.dimensions]
    codes = [As(dimension.column(0), name) for dimension, name in zip(star.dimensions, names, strict=True)]
    read = star.session.columns(
        Statement(
            "search/sweep/tuples",
            values=columns([*codes, *(aggregate.column for aggregate in star.carried)]),
            order=Joined(tuple(names), ", "),
            star=star.facts,
        )
    )
    frequency = read["frequency"].astype(np.int64)
    return SweepTuples(
        tuple(read[f"code_{dimension.position}"].astype(np.int32) for dimension in star.dimensions),
        frequency,
        climbs,
        costs,
        demand,
        {
            attribute: ValueRecords.of(pairs, len(frequency))
            for attribute, pairs in held_of(star.carried, read, star.domains).items()
        },
    )


def _rank(level: Integers, present: Integers) -> tuple[Integers, int]:
    there = np.zeros(len(level), bool)
    there[level[present]] = True
    ranks: Integers = np.cumsum(there) - 1
    return ranks[level], int(there.sum())
