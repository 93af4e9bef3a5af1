"""Effect of a refinement on the counts of a quasi-identifier: the ideas of TIPS and QITS (sections 4.3 and 4.4).

The records of one quasi-identifier are in memory as arrays, each with the number of its *partition*: the records of one
masked value on the quasi-identifier, a leaf partition of TIPS (Definition 3). A refinement regroups the refined records
and no others, and counts the effect of every further refinement on the new partitions.

Of these counts only the smallest is kept per candidate, unlike in QITS (Definition 4). A partition's count is the sum
of its refined partitions' counts, so the smallest count after a candidate can only decrease. So does its anonymity A_x,
the smaller one of that count and of the current anonymity.

The records are in memory because a refinement is small. Over a million records of 14 attributes, statements take twice
as long to count if all records are refined, and thirty times as long if few are; and writing the moved records takes
statements a quarter of a second for any refinement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from starcloak.privacy.groups import Grouped, GroupValues, Pairs
from starcloak.privacy.requirement import Demand
from starcloak.search.single_dimension.cuts import Leaves
from starcloak.search.tdr.information import Floats
from starcloak.search.tdr.masks import MANY, Mask
from starcloak.star import keys
from starcloak.star.keys import Integers

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Partitions:
    """The records of one quasi-identifier (QID), grouped into partitions by their masked values.

    ``demand`` is the condition on every partition. ``anonymity`` is the current A(QID): the rows of the smallest
    partition. ``touched`` is the number of records regrouped so far. A candidate (possible refinement) that would lead
    to a violating partition stays invalid: after other refinements, a part of that partition violates the demand.
    """

    def __init__(self, masks: Mapping[int, Mask], leaves: Leaves, *, demand: Demand) -> None:
        codes, frequency = leaves.codes, leaves.frequency
        self.demand = demand
        self.touched = 0
        self._masks, self._codes, self._frequency, self._held = masks, codes, frequency, leaves.held
        everything = np.arange(len(frequency))
        # All in one, but for several values of a set top.
        values = {a: masks[a].of_leaf[codes[a]] for a in codes if masks[a].splits_all}
        self._partition: Integers = np.zeros(len(frequency), np.int64)
        self._partitions = 1
        for of in values.values():
            present, self._partition = keys.number(
                self._partition * (int(of.max()) + 1) + of, self._partitions * (int(of.max()) + 1)
            )
            self._partitions = len(present)
        self.anonymity = int(np.bincount(self._partition, frequency).min())
        self._parts = {attribute: masks[attribute].part[codes[attribute]] for attribute in codes}
        self._links: dict[int, dict[int, Integers]] = {
            a: {value: np.flatnonzero(values[a] == value) for value in np.unique(values[a]).tolist()}
            if a in values
            else {0: everything}
            for a in codes
        }
        self._smallest = {attribute: np.full(len(masks[attribute].gains), MANY) for attribute in codes}
        self._refused = {attribute: np.zeros(len(masks[attribute].gains), bool) for attribute in codes}
        self._weigh(everything, self._partition, self._partitions, codes)

    @property
    def attributes(self) -> Sequence[int]:
        """The attributes of the quasi-identifier."""
        return list(self._codes)

    def after(self, attribute: int, candidates: Integers) -> Integers:
        """A_x(QID): for each of some candidates of an attribute, the anonymity after this refinement alone."""
        smallest: Integers = np.minimum(self._smallest[attribute][candidates], self.anonymity)
        return smallest

    def allows(self, attribute: int, candidates: Integers) -> NDArray[np.bool_]:
        """For each of some candidates of an attribute, True if every partition satisfies the demand after it."""
        enough: NDArray[np.bool_] = self.after(attribute, candidates) >= self.demand.least_rows
        return enough & ~self._refused[attribute][candidates]

    def refine(self, attribute: int, candidate: int) -> None:
        """Regroup the records of the value refined by a candidate. Its mask must have performed the refinement."""
        mask, codes = self._masks[attribute], self._codes[attribute]
        links = self._links[attribute]
        if mask.splits_all:
            records = links.pop(candidate)
            part, parts = self._parts[attribute][records], mask.parts
        else:
            records = links[0]
            part, parts = (codes[records] == candidate).astype(np.int64), 2
        self.touched += len(records)
        old, before = keys.number(self._partition[records], self._partitions)
        present, after = keys.number(before * parts + part, len(old) * parts)
        counts = np.bincount(after, self._frequency[records])
        self.anonymity = min(self.anonymity, int(counts.min()))
        more = len(present) - len(old)
        numbers = np.concatenate((old, np.arange(self._partitions, self._partitions + more)))
        self._partition[records] = numbers[after]
        self._partitions += more
        if mask.splits_all:
            self._parts[attribute][records] = mask.part[codes[records]]
            self._link(attribute, records, part, parts)
        else:
            links[0] = records[part == 0]
        open = [code for code in self._codes if self._masks[code].candidates.any()]
        self._weigh(records, after, len(present), open)

    def _link(self, attribute: int, records: Integers, part: Integers, parts: int) -> None:
        """Store the records of each value new after a refinement, if the value is a candidate.

        ``part`` has the index of the new value of each record, from 0 up to ``parts``.
        """
        mask = self._masks[attribute]
        order = np.argsort(part.astype(np.min_scalar_type(parts)), kind="stable")
        ends = np.cumsum(np.bincount(part, minlength=parts))[:-1]
        for linked in np.split(records[order], ends):
            if len(linked):
                number = int(mask.of_leaf[self._codes[attribute][linked[0]]])
                if mask.candidates[number]:
                    self._links[attribute][number] = linked

    def _weigh(
        self,
        records: Integers,
        partition: Integers,
        partitions: int,
        attributes: Sequence[int] | Mapping[int, Integers],
    ) -> None:
        """Count the effect of all candidates of some attributes on some partitions (Algorithm 2).

        Updates, per candidate, the smallest partition after it, and if a partition would violate the demand.
        ``partition`` has the partition of each of ``records``, numbered from 0 up to ``partitions``.
        """
        frequency = self._frequency[records]
        weights: Integers = np.zeros(partitions, np.int64)
        weights[partition] = records
        size = np.bincount(partition, frequency, partitions).astype(np.int64)
        pairs_held = {name: values.among(records) for name, values in self._held.items()}
        for attribute in attributes:
            mask, smallest = self._masks[attribute], self._smallest[attribute]
            key = partition * mask.parts + self._parts[attribute][records]
            present, counts = _count(key, frequency, partitions * mask.parts)
            group, part = np.divmod(present, mask.parts)
            if mask.splits_all:
                starts = np.flatnonzero(keys.starts(group))
                value = mask.of_leaf[self._codes[attribute][weights]]
                np.minimum.at(smallest, value, np.minimum.reduceat(counts, starts))
                if pairs_held:
                    violating = self.demand.violates(Grouped(counts, _group(pairs_held, key, mask.parts * partitions)))
                    np.logical_or.at(self._refused[attribute], value, np.logical_or.reduceat(violating, starts))
            else:
                rest = size[group] - counts
                np.minimum.at(smallest, part, np.where(rest > 0, np.minimum(counts, rest), counts))
                if pairs_held:
                    pairs = _group(pairs_held, key, mask.parts * partitions)
                    violating = self.demand.violates(Grouped(counts, pairs))
                    is_violated = self.demand.violates(
                        _of_the_rest(rest, pairs_held, partition, pairs, group, partitions)
                    )
                    np.logical_or.at(self._refused[attribute], part, violating | (is_violated & (rest > 0)))


def _group(pairs_held: Mapping[str, Pairs], key: Integers, values: int) -> dict[str, Pairs]:
    """Merge the pairs of records and sensitive values into pairs of groups and sensitive values, by attribute.

    A group is all records with the same ``key``; groups are numbered in the order of their keys. ``values`` is larger
    than every key.
    """
    _, numbers = keys.number(key, values)
    return {attribute: pairs.regroup(numbers) for attribute, pairs in pairs_held.items()}


def _of_the_rest(
    rest: Integers,
    pairs_held: Mapping[str, Pairs],
    partition: Integers,
    parts: Mapping[str, Pairs],
    group: Integers,
    partitions: int,
) -> GroupValues:
    """For every part of a partition, the sensitive values in the rest of the partition.

    ``group`` has the partition of each part, ``rest`` the number of rows in the partition without the part. A value is
    missing in the rest if no other part of the partition has it. ``pairs_held`` has the values of the records,
    ``parts`` those of the parts. ``partition`` has the partition of each record.
    """

    def values_left(attribute: str) -> Integers:
        part = parts[attribute]
        is_present = part.value < part.values
        owner = group[part.of[is_present]]
        pairs = owner * np.int64(part.values) + part.value[is_present]
        _, inverse, times = np.unique(pairs, return_inverse=True, return_counts=True)
        once = times[inverse] == 1
        whole = np.bincount(owner[np.unique(pairs, return_index=True)[1]], minlength=partitions)
        gone = np.bincount(part.of[is_present][once], minlength=len(group))
        return whole[group] - gone

    def rows_with(attribute: str, value: int) -> Integers:
        of, rows = pairs_held[attribute].among(value)
        whole = np.bincount(partition[of], rows, partitions).astype(np.int64)
        return whole[group] - parts[attribute].rows_with(value, len(group))

    return GroupValues(rest, values_left, rows_with)


def _count(key: Integers, frequency: Floats, values: int) -> tuple[Integers, Integers]:
    """Returns the distinct keys in order, and the number of rows of each.

    Keys are below ``values``. The sums are exact: a table has fewer than 2 ** 53 rows.
    """
    if values <= keys.DENSE * len(key):
        counts = np.bincount(key, frequency, values)
        present = np.flatnonzero(counts)
        return present, counts[present].astype(np.int64)
    distinct, place = keys.number(key, values)
    return distinct, np.bincount(place, frequency, len(distinct)).astype(np.int64)
