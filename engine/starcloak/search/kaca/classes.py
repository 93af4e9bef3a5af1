"""The equivalence classes of a local recoding, and the share of each tuple's rows in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from starcloak.recoding import RECODING
from starcloak.search.kaca.weights import Weights
from starcloak.session import Session
from starcloak.star import GENERALIZATION, STAR, Star
from starcloak.statement import As, Hole, Joined, Name, Number, Statement, columns

CLASSES = Name("kaca_classes")
SHARES = Name("kaca_shares")
TUPLES = Name("kaca_tuples")


@dataclass(frozen=True)
class Tree:
    """The value tree of one attribute, and how its columns are called.

    A value goes by its number, ``level * leaves + code``; its ancestors by their codes, a column per level below the
    root. Columns of levels below the value's own are missing.
    """

    position: int
    height: int
    leaves: int
    climbed: tuple[int, ...]

    @property
    def node(self) -> Name:
        return Name(f"node_{self.position}")

    def value(self, level: int) -> Name:
        return Name(f"value_{self.position}_{level}")

    @property
    def values(self) -> list[Name]:
        return [self.value(level) for level in range(self.height)]


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
    def nodes(self) -> list[Name]:
        return [tree.node for tree in self.trees]

    @cached_property
    def columns(self) -> list[Name]:
        """What a class is: its values, their ancestors, and how far they are from the leaves."""
        return [*self.nodes, *(value for tree in self.trees for value in tree.values), Name("climbed")]

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
                Statement("kaca/released_level", {"level": level_of(tree, Name("class", *tree.node.parts))}),
                Name(f"level_{tree.position}"),
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


def height_at(tree: Tree, level: Hole) -> Statement:
    """How far a level is from the leaves."""
    return Statement("kaca/height", {"climbed": Joined(tuple(map(Number, tree.climbed)), ", "), "level": level})


def level_of(tree: Tree, node: Hole) -> Statement:
    """A value's level."""
    return Statement("kaca/level", {"node": node, "leaves": Number(tree.leaves)})


def form(star: Star, weights: Weights, *, levels: Sequence[int], k: int, seed: int) -> Clustering:
    """Form equivalence classes from the data set (Algorithm 1, line 1), each attribute generalized to a level."""
    session = star.session
    leaves = [row[0] for row in session.run(Statement("kaca/leaves", {"generalization": GENERALIZATION}))]
    trees = tuple(
        Tree(dimension.position, dimension.height, count, climbed)
        for dimension, count, climbed in zip(star.dimensions, leaves, weights.climbed, strict=True)
    )
    clustering = Clustering(star, trees, k, seed)
    codes = [Name(f"code_{tree.position}") for tree in trees]
    started = list(zip(star.dimensions, trees, levels, strict=True))
    nodes = [
        Statement(
            "kaca/node",
            {"level": Number(level), "leaves": Number(tree.leaves), "code": dimension.column(level)},
        )
        for dimension, tree, level in started
    ]
    values = [
        As(dimension.column(height) if height >= level else Statement("kaca/none"), tree.value(height))
        for dimension, tree, level in started
        for height in range(tree.height)
    ]
    climbed = Number(sum(tree.climbed[level] for _, tree, level in started))
    holes: dict[str, Hole] = {
        "codes": columns(As(dimension.column(0), code) for (dimension, _, _), code in zip(started, codes, strict=True)),
        "nodes": columns(map(As, nodes, clustering.nodes)),
        "values": columns(values),
        "climbed": climbed,
        "leaves": Joined(tuple(codes), ", "),
        "class": Joined(tuple(clustering.nodes), ", "),
        "star": STAR,
    }
    session.create(TUPLES, Statement("kaca/tuples", holes))
    session.create(SHARES, Statement("kaca/shares", {"tuples": TUPLES}))
    grouped = clustering.grouped(clustering.columns)
    session.create(CLASSES, Statement("kaca/classes", {"columns": grouped, "tuples": TUPLES}))
    return clustering
