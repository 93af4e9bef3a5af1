"""The value trees of the attributes: numbered values, and the closest common generalization of any two values.

The meeting value of two values is their closest common generalization: the value above both at the lowest level.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import starmap

from starcloak.search.kaca.weights import LevelDistances
from starcloak.star.star import Dimension, Star
from starcloak.statements.statement import As, Hole, Joined, Name, Number, Statement, columns, lines
from starcloak.store.session import Session

# A tree of so many numbers of values has a table of all pairs of them, which is joined by one number.
_TABULATED = 400


@dataclass(frozen=True)
class NumberedTree:
    """The value tree (hierarchy) of one attribute, with a number for every value.

    A value's number is its level times ``members``, plus the code of the first leaf under it. ``members`` is the number
    of possible codes of leaves. ``climbed`` is the distance of each level from the leaves (Definition 5), in units of
    :class:`LevelDistances`. ``table`` is the dimension table, with a row per leaf (member).
    """

    position: int
    height: int
    climbed: tuple[int, ...]
    members: int
    table: Name

    @property
    def level(self) -> Name:
        return Name(f"level_{self.position}")

    @property
    def value(self) -> Name:
        return Name(f"value_{self.position}")

    @property
    def met(self) -> Name:
        """The alias of the meeting value of two classes in this attribute."""
        return Name(f"met_{self.position}")

    @property
    def numbers(self) -> int:
        return (self.height + 1) * self.members

    def at(self, level: int) -> Statement:
        """SQL expression of a leaf's generalized value at a level, as the number of that value."""
        ancestor = Name(*self.table.parts, f"ancestor_{level}")
        return Statement("search/kaca/values#at", first=Number(level * self.members), ancestor=ancestor)

    def member(self, code: Hole) -> Statement:
        """The join with the dimension table's row of a leaf, by its code."""
        return Statement("star/recoding/single_dimension#member", table=self.table, code=code)

    @property
    def first(self) -> Statement:
        """The expression of the code of the first leaf under a class's value."""
        return Statement(
            "search/kaca/values#first", value=Name("class", *self.value.parts), members=Number(self.members)
        )

    def raised_level(self, least: int) -> Statement:
        """The expression of the level of a class's value, after raising it to the level ``least`` if it is lower."""
        return Statement("search/kaca/raised#level", **self._raised(least))

    def raised_value(self, least: int) -> Statement:
        """The expression of a class's value number, after raising it to the level ``least`` if it is lower."""
        value = Name("class", *self.value.parts)
        return Statement("search/kaca/raised#value", **self._raised(least), value=value, above=self.at(least))

    def raised_far(self, least: int) -> Statement:
        """The expression of the raised value's distance from the leaves."""
        numbers = Joined(tuple(map(Number, self.climbed)), ", ")
        return Statement("search/kaca/raised#far", numbers=numbers, level=self.raised_level(least))

    def _raised(self, least: int) -> dict[str, Hole]:
        return {"level": Name("class", *self.level.parts), "least": Number(least)}

    def create(self, session: Session) -> None:
        """Create the relation of the tree's values, and the relation of the meeting value of any two values.

        The second one is a table if the tree has up to 400 value numbers, otherwise a view.
        """
        above = (
            As(Statement("search/kaca/values#above", level=Number(level), value=self.at(level)), _above(level))
            for level in range(self.height + 1)
        )
        session.create(
            self._values,
            Statement(
                "search/kaca/values",
                own=Joined(tuple(self.at(level) for level in range(self.height + 1)), ", "),
                above=columns(above),
                levels=Number(self.height + 1),
                table=self.table,
            ),
        )
        if self._is_tabulated:
            session.create(self._meetings, self._meeting)
        else:
            session.create_view(self._meetings, self._meeting)

    @property
    def joined(self) -> Statement:
        """The join of a pair of classes with the meeting value of their values in this attribute."""
        holes: dict[str, Hole] = {"meetings": self._meetings, "met": self.met, "value": self.value}
        if self._is_tabulated:
            return Statement("search/kaca/meetings#by_pair", **holes, numbers=Number(self.numbers))
        return Statement("search/kaca/meetings#by_both", **holes)

    @property
    def _is_tabulated(self) -> bool:
        return self.numbers <= _TABULATED

    @property
    def _values(self) -> Name:
        return Name(f"kaca_values_{self.position}")

    @property
    def _meetings(self) -> Name:
        return Name(f"kaca_meetings_{self.position}")

    @property
    def _meeting(self) -> Statement:
        """The statement of the meeting values: a row per pair of values, with the closest common generalization."""

        def at_levels(outcome: Callable[[int], Hole]) -> Joined:
            return lines(
                Statement("search/kaca/meetings#at", above=_above(level), outcome=outcome(level))
                for level in range(self.height + 1)
            )

        return Statement(
            "search/kaca/meetings",
            levels=at_levels(Number),
            commons=at_levels(lambda level: Name("one", *_above(level).parts)),
            climbed=at_levels(lambda level: Number(self.climbed[level])),
            numbers=Number(self.numbers),
            values=self._values,
        )


