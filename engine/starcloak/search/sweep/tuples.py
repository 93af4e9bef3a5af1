"""Tuples of the base frequency set as arrays in memory, with ancestors and costs for every level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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

    from starcloak.privacy.model import Model


@dataclass(frozen=True)
class SweepTuples:
    """The tuples of the base frequency set, in the order of their codes, and the ``demand`` on classes of them.

    A tuple is a distinct combination of leaves. ``codes`` has, per attribute, the leaf code of every tuple;
    ``frequency`` has the number of rows of every tuple, ``held`` the values of sensitive attributes in these rows.
    ``climbs`` and ``costs`` have, per attribute and level, the ancestor of each leaf and the cost of a cell released as
    this ancestor. In a subclass, a unit may have several tuples; methods speak of units then.
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
        """The number of rows of each entry of ``codes``."""
        return self.frequency

    @property
    def attributes(self) -> range:
        return range(len(self.codes))

    @cached_property
    def heights(self) -> tuple[int, ...]:
        return tuple(len(levels) - 1 for levels in self.climbs)

    @cached_property
    def has_several_tops(self) -> bool:
        """True if an attribute has several values at its highest level, as a job may set this level."""
        return any(levels[-1][1] > 1 for levels in self._ranks)

    @cached_property
    def tops(self) -> Integers:
        """The number, from 0, of each unit's value group at the top of the lattice.

        Units of a class always have the same number.
        """
        numbers, _ = self.group(np.arange(len(self)), np.array(self.heights))
        return numbers

    @cached_property
    def is_closed(self) -> bool:
        """True if every superset of a satisfying group satisfies the demand."""
        return all(model.superset_closed for model in self.demand.models)

    @cached_property
    def present(self) -> tuple[Integers, ...]:
        """The codes of the leaves that occur in a tuple, per attribute."""
        return keys.present(self.codes, self.climbs)

    @cached_property
    def _ranks(self) -> tuple[tuple[tuple[Integers, int], ...], ...]:
        """A number for every leaf's value, from 0 without gaps, and the count of values, per attribute and level."""
        return tuple(
            tuple(_rank(level, present) for level in climbs)
            for climbs, present in zip(self.climbs, self.present, strict=True)
        )

    def among(self, chosen: Integers) -> Self:
        """The ``chosen`` tuples alone, in this order."""
        if len(chosen) == len(self):
            return self
        return replace(
            self,
            codes=tuple(codes[chosen] for codes in self.codes),
            frequency=self.frequency[chosen],
            held={name: ValueRecords.of(records.among(chosen), len(chosen)) for name, records in self.held.items()},
        )

    def places(self, chosen: Integers) -> Integers:
        """The positions in ``codes`` of the tuples of the ``chosen`` units."""
        return chosen

    def fold(self, hashes: NDArray[np.uint32], chosen: Integers) -> NDArray[np.uint32]:
        """A hash of each chosen unit, combined from the ``hashes`` of the unit's tuples (see :meth:`places`)."""
        return hashes

    def cost(self, chosen: Integers, levels: Integers) -> Floats:
        """The cost of a row of each chosen tuple at the node with the given levels."""
        cost = np.zeros(len(chosen))
        for attribute, level in enumerate(levels.tolist()):
            alike = self._costs_alike[attribute][level]
            if alike != 0:
                cost += self.costs[attribute][level][self.codes[attribute][chosen]] if alike is None else alike
        return cost

    @cached_property
    def _costs_alike(self) -> tuple[tuple[float | None, ...], ...]:
        """The cost of a cell per attribute and level, or None if it is not the same for every leaf."""
        return tuple(
            tuple(float(costs[0]) if (costs == costs[0]).all() else None for costs in levels) for levels in self.costs
        )

    def group(self, chosen: Integers, levels: Integers) -> tuple[Integers, int]:
        """The value group of each chosen tuple at a node, numbered from 0, and the number of value groups.

        Tuples with equal generalized values at the given levels are in one value group.
        """
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
        """Sizes and sensitive values of ``count`` groups of the chosen tuples; ``numbers`` has each tuple's group."""
        sizes = np.bincount(numbers, weights=self.frequency[chosen], minlength=count).astype(np.int64)
        return _TupleGroups(sizes, _Regrouped(self.held, chosen, numbers))

    def violates(
        self, chosen: Integers, numbers: Integers, count: int, models: Sequence[Model] | None = None
    ) -> NDArray[np.bool_]:
        """True for each of ``count`` groups that violates the demand; ``numbers`` has each chosen tuple's group.

        With ``models``, only these models of the demand are checked. A group that violates one model is not checked for
        the next model.
        """
        violating = np.zeros(count, bool)
        left = np.arange(count)
        for model in self.demand.models if models is None else models:
            if not len(left):
                break
            out = self.demand.violates_model(model, self.groups(chosen, numbers, len(left)))
            if out.any():
                violating[left[out]] = True
                left, stays = left[~out], ~out[numbers]
                chosen, numbers = chosen[stays], (np.cumsum(~out) - 1)[numbers[stays]]
        return violating


class _TupleGroups(Grouped):
    """Value groups that count distinct values without pairs of a group and a value."""

    held: _Regrouped

    def distinct(self, attribute: str) -> Integers:
        return self.held.distinct(attribute, len(self.sizes))


class _Regrouped(dict[str, Pairs]):
    """The sensitive values of groups, by attribute; each attribute is computed on first access."""

    def __init__(self, held: Mapping[str, ValueRecords], chosen: Integers, numbers: Integers) -> None:
        self._held, self._chosen, self._numbers = held, chosen, numbers

    def __missing__(self, attribute: str) -> Pairs:
        self[attribute] = self._held[attribute].among(self._chosen).regroup(self._numbers)
        return self[attribute]

    def distinct(self, attribute: str, groups: int) -> Integers:
        """Number of values, excluding the missing one, in each of ``groups`` groups."""
        return self._held[attribute].distinct(self._chosen, self._numbers, groups)


def fetch(star: Star, climbs: Climbs, costs: Costs, demand: Demand) -> SweepTuples:
    """Read the tuples of a star, with the carried values of sensitive attributes, from its database."""
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
