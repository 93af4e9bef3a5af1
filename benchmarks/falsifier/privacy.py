"""Privacy models of what a class tells of a sensitive column: drawn, and held against rows in plain numbers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import ceil
from random import Random
from typing import Any

from benchmarks.falsifier import hierarchies, trees
from benchmarks.falsifier.trees import Refusal, Text

Counts = Mapping[Any, int]
# Models that compare a class with a whole.
COMPARING = ("t_closeness", "beta_likeness", "delta_disclosure")
# Models that a value violates which all persons of a class have: it is learned of each of them.
DIVERSE = ("l_diversity", "p_sensitive")

_KINDS: dict[str, tuple[str, dict[str, Any], str, list[Any]]] = {
    "entropy": ("l_diversity", {"kind": "entropy"}, "l", ["1.2", "1.5", "2", "2.5"]),
    "recursive": ("l_diversity", {"kind": "recursive", "l": 2}, "c", ["1", "1.5", "3", "20"]),
    "alpha": ("alpha", {}, "alpha", ["0.34", "0.5", "0.75", "0.9"]),
    "beta": ("beta_likeness", {}, "beta", ["0.5", "1", "3"]),
    "enhanced": ("beta_likeness", {"enhanced": True}, "beta", ["1", "3"]),
    "delta": ("delta_disclosure", {}, "delta", ["1", "1.5", "4"]),
    "values": ("p_sensitive", {}, "p", [2, 3]),
    "equal": ("t_closeness", {}, "t", ["0", "0.2", "0.25", "0.5"]),
    "ordered": ("t_closeness", {"distance": "ordered"}, "t", ["0", "0.1", "0.2", "0.25", "0.5"]),
    "hierarchical": ("t_closeness", {"distance": "hierarchical"}, "t", ["0", "0.1", "0.25", "0.5"]),
}


def drawn(rng: Random, attribute: str, texts: Sequence[Text]) -> tuple[str, dict[str, Any]]:
    """A model of a sensitive column, whose values read so, by its key."""
    key, fixed, parameter, values = _KINDS[rng.choice(list(_KINDS))]
    model = {**fixed, "attribute": attribute, parameter: rng.choice(values)}
    if rng.random() < 0.3:
        model["missing"] = rng.choice(["none", "value"])
    if fixed.get("distance") == "hierarchical":
        model["hierarchy"] = {"tree": hierarchies.tree(rng, texts)}
    if key == "alpha" and rng.random() < 0.5:
        known = [text for text in texts if text is not None]
        if known:
            model["values"] = rng.sample(known, rng.randint(1, min(3, len(known))))
    numeric = all(text is not None and _exact(text) is not None for text in texts)
    if fixed.get("distance") == "ordered" and rng.random() < (0.3 if numeric else 0.97):
        order = [*dict.fromkeys([*texts, *rng.sample([None, "never seen"], rng.randint(0, 2))])]
        rng.shuffle(order)
        model["order"] = order[1:] if len(order) > 1 and rng.random() < 0.03 else order or ["never seen"]
    return key, model


def refusals(model: Mapping[str, Any], texts: Sequence[Text]) -> list[Refusal]:
    """Why values, as they read, have no distances for a model."""
    if model.get("missing") == "none":
        texts = [text for text in texts if text is not None]
    if "hierarchy" in model:
        return trees.build(model["hierarchy"], "text", texts)[1]
    if model.get("distance") != "ordered":
        return []
    if "order" in model:
        known = set(texts) <= set(model["order"])
        return [] if known else [Refusal("JobError", " of its values are not in the order: name every value")]
    numbers = [None if text is None else _exact(text) for text in texts]
    if None in numbers:
        return [Refusal("JobError", "some values are not numbers: give order")]
    if len(set(numbers)) < len(numbers):
        return [Refusal("JobError", "different texts stand for the same number")]
    return []


def looks_at_present(key: str, model: Mapping[str, Any]) -> bool:
    """Whether a missing value is none to a model: to those of diversity, unless it says otherwise."""
    return bool(model.get("missing", "value" if key in COMPARING else "none") == "none")


def least_rows(model: Mapping[str, Any]) -> int:
    """How many rows a class that satisfies a model has at least, by its l, p or alpha."""
    if "alpha" in model and "values" not in model:
        return ceil(1 / Fraction(model["alpha"]))
    return ceil(Fraction(str(model.get("l", model.get("p", 1)))))


def holds(key: str, model: Mapping[str, Any], counts: Counts, table: Counts) -> bool:
    """Whether a class of so many rows per value satisfies a model."""
    if looks_at_present(key, model):
        counts, table = ({value: rows for value, rows in each.items() if value is not None} for each in (counts, table))
        if not any(counts.values()):
            return False
    size, whole = sum(counts.values()), sum(table.values())
    here = {value: Fraction(counts.get(value, 0), size) for value in table}
    there = {value: Fraction(rows, whole) for value, rows in table.items()}
    if key == "l_diversity" and model["kind"] == "entropy":
        return _entropy(list(counts.values()), Fraction(model["l"]))
    if key == "l_diversity":
        ordered = sorted(counts.values(), reverse=True)
        return ordered[0] < Fraction(model["c"]) * sum(ordered[model["l"] - 1 :])
    if key == "p_sensitive":
        return sum(rows > 0 for rows in counts.values()) >= int(model["p"])
    if key == "alpha":
        named = model.get("values", here)
        return max(here.get(value, Fraction(0)) for value in named) <= Fraction(model["alpha"])
    if key == "t_closeness":
        return moved(model, counts, table) <= Fraction(model["t"])
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
    source: Mapping[str, Counts] | None = None,
    whose: Sequence[Any] | None = None,
) -> list[list[int]]:
    """The places of groups that violate each model: ``cells`` are those of columns by row, ``groups`` the rows.

    Classes are compared with all groups together, or with the ``source`` by columns, if it is given. Where it is told
    ``whose`` each row is, a person counts once for each value in a class.
    """
    found = []
    for key, model in models:
        column = cells[str(model["attribute"])]
        counts = [_counted(column, group, whose) for group in groups]
        table = sum(counts, Counter[Any]()) if source is None else source[str(model["attribute"])]
        held = [(key == "alpha" and whose is not None) or holds(key, model, each, table) for each in counts]
        if whose is not None and key in (*DIVERSE, "alpha"):
            pairs = [{(column[row], whose[row]) for row in group} for group in groups]
            held = [each and _hides(key, model, those) for each, those in zip(held, pairs, strict=True)]
        found.append([place for place, each in enumerate(held) if not each])
    return found


def shared(pairs: Set[tuple[Any, Any]]) -> bool:
    """Whether all persons who have a value have one in common, by pairs of a value and a person."""
    persons = {person for _, person in pairs}
    return any({person for other, person in pairs if other == value} == persons for value, _ in pairs)


def _hides(key: str, model: Mapping[str, Any], pairs: Set[tuple[Any, Any]]) -> bool:
    """Whether a class's persons share no value or, for alpha, whether none is that of more than a share of them."""
    if looks_at_present(key, model):
        pairs = {(value, person) for value, person in pairs if value is not None}
    if key in DIVERSE:
        return not shared(pairs)
    counts, persons = Counter(value for value, _ in pairs), {person for _, person in pairs}
    most = Fraction(model["alpha"]) * len(persons)
    return bool(persons) and all(counts[value] <= most for value in model.get("values", counts))


