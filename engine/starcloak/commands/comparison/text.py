"""A comparison for the terminal, and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from starcloak.commands.comparison.result import NAMES, Comparison

# The columns of the terminal are the first ones of all, each with its width in characters.
_COLUMNS = dict(zip(NAMES, (24, 6, 12, 11, 10, 9, 8, 13, 13, 8), strict=False))
#: The first line of the CSV.
HEAD = ",".join(NAMES)


def of(comparison: Comparison) -> str:
    """A comparison as a table of fixed width. Reasons for missing releases stand below it."""
    lines = ["".join(f"{name.replace('_', ' '):<{width}}" for name, width in _COLUMNS.items()).rstrip()]
    for point in comparison.points:
        cells = point.cells
        lines.append("".join(f"{_short(cells[name]):<{width}}" for name, width in _COLUMNS.items()).rstrip())
    return "\n".join([*lines, *_problems(comparison)])


def as_csv(comparison: Comparison) -> str:
    """A comparison as CSV: one line per point."""
    text = io.StringIO()
    writer = csv.DictWriter(text, NAMES, lineterminator="\n")
    writer.writeheader()
    writer.writerows(point.cells for point in comparison.points)
    return text.getvalue()


def _short(cell: object) -> str:
    if cell is None:
        return "-"
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)


def _problems(comparison: Comparison) -> Iterator[str]:
    for point in comparison.points:
        if point.problem is not None:
            yield f"{point.algorithm}, k = {point.k}: {point.problem}"
