"""The equivalence classes of a local recoding, and the number of rows of each tuple in each class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from starcloak.privacy.requirement import Demand
from starcloak.search.kaca import paths, trees
from starcloak.search.kaca.paths import Paths
from starcloak.search.kaca.trees import Trees
from starcloak.search.kaca.weights import LevelDistances
from starcloak.star.keys import Integers
from starcloak.star.recoding.recoding import RECODING
from starcloak.star.star import Star
from starcloak.statements.statement import As, Hole, Joined, Name, Number, Statement, columns, lines
from starcloak.store.session import Session

CLASSES = Name("kaca_classes")
NEAREST = Name("kaca_nearest")
SHARES = Name("kaca_shares")
TUPLES = Name("kaca_tuples")


@dataclass(frozen=True)
class ClassTables:
    """The equivalence classes of one run, in relations of the session.

    ``kaca_classes`` has a row per class, ``kaca_tuples`` a row per distinct combination of leaf values, and
    ``kaca_shares`` the number of rows of each tuple in each class. ``trees`` are the value trees of the attributes.
    ``demand`` is the condition on every class. ``seed`` decides random choices. With ``whole``, all rows of a tuple
    stay in one class.
    """

    star: Star
    trees: Trees
    demand: Demand
    seed: int
    whole: bool = False

    @property
    def session(self) -> Session:
        return self.star.session

    @property
    def k(self) -> Number:
        """The least number of rows of a class."""
        return Number(self.demand.least_rows)

    @property
    def splits(self) -> bool:
        """True if a class may be split: some of its rows (a stub, Definition 14) go to another class.

        False if the demand needs sensitive values: a class has only their aggregates, not the values of each row. Also
        false if all rows of a tuple must stay together (``whole``).
        """
        return self.demand.counts_rows_only and not self.whole

    @cached_property
    def paths(self) -> Paths:
        """The path of every value from the root of its hierarchy, encoded in bits of integers, as arrays."""
        return paths.build(self.star, self.trees.trees)

    @cached_property
    def held(self) -> list[Name]:
        """The columns of ``kaca_classes`` with aggregates of sensitive attributes."""
        return [aggregate.column for aggregate in self.star.carried]

    @cached_property
    def columns(self) -> list[Name]:
        """The columns of ``kaca_classes``, except id and frequency.

        They are the levels and values of the attributes, the summed distance of these values from the leaves
        (``climbed``), and aggregates of sensitive attributes.
        """
        return [*(tree.level for tree in self.trees.trees), *self.trees.values, Name("climbed"), *self.held]

    def tops(self, values: Sequence[Integers]) -> Integers:
        """A number for each class: two classes can be merged only if their numbers are equal.

        The number identifies the top values above the class's values, for attributes with a highest level set by the
        job. Values under different tops have no common generalization. ``values`` has an array of value numbers per
        attribute.
        """
        tops: Integers = np.zeros(len(values[0]), np.int64)
        for dimension, tree, of in zip(self.star.dimensions, self.trees.trees, values, strict=True):
            if dimension.capped:
                top = Name(f"ancestor_{dimension.height}")
                read = self.session.columns(Statement("search/kaca/values#tops", top=top, table=tree.table))
                above: Integers = np.zeros(tree.members, np.int64)
                above[read["code"]] = read["top"]
                _, tops = np.unique(tops * tree.members + above[of % tree.members], return_inverse=True)
        return tops

    def progress(self) -> tuple[int, int, int]:
        """Returns the number of classes, of small classes (violating the requirement), and of all their rows."""
        classes, small, rows = self.session.row(
            Statement("search/kaca/progress", violating=self.demand.violating, classes=CLASSES)
        )
        return classes, small, rows

    def replace(self, pieces: Name) -> None:
        """Replace the merged or split classes by the classes formed of their pieces.

        ``pieces`` is a relation with a row per piece: a range of rows of a ``source`` class, and its ``target`` class.
        """
        session, moved = self.session, Name("kaca_moved")
        session.create(moved, Statement("search/kaca/moved", shares=SHARES, pieces=pieces), {"seed": self.seed})
        self._leave(SHARES, Name("class"), pieces, Name("source"))
        session.insert(SHARES, Statement("store/relation", relation=moved))
        self._leave(CLASSES, Name("id"), pieces, Name("source"))
        session.insert(CLASSES, Statement("search/kaca/regrouped", columns=self.grouped, pieces=pieces))

    def suppress(self, outliers: Name) -> None:
        """Delete the classes with the ids in the relation ``outliers``.

        Their rows stay in ``kaca_shares``, with the id of a missing class: the recoding suppresses them.
        """
        self._leave(CLASSES, Name("id"), outliers, Name("id"))

    def _leave(self, relation: Name, key: Name, gone: Name, column: Name) -> None:
        self.session.run(Statement("search/kaca/moved#leave", relation=relation, key=key, column=column, gone=gone))

    def recode(self) -> None:
        """Create the recoding relation."""
        levels = (
            As(
                Statement("search/kaca/recoding#level", level=Name("class", *tree.level.parts)),
                tree.level,
            )
            for tree in self.trees.trees
        )
        self.session.create(
            RECODING,
            Statement(
                "search/kaca/recoding",
                codes=columns(
                    [
                        *(Name("tuple", f"code_{tree.position}") for tree in self.trees.trees),
                        *(Name("tuple", *column.parts) for column in self.held),
                    ]
                ),
                levels=columns(levels),
                tuples=TUPLES,
                shares=SHARES,
                classes=CLASSES,
            ),
        )

    @property
    def grouped(self) -> Joined:
        """Select list for a class formed of pieces: any of the equal values, and merged aggregates of sensitive
        attributes.
        """
        alike = (name for name in self.columns if name not in self.held)
        merged = [aggregate.merged for aggregate in self.star.carried]
        return columns([*(As(Statement("search/kaca/classes#any", column=name), name) for name in alike), *merged])


def form(
    star: Star, weights: LevelDistances, *, levels: Sequence[int], demand: Demand, seed: int, whole: bool = False
) -> ClassTables:
    """Create the initial equivalence classes of a data set (Algorithm 1, line 1).

    ``levels`` has the level of each attribute's values. ``weights`` are the distances of levels from the leaves. With
    ``whole``, all rows of a tuple stay in one class.
    """
    session, built = star.session, trees.build(star, weights)
    clustering = ClassTables(star, built, demand, seed, whole)
    leaves = [Name(*star.facts.parts, *dimension.column(0).parts) for dimension in star.dimensions]
    codes = [Name(f"code_{dimension.position}") for dimension in star.dimensions]
    started = built.columns_at(levels)
    holes: dict[str, Hole] = {
        **started,
        "values": columns([started["values"], *clustering.held]),
        "codes": columns(As(leaf, code) for leaf, code in zip(leaves, codes, strict=True)),
        "leaves": Joined(tuple(codes), ", "),
        "class": Joined(tuple(built.values), ", "),
        "star": star.facts,
        "joins": lines(tree.member(leaf) for tree, leaf in zip(built.trees, leaves, strict=True)),
    }
    session.create(TUPLES, Statement("search/kaca/tuples", **holes))
    session.create(SHARES, Statement("search/kaca/tuples#shares", tuples=TUPLES))
    session.create(CLASSES, Statement("search/kaca/classes", columns=clustering.grouped, tuples=TUPLES))
    return clustering