def violated(
    models: Sequence[tuple[str, Mapping[str, Any]]],
    cells: Mapping[str, Sequence[Any]],
    groups: Sequence[Sequence[int]],
    source: Mapping[str, Counts] | None = None,
    whose: Sequence[Any] | None = None,
) -> list[str]:
    """The models that a group violates."""
    places = violating(models, cells, groups, source, whose)
    return [f"{key} {dict(model)}" for (key, model), found in zip(models, places, strict=True) if found]


def _counted(column: Sequence[Any], group: Sequence[int], whose: Sequence[Any] | None) -> Counter[Any]:
    """How often a group has which values: in its rows, or its persons."""
    if whose is None:
        return Counter(column[row] for row in group)
    return Counter(value for value, _ in {(column[row], whose[row]) for row in group})


def moved(model: Mapping[str, Any], counts: Counts, table: Counts) -> Fraction:
    """The earth mover's distance between a class and the table: how much is moved how far."""
    size, whole = sum(counts.values()), sum(table.values())
    extra = {value: Fraction(counts.get(value, 0), size) - Fraction(rows, whole) for value, rows in table.items()}
    if model.get("distance") == "ordered":
        places = {value: place for place, value in enumerate(model.get("order") or sorted(extra, key=Decimal))}
        ordered = sorted(extra, key=lambda value: places[value])
        steps = accumulate(extra[value] for value in ordered)
        return sum(map(abs, steps), Fraction(0)) / max(len(extra) - 1, 1)
    if model.get("distance") == "hierarchical":
        return _climbed(_paths(json.dumps(model["hierarchy"])), extra)
    return sum((max(each, Fraction(0)) for each in extra.values()), Fraction(0))


def _climbed(paths: Mapping[Text, Sequence[Text]], extra: Mapping[Any, Fraction]) -> Fraction:
    """The same in a hierarchy: at every node what its children have too much goes to those that have too little."""
    height = len(next(iter(paths.values()))) - 1
    cost = Fraction(0)
    for level in range(1, height + 1):
        children: dict[Text, dict[Text, Fraction]] = {}
        for value, more in extra.items():
            of = children.setdefault(paths[value][level], {})
            below = paths[value][level - 1]
            of[below] = of.get(below, Fraction(0)) + more
        for each in children.values():
            much = sum((more for more in each.values() if more > 0), Fraction(0))
            little = -sum((more for more in each.values() if more < 0), Fraction(0))
            cost += Fraction(level, height) * min(much, little)
    return cost


@lru_cache(maxsize=8)
def _paths(hierarchy: str) -> Mapping[Text, Sequence[Text]]:
    built, _ = trees.build(json.loads(hierarchy), "text", [])
    return {} if built is None else built.paths


def _exact(text: str) -> Decimal | None:
    """A text as a number that Python reads, if it is one; that may have millions of digits."""
    try:
        number = Decimal(text)
    except ArithmeticError:
        return None
    return number if number.is_finite() else None


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
