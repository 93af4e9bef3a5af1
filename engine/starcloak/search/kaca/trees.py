"""The value trees of the attributes: every value has a number, and the value where two meet comes from a joined
relation.
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
    """The value tree of one attribute. A value's number is its level times the members, plus its first leaf's code.

    ``climbed`` is how far each level is from the leaves (Definition 5); ``table`` the dimension table of ``members``.
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
        """The name of the value where a seeker's value meets another class's."""
        return Name(f"met_{self.position}")

    @property
    def numbers(self) -> int:
        return (self.height + 1) * self.members

    def at(self, level: int) -> Statement:
        """The number of a member's value at a level."""
        ancestor = Name(*self.table.parts, f"ancestor_{level}")
        return Statement("search/kaca/values#at", first=Number(level * self.members), ancestor=ancestor)

    def member(self, code: Hole) -> Statement:
        """The join with the member of a code."""
        return Statement("star/recoding/single_dimension#member", table=self.table, code=code)

    @property
    def first(self) -> Statement:
        """The code of the first leaf under a class's value."""
        return Statement(
            "search/kaca/values#first", value=Name("class", *self.value.parts), members=Number(self.members)
        )

    def raised_level(self, least: int) -> Statement:
        """The level of a class's value, at least the one given."""
        return Statement("search/kaca/raised#level", **self._raised(least))

    def raised_value(self, least: int) -> Statement:
        """A class's value there."""
        value = Name("class", *self.value.parts)
        return Statement("search/kaca/raised#value", **self._raised(least), value=value, above=self.at(least))

    def raised_far(self, least: int) -> Statement:
        """Distance of the raised value from the leaves."""
        numbers = Joined(tuple(map(Number, self.climbed)), ", ")
        return Statement("search/kaca/raised#far", numbers=numbers, level=self.raised_level(least))

    def _raised(self, least: int) -> dict[str, Hole]:
        return {"level": Name("class", *self.level.parts), "least": Number(least)}

    def create(self, session: Session) -> None:
        """Create the tree's values and, if they are few, the meeting value of any two of them."""
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
        """The join with the meeting value of a seeker's value and another class's."""
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
        """The meeting values of any two values."""

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
    """The value trees of all attributes."""

    trees: tuple[NumberedTree, ...]

    @property
    def values(self) -> list[Name]:
        """The key columns of classes."""
        return [tree.value for tree in self.trees]

    @property
    def joins(self) -> Joined:
        """The joins of a seeker and another class with the meeting values of their values."""
        return lines(tree.joined for tree in self.trees)

    @property
    def common_distance(self) -> Statement:
        """Distance of the closest common generalization of a seeker and another class from the leaves."""
        return total(Name(*tree.met.parts, "climbed") for tree in self.trees)

    def common_columns(self) -> dict[str, Hole]:
        """The columns of the closest common generalization (Definition 8) of a seeker and another class."""
        return {
            "levels": columns(As(Name(*tree.met.parts, "level"), tree.level) for tree in self.trees),
            "values": columns(As(Name(*tree.met.parts, "value"), tree.value) for tree in self.trees),
            "climbed": self.common_distance,
        }

    def columns_at(self, levels: Sequence[int]) -> dict[str, Hole]:
        """A member's columns at a node."""
        at = list(zip(self.trees, levels, strict=True))
        return {
            "levels": columns(As(Number(level), tree.level) for tree, level in at),
            "values": columns(As(tree.at(level), tree.value) for tree, level in at),
            "climbed": total(Number(tree.climbed[level]) for tree, level in at),
        }

    def raised_columns(self, levels: Sequence[int]) -> dict[str, Hole]:
        """The columns of a class after raising each value below its attribute's level to this level."""
        at = list(zip(self.trees, levels, strict=True))
        return {
            "levels": columns(As(tree.raised_level(least), tree.level) for tree, least in at),
            "values": columns(As(tree.raised_value(least), tree.value) for tree, least in at),
            "climbed": total(tree.raised_far(least) for tree, least in at),
            "joins": lines(tree.member(tree.first) for tree in self.trees),
        }


def total(pieces: Iterable[Hole]) -> Statement:
    """The sum over the attributes."""
    return Statement("search/kaca/values#total", attributes=Joined(tuple(pieces) or (Number(0),), "\n    + "))


def build(star: Star, weights: LevelDistances) -> Trees:
    """Create the value trees of a star's dimensions."""
    trees = tuple(starmap(partial(_build, star.session), zip(star.dimensions, weights.climbed, strict=True)))
    return Trees(trees)


def _build(session: Session, dimension: Dimension, climbed: tuple[int, ...]) -> NumberedTree:
    (members,) = session.row(Statement("search/kaca/values#members", table=dimension.table))
    tree = NumberedTree(dimension.position, dimension.height, climbed, members, dimension.table)
    tree.create(session)
    return tree


def _above(level: int) -> Name:
    return Name(f"above_{level}")
