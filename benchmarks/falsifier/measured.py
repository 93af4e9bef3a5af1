"""The measures of a release by their definitions, as the descriptions in schemas/report.json name them.

Where a value reads the same at several levels, a cell may stand at any of them: a measure then lies between two bounds.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

from benchmarks.falsifier.oracle import FULL_DOMAIN, Group
from benchmarks.falsifier.released import Matched
from benchmarks.falsifier.trees import Text, Tree, node_of

# Measures are rounded to 10 decimals.
_NEAR = 2e-10


@dataclass(frozen=True)
class Bounds:
    """The least and the most that a measure may be."""

    least: Fraction
    most: Fraction

    @classmethod
    def of(cls, values: list[Fraction]) -> Bounds:
        return cls(min(values), max(values))

    def __add__(self, other: Bounds) -> Bounds:
        return Bounds(self.least + other.least, self.most + other.most)

    def holds(self, told: float) -> bool:
        near = _NEAR * max(1.0, abs(told))
        return float(self.least) - near <= told <= float(self.most) + near


@dataclass(frozen=True)
class Cell:
    """A released cell: the levels that it may stand at, how it is far from its leaf and what it covers at each."""

    levels: tuple[int, ...]
    height: int
    losses: tuple[Fraction, ...]
    shares: tuple[Fraction, ...] | None
    modified: tuple[bool, ...]

    @property
    def climbed(self) -> list[Fraction]:
        return list(self.shares or [Fraction(level, self.height or 1) for level in self.levels])

    @property
    def lifted(self) -> list[Fraction]:
        """Distances with height weights, beta = 1: a step to a level nearer the root weighs more."""
        if self.shares:
            return list(self.shares)
        weights = [Fraction(1, self.height + 1 - level) for level in range(1, self.height + 1)]
        return [sum(weights[:level], Fraction(0)) / (sum(weights) or 1) for level in self.levels]


@dataclass(frozen=True)
class Measured:
    """The cells of a release, by attribute."""

    matched: Matched
    report: dict[str, Any]

    @cached_property
    def rows(self) -> list[tuple[Group, Group]]:
        """The cells of every released row, and the leaves that they were."""
        oracle = self.matched.oracle
        if oracle.name not in FULL_DOMAIN:
            return [(self.matched.cells[row], oracle.texts[source]) for row, source in self.matched.pairs.items()]
        node = node_of(oracle.trees, self.report["recoding"]["levels"].values())
        gone = oracle.gone(node) if oracle.case.as_set else set()
        pairs = enumerate(zip(oracle.groups(node), oracle.texts, strict=True))
        return [pair for row, pair in pairs if row not in gone and pair[0] in self.matched.classes]

    @cached_property
    def cells(self) -> list[list[Cell]]:
        oracle = self.matched.oracle
        names = [column.name for column in oracle.case.quasi_identifiers]
        found = []
        for at, (name, tree) in enumerate(zip(names, oracle.trees, strict=True)):
            height = self.report["recoding"]["heights"][name]
            fixed = self.report["recoding"]["levels"][name] if oracle.name in FULL_DOMAIN else None
            rows = [(cells[at], leaves[at]) for cells, leaves in self.rows]
            if tree.numeric and oracle.name == "mondrian":
                found.append(self._ranges(at, tree))
            elif tree.numeric and oracle.name in ("tdr", "ordered-set") and height == 2:
                sizes = Counter({leaf: cell for cell, leaf in rows}.values())
                others = max(len(tree.paths) - 1, 1)
                found.append([_at(1, 2, Fraction(sizes[cell] - 1, others), cell != leaf) for cell, leaf in rows])
            else:
                found.append([_cell(tree, cell, leaf, fixed) for cell, leaf in rows])
        return found

    def _ranges(self, at: int, tree: Tree) -> list[Cell]:
        """Cells that carry ranges of their own: those of one class are of one region."""
        ranked = sorted(tree.paths, key=lambda leaf: (tree.numbers[leaf] is None, tree.numbers[leaf] or 0, leaf or ""))
        regions: dict[Group, list[int]] = {}
        for cells, leaves in self.rows:
            regions.setdefault(cells, []).append(ranked.index(leaves[at]))
        others = max(len(ranked) - 1, 1)
        found = []
        for codes in (regions[cells] for cells, _ in self.rows):
            level = 0 if min(codes) == max(codes) else 1
            share = Fraction(max(codes) - min(codes), others)
            if level and tree.numbers[ranked[max(codes)]] is None:
                share = Fraction(1)
            found.append(Cell((level,), 1, (share,), (share,), (level > 0,)))
        return found

    @property
    def suppressed(self) -> int:
        return len(self.matched.oracle.case.rows) - len(self.matched.released.rows)

    def total(self, what: str) -> Bounds:
        """A measure summed over all cells; those of a suppressed row count as one each."""
        lost = Fraction(self.suppressed * len(self.cells))
        total = Bounds(lost, lost)
        for cells in self.cells:
            for cell in cells:
                total += Bounds.of([Fraction(value) for value in getattr(cell, what)])
        return total


def _at(level: int, height: int, loss: Fraction, modified: bool) -> Cell:
    return Cell((level,), height, (loss,), None, (modified,))


def _cell(tree: Tree, cell: Text, leaf: Text, fixed: int | None) -> Cell:
    path = tree.paths[leaf]
    levels = tuple(level for level, value in enumerate(path, tree.first) if value == cell and fixed in (None, level))
    losses = tuple(tree.loss(level - tree.first, cell) for level in levels)
    return Cell(levels, tree.whole, losses, None, (not tree.reads(leaf, cell),))


def differences(matched: Matched, report: dict[str, Any]) -> list[str]:
    """Measures that are not what their definitions say."""
    oracle, told, found = matched.oracle, report["measures"], []
    rows, released = len(oracle.case.rows), len(matched.released.rows)
    sizes = list(matched.classes.values())
    counted = {
        "classes": len(sizes),
        "discernibility": sum(size * size for size in sizes) + (rows - released) * rows,
    }
    found += [f"{name}: {told[name]} told, {count} counted" for name, count in counted.items() if told[name] != count]
    average = Fraction(released, len(sizes) * oracle.k) if sizes else None
    if (told["average_class_size"] is None) != (average is None) or (
        average is not None and not Bounds(average, average).holds(told["average_class_size"])
    ):
        found.append(f"average_class_size: {told['average_class_size']} told, {average} counted")
    if not matched.identified and oracle.name not in FULL_DOMAIN:
        return found
    if oracle.name == "mondrian" and any(_alike(tree) for tree in oracle.trees):
        return found  # regions of equal numbers that read differently are not told apart by their cells
    measured = Measured(matched, report)
    whole = Fraction(1, rows * len(oracle.trees))
    climbed, lifted = measured.total("climbed"), measured.total("lifted")
    expected = {
        "distortion": climbed,
        "distortion_ratio": _scaled(climbed, whole),
        "height_distortion": lifted,
        "height_distortion_ratio": _scaled(lifted, whole),
        "modification_rate": _scaled(measured.total("modified"), whole),
        "loss": _scaled(measured.total("losses"), whole),
    }
    for name, bounds in expected.items():
        if not bounds.holds(told[name]):
            found.append(f"{name}: {told[name]} told, {float(bounds.least)} … {float(bounds.most)} counted")
    if not expected["distortion_ratio"].holds(1 - told["precision"]):
        found.append(f"precision: {told['precision']} told")
    return found + _levels(measured, report)


def _scaled(bounds: Bounds, by: Fraction) -> Bounds:
    return Bounds(bounds.least * by, bounds.most * by)


def _alike(tree: Tree) -> bool:
    return tree.numeric and len(set(tree.numbers.values())) < len(tree.numbers)


def _levels(measured: Measured, report: dict[str, Any]) -> list[str]:
    """Inconsistency, the lowest levels and KACA's own distortion, where every cell's level is known."""
    found: list[str] = []
    case = measured.matched.oracle.case
    for column, cells in zip(case.quasi_identifiers, measured.cells, strict=True):
        if any(len(cell.levels) > 1 for cell in cells):
            return found
        at = Counter(cell.levels[0] for cell in cells)
        share = 1 - Fraction(max(at.values()), at.total()) if at else Fraction(0)
        told = report["measures"]["inconsistency"][column.name]
        if not Bounds(share, share).holds(told):
            found.append(f"inconsistency: of {column.name!r} {told} told, {float(share)} counted")
        lowest = report["recoding"]["levels"][column.name]
        if at and lowest != min(at):
            found.append(f"levels: of {column.name!r} {lowest} told, {min(at)} counted")
    clustering = report["search"]["clustering"]
    if case.algorithm["name"] == "kaca" and not case.algorithm.get("priority"):
        weighted = _weighted(measured)
        if not Bounds(weighted - Fraction(1, 10**6), weighted + Fraction(1, 10**6)).holds(clustering["distortion"]):
            found.append(f"clustering: distortion {clustering['distortion']} told, {float(weighted)} counted")
    return found


def _weighted(measured: Measured) -> Fraction:
    """Definition 7 of the released rows with the job's own weights and importance."""
    case = measured.matched.oracle.case
    given = case.algorithm.get("weights", {})
    beta = Decimal(str(given.get("beta", 1))) if given.get("scheme") == "height" else Decimal(0)
    total = Fraction(0)
    for column, cells in zip(case.quasi_identifiers, measured.cells, strict=True):
        weight = Fraction(column.importance)
        for cell in cells:
            steps = [Fraction(float(cell.height + 1 - level) ** -float(beta)) for level in range(1, cell.height + 1)]
            total += weight * sum(steps[: cell.levels[0]], Fraction(0)) / (sum(steps) or 1)
    return total
