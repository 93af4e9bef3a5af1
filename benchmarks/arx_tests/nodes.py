"""Suppression and costs of one node under the models of a case, by the metrics of ARX and brute force."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.arx_tests.cases import COLUMNS, Parameters
from benchmarks.arx_tests.tables import Floats, Integers, Levels, Table

Marks = NDArray[np.bool_]
Metric = float | tuple[float, ...]

#: The order in which ARX asks models: the first that is violated too often ends the check.
_COSTS = {"k": 0, "estimated k-map": 0, "k-map": 0, "delta presence": 0, "t": 3, "recursive l": 2}


class Node:
    """The classes of a table at a node: ``sizes``, ``held`` rows by sensitive value, ``people`` of the population."""

    def __init__(self, table: Table, levels: Levels) -> None:
        self.table, self.levels = table, levels
        key = np.zeros(len(table.leaves), np.int64)
        self._values = []
        for column, level in enumerate(levels):
            climb = table.climbs[column][level]
            values = climb[table.leaves[:, column]]
            self._values.append(values)
            key = key * (int(climb.max()) + 1) + values
        _, self._first, self._class = np.unique(key, return_index=True, return_inverse=True)
        classes, width = len(self._first), table.held.shape[1]
        at, value, rows = table.pairs
        held = np.bincount(self._class[at] * width + value, rows, classes * width)
        self.held: Integers = held.astype(np.int64).reshape(classes, width)
        self.sizes: Integers = self.held.sum(1)
        self.people: Integers = np.bincount(self._class, table.people, classes).astype(np.int64)
        self._violations: dict[str, Marks] = {}

    def verdict(self, models: Sequence[Parameters], allowed: int, *, as_arx: bool = False) -> tuple[int, Marks] | None:
        """The rows left out and their classes; None if the node does not satisfy the models.

        ``as_arx``: in ARX's order of checks, a class beneath the smallest size is never asked for delta presence, nor
        is one that has people and no row.
        """
        least = max([_least(parameters) for parameters in models], default=0)
        out = self.sizes < least
        for parameters in sorted(models, key=lambda parameters: _COSTS.get(parameters["model"], 1)):
            if int(self.sizes[out].sum()) > allowed:
                return None
            violation = self.violations(parameters)
            asks_absent = parameters["model"] == "delta presence" and not (as_arx and least)
            if asks_absent and (violation & (self.sizes == 0)).any():
                return None
            out = out | violation
        out &= self.sizes > 0
        rows = int(self.sizes[out].sum())
        return (rows, out) if rows <= allowed else None

    def violations(self, parameters: Parameters) -> Marks:
        """The classes that violate a model."""
        key = json.dumps(parameters)
        if key not in self._violations:
            self._violations[key] = _VIOLATIONS[parameters["model"]](self, parameters)
        return self._violations[key]

    def metric(self, metric: Parameters, out: Marks) -> Metric:
        """A metric of ARX, or the objective of starcloak named in ``own``, with some classes left out."""
        if "own" in metric:
            return self._objective(metric["own"], out)
        match metric["name"]:
            case "non-uniform entropy":
                return self._entropy(metric, out)
            case "average class size":
                return self.table.rows / (self.classes(out) + bool(out.any()))
            case "discernibility":
                sizes = self.sizes.astype(float)
                more = 0.0 if metric["monotonic"] else float((sizes[out] * (self.table.rows - sizes[out])).sum())
                return float((sizes * sizes).sum()) + more
        return self._loss(metric, out)

    def classes(self, out: Marks) -> int:
        """Number of classes with rows that are not suppressed."""
        return int((~out & (self.sizes > 0)).sum())

    def attribute_loss(self, out: Marks) -> list[float]:
        """By column the share of other leaves that a cell covers, 1 for a row left out, averaged over all rows."""
        left_out, sizes, rows = out[self._class], self.table.sizes, self.table.rows
        covered = (self._shares(column, level) for column, level in enumerate(self.levels))
        return [float((np.where(left_out, 1.0, share) * sizes).sum()) / rows for share in covered]

    def _shares(self, column: int, level: int) -> Floats:
        shares: Floats = self.table.shares[column][level][self.table.leaves[:, column]]
        return shares

    def _objective(self, name: str, out: Marks) -> float:
        rows, kept = int(self.sizes[out].sum()), self.sizes[~out & (self.sizes > 0)]
        if name == "loss":
            return sum(self.attribute_loss(out)) / len(self.levels)
        if name == "discernibility":
            return float((kept * kept).sum()) + rows * self.table.rows
        return int(kept.sum()) / len(kept) if len(kept) else math.inf

    def _entropy(self, metric: Parameters, out: Marks) -> float:
        total = sum(self.table.entropy[column][level] for column, level in enumerate(self.levels))
        rows = int(self.sizes[out].sum())
        if not metric["monotonic"] and rows:
            for values in self._values:
                counts: Any = np.bincount(values[self._first], self.sizes * out)
                counts = counts[counts > 0]
                total += float(-(counts * np.log2(counts / rows)).sum())
        return total

    def _loss(self, metric: Parameters, out: Marks) -> Metric:
        """ARX's loss: suppressed rows count as fully generalized, weighted by the gs-factor."""
        table, factor = self.table, metric["gs_factor"]
        kept_weight, out_weight = (1.0 if factor <= 0.5 else 2 - 2 * factor), (2 * factor if factor < 0.5 else 1.0)
        rows, sizes_out, losses = int(self.sizes[out].sum()), table.sizes * out[self._class], []
        for column, level in enumerate(self.levels):
            leaves = len(table.climbs[column][0])
            share = (self._shares(column, level) * (leaves - 1) + 1) / leaves
            gone = float((share * sizes_out).sum())
            kept = float((share * table.sizes).sum()) - gone
            lost = kept * kept_weight + (rows if out_weight == 1 else gone + out_weight * (rows - gone))
            least = kept_weight * table.rows / leaves
            losses.append(math.floor(max(0.0, (lost - least) / (table.rows - least)) * 1e10) / 1e10)
        if "weights" in metric:
            most = max(COLUMNS.index(name) + 1 for name in table.names)
            losses = [loss * (COLUMNS.index(name) + 1) / most for loss, name in zip(losses, table.names, strict=True)]
        if metric["aggregate"] == "rank":
            return tuple(sorted(losses, reverse=True))
        return float(math.prod((loss + 1) ** (1 / len(losses)) for loss in losses)) - 1


