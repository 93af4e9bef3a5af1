"""Adult, or rows of it within a population, as arrays; it shares nothing with starcloak."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from benchmarks.arx_tests.cases import COLUMNS

Integers: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Levels: TypeAlias = tuple[int, ...]
Row: TypeAlias = Sequence[str]

SENSITIVE = "occupation"


def rows_of(path: Path) -> list[list[str]]:
    """The rows of a file, without its header."""
    return _lines(path)[1:]


def _lines(path: Path) -> list[list[str]]:
    with open(path, encoding="utf-8", newline="") as content:
        return [line for line in csv.reader(content, delimiter=";") if line]


def drawn(size: int) -> list[int]:
    """The places of the rows that ARX draws: java.util.Random(0xDEADBEEF).nextInt(size), size times, each once."""
    mask, multiplier = (1 << 48) - 1, 0x5DEECE66D
    seed = ((0xDEADBEEF - (1 << 32)) ^ multiplier) & mask
    places = set()
    for _ in range(size):
        while True:
            seed = (seed * multiplier + 0xB) & mask
            bits = seed >> 17
            if size & -size == size:
                place = (size * bits) >> 31
                break
            place = bits % size
            if bits - place + size - 1 < 1 << 31:
                break
        places.add(place)
    return sorted(places)


class Table:
    """A table over some quasi-identifiers: its combinations with the rows of each sensitive value, and their people.

    ``climbs`` and ``shares`` have, by column, level and leaf, the value there, and the share of other leaves it covers.
    """

    def __init__(
        self, folder: Path, rows: Sequence[Row], names: Sequence[str], population: Sequence[Row] | None = None
    ) -> None:
        self.names, self.rows = names, len(rows)
        self.climbs: list[list[Integers]] = []
        self.shares: list[list[Floats]] = []
        leaves = [self._read(_lines(folder / f"adult_hierarchy_{name}.csv")) for name in names]
        places, told = [COLUMNS.index(name) for name in names], COLUMNS.index(SENSITIVE)
        values = sorted({row[told] for row in [*rows, *(population or ())]})
        number = {value: at for at, value in enumerate(values)}
        counts: dict[tuple[int, ...], tuple[Integers, list[int]]] = {}

        def count_of(row: Row) -> tuple[Integers, list[int]]:
            key = tuple(own[row[place]] for own, place in zip(leaves, places, strict=True))
            return counts.setdefault(key, (np.zeros(len(number), np.int64), [0]))

        for row in rows:
            count_of(row)[0][number[row[told]]] += 1
        for row in population or ():
            count_of(row)[1][0] += 1
        self.leaves = np.array(list(counts))
        self.held: Integers = np.array([held for held, _ in counts.values()])
        self.people: Integers = np.array([people for _, (people,) in counts.values()])
        self.sizes: Integers = self.held.sum(1)
        self.totals: Integers = self.held.sum(0)
        at, value = np.nonzero(self.held)
        self.pairs = at, value, self.held[at, value]
        tree = {line[0]: line for line in _lines(folder / f"adult_hierarchy_{SENSITIVE}.csv")}
        self.lines = [tree[value] for value in values]
        self.nodes: list[Levels] = list(itertools.product(*(range(len(climb)) for climb in self.climbs)))
        self.entropy = [[self._entropy(column, codes) for codes in climb] for column, climb in enumerate(self.climbs)]

    def _read(self, lines: Sequence[Row]) -> dict[str, int]:
        climbs, shares = [], []
        for level in range(len(lines[0])):
            labels: dict[str, int] = {}
            codes = np.array([labels.setdefault(line[level], len(labels)) for line in lines])
            climbs.append(codes)
            shares.append((np.bincount(codes)[codes] - 1) / max(1, len(lines) - 1))
        self.climbs.append(climbs)
        self.shares.append(shares)
        return {line[0]: at for at, line in enumerate(lines)}

    def _entropy(self, column: int, codes: Integers) -> float:
        rows: Any = np.bincount(self.leaves[:, column], self.sizes, len(codes))
        of_value, there = np.bincount(codes, rows)[codes], rows > 0
        return float(-(rows[there] * np.log2(rows[there] / of_value[there])).sum())
