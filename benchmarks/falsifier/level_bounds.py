"""Random bounds on the levels of a case's columns: `from`, `to` and `max_suppressed`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Any

from benchmarks.falsifier.bounds import bounded, bounds_of
from benchmarks.falsifier.case import Case, Column
from benchmarks.falsifier.oracle import ONE_STEP, Oracle

# How often a job holds columns between levels, and each of its columns; how seldom what it says of them is refused.
_OFTEN, _EACH, _WRONG = 0.12, 0.6, 0.02


def between(rng: Random, made: Case) -> Case:
    """A case that holds columns between levels of their hierarchies, now and then between some that these lack."""
    if rng.random() > _OFTEN:
        return made
    trees_of = zip(made.quasi_identifiers, Oracle(replace(made, algorithm={"name": "witness"})).built[0], strict=True)
    heights = {column.name: tree.height if tree else 2 for column, tree in trees_of}
    held = replace(made, columns=tuple(_between(rng, made, column, heights) for column in made.columns))
    levels = [bounds for bounds in bounds_of(held).values() if bounds.keys() & {"from", "to"}]
    if levels and rng.random() > _WRONG:
        held = replace(held, besides=tuple(each for each in held.besides if each != "dimensions"))
    if any("to" in bounds for bounds in levels) and not held.qids and rng.random() < 0.5:  # else most are refused
        held = replace(held, suppression=rng.choice(["0.1", "0.25", "0.5", "0.8", "0.999"]))
    return held


def _between(rng: Random, made: Case, column: Column, heights: Mapping[str, int]) -> Column:
    """A column that is perhaps held between levels."""
    if column.name not in heights or rng.random() > _EACH:
        return column
    if column.hierarchy == "numeric" and rng.random() > _WRONG:
        return column
    bounds: dict[str, Any] = {}
    height, forbidden = heights[column.name], made.algorithm["name"] in ONE_STEP or made.refresh or made.against
    if rng.random() < (_WRONG if forbidden else 0.45):
        bounds["from"] = rng.randint(1, height)
    if rng.random() < 0.55:
        bounds["to"] = max(rng.randint(bounds.get("from", 0), height), rng.randint(0, height - 1))
    if ("to" not in bounds or rng.random() < _WRONG) and rng.random() < 0.4:
        bounds["max_suppressed"] = rng.choice(["0", "0.1", "0.3", "0.5", "0.9", "1"])
    if bounds and rng.random() < _WRONG:
        bounds[rng.choice(["from", "to"])] = height + 1
    return replace(column, hierarchy=bounded(column.hierarchy, bounds))
