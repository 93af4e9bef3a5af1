"""Samples of whole groups: nodes are refuted in memory, exactly, without another pass over the rows.

A sample has all rows of some of the value groups of a node. The value groups of any node beneath lie within these, so
every group in the sample is whole: a violation there is a violation. The first sample takes random groups, and counts
the rows of rare values. Later samples take the groups that would be smallest if the attributes were independent: the
violating groups are among them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from starcloak.privacy.requirement import Demand
from starcloak.star import tuples
from starcloak.star.keys import Integers
from starcloak.star.open_nodes import Levels, OpenNodes, sum_up
from starcloak.star.star import GroupSample, RemoteCounts, Star
from starcloak.star.tuples import Tuples

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Tuples of all samples together, about; and what share of a sample the largest value group is expected to be, at most:
# where it has more, a sample is larger or tells less.
_SAMPLED = 1_000_000
_LARGEST = 0.25
_SAMPLES = 6
# Statements that bring value groups that are expected to be small, and how many value groups their nodes have at least,
# so that rare ones can be told apart. There are none where few nodes are open, which are counted as fast, and none
# after one that closed hardly any.
_RARE = 3
_OPEN = 200
_GROUPS = 60
_GAIN = 0.9
# Nodes that are looked at for samples, and between two choices of nodes.
_NODES = 5_000_000
_ROUND = 48


def refuting(
    star: Star,
    distant: RemoteCounts,
    nodes: OpenNodes,
    demand: Demand,
    allowed: int,
    climbs: Sequence[Sequence[Integers]],
) -> Iterator[None]:
    """Close open nodes with more rows to suppress in a sample than are allowed.

    Yields after each statement. No node is marked k-anonymous: a sample gives a lower bound of the suppressed rows.
    """
    if nodes.open.size > _NODES:
        return
    parts = max(1, star.rows * _SAMPLES // _SAMPLED)
    picked = _pick(_product(_largest(star, climbs)) <= _LARGEST / parts, nodes)
    if not picked:
        return
    drawn = _Drawn(distant.sample(dict.fromkeys(picked, parts)), star, nodes, demand, allowed, climbs)
    for levels in picked:
        number: Integers = np.zeros(len(drawn.frequency), np.int64)
        for at, factor in distant.factors(levels):
            number += climbs[at][levels[at]][drawn.codes[at]].astype(np.int64) * factor
        if here := drawn.refute(levels, number % 1_000_003 % parts == 0):
            distant.samples.append(GroupSample(parts, here.groups))
    yield
    if parts == 1 or not len(drawn.frequency):  # the samples had every row; or none, by which rare ones could be told
        return
    usable = _product([[len(np.unique(climb)) for climb in levels] for levels in climbs]) >= _GROUPS
    before: float = np.inf
    for _ in range(_RARE):
        open = nodes.count(nodes.everything)
        if not _OPEN < open < _GAIN * before or not (picked := _pick(usable, nodes)):
            return
        before = open
        for levels in picked:  # not twice
            usable[levels] = False
        share = _SAMPLED / len(picked) / star.rows
        leasts = {levels: _least(distant.weight(levels, drawn.codes), drawn.frequency, share) for levels in picked}
        rare = _Drawn(distant.rare(leasts), star, nodes, demand, allowed, climbs)
        for levels, least in leasts.items():
            rare.refute(levels, distant.weight(levels, rare.codes) >= least)
        yield


class _Drawn:
    """The tuples of several samples, and the nodes they refute."""

    def __init__(
        self,
        columns: Mapping[str, NDArray[Any]],
        star: Star,
        nodes: OpenNodes,
        demand: Demand,
        allowed: int,
        climbs: Sequence[Sequence[Integers]],
    ) -> None:
        self.codes = [columns[f"value_{place}"] for place in range(1, len(star.dimensions) + 1)]
        self.frequency: Integers = columns["frequency"]
        self._nodes, self._demand, self._allowed, self._climbs = nodes, demand, allowed, climbs

    def refute(self, levels: Levels, own: NDArray[np.bool_]) -> Tuples | None:
        """Refute nodes beneath a sample's node by its ``own`` tuples; returns these tuples, if any."""
        if not own.any():
            return None
        nodes, demand, box = self._nodes, self._demand, tuple(slice(0, level + 1) for level in levels)
        inside = np.zeros(nodes.shape, bool)
        inside[box] = True
        local = nodes.among(inside)
        codes = [code[own] for code in self.codes]
        here = Tuples(codes, self.frequency[own], climbs=self._climbs, nodes=local, box=box)
        while local.count(box):
            for node in local.telling_nodes(_ROUND, box):
                local.settle(node, anonymous=here.outliers(node, demand=demand) <= self._allowed)
        nodes.refute(nodes.open[box] & ~local.anonymous[box], box)
        return here


def _least(weight: Integers, frequency: Integers, share: float) -> int:
    """A weight such that at most the given share (0 … 1) of the rows has at least this weight, estimated by a
    sample.
    """
    weights, of = np.unique(-weight, return_inverse=True)
    rows = np.cumsum(np.bincount(of, weights=frequency))
    among = int(np.searchsorted(rows, share * rows[-1], side="right"))
    return int(1 - weights[0]) if not among else int(-weights[among - 1])


def _largest(star: Star, climbs: Sequence[Sequence[Integers]]) -> list[list[float]]:
    """The share of the rows in the largest value group of each attribute alone, by level."""
    largest = []
    for at, dimension in enumerate(star.dimensions):
        alone = star.session.columns(tuples.marginal(star, dimension))
        sizes = (np.bincount(climb[alone["code"]], weights=alone["frequency"]) for climb in climbs[at])
        largest.append([float(rows.max()) / star.rows for rows in sizes])
    return largest


def _product(factors: Sequence[Sequence[float]]) -> NDArray[np.float64]:
    """For every node of the lattice, the product of its levels' factors, by attribute and level."""
    product: NDArray[np.float64] = reduce(np.multiply.outer, [np.asarray(factor, np.float64) for factor in factors])
    return product


def _pick(usable: NDArray[np.bool_], nodes: OpenNodes) -> list[Levels]:
    """A few usable nodes with many open nodes beneath."""
    open = nodes.open.copy()
    picked: list[Levels] = []
    while len(picked) < _SAMPLES and usable.any():
        beneath = sum_up(open.astype(np.int32))
        best = np.unravel_index(int(np.argmax(np.where(usable, beneath, 0))), open.shape)
        if not beneath[best]:
            break
        levels = tuple(int(level) for level in best)
        picked.append(levels)
        open[tuple(slice(0, level + 1) for level in levels)] = False
    return picked
