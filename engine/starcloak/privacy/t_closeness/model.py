"""t-closeness (Li, Li, Venkatasubramanian 2007) with equal, ordered and hierarchical distance of values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from starcloak.base.errors import JobError, OutputError
from starcloak.base.settings import Exact
from starcloak.hierarchy.builder import Builder, Hierarchy
from starcloak.privacy.aggregates import Domain, Lines, counts, entries, places, whole_numbers
from starcloak.privacy.alpha.model import as_text
from starcloak.privacy.groups import beyond
from starcloak.privacy.histogram import ComparedHistogram
from starcloak.privacy.model import DbtTest, ReleasedClasses, ScriptRecount, ValueHierarchies, is_most, register
from starcloak.statements.statement import Hole, Joined, Name, Number, Statement
from starcloak.statements.statement import Literal as Text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from starcloak.privacy.groups import Groups, Integers, Pairs


# Counts of groups and values that are in memory together, near the processor.
_CELLS = 1 << 17


@register
class TCloseness(ValueHierarchies, ScriptRecount, DbtTest, ComparedHistogram):
    """The earth mover's distance between a class's values and the table's values is at most ``t``.

    ``distance`` is the distance of two values, scaled so that the largest one is 1. ``equal``: the same for all pairs.
    ``ordered``: the difference of the positions in ``order`` or, without an order, of the ranks of numbers.
    ``hierarchical``: the level of the lowest common ancestor in ``hierarchy``. The missing value counts as a value.
    """

    key: ClassVar[str] = "t_closeness"
    source: ClassVar[str] = "Li, Li, Venkatasubramanian 2007, with equal, ordered and hierarchical distance"
    monotone: ClassVar[bool] = True
    superset_closed: ClassVar[bool] = False

    missing: Literal["none", "value"] = "value"
    t: Annotated[Exact, Field(ge=0, le=1)]
    distance: Literal["equal", "ordered", "hierarchical"] = "equal"
    order: Annotated[tuple[Annotated[str | None, BeforeValidator(as_text)], ...], Field(min_length=1)] | None = None
    hierarchy: Hierarchy | None = None

    @model_validator(mode="after")
    def _what_the_distance_needs(self) -> TCloseness:
        if self.order is not None and self.distance != "ordered":
            raise PydanticCustomError(
                "t_closeness", "order is for distance: ordered only: leave order out, or write distance: ordered"
            )
        if self.order is not None and len(set(self.order)) < len(self.order):
            raise PydanticCustomError("t_closeness", "a value is in the order twice: name each value once")
        if (self.hierarchy is not None) != (self.distance == "hierarchical"):
            raise PydanticCustomError(
                "t_closeness", "a hierarchy and distance: hierarchical need each other: give both, or neither"
            )
        if self.hierarchy is not None and self.hierarchy.table_read is not None:
            raise PydanticCustomError(
                "t_closeness", "the hierarchy of a sensitive attribute must not be a table of the database: give a csv"
            )
        if self.hierarchy is not None and (self.hierarchy.from_ or self.hierarchy.to == 0):
            raise PydanticCustomError(
                "t_closeness",
                "distances compare the unchanged values of the column: leave from and to: 0 out of the hierarchy",
            )
        if self.hierarchy is not None and self.hierarchy.importance != 1:
            raise PydanticCustomError(
                "t_closeness", "importance is for quasi_identifiers only: leave importance out of this hierarchy"
            )
        if self.hierarchy is not None and self.hierarchy.max_suppressed is not None:
            raise PydanticCustomError(
                "t_closeness",
                "max_suppressed is for quasi_identifiers only, as a sensitive column is released unchanged: leave "
                "max_suppressed out of this hierarchy",
            )
        if self.hierarchy is not None and self.hierarchy.keeps_type:
            raise PydanticCustomError(
                "t_closeness",
                "suppressed: null is for quasi_identifiers only, as a sensitive column is released unchanged: leave "
                "suppressed out of this hierarchy",
            )
        return self

    @property
    def hierarchies(self) -> Mapping[str, Builder]:
        return {} if self.hierarchy is None else {self._tree: self.hierarchy}

    @property
    def _tree(self) -> str:
        """Key of the hierarchy in ``Domain.trees``: its declaration in the job as JSON."""
        return "" if self.hierarchy is None else self.hierarchy.model_dump_json()

    def over(self, domain: Domain) -> Self:
        model = super().over(domain)
        if self.distance == "ordered":
            self._places(model.domain)  # or it refuses
        return model

    def violates_by_counts(self, groups: Groups) -> NDArray[np.bool_]:
        moved, scale = self._move_costs(groups), self._scale
        return beyond(moved, Fraction(self.t) * scale * self.domain.rows, self.sizes(groups))

    def _move_costs(self, groups: Groups) -> Integers:
        """Earth mover's distance of each in-memory group from the table, as a whole number.

        It is multiplied by the group's rows, by the table's rows and by the largest distance :attr:`_scale`.
        """
        pairs = self.pairs(groups)
        if pairs is not None:
            return self._move_costs_by_pairs(pairs, self.sizes(groups))
        if self.distance == "hierarchical":
            return self._climb_costs(groups)
        sizes, codes = self.sizes(groups), self._codes
        total: Integers = np.zeros_like(sizes, np.int64)
        moved: Integers = np.zeros_like(sizes, np.int64)
        together = max(1, _CELLS // max(1, sizes.size))
        for start in range(0, len(codes), together):
            extra = self._extra(groups, codes[start : start + together], sizes)
            if self.distance == "equal":
                total += np.maximum(extra, 0, out=extra).sum(axis=0)
            else:
                for own in extra:  # a whole row of counts at once, which is quicker than numpy.cumsum
                    moved += own
                    own[...] = moved
                total += np.abs(extra, out=extra).sum(axis=0)
        return total

    def _move_costs_by_pairs(self, pairs: Pairs, sizes: Integers) -> Integers:
        levels = self.at_hand(lambda: [tuple(_as_array(numbers) for numbers in level) for level in self._levels])
        if self.distance == "ordered":
            ((places, totals),) = levels
            return self._passed_by_pairs(pairs, places, totals, sizes)
        moved: Integers = np.zeros_like(sizes, np.int64)
        for numbers, totals in levels:
            chosen = numbers[pairs.value] >= 0
            of, number, rows = pairs.of[chosen], numbers[pairs.value[chosen]], pairs.counts[chosen]
            if np.count_nonzero(numbers >= 0) > len(totals):  # nodes of a hierarchy with several values
                own, place = np.unique(of * len(totals) + number, return_inverse=True)
                of, number = np.divmod(own, len(totals))
                rows = np.bincount(place, rows, len(own)).astype(np.int64)
            np.add.at(moved, of, np.maximum(rows * self.domain.rows - sizes[of] * totals[number], 0))
        return moved

    def _passed_by_pairs(self, pairs: Pairs, places: Integers, totals: Integers, sizes: Integers) -> Integers:
        """Earth mover's distance of each group for ordered values, scaled as in :meth:`_move_costs`.

        It is the sum of abs(cumulated share of the group - cumulated share of the table) over all places in the order.
        Between two values of a group, the group's share is constant and the table's share grows: the difference changes
        its sign at most once, so that prefix sums of the table give each stretch.
        """
        whole, end = self.domain.rows, len(totals)
        place = places[pairs.value]
        order = np.argsort(pairs.of[place >= 0] * end + place[place >= 0])
        of, rows, place = (array[place >= 0][order] for array in (pairs.of, pairs.counts, place))
        running = np.concatenate(([0], np.cumsum(rows)))
        last = np.append(of[1:] != of[:-1], True)[: len(of)]
        first = np.full(len(sizes), end)
        begins = np.flatnonzero(np.append(True, of[1:] != of[:-1])[: len(of)])
        first[of[begins]] = place[begins]
        # One stretch from each value on, and one before the first value of each group.
        until = np.append(place[1:], end)[: len(of)]
        until = np.where(last, end, until)
        begun = running[:-1] - running[np.searchsorted(of, of)] + rows
        own = np.concatenate((of, np.arange(len(sizes))))
        low, high = np.concatenate((place, np.zeros_like(first))), np.concatenate((until, first))
        here = np.concatenate((begun, np.zeros_like(first))) * whole
        before = np.cumsum(totals)
        sums = np.concatenate(([0], np.cumsum(before)))
        size = sizes[own]
        tip = np.clip(np.searchsorted(before, here // np.maximum(size, 1), "right"), low, high)
        passed = here * (2 * tip - low - high) + size * (sums[low] + sums[high] - 2 * sums[tip])
        moved: Integers = np.zeros_like(sizes, np.int64)
        np.add.at(moved, own, passed)
        return moved

    @property
    def _levels(self) -> list[tuple[list[int | None], list[int]]]:
        """Per level: a list with the number of each value by its code, and a list of the table's rows by number.

        For a hierarchical distance, there is a level for each one beneath the hierarchy's top; a value's number is that
        of its ancestor, and the earth mover's distance is the sum over the levels. For another distance, there is one
        level; a value's number is its position, in the order if there is one.
        """
        codes, rows, levels = self._codes, self.domain.totals, []
        lines = self._lines if self.distance == "hierarchical" else None
        for level in range(1 if lines is None else self._scale):
            numbers, totals = list[int | None]([None] * len(rows)), list[int]()
            numbered: dict[object, int] = {}
            for code in codes:
                node = code if lines is None else lines[code][level:]
                number = numbers[code] = numbered.setdefault(node, len(numbered))
                if number == len(totals):
                    totals.append(0)
                totals[number] += rows[code]
            levels.append((numbers, totals))
        return levels

    def _climb_costs(self, groups: Groups) -> Integers:
        sizes = self.sizes(groups)
        cost: Integers = np.zeros_like(groups.sizes, np.int64)

        def visit(codes: Sequence[int], level: int) -> Integers:
            nonlocal cost
            if level == 0:
                return sum((self._extra(groups, [code], sizes)[0] for code in codes), np.zeros_like(cost))
            more, less = np.zeros_like(cost), np.zeros_like(cost)
            for children in self._children(codes, level - 1):
                extra = visit(children, level - 1)
                more += np.maximum(extra, 0)
                less += np.maximum(-extra, 0)
            cost += level * np.minimum(more, less)
            return more - less

        visit(self._codes, self._scale)
        return cost

    def _children(self, codes: Sequence[int], level: int) -> Iterator[Sequence[int]]:
        """The ``codes`` of the values beneath one node, grouped by the node's children at level ``level``."""
        children: dict[tuple[str | None, ...], list[int]] = {}
        for code in codes:
            children.setdefault(self._lines[code][level:], []).append(code)
        yield from children.values()

    def _extra(self, groups: Groups, codes: Sequence[int], sizes: Integers) -> Integers:
        """Excess of a value's share in a group over its share in the table, times the rows of both.

        The first axis has the values with these ``codes``, the other axes have the groups. ``sizes`` is the base of
        shares in each group.
        """
        extra = groups.rows_with_each(self.attribute, codes)
        extra *= self.domain.rows
        totals = np.array(self.domain.totals, np.int64)
        extra -= np.multiply.outer(totals[codes], sizes)
        return extra

    @property
    def _codes(self) -> list[int]:
        """The codes of values with rows in the table, in the values' order for an ordered distance."""
        totals = self.domain.totals
        codes = self._places(self.domain) if self.distance == "ordered" else range(len(totals))
        return [code for code in codes if totals[code]]

    @property
    def _scale(self) -> int:
        """The largest distance of two values before scaling to 1."""
        if self.distance == "equal":
            return 1
        if self.distance == "ordered":
            return max(sum(map(bool, self.domain.totals)) - 1, 1)
        return max(len(self._lines[0]) - 1, 1)

    @property
    def _lines(self) -> Lines:
        """The texts of each value, by code, at every level of the hierarchy, from the leaf to the top."""
        return self.domain.trees[self._tree]

    def _places(self, domain: Domain) -> Sequence[int]:
        """The codes of the values of ``domain`` in order. Raises :class:`JobError` for a value without a place."""
        return _in_order(domain.texts, self.order, self.attribute)

    @property
    def violating_counts(self) -> Statement:
        if self.domain.in_text:
            return self._violating(self._moved_of_text)
        codes, rows = self._codes, counts(self.domain)
        moved: Hole
        if self.distance == "equal":
            moved = Joined(tuple(_more(self._extra_of([code], rows)) for code in codes), " + ")
        elif self.distance == "ordered":
            moved = Statement(
                "privacy/t_closeness/model#along",
                rows=Joined(tuple(rows[code] for code in codes), ", "),
                size=self.size,
                totals=Joined(tuple(Number(self.domain.totals[code]) for code in codes), ", "),
                whole=Number(self.domain.rows),
                values=Number(len(codes)),
            )
        else:
            climbed = tuple(self._climbs_of(codes, self._scale, rows))
            moved = Joined(climbed or (Number(0),), " + ")
        return self._violating(moved)

    @property
    def _moved_of_text(self) -> Joined:
        moved = []
        for numbers, totals in self._levels:
            holes: dict[str, Hole] = {"size": self.size, "whole": Number(self.domain.rows)}
            if self.distance == "ordered":
                before = list(accumulate(totals))
                holes["places"] = places(self.domain, numbers)
                holes |= {"before": whole_numbers(before), "sums": whole_numbers([0, *accumulate(before)])}
                steps = (2**bit for bit in reversed(range(len(totals).bit_length())))
                holes |= {"end": Number(len(totals)), "steps": Joined(tuple(map(Number, steps)), ", ")}
                moved.append(Statement("privacy/t_closeness/model#passed", **holes))
            else:
                holes |= {"entries": entries(self.domain, numbers), "totals": whole_numbers(totals)}
                moved.append(Statement("privacy/t_closeness/model#moved", **holes))
        return Joined(tuple(moved), " + ")

    def _violating(self, moved: Hole) -> Statement:
        most = Fraction(self.t) * self._scale * self.domain.rows
        return Statement(
            "privacy/t_closeness/model#violating",
            moved=moved,
            size=self.size,
            most=Number(most.numerator),
            parts=Number(most.denominator),
        )

    def _climbs_of(self, codes: Sequence[int], level: int, rows: Sequence[Name]) -> Iterator[Statement]:
        if level == 0:
            return
        children = list(self._children(codes, level - 1))
        if len(children) > 1:
            extras = [self._extra_of(child, rows) for child in children]
            yield Statement(
                "privacy/t_closeness/model#climbed",
                level=Number(level),
                more=Joined(tuple(_more(extra) for extra in extras), " + "),
                less=Joined(tuple(_less(extra) for extra in extras), " + "),
            )
        for child in children:
            yield from self._climbs_of(child, level - 1, rows)

    def _extra_of(self, codes: Sequence[int], rows: Sequence[Name]) -> Statement:
        return Statement(
            "privacy/t_closeness/model#extra",
            rows=Joined(tuple(rows[code] for code in codes), " + "),
            size=self.size,
            whole=Number(self.domain.rows),
            total=Number(sum(self.domain.totals[code] for code in codes)),
        )

    def violation(self, name: Name, release: ReleasedClasses) -> Statement:
        domain = release.domains[self.attribute]
        farthest = 1  # unit of the distance of two values
        if self.distance == "ordered":
            farthest = len(domain.texts)
        elif self.distance == "hierarchical":
            farthest = len(domain.trees[self._tree][0])
        whole = release.rows**2 * farthest
        share = release.exact_bound(Fraction(self.t), whole, times=whole)
        sensitive, shape = release.sensitive[self.attribute], release.holes(self.attribute)
        numbers = {"t": Number(share.numerator), "parts": Number(share.denominator)}
        text = Statement("privacy/released#text", sensitive=sensitive)
        if self.distance == "equal":
            return Statement(
                "privacy/t_closeness/script#violated", value_counts=release.value_counts(self.attribute), **numbers
            )
        if self.distance == "ordered":
            return Statement(
                "privacy/t_closeness/script#ordered",
                **shape,
                **numbers,
                text=text,
                place=self._place(sensitive),
                places=Number(farthest),
            )
        lines = list(zip(domain.texts, domain.trees[self._tree], strict=True))
        height = len(lines[0][1]) - 1
        # By numbers: a collation may call the texts of two nodes equal.
        numbered: dict[tuple[int | str | None, ...], int] = {}

        def number(line: tuple[str | None, ...], level: int) -> Number:
            above = line[level:] if level < height else ()  # with `to`, one top is above the nodes of the last level
            return Number(numbered.setdefault((level, *above), len(numbered)))

        nodes = (
            Statement(
                "privacy/t_closeness/script#node",
                leaf=_literal(leaf),
                level=Number(level),
                node=number(line, level),
                parent=number(line, level + 1),
            )
            for leaf, line in lines
            for level in range(height)
        )
        return Statement(
            "privacy/t_closeness/script#hierarchical",
            **shape,
            **numbers,
            text=text,
            tree=Joined(tuple(nodes), " union all "),
            height=Number(height),
        )

    def _place(self, sensitive: Hole) -> Hole:
        """SQL expression of a script: the place of a value in the order, from 1, or its number if no order is given."""
        text = Statement("privacy/released#text", sensitive=sensitive)
        if self.order is None:
            return Statement("privacy/t_closeness/script#number", text=text)
        places = tuple(
            Statement("privacy/t_closeness/model#at", text=Text(text), place=Number(place))
            for place, text in enumerate(self.order, 1)
            if text is not None
        )
        missing: Hole = Statement("privacy/t_closeness/script#missing")
        if None in self.order:
            missing = Number(self.order.index(None) + 1)
        holes: dict[str, Hole] = {"text": text, "missing": missing}
        if not places:
            return Statement("privacy/t_closeness/script#placed_alone", **holes)
        holes["places"] = Joined(places, " ")
        return Statement("privacy/t_closeness/script#placed", **holes)

    def dbt_test(self, attributes: Sequence[str]) -> dict[str, Any]:
        share = Fraction(self.t)
        if self.hierarchy is not None:
            raise OutputError("a dbt test cannot use a hierarchy of a sensitive attribute: compile a script instead")
        more = {} if self.order is None else {"order": list(self.order)}
        numbers = {"t": share.numerator, "parts": share.denominator}
        return self.dbt_test_of_values("t_close", attributes, **numbers, distance=self.distance, **more)

    @property
    def described(self) -> str:
        return f"{self.t}-closeness of {self.attribute}, with {self.distance} distance{self.beside}"

    def reached(self, achieved: float) -> bool:
        return is_most(achieved, self.t)