@dataclass(frozen=True)
class Trees:
    """The value trees of all attributes, with the SQL expressions and joins over all of them."""

    trees: tuple[NumberedTree, ...]

    @property
    def values(self) -> list[Name]:
        """The value columns of ``kaca_classes``, one per attribute: together they identify a class."""
        return [tree.value for tree in self.trees]

    @property
    def joins(self) -> Joined:
        """The joins of a seeker (a small class) and another class with their meeting value in every attribute."""
        return lines(tree.joined for tree in self.trees)

    @property
    def common_distance(self) -> Statement:
        """The expression of the distance from the leaves to the closest common generalization of two classes."""
        return total(Name(*tree.met.parts, "climbed") for tree in self.trees)

    def common_columns(self) -> dict[str, Hole]:
        """The levels, values and distance of the closest common generalization (Definition 8) of two classes.

        Returned by the name of the hole in the statement: ``levels``, ``values``, ``climbed``.
        """
        return {
            "levels": columns(As(Name(*tree.met.parts, "level"), tree.level) for tree in self.trees),
            "values": columns(As(Name(*tree.met.parts, "value"), tree.value) for tree in self.trees),
            "climbed": self.common_distance,
        }

    def columns_at(self, levels: Sequence[int]) -> dict[str, Hole]:
        """The levels, values and distance of a tuple generalized to the levels given, one per attribute."""
        at = list(zip(self.trees, levels, strict=True))
        return {
            "levels": columns(As(Number(level), tree.level) for tree, level in at),
            "values": columns(As(tree.at(level), tree.value) for tree, level in at),
            "climbed": total(Number(tree.climbed[level]) for tree, level in at),
        }

    def raised_columns(self, levels: Sequence[int]) -> dict[str, Hole]:
        """The levels, values and distance of a class after raising its values to the levels given, if they are lower.

        Includes the ``joins`` with the dimension tables.
        """
        at = list(zip(self.trees, levels, strict=True))
        return {
            "levels": columns(As(tree.raised_level(least), tree.level) for tree, least in at),
            "values": columns(As(tree.raised_value(least), tree.value) for tree, least in at),
            "climbed": total(tree.raised_far(least) for tree, least in at),
            "joins": lines(tree.member(tree.first) for tree in self.trees),
        }


def total(pieces: Iterable[Hole]) -> Statement:
    """The expression of a sum of ``pieces``, one per attribute, in 64 bits; 0 without attributes."""
    return Statement("search/kaca/values#total", attributes=Joined(tuple(pieces) or (Number(0),), "\n    + "))


def build(star: Star, weights: LevelDistances) -> Trees:
    """Create the value trees of a star's dimensions, with their relations in the session."""
    trees = tuple(starmap(partial(_build, star.session), zip(star.dimensions, weights.climbed, strict=True)))
    return Trees(trees)


def _build(session: Session, dimension: Dimension, climbed: tuple[int, ...]) -> NumberedTree:
    (members,) = session.row(Statement("search/kaca/values#members", table=dimension.table))
    tree = NumberedTree(dimension.position, dimension.height, climbed, members, dimension.table)
    tree.create(session)
    return tree


def _above(level: int) -> Name:
    return Name(f"above_{level}")
