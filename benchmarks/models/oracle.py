"""Every privacy model in plain Python and fractions, on how many rows of a class have each sensitive value."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from benchmarks.falsifier import privacy

Counts = Mapping[str | None, int]


def holds(key: str, model: Mapping[str, Any], counts: Counts, table: Counts) -> bool:
    """Whether a class satisfies a model in a table: MODELS by their definitions, nothing of the engine."""
    if key == "k":
        return sum(counts.values()) >= int(model["k"])
    present = privacy.looks_at_present(key, model)
    if key == "p_sensitive" or (key == "l_diversity" and model.get("kind") is None):
        least = int(model["p" if key == "p_sensitive" else "l"])
        return sum(rows > 0 for value, rows in counts.items() if value is not None or not present) >= least
    if key == "alpha" and model.get("values") is not None:
        counted = sum(rows for value, rows in counts.items() if value is not None or not present)
        most = Fraction(model["alpha"]) * counted
        return bool(counted) and all(counts.get(value, 0) <= most for value in model["values"])
    return privacy.holds(key, model, counts, table)


def holds_within(key: str, model: Mapping[str, Any], rows: int, people: int) -> bool:
    """Whether a class of so many rows, and people of the population, satisfies a model within it.

    Without rows it is none of the table's, and without people none at all.
    """
    if key == "k_map":
        return not rows or people >= int(model["k"])
    return not people or Fraction(model["min"]) <= Fraction(rows, people) <= Fraction(model["max"])
