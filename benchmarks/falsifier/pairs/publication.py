"""A release as its readers see it, matched with the hidden rows; and what several of them do not tell apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.falsifier.hosts import Released
from benchmarks.falsifier.pairs.world import ROW, Night, World
from benchmarks.falsifier.values import text

Cells = tuple[str | None, ...]


@dataclass(frozen=True)
class Publication:
    """Publication of one night: the cells of each hidden row, as a reader sees them.

    There is no ``report`` of a run that was killed.
    """

    released: Released
    report: dict[str, Any] | None
    place: Any
    names: tuple[str, ...]
    cells: Mapping[int, Cells]
    kept: Mapping[int, Mapping[str, Any]]
    strangers: int


def publication(
    world: World, night: Night, rows: Released, report: dict[str, Any] | None, place: Any
) -> Publication:  # fmt: skip
    """Match released rows with hidden ones."""
    numbers = {written: number for number, written in world.texts.items()}
    names = tuple(column.name for column in night.truth.quasi_identifiers)
    kinds = {column.name: column.kind for column in night.truth.columns}
    cells: dict[int, Cells] = {}
    kept: dict[int, Mapping[str, Any]] = {}
    strangers = 0
    for row in rows.rows:
        named = dict(zip(rows.names, row, strict=True))
        number = numbers.get(str(named.get(ROW)))
        if number is None or number in cells:
            strangers += 1
            continue
        cells[number] = tuple(as_text(named[name], kinds[name]) for name in names)
        kept[number] = {name: named[name] for name in rows.names if name not in (*names, ROW)}
    return Publication(rows, report, place, names, cells, kept, strangers)


def as_text(cell: Any, kind: str) -> str | None:
    """A released cell as a text."""
    return cell if cell is None or isinstance(cell, str) else text(cell, kind)


def cells_at(shown: Publication, number: int, names: Sequence[str]) -> Cells | None:
    """Cells of some columns of a hidden row, None if it was not released."""
    cells = shown.cells.get(number)
    return None if cells is None else tuple(cells[shown.names.index(name)] for name in names)


def groups_of(published: Sequence[Publication], names: Sequence[str]) -> list[list[int]]:
    """The hidden rows that all publications together do not tell apart over some columns."""
    found: dict[Hashable, list[int]] = defaultdict(list)
    for number in {number for shown in published for number in shown.cells}:
        found[tuple(cells_at(shown, number, names) for shown in published)].append(number)
    return list(found.values())
