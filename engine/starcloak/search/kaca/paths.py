"""Values of classes as words of digits, on arrays: the child to follow at each level, in some bits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from starcloak.search.kaca.trees import NumberedTree, total
from starcloak.star.keys import Integers
from starcloak.star.star import Star, children
from starcloak.statements.statement import As, Name, Number, Statement, columns

# So many bits of a word hold digits: it is a whole number of 64 bits with a sign.
_BITS = 62


@dataclass(frozen=True)
class Digit:
    """The number of a value among its parent's children: ``size`` bits of a word, from bit ``shift`` on. Its mark is
    the lowest bit.
    """

    word: int
    shift: int
    size: int

    @property
    def bits(self) -> int:
        return ((1 << self.size) - 1) << self.shift

    @property
    def mark(self) -> int:
        return 1 << self.shift


@dataclass(frozen=True)
class PathTree:
    """The value tree of one attribute, with a digit per level below the root, the leaves' first.

    A value has the digits from its level up, and marks in place of the digits below: ``by_value`` has both by the
    value's number, per word.
    """

    climbed: tuple[int, ...]
    digits: tuple[Digit, ...]
    by_value: Mapping[int, tuple[Integers, Integers]]


@dataclass(frozen=True)
class Paths:
    """The paths of all attributes. Their digits share the words."""

    trees: tuple[PathTree, ...]

    @property
    def words(self) -> range:
        return range(1, 1 + max((digit.word for tree in self.trees for digit in tree.digits), default=1))

    def written(self, values: Sequence[Integers]) -> tuple[tuple[Integers, ...], tuple[Integers, ...]]:
        """The words of digits and of marks of classes, from their values by attribute."""
        words, marks = (tuple(self._word(word, part, values) for word in self.words) for part in (0, 1))
        return words, marks

    def _word(self, word: int, part: int, values: Sequence[Integers]) -> Integers:
        written: Integers = np.zeros(len(values[0]), np.int64)
        for tree, of in zip(self.trees, values, strict=True):
            if word in tree.by_value:
                written += tree.by_value[word][part][of]
        return written


def build(star: Star, trees: Iterable[NumberedTree]) -> Paths:
    """The paths of the values of a star's dimensions."""
    most, built, word, shift = children(star), [], 1, 0
    for tree in trees:
        digits = []
        for level in range(tree.height):
            # At least one bit, for the mark.
            size = max(1, (most[tree.position, level] - 1).bit_length())
            if shift + size > _BITS:
                word, shift = word + 1, 0
            digits.append(Digit(word, shift, size))
            shift += size
        built.append(PathTree(tree.climbed, tuple(digits), _by_value(star, tree, digits)))
    return Paths(tuple(built))


def _by_value(star: Star, tree: NumberedTree, digits: list[Digit]) -> dict[int, tuple[Integers, Integers]]:
    """Digits and marks of every possible value, by word."""
    leaves = star.session.columns(_leaves(tree, digits))
    written = {}
    for word in {digit.word for digit in digits}:
        paths = np.zeros(tree.members, np.int64)
        paths[leaves["code"]] = leaves[f"word_{word}"]
        own = [digit if digit.word == word else None for digit in digits]
        kept = [sum(digit.bits for digit in own[level:] if digit) for level in range(tree.height + 1)]
        marks = [sum(digit.mark for digit in own[:level] if digit) for level in range(tree.height + 1)]
        written[word] = (np.concatenate([paths & bits for bits in kept]), np.repeat(np.array(marks), tree.members))
    return written


def _leaves(tree: NumberedTree, digits: list[Digit]) -> Statement:
    """The paths of an attribute's leaves: their digits, by word."""
    by_word: dict[int, list[Statement]] = {}
    for level, digit in enumerate(digits):
        above, below = Name(f"ancestor_{level + 1}"), Name(f"ancestor_{level}")
        by_word.setdefault(digit.word, []).append(
            Statement("search/kaca/paths#digit", above=above, below=below, mark=Number(digit.mark))
        )
    words = columns(As(total(pieces), Name(f"word_{word}")) for word, pieces in by_word.items())
    return Statement("search/kaca/paths", words=words, table=tree.table)
