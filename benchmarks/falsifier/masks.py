"""Single-dimension recodings: the value that every leaf of every attribute goes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from benchmarks.falsifier.released import Matched
from benchmarks.falsifier.trees import Text, Tree

Value = Any  # what tells the value that a leaf goes to from others


@dataclass(frozen=True)
class Masks:
    """The value of every leaf that the source has, by attribute, and the leaves of every row."""

    goes: Sequence[Mapping[Text, Value]]
    rows: Sequence[tuple[Text, ...]]

    @classmethod
    def of(cls, matched: Matched) -> Masks:
        """Those of a release, and its rows."""
        found: list[dict[Text, Value]] = [{} for _ in matched.oracle.trees]
        for row, source in matched.pairs.items():
            for at, leaf in enumerate(matched.oracle.texts[source]):
                found[at][leaf] = matched.cells[row][at]
        return cls(found, [matched.oracle.texts[source] for source in sorted(matched.pairs.values())])

    @cached_property
    def groups(self) -> list[tuple[Value, ...]]:
        """The cells of every row."""
        return [tuple(self.goes[at][leaf] for at, leaf in enumerate(row)) for row in self.rows]

    def changed(self, at: int, changes: Mapping[Text, Value]) -> Masks:
        """The masks where some leaves of one attribute go elsewhere."""
        goes = list(self.goes)
        goes[at] = {**goes[at], **changes}
        return replace(self, goes=goes)

    def under(self, at: int) -> dict[Value, list[Text]]:
        """The leaves of every value of an attribute."""
        found: dict[Value, list[Text]] = {}
        for leaf, value in self.goes[at].items():
            found.setdefault(value, []).append(leaf)
        return found


def place(tree: Tree, leaf: Text) -> tuple[bool, Fraction]:
    """Where a leaf stands among numbers: a missing one is the last."""
    number = tree.numbers[leaf]
    return number is None, number or Fraction(0)