@lru_cache(maxsize=16)  # every node of a search may have totals of its own, and all have the same texts
def _in_order(texts: tuple[str | None, ...], order: tuple[str | None, ...] | None, attribute: str) -> Sequence[int]:
    """The positions of ``texts``, sorted by ``order`` or as numbers. Raises :class:`JobError` for other texts."""
    if order is not None:
        places = {text: place for place, text in enumerate(order)}
        strange = sum(text not in places for text in texts)
        if strange:
            raise JobError(
                f"t_closeness of {attribute!r}: {strange} of its values are not in the order: name every value, and "
                "null for missing values"
            )
        return sorted(range(len(texts)), key=lambda code: places[texts[code]])
    numbers = [_number(text) for text in texts]
    if None in numbers:
        raise JobError(
            f"t_closeness of {attribute!r}: distance: ordered needs an order, as some values are not numbers: give "
            "order, a list of all values"
        )
    if len(set(numbers)) < len(numbers):
        raise JobError(
            f"t_closeness of {attribute!r}: different texts stand for the same number, such as 1 and 1.0: give "
            "order, a list of all values"
        )
    return sorted(range(len(numbers)), key=lambda code: numbers[code] or 0)


def _as_array(numbers: Sequence[int | None]) -> Integers:
    """Whole numbers as an array, with -1 for None."""
    return np.array([-1 if number is None else number for number in numbers], np.int64)


def _more(extra: Statement) -> Statement:
    return Statement("privacy/t_closeness/model#more", extra=extra)


def _less(extra: Statement) -> Statement:
    return Statement("privacy/t_closeness/model#less", extra=extra)


def _literal(text: str | None) -> Hole:
    return Statement("privacy/t_closeness/script#missing") if text is None else Text(text)


def _number(text: str | None) -> Decimal | None:
    """A text as a number, exact at any length and exponent; None if it is not a number."""
    try:
        number = Decimal((text or "").strip())
    except InvalidOperation:
        return None
    return number if number.is_finite() else None
