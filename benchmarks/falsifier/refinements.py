"""Top-Down Refinement (Fung, Wang, Yu 2007), step by step: what each told, and what could have been done instead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log2
from typing import Any

from benchmarks.falsifier.masks import Masks, Value, place
from benchmarks.falsifier.oracle import Oracle
from benchmarks.falsifier.released import holds
from benchmarks.falsifier.trees import Text, Tree, parted
from benchmarks.falsifier.values import same

# Gains and scores that differ by less are equal.
_NEAR = 1e-9

Way = Mapping[Text, Value]  # where leaves of one attribute go by a refinement


@dataclass(frozen=True)
class _Told:
    """What a refinement gains and costs."""

    gain: float
    loss: float
    anonymity: list[int]

    def score(self, criterion: str) -> float:
        return self.gain if criterion == "infogain" else self.gain / (self.loss + 1)


@dataclass(frozen=True)
class _Search:
    oracle: Oracle

    @cached_property
    def classes(self) -> list[Any]:
        """The class of every row."""
        case = self.oracle.case
        return [same(value) for value in case.cells(case.algorithm["class"])]

    @cached_property
    def criterion(self) -> str:
        return str(self.oracle.case.algorithm.get("criterion", "score"))

    def anonymity(self, masks: Masks) -> list[int]:
        """The smallest class of each QID."""
        return [
            min(Counter(tuple(row[place] for place in at) for row in masks.groups).values())
            for at, _ in self.oracle.qids
        ]

    def told(self, masks: Masks, at: int, way: Way) -> _Told:
        """What a refinement of one attribute tells of classes, and what anonymity it costs."""
        parts: dict[Value, Counter[Any]] = {}
        for row, class_ in zip(masks.rows, self.classes, strict=True):
            if row[at] in way:
                parts.setdefault(way[row[at]], Counter())[class_] += 1
        whole = sum(parts.values(), Counter[Any]())
        left = sum(part.total() / whole.total() * _entropy(part) for part in parts.values())
        before, after = self.anonymity(masks), self.anonymity(masks.changed(at, way))
        lost = [one - other for (qid, _), one, other in zip(self.oracle.qids, before, after, strict=True) if at in qid]
        return _Told(_entropy(whole) - left, sum(lost) / len(lost), after)

    def several(self, at: int, leaves: Sequence[Text]) -> bool:
        """Whether the rows of some leaves are of several classes."""
        rows = zip(self.oracle.texts, self.classes, strict=True)
        return len({class_ for row, class_ in rows if row[at] in leaves}) > 1

    def candidates(self, masks: Masks) -> Iterator[tuple[int, Value, list[Way]]]:
        """The beneficial refinements: attribute, value and the ways of it, any of which may be the one tried."""
        for at, (tree, column) in enumerate(zip(self.oracle.trees, self.oracle.case.quasi_identifiers, strict=True)):
            if parted(column.hierarchy)[0] == "suppress":
                yield from self._disclosures(masks, at)
                continue
            for value, leaves in masks.under(at).items():
                if self.several(at, leaves):
                    ways = self._splits(masks, at, tree, leaves) if tree.numeric else _children(tree, value, leaves)
                    if ways:
                        yield at, value, ways

    def _disclosures(self, masks: Masks, at: int) -> Iterator[tuple[int, Value, list[Way]]]:
        masked = masks.under(at).get("*", [])
        if self.oracle.trees[at].height and "*" not in masks.goes[at] and self.several(at, masked):
            for leaf in masked:
                yield at, leaf, [{other: ("disclosed", other) if other == leaf else "*" for other in masked}]

    def _splits(self, masks: Masks, at: int, tree: Tree, leaves: Sequence[Text]) -> list[Way]:
        """The splits of an interval that tell most."""
        places = sorted({place(tree, leaf) for leaf in leaves})
        ways: list[Way] = [{leaf: ("above", place(tree, leaf) >= split) for leaf in leaves} for split in places[1:]]
        gains = [self.told(masks, at, way).gain for way in ways]
        return [way for way, gain in zip(ways, gains, strict=True) if gain > max(gains) - _NEAR]


def _children(tree: Tree, value: Value, leaves: Sequence[Text]) -> list[Way]:
    levels = [level for level in range(tree.height + 1) if all(tree.paths[leaf][level] == value for leaf in leaves)]
    if not levels or not levels[0]:
        return []
    # Values of several levels may read the same: it is one of them, of which some children may have no row.
    return [{leaf: ("child", tree.paths[leaf][level - 1]) for leaf in leaves} for level in levels]


def _entropy(classes: Counter[Any]) -> float:
    rows = classes.total()
    return -sum(count / rows * log2(count / rows) for count in classes.values())


def differences(oracle: Oracle, released: Masks, refinement: Mapping[str, Any]) -> Iterator[str]:
    """Steps that did not do what they tell or were not the best, and what could still be refined in the end."""
    search, steps = _Search(oracle), refinement["steps"]
    if refinement["stopped"] == "max_refinements":
        most = oracle.case.algorithm["max_refinements"]
        if len(steps) != most:
            yield f"refined: {len(steps)} steps where {most} are allowed"
    else:
        for at, value, ways in search.candidates(released):
            if all(oracle.holds(released.changed(at, way).groups, at) for way in ways):
                yield f"maximal: {value!r} of attribute {at} can be refined"
    yield from _replayed(search, released, steps)


def _replayed(search: _Search, released: Masks, steps: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Do the steps again, as far as the texts of their values tell which value each is."""
    oracle = search.oracle
    names = [column.name for column in oracle.case.quasi_identifiers]
    tops = [
        {leaf: tree.paths[leaf][-1] for leaf in goes} for tree, goes in zip(oracle.trees, released.goes, strict=True)
    ]
    masks = Masks(tops, released.rows)
    for number, step in enumerate(steps):
        at = names.index(step["attribute"])
        way = _way(oracle, masks, at, step)
        if way is None:
            return
        told = search.told(masks, at, way)
        expected = (told.gain, told.loss, told.score(search.criterion))
        if (
            any(
                abs(one - other) > _NEAR
                for one, other in zip(
                    expected, (step["information_gain"], step["anonymity_loss"], step["score"]), strict=True
                )
            )
            or told.anonymity != step["anonymity"]
        ):
            yield f"step: {number} tells {step}, counted {expected} and {told.anonymity}"
            return
        for other, value, ways in search.candidates(masks):
            valid = [way for way in ways if oracle.holds(masks.changed(other, way).groups, other)]
            scores = [search.told(masks, other, way).score(search.criterion) for way in valid]
            if len(valid) == len(ways) and min(scores) > step["score"] + _NEAR:
                yield f"step: {number} is of score {step['score']}, but {value!r} of attribute {other} of {min(scores)}"
                return
        masks = masks.changed(at, way)
    if list(map(dict, masks.goes)) != list(map(dict, released.goes)):
        yield "refined: its steps do not lead to the release"


def _way(oracle: Oracle, masks: Masks, at: int, step: Mapping[str, Any]) -> Way | None:
    """Where leaves go by a step; None where the texts of its values do not tell."""
    tree, value, into = oracle.trees[at], step["value"], step["into"]
    suppressed = parted(oracle.case.quasi_identifiers[at].hierarchy)[0] == "suppress"
    if (value in into) != (suppressed and len(into) > 1):
        return None
    way: dict[Text, Value] = {}
    for leaf in masks.under(at).get(value, []):
        if suppressed:
            way[leaf] = leaf if leaf == into[0] else "*"
            continue
        goals = [goal for goal in into if holds(goal, leaf, tree, "tdr")]
        if len(goals) != 1:
            return None
        way[leaf] = goals[0]
    return way if way and not (suppressed and "*" in masks.goes[at]) else None
