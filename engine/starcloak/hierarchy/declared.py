"""Hierarchies that are declared leaf by leaf, and bounded."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from starcloak.base import job_limits
from starcloak.hierarchy import spelling
from starcloak.hierarchy.builder import TOP, Builder, BuildPlace
from starcloak.hierarchy.members import check_levels
from starcloak.statements.statement import As, Name, Statement, columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DECLARED, _INCOMING, _ONCE = Name("declared"), Name("lines"), Name("once")
_TOGETHER = 10_000  # lines that are received at once

_Line = TypeVar("_Line", bound=Sequence[str | None])


class Declared(Builder):
    """A hierarchy of lines: leaf, level 1, …, top."""

    @abstractmethod
    def declare(self, place: BuildPlace, into: Name) -> int:
        """Create the relation of the lines, ``level_0, level_1, …``; returns the height."""

    @property
    def remedy(self) -> str:
        return "declare a leaf for each"

    def near(self, place: BuildPlace) -> str:
        return spelling.near(place)

    def members(self, place: BuildPlace) -> int:
        session = place.session
        height = self.declare(place, _DECLARED)
        spelling.respell(place, _DECLARED, height)
        lines = _once(place, height)
        check_levels(place, lines, height)
        levels = columns(Name("declared", f"level_{level}") for level in range(1, height + 1))
        session.create(place.into, Statement("hierarchy/declared", levels=levels, declared=lines, domain=place.domain))
        session.drop(_DECLARED, _ONCE)
        return height


def receive(place: BuildPlace, lines: Iterable[Sequence[str | None]], into: Name) -> int:
    """Keep the lines of a hierarchy, as level_0, level_1, …; returns its height."""
    rest, height = bound_lines(place, lines), -1
    # Some at a time: as Python's own texts they would take ten times the memory.
    while some := list(islice(rest, _TOGETHER)):
        arrays = {f"level_{level}": _texts(cells) for level, cells in enumerate(zip(*some, strict=True))}
        cells = columns(As(Statement("hierarchy/cast", column=name), name) for name in map(Name, arrays))
        read = Statement("hierarchy/declared#lines", levels=cells, lines=_INCOMING)
        place.session.receive(into, _INCOMING, arrays, read, more=height >= 0)
        height = len(arrays) - 1
    if height < 0:
        raise place.wrong("it has no leaf: give a line for each value")
    return height


def bound_lines(place: BuildPlace, lines: Iterable[_Line]) -> Iterator[_Line]:
    """Lines, as long as they are no more and no longer than a hierarchy may have them."""
    characters = 0
    for leaves, line in enumerate(lines, 1):
        characters += sum([len(cell) for cell in line if cell])
        if leaves > job_limits.MOST_LEAVES or characters > job_limits.MOST_CHARACTERS:
            raise place.wrong(
                f"more than {job_limits.MOST_LEAVES:,} leaves, or {job_limits.MOST_CHARACTERS:,} characters over all "
                "levels: it has to be a table of the source's database"
            )
        if len(line) > job_limits.MOST_LEVELS + 1:
            raise place.too_high()
        yield line


def _texts(cells: Sequence[str | None]) -> NDArray[np.object_]:
    """Texts, as the working store receives them: Arrow would import pandas to look at them."""
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array


def _once(place: BuildPlace, height: int) -> Name:
    """The relation of the lines, each of them once. A line that is there twice says nothing new."""
    if not _leaves_twice(place, _DECLARED):
        return _DECLARED
    levels = columns(Name(f"level_{level}") for level in range(height + 1))
    rows = Statement("hierarchy/declared#once", levels=levels, declared=_DECLARED)
    (lines,) = place.session.row(Statement("hierarchy/declared#count", declared=_DECLARED))
    repeated = lines - place.session.create(_ONCE, rows)
    if twice := _leaves_twice(place, _ONCE):
        holes = {"below": Name("level_0"), "above": Name("level_1"), "declared": _ONCE}
        (split,) = place.session.row(Statement("hierarchy/problems#two_parents", **holes))
        problem = f"{split} leaves have two parents" if split else f"{twice} leaves are declared twice"
        raise place.wrong(f"{problem}: declare each leaf once")
    again = "line repeats another" if repeated == 1 else "lines repeat others"
    place.host.warnings.append(f"hierarchy of {place.column.name!r}: {repeated:,} {again}: taken once")
    return _ONCE


def _leaves_twice(place: BuildPlace, lines: Name) -> int:
    (twice,) = place.session.row(Statement("hierarchy/declared#leaves_twice", declared=lines))
    return int(twice)


def with_top(lines: Sequence[Sequence[str | None]]) -> Iterator[Sequence[str | None]]:
    """Lines that end in one value: all in their own, if it is the same one, or in a further ``*``."""
    whole = len({line[-1] for line in lines}) == 1 and all(len(line) > 1 for line in lines)
    return (line if whole else [*line, TOP] for line in lines)


def text(value: object) -> str:
    """A value of a job as a database tells it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