def _least(parameters: Parameters) -> int:
    """The size beneath which ARX leaves out a class without asking the model."""
    if parameters["model"] == "k":
        return int(parameters["k"])
    return parameters["l"] if parameters["model"] in ("entropy l", "recursive l", "distinct l") else 0


def _delta_presence(node: Node, parameters: Parameters) -> Marks:
    low, high = (Fraction(str(parameters[bound])) for bound in ("min", "max"))
    too_few: Marks = node.sizes * low.denominator < node.people * low.numerator
    return too_few | (node.sizes * high.denominator > node.people * high.numerator)


def _t_closeness(node: Node, parameters: Parameters) -> Marks:
    most, table = Fraction(str(parameters["t"])), node.table
    present = np.flatnonzero(table.totals)
    extra = node.held[:, present] * table.rows - node.sizes[:, None] * table.totals[present]
    if parameters["distance"] == "equal":
        cost, scale = np.maximum(extra, 0).sum(1), 1
    elif parameters["distance"] == "ordered":
        cost, scale = np.abs(np.cumsum(extra, 1)).sum(1), len(present) - 1
    else:
        scale = len(table.lines[0]) - 1
        cost = _climbed(node, [table.lines[value] for value in present], extra, scale)
    far: Marks = cost * most.denominator > most.numerator * scale * table.rows * node.sizes
    return (node.sizes > 0) & far


def _climbed(node: Node, lines: Sequence[Sequence[str]], extra: Integers, scale: int) -> Integers:
    """Moves up a hierarchy until each class has the values of the table."""
    cost = np.zeros(len(node.sizes), np.int64)
    beneath = {line[0]: extra[:, at] for at, line in enumerate(lines)}
    for level in range(1, scale + 1):
        children: dict[str, dict[str, Integers]] = {}
        for line in lines:
            children.setdefault(line[level], {})[line[level - 1]] = beneath[line[level - 1]]
        beneath = {}
        for name, some in children.items():
            moved = np.stack(list(some.values()))
            more, less = np.maximum(moved, 0).sum(0), np.maximum(-moved, 0).sum(0)
            cost += level * np.minimum(more, less)
            beneath[name] = more - less
    return cost


def _recursive(node: Node, parameters: Parameters) -> Marks:
    held, factor = -np.sort(-node.held, 1), Fraction(str(parameters["c"]))
    rare = factor.numerator * held[:, parameters["l"] - 1 :].sum(1)
    satisfied: Marks = held[:, 0] * factor.denominator < rare
    return (node.sizes > 0) & ~satisfied


def _entropy(node: Node, parameters: Parameters) -> Marks:
    sizes, held = node.sizes.astype(float), node.held.astype(float)
    if parameters["estimator"] == "shannon":
        entropy = sizes * np.log(np.maximum(sizes, 1)) - (held * np.log(np.maximum(held, 1))).sum(1)
        low = entropy < sizes * math.log(parameters["l"]) - 1e-9 * sizes
    else:
        entropy = sizes * _grassberger(node.sizes) - (held * _grassberger(node.held)).sum(1)
        low = entropy < sizes * math.log(parameters["l"])
    violated: Marks = low | ((node.held > 0).sum(1) < int(parameters["l"]))
    return (node.sizes > 0) & violated


def _grassberger(counts: Integers) -> Floats:
    """The terms of Grassberger's estimate of an entropy."""
    even = counts - counts % 2
    top = 1 + int(even.max())
    terms = np.zeros(top + 2)
    term = -0.5772156649015329 - math.log(2)
    terms[:2] = term
    for half in range(1, top // 2 + 1):
        term += 2 / (2 * half - 1)
        terms[2 * half : 2 * half + 2] = term
    found: Floats = terms[even]
    return found


def _distinct(node: Node, parameters: Parameters) -> Marks:
    few: Marks = (node.held > 0).sum(1) < parameters["l"]
    return (node.sizes > 0) & few


def _beta(node: Node, parameters: Parameters) -> Marks:
    beta, table, violated = float(parameters["beta"]), node.table, np.zeros(len(node.sizes), bool)
    for value in np.flatnonzero(table.totals):
        share = table.totals[value] / table.rows
        gain = min(beta, -math.log(share)) if parameters["enhanced"] else beta
        violated |= node.held[:, value] / np.maximum(node.sizes, 1) / share - 1 > gain + 1e-12
    return violated


_VIOLATIONS: dict[str, Callable[[Node, Parameters], Marks]] = {
    "k": lambda node, parameters: node.sizes < parameters["k"],
    "estimated k-map": lambda node, parameters: node.sizes < parameters["derived"],
    "k-map": lambda node, parameters: node.people < parameters["k"],
    "inclusion": lambda node, _: np.zeros(len(node.sizes), bool),
    "delta presence": _delta_presence,
    "t": _t_closeness,
    "recursive l": _recursive,
    "entropy l": _entropy,
    "distinct l": _distinct,
    "beta": _beta,
}
