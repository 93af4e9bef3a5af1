"""k-anonymity by brute force in plain Python: no SQL, no sharing with the engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

Cell = str | None
Hierarchy = dict[Cell, tuple[Cell, ...]]  # leaf -> its value at levels 0, 1, …

# Three attributes of heights 1, 2 and 3, the second of them unbalanced: as trees, and as a job declares them.
TREES: list[dict[str, tuple[str, ...]]] = [
    {leaf: (leaf, "*") for leaf in "mf"},
    {leaf: (leaf, leaf.upper() if leaf < "c" else "CD", "*") for leaf in "abcd"},
    {leaf: (leaf, f"{leaf[:2]}*", f"{leaf[0]}**", "*") for leaf in ("000", "001", "010", "011", "100", "110")},
]
HIERARCHIES: dict[str, Any] = {
    "one": "suppress",
    "two": {"tree": {"A": ["a"], "B": ["b"], "CD": ["c", "d"]}},
    "three": {"digits": 3},
}


@dataclass(frozen=True)
class Oracle:
    """Rows of quasi-identifier cells, and a hierarchy per attribute."""

    rows: Sequence[tuple[Cell, ...]]
    hierarchies: Sequence[Hierarchy]

    @property
    def heights(self) -> list[int]:
        return [len(next(iter(hierarchy.values()))) - 1 for hierarchy in self.hierarchies]

    def nodes(self) -> Iterator[tuple[int, ...]]:
        return product(*(range(height + 1) for height in self.heights))

    def generalize(self, row: tuple[Cell, ...], node: tuple[int, ...]) -> tuple[Cell, ...]:
        return tuple(hierarchy[cell][level] for cell, hierarchy, level in zip(row, self.hierarchies, node, strict=True))

    def sizes(self, node: tuple[int, ...]) -> Counter[tuple[Cell, ...]]:
        return Counter(self.generalize(row, node) for row in self.rows)

    def outliers(self, node: tuple[int, ...], k: int) -> int:
        return sum(size for size in self.sizes(node).values() if size < k)

    def anonymous(self, k: int, allowed: int) -> set[tuple[int, ...]]:
        return {node for node in self.nodes() if self.outliers(node, k) <= allowed}

    def anonymity(self, node: tuple[int, ...], positions: Sequence[int]) -> int:
        """The smallest group over the attributes at some positions."""
        rows = (self.generalize(row, node) for row in self.rows)
        return min(Counter(tuple(row[position] for position in positions) for row in rows).values())

    def satisfying(self, qids: Sequence[tuple[Sequence[int], int]]) -> set[tuple[int, ...]]:
        """The nodes that satisfy several QIDs, each told by its attributes' positions and its k."""
        return {node for node in self.nodes() if all(self.anonymity(node, at) >= k for at, k in qids)}

    @staticmethod
    def minimal(anonymous: set[tuple[int, ...]]) -> set[tuple[int, ...]]:
        def beneath(node: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
            for position, level in enumerate(node):
                if level:
                    yield (*node[:position], level - 1, *node[position + 1 :])

        return {node for node in anonymous if not any(below in anonymous for below in beneath(node))}

    def release(self, node: tuple[int, ...], k: int) -> list[int]:
        """The positions of the rows that are released."""
        sizes = self.sizes(node)
        return [index for index, row in enumerate(self.rows) if sizes[self.generalize(row, node)] >= k]

    def cost(self, node: tuple[int, ...], k: int, objective: str) -> float:
        sizes = self.sizes(node)
        rows, attributes = len(self.rows), len(self.hierarchies)
        outliers = self.outliers(node, k)
        released = {group: size for group, size in sizes.items() if size >= k}
        match objective:
            case "height":
                return sum(node) + 1e-6 * self.loss(node, k)  # of equal heights that of least loss
            case "discernibility":
                return sum(size * size for size in released.values()) + outliers * rows
            case "average_class_size":
                return (rows - outliers) / len(released) / k if released else float("inf")
            case "precision" | "distortion":
                share = sum(level / height for level, height in zip(node, self.heights, strict=True)) / attributes
                return ((rows - outliers) * share + outliers) / rows
            case "loss":
                return self.loss(node, k)
        raise ValueError(objective)

    def rank(self, node: tuple[int, ...], k: int, names: Sequence[str]) -> tuple[int, int, list[int]]:
        """What nodes of equal cost go by: most classes, the lowest, the first by levels, columns sorted by name."""
        classes = sum(rows >= k for rows in self.sizes(node).values())
        by_name = sorted(range(len(names)), key=lambda at: names[at])
        return -classes, sum(node), [node[at] for at in by_name]

    def loss(self, node: tuple[int, ...], k: int) -> float:
        kept = set(self.release(node, k))
        total = 0.0
        for index, row in enumerate(self.rows):
            for cell, hierarchy, level in zip(row, self.hierarchies, node, strict=True):
                value = hierarchy[cell][level]
                covered = sum(path[level] == value for path in hierarchy.values())
                leaves = len(hierarchy)
                total += 1.0 if index not in kept else (covered - 1) / (leaves - 1) if leaves > 1 else 0.0
        return total / len(self.rows) / len(self.hierarchies)
