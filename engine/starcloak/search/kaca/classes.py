"""The equivalence classes of a local recoding, and the share of each tuple's rows in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from starcloak.recoding import RECODING
from starcloak.search.kaca import trees
from starcloak.search.kaca.trees import Trees
from starcloak.search.kaca.weights import Weights
from starcloak.session import Session
from starcloak.star import STAR, Star
from starcloak.statement import As, Hole, Joined, Name, Statement, columns

CLASSES = Name("kaca_classes")
SHARES = Name("kaca_shares")
TUPLES = Name("kaca_tuples")


@dataclass(frozen=True)
class Clustering:
    """The equivalence classes of one run, which stand in the session: ``kaca_classes`` and ``kaca_shares``."""

    star: Star
    trees: Trees
    k: int
    seed: int

    @property
    def session(self) -> Session:
        return self.star.session

    @cached_property
    def columns(self) -> list[Name]:
        """What a class is: its values, and how far they are from the leaves."""
        return [*(tree.level for tree in self.trees.each), *self.trees.values, Name("climbed")]

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
            for tree in self.trees.each
        )
        holes: dict[str, Hole] = {
            "codes": columns(Name("tuple", f"code_{tree.position}") for tree in self.trees.each),
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


def form(star: Star, weights: Weights, *, levels: Sequence[int], k: int, seed: int) -> Clustering:
    """Form equivalence classes from the data set (Algorithm 1, line 1), each attribute generalized to a level."""
    session, built = star.session, trees.build(star, weights)
    clustering = Clustering(star, built, k, seed)
    paths = trees.leaves(star, built)
    codes = [Name(f"code_{dimension.position}") for dimension in star.dimensions]
    joins = [
        Statement("kaca/path", {"paths": paths[dimension.position], "leaf": dimension.column(0)})
        for dimension in star.dimensions
    ]
    holes: dict[str, Hole] = {
        **built.started(levels, lambda tree, word: Name(*paths[tree.position].parts, f"word_{word}")),
        "codes": columns(As(d.column(0), code) for d, code in zip(star.dimensions, codes, strict=True)),
        "leaves": Joined(tuple(codes), ", "),
        "class": Joined(tuple(built.values), ", "),
        "star": STAR,
        "joins": Joined(tuple(joins), "\n    "),
    }
    session.create(TUPLES, Statement("kaca/tuples", holes))
    session.create(SHARES, Statement("kaca/shares", {"tuples": TUPLES}))
    grouped = clustering.grouped(clustering.columns)
    session.create(CLASSES, Statement("kaca/classes", {"columns": grouped, "tuples": TUPLES}))
    return clustering
