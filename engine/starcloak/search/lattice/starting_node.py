"""The starting node of a local recoding, if the rows of a distant database have too many distinct combinations.

The frequency set of the starting node is loaded into the working store instead of the one over all leaves.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log, prod
from typing import TYPE_CHECKING

import numpy as np

from starcloak.search.sweep.costs import Climbs, Costs
from starcloak.star import remote_star
from starcloak.star.keys import Integers
from starcloak.star.star import Star

if TYPE_CHECKING:
    from starcloak.star.open_nodes import Levels
    from starcloak.star.star import RemoteCounts

# A node of no more value groups than this comes home whatever a sample says; and the tuples of a sample, about.
_SURELY = 1_000_000
_SAMPLED = 1_000_000
_TINY = 1e-9


def cheapest(star: Star, there: RemoteCounts, climbs: Climbs, costs: Costs) -> Levels:
    """Levels of a cheap node with few enough value groups for the working store, as estimated by a sample.

    ``climbs`` has the ancestors of all codes, and ``costs`` the cost of each code, both by attribute and level. A chain
    of cheap steps from the bottom leads to the first node with few enough groups. Then single attributes are lowered
    again, as long as the groups stay few enough.
    """
    sure = _chain(climbs, [[float(cost.mean()) for cost in levels] for levels in costs])[-1]
    if all(level == len(levels) - 1 for level, levels in zip(sure, climbs, strict=True)):
        return sure
    parts = -(-star.combinations // _SAMPLED)
    sample = there.sample({sure: parts})
    codes = [sample[f"value_{place}"] for place in range(1, len(climbs) + 1)]
    if not len(codes[0]):
        return sure

    most = remote_star.at_home(star.session)

    def comes_home(levels: Levels) -> bool:
        return _groups(codes, climbs, levels) * parts <= most

    shares = sample["frequency"] / sample["frequency"].sum()
    means = [[float(shares @ cost[own]) for cost in levels] for own, levels in zip(codes, costs, strict=True)]
    chain = _chain(climbs, means, up_to=sure)
    low, high = 0, len(chain) - 1  # the last one comes home
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if comes_home(chain[middle]) else (middle + 1, high)
    at = list(chain[low])

    def gained(attribute: int) -> float:
        return means[attribute][at[attribute]] - means[attribute][at[attribute] - 1]

    open_ = {attribute for attribute, level in enumerate(at) if level}
    while open_:
        attribute = max(open_, key=gained)
        at[attribute] -= 1
        is_home = comes_home(tuple(at))
        at[attribute] += not is_home
        if not (is_home and at[attribute]):
            open_.remove(attribute)
    return tuple(at)


def _chain(climbs: Climbs, means: Sequence[Sequence[float]], *, up_to: Levels | None = None) -> list[Levels]:
    """The nodes of a chain from the bottom node, up to ``up_to`` or to the first node with at most a million groups.

    Each step raises one attribute by a level: the one with the least additional cost per reduction of its number of
    values (as a logarithm). ``means`` has the mean cost by attribute and level.
    """
    values = [[len(np.unique(level)) for level in levels] for levels in climbs]
    ends = up_to or tuple(len(levels) - 1 for levels in climbs)
    at = [0] * len(climbs)
    chain: list[Levels] = [tuple(at)]

    def price(attribute: int) -> float:
        level = at[attribute]
        fewer = log(values[attribute][level] / values[attribute][level + 1])
        return (means[attribute][level + 1] - means[attribute][level]) / max(fewer, _TINY)

    while tuple(at) != ends:
        if up_to is None and prod(own[level] for own, level in zip(values, at, strict=True)) <= _SURELY:
            break
        at[min((place for place, level in enumerate(at) if level < ends[place]), key=price)] += 1
        chain.append(tuple(at))
    return chain


def _groups(codes: list[Integers], climbs: Climbs, levels: Levels) -> int:
    """Number of value groups at a node, among the tuples with these codes (an array per attribute)."""
    groups: Integers = np.zeros(len(codes[0]), np.int64)
    for own, ancestors in zip(codes, (climb[level] for climb, level in zip(climbs, levels, strict=True)), strict=True):
        _, numbers = np.unique(ancestors[own], return_inverse=True)
        _, groups = np.unique(groups * (int(numbers.max()) + 1) + numbers, return_inverse=True)
    return int(groups.max()) + 1
