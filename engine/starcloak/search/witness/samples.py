"""Samples of complete value groups from a distant database, to refute nodes in memory.

A sample has all rows of some value groups of a node. At any node beneath, each value group is part of one of these, so
the sample has all of its rows or none: a violation in the sample is a violation in the table. The first samples have
random groups. Later samples have the groups expected to be smallest if attributes were independent: violating groups
are most likely among these.
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
    """Refute open nodes with more rows to suppress in a sample than ``allowed``.

    A generator: it yields after each statement in the database. No node is marked k-anonymous: a sample gives only a
    lower bound of the suppressed rows. ``climbs`` has the ancestor of every code, by attribute and level.
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
    """The tuples of several samples, as arrays, to refute nodes of ``nodes``."""

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
        """Refute nodes beneath a sample's node (``levels``) by the tuples of the sample.

        ``own`` marks these tuples among the tuples of all samples. Returns them; None without any.
        """
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
    """The lowest weight with at most ``share`` (0 … 1) of the rows at or above this weight, estimated by a sample.

    ``weight`` and ``frequency`` are the weight and number of rows of each tuple of the sample.
    """
    weights, of = np.unique(-weight, return_inverse=True)
    rows = np.cumsum(np.bincount(of, weights=frequency))
    among = int(np.searchsorted(rows, share * rows[-1], side="right"))
    return int(1 - weights[0]) if not among else int(-weights[among - 1])


def _largest(star: Star, climbs: Sequence[Sequence[Integers]]) -> list[list[float]]:
    """The share of the rows with an attribute's most frequent value (0 … 1), by attribute and level."""
    largest = []
    for at, dimension in enumerate(star.dimensions):
        alone = star.session.columns(tuples.marginal(star, dimension))
        sizes = (np.bincount(climb[alone["code"]], weights=alone["frequency"]) for climb in climbs[at])
        largest.append([float(rows.max()) / star.rows for rows in sizes])
    return largest


def _product(factors: Sequence[Sequence[float]]) -> NDArray[np.float64]:
    """An array with a number per node of the lattice: the product of the factors of its levels.

    ``factors`` has a factor by attribute and level.
    """
    product: NDArray[np.float64] = reduce(np.multiply.outer, [np.asarray(factor, np.float64) for factor in factors])
    return product


def _pick(usable: NDArray[np.bool_], nodes: OpenNodes) -> list[Levels]:
    """Up to six of the ``usable`` nodes, each with the most open nodes beneath, except those beneath an earlier one."""
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
