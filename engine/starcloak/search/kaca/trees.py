"""The value trees of the attributes, and how a value is written: which child to follow at each level, in some bits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from starcloak.search.kaca.weights import LevelDistances
from starcloak.star.star import Star, children
from starcloak.statements.statement import As, Hole, Joined, Name, Number, Statement, columns, lines

# So many bits of a word hold digits: it is a whole number of 64 bits with a sign.
_BITS = 62


@dataclass(frozen=True)
class Digit:
    """Which child of its parent a value is: ``size`` bits of a word, from bit ``shift`` on. Its mark is the lowest."""

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

    A value has the digits from its level up, and marks in place of those that it does not have.
    """

    position: int
    height: int
    climbed: tuple[int, ...]
    digits: tuple[Digit, ...]

    @property
    def level(self) -> Name:
        return Name(f"level_{self.position}")

    @property
    def common(self) -> Name:
        return Name(f"common_{self.position}")

    def mask(self, level: int, *, word: int) -> int:
        """The bits of a word that tell values of a level apart."""
        return sum(digit.bits for digit in self.digits[level:] if digit.word == word)

    def marks(self, level: int, *, word: int) -> int:
        """The marks of a value of a level."""
        return sum(digit.mark for digit in self.digits[:level] if digit.word == word)

    def by_level(self, number: Callable[[int], int], level: Hole) -> Statement:
        """A number that goes by the level."""
        numbers = Joined(tuple(Number(number(at)) for at in range(self.height + 1)), ", ")
        return Statement("search/kaca/values#by_level", {"numbers": numbers, "level": level})

    def above(self, words: str, number: Callable[[int], int]) -> Hole:
        """A number that goes by the level above the highest digit told by some words, such as ``met_1``, ``met_2``."""
        branches = [
            Statement(
                "search/kaca/values#told",
                {
                    "word": Name(f"{words}_{digit.word}"),
                    "bits": Number(digit.bits),
                    "number": Number(number(level)),
                },
            )
            for level, digit in reversed([*enumerate(self.digits, 1)])
        ]
        leaf = Number(number(0))
        return Statement("search/kaca/values#above", {"told": lines(branches), "leaf": leaf}) if branches else leaf


@dataclass(frozen=True)
class Trees:
    """The value trees of all attributes. Their digits share the words."""

    trees: tuple[PathTree, ...]

    @property
    def words(self) -> range:
        return range(1, 1 + max((digit.word for tree in self.trees for digit in tree.digits), default=1))

    @property
    def values(self) -> list[Name]:
        """What tells classes apart: the words of digits, and those of marks."""
        return [Name(f"{what}_{word}") for what in ("word", "marks") for word in self.words]

    def common_levels(self) -> Joined:
        """The levels of the closest common generalization (Definition 8) of two that met."""
        return columns(As(tree.above("met", lambda level: level), tree.common) for tree in self.trees)

    def common_distance(self) -> Statement:
        """How far the closest common generalization of two that met is from the leaves."""
        return total(tree.above("met", tree.climbed.__getitem__) for tree in self.trees)

    def raised_columns(self) -> dict[str, Hole]:
        """A class's columns after each value was raised to the level in common_1, common_2, …"""

        def digits(tree: PathTree, word: int) -> Hole:
            return keep_bits(Name(f"word_{word}"), tree.by_level(partial(tree.mask, word=word), tree.common))

        def marks(tree: PathTree, word: int) -> Hole:
            return tree.by_level(partial(tree.marks, word=word), tree.common)

        return {
            "levels": columns(As(tree.common, tree.level) for tree in self.trees),
            "values": columns((self._words("word", digits), self._words("marks", marks))),
            "climbed": total(tree.by_level(tree.climbed.__getitem__, tree.common) for tree in self.trees),
        }

    def columns_at(self, levels: Sequence[int], path: Callable[[PathTree, int], Hole]) -> dict[str, Hole]:
        """A class's columns at a node, from the words of the leaves' paths."""
        at = {tree.position: level for tree, level in self._at(levels)}

        def digits(tree: PathTree, word: int) -> Hole:
            return keep_bits(path(tree, word), Number(tree.mask(at[tree.position], word=word)))

        def marks(tree: PathTree, word: int) -> Hole:
            return Number(tree.marks(at[tree.position], word=word))

        return {
            "levels": columns(As(Number(level), tree.level) for tree, level in self._at(levels)),
            "values": columns((self._words("word", digits), self._words("marks", marks))),
            "climbed": total(Number(tree.climbed[level]) for tree, level in self._at(levels)),
        }

    def meeting_bits(self) -> Joined:
        """The bits that tell where a seeker meets another class, as met_1, met_2, …"""
        return columns(
            As(
                Statement("search/kaca/values#met", {"word": Name(f"word_{word}"), "marks": Name(f"marks_{word}")}),
                Name(f"met_{word}"),
            )
            for word in self.words
        )

    def _words(self, name: str, piece: Callable[[PathTree, int], Hole]) -> Joined:
        """Words by the name, each the sum of what the attributes have in it."""
        return columns(
            As(total(piece(tree, word) for tree in self.trees if tree.mask(0, word=word)), Name(f"{name}_{word}"))
            for word in self.words
        )

    def _at(self, node: Sequence[int]) -> list[tuple[PathTree, int]]:
        return list(zip(self.trees, node, strict=True))


def keep_bits(word: Hole, bits: Hole) -> Statement:
    """Some bits of a word."""
    return Statement("search/kaca/values#kept", {"word": word, "bits": bits})


def total(pieces: Iterable[Hole]) -> Statement:
    """The sum over the attributes."""
    return Statement("search/kaca/values#total", {"attributes": Joined(tuple(pieces) or (Number(0),), "\n    + ")})


def build(star: Star, weights: LevelDistances) -> Trees:
    """The value trees of a star's dimensions."""
    most, trees, word, shift = children(star), [], 1, 0
    for dimension, climbed in zip(star.dimensions, weights.climbed, strict=True):
        digits = []
        for level in range(dimension.height):
            # At least one bit, for the mark.
            size = max(1, (most[dimension.position, level] - 1).bit_length())
            if shift + size > _BITS:
                word, shift = word + 1, 0
            digits.append(Digit(word, shift, size))
            shift += size
        trees.append(PathTree(dimension.position, dimension.height, climbed, tuple(digits)))
    return Trees(tuple(trees))


def leaves(star: Star, trees: Trees) -> dict[int, Name]:
    """Create the paths of each attribute's leaves: their digits, by word."""
    tables = {}
    for dimension, tree in zip(star.dimensions, trees.trees, strict=True):
        tables[tree.position] = Name(f"kaca_paths_{tree.position}")
        digits = {
            word: [
                Statement(
                    "search/kaca/paths#digit",
                    {
                        "above": Name(f"ancestor_{level + 1}"),
                        "below": Name(f"ancestor_{level}"),
                        "mark": Number(digit.mark),
                    },
                )
                for level, digit in enumerate(tree.digits)
                if digit.word == word
            ]
            for word in trees.words
        }
        words = columns(As(total(pieces), Name(f"word_{word}")) for word, pieces in digits.items())
        star.session.create(
            tables[tree.position], Statement("search/kaca/paths", {"words": words, "table": dimension.table})
        )
    return tables
