"""Tiny tables of one sensitive attribute, and tiny populations, drawn at random; models whose bounds they meet."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import Any

import numpy as np

from benchmarks.falsifier import privacy
from benchmarks.models import oracle
from starcloak.job import load_requirement
from starcloak.privacy.aggregates import PEOPLE, Domain
from starcloak.privacy.groups import Grouped, Pairs
from starcloak.privacy.model import Model, ValueHierarchies

ATTRIBUTE = "illness"
Class = tuple[int, ...]
#: How many rows a class has, and how many people of the population.
Peopled = tuple[int, int]

_NUMBERS = ("1", "2", "10", "-3", "2.5", "20")
_WORDS = ("a", "B", "b", "é", "", "10")
#: Every model but k: how it is asked for, what of it is drawn, and from what.
KINDS: dict[str, tuple[str, dict[str, Any], str, Sequence[Any]]] = {
    "distinct l": ("l_diversity", {}, "l", (2, 3, 4)),
    "p-sensitive": ("p_sensitive", {}, "p", (2, 3)),
    "entropy l": ("l_diversity", {"kind": "entropy"}, "l", ("1.5", "2", "2.5", "3")),
    "recursive": ("l_diversity", {"kind": "recursive"}, "c", ("0.5", "1", "1.5", "2", "3", "9")),
    "alpha": ("alpha", {}, "alpha", ("0.25", "0.3", "0.5", "0.6", "0.75", "0.8")),
    "alpha of named values": ("alpha", {}, "alpha", ("0.2", "0.25", "0.5")),
    "t, equal": ("t_closeness", {}, "t", ("0", "0.1", "0.125", "0.2", "0.25", "0.5")),
    "t, ordered": ("t_closeness", {"distance": "ordered"}, "t", ("0", "0.1", "0.125", "0.2", "0.25")),
    "t, by number": ("t_closeness", {"distance": "ordered"}, "t", ("0", "0.1", "0.125", "0.2", "0.25")),
    "t, hierarchical": ("t_closeness", {"distance": "hierarchical"}, "t", ("0", "0.1", "0.125", "0.25", "0.5")),
    "beta": ("beta_likeness", {}, "beta", ("0.25", "0.5", "1", "2", "3")),
    "enhanced beta": ("beta_likeness", {"enhanced": True}, "beta", ("0.5", "1", "3")),
    "delta": ("delta_disclosure", {}, "delta", ("0.5", "1", "1.5", "2", "3")),
}
#: The models of a class within its population, by their keys.
WITHIN = {"k-map": "k_map", "delta-presence": "delta_presence"}


@dataclass(frozen=True)
class Whole:
    """The rows of a table, as how many have each of its ``values``, the missing one last; and its tree."""

    values: tuple[str | None, ...]
    totals: Class
    lines: Mapping[str | None, tuple[str | None, ...]]
    tree: Mapping[str, Any]

    @property
    def table(self) -> dict[str | None, int]:
        return dict(zip(self.values, self.totals, strict=True))

    def counts(self, class_: Class) -> dict[str | None, int]:
        """How many rows of a class have each value."""
        return {value: rows for value, rows in zip(self.values, class_, strict=True) if rows}

    @cached_property
    def missing(self) -> bool:
        return self.values[-1] is None

    def over(self, model: Model, totals: Class | None = None) -> Model:
        """A model over the table."""
        names = model.hierarchies if isinstance(model, ValueHierarchies) else ()
        trees = {name: tuple(self.lines[value] for value in self.values) for name in names}
        return model.over(Domain(ATTRIBUTE, totals or self.totals, self.missing, self.values, trees))

    def grouped(self, classes: Sequence[Class]) -> Grouped:
        """Classes as searches have them at hand."""
        counts = np.array(classes, np.int64)
        of, value = np.nonzero(counts)
        pairs = Pairs(of, value, len(self.values) - self.missing, counts[of, value])
        return Grouped(counts.sum(axis=1), {ATTRIBUTE: pairs})


@dataclass(frozen=True)
class Asked:
    """A model by its ``kind``: as a job has it, and as the engine reads that; whether a class ``meets`` its bound."""

    kind: str
    key: str
    given: Mapping[str, Any]
    model: Model
    meets: bool

    def holds(self, whole: Whole, class_: Class) -> bool:
        """What plain Python says of a class."""
        return oracle.holds(self.key, self.given, whole.counts(class_), whole.table)


def whole(rng: Random, *, numbers: bool) -> Whole:
    """A table of 2 to 24 rows and up to five values."""
    count = rng.choice((1, 2, 2, 3, 3, 4, 4, 5, 5))
    values: list[str | None] = [*rng.sample(_NUMBERS if numbers else _WORDS, count)]
    if not numbers and rng.random() < 0.4:
        values[-1] = None
    totals = [rng.choice((1, 1, 2, 2, 3, 4, 6)) for _ in values]
    totals[0] += max(0, 2 - sum(totals))
    nodes = {value: f"node {rng.randint(1, 3)}" for value in values}
    uppers = {node: f"upper {rng.randint(1, 2)}" for node in sorted(set(nodes.values()))}
    tree: dict[str, dict[str, list[str | None]]] = {}
    for value, node in nodes.items():
        tree.setdefault(uppers[node], {}).setdefault(node, []).append(value)
    lines = {value: (value, node, uppers[node], "*") for value, node in nodes.items()}
    return Whole(tuple(values), tuple(totals), lines, tree)


def classes(rng: Random, of: Whole) -> list[Class]:
    """The rows of a table, put into up to six classes: at random, or dealt so that they are much alike."""
    rows = [place for place, total in enumerate(of.totals) for _ in range(total)]
    count = rng.randint(1, min(6, len(rows)))
    if rng.random() < 0.5:
        places = [at % count for at in range(len(rows))]
        places[rng.randrange(len(rows))] = rng.randrange(count)
    else:
        rng.shuffle(rows)
        places = [rng.randrange(count) for _ in rows]
    found = [Counter(row for row, at in zip(rows, places, strict=True) if at == each) for each in range(count)]
    return [tuple(each[place] for place in range(len(of.totals))) for each in found if each]


def asked(rng: Random, kind: str, of: Whole, met: Class) -> Asked:
    """A model of a kind; its bound is often exactly what a class ``met`` has."""
    key, fixed, parameter, choices = KINDS[kind]
    given: dict[str, Any] = {"attribute": ATTRIBUTE, **fixed, parameter: rng.choice(choices)}
    if rng.random() < 0.3:
        given["missing"] = rng.choice(("none", "value"))
    if kind == "recursive":
        given["l"] = rng.randint(2, 3)
    if kind == "alpha of named values":
        named = [value for value in of.values if value is not None]
        given["values"] = rng.sample(named, rng.randint(1, len(named))) or ["a"]
    if kind == "t, ordered":
        given["order"] = rng.sample([*of.values, "of no row"], len(of.values) + 1)
    if kind == "t, hierarchical":
        given["hierarchy"] = {"tree": of.tree}
    exact = _exactly(kind, given, of, met)
    meets = exact is not None and rng.random() < 0.5
    if meets:
        given[parameter] = exact
    (model,) = load_requirement({"k": 1, key: [json.loads(json.dumps(given))]}).models
    return Asked(kind, key, given, model, meets)


def peopled(rng: Random) -> list[Peopled]:
    """Up to six classes of a population: nobody of one, some of it, or everybody is in the table."""
    people = [rng.choice((0, 1, 1, 2, 3, 4, 5, 7, 8, 10, 20)) for _ in range(rng.randint(1, 6))]
    return [(rng.choice((0, rng.randint(0, most), most)), most) for most in people]


def beside(classes: Sequence[Peopled]) -> Grouped:
    """Classes beside their population, as searches have them at hand."""
    rows, people = np.array(classes, np.int64).reshape(-1, 2).T
    every = np.arange(len(rows))
    return Grouped(rows, {PEOPLE.attribute: Pairs(every, np.zeros(len(rows), np.int64), 1, people)})


def within(rng: Random, kind: str, classes: Sequence[Peopled]) -> Asked:
    """A model of a kind within a population; its bounds are often what classes have, exactly or nearly."""
    given: dict[str, Any]
    if kind == "k-map":
        given = {"k": max(1, rng.choice(classes)[1] + rng.choice((0, 0, 1)))}
        meets = any(rows and people == given["k"] for rows, people in classes)
    else:
        met = [Fraction(rows, people) for rows, people in classes if 0 < rows < people] or [Fraction(1, 2)]
        shares = [rng.choice([*met, Fraction(rng.randint(0, 1))]) for _ in range(2)]
        least, most = sorted(f"{float(share):.{rng.choice((1, 6, 12))}f}" for share in shares)
        given = {"min": rng.choice(("0", least)), "max": most}
        bounds = [Fraction(bound) for bound in given.values()]
        meets = any(rows and Fraction(rows, people) in bounds for rows, people in classes)
    key = WITHIN[kind]
    (model,) = load_requirement({"k": 1, key: [given]}).models
    return Asked(kind, key, given, model, meets)


def _exactly(kind: str, given: Mapping[str, Any], of: Whole, class_: Class) -> str | None:
    """What a class has of a model, where few decimals tell it exactly."""
    size, whole_ = sum(class_), sum(of.totals)
    shares = [(Fraction(rows, size), Fraction(total, whole_)) for rows, total in zip(class_, of.totals, strict=True)]
    found: Fraction | None = None
    if kind == "alpha":
        found = max(here for here, _ in shares)
    elif kind.startswith("t, "):
        found = privacy.moved(given, of.counts(class_), of.table)
    elif kind in ("beta", "enhanced beta"):
        found = max(here / there - 1 for here, there in shares)
    elif kind == "recursive":
        ordered = sorted(class_, reverse=True)
        rest = sum(ordered[given["l"] - 1 :])
        found = Fraction(ordered[0], rest) if rest else None
    if found is None or (found <= 0 and not kind.startswith("t, ")):
        return None
    rest_, digits = found.denominator, 0
    while digits < 6 and rest_ != 1 and (rest_ % 2 == 0 or rest_ % 5 == 0):
        rest_ = rest_ // 2 if rest_ % 2 == 0 else rest_ // 5
        digits += 1
    return f"{float(found):.6f}" if rest_ == 1 and 10**6 % found.denominator == 0 else None
