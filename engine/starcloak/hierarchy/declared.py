"""Hierarchies that are declared leaf by leaf, and bounded."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from starcloak import extent
from starcloak.hierarchy.builder import TOP, Builder, Place
from starcloak.hierarchy.members import check_levels
from starcloak.statement import Hole, Name, Statement, columns

if TYPE_CHECKING:
    import pyarrow

_DECLARED, _INCOMING, _ONCE = Name("declared"), Name("lines"), Name("once")

_Line = TypeVar("_Line", bound=Sequence[str | None])


class Declared(Builder):
    """A hierarchy of lines: leaf, level 1, …, top."""

    @abstractmethod
    def declare(self, place: Place, into: Name) -> int:
        """Create the relation of the lines, ``level_0, level_1, …``; returns the height."""

    @property
    def remedy(self) -> str:
        return "declare a leaf for each"

    def members(self, place: Place) -> int:
        session = place.session
        height = self.declare(place, _DECLARED)
        lines = _once(place, height)
        check_levels(place, lines, height)
        levels = columns(Name("declared", f"level_{level}") for level in range(1, height + 1))
        holes: dict[str, Hole] = {"levels": levels, "declared": lines, "domain": place.domain}
        session.create(place.into, Statement("hierarchy/declared", holes))
        session.drop(_DECLARED, _ONCE)
        return height


def received(place: Place, lines: Iterable[Sequence[str | None]], into: Name) -> int:
    """Keep the lines of a hierarchy, as level_0, level_1, …; returns its height."""
    given = _table(place, lines)
    levels: list[str] = given.column_names
    rows = Statement("hierarchy/lines", {"levels": columns(map(Name, levels)), "lines": _INCOMING})
    place.session.receive(into, _INCOMING, given.to_reader(), rows)
    return len(levels) - 1


def bounded(place: Place, lines: Iterable[_Line]) -> Iterator[_Line]:
    """Lines, as long as they are no more and no longer than a hierarchy may have them."""
    characters = 0
    for leaves, line in enumerate(lines, 1):
        characters += sum([len(cell) for cell in line if cell])
        if leaves > extent.MOST_LEAVES or characters > extent.MOST_CHARACTERS:
            raise place.wrong(
                f"more than {extent.MOST_LEAVES:,} leaves, or {extent.MOST_CHARACTERS:,} characters over all levels: "
                "it has to be a table of the source's database"
            )
        if len(line) > extent.MOST_LEVELS + 1:
            raise place.too_high()
        yield line


def _table(place: Place, lines: Iterable[Sequence[str | None]]) -> pyarrow.Table:
    import pyarrow

    rest, batches = bounded(place, lines), []
    # Some at a time: as Python's own texts they would take ten times the memory.
    while some := list(islice(rest, 10_000)):
        cells = [pyarrow.array(level, pyarrow.string()) for level in zip(*some, strict=True)]
        batches.append(pyarrow.record_batch(cells, names=[f"level_{level}" for level in range(len(cells))]))
    if not batches:
        raise place.wrong("it has no leaf")
    return pyarrow.Table.from_batches(batches)


def _once(place: Place, height: int) -> Name:
    """The relation of the lines, each of them once. A line that is there twice says nothing new."""
    if not _leaves_twice(place, _DECLARED):
        return _DECLARED
    levels = columns(Name(f"level_{level}") for level in range(height + 1))
    rows = Statement("hierarchy/once", {"levels": levels, "declared": _DECLARED})
    (lines,) = place.session.row(Statement("hierarchy/count", {"declared": _DECLARED}))
    repeated = lines - place.session.create(_ONCE, rows)
    if twice := _leaves_twice(place, _ONCE):
        holes = {"below": Name("level_0"), "above": Name("level_1"), "declared": _ONCE}
        (split,) = place.session.row(Statement("hierarchy/two_parents", holes))
        problem = f"{split} leaves have two parents" if split else f"{twice} leaves are declared twice"
        raise place.wrong(f"{problem}: declare each leaf once")
    again = "line repeats another" if repeated == 1 else "lines repeat others"
    place.host.warnings.append(f"hierarchy of {place.column.name!r}: {repeated:,} {again}: taken once")
    return _ONCE


def _leaves_twice(place: Place, lines: Name) -> int:
    (twice,) = place.session.row(Statement("hierarchy/leaves_twice", {"declared": lines}))
    return int(twice)


def topped(lines: Sequence[Sequence[str | None]]) -> Iterator[Sequence[str | None]]:
    """Lines that end in one value: all in their own, if it is the same one, or in a further ``*``."""
    whole = len({line[-1] for line in lines}) == 1 and all(len(line) > 1 for line in lines)
    return (line if whole else [*line, TOP] for line in lines)


def text(value: object) -> str:
    """A value of a job as a database tells it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
