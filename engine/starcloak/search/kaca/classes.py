"""The equivalence classes of a local recoding, and the share of each tuple's rows in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from starcloak.recoding import RECODING
from starcloak.search.kaca.weights import Weights
from starcloak.session import Session
from starcloak.star import STAR, Star
from starcloak.statement import As, Hole, Joined, Name, Number, Statement, columns, union_all

CLASSES = Name("kaca_classes")
SHARES = Name("kaca_shares")
TUPLES = Name("kaca_tuples")


@dataclass(frozen=True)
class Tree:
    """The value tree of one attribute, and how its columns are called.

    A value goes by its level and its path, a whole number with a digit per level. ``sizes`` has the weight of each
    level's digit, the leaves' first; the last is that of the root. Above the leaves, the highest digit that a value
    does not have is a mark: one of two numbers that no child has.
    """

    position: int
    height: int
    sizes: tuple[int, ...]
    climbed: tuple[int, ...]

    @property
    def level(self) -> Name:
        return Name(f"level_{self.position}")

    @property
    def path(self) -> Name:
        return Name(f"path_{self.position}")

    def raised(self, path: Hole, level: Hole) -> Statement:
        """The path of a value's ancestor at a level."""
        marks = (0, *(above - 2 * below for below, above in zip(self.sizes, self.sizes[1:], strict=False)))
        holes: dict[str, Hole] = {"path": path, "level": level, "sizes": _listed(self.sizes), "marks": _listed(marks)}
        return Statement("kaca/raised_path", holes)

    @property
    def asking(self) -> As:
        """The path of a class that seeks."""
        shape: dict[str, Hole] = {"path": self.path, "level": self.level, "other": _listed((0, *self.sizes[:-1]))}
        return As(Statement("kaca/asking", shape), self.path)

    def height_at(self, level: Hole) -> Statement:
        """How far a level is from the leaves."""
        return Statement("kaca/height", {"climbed": _listed(self.climbed), "level": level})


def _listed(numbers: Iterable[int]) -> Joined:
    return Joined(tuple(map(Number, numbers)), ", ")


@dataclass(frozen=True)
class Clustering:
    """The equivalence classes of one run, which stand in the session: ``kaca_classes`` and ``kaca_shares``."""

    star: Star
    trees: tuple[Tree, ...]
    k: int
    seed: int

    @property
    def session(self) -> Session:
        return self.star.session

    @cached_property
    def paths(self) -> list[Name]:
        return [tree.path for tree in self.trees]

    @cached_property
    def columns(self) -> list[Name]:
        """What a class is: its values, and how far they are from the leaves."""
        return [*(tree.level for tree in self.trees), *self.paths, Name("climbed")]

    def progress(self) -> tuple[int, int, int]:
        """The classes, those of fewer than k rows, and the rows of all."""
        classes, small, rows = self.session.row(Statement("kaca/progress", {"classes": CLASSES}), {"k": self.k})
        return classes, small, rows

    def replace(self, pieces: Name) -> None:
        """Put the classes that pieces form in the place of those that the pieces come from."""
        session, moved = self.session, Name("kaca_moved")
        session.create(moved, Statement("kaca/moved", {"shares": SHARES, "pieces": pieces}), {"seed": self.seed})
        session.run(Statement("kaca/leave_shares", {"shares": SHARES, "pieces": pieces}))
        session.insert(SHARES, Statement("source/relation", {"relation": moved}))
        gone: dict[str, Hole] = {"classes": CLASSES, "column": Name("source"), "gone": pieces}
        session.run(Statement("kaca/leave_classes", gone))
        session.insert(CLASSES, Statement("kaca/regrouped", {"columns": self.grouped(self.columns), "pieces": pieces}))

    def suppress(self, outliers: Name) -> None:
        """Take classes out; their tuples' shares stay, in no class."""
        holes: dict[str, Hole] = {"classes": CLASSES, "column": Name("id"), "gone": outliers}
        self.session.run(Statement("kaca/leave_classes", holes))

    def recode(self) -> None:
        """Create the recoding relation."""
        levels = (
            As(
                Statement("kaca/released_level", {"level": Name("class", *tree.level.parts)}),
                tree.level,
            )
            for tree in self.trees
        )
        holes: dict[str, Hole] = {
            "codes": columns(Name("tuple", f"code_{tree.position}") for tree in self.trees),
            "levels": columns(levels),
            "tuples": TUPLES,
            "shares": SHARES,
            "classes": CLASSES,
        }
        self.session.create(RECODING, Statement("kaca/recoding", holes))

    @staticmethod
    def grouped(names: Iterable[Name]) -> Joined:
        """Columns that all rows of a group share."""
        return columns(As(Statement("kaca/any", {"column": name}), name) for name in names)

    def summed(self, piece: Callable[[Tree], Hole]) -> Statement:
        """The sum of a piece over the attributes."""
        return Statement("kaca/total", {"attributes": Joined(tuple(map(piece, self.trees)), "\n    + ")})


