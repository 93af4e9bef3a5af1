"""The levels that a job allows of a column: what it says of them, and what of that must be refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import replace
from fractions import Fraction
from typing import Any

from benchmarks.falsifier.case import Case
from benchmarks.falsifier.trees import Refusal, parted


def bounded(declared: Any, bounds: Mapping[str, Any]) -> Any:
    """A hierarchy with what is said of its levels, in the place of what was."""
    whole, _ = parted(declared)
    if not bounds:
        return whole
    return {**({whole: True} if isinstance(whole, str) else whole), **bounds}


def bounds_of(case: Case) -> dict[str, dict[str, Any]]:
    """What a job says of the levels of each quasi-identifier."""
    return {column.name: parted(column.hierarchy)[1] for column in case.quasi_identifiers}


def shares_of(case: Case) -> dict[str, Fraction]:
    """The share of the released cells that may be suppressed, of the columns of which a job says one."""
    return {
        name: Fraction(bounds["max_suppressed"])
        for name, bounds in bounds_of(case).items()
        if "max_suppressed" in bounds
    }


def without_shares(case: Case) -> Case:
    """The case without them."""
    columns = []
    for column in case.columns:
        left = {key: given for key, given in parted(column.hierarchy)[1].items() if key != "max_suppressed"}
        columns.append(replace(column, hierarchy=bounded(column.hierarchy, left)))
    return replace(case, columns=tuple(columns))


def refusals(case: Case, *, one_step: bool) -> Iterator[Refusal]:
    """What a job says that is refused when it is read; ``one_step`` algorithms have no levels but a value and ``*``."""
    bounds = bounds_of(case)
    if case.algorithm["name"] == "tdr" and Fraction(case.suppression) and not any("to" in b for b in bounds.values()):
        yield Refusal("JobError", "algorithm tdr does not support requirement.suppression: leave suppression out")
    for column in case.quasi_identifiers:
        held = bounds[column.name]
        if held and parted(column.hierarchy)[0] == "numeric":
            yield Refusal("JobError", "numeric makes ranges from the data and has no levels")
        if {"to", "max_suppressed"} <= held.keys():
            yield Refusal(
                "JobError",
                "with to, no cell becomes the top level that max_suppressed counts: leave max_suppressed out",
            )
        if held.get("from", 0) > held.get("to", held.get("from", 0)):
            yield Refusal("JobError", "from is higher than to: write the lower level first")
        if "from" in held and one_step:
            yield Refusal("JobError", "only keeps a value or replaces it by *, but from forbids the unchanged value: ")
        if "from" in held and case.refresh:
            yield Refusal("JobError", "refresh recognizes rows by their original values, which from removes: ")


def minimal(nodes: Set[tuple[int, ...]]) -> set[tuple[int, ...]]:
    """The nodes beneath which there is none of them."""

    def is_beneath(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
        return one != other and all(low <= high for low, high in zip(one, other, strict=True))

    return {node for node in nodes if not any(is_beneath(other, node) for other in nodes)}
