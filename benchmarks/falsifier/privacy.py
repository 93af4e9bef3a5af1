"""Privacy models of what a class tells of a sensitive column: drawn, and held against rows in plain numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from random import Random
from typing import Any

Counts = Mapping[Any, int]

_KINDS: dict[str, tuple[str, dict[str, Any], str, list[Any]]] = {
    "entropy": ("l_diversity", {"kind": "entropy"}, "l", ["1.2", "1.5", "2", "2.5"]),
    "recursive": ("l_diversity", {"kind": "recursive", "l": 2}, "c", ["1", "1.5", "3", "20"]),
    "alpha": ("alpha", {}, "alpha", ["0.34", "0.5", "0.75", "0.9"]),
    "beta": ("beta_likeness", {}, "beta", ["0.5", "1", "3"]),
    "enhanced": ("beta_likeness", {"enhanced": True}, "beta", ["1", "3"]),
    "delta": ("delta_disclosure", {}, "delta", ["1", "1.5", "4"]),
    "values": ("p_sensitive", {}, "p", [2, 3]),
    "equal": ("t_closeness", {}, "t", ["0", "0.2", "0.25", "0.5"]),
}


def drawn(rng: Random, attribute: str) -> tuple[str, dict[str, Any]]:
    """A model of a sensitive column, by its key."""
    key, fixed, parameter, values = _KINDS[rng.choice(list(_KINDS))]
    return key, {**fixed, "attribute": attribute, parameter: rng.choice(values)}


def holds(key: str, model: Mapping[str, Any], counts: Counts, table: Counts) -> bool:
    """Whether a class of so many rows per value satisfies a model, the missing value being one."""
    size, whole = sum(counts.values()), sum(table.values())
    here = {value: Fraction(counts.get(value, 0), size) for value in table}
    there = {value: Fraction(rows, whole) for value, rows in table.items()}
    if key == "l_diversity" and model["kind"] == "entropy":
        return _entropy(list(counts.values()), Fraction(model["l"]))
    if key == "l_diversity":
        ordered = sorted(counts.values(), reverse=True)
        return ordered[0] < Fraction(model["c"]) * sum(ordered[model["l"] - 1 :])
    if key == "p_sensitive":
        return sum(rows > 0 for value, rows in counts.items() if value is not None) >= int(model["p"])
    if key == "alpha":
        return max(here.values()) <= Fraction(model["alpha"])
    if key == "t_closeness":
        return sum(max(here[value] - there[value], Fraction(0)) for value in table) <= Fraction(model["t"])
    ratios = [(here[value] / there[value], there[value]) for value in table]
    if key == "delta_disclosure":
        power = Fraction(model["delta"])
        return all(ratio > 0 and max(ratio, 1 / ratio) ** power.denominator < 2**power.numerator for ratio, _ in ratios)
    gain = Fraction(model["beta"])
    if any(ratio - 1 > gain for ratio, _ in ratios):
        return False
    return not model.get("enhanced") or all(ratio <= 1 or _within(ratio - 1, share) for ratio, share in ratios)


def violating(
    models: Sequence[tuple[str, Mapping[str, Any]]],
    cells: Mapping[str, Sequence[Any]],
    groups: Sequence[Sequence[int]],
) -> list[list[int]]:
    """The places of groups that violate each model: ``cells`` are those of columns by row, ``groups`` the rows."""
    found = []
    for key, model in models:
        column = cells[str(model["attribute"])]
        counts = [Counter(column[row] for row in group) for group in groups]
        table = sum(counts, Counter[Any]())
        found.append([place for place, each in enumerate(counts) if not holds(key, model, each, table)])
    return found


def violated(
    models: Sequence[tuple[str, Mapping[str, Any]]],
    cells: Mapping[str, Sequence[Any]],
    groups: Sequence[Sequence[int]],
) -> list[str]:
    """The models that a group violates."""
    places = violating(models, cells, groups)
    return [f"{key} {dict(model)}" for (key, model), found in zip(models, places, strict=True) if found]


def _entropy(counts: list[int], least: Fraction) -> bool:
    size, product = sum(counts), 1
    for count in counts:
        product *= count**count
    return bool(product * least.numerator**size <= size**size * least.denominator**size)


def _within(gain: Fraction, share: Fraction) -> bool:
    """Whether a gain is at most -ln of a share; they are never equal where both are positive."""
    with localcontext(prec=60):
        logarithm = Decimal(share.denominator).ln() - Decimal(share.numerator).ln()
        return Decimal(gain.numerator) / gain.denominator < logarithm
