"""Axes: linear scales from numbers to positions in a drawing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import ceil, floor, log10
from typing import Any


@dataclass(frozen=True)
class Scale:
    """A linear axis for numbers from ``low`` to ``high``, drawn between the positions ``start`` and ``end``."""

    low: float
    high: float
    start: float
    end: float

    def place(self, number: float) -> float:
        """Position of a number in the drawing, to two decimals."""
        share = (number - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 2)

    @property
    def ticks(self) -> Sequence[tuple[float, str]]:
        """Ticks of the axis: the position and the text of each round number."""
        step = _step((self.high - self.low) / 5)
        first, last = ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9)
        return [(self.place(number * step), f"{number * step:.6g}") for number in range(first, last + 1)]


def around(numbers: Iterable[float], start: float, end: float, *, zero: bool = True) -> Scale:
    """Return an axis wide enough for ``numbers`` and, unless ``zero`` is false, for zero."""
    values = [*numbers, *([0.0] if zero else [])]
    low, high = min(values), max(values)
    return Scale(low, high + (high - low or 1) * 0.05, start, end)


def segments(counts: Sequence[int], rows: int, pixels: int) -> list[dict[str, Any]]:
    """Position and width of each count in a bar of ``pixels`` pixels for ``rows`` rows.

    A gap stays free after each segment.

    >>> segments([30, 10], 40, 100)
    [{'x': 0.0, 'width': 74.4, 'rows': 30}, {'x': 75.0, 'width': 24.4, 'rows': 10}]
    """
    pixels_per_row = pixels / max(rows, 1)
    return [
        {
            "x": round(start * pixels_per_row, 2),
            "width": round(max(count * pixels_per_row - 0.6, 0.2), 2),
            "rows": count,
        }
        for start, count in zip(accumulate(counts, initial=0), counts, strict=False)
    ]


def _step(about: float) -> float:
    """Smallest number of the form 1, 2 or 5 times a power of ten, and not below ``about``."""
    power = 10.0 ** floor(log10(about))
    return next(power * step for step in (1, 2, 5, 10) if power * step >= about * (1 - 1e-9))
