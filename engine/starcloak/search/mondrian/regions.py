"""Regions of a table and their allowable cuts, as in Mondrian (LeFevre, DeWitt, Ramakrishnan 2006).

Li, Wong, Fu, Pei 2008, section 8, call it Multi. The relation ``mondrian_parts`` has the tuples and their region. In
each round, the next cut of every region is tried, in one set of statements for all regions.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import ClassVar

from starcloak.base.errors import HierarchyError
from starcloak.privacy.requirement import Demand
from starcloak.star.recoding.recoding import RECODING
from starcloak.star.star import Dimension, Star, children
from starcloak.statements.statement import (
    As,
    Bind,
    Hole,
    Joined,
    Literal,
    Name,
    Number,
    Statement,
    Type,
    columns,
    conditions,
    lines,
    union_all,
)
from starcloak.store.session import Session

PARTS = Name("mondrian_parts")
REGIONS = Name("mondrian_regions")
_COUNTS = Name("mondrian_counts")
CUTS = Name("mondrian_cuts")
SETTLED = Name("mondrian_settled")
_HALVES = Name("mondrian_halves")
_LEVELS = Name("mondrian_levels")
_SIDES = Name("mondrian_sides")
_WIDTHS = Name("mondrian_widths")

_TYPES = {31: Type("integer"), 63: Type("bigint"), 127: Type("hugeint")}


@dataclass(frozen=True)
class ValueTree:
    """The value tree (hierarchy) of one attribute, with a path for every leaf.

    A path is a whole number: the numbers of the children to follow from the root down to the leaf, in some bits per
    level. ``shifts`` has, for every level, the number of bits for the levels below. If a job sets the attribute's
    highest level, the tree may have several top values: the paths have ``bits`` additional bits to distinguish them.
    """

    dimension: Dimension
    shifts: tuple[int, ...]
    bits: int = 0

    @property
    def position(self) -> int:
        return self.dimension.position

    @property
    def paths(self) -> Name:
        return Name(f"mondrian_paths_{self.position}")

    @property
    def path(self) -> Name:
        return Name(f"path_{self.position}")

    @property
    def low(self) -> Name:
        return Name(f"low_{self.position}")

    @property
    def high(self) -> Name:
        return Name(f"high_{self.position}")

    @property
    def level(self) -> Name:
        return Name(f"level_{self.position}")

    @property
    def ends(self) -> tuple[Name, Name]:
        """The columns with the lowest and the highest path of a region's leaves in the attribute."""
        return self.low, self.high

    @property
    def child(self) -> Statement:
        """The branch for this attribute in the expression of a tuple's child value, at the cut of its region."""
        return Statement("search/mondrian/counts#path", dimension=Number(self.position), path=self.path)

    @property
    def digits(self) -> Statement:
        """The statement with the paths of the leaves. Raises :class:`HierarchyError` for a tree too deep."""
        bits = [bound for bound in _TYPES if self.shifts[-1] + self.bits <= bound]
        if not bits:
            raise HierarchyError(
                f"hierarchy of {self.dimension.attribute!r}: it has too many levels for mondrian: leave some levels out"
            )
        pieces = tuple(
            Statement(
                "search/kaca/paths#digit",
                above=Name(f"ancestor_{level + 1}"),
                below=Name(f"ancestor_{level}"),
                mark=Number(1 << shift),
            )
            for level, shift in enumerate(self.shifts[:-1])
        )
        if self.bits:
            top = Name(f"ancestor_{self.dimension.height}")
            pieces += (Statement("search/kaca/paths#top", below=top, mark=Number(1 << self.shifts[-1])),)
        columns_known = ("code", "number") if self.dimension.numeric else ("code",)
        shape: dict[str, Hole] = {"digits": Joined(pieces or (Number(0),), " + "), "type": _TYPES[bits[0]]}
        shape["columns"] = columns(map(Name, columns_known))
        return Statement("search/mondrian/paths", **shape, table=self.dimension.table)

    @property
    def common(self) -> Statement:
        """The expression of the lowest level with a single value for all leaves of a region."""
        levels = (
            Statement(
                "search/mondrian/recoding#at_level",
                low=self.low,
                high=self.high,
                size=Number(1 << shift),
                level=Number(level),
            )
            for level, shift in enumerate(self.shifts)
            if level >= self.dimension.lowest
        )
        return Statement("search/mondrian/recoding#common", levels=Joined(tuple(levels), " "))

    @property
    def steps(self) -> list[tuple[int, int, int]]:
        """For each level above the leaves: the level, and two numbers of bits of a path.

        These are the bits for levels below the next lower level, and for levels below this level. A hierarchy without
        such levels has one entry, (0, 0, 0), that separates no two leaves.
        """
        return [(level, *between) for level, between in enumerate(pairwise(self.shifts), 1)] or [(0, 0, 0)]

    @property
    def levels(self) -> list[Statement]:
        """The statements of the levels of ``steps``: for each one, the path differences of leaves that it joins."""
        return [
            Statement(
                "search/mondrian/level",
                dimension=Number(self.position),
                level=Number(level),
                reach=Number(1 << below),
                until=Number((1 << above) - 1),
                above=Number(above),
                shift=Number(below),
            )
            for level, below, above in self.steps
        ]

    @property
    def value(self) -> Statement:
        """The expression of the level and value of a cell in an existing recoding."""
        holes: dict[str, Hole] = {"level": Name("recoding", *self.level.parts), "path": Name(*self.paths.parts, "path")}
        shifts = Joined(tuple(map(Number, self.shifts)), ", ")
        return Statement("search/mondrian/parts#value_at", **holes, shifts=shifts)

    @property
    def cut_points(self) -> Statement:
        """The statement of the possible ends of ranges of a numeric attribute."""
        return Statement("search/ranges/ends", table=self.dimension.table)

    @property
    def ended(self) -> Name:
        """The relation of the leaves of a numeric attribute, with the cut points before and after each number."""
        return Name(f"mondrian_ends_{self.position}")

    @property
    def range(self) -> Statement:
        """The columns with the text of a region's range in a numeric attribute, and the share of leaves covered."""
        top: Hole = Statement("hierarchy/top")
        whole = Literal("any number") if self.dimension.missing else top
        label = Statement(
            "search/ranges/ends#label",
            low=Name(*self.low.parts, "low"),
            high=Name(*self.high.parts, "high"),
            whole=whole,
        )
        holes: dict[str, Hole] = {"paths": self.paths, "low": self.low, "high": self.high, "label": label, "top": top}
        named = {kind: Name(f"{kind}_{self.position}") for kind in ("text", "share")}
        return Statement("search/mondrian/recoding#range", **holes, **named)

    @property
    def importance(self) -> Bind:
        """The bind with the attribute's importance, a factor of its width."""
        return Bind(f"importance_{self.position}")

    @property
    def choice(self) -> Statement:
        """The expression of the attribute as a candidate for cuts: its position, and a region's first and last leaf."""
        return Statement("search/mondrian/cuts#choice", dimension=Number(self.position), low=self.low, high=self.high)