def form(star: Star, weights: Weights, *, levels: Sequence[int], k: int, seed: int) -> Clustering:
    """Form equivalence classes from the data set (Algorithm 1, line 1), each attribute generalized to a level."""
    session = star.session
    trees = _trees(star, weights)
    clustering = Clustering(star, trees, k, seed)
    codes = [Name(f"code_{tree.position}") for tree in trees]
    started = list(zip(star.dimensions, trees, levels, strict=True))
    joins = []
    for dimension, tree, _ in started:
        paths = Name(f"kaca_paths_{tree.position}")
        digits = (
            Statement(
                "kaca/digit",
                {
                    "above": Name(f"ancestor_{level + 1}"),
                    "below": Name(f"ancestor_{level}"),
                    "size": Number(tree.sizes[level]),
                },
            )
            for level in range(tree.height)
        )
        shape: dict[str, Hole] = {"digits": Joined(tuple(digits) or (Number(0),), " + "), "table": dimension.table}
        session.create(paths, Statement("kaca/paths", shape))
        joins.append(Statement("kaca/path", {"paths": paths, "leaf": dimension.column(0)}))
    holes: dict[str, Hole] = {
        "codes": columns(As(dimension.column(0), code) for (dimension, _, _), code in zip(started, codes, strict=True)),
        "levels": columns(As(Number(level), tree.level) for _, tree, level in started),
        "paths": columns(
            As(tree.raised(Name(f"kaca_paths_{tree.position}", "path"), Number(level)), tree.path)
            for _, tree, level in started
        ),
        "climbed": Number(sum(tree.climbed[level] for _, tree, level in started)),
        "leaves": Joined(tuple(codes), ", "),
        "class": Joined(tuple(clustering.paths), ", "),
        "star": STAR,
        "joins": Joined(tuple(joins), "\n    "),
    }
    session.create(TUPLES, Statement("kaca/tuples", holes))
    session.create(SHARES, Statement("kaca/shares", {"tuples": TUPLES}))
    grouped = clustering.grouped(clustering.columns)
    session.create(CLASSES, Statement("kaca/classes", {"columns": grouped, "tuples": TUPLES}))
    return clustering


def _trees(star: Star, weights: Weights) -> tuple[Tree, ...]:
    counted = union_all(
        Statement(
            "kaca/children",
            {
                "dimension": Number(dimension.position),
                "level": Number(level),
                "below": Name(f"ancestor_{level}"),
                "above": Name(f"ancestor_{level + 1}"),
                "table": dimension.table,
            },
        )
        for dimension in star.dimensions
        for level in range(dimension.height)
    )
    children = {(position, level): most for position, level, most in star.session.run(counted)}
    trees = []
    for dimension, climbed in zip(star.dimensions, weights.climbed, strict=True):
        sizes = [1]
        for level in range(dimension.height):
            # Two more digits than children, for the marks; powers of two, so that equal digits are equal bits.
            sizes.append(sizes[-1] << (children[dimension.position, level] + 1).bit_length())
        trees.append(Tree(dimension.position, dimension.height, tuple(sizes), climbed))
    return tuple(trees)
