"""Paths of values in their hierarchies, in bits of 64-bit integers (words).

A digit is the number of a value among the children of its parent. The digits of a value, from the root down to its
level, are its path. The paths of several attributes share a word.
"""

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
    """The place of a digit (the number of a value among its parent's children): bits of a word.

    ``word`` counts from 1. The digit has ``size`` bits, from bit ``shift`` on. Its mark is the lowest of these bits.
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
    """The value tree of one attribute, with a digit per level below the root, beginning with the leaves' digit.

    A value has digits for its own level and the levels above. For each level below, its mark is set. ``by_value`` has,
    per word, two arrays by the value's number: digits, and marks. ``climbed`` is each level's distance from the leaves.
    """

    climbed: tuple[int, ...]
    digits: tuple[Digit, ...]
    by_value: Mapping[int, tuple[Integers, Integers]]


@dataclass(frozen=True)
class Paths:
    """The value trees of all attributes, with their digits in common words."""

    trees: tuple[PathTree, ...]

    @property
    def words(self) -> range:
        return range(1, 1 + max((digit.word for tree in self.trees for digit in tree.digits), default=1))

    def written(self, values: Sequence[Integers]) -> tuple[tuple[Integers, ...], tuple[Integers, ...]]:
        """Returns the words of digits, and the words of marks, of all classes: an array per word.

        ``values`` has an array per attribute: the number of each class's value.
        """
        words, marks = (tuple(self._word(word, part, values) for word in self.words) for part in (0, 1))
        return words, marks

    def _word(self, word: int, part: int, values: Sequence[Integers]) -> Integers:
        written: Integers = np.zeros(len(values[0]), np.int64)
        for tree, of in zip(self.trees, values, strict=True):
            if word in tree.by_value:
                written += tree.by_value[word][part][of]
        return written


def build(star: Star, trees: Iterable[NumberedTree]) -> Paths:
    """Assign bits of words to the digits of all attributes, and read the paths of all values."""
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
    """By word, two arrays with the digits and the marks of every possible value, indexed by its number."""
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
    """The statement that yields a row per leaf of an attribute: its code, and its digits in columns ``word_1``, …"""
    by_word: dict[int, list[Statement]] = {}
    for level, digit in enumerate(digits):
        above, below = Name(f"ancestor_{level + 1}"), Name(f"ancestor_{level}")
        by_word.setdefault(digit.word, []).append(
            Statement("search/kaca/paths#digit", above=above, below=below, mark=Number(digit.mark))
        )
    words = columns(As(total(pieces), Name(f"word_{word}")) for word, pieces in by_word.items())
    return Statement("search/kaca/paths", words=words, table=tree.table)
