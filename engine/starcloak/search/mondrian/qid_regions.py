"""Further cuts of regions for several QIDs, each with its own k (Fung, Wang, Yu 2007, Definition 1).

A group of a QID consists of all regions with the same values of the QID's attributes. A region may have fewer rows than
any k, as long as its group in each QID has the QID's k rows. So a cut is judged by its effect on the groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from starcloak.privacy.requirement import Demand
from starcloak.statements.statement import As, Hole, Joined, Name, Number, Statement, columns, union_all

if TYPE_CHECKING:
    from starcloak.search.mondrian.regions import Regions, ValueTree
    from starcloak.store.session import Session

_AGREED = Name("mondrian_agreed")
_ALLOWABLE = Name("mondrian_allowable")
_CHANGES = Name("mondrian_changes")
_GROUPS = Name("mondrian_groups")
_TRIED = Name("mondrian_tried")

_FRAMES = {"left": Statement("search/mondrian/sides#up_to"), "right": Statement("search/mondrian/sides#beyond")}


def cut_on(regions: Regions, demands: Sequence[Demand]) -> int:
    """Cut regions further, as long as all groups of each QID have the QID's k rows; returns the number of rounds.

    No region of the result can be cut by itself; several regions sharing a group may have an allowable cut together.
    All regions try their next cuts at once, each against the current groups, and as many allowable cuts are made as can
    be made together. A group that has grown since may allow a cut refused before, so all cuts are tried again until
    none is made.
    """
    further = _Further(regions, tuple(demands))
    rounds, before, regions_known = 0, -1, 0
    while regions_known != before:
        cutting, before = further.begin()
        regions_known = before
        while cutting:
            rounds += 1
            regions.session.report(f"search: {regions_known:,} regions, {cutting:,} of them to be cut")
            cutting, regions_known = further.cut(known=regions_known)
    regions.session.drop(_AGREED, _ALLOWABLE, _CHANGES, _GROUPS, _TRIED)
    return rounds


@dataclass(frozen=True)
class _Further:
    regions: Regions
    demands: tuple[Demand, ...]

    @property
    def session(self) -> Session:
        return self.regions.session

    @cached_property
    def _spans(self) -> list[Name]:
        return [end for tree in self.regions.trees for end in tree.ends]

    @cached_property
    def _choices(self) -> Statement:
        return self.regions.choices(least=1)

    def begin(self) -> tuple[int, int]:
        """Queue all cuts of all regions anew; returns the number of regions with a cut, and the highest region id."""
        self.session.create(self.regions.known, self.regions.new, {"known": 0})
        self.session.create(self.regions.cuts, self._choices, {"known": 0})
        return self.regions.progress()

    def cut(self, *, known: int) -> tuple[int, int]:
        """Try the next cut of every region; returns the number of regions with another cut, and the highest region id.

        ``known`` is the highest region id before.
        """
        regions, session = self.regions, self.session
        shared: dict[str, Hole] = {"child": regions.child, "parts": regions.halves(), "cuts": regions.cuts}
        counted = columns([Statement("star/frequency/rollup#counted"), *regions.spans])
        session.create(regions.counts, Statement("search/mondrian/counts", **shared, merged=counted))
        session.create(_TRIED, self._tried)
        session.create(_CHANGES, self._changes)
        session.create(_GROUPS, union_all(self._groups))
        judged: dict[str, Hole] = {"changes": _CHANGES, "groups": _GROUPS}
        session.create(_ALLOWABLE, Statement("search/mondrian/qids#allowable", tried=_TRIED, **judged))
        session.create(_AGREED, Statement("search/mondrian/qids#agreed", allowable=_ALLOWABLE, **judged))
        chosen: dict[str, Hole] = {"cuts": regions.cuts, "agreed": _AGREED}
        sides = Statement("search/mondrian/qids#sides", **chosen, counts=regions.counts, numeric=regions.cut_in_two)
        session.create(regions.sides, sides, {"known": known})
        moved = Statement("search/mondrian/qids#moved", **shared, paths=regions.paths, sides=regions.sides)
        session.create(regions.parts, moved)
        session.create(regions.cuts, Statement("search/mondrian/qids#next", **chosen, allowable=_ALLOWABLE))
        session.create(regions.known, regions.new, {"known": 0})
        session.insert(regions.cuts, self._choices, {"known": known})
        return regions.progress()

    @property
    def _tried(self) -> Statement:
        running = (
            Statement("search/mondrian/qids#running", end=end, frame=frame, side=_of(side, name))
            for tree in self.regions.trees
            for name, end in _ends(tree)
            for side, frame in _FRAMES.items()
        )
        sides = {side: columns(As(_of(side, name), name) for name in self._spans) for side in _FRAMES}
        holes: dict[str, Hole] = {"running": columns(running), "spans": columns(self._spans), **sides}
        holes |= {"counts": self.regions.counts, "cuts": self.regions.cuts, "numeric": self.regions.cut_in_two}
        return Statement("search/mondrian/qids", **holes)

    @cached_property
    def _cells(self) -> list[Joined]:
        """For each QID, the expressions of a region's generalized values in the QID's attributes."""
        return [
            Joined(tuple(_cell(tree) for tree in self.regions.trees if tree.dimension.attribute in names), ", ")
            for names in (demand.attributes for demand in self.demands)
        ]

    @property
    def _changes(self) -> Statement:
        of_sides = (
            Statement(
                "search/mondrian/qids#of_sides",
                qid=Number(number),
                least=Number(demand.least_rows),
                cells=cells,
                tried=_TRIED,
                regions=self.regions.known,
            )
            for number, (demand, cells) in enumerate(zip(self.demands, self._cells, strict=True), 1)
        )
        return Statement("search/mondrian/qids#changes", of_sides=union_all(of_sides))

    @property
    def _groups(self) -> list[Statement]:
        return [
            Statement("search/mondrian/qids#groups", qid=Number(number), cells=cells, regions=self.regions.known)
            for number, cells in enumerate(self._cells, 1)
        ]


def _ends(tree: ValueTree) -> list[tuple[Name, Statement]]:
    return [
        (tree.low, Statement("search/mondrian/qids#low", low=tree.low)),
        (tree.high, Statement("search/mondrian/qids#high", high=tree.high)),
    ]


def _of(side: str, end: Name) -> Name:
    return Name(f"{side}_{end.parts[0]}")


def _cell(tree: ValueTree) -> Statement:
    """The expression of a region's generalized value in an attribute: a range of numbers or a hierarchy's value."""
    if tree.dimension.numeric:
        return Statement("search/mondrian/qids#range", low=tree.low, high=tree.high, paths=tree.paths)
    shifts = Joined(tuple(map(Number, tree.shifts)), ", ")
    return Statement("search/mondrian/qids#cell", level=tree.common, low=tree.low, shifts=shifts)
