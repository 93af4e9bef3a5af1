"""Samples of whole groups: nodes are refuted at home, exactly, without another pass over the rows.

A sample has all rows of some of the value groups of a node. The value groups of any node beneath lie within those, so
that each that is in the sample is there as a whole: what it violates there it violates.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from starcloak.distant import Distant, Sample
from starcloak.privacy.requirement import Demand
from starcloak.search.shared import tuples
from starcloak.search.shared.open_nodes import Box, Levels, OpenNodes
from starcloak.search.shared.tuples import Integers, Tuples
from starcloak.star import Star

# Tuples of all samples together, about; and what share of a sample the largest value group is expected to be, at most.
_SAMPLED = 1_000_000
_LARGEST = 0.25
_SAMPLES = 4
# Nodes that are looked at for samples, and between two choices of nodes.
_NODES = 5_000_000
_ROUND = 48


def refute(
    star: Star, distant: Distant, nodes: OpenNodes, demand: Demand, allowed: int, climbs: Sequence[Sequence[Integers]]
) -> None:
    """Close open nodes whose value groups in a sample have more rows to leave out than are allowed.

    Nothing is marked k-anonymous: a sample tells how many rows are left out at least.
    """
    if nodes.open.size > _NODES:
        return
    parts = max(1, star.rows * _SAMPLES // _SAMPLED)
    picked = _pick(_largest(star, climbs), nodes, most=_LARGEST / parts)
    if not picked:
        return
    drawn = dict.fromkeys(picked, parts)
    columns = distant.sample(drawn)
    codes = [columns[f"value_{place}"] for place in range(1, len(star.dimensions) + 1)]
    for levels in picked:
        number: Integers = np.zeros(len(columns["frequency"]), np.int64)
        for at, factor in distant.factors(levels):
            number += climbs[at][levels[at]][codes[at]].astype(np.int64) * factor
        own = number % 1_000_003 % parts == 0
        if not own.any():
            continue
        box: Box = tuple(slice(0, level + 1) for level in levels)
        local = OpenNodes(star.heights)
        local.open[:] = False
        local.open[box] = nodes.open[box]
        here = Tuples([each[own] for each in codes], columns["frequency"][own], climbs=climbs, nodes=local, box=box)
        distant.samples.append(Sample(levels, parts, here))
        while local.count(box):
            for node in local.telling_nodes(_ROUND, box):
                local.settle(node, anonymous=here.outliers(node, demand=demand) <= allowed)
        nodes.refute(nodes.open[box] & ~local.anonymous[box], box)


def _largest(star: Star, climbs: Sequence[Sequence[Integers]]) -> list[list[float]]:
    """The share of the rows that the largest value group of each attribute alone has, by level."""
    found = []
    for at, dimension in enumerate(star.dimensions):
        alone = star.session.columns(tuples.marginal(star, dimension))
        sizes = (np.bincount(climb[alone["code"]], weights=alone["frequency"]) for climb in climbs[at])
        found.append([float(rows.max()) / star.rows for rows in sizes])
    return found


def _pick(largest: Sequence[Sequence[float]], nodes: OpenNodes, *, most: float) -> list[Levels]:
    """A few nodes with many open nodes beneath, whose largest value group is expected to have ``most`` of the rows.

    That is a share (0 … 1) at most; where it has more, a sample is larger or tells less.
    """
    expected = np.ones(nodes.shape)
    for axis, shares in enumerate(largest):
        expected = expected * np.reshape(shares, [-1 if other == axis else 1 for other in range(expected.ndim)])
    usable = expected <= most
    open = nodes.open.copy()
    picked: list[Levels] = []
    while len(picked) < _SAMPLES and usable.any():
        beneath = open.astype(np.int32)
        for axis in range(open.ndim):
            beneath = np.cumsum(beneath, axis=axis, dtype=np.int32)
        best = np.unravel_index(int(np.argmax(np.where(usable, beneath, 0))), open.shape)
        if not beneath[best]:
            break
        levels = tuple(int(level) for level in best)
        picked.append(levels)
        open[tuple(slice(0, level + 1) for level in levels)] = False
    return picked