@dataclass(frozen=True)
class Regions:
    """The regions of one run, in relations of the session.

    ``parts`` has the region of each tuple (part), ``known`` the first and last leaf of each region, ``cuts`` the cuts
    left to try. ``demand`` is the condition on every region. With ``relaxed``, numeric attributes are cut in halves of
    equal size, and ``seed`` divides the rows of the median. With ``again``, the groups of the existing recoding are the
    first regions.
    """

    star: Star
    trees: tuple[ValueTree, ...]
    demand: Demand
    relaxed: bool
    again: bool
    seed: int

    known: ClassVar[Name] = REGIONS
    parts: ClassVar[Name] = PARTS
    counts: ClassVar[Name] = _COUNTS
    cuts: ClassVar[Name] = CUTS
    sides: ClassVar[Name] = _SIDES

    @property
    def session(self) -> Session:
        return self.star.session

    @cached_property
    def paths(self) -> Joined:
        return columns([*(tree.path for tree in self.trees), *self._held])

    @cached_property
    def _held(self) -> list[Name]:
        """The columns of ``parts`` with aggregates of sensitive attributes."""
        return [aggregate.column for aggregate in self.star.carried]

    @cached_property
    def child(self) -> Statement:
        pieces = (
            Statement("search/mondrian/counts#half", dimension=Number(tree.position))
            if self.relaxed and tree.dimension.numeric
            else tree.child
            for tree in self.trees
        )
        return Statement("search/mondrian/counts#child", paths=Joined(tuple(pieces), " "))

    @cached_property
    def numeric(self) -> list[ValueTree]:
        return [tree for tree in self.trees if tree.dimension.numeric]

    @cached_property
    def _positions(self) -> Joined:
        """A list with the positions of all numeric attributes, and 0, so that the list is never empty."""
        return Joined((Number(0), *(Number(tree.position) for tree in self.numeric)), ", ")

    @property
    def cut_in_two(self) -> Hole:
        """The positions of the numeric attributes cut between two numbers, and 0; only 0 if cut in halves (relaxed)."""
        return Number(0) if self.relaxed else self._positions

    @cached_property
    def spans(self) -> list[Statement]:
        """The expressions of a region's lowest and highest path in every attribute."""
        return [
            Statement("search/mondrian/regions#span", path=tree.path, low=tree.low, high=tree.high)
            for tree in self.trees
        ]

    @cached_property
    def new(self) -> Statement:
        """The statement of the regions with an id above the bind ``known``, each with its first and last leaves."""
        return Statement("search/mondrian/regions", spans=columns(self.spans), parts=PARTS)

    def choices(self, *, least: int) -> Statement:
        """The statement of possible cuts of regions with an id above the bind ``known``, the widest attribute first.

        Regions with fewer than twice ``least`` rows have no cut.
        """
        choices = Joined(tuple(tree.choice for tree in self.trees), ", ")
        return Statement(
            "search/mondrian/cuts",
            choices=choices,
            regions=REGIONS,
            levels=_LEVELS,
            widths=_WIDTHS,
            twice=Number(2 * least),
        )

    @cached_property
    def _choices(self) -> Statement:
        return self.choices(least=self.demand.least_rows)

    @cached_property
    def _sided(self) -> dict[str, Hole]:
        """The holes for aggregates of sensitive attributes on the two sides of each possible cut between numbers."""
        frames = {"left": "search/mondrian/sides#up_to", "right": "search/mondrian/sides#beyond"}
        numbered = list(enumerate(self._held, 1))
        carried = list(enumerate(self.star.carried, 1))
        running: dict[str, Hole] = {
            side: _after(column.of_side(Statement(frame), Name(f"{side}_{number}")) for number, column in carried)
            for side, frame in frames.items()
        }
        frequencies = {
            f"of_{side}": _after(As(Name(f"{side}_{number}"), numbered_column) for number, numbered_column in numbered)
            for side in frames
        }
        return {**running, **frequencies, "rights": _after(Name(f"right_{number}") for number, _ in numbered)}

    def begin(self) -> None:
        """Create the relations, with the first regions and their cuts.

        All tuples are in one region. If the job sets the highest level of attributes, tuples with the same top values
        share a region. With ``again``, tuples of the same group of the existing recoding share a region.
        """
        for tree in self.trees:
            self.session.create(tree.paths, tree.digits)
        self._measure_widths()
        self.session.create(_LEVELS, union_all(level for tree in self.trees for level in tree.levels))
        named = (As(Name(*tree.paths.parts, "path"), tree.path) for tree in self.trees)
        columns_held = [Name("star", *column.parts) for column in self._held] if self.again else self._held
        shape: dict[str, Hole] = {"paths": columns([*named, *columns_held]), "star": self.star.facts}
        if self.again:
            leaves = [Name("recoding", f"code_{tree.position}") for tree in self.trees]
            same = (
                Statement("search/mondrian/parts#leaf", leaf=Name("star", *tree.dimension.column(0).parts), code=code)
                for tree, code in zip(self.trees, leaves, strict=True)
            )
            shape |= {"recoding": RECODING, "values": Joined(tuple(tree.value for tree in self.trees), ", ")}
            shape |= {"leaves": conditions(same)}
        else:
            leaves = [tree.dimension.column(0) for tree in self.trees]
            tops = Joined(tuple(d.column(d.height) for d in self.star.capped), ", ")
            statement = Statement("search/mondrian/parts#one")
            shape["region"] = Statement("search/mondrian/parts#by_top", tops=tops) if self.star.capped else statement
        joins = (
            Statement("star/recoding/single_dimension#member", table=tree.paths, code=leaf)
            for tree, leaf in zip(self.trees, leaves, strict=True)
        )
        shape |= {"joins": lines(joins)}
        begun = Statement("search/mondrian/parts#groups" if self.again else "search/mondrian/parts", **shape)
        self.session.create(PARTS, begun)
        if self.again:
            # One that was received at hand is temporary, and would hide the one to come.
            self.session.drop(RECODING)
        self.session.create(REGIONS, self.new, {"known": 0})
        self.session.create(CUTS, self._choices, {"known": 0})

    def _measure_widths(self) -> None:
        """Create the relation of widths: of every value, and the place of every number, times the importance."""
        widths = (
            Statement(
                "search/mondrian/places#widths",
                dimension=Number(tree.position),
                level=Number(level),
                shift=Number(shift),
                importance=tree.importance,
                paths=tree.paths,
            )
            for tree in self.trees
            for level, _, shift in tree.steps
        )
        places = (
            Statement(
                "search/mondrian/places",
                dimension=Number(tree.position),
                importance=tree.importance,
                paths=tree.paths,
            )
            for tree in self.numeric
        )
        binds = {tree.importance.name: float(tree.dimension.importance) for tree in self.trees}
        self.session.create(_WIDTHS, union_all([*widths, *places]), binds)

    def cut(self, *, known: int) -> None:
        """Perform a round: the next cut of every region is made if allowable, otherwise removed from the cuts to try.

        ``known`` is the highest id of a region before the round.
        """
        session = self.session
        shared: dict[str, Hole] = {"child": self.child, "parts": self.halves(), "cuts": CUTS}
        session.create(_COUNTS, Statement("search/mondrian/counts", **shared, merged=self.star.merged))
        judged: dict[str, Hole] = {"merged": self.star.merged, "violating": self.demand.violating, **self._sided}
        judged |= {"counts": _COUNTS, "cuts": CUTS, "numeric": self.cut_in_two}
        session.create(_SIDES, Statement("search/mondrian/sides", **judged), {"known": known})
        session.create(PARTS, Statement("search/mondrian/parts#moved", **shared, paths=self.paths, sides=_SIDES))
        session.create(CUTS, Statement("search/mondrian/cuts#refused", cuts=CUTS, sides=_SIDES))
        session.insert(REGIONS, self.new, {"known": known})
        session.insert(CUTS, self._choices, {"known": known})

    def halves(self) -> Name:
        """The relation of parts. If relaxed, a new one with the half (0 or 1) of each part in a numeric cut."""
        if not (self.relaxed and self.numeric):
            return PARTS
        holes: dict[str, Hole] = {"parts": PARTS, "cuts": CUTS, "paths": self.paths, "numeric": self._positions}
        holes |= {"numbers": Joined(tuple(tree.child for tree in self.numeric), " ")}
        self.session.create(_HALVES, Statement("search/mondrian/parts#halved", **holes), {"seed": self.seed})
        return _HALVES

    def progress(self) -> tuple[int, int]:
        """The count of regions that still have a cut to try, and the highest id of a region."""
        cutting, last = self.session.row(Statement("search/mondrian/progress", cuts=CUTS, regions=REGIONS))
        return cutting, last

    def recode(self) -> None:
        """Create the recoding relation."""
        codes = (As(Name(*tree.paths.parts, "code"), Name(f"code_{tree.position}")) for tree in self.trees)
        joins = [_leaf(tree.paths, tree.paths, Name("part", *tree.path.parts)) for tree in self.trees]
        for tree in self.numeric:
            self.session.create(
                tree.ended, Statement("search/ranges/ends#of_paths", paths=tree.paths, ends=tree.cut_points)
            )
            joins += [_leaf(tree.ended, end, Name("region", *end.parts)) for end in tree.ends]
        ranges = (tree.range for tree in self.numeric)
        self.session.create(
            RECODING,
            Statement(
                "search/mondrian/recoding",
                codes=columns([*codes, *(Name("part", *column.parts) for column in self._held)]),
                levels=columns(As(tree.common, tree.level) for tree in self.trees),
                names=columns(tree.level for tree in self.trees),
                ranges=Joined(tuple(ranges), ""),
                settled=SETTLED,
                regions=REGIONS,
                joins=lines(joins),
            ),
        )
        if self.relaxed or self.again:
            names = [Name(f"{kind}_{tree.position}") for kind in ("code", "level") for tree in self.trees]
            names += [Name(f"{kind}_{tree.position}") for kind in ("text", "share") for tree in self.numeric]
            self.session.create(
                RECODING,
                Statement("search/mondrian/merged", columns=columns(names), merged=self.star.merged, recoding=RECODING),
            )

    def drop(self) -> None:
        """Drop all relations of the regions, except the recoding."""
        self.session.drop(PARTS, REGIONS, CUTS, SETTLED, _COUNTS, _HALVES, _LEVELS, _SIDES, _WIDTHS)
        self.session.drop(*(tree.paths for tree in self.trees), *(tree.ended for tree in self.numeric))


def _after(pieces: Iterable[Hole]) -> Joined:
    """Columns, possibly none, each after a comma."""
    return Joined(tuple(Statement("search/mondrian/sides#further", column=piece) for piece in pieces), "")


def _leaf(paths: Name, name: Name, path: Name) -> Statement:
    return Statement("search/mondrian/recoding#leaf", paths=paths, leaf=name, path=path)


def trees_of(star: Star) -> tuple[ValueTree, ...]:
    most, trees = children(star), []
    for dimension in star.dimensions:
        shifts = [0]
        for level in range(dimension.height):
            shifts.append(shifts[-1] + (most[dimension.position, level] - 1).bit_length())
        trees.append(ValueTree(dimension, tuple(shifts), _bits_of_tops(star, dimension)))
    return tuple(trees)


def _bits_of_tops(star: Star, dimension: Dimension) -> int:
    """Number of bits that distinguish the values at the top of an attribute: 0 for a single one."""
    if not dimension.capped:
        return 0
    top = Name(f"ancestor_{dimension.height}")
    (tops,) = star.session.row(Statement("search/mondrian/paths#tops", top=top, table=dimension.table))
    return (int(tops) - 1).bit_length()
