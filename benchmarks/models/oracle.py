"""Every privacy model in plain Python and fractions, on how many rows of a class have each sensitive value."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from benchmarks.falsifier import privacy

Counts = Mapping[str | None, int]
#: What each value reads at every level of a hierarchy, itself first.
Lines = Mapping[str | None, tuple[str | None, ...]]


def holds(key: str, model: Mapping[str, Any], counts: Counts, table: Counts, lines: Lines) -> bool:
    """Whether a class satisfies a model in a table: MODELS by their definitions, nothing of the engine."""
    if key == "k":
        return sum(counts.values()) >= int(model["k"])
    if key == "p_sensitive" or (key == "l_diversity" and model.get("kind") is None):
        least = int(model["p" if key == "p_sensitive" else "l"])
        return sum(rows > 0 and value is not None for value, rows in counts.items()) >= least
    if key == "alpha" and model.get("values") is not None:
        most = Fraction(model["alpha"]) * sum(counts.values())
        return all(counts.get(value, 0) <= most for value in model["values"])
    if key == "t_closeness" and model.get("distance", "equal") != "equal":
        return moved(model, counts, table, lines) <= Fraction(model["t"])
    return privacy.holds(key, model, counts, table)


def holds_within(key: str, model: Mapping[str, Any], rows: int, people: int) -> bool:
    """Whether a class of so many rows, and people of the population, satisfies a model within it.

    Without rows it is none of the table's, and without people none at all.
    """
    if key == "k_map":
        return not rows or people >= int(model["k"])
    return not people or Fraction(model["min"]) <= Fraction(rows, people) <= Fraction(model["max"])


def moved(model: Mapping[str, Any], counts: Counts, table: Counts, lines: Lines) -> Fraction:
    """The earth mover's distance between a class and the table."""
    here, there = sum(counts.values()), sum(table.values())
    extra = {value: Fraction(counts.get(value, 0), here) - Fraction(rows, there) for value, rows in table.items()}
    if model["distance"] == "ordered":
        known = (
            [value for value in model["order"] if value in extra] if "order" in model else sorted(extra, key=_number)
        )
        sums = (abs(sum((extra[value] for value in known[: place + 1]), Fraction(0))) for place in range(len(known)))
        return sum(sums, Fraction(0)) / max(len(known) - 1, 1)
    height, cost = len(next(iter(lines.values()))) - 1, Fraction(0)
    for level in range(1, height + 1):
        children: dict[tuple[str | None, ...], dict[tuple[str | None, ...], Fraction]] = defaultdict(dict)
        for value, more in extra.items():
            beneath = children[lines[value][level:]]
            child = lines[value][level - 1 :]
            beneath[child] = beneath.get(child, Fraction(0)) + more
        for beneath in children.values():
            gained = sum((each for each in beneath.values() if each > 0), Fraction(0))
            lost = -sum((each for each in beneath.values() if each < 0), Fraction(0))
            cost += Fraction(level, height) * min(gained, lost)
    return cost


def _number(value: str | None) -> Fraction:
    return Fraction(value or 0)
